"""What lies on disk: folders, settings, profiles, history, drafts, sessions, references, and the file index."""
