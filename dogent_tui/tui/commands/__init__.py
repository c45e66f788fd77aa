"""The commands of the application, `/name`: one table for the prompt, the command palette and the
help.

`table.py` defines a command. Each other module is a family of commands: a class whose methods take
the text typed after the name and return a line about the result. A new command is a method with
`@command` in its family; `all.py` lists the families. Modules that a single command needs are
imported in its method, because this package is imported before the first paint.
"""
