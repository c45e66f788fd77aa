"""The tools that we offer the model, on the in-process MCP server `dogent`: one thin module per
family.
"""
