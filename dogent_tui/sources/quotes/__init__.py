"""Checks the quotations, numbers and citations of a draft against its sources."""
