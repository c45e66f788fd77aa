"""Models that run on this machine: the servers that have them are found, and the CLI speaks to them through a relay of ours."""
