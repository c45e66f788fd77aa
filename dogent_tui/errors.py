"""The exceptions a user may meet: each is a sentence about what happened, and a remedy."""

import os

from dogent_tui.language import sentences


class DogentError(Exception):
    """Something a user can act upon.

    `message` says what happened and to what; `remedy` says what to do about it. Neither holds a
    key, a traceback or markup.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return sentences(self.message, self.remedy)


class UsageError(DogentError):
    """The command line names something that is not there."""


class ConfigError(DogentError):
    """A configuration file or an environment variable does not say what it should."""


class AgentError(DogentError):
    """The agent session could not be started, or ended on its own."""


def reason_of(error: Exception) -> str:
    """Return why something failed, in words: of what the disk said without its number, with the
    file that it said it of.
    """
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    if not isinstance(error.filename, str | bytes):
        return error.strerror
    return f"{error.strerror} ({os.fsdecode(error.filename)})"
