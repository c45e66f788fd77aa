"""The settings as a person sees and changes them: rows of values, each in its file, written together when they are saved."""
