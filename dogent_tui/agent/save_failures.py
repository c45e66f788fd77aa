"""Reports what currently cannot be saved, and has it retried until it can."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from typing import Protocol

from dogent_tui.agent.events import Notice
from dogent_tui.errors import disk_remedy, disk_trouble, reason_of
from dogent_tui.language import sentences, tr

_LOG = logging.getLogger(__name__)
_TRY_AGAIN_S = 5.0
"""How often to retry while nothing happens."""

_SAID = {
    "not_recorded": (
        tr("This conversation can't be saved right now: {error}."),
        tr("It is kept in memory and saved as soon as that is possible."),
        tr("The conversation is being saved again; what had to wait was added."),
    ),
    "history_not_kept": (
        tr("The history can't be saved right now: {error}."),
        tr("It is kept in memory until you quit."),
        tr("The history is being saved again."),
    ),
    "usage_not_kept": (
        tr("The usage can't be saved right now: {error}."),
        tr("It is kept in memory until you quit."),
        tr("The usage is being saved again."),
    ),
    "seen_not_kept": (
        tr("What the agent has read can't be noted on disk right now: {error}."),
        tr("It is kept in memory until you quit."),
        tr("What the agent has read is being noted again."),
    ),
    "undo_not_kept": (
        tr("No copies can be kept right now: {error}. What changes meanwhile can't be undone."),
        "",
        tr("Copies are being kept again: what changes from here on can be undone."),
    ),
}
"""The code of a notice → its text, what happens to unsaved data, and the message once saving works
again.
"""


class Saver(Protocol):
    """Something that saves data on a disk; `try_again` blocks, and never raises."""

    @property
    def refused(self) -> Exception | None:
        """Why it currently cannot."""

    def try_again(self) -> None:
        """Write what waits, or check whether that is possible again."""


class SaveFailures:
    """Monitors what saves data, by the code of its notice."""

    def __init__(self, say: Callable[[Notice], None], savers: Mapping[str, Saver]) -> None:
        """Use `say` to tell the user."""
        self._say = say
        self._savers = savers
        self._failing: set[str] = set()
        self._trying: asyncio.Task[None] | None = None

    def look(self) -> None:
        """Report what has changed since the last time."""
        for code, saver in self._savers.items():
            error = saver.refused
            if error is not None and code not in self._failing:
                _LOG.warning("%s: %s", code, reason_of(error))
                self._failing.add(code)
                said, kept, _ = _SAID[code]
                is_disk = isinstance(error, OSError)
                notice = Notice(
                    code=code,
                    message=said.format(error=reason_of(error)),
                    remedy=sentences(kept, disk_remedy(error) if is_disk else ""),
                    why=disk_trouble(error) if is_disk else "",
                )
                self._say(notice)
            elif error is None and code in self._failing:
                self._failing.discard(code)
                self._say(Notice(level="info", code=f"{code}_over", message=_SAID[code][2]))
        if self._failing and (self._trying is None or self._trying.done()):
            self._trying = asyncio.create_task(self._try_again(), name="keeping")

    async def _try_again(self) -> None:
        while self._failing:
            await asyncio.sleep(_TRY_AGAIN_S)
            for code in tuple(self._failing):
                await asyncio.to_thread(self._savers[code].try_again)
            self.look()

    async def close(self) -> None:
        """Stop retrying."""
        if self._trying is not None:
            self._trying.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._trying
