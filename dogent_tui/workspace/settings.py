"""The settings of a workspace, ``.dogent/dogent.json``: read forgivingly, written without losing what is not understood."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import fields

from dogent_tui.workspace.files import BrokenFile, json_text, read_json
from dogent_tui.workspace.own_files import OwnChange, plan_change
from dogent_tui.workspace.paths import Workspace


class ConfigWarning(msgspec.Struct, frozen=True):
    """Something in the configuration that is not as it should be. The work goes on without it.

    `message` and `remedy` are sentences; `code` names the case for programs. None of them holds a key.
    """

    message: str
    remedy: str = ""
    code: str = ""

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()


class WorkspaceSettings(msgspec.Struct, frozen=True):
    """What a workspace chose. An empty text means: not chosen.

    `sandbox` has the agent's commands run behind a second wall; a workspace can ask for it, since it only narrows.
    `review_edits` has the person review every change of a file before it is written.
    `ignored_folders` are left out when Markdown files are searched: names, or paths from the root on with a ``/``.
    `extra` holds the keys that this version does not know; they are kept when the settings are saved.
    """

    profile: str = ""
    web_profile: str = ""
    vision_profile: str = "glm-4.6v"
    images_path: str = "./images"
    doc_template: str = ""
    primary_language: str = ""
    learn_auto: bool = True
    theme: str = ""
    sandbox: bool = False
    review_edits: bool = False
    ignored_folders: tuple[str, ...] = ()
    extra: Mapping[str, Any] = msgspec.field(default_factory=dict)


_EXPECTED = {bool: "true or false", str: "a text in quotes", tuple: "a list of texts in quotes"}
_DEFAULTS = {f.name: f.default for f in fields(WorkspaceSettings) if f.name != "extra"}

KNOWN_KEYS = tuple(_DEFAULTS)
"""The keys of ``dogent.json``."""


def load_settings(workspace: Workspace) -> tuple[WorkspaceSettings, list[ConfigWarning]]:
    """Return the settings of `workspace`, and a warning for each thing in the file that could not be used. Never raises."""
    file = workspace.settings_file
    empty: dict[str, Any] = {}
    data, broken = read_json(file, empty)
    warnings = [broken_file_warning(broken)] if broken else []
    known: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in data.items():
        if key not in KNOWN_KEYS:
            extra[key] = value
            warnings.append(unknown_key_warning(file, key, KNOWN_KEYS))
        elif value is not None:  # null: not chosen
            _take(known, key, value, file, warnings)
    return WorkspaceSettings(**known, extra=extra), warnings


def wants_sandbox(settings: WorkspaceSettings, home: Path, warnings: list[ConfigWarning]) -> bool:
    """Return whether the workspace or the user's own ``dogent.json`` asks for the sandbox; neither can switch off the other's.

    What of the user's file could not be used is added to `warnings`.
    """
    empty: dict[str, Any] = {}
    file = home / "dogent.json"
    data, broken = read_json(file, empty)
    if broken:
        warnings.append(broken_file_warning(broken))
    known: dict[str, Any] = {}
    if "sandbox" in data:
        _take(known, "sandbox", data["sandbox"], file, warnings)
    return settings.sandbox or bool(known.get("sandbox"))


def _take(known: dict[str, Any], key: str, value: Any, file: Path, warnings: list[ConfigWarning]) -> None:
    """Put `value` into `known` if it is of the type that `key` has."""
    default = _DEFAULTS[key]
    if isinstance(default, tuple) and isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        known[key] = tuple(value)
    elif type(value) is not type(default):
        expected = _EXPECTED[type(default)]
        warnings.append(
            ConfigWarning(
                f'"{key}" in {file.name} should be {expected}; its default is used.',
                f"Correct it in {file}.",
                "config_wrong_type",
            )
        )
    else:
        known[key] = value.strip() if isinstance(value, str) else value


def plan_settings(workspace: Workspace, changes: Mapping[str, Any]) -> OwnChange:
    """Return the change to the file of `workspace` that sets the keys in `changes` and nothing else; None removes a key.

    A broken file is set aside first, and begun anew. Raises OSError where it cannot be, or cannot be read.
    """
    file = workspace.settings_file
    empty: dict[str, Any] = {}
    data, broken = read_json(file, empty)
    if broken and broken.kept_as is None:
        raise PermissionError(f"{file}: {broken.reason}")  # else what it holds would be lost
    merged = {key: value for key, value in {**data, **changes}.items() if value is not None or key not in changes}
    return plan_change(file, json_text(merged))


def broken_file_warning(broken: BrokenFile) -> ConfigWarning:
    """Return the warning that says what happened to a broken configuration file."""
    return ConfigWarning(broken.message, broken.remedy, "config_broken")


def unknown_key_warning(file: Path, key: str, known: Iterable[str], where: str = "") -> ConfigWarning:
    """Return the warning about `key` in `file`, which names the nearest of the `known` ones. `where` is a place in the file."""
    near = nearest(key, known)
    remedy = f'Did you mean "{near}"? It was kept.' if near else "It was kept; remove it if nothing else needs it."
    return ConfigWarning(f'"{key}"{where} in {file.name} is not a key that dogent-tui knows.', remedy, "config_unknown_key")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the one of `known` that `name` was most likely meant to be, empty if none is near."""
    from difflib import get_close_matches  # on use: only mistakes need it

    by_lower = {candidate.lower(): candidate for candidate in known}
    found = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else ""
