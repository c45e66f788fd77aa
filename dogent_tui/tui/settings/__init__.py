"""The settings as a user sees and changes them: rows of values, each in its file, written together when they are saved."""
