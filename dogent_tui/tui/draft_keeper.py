"""Saves unsent and unsaved input on every change, without the screen waiting for the disk."""

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
"""Seconds between attempts to save a draft on a failing disk while nothing changes."""


class DraftStore(Protocol):
    """Where drafts are saved by name; both calls raise OSError."""

    def save(self, name: str, draft: Any, /) -> None:
        """Save `draft`, replacing the previous one."""

    def drop(self, name: str, /) -> None:
        """Delete the draft."""


_Store = TypeVar("_Store", bound=DraftStore)


class PromptDraft:
    """The text in the prompt, as a store of one draft. Thread-safe."""

    def __init__(self, drafts: Drafts) -> None:
        self._drafts = drafts
        self._left: str | None = None
        self._lock = threading.Lock()

    def load(self) -> str:
        """Return what was typed but not sent when the application last ended."""
        with self._lock:
            if self._left is None:
                self._left = ""
                with suppress(OSError):
                    self._left = self._drafts.load()
            return self._left

    def save(self, _: str, draft: str, /) -> None:
        """See `DraftStore`. The previous draft is read before it is overwritten."""
        self.load()
        self._drafts.save(draft)

    def drop(self, _: str, /) -> None:
        """See `DraftStore`."""
        self.save("", "")

    def close(self) -> None:
        """Give the draft up to another window."""
        self._drafts.close()


class DraftKeeper(Generic[_Store]):
    """Writes the latest draft of each of `drafts` in a thread, one after the other; superseded ones
    are skipped.

    A draft that cannot be written is retried until it can.
    """

    def __init__(self, drafts: _Store, tell: Callable[[str], None]) -> None:
        """Save into `drafts`. `tell` receives a short phrase when a draft is not saved, and "" when
        all are.
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
        """Save `draft` as the latest of `name`, or delete what is saved if it is None."""
        self._waiting[name] = draft
        self._changed.set()
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._save())

    async def settle(self) -> None:
        """Save everything pending, or retry it."""
        async with self._saving:
            why = ""
            for name in tuple(self._waiting):
                why = await self._save_one(name) or why
            if why != self._refused:
                self._refused = why
                self._tell(why)

    async def close(self) -> None:
        """Save everything pending as far as possible, and stop retrying."""
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
        """Save the draft pending under `name`. Returns why that failed."""
        draft = self._waiting.pop(name)
        try:
            if draft is None:
                await asyncio.to_thread(self.drafts.drop, name)
            else:
                await asyncio.to_thread(self.drafts.save, name, draft)
        except OSError as error:
            if not self._refused:
                _LOG.warning("A draft could not be saved: %s", error)
            self._waiting.setdefault(name, draft)  # unless a newer one has arrived
            return disk_trouble(error)
        return ""
