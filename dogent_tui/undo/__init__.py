"""Commits changes with copies of what was there before, and takes them back."""
