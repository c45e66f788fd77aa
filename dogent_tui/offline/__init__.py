"""The built-in engine: a loopback Messages API that needs no model and no network."""
