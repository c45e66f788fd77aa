"""Going back to an earlier prompt of the conversation."""
