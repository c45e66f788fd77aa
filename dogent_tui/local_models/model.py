"""A local server and its models."""

from collections.abc import Mapping

from dogent_tui.endpoint_kind import ServerKind
from dogent_tui.language import tr
from dogent_tui.records import Record

LABELS: Mapping[ServerKind, str] = {
    "ollama": "Ollama",
    "llama.cpp": "llama.cpp",
    "lm-studio": "LM Studio",
    "vllm": "vLLM",
}
"""Their display names."""

ENOUGH_TOKENS = 32_000
"""The window from which on a model can work on documents: the agent's instructions and tools alone
take about 15,000 tokens.
"""

LARGER: Mapping[ServerKind, str] = {
    "ollama": tr(
        "Start it with OLLAMA_CONTEXT_LENGTH=64000 ollama serve, or move the slider in its app"
        " settings."
    ),
    "llama.cpp": tr("Start llama-server with -c 65536."),
    "lm-studio": tr(
        "Load the model with a larger context length (lms load NAME --context-length 65536)."
    ),
    "vllm": tr("Start it with a larger --max-model-len."),
}
"""How to enlarge a model's window with each server (from their documentation)."""


class LocalModel(Record):
    """A model that a server offers. `window` is its current size in tokens, 0 if unknown until it
    is loaded.

    `most` is the window it was trained for, 0 if unknown; `tools` whether it calls tools, None if
    unknown.
    """

    name: str
    window: int = 0
    most: int = 0
    tools: bool | None = None
    loaded: bool = False

    @property
    def is_small(self) -> bool:
        """Whether its window is known to be too small."""
        return 0 < (self.window or self.most) < ENOUGH_TOKENS


class LocalServer(Record):
    """A server that answered, and its models, the most suitable first. None while one is
    loading.
    """

    kind: ServerKind
    base_url: str
    models: tuple[LocalModel, ...] = ()

    def model(self, name: str) -> LocalModel | None:
        """Return the model with this name. Ollama's names imply the tag `latest`; a server with a
        single model always uses it.
        """
        named = {model.name: model for model in self.models}
        only = self.models[0] if len(self.models) == 1 and self.kind == "llama.cpp" else None
        return named.get(name) or named.get(f"{name}:latest") or only


def window_warning(kind: ServerKind, model: LocalModel) -> tuple[str, str]:
    """Return a sentence and a remedy about the window of `model`; empty if it is large enough."""
    remedy, message = LARGER[kind], ""
    if model.is_small:
        message = tr(
            "{model} has a context window of only {tokens:,} tokens; working on documents takes"
            " {enough_tokens:,}."
        )
        if 0 < model.most < ENOUGH_TOKENS:
            remedy = tr("Choose a model with a larger context window.")
    elif kind == "ollama" and not model.window:
        message = tr("{label} may give {model} only 4,096 tokens of context, its default.")
    words = {"label": LABELS[kind], "model": model.name}
    said = message.format(tokens=model.window or model.most, enough_tokens=ENOUGH_TOKENS, **words)
    return said, remedy if said else ""
