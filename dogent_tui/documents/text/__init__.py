"""Documents that are plain text: prose, Markdown, source code and tables, in whatever encoding."""
