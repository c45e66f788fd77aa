"""The form on which a user answers the agent's questions. `screens/clarification.py` is its
screen.
"""
