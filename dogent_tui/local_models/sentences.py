"""What can go wrong with a local server, as API errors whose message is a sentence and, on the next
line, a remedy.

The statuses make the CLI retry only if that can help: it retries 408, 409, 429 and everything from
500 on.
"""

import re
from collections.abc import Mapping

from dogent_tui.endpoint_kind import ServerKind
from dogent_tui.language import tr
from dogent_tui.local_models.model import LABELS, LARGER
from dogent_tui.offline.messages_api import ApiError

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
    line = " ".join(said.split())
    answer = f"{status} {line.lower()}"
    sentence = next(means for signs, means in _REFUSALS.items() if re.search(signs, answer))
    short = line.rstrip(".") if len(line) <= 300 else f"{line[:300]}…"
    words = {"label": LABELS[kind], "larger": LARGER[kind], "kind": _TOOLS[kind], "model": model}
    words["quoted"] = tr(": {said}", said=f"“{short}”") if said else ""
    message = sentence.format(status=status, upstream=upstream, **words)
    return ApiError(529 if sentence == _BUSY else 400, message)
