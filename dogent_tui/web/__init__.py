"""The web: pages and images fetched behind an address guard, and searched."""
