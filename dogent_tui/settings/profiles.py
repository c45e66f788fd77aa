"""Which endpoint to use: a profile of the user, the environment, or the built-in offline engine, in
that order.

A key belongs to the endpoint next to which it is written. It is never sent to another, even if the
other has none.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, get_args

import msgspec

from dogent_tui.endpoint_kind import EndpointKind, ServerKind
from dogent_tui.errors import ConfigError
from dogent_tui.language import tr
from dogent_tui.records import Json, Private, Record
from dogent_tui.settings.config_check import ConfigWarning, checked, no_profile, read_profiles
from dogent_tui.settings.config_models import LlmProfile
from dogent_tui.settings.endpoint_url import check_url, is_anthropic, sends_keys_in_clear
from dogent_tui.settings.secrets import KEYRING_SERVICE, is_missing, reference, revealed
from dogent_tui.settings.values import WorkspaceSettings, load_home_settings
from dogent_tui.storage.paths import display_path, dogent_home

ANTHROPIC_URL = "https://api.anthropic.com"
"""Anthropic's own endpoint, used if no other is named."""

OFFLINE = "offline"
"""The name of the built-in engine, which is not available to profiles."""

ENVIRONMENT = "environment"
"""The status bar's name for the endpoint of the environment variables."""

_KEY_NAMES = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY")
_OAUTH = "CLAUDE_CODE_OAUTH_TOKEN"

_OF_ANOTHER_ENDPOINT = (
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
)
"""Variables that would make the CLI use another endpoint, or send it another's credentials."""


class Endpoint(Private):
    """An endpoint and its key. `base_url` is empty only for the offline engine, which chooses its
    own port.

    `kind` is ``"anthropic"`` only for Anthropic's own host. `timeout_ms` is per request. `source`
    is a sentence. `server` is the server behind one of the kind ``"local"``, `window` its context
    window in tokens, 0 if unknown. `file` is that of the profile, for display, empty for the
    environment; `key_remedy` is a sentence about how to provide another key.
    """

    name: str
    kind: EndpointKind
    base_url: str = ""
    token: str = ""
    api_key: str = ""
    model: str = ""
    small_model: str = ""
    timeout_ms: int | None = None
    source: str = ""
    oauth_token: str = ""
    server: ServerKind | None = None
    window: int = 0
    file: str = ""
    key_remedy: str = ""

    def place_of(self, variable: str) -> str:
        """Return where `variable` of this endpoint is set, for use within a sentence."""
        if self.file:
            return tr(
                "{variable} of profile “{profile}” in {file}",
                variable=variable,
                profile=self.name,
                file=self.file,
            )
        if self.name != ENVIRONMENT:
            return tr("{variable} of profile “{profile}”", variable=variable, profile=self.name)
        return tr("{variable} in your environment", variable=variable)

    @property
    def label(self) -> str:
        """Its display name."""
        return endpoint_label(self.name, self.kind, self.model)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The keys, to be kept out of what is shown or logged."""
        return tuple(secret for secret in (self.token, self.api_key, self.oauth_token) if secret)

    def environment(self) -> dict[str, str]:
        """Return the variables for the agent's process. All are set, empty if not given, so that
        none is inherited.
        """
        variables = dict.fromkeys(_OF_ANOTHER_ENDPOINT, "")
        variables |= {
            "ANTHROPIC_BASE_URL": self.base_url,
            "ANTHROPIC_AUTH_TOKEN": self.token,
            "ANTHROPIC_API_KEY": self.api_key,
            _OAUTH: self.oauth_token,
            "ANTHROPIC_MODEL": self.model,
            "ANTHROPIC_SMALL_FAST_MODEL": self.small_model,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        if self.timeout_ms is not None:
            variables["API_TIMEOUT_MS"] = str(self.timeout_ms)
        return variables


def endpoint_label(name: str, kind: EndpointKind, model: str) -> str:
    """Return the display name of the endpoint in use: its profile and model."""
    if kind == "offline":
        return tr("offline engine · no AI model")
    shown = tr("environment") if name == ENVIRONMENT else name
    return f"{shown} · {model}" if model else shown


def profile_names() -> list[str]:
    """Return the available profiles, the built-in one last."""
    return [*read_profiles(dogent_home() / "claude.json")[0], OFFLINE]


def choose_endpoint(
    settings: WorkspaceSettings,
    home: Path,
    *,
    override: str | None = None,
) -> tuple[Endpoint, list[ConfigWarning]]:
    """Return the endpoint to use, and warnings about why another was not used. Never raises.

    `override` is a profile named on the command line; it takes precedence over the one of
    `settings`, and that over the one of the home. An unusable named profile leads to the offline
    engine, not to the next available key: the user would not know who reads the documents.
    """
    own, warnings = load_home_settings(home)
    wanted = (override or settings.profile or own.profile).strip()
    if wanted == OFFLINE:
        return _offline(tr("You chose the built-in offline engine.")), warnings
    profiles, more = read_profiles(home / "claude.json")
    warnings += more
    if wanted and wanted != ENVIRONMENT:
        own_file = display_path(home / "dogent.json")
        chosen_in = "" if override else ".dogent/dogent.json" if settings.profile else own_file
        endpoint = _named(wanted, profiles, home, warnings, chosen_in)
    else:
        endpoint = _from_environment(warnings)
        if endpoint is None:
            _hint_at_profiles(profiles, warnings)
    return endpoint or _offline(_why_offline(wanted)), warnings


def _offline(source: str) -> Endpoint:
    return Endpoint(OFFLINE, "offline", source=source)


def _why_offline(wanted: str) -> str:
    if wanted:
        return tr(
            "The built-in offline engine, because the profile {wanted} can't be used.",
            wanted=wanted,
        )
    return tr(
        "The built-in offline engine, because no profile is chosen and the environment has no"
        " usable key."
    )


def _named(
    wanted: str,
    profiles: Mapping[str, Json],
    home: Path,
    warnings: list[ConfigWarning],
    chosen_in: str,
) -> Endpoint | None:
    file = home / "claude.json"
    data = profiles.get(wanted)
    if data is None:
        fix = tr("Fix the profile in {file}, or choose one with /profile.", file=chosen_in)
        remedy = fix if chosen_in else tr("Choose one with /profile.")
        warnings.append(no_profile(wanted, profiles, file, remedy))
        return None
    return profile_endpoint(wanted, data, file, warnings)


def profile_endpoint(
    name: str,
    data: Json,
    file: Path,
    warnings: list[ConfigWarning],
) -> Endpoint | None:
    """Return the endpoint of the profile `name` of `file`, None if it is unusable; `warnings` then
    says why.
    """
    usable, wrong = checked(data, LlmProfile, file, ("profiles", name))
    warnings += wrong
    return _endpoint(
        _Origin(
            name,
            tr("The profile {name}", name=name),
            tr("in {file}", file=display_path(file)),
            display_path(file),
        ),
        usable,
        warnings,
    )


def environment_endpoint() -> Endpoint | None:
    """Return the endpoint of the environment variables, None if there is none."""
    return _from_environment([])


def _from_environment(warnings: list[ConfigWarning]) -> Endpoint | None:
    names = ("ANTHROPIC_BASE_URL", *_KEY_NAMES, _OAUTH)
    if not any(os.environ.get(name, "").strip() for name in names):
        return None
    return _endpoint(
        _Origin(ENVIRONMENT, tr("The environment"), tr("(ANTHROPIC_… variables)")),
        os.environ,
        warnings,
    )


class _Origin(Record):
    """The words for an endpoint: its name, its name in a sentence, and its place."""

    name: str
    who: str
    place: str
    file: str = ""


def _endpoint(of: _Origin, data: Json, warnings: list[ConfigWarning]) -> Endpoint | None:
    """Return the endpoint described by `data`, None if it is unusable; append the reasons to
    `warnings`.
    """
    name, who = of.name, of.who
    url = _text(data, "ANTHROPIC_BASE_URL") or ANTHROPIC_URL
    if problem := check_url(url):
        warnings.append(
            ConfigWarning(
                tr("{who} has an endpoint that {problem}.", who=who, problem=problem),
                tr("Fix ANTHROPIC_BASE_URL."),
                "profile_bad_url",
            )
        )
        return None
    ours = is_anthropic(url)
    try:
        keys = {key: revealed(data.get(key)) for key in _KEY_NAMES}
        # Claude Code's login token is for Anthropic: no other endpoint gets it. A profile does not
        # contain one.
        keys[_OAUTH] = revealed(data.get(_OAUTH)) if ours and name == ENVIRONMENT else ""
    except ConfigError as error:
        warnings.append(
            ConfigWarning(
                tr(
                    "{who} has no key for {url}: {message}", who=who, url=url, message=error.message
                ),
                error.remedy,
                "profile_no_secret",
            )
        )
        return None
    server = _server(data) if name != ENVIRONMENT else None
    if not (any(keys.values()) or server):
        warnings.append(_no_key_warning(who, name, url))
        return None
    if sends_keys_in_clear(url):
        message = tr(
            "{who} sends its key and your documents to {url} unencrypted.", who=who, url=url
        )
        warnings.append(
            ConfigWarning(
                message, tr("Use an https address if the endpoint has one."), "profile_clear_text"
            )
        )
    return Endpoint(
        name=name,
        kind="local" if server else "anthropic" if ours else "custom",
        base_url=url,
        token=keys["ANTHROPIC_AUTH_TOKEN"],
        api_key=keys["ANTHROPIC_API_KEY"],
        oauth_token=keys[_OAUTH],
        model=_text(data, "ANTHROPIC_MODEL"),
        small_model=_text(data, "ANTHROPIC_SMALL_FAST_MODEL"),
        timeout_ms=_timeout(data, who, warnings),
        source=tr("{endpoint}.", endpoint=f"{who} {of.place}".rstrip()),
        server=server,
        file=of.file,
        key_remedy=_key_remedy(of, data, keys),
    )


def _key_remedy(of: _Origin, data: Json, keys: Mapping[str, str]) -> str:
    """Return how to give the endpoint another key, at the place where its current one is."""
    name = next((name for name, key in keys.items() if key), "ANTHROPIC_AUTH_TOKEN")
    lies = reference(_text(data, name)) if of.file else None
    if lies is not None and lies.store == "keyring":
        return tr(
            "Its key comes from the keyring: run keyring set {service} {entry}, and start"
            " dogent-tui again.",
            service=KEYRING_SERVICE,
            entry=lies.name,
        )
    if lies is not None or not of.file:
        return tr(
            "Its key comes from your environment: set {variable} to a valid one, and start"
            " dogent-tui again.",
            variable=lies.name if lies is not None else name,
        )
    return tr(
        "Put a valid key into {name} of profile “{profile}” in {file}: /settings.",
        name=name,
        profile=of.name,
        file=of.file,
    )


def _server(data: Json) -> ServerKind | None:
    named = _text(data, "DOGENT_LOCAL_SERVER")
    return next((kind for kind in get_args(ServerKind) if kind == named), None)


def _no_key_warning(who: str, name: str, url: str) -> ConfigWarning:
    if name == ENVIRONMENT:
        remedy = tr(
            "Set ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY (to any word if the endpoint needs"
            " none)."
        )
    else:
        remedy = tr(
            "Set ANTHROPIC_AUTH_TOKEN in /settings or claude.json (to any word if the endpoint"
            " needs none)."
        )
    return ConfigWarning(
        tr("{who} has no key for {url}.", who=who, url=url), remedy, "profile_no_key"
    )


def _hint_at_profiles(profiles: Mapping[str, Json], warnings: list[ConfigWarning]) -> None:
    """Tell a user who filled in a profile, but chose none, how to choose it."""
    usable = [
        name
        for name, data in profiles.items()
        if not all(is_missing(data.get(key)) for key in _KEY_NAMES)
    ]
    if usable:
        message = tr(
            "No profile is chosen for this workspace; you have {usable}.", usable=", ".join(usable)
        )
        warnings.append(
            ConfigWarning(
                message,
                tr(
                    "Switch to it with /profile {usable}, or permanently in /settings; or start"
                    " with --profile {usable}.",
                    usable=usable[0],
                ),
                "profile_not_chosen",
            )
        )


def _text(data: Json, key: str) -> str:
    value = data.get(key, "")
    return value.strip() if isinstance(value, str) else ""


_Milliseconds = Annotated[int, msgspec.Meta(gt=0, lt=2**31)]


def _timeout(data: Json, who: str, warnings: list[ConfigWarning]) -> int | None:
    value = data.get("API_TIMEOUT_MS")
    if value is None or value == "":
        return None
    with suppress(ValueError):
        plain = value.strip() if isinstance(value, str) else value
        return msgspec.convert(plain, _Milliseconds, strict=False)
    message = tr(
        "API_TIMEOUT_MS should be a whole number of milliseconds, but {first}{rest} has something"
        " else.",
        first=who[0].lower(),
        rest=who[1:],
    )
    warnings.append(ConfigWarning(message, tr("Its default is used."), "config_wrong_type"))
    return None
