"""The Markdown files of a workspace: read, found and searched, and never anything outside of it."""
