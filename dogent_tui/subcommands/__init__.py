"""One tool by hand, without the application and without a model: ``dogent-tui read``,
``export``, ``search`` and the others.
"""
