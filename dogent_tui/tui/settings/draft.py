"""A draft of the settings: the files as they are, with unsaved changes. Independent of the
screen.
"""

import re
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal

import msgspec

from dogent_tui.language import tr
from dogent_tui.records import JsonDict, Record
from dogent_tui.settings.config_check import SCHEMA_KEY, expected
from dogent_tui.settings.config_models import PROFILE_MODELS
from dogent_tui.settings.endpoint_url import check_url
from dogent_tui.settings.profiles import ENVIRONMENT, OFFLINE
from dogent_tui.settings.secrets import is_missing, reference
from dogent_tui.settings.values import HomeSettings, WorkspaceSettings
from dogent_tui.storage.files import read_json
from dogent_tui.storage.json_lines import KeyPath
from dogent_tui.storage.paths import Workspace, display_path

_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")
"""A user name and password in an address. They cannot be entered here, but a file may contain
them.
"""

Kind = Literal["switch", "choice", "text", "secret", "number", "address", "folder", "key"]


class Setting(Record):
    """One value of a file. `default` applies if the file does not set it; `unset` is the text for
    that.

    `words` are the values of a fixed choice, each with its label.
    """

    file: Path
    path: KeyPath
    label: str
    kind: Kind
    about: str = ""
    unset: str = ""
    default: Any = ""
    words: Sequence[tuple[str, str]] = ()

    @property
    def id(self) -> str:
        """Its unique id among the settings on a screen."""
        return ":".join((str(self.file), *self.path))


class SettingsDraft:
    """The settings of one workspace and of the user, with unsaved changes.

    `changes` is by file; None removes the key. Nothing is written here.
    """

    def __init__(self, workspace: Workspace, home: Path) -> None:
        """Read the files. A broken one is set aside, as at every start."""
        self.workspace = workspace
        self.home = home
        self.changes: dict[Path, dict[KeyPath, Any]] = {}
        self._data: dict[Path, JsonDict] = {}

    def value(self, setting: Setting) -> Any:
        """Return the value of the setting including unsaved changes, or its default."""
        value = _at(self._will_hold(setting.file), setting.path)
        return setting.default if value is None else value

    def is_set(self, setting: Setting) -> bool:
        """Whether the file sets it, including unsaved changes."""
        return _at(self._will_hold(setting.file), setting.path) is not None

    def is_changed(self, setting: Setting) -> bool:
        """Whether it has an unsaved change."""
        return setting.path in self.changes.get(setting.file, {})

    def put(self, setting: Setting, value: Any) -> None:
        """Change a setting. Its default is not written if the file does not mention it."""
        self.set(setting.file, setting.path, value)
        if value == setting.default and _at(self._holds(setting.file), setting.path) is None:
            self.set(setting.file, setting.path, None)

    def set(self, file: Path, path: KeyPath, value: Any) -> None:
        """Change a value; None removes it. Restoring the original value is no change."""
        changes = self.changes.setdefault(file, {})
        changes.pop(path, None)
        if value != _at(self._holds(file), path):
            changes[path] = value
        if not changes:
            del self.changes[file]

    def profiles(self, file: Path) -> list[str]:
        """Return the names of the profiles in `file`, including unsaved ones."""
        profiles = self._will_hold(file).get("profiles")
        if not isinstance(profiles, dict):
            return []
        return [name for name, data in profiles.items() if isinstance(data, dict)]

    def profile(self, file: Path, name: str) -> JsonDict:
        """Return the profile including unsaved changes and keys, for testing only, never for
        display.
        """
        data = _at(self._will_hold(file), ("profiles", name))
        return dict(data) if isinstance(data, dict) else {}

    def remove_profile(self, file: Path, name: str) -> None:
        """Remove a profile, with its unsaved changes."""
        changes = self.changes.get(file, {})
        for path in [path for path in changes if path[:2] == ("profiles", name)]:
            del changes[path]
        if not changes:
            self.changes.pop(file, None)
        if name in self.profiles(file):
            self.changes.setdefault(file, {})[("profiles", name)] = None

    def _will_hold(self, file: Path) -> JsonDict:
        """Return the content of the file with the changes."""
        data = deepcopy(self._holds(file))
        for (*above, key), value in self.changes.get(file, {}).items():
            place = data
            for name in above:
                if not isinstance(place.get(name), dict):
                    place[name] = {}
                place = place[name]
            if value is None:
                place.pop(key, None)
            else:
                place[key] = value
        return data

    def _holds(self, file: Path) -> JsonDict:
        if file not in self._data:
            self._data[file] = read_json(file)[0]
        return self._data[file]


def _at(data: Any, path: KeyPath) -> Any:
    """Return the value at `path`, None if there is none."""
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def place_of(file: Path, workspace: Workspace) -> str:
    """Return `file` as shown to the user: relative to the folder if it is inside."""
    return workspace.relative(file) if file == workspace.settings_file else display_path(file)


def shown(setting: Setting, draft: SettingsDraft) -> str:
    """Return the value for display. A key is shown as dots or as the variable it comes from; an
    invalid text is shown unchanged.
    """
    value = draft.value(setting)
    if setting.kind == "switch":
        return tr("on") if value is True else tr("off")
    if setting.kind == "secret":
        if is_missing(value):
            return tr("not set")
        return str(value).strip() if reference(str(value)) else "••••••••"
    if value in ("", None):
        return setting.unset or tr("not set")
    text = dict(setting.words).get(str(value), str(value))
    return _USERINFO.sub("••••@", text) if setting.kind == "address" else text


def typed_value(setting: Setting, text: str, draft: SettingsDraft) -> tuple[Any, str]:
    """Return the value for `text` (None removes the setting), and what is wrong with it as a
    sentence, or an empty string.
    """
    text = text.strip()
    if not text:
        return None, ""
    value: Any = text
    if setting.kind == "number":
        number = text.replace(",", ".")
        try:
            value = int(number) if number.lstrip("-").isdigit() else float(number)
        except ValueError:
            return None, tr("This should be a number.")
    if setting.kind == "address" and (problem := check_url(text)):
        return None, tr("This can't be used: it {problem}.", problem=problem)
    if setting.kind == "folder" and not draft.workspace.contains(text):
        return None, tr("This folder would be outside the workspace.")
    kind = _type(setting)
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return None, tr("This should be {wanted}.", wanted=expected(kind))
    return value, ""


def name_problem(name: str, file: Path, draft: SettingsDraft) -> str:
    """Return why a new profile of `file` cannot be called `name`, or an empty string."""
    if not name:
        return tr("A profile needs a name.")
    if name in draft.profiles(file):
        return tr("There is already a profile {name}.", name=name)
    if name in (OFFLINE, ENVIRONMENT, "default", SCHEMA_KEY):
        return tr("{name} is reserved; choose another name.", name=name)
    return (
        ""
        if name.isprintable() and len(name) <= 40
        else tr("Choose a short name without control characters.")
    )


def _type(setting: Setting) -> Any:
    """Return the type of the value according to the model."""
    if setting.path[0] == "profiles":
        models: tuple[type[msgspec.Struct], ...] = (PROFILE_MODELS[setting.file.name],)
    else:
        models = (HomeSettings, WorkspaceSettings) if len(setting.path) == 1 else (HomeSettings,)
    types = {
        field.encode_name: field.type for model in models for field in msgspec.structs.fields(model)
    }
    return types.get(setting.path[-1], str)
