"""Copies of files about to change, and how they are restored: `/undo` and `/rewind`."""
