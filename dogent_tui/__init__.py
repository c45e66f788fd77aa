"""dogent-tui: a full-screen terminal application for writing documents together with an AI
agent.
"""

__version__ = "0.1.0"
