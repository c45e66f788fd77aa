"""What a conversation made: the documents that were written and exported, and what can be done
with them.
"""
