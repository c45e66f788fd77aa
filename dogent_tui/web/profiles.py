"""Which profile of ``web.json`` searches for us, and what the user's own ``dogent.json`` allows on
the web.
"""

from pathlib import Path

from dogent_tui.errors import ConfigError
from dogent_tui.language import tr
from dogent_tui.records import Json, Record
from dogent_tui.settings import config_models
from dogent_tui.settings.config_check import ConfigWarning, checked, no_profile, read_profiles
from dogent_tui.settings.endpoint_url import check_url, sends_keys_in_clear
from dogent_tui.settings.secrets import is_missing, revealed
from dogent_tui.settings.values import load_home_settings
from dogent_tui.storage.paths import display_path
from dogent_tui.web.model import WebError

WEB_FILE = "web.json"

NATIVE = "default"
"""The `web_profile` with which a workspace chooses the agent's native tools, like an empty one."""


class WebProfile(config_models.WebProfile, kw_only=True):
    """A way to search, called `name`. Missing values and placeholders are empty. `file` is its
    file, for display.
    """

    name: str
    file: str = ""


class WebAccess(Record):
    """What a session may do on the web. Without a `profile`, the agent's native tools are used.

    `allow_hosts` are the private hosts that the user allowed permanently, each exact; `proxy` is
    the address of a deliberately configured one.
    """

    profile: WebProfile | None = None
    allow_hosts: tuple[str, ...] = ()
    proxy: str = ""


def read_access(wanted: str, home: Path) -> tuple[WebAccess, list[ConfigWarning]]:
    """Return the web settings of a workspace whose `web_profile` is `wanted`, and a warning for
    each problem.
    """
    profile, warnings = choose_profile(wanted, home)
    allow_hosts, proxy = _own_settings(home, warnings)
    return WebAccess(profile, allow_hosts, proxy), warnings


def choose_profile(wanted: str, home: Path) -> tuple[WebProfile | None, list[ConfigWarning]]:
    """Return the profile named `wanted`; None if it is empty or ``default``, or missing, which is a
    warning. Never raises.

    A profile without a key is returned anyway: searching then says what to do.
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
    """Return the profile named `name`, and append problems to `warnings`. Raises WebError
    (`no_profile`).
    """
    file = home / WEB_FILE
    profiles, found = read_profiles(file)
    warnings += found
    data = profiles.get(name)
    if data is None:
        remedy = tr("Fix web_profile in .dogent/dogent.json, or add the profile.")
        wrong = no_profile(name, profiles, file, remedy)
        raise WebError(wrong.message, wrong.remedy, code="no_profile")
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
    data: Json,
    file: Path,
    warnings: list[ConfigWarning],
) -> WebProfile:
    """Return the profile `name` of `file` as described by `data`, and append problems to
    `warnings`.
    """
    usable, wrong = checked(data, config_models.WebProfile, file, ("profiles", name))
    warnings += wrong
    texts = {}
    for key in ("provider", "api_key", "cse_id", "endpoint"):
        value = usable.get(key, "")
        try:
            texts[key] = revealed(value) if key in _SECRETS or is_missing(value) else value
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
    return WebProfile(name=name, file=display_path(file), **usable | texts)


_SECRETS = config_models.secret_keys(config_models.WebProfile)


def _own_settings(home: Path, warnings: list[ConfigWarning]) -> tuple[tuple[str, ...], str]:
    """Return `web_allow_hosts` and `web_proxy` of the user's own settings. A workspace's settings
    have no influence on either.
    """
    from dogent_tui.web.address import host_and_port

    file = home / "dogent.json"
    own, wrong = load_home_settings(home)
    warnings += wrong
    wild = [entry for entry in own.web_allow_hosts if host_and_port(entry) is None]
    for entry in wild:
        message = tr(
            "{entry} in web_allow_hosts is not an exact host: patterns and networks are not"
            " allowed.",
            entry=entry,
        )
        remedy = tr("List each host or address separately in {file}, with or without a port.")
        warnings.append(_wrong(message, file, remedy))
    allowed = tuple(entry for entry in own.web_allow_hosts if entry not in wild)
    problem = check_url(own.web_proxy) if own.web_proxy else ""
    if problem:
        message = tr("web_proxy {problem}; it is not used.", problem=problem)
        warnings.append(_wrong(message, file, tr("Fix it in {file}.")))
    return allowed, "" if problem else own.web_proxy


def _wrong(message: str, file: Path, remedy: str) -> ConfigWarning:
    """Return the warning; `remedy` has a slot for the name of the file."""
    return ConfigWarning(message, remedy.format(file=display_path(file)), "config_wrong_type")
