"""What lies on disk: configuration, profiles, history, references, sessions, the file index."""
