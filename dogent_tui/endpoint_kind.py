"""The kinds of endpoints and of local servers, words that both the vocabulary of events and the
configuration use.
"""

from typing import Literal, TypeAlias

EndpointKind: TypeAlias = Literal["anthropic", "custom", "local", "offline"]
"""Who answers: Anthropic's own endpoint, another one that speaks its protocol, a local server
behind our relay, or the built-in offline engine.
"""

ServerKind: TypeAlias = Literal["ollama", "llama.cpp", "lm-studio", "vllm"]
"""The servers of local models that the relay knows."""
