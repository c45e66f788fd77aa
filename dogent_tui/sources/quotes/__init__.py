"""Checked quotes: what a draft quotes, says in numbers and cites, held against its sources."""
