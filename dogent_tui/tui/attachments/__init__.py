"""The attachments of a conversation: which files it refers to, and whether the agent has read
them.
"""
