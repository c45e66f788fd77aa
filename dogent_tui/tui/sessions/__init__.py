"""The conversations that there are: listed and searched, opened, renamed, forked and deleted."""
