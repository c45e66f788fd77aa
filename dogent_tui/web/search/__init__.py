"""Searching the web: one protocol, a module for each provider, results in one shape."""
