"""Where commands run: behind a wall, on a copy-on-write layer of the workspace, whose difference is judged when they end."""
