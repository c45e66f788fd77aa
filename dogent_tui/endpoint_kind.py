"""The kinds of endpoints and of local servers, used both by events and by the configuration."""

from typing import Literal, TypeAlias

EndpointKind: TypeAlias = Literal["anthropic", "custom", "local", "offline"]
"""Anthropic's own endpoint, another one with the same protocol, a local server behind our relay, or
the built-in offline engine.
"""

ServerKind: TypeAlias = Literal["ollama", "llama.cpp", "lm-studio", "vllm"]
"""The servers of local models that the relay knows."""
