"""The existing conversations: listing, searching, opening, renaming, forking and deleting."""
