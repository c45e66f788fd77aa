"""The first start: who should answer? A small panel above the prompt, and a form for an endpoint
of one's own.
"""
