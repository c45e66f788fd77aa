"""The prompt: where a person types, recalls, refers to files and sees what waits."""
