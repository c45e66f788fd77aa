"""The user's own configuration files under ``~/.dogent``, made on the first run as stubs to fill
in: copies of those in `home_stubs`.
"""

import os
from pathlib import Path

from dogent_tui.errors import ConfigError
from dogent_tui.language import tr
from dogent_tui.storage.files import private_folder

STUBS = Path(__file__).parent / "home_stubs"
"""What new files hold. Where a key belongs stands `secrets.PLACEHOLDER`."""


def ensure_home_files(home: Path) -> None:
    """Make those of the files that are not there yet, readable by the user only. What is there,
    even a link, stays.

    Raises ConfigError if the folder cannot be written.
    """
    try:
        private_folder(home)
        for stub in STUBS.iterdir():
            _create(home / stub.name, stub)
    except OSError as error:
        raise ConfigError(
            tr(
                "The folder {home} for your profiles is not writable: {strerror}.",
                home=home,
                strerror=(error.strerror or str(error)).lower(),
            ),
            tr("Fix its permissions, or set DOGENT_HOME to another folder."),
        ) from error


def _create(path: Path, stub: Path) -> None:
    try:
        # O_EXCL, not a look beforehand: two first runs at the same time, or a user's editor, lose
        # nothing.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "wb") as file:
        file.write(stub.read_bytes())
        file.flush()
        os.fsync(descriptor)
