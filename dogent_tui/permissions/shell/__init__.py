"""Shell commands → effects."""
