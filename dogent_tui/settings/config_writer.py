"""Changes single values of a configuration file; everything else in it is kept, even if unknown to
this version.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dogent_tui.errors import ConfigError
from dogent_tui.language import tr
from dogent_tui.records import at
from dogent_tui.settings.own_files import OwnChange, plan_change
from dogent_tui.storage.files import (
    atomic_write,
    content_of,
    json_text,
    locked,
    private_folder,
    read_json,
)
from dogent_tui.storage.json_lines import KeyPath
from dogent_tui.storage.paths import display_path

_MOST_TRIES = 10


def plan_values(file: Path, changes: Mapping[KeyPath, Any]) -> OwnChange:
    """Return the change to `file` that sets only the values at the paths in `changes`; None removes
    a key.

    A broken file is first set aside, and a new one begun. Raises OSError if that fails, or if it
    cannot be read.
    """
    data, broken = read_json(file)
    if broken and broken.kept_as is None:
        raise PermissionError(f"{file}: {broken.reason}")  # otherwise its content would be lost
    for path, value in changes.items():
        data = _with(data, path, value)
    return plan_change(file, json_text(data))


def write_home_values(file: Path, changes: Mapping[KeyPath, Any]) -> None:
    """Apply `changes` to a `file` of the user's own folder; a new one is readable only by the user.
    A link is followed.

    Raises OSError, and DogentError if another window holds the file.
    """
    target = Path(os.path.realpath(file))
    private_folder(target.parent)
    with locked(target):
        for _ in range(_MOST_TRIES):  # an editor may write it in the meantime
            change = plan_values(target, changes)
            if content_of(target) == change.before:
                atomic_write(target, change.after, mode=0o600)
                return
    raise ConfigError(
        tr("{file} keeps changing.", file=display_path(file)),
        tr("Close the program that writes it, and try again."),
    )


def _with(data: Mapping[str, Any], path: KeyPath, value: Any) -> dict[str, Any]:
    """Return `data` with `value` at `path`."""
    key, *rest = path
    if rest:
        value = _with(at(data, dict, key), tuple(rest), value)
    elif value is None:
        return {name: held for name, held in data.items() if name != key}
    return {**data, key: value}
