"""Reading HTML: pages of the web and files, their formulas, notes, tables and what they hide."""
