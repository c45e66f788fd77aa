"""The built-in engine: a loopback Messages API that finds, quotes and acts, without a model or a network."""
