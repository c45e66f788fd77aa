"""The available choices, and what each of them writes. Plain values, independent of the screen."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import urlsplit

from dogent_tui.endpoint_kind import ServerKind
from dogent_tui.language import phrases, tr
from dogent_tui.local_models.model import LABELS, LocalModel, LocalServer
from dogent_tui.plain import one_line
from dogent_tui.records import Json, Record
from dogent_tui.settings.profiles import ANTHROPIC_URL, ENVIRONMENT, OFFLINE, Endpoint
from dogent_tui.settings.secrets import is_missing

Profiles = Mapping[str, Json]

_MOST_OF_A_SERVER = 2
MOST_MODELS = 3
"""The number of models offered, so that each choice has a digit; users with more models know how to
name one in a profile.
"""
_MOST_PROVIDERS = 3

_PROVIDERS = {
    "anthropic": "Anthropic",
    "deepseek": "DeepSeek",
    "glm": "GLM (Zhipu)",
}
"""The names of providers by profile name."""
_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")


class Choice(Record):
    """A choice. `note` explains it in a few words.

    The other fields belong to a local model or a provider; `profile` is the one that lacks the
    provider's key.
    """

    kind: Literal["local", "environment", "provider", "endpoint", "offline"]
    label: str
    note: str
    server: ServerKind | None = None
    base_url: str = ""
    model: str = ""
    profile: str = ""


class Saved(Record):
    """A profile for ``claude.json``, with its name."""

    name: str
    values: Json


def choices(
    servers: Iterable[LocalServer],
    environment: Endpoint | None,
    profiles: Profiles = MappingProxyType({}),
) -> tuple[Choice, ...]:
    """Return the available choices: those that need no input first, the offline engine last.

    `profiles` are those of ``claude.json``: each without its key is offered as a provider.
    """
    found = []
    if environment:
        host = one_line(urlsplit(environment.base_url).hostname or "")
        found.append(Choice("environment", tr("The key in your environment"), host))
    models = [(server, model) for server in servers for model in server.models[:_MOST_OF_A_SERVER]]
    for server, model in models[:MOST_MODELS]:
        label = f"{LABELS[server.kind]} · {one_line(model.name)}"
        at = server.kind, server.base_url, model.name
        found.append(Choice("local", label, _room(model), *at))
    providers = [
        _provider(name, profile)
        for name, profile in profiles.items()
        if any(key in profile for key in _KEYS)
        and all(is_missing(profile.get(key)) for key in _KEYS)
    ]
    return (
        *found,
        *providers[:_MOST_PROVIDERS],
        Choice("endpoint", tr("Another endpoint…"), tr("any that speaks Anthropic’s Messages API")),
        Choice("offline", tr("Stay offline"), tr("no AI model")),
    )


def _provider(name: str, profile: Json) -> Choice:
    address = str(profile.get("ANTHROPIC_BASE_URL") or ANTHROPIC_URL)
    model = str(profile.get("ANTHROPIC_MODEL") or "")
    label = tr("{provider}…", provider=_PROVIDERS.get(name, one_line(name)))
    note = phrases(tr("paste a key"), one_line(model))
    return Choice("provider", label, note, None, address, model, name)


def _room(model: LocalModel) -> str:
    """Return what is shown beside a model's name: the size of its context window in tokens."""
    if model.tools is False:
        return tr("on this computer · can't call tools")
    if model.is_small:
        return tr(
            "on this computer · too small: {tokens}", tokens=_thousands(model.window or model.most)
        )
    return (
        tr("on this computer · {window}", window=_thousands(model.window))
        if model.window
        else tr("on this computer")
    )


def _thousands(tokens: int) -> str:
    """Return a number of tokens in the usual short form: 4096 and 4000 are both 4k."""
    return (
        f"{tokens // 1024 if tokens % 1000 else tokens // 1000}k" if tokens >= 1000 else str(tokens)
    )


# ── What is written ───────────────────────────────────────────────────────────────────────────────


def local_profile(choice: Choice, profiles: Profiles) -> Saved:
    """Return the profile for a local model. An existing profile for the same server is changed, any
    other is left alone.
    """
    assert choice.server is not None
    values = {
        "ANTHROPIC_BASE_URL": choice.base_url,
        "ANTHROPIC_MODEL": choice.model,
        "ANTHROPIC_SMALL_FAST_MODEL": choice.model,
        "DOGENT_LOCAL_SERVER": choice.server,
    }
    return Saved(
        _name(
            choice.server, profiles, lambda held: held.get("DOGENT_LOCAL_SERVER") == choice.server
        ),
        values,
    )


def provider_profile(
    choice: Choice, address: str, key: str, model: str, profiles: Profiles
) -> Saved:
    """Return the profile for a provider with its missing `key`. With another address or model it
    becomes a custom endpoint.
    """
    held = profiles.get(choice.profile)
    if held is None or (address, model) != (choice.base_url, choice.model):
        return endpoint_profile(address, key, model, profiles)
    name = next((name for name in _KEYS if name in held), _KEYS[0])
    return Saved(choice.profile, {name: key})


def endpoint_profile(address: str, key: str, model: str, profiles: Profiles) -> Saved:
    """Return the profile for an endpoint. A stub without a key, or a profile for the same address,
    is updated.
    """
    host = urlsplit(address).hostname or ""
    values = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_AUTH_TOKEN": key}
    if host == "api.anthropic.com":
        values = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": key}
    if model:
        values |= {"ANTHROPIC_MODEL": model, "ANTHROPIC_SMALL_FAST_MODEL": model}

    def may_change(held: Json) -> bool:
        there = str(held.get("ANTHROPIC_BASE_URL") or ANTHROPIC_URL).rstrip("/")
        unused = all(is_missing(held.get(key)) for key in _KEYS)
        return there == address.rstrip("/") or (unused and not held.get("DOGENT_LOCAL_SERVER"))

    return Saved(_name(_short_name(host), profiles, may_change), values)


def _short_name(host: str) -> str:
    """Return a short name for the endpoint at `host`: ``deepseek`` for ``api.deepseek.com``."""
    labels = host.split(".")
    is_number = labels[-1].isdigit() or ":" in host
    name = labels[-2] if len(labels) > 1 and not is_number else "gateway"
    return f"my-{name}" if name in (OFFLINE, ENVIRONMENT) else name


def _name(wanted: str, profiles: Profiles, may_change: Any) -> str:
    names = [wanted, *(f"{wanted}-{count}" for count in range(2, 1000))]
    return next(name for name in names if name not in profiles or may_change(profiles[name]))
