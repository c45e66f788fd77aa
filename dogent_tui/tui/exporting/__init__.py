"""`/export`: the typed arguments, the document they mean, and its export."""
