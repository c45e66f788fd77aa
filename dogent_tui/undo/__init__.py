"""Copies of what is about to change, and how they come back: `/undo` and `/rewind`."""
