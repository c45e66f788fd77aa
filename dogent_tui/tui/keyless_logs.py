"""What is written down of trouble that nobody foresaw: lines of the log and the report of a
crash, both without keys.
"""

import logging
import traceback

from dogent_tui.settings.known_secrets import known_secrets
from dogent_tui.settings.secrets import redact

_FORMAT = "%(asctime)s %(name)s %(levelname)s %(message)s"


class KeylessFormatter(logging.Formatter):
    """Writes a record with its traceback, and without the keys that are known when it is
    written.
    """

    def __init__(self) -> None:
        super().__init__(_FORMAT)

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines for `record`."""
        return redact(super().format(record), known_secrets())


def crash_report(error: BaseException) -> str:
    """Return where `error` came from. No values of variables: among these may be a document, a
    key, or a part of one.
    """
    return redact("".join(traceback.format_exception(error)), known_secrets())
