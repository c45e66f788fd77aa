"""A local server and its models, and what can go wrong with it: API errors whose message is a
sentence and, on the next line, a remedy.

The statuses make the CLI retry only if that can help: it retries 408, 409, 429 and everything from
500 on.
"""

import re
from collections.abc import Mapping

from dogent_tui.endpoint_kind import ServerKind
from dogent_tui.language import tr
from dogent_tui.offline.messages_api import ApiError
from dogent_tui.plain import one_line
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


_START: Mapping[ServerKind, str] = {
    "ollama": tr("Start it with ollama serve, or by opening its app."),
    "llama.cpp": tr("Start llama-server with the model."),
    "lm-studio": tr("Start its server with lms server start, or in its Developer window."),
    "vllm": tr("Start it with vllm serve and the model."),
}
_CALLING = tr("Choose a model that can call tools, such as qwen3 or gpt-oss.")
_TOOLS: Mapping[ServerKind, str] = {
    "ollama": _CALLING,
    "llama.cpp": tr("Start llama-server with --jinja."),
    "lm-studio": _CALLING,
    "vllm": tr("Start it with --enable-auto-tool-choice and the --tool-call-parser for the model."),
}
_BUSY = tr("{label} is busy, or still loading {model}{quoted}.\nSend the prompt again in a moment.")
_REFUSALS = {
    r"loading model|model is loading|unavailable_error": _BUSY,
    r"context (size|length|window)|maximum context|max_model_len|n_ctx|too long|max_tokens": tr(
        "The conversation does not fit into the context window of {model}{quoted}.\n{larger}"
    ),
    r"not support tools|tool choice requires|enable-auto-tool|--jinja|tools param": tr(
        "{model} can't call tools the way {label} runs it{quoted}.\n{kind}"
    ),
    r"^40[13] ": tr(
        "{label} requires a key{quoted}.\nSet it as ANTHROPIC_AUTH_TOKEN in the profile."
    ),
    r"^(404|405|501) (?!.*model)|unexpected endpoint": tr(
        "{label} at {upstream} does not support chat completions.\nIs it a different server?"
    ),
    r"^404 |model.*not found": tr(
        "{label} does not have the model {model}{quoted}.\nSet ANTHROPIC_MODEL to one it"
        " has, or use /setup."
    ),
    r"^(429|503) ": _BUSY,
    r"^200 ": tr("{label} gave an unreadable answer{quoted}.\nCheck its output."),
    r"": tr("{label} refused the request ({status}){quoted}.\nCheck its output."),
}
"""Status and pattern → what servers mean by it; the first match counts."""


def unreachable(kind: ServerKind, base_url: str, error: BaseException) -> ApiError:
    """Return the error for a server that cannot be reached or disconnected before it said
    anything.
    """
    if isinstance(error, ConnectionRefusedError) or "onnect" in type(error).__name__:
        sentence = tr("{label} is not responding at {base_url}.\n{start}")
    else:
        sentence = tr(
            "{label} at {base_url} gave an unreadable answer ({error}).\nCheck its output."
        )
    words = {"label": LABELS[kind], "start": _START[kind], "error": type(error).__name__}
    return ApiError(400, sentence.format(base_url=base_url, **words))


def too_long(kind: ServerKind, model: str, tokens: int, window: int) -> ApiError:
    """Return the error for a request that does not fit into the model's window."""
    sentence = tr(
        "{model} has a context window of {window:,} tokens, and this request needs about"
        " {tokens:,}: {label} would drop its beginning.\n{larger} /new starts a new conversation."
    )
    words = {"label": LABELS[kind], "larger": LARGER[kind]}
    return ApiError(400, sentence.format(model=model, window=window, tokens=tokens, **words))


def refusal(kind: ServerKind, model: str, upstream: str, status: int, said: str) -> ApiError:
    """Return the error for the server at `upstream` that answered with an error or something that
    is not a reply.
    """
    line = one_line(said)
    answer = f"{status} {line.lower()}"
    sentence = next(means for signs, means in _REFUSALS.items() if re.search(signs, answer))
    short = one_line(said, 300).rstrip(".")
    words = {"label": LABELS[kind], "larger": LARGER[kind], "kind": _TOOLS[kind], "model": model}
    words["quoted"] = tr(": {said}", said=f"“{short}”") if said else ""
    message = sentence.format(status=status, upstream=upstream, **words)
    return ApiError(529 if sentence == _BUSY else 400, message)
