"""The first start: who should answer? A small panel above the prompt, and a form for a custom
endpoint.
"""
