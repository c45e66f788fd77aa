"""What the profiles of ``claude.json``, ``web.json`` and ``vision.json`` may say, key by key (SPEC
1).

The models check what a user wrote (`config_check.py`) and make the JSON Schemas that editors use
(`json_schemas.py`). A field's `expected` ends the sentence “expected …” where its type alone would
say too little. `secret` marks a key that is never shown.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from dogent_tui.language import tr

LONGEST_SEARCH_S: Final = 120
"""Seconds that a search may take."""

_REFERENCE = "; env:NAME reads it from the environment, keyring:NAME from the system's keyring"
_MILLISECONDS = tr("a whole number of milliseconds")
_SWITCH = tr("1 or 0")


class LlmProfile(msgspec.Struct, frozen=True):
    """An endpoint that speaks Anthropic's Messages API."""

    ANTHROPIC_BASE_URL: Annotated[
        str, Meta(description="The address of the endpoint; Anthropic's own if missing.")
    ] = ""
    ANTHROPIC_AUTH_TOKEN: Annotated[
        str,
        Meta(description=f"The key, sent as a bearer token{_REFERENCE}.", extra={"secret": True}),
    ] = ""
    ANTHROPIC_API_KEY: Annotated[
        str, Meta(description=f"The key, sent as x-api-key{_REFERENCE}.", extra={"secret": True})
    ] = ""
    ANTHROPIC_MODEL: Annotated[str, Meta(description="The main model.")] = ""
    ANTHROPIC_SMALL_FAST_MODEL: Annotated[str, Meta(description="The model for small tasks.")] = ""
    DOGENT_LOCAL_SERVER: Annotated[
        str,
        Meta(
            pattern=r"^(ollama|llama\.cpp|lm-studio|vllm)?$",
            description=(
                "The local model server at this address: used through a built-in relay, without a"
                " key."
            ),
            extra={"expected": tr("ollama, llama.cpp, lm-studio or vllm")},
        ),
    ] = ""
    API_TIMEOUT_MS: (
        Annotated[
            int,
            Meta(
                gt=0,
                lt=2**31,
                description="Milliseconds a request may take.",
                extra={"expected": _MILLISECONDS},
            ),
        ]
        | Annotated[
            str, Meta(pattern=r"^\s*([1-9][0-9]{0,8})?\s*$", extra={"expected": _MILLISECONDS})
        ]
    ) = ""
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: (
        Annotated[int, Meta(description="Accepted, but always on.", extra={"expected": _SWITCH})]
        | bool
        | str
    ) = 1


class WebProfile(msgspec.Struct, frozen=True):
    """A way to search the web."""

    provider: Annotated[
        str, Meta(description="The search service: google_cse, bing, brave, tavily or searxng.")
    ] = ""
    api_key: Annotated[str, Meta(description=f"The key{_REFERENCE}.", extra={"secret": True})] = ""
    cse_id: Annotated[
        str, Meta(description="The ID of a Google search engine.", extra={"secret": True})
    ] = ""
    endpoint: Annotated[
        str, Meta(description="The address of the API, if not the provider's own.")
    ] = ""
    timeout_s: Annotated[
        float,
        Meta(
            gt=0,
            le=LONGEST_SEARCH_S,
            description="Seconds a search may take.",
            extra={"expected": tr("a number of seconds, at most {most}", most=LONGEST_SEARCH_S)},
        ),
    ] = 20.0


class VisionProfile(msgspec.Struct, frozen=True):
    """A model that looks at pictures and videos."""

    provider: Annotated[
        str, Meta(description="glm-4.6v, openai (or a compatible service) or anthropic.")
    ] = ""
    model: Annotated[str, Meta(description="The vision model.")] = ""
    base_url: Annotated[
        str,
        Meta(description="The address of the endpoint, without /chat/completions or /v1/messages."),
    ] = ""
    api_key: Annotated[str, Meta(description=f"The key{_REFERENCE}.", extra={"secret": True})] = ""
    extra: Annotated[Mapping[str, Any], Meta(description="Extra fields for each request.")] = (
        msgspec.field(default_factory=dict)
    )
    timeout_s: Annotated[
        float,
        Meta(
            ge=1,
            le=3600,
            description="Seconds an analysis may take.",
            extra={"expected": tr("a number of seconds from 1 to 3600")},
        ),
    ] = 0
    max_side: Annotated[
        float,
        Meta(
            ge=1,
            le=16_384,
            description="Pixels of the longer side of an image that is sent.",
            extra={"expected": tr("a number of pixels from 1 to 16384")},
        ),
    ] = 0
    max_video_mb: Annotated[
        float,
        Meta(
            ge=1,
            le=512,
            description="Megabytes of a video that is sent.",
            extra={"expected": tr("a number of megabytes from 1 to 512")},
        ),
    ] = 0


PROFILE_MODELS: Mapping[str, type[msgspec.Struct]] = {
    "claude.json": LlmProfile,
    "web.json": WebProfile,
    "vision.json": VisionProfile,
}
"""File of the user → what a profile in it may say."""


def secret_keys(model: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the keys of `model` whose values are never shown."""
    return tuple(
        field.encode_name
        for field in msgspec.structs.fields(model)
        if "secret" in _extra(field.type)
    )


def _extra(kind: Any) -> Mapping[str, Any]:
    return next(
        (meta.extra or {} for meta in getattr(kind, "__metadata__", ()) if isinstance(meta, Meta)),
        {},
    )
