"""How unexpected errors are recorded: log lines and crash reports, both without keys."""

import logging
import traceback

from dogent_tui.settings.known_secrets import known_secrets
from dogent_tui.settings.secrets import redact

_FORMAT = "%(asctime)s %(name)s %(levelname)s %(message)s"


class KeylessFormatter(logging.Formatter):
    """Formats a record with its traceback, removing the keys known at that time."""

    def __init__(self) -> None:
        super().__init__(_FORMAT)

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines for `record`."""
        return redact(super().format(record), known_secrets())


def crash_report(error: BaseException) -> str:
    """Return where `error` was raised, without values of variables, which may hold a document or a
    key.
    """
    return redact("".join(traceback.format_exception(error)), known_secrets())
