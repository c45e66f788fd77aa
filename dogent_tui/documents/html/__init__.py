"""Reads HTML, both web pages and files: their formulas, notes, tables and hidden text."""
