"""The commands of the application, `/name`: one table for the prompt, the command palette and the
help.

`table.py` says what a command is; each other module is a family of them, a class whose methods take
what was typed after the name and return the line that says what was done. A new command is a method
and a line in `__iter__` of its family; `all.py` names the families. What a command alone needs is
imported in its method: this package is imported before the first paint.
"""
