"""The permissions of files that contain keys."""

import shlex
import stat
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.records import at
from dogent_tui.settings.config_check import ConfigWarning
from dogent_tui.settings.config_models import PROFILE_MODELS, secret_keys
from dogent_tui.settings.secrets import is_missing, reference
from dogent_tui.storage.files import read_json

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def open_to_others(file: Path) -> list[ConfigWarning]:
    """Return a warning if `file`, one of `PROFILE_MODELS`, contains a key and others can read or
    change it. Never raises.

    The mode is checked first: the file is only opened if it is too permissive.
    """
    try:
        mode = stat.S_IMODE(file.stat().st_mode)
    except OSError:
        return []
    if not mode & _OTHERS or not _holds_a_key(file):
        return []
    message = tr(
        "{file} contains keys, and other users of this computer may be able to read or change it"
        " (its mode is {mode:o}).",
        file=file.name,
        mode=mode,
    )
    return [
        ConfigWarning(
            message,
            tr("Run: chmod 600 {file}", file=shlex.quote(str(file))),
            "key_file_open",
        )
    ]


def key_file_warnings(home: Path) -> list[ConfigWarning]:
    """Return the warnings about the files with keys in the folder `home`."""
    return [warning for name in PROFILE_MODELS for warning in open_to_others(home / name)]


def _holds_a_key(file: Path) -> bool:
    profiles = at(read_json(file, moves=False)[0], dict, "profiles")
    names = secret_keys(PROFILE_MODELS[file.name])
    keys = (at(profile, str, name) for profile in profiles.values() for name in names)
    return any(not is_missing(key) and reference(key) is None for key in keys)
