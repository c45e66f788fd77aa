"""The results of a conversation: the documents written and exported, and actions on them."""
