"""Plain text documents: prose, Markdown, source code and tables, in any encoding."""
