"""Outlines: headings in a tree, read from Markdown, changed step by step, and written back. Knows no screen and no agent."""
