"""Saves what the user has not sent or saved yet, with every change, without the screen waiting
for the disk.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar

from dogent_tui.errors import disk_trouble
from dogent_tui.storage.drafts import Drafts

_LOG = logging.getLogger(__name__)
_TRY_AGAIN_S = 5.0
"""How often a disk that takes no draft is tried again while nothing changes."""


class DraftStore(Protocol):
    """Where drafts are saved by name; both calls raise OSError."""

    def save(self, name: str, draft: Any, /) -> None:
        """Keep `draft` in place of the one before."""

    def drop(self, name: str, /) -> None:
        """Forget the draft."""


_Store = TypeVar("_Store", bound=DraftStore)


class PromptDraft:
    """The text in the prompt, as a store of one draft. Safe for use by several threads."""

    def __init__(self, drafts: Drafts) -> None:
        self._drafts = drafts
        self._left: str | None = None
        self._lock = threading.Lock()

    def load(self) -> str:
        """Return what was typed and not sent when the application ended the last time."""
        with self._lock:
            if self._left is None:
                self._left = ""
                with suppress(OSError):
                    self._left = self._drafts.load()
            return self._left

    def save(self, _: str, draft: str, /) -> None:
        """See `DraftStore`. What was left is read before anything is saved over it."""
        self.load()
        self._drafts.save(draft)

    def drop(self, _: str, /) -> None:
        """See `DraftStore`."""
        self.save("", "")

    def close(self) -> None:
        """Let another window have the draft."""
        self._drafts.close()


class DraftKeeper(Generic[_Store]):
    """Writes the latest draft of each of `drafts`, in a thread, one after the other; those that
    a newer one overtook never.

    A draft that the disk does not take is tried again until it is taken.
    """

    def __init__(self, drafts: _Store, tell: Callable[[str], None]) -> None:
        """Save into `drafts`. `tell` hears in two or three words why one is not saved, and ""
        once all are.
        """
        self.drafts = drafts
        self._tell = tell
        self._refused = ""
        self._waiting: dict[str, Any] = {}
        self._changed = asyncio.Event()
        self._saving = asyncio.Lock()
        self._is_closing = False
        self._keeping: asyncio.Task[None] | None = None

    def keep(self, name: str, draft: Any) -> None:
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
        self._is_closing = True
        self._changed.set()
        if self._keeping is not None:
            await self._keeping

    async def _save(self) -> None:
        while self._waiting and not self._is_closing:
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
