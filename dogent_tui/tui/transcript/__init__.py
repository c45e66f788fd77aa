"""The transcript of a conversation: events in, lines on the screen.

It imports nothing: its modules are imported in a thread after the first paint, and a key may need
one of them meanwhile.
"""
