"""A conversation with the agent, without a screen."""
