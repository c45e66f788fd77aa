"""The wall of macOS: `sandbox-exec` with a profile, and `clonefile` for the copy of the workspace.

Written from the documentation and never run: `probe` does not choose it until a test on macOS has
proven it.
"""

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

_HEAD = """\
(version 1)
(deny default)
(allow process-exec process-fork sysctl-read file-read-metadata)
(allow signal (target same-sandbox))
(allow file-read-data file-write-data
    (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-read-data (literal "/dev/random") (literal "/dev/urandom"))
"""
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/System", "/Library", "/opt", "/private/etc",
    "/private/var/db/timezone",
)  # fmt: skip


def profile(readable: Iterable[Path], writable: Iterable[Path], *, network: bool = False) -> str:
    """Return the profile for a command that reads the system and `readable`, and writes only below
    `writable`.
    """
    places: list[Path | str] = [*writable]
    read = (*_SYSTEM, *readable, *places)
    lines = [f"(allow file-read* (subpath {_quoted(place)}))" for place in read]
    lines += [f"(allow file-write* (subpath {_quoted(place)}))" for place in places]
    if network:
        lines.append('(allow network-outbound (remote ip "*:*"))')
    return _HEAD + "\n".join(lines) + "\n"


def command(profile: str, argv: list[str]) -> list[str]:
    """Return the command line that runs `argv` behind the profile."""
    return ["/usr/bin/sandbox-exec", "-p", profile, *argv]


def clone(source: str, target: str) -> None:
    """Copy a file, sharing its blocks. Raises OSError if the file system cannot."""
    call = ctypes.CDLL(None, use_errno=True).clonefile
    if call(os.fsencode(source), os.fsencode(target), 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _quoted(place: Path | str) -> str:
    escaped = str(place).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
