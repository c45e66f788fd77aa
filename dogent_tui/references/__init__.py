"""What a prompt refers to: `@` references, the index of the workspace's files, sheets."""
