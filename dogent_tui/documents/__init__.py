"""Documents in, as Markdown whose every block knows where it came from; Markdown out, as finished pdf and docx."""
