"""Individual tools on the command line, without the application and a model: ``dogent-tui read``,
``export``, ``search`` and so on.
"""
