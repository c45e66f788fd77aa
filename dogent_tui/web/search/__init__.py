"""Web search: one protocol, a table of providers, results in one form."""
