"""The exceptions a user may see: each is a sentence about what happened, and a remedy."""

import errno
import os
import re
from collections.abc import Mapping

from dogent_tui.language import sentences, tr


class DogentError(Exception):
    """An error that a user can act upon.

    `message` says what happened and to what; `remedy` says what to do about it. Neither contains a
    key, a traceback or markup. `code` is for programs.
    """

    def __init__(self, message: str, remedy: str = "", *, code: str = "failed") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.code = code

    def __str__(self) -> str:
        return sentences(self.message, self.remedy)


class UsageError(DogentError):
    """The command line names something that does not exist."""


class ConfigError(DogentError):
    """A configuration file or an environment variable is invalid."""


class AgentError(DogentError):
    """The agent session could not be started, or ended on its own."""


def reason_of(error: Exception) -> str:
    """Return why something failed, in words: for a disk error without its number, but with the
    file.
    """
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    if not isinstance(error.filename, str | bytes):
        return error.strerror
    return f"{error.strerror} ({os.fsdecode(error.filename)})"


_APP_COMMAND = re.compile(r"(?<![A-Za-z0-9_/.~-])/[a-z]+(?!\.?[A-Za-z0-9_/-])")


def outside_app(said: str, remedy: str) -> str:
    """Join sentences for a reader outside the application: where `remedy` names commands of it,
    they are told where these are.
    """
    where = tr("Commands with / are those of the application: run dogent-tui.")
    return sentences(said, remedy, where if _APP_COMMAND.search(remedy) else "")


_SPACE = tr("disk full"), tr("Free some space on the disk.")
_PERMISSIONS = tr("no permission"), tr("Check its permissions.")
_OPEN_FILES = tr("too many open files"), tr("Close other programs, then try again.")
_DRIVE = tr("drive not responding"), tr("Reconnect the drive, then try again.")
_OF_DISK: Mapping[int, tuple[str, str]] = {
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: (tr("quota used up"), tr("Delete files of yours on this disk.")),
    errno.EFBIG: (tr("file too large"), tr("Choose a disk that takes files of this size.")),
    errno.EROFS: (
        tr("disk read-only"),
        tr("Make the disk writable, or use a folder on another one."),
    ),
    errno.EACCES: _PERMISSIONS,
    errno.EPERM: _PERMISSIONS,
    errno.ENOENT: (tr("not there"), tr("Check the name and the folder.")),
    errno.ENOTDIR: (tr("no folder"), tr("Check the path: a part of it is not a folder.")),
    errno.EISDIR: (tr("a folder"), tr("Specify a file, not a folder.")),
    errno.EEXIST: (tr("already there"), tr("Choose another name.")),
    errno.ENAMETOOLONG: (tr("name too long"), tr("Choose a shorter name.")),
    errno.ELOOP: (
        tr("symbolic link"),
        tr("Put the file itself in place of the symbolic link that leads there."),
    ),
    errno.EXDEV: (tr("another disk"), tr("Choose a folder on the same disk.")),
    errno.EINVAL: (tr("not accepted"), tr("Choose another name.")),
    errno.EILSEQ: (tr("name not accepted"), tr("Choose another name.")),
    errno.EBUSY: (tr("in use"), tr("Close the program that uses it, then try again.")),
    errno.EMFILE: _OPEN_FILES,
    errno.ENFILE: _OPEN_FILES,
    errno.ENOMEM: (tr("out of memory"), tr("Close other programs, then try again.")),
    errno.EIO: (tr("disk error"), tr("Check the disk: it reports an error.")),
    errno.ESTALE: _DRIVE,
    errno.ETIMEDOUT: _DRIVE,
    errno.EHOSTDOWN: _DRIVE,
    errno.ENOTCONN: _DRIVE,
}
"""System error for a file → a description in two or three words, and the remedy."""


_OTHER = tr("disk trouble"), tr("Check the file and its disk.")


def disk_trouble(error: Exception) -> str:
    """Return in two or three words why the disk refused something."""
    return _of_disk(error)[0]


def disk_remedy(error: Exception) -> str:
    """Return the remedy for a disk error as a sentence. Anything but an OSError is a name that no
    file can have.
    """
    return _of_disk(error)[1]


def _of_disk(error: Exception) -> tuple[str, str]:
    number = error.errno if isinstance(error, OSError) else errno.EINVAL
    return _OF_DISK.get(number or 0, _OTHER)
