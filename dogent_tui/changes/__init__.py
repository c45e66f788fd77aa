"""Changes that are proposed to a document: compared, decided hunk by hunk, merged and written. No screen, no SDK."""
