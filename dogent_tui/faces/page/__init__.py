"""The page of the chat server, and the routes that only it needs."""
