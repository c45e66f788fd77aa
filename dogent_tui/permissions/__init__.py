"""The permission policy: a tool call in, a decision out. Pure: no SDK, no Textual."""
