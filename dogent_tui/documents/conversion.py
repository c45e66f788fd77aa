"""One conversion of one document: done by a worker or found in the store, and readable while in
progress.
"""

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from dogent_tui.documents.messages import (
    DocumentOpened,
    Failed,
    Finished,
    Message,
    Piece,
    Progress,
    Request,
)
from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.spool import Page
from dogent_tui.documents.store import ConversionStore, FileState, StoredConversion
from dogent_tui.documents.workers import Workers
from dogent_tui.language import tr

_MOST_BYTES = 64 << 20
"""The size of a conversion on disk; the rest is left out."""


class Conversion:
    """Begins at once. `waiting` counts the waiting readers; `was_useful`: someone got a part of
    it.
    """

    def __init__(
        self,
        store: ConversionStore,
        workers: Workers,
        key: str,
        path: Path,
        state: FileState,
        options: ReadOptions,
    ) -> None:
        self.waiting = 0
        self.was_useful = False
        self.known = StoredConversion("", {}, [], [])
        self.progress = (0, 0, "")
        self.error: DocumentError | None = None
        self.ended = False
        self._store, self._workers = store, workers
        self._key, self._path, self._state, self._options = key, path, state, options
        self._spool = store.begin(key)
        self._is_kept = False
        self._changed = asyncio.Condition()
        self._task = asyncio.create_task(self._run())

    @property
    def spool_chars(self) -> int:
        """The number of characters so far."""
        return self._spool.chars

    @property
    def has_failed(self) -> bool:
        """Whether it ended without a result, so that it is worth trying again."""
        return self.error is not None and not self.spool_chars

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition changed by the conversion holds."""
        async with self._changed:
            await self._changed.wait_for(holds)

    async def page(self, offset: int, max_chars: int) -> Page:
        """See `Spool.page`."""
        return await asyncio.to_thread(self._spool.page, offset, max_chars, ended=self.ended)

    async def close(self) -> None:
        """End it if it is in progress, and close its file, which stays if it is stored."""
        self._task.cancel()
        await asyncio.wait([self._task])
        self._spool.close()
        if not self._is_kept:
            await asyncio.to_thread(self._spool.path.unlink, missing_ok=True)

    async def _run(self) -> None:
        try:
            if not await self._find():
                await self._convert()
        except DocumentError as error:
            self.error = error
        except OSError as error:
            self.error = DocumentError(
                tr(
                    "{name} could not be converted: {strerror}.",
                    name=self._path.name,
                    strerror=error.strerror or error,
                ),
                tr("Check that the disk has space and that the cache folder is writable."),
            )
        finally:
            self.ended = True
            with contextlib.suppress(asyncio.CancelledError):
                await self._tell()

    async def _find(self) -> bool:
        if self._options.images_dir is not None:  # the images are not stored
            return False
        found = await asyncio.to_thread(self._store.find, self._key)
        if found is None:
            return False
        self.known, self._spool = found
        self._is_kept = True
        return True

    async def _convert(self) -> None:
        spool = self._spool
        request = Request(bytes(self._path), self._options)
        async with contextlib.aclosing(
            self._workers.convert(self._path, request, Path(os.fsdecode(self._state.path)))
        ) as saying:
            async for said in saying:
                pieces = [message for message in said if isinstance(message, Piece)]
                if pieces:
                    await asyncio.to_thread(spool.append, pieces)
                self._take(said)
                await self._tell()
                if spool.size > _MOST_BYTES:
                    self.known.warnings.append(
                        tr(
                            "Only the first {chars} characters were converted because the document"
                            " is very large. Read part of it with `pages` or `sheet`, or split it.",
                            chars=spool.chars,
                        )
                    )
                    break
        await self._keep()

    def _take(self, said: list[Message]) -> None:
        for message in said:
            match message:
                case DocumentOpened(format, metadata, warnings):
                    self.known = StoredConversion(format, metadata, warnings, self._spool.placed)
                case Finished(metadata, warnings):
                    self.known = StoredConversion(
                        self.known.format, metadata, warnings, self._spool.placed
                    )
                case Progress(done, total, what):
                    self.progress = (done, total, what)
                case Failed(message=sentence, remedy=remedy, code=code):
                    raise DocumentError(sentence, remedy, code=code)
                case _:
                    pass

    async def _keep(self) -> None:
        """Store the conversion, unless the file has changed in the meantime: then it is unclear
        which version was converted.
        """
        with contextlib.suppress(OSError):
            if await asyncio.to_thread(FileState.of, self._path) == self._state:
                await asyncio.to_thread(self._store.keep, self._key, self._spool, self.known)
                self._is_kept = True

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()
