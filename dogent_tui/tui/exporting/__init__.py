"""`/export`: what was typed, which document is meant, and having it made."""
