"""The fields of profiles in ``claude.json``, ``web.json`` and ``vision.json`` (SPEC 1).

The models validate what a user wrote (`config_check.py`) and generate the JSON Schemas for editors
(`.ci/schemas`), with the texts below the fields as descriptions. A field's `expected` ends the
sentence “expected …” if its type alone would not be clear. `secret` marks what is never shown.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from dogent_tui.language import tr
from dogent_tui.records import Json, Private

LONGEST_SEARCH_S: Final = 120
"""The time limit of a search in seconds."""

_MILLISECONDS = tr("a whole number of milliseconds")
_SWITCH = tr("1 or 0")

_Key = Annotated[str, Meta(extra={"secret": True})]


class LlmProfile(Private):
    """An endpoint that speaks Anthropic's Messages API."""

    ANTHROPIC_BASE_URL: str = ""
    """The address of the endpoint; Anthropic's own if missing."""
    ANTHROPIC_AUTH_TOKEN: _Key = ""
    """The key, sent as a bearer token."""
    ANTHROPIC_API_KEY: _Key = ""
    """The key, sent as x-api-key."""
    ANTHROPIC_MODEL: str = ""
    """The main model."""
    ANTHROPIC_SMALL_FAST_MODEL: str = ""
    """The model for small tasks."""
    DOGENT_LOCAL_SERVER: Annotated[
        str,
        Meta(
            pattern=r"^(ollama|llama\.cpp|lm-studio|vllm)?$",
            extra={"expected": tr("ollama, llama.cpp, lm-studio or vllm")},
        ),
    ] = ""
    """The local model server at this address: used through a built-in relay, without a key."""
    API_TIMEOUT_MS: (
        Annotated[int, Meta(gt=0, lt=2**31, extra={"expected": _MILLISECONDS})]
        | Annotated[
            str, Meta(pattern=r"^\s*([1-9][0-9]{0,8})?\s*$", extra={"expected": _MILLISECONDS})
        ]
    ) = ""
    """Milliseconds a request may take."""
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: (
        Annotated[int, Meta(extra={"expected": _SWITCH})] | bool | str
    ) = 1
    """Accepted, but always on."""


class WebProfile(Private):
    """A way to search the web."""

    provider: str = ""
    """The search service: google_cse, bing, brave, tavily or searxng."""
    api_key: _Key = ""
    """The key."""
    cse_id: _Key = ""
    """The ID of a Google search engine."""
    endpoint: str = ""
    """The address of the API, if not the provider's own."""
    timeout_s: Annotated[
        float,
        Meta(
            gt=0,
            le=LONGEST_SEARCH_S,
            extra={"expected": tr("a number of seconds, at most {most}", most=LONGEST_SEARCH_S)},
        ),
    ] = 20.0
    """Seconds a search may take."""


class VisionProfile(Private):
    """A model that looks at pictures and videos."""

    provider: str = ""
    """glm-4.6v, openai (or a compatible service) or anthropic."""
    model: str = ""
    """The vision model."""
    base_url: str = ""
    """The address of the endpoint, without /chat/completions or /v1/messages."""
    api_key: _Key = ""
    """The key."""
    extra: Json = msgspec.field(default_factory=dict)
    """Extra fields for each request."""
    timeout_s: Annotated[
        float,
        Meta(ge=1, le=3600, extra={"expected": tr("a number of seconds from 1 to 3600")}),
    ] = 0
    """Seconds an analysis may take."""
    max_side: Annotated[
        float,
        Meta(ge=1, le=16_384, extra={"expected": tr("a number of pixels from 1 to 16384")}),
    ] = 0
    """Pixels of the longer side of an image that is sent."""
    max_video_mb: Annotated[
        float,
        Meta(ge=1, le=512, extra={"expected": tr("a number of megabytes from 1 to 512")}),
    ] = 0
    """Megabytes of a video that is sent."""


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


def _extra(kind: Any) -> Json:
    return next(
        (meta.extra or {} for meta in getattr(kind, "__metadata__", ()) if isinstance(meta, Meta)),
        {},
    )
