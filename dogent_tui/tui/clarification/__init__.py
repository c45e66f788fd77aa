"""The form for answering the agent's questions. Its screen is `screens/clarification.py`."""
