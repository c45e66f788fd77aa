"""A small, literal reader of commands for questions asked in advance. What it does not understand
runs behind the wall.
"""
