"""The form on which a person answers the agent's questions. `screens/clarification.py` is its screen."""
