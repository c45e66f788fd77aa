"""Which profile of ``web.json`` searches for us, and what the user's own ``dogent.json`` allows
of the web.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.errors import ConfigError
from dogent_tui.language import tr
from dogent_tui.settings import config_models
from dogent_tui.settings.config_check import ConfigWarning, checked, meant_profile, read_profiles
from dogent_tui.settings.endpoint_url import check_url, sends_keys_in_clear
from dogent_tui.settings.secrets import is_missing, revealed
from dogent_tui.settings.values import load_home_settings
from dogent_tui.storage.paths import display_path
from dogent_tui.web.model import WebError

WEB_FILE = "web.json"

NATIVE = "default"
"""The `web_profile` by which a workspace says that it wants the agent's native tools; so does an
empty one.
"""

DEFAULT_TIMEOUT_S = 20.0


class WebProfile(msgspec.Struct, frozen=True):
    """One way to search. What is missing or still a placeholder is empty. `file` is where it
    stands, as it is shown.
    """

    name: str
    provider: str
    api_key: str = ""
    cse_id: str = ""
    endpoint: str = ""
    timeout_s: float = DEFAULT_TIMEOUT_S
    file: str = ""

    def __repr__(self) -> str:
        """Name the profile without its key, which no log and no traceback may hold."""
        return f"WebProfile(name={self.name!r}, provider={self.provider!r})"


class WebAccess(msgspec.Struct, frozen=True):
    """What a session may do on the web. Without a `profile` it is left to the agent's native tools.

    `allow_hosts` are the private hosts that the user allowed for good, each exactly; `proxy` is the
    address of one that they configured on purpose.
    """

    profile: WebProfile | None = None
    allow_hosts: tuple[str, ...] = ()
    proxy: str = ""


def read_access(wanted: str, home: Path) -> tuple[WebAccess, list[ConfigWarning]]:
    """Return what may be done in a workspace whose `web_profile` is `wanted`, and a warning for
    each thing that is not right.
    """
    profile, warnings = choose_profile(wanted, home)
    allow_hosts, proxy = _own_settings(home, warnings)
    return WebAccess(profile, allow_hosts, proxy), warnings


def choose_profile(wanted: str, home: Path) -> tuple[WebProfile | None, list[ConfigWarning]]:
    """Return the profile called `wanted`; None where it is empty or ``default``, or not there,
    which is a warning. Never raises.

    A profile without its key is returned all the same: searching then says what to do.
    """
    wanted = wanted.strip()
    if wanted in ("", NATIVE):
        return None, []
    warnings: list[ConfigWarning] = []
    try:
        return find_profile(wanted, home, warnings), warnings
    except WebError as error:
        remedy = tr(
            "{remedy} Until then, the agent uses its built-in web tools.", remedy=error.remedy
        )
        return None, [*warnings, ConfigWarning(error.message, remedy, "web_profile_unknown")]


def find_profile(name: str, home: Path, warnings: list[ConfigWarning]) -> WebProfile:
    """Return the profile called `name`, and add to `warnings` what is not right. Raises WebError
    (`no_profile`).
    """
    file = home / WEB_FILE
    profiles, found = read_profiles(file)
    warnings += found
    data = profiles.get(name)
    if data is None:
        known = meant_profile(name, profiles)
        message = tr("There is no profile {name} in {file}.", name=name, file=display_path(file))
        raise WebError(
            message,
            tr("{known} Fix web_profile in .dogent/dogent.json, or add the profile.", known=known),
            code="no_profile",
        )
    profile = web_profile(name, data, file, warnings)
    if profile.api_key and sends_keys_in_clear(profile.endpoint):
        message = tr(
            "The profile {name} in {file} sends its key and your searches to {endpoint}"
            " unencrypted.",
            name=name,
            file=file.name,
            endpoint=profile.endpoint,
        )
        warnings.append(
            ConfigWarning(
                message, tr("Use an https address if the endpoint has one."), "profile_clear_text"
            )
        )
    return profile


def web_profile(
    name: str,
    data: Mapping[str, Any],
    file: Path,
    warnings: list[ConfigWarning],
) -> WebProfile:
    """Return the profile `name` of `file` as `data` describes it, and add to `warnings` what is
    not right.
    """
    usable, wrong = checked(data, config_models.WebProfile, file, ("profiles", name))
    warnings += wrong
    texts = {}
    for key in ("provider", "api_key", "cse_id", "endpoint"):
        value = usable.get(key, "")
        try:
            texts[key] = "" if is_missing(value) else revealed(value) if key in _SECRETS else value
        except ConfigError as error:
            texts[key] = ""
            message = tr(
                "The profile {name} in {file} has no {key}: {message}",
                name=name,
                file=file.name,
                key=key,
                message=error.message,
            )
            warnings.append(ConfigWarning(message, error.remedy, "profile_no_secret"))
    return WebProfile(
        name, timeout_s=usable.get("timeout_s", DEFAULT_TIMEOUT_S), file=display_path(file), **texts
    )


_SECRETS = config_models.secret_keys(config_models.WebProfile)


def _own_settings(home: Path, warnings: list[ConfigWarning]) -> tuple[tuple[str, ...], str]:
    """Return `web_allow_hosts` and `web_proxy` of the user's own settings. Those of a workspace
    have no say in either.
    """
    file = home / "dogent.json"
    own, wrong = load_home_settings(home)
    warnings += wrong
    return _allowed(own.web_allow_hosts, file, warnings), _proxy(own.web_proxy, file, warnings)


def _allowed(value: Any, file: Path, warnings: list[ConfigWarning]) -> tuple[str, ...]:
    if not value:
        return ()
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        warnings.append(
            _wrong(
                tr('"web_allow_hosts" in {file} should be a list of hosts.', file=file.name),
                file,
            )
        )
        return ()
    from dogent_tui.web.address import host_and_port

    for entry in value:
        if host_and_port(entry) is None:
            message = tr(
                "{entry} in web_allow_hosts is not an exact host: patterns and networks are not"
                " allowed.",
                entry=entry,
            )
            warnings.append(
                _wrong(
                    message,
                    file,
                    tr("List each host or address separately in {file}, with or without a port."),
                )
            )
    return tuple(entry for entry in value if host_and_port(entry) is not None)


def _proxy(value: Any, file: Path, warnings: list[ConfigWarning]) -> str:
    if not value:
        return ""
    if isinstance(value, str):
        problem = check_url(value.strip())
        if not problem:
            return value.strip()
        warnings.append(_wrong(tr("web_proxy {problem}; it is not used.", problem=problem), file))
        return ""
    warnings.append(
        _wrong(
            tr(
                '"web_proxy" in {file} should be an address such as http://127.0.0.1:3128.',
                file=file.name,
            ),
            file,
        )
    )
    return ""


def _wrong(message: str, file: Path, remedy: str = "") -> ConfigWarning:
    """Return the warning; `remedy` has a place for the name of the file."""
    remedy = remedy or tr("Fix it in {file}.")
    return ConfigWarning(message, remedy.format(file=display_path(file)), "config_wrong_type")
