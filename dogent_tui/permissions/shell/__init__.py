"""A small, literal reader of commands, for what is asked before. What it does not understand is
run behind the wall.
"""
