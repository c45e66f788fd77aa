"""Returning to an earlier prompt of the conversation."""
