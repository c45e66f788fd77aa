"""The attachments of a conversation: the files it refers to, and whether the agent has read
them.
"""
