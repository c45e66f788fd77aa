"""The document pane: a document beside the conversation, which follows the file and lets lines of it be chosen."""
