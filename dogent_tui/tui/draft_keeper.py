"""Saves what the user has not sent or saved yet, with every change, without the screen waiting
for the disk.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from dogent_tui.storage.answer_drafts import AnswerDrafts

_LOG = logging.getLogger(__name__)


class DraftKeeper:
    """Writes the latest draft of each of `drafts`, in a thread, one after the other; those that
    a newer one overtook never.
    """

    def __init__(self, drafts: AnswerDrafts) -> None:
        self.drafts = drafts
        self._waiting: dict[str, Mapping[str, Any] | None] = {}
        self._keeping: asyncio.Task[None] | None = None

    def keep(self, name: str, draft: Mapping[str, Any] | None) -> None:
        """Save `draft`, the latest of `name`, or drop what is saved where it is None."""
        self._waiting[name] = draft
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._save())

    async def _save(self) -> None:
        while self._waiting:
            name, draft = self._waiting.popitem()
            try:
                if draft is None:
                    await asyncio.to_thread(self.drafts.drop, name)
                else:
                    await asyncio.to_thread(self.drafts.save, name, draft)
            except OSError as error:
                _LOG.warning("A draft could not be saved: %s", error)

    async def close(self) -> None:
        """Wait until all is saved."""
        if self._keeping is not None:
            await asyncio.wait({self._keeping})
