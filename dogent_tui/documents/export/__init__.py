"""Markdown out, as a finished pdf or docx: nothing on the way runs, fetches, or reads what lies outside the workspace."""
