"""Saves what the user has not sent or saved yet, with every change, without the screen waiting
for the disk.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from dogent_tui.errors import disk_trouble
from dogent_tui.storage.answer_drafts import AnswerDrafts

_LOG = logging.getLogger(__name__)
_TRY_AGAIN_S = 5.0
"""How often a disk that takes no draft is tried again while nothing changes."""


class DraftKeeper:
    """Writes the latest draft of each of `drafts`, in a thread, one after the other; those that
    a newer one overtook never.

    A draft that the disk does not take is tried again until it is taken.
    """

    def __init__(self, drafts: AnswerDrafts, tell: Callable[[str], None]) -> None:
        """Save into `drafts`. `tell` hears in two or three words why one is not saved, and ""
        once all are.
        """
        self.drafts = drafts
        self._tell = tell
        self._refused = ""
        self._waiting: dict[str, Mapping[str, Any] | None] = {}
        self._changed = asyncio.Event()
        self._saving = asyncio.Lock()
        self._keeping: asyncio.Task[None] | None = None

    def keep(self, name: str, draft: Mapping[str, Any] | None) -> None:
        """Save `draft`, the latest of `name`, or drop what is saved where it is None."""
        self._waiting[name] = draft
        self._changed.set()
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._save())

    async def settle(self) -> None:
        """Save all that waits, or try it once more."""
        async with self._saving:
            why = ""
            for name in tuple(self._waiting):
                why = await self._save_one(name) or why
            if why != self._refused:
                self._refused = why
                self._tell(why)

    async def close(self) -> None:
        """Save all that waits as far as the disk takes it, and try no more."""
        await self.settle()
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait({self._keeping})

    async def _save(self) -> None:
        while self._waiting:
            self._changed.clear()
            await self.settle()
            if self._refused:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), _TRY_AGAIN_S)

    async def _save_one(self, name: str) -> str:
        """Save the draft that waits under `name`. Returns why that was not possible."""
        draft = self._waiting.pop(name)
        try:
            if draft is None:
                await asyncio.to_thread(self.drafts.drop, name)
            else:
                await asyncio.to_thread(self.drafts.save, name, draft)
        except OSError as error:
            if not self._refused:
                _LOG.warning("A draft could not be saved: %s", error)
            self._waiting.setdefault(name, draft)  # unless there is a newer one by now
            return disk_trouble(error)
        return ""
