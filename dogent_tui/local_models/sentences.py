"""What can go wrong with a local server, as errors of the API whose message is a sentence and, in
the next line, a remedy.

The statuses are such that the CLI tries again only where that can help: it retries 408, 409, 429
and what is from 500 on.
"""

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
_TOO_LONG = (
    "context size",
    "context length",
    "context window",
    "maximum context",
    "max_model_len",
    "n_ctx",
    "exceed_context_size",
    "too long",
    "max_tokens must be",
)
"""In what servers say of a prompt that does not fit."""
_NO_TOOLS = (
    "does not support tools",
    "tool choice requires",
    "enable-auto-tool-choice",
    "requires --jinja",
    "tools param",
)
_LOADING = ("loading model", "model is loading", "unavailable_error")
_MOST_SAID = 300


def unreachable(kind: ServerKind, base_url: str, error: BaseException) -> ApiError:
    """Return the error for a server that cannot be reached, or broke off before it said
    anything.
    """
    label = LABELS[kind]
    if isinstance(error, ConnectionRefusedError) or "onnect" in type(error).__name__:
        return ApiError(
            400,
            tr("{label} is not responding at {base_url}.\n{start}").format(
                label=label, base_url=base_url, start=_START[kind]
            ),
        )
    return ApiError(
        400,
        tr("{label} at {base_url} gave an unreadable answer ({error}).\nCheck its output.").format(
            label=label, base_url=base_url, error=type(error).__name__
        ),
    )


def too_long(kind: ServerKind, model: str, tokens: int, window: int) -> ApiError:
    """Return the error for a request that does not fit into the window that the model runs with."""
    return ApiError(
        400,
        tr(
            "{model} has a context window of {window:,} tokens, and this request needs about"
            " {tokens:,}: {label} would drop its beginning.\n{larger} /new starts a new"
            " conversation."
        ).format(
            model=model, window=window, tokens=tokens, label=LABELS[kind], larger=LARGER[kind]
        ),
    )


def refusal(kind: ServerKind, model: str, status: int, said: str) -> ApiError:
    """Return the error for a server that answered with an error, or with what is no reply."""
    label, lowered = LABELS[kind], said.lower()
    quoted = tr(": {said}").format(said=_short(said)) if said else ""
    if any(sign in lowered for sign in _LOADING):
        return ApiError(
            529,
            tr("{label} is still loading {model}.\nSend the prompt again in a moment.").format(
                label=label, model=model
            ),
        )
    if any(sign in lowered for sign in _TOO_LONG):
        return ApiError(
            400,
            tr(
                "The conversation does not fit into the context window of"
                " {model}{quoted}.\n{larger}"
            ).format(model=model, quoted=quoted, larger=LARGER[kind]),
        )
    if any(sign in lowered for sign in _NO_TOOLS):
        return ApiError(
            400,
            tr("{model} can't call tools the way {label} runs it{quoted}.\n{kind}").format(
                model=model, label=label, quoted=quoted, kind=_tools_remedy(kind)
            ),
        )
    if status in (401, 403):
        return ApiError(
            400,
            tr(
                "{label} requires a key{quoted}.\nSet it as ANTHROPIC_AUTH_TOKEN in the profile."
            ).format(label=label, quoted=quoted),
        )
    if status == 404 or ("model" in lowered and "not found" in lowered):
        return ApiError(
            400,
            tr(
                "{label} does not have the model {model}{quoted}.\nSet ANTHROPIC_MODEL to one it"
                " has, or use /setup."
            ).format(label=label, model=model, quoted=quoted),
        )
    if status in (429, 503):
        return ApiError(
            529,
            tr("{label} is busy{quoted}.\nSend the prompt again in a moment.").format(
                label=label, quoted=quoted
            ),
        )
    if status == 200:
        return ApiError(
            400,
            tr("{label} gave an unreadable answer{quoted}.\nCheck its output.").format(
                label=label, quoted=quoted
            ),
        )
    return ApiError(
        400,
        tr("{label} refused the request ({status}){quoted}.\nCheck its output.").format(
            label=label, status=status, quoted=quoted
        ),
    )


def _tools_remedy(kind: ServerKind) -> str:
    if kind == "vllm":
        return tr(
            "Start it with --enable-auto-tool-choice and the --tool-call-parser for the model."
        )
    return (
        tr("Start llama-server with --jinja.")
        if kind == "llama.cpp"
        else tr("Choose a model that can call tools, such as qwen3 or gpt-oss.")
    )


def _short(said: str) -> str:
    """Return what a server said as the part of a sentence."""
    line = " ".join(said.split()).rstrip(".")
    return f"“{line[:_MOST_SAID]}…”" if len(line) > _MOST_SAID else f"“{line}”"
