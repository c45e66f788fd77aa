"""The prompt: typing, recalling, referring to files, and what is queued."""
