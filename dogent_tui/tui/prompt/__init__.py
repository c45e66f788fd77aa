"""The prompt: where a user types, recalls, refers to files and sees what waits."""
