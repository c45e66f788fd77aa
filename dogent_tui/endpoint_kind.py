"""The kinds of endpoints, a word that both the vocabulary of events and the configuration use."""

from typing import Literal, TypeAlias

EndpointKind: TypeAlias = Literal["anthropic", "custom", "offline"]
"""Who answers: Anthropic's own endpoint, another one that speaks its protocol, or the built-in offline engine."""
