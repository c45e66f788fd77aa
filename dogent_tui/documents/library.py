"""Reads documents page by page: a document is converted once, continues in the background after the
first page, and is stored.
"""

import asyncio
import contextlib
import os
import stat
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from dogent_tui.documents.conversion import Conversion
from dogent_tui.documents.model import DocumentError, ReadOptions, Report, unreadable
from dogent_tui.documents.spool import Shown
from dogent_tui.documents.store import ConversionStore, FileState
from dogent_tui.documents.workers import Workers
from dogent_tui.language import tr
from dogent_tui.records import Record
from dogent_tui.storage.paths import cache_dir

DEFAULT_CHARS = 15_000
"""Characters per page (SPEC 5)."""
FEWEST_CHARS = 200
MOST_CHARS = 1_000_000
_PROGRESS_AFTER_S = 1.0
_FULL_PAGE_S = 6.0
"""How long to wait for a page; after that, a partial one is returned, and the rest is the next
page.
"""
_MOST_IN_HAND = 16
"""The number of conversions to keep without looking in the store."""


class ReadResult(Record):
    """Characters `offset` to ``offset + len(text)`` of a document's Markdown.

    `next_offset` is where to continue, None at the end; `total_chars` is None while the conversion
    is in progress. `sources` say where ranges of its characters come from. `metadata` and
    `warnings` are complete once `total_chars` is set.
    """

    text: str
    format: str
    metadata: dict[str, Any]
    offset: int
    next_offset: int | None
    total_chars: int | None
    sources: tuple[Shown, ...]
    warnings: tuple[str, ...]


class DocumentLibrary:
    """Reads documents on one event loop; `close` ends what is in progress. Cheap to create: nothing
    is started before a read.

    `folder` is where conversions are stored, by default in the platform's cache folder.
    """

    def __init__(
        self,
        folder: Path | None = None,
        workers: Workers | None = None,
        *,
        full_page_s: float = _FULL_PAGE_S,
    ) -> None:
        self._full_page_s = full_page_s
        self._store = ConversionStore(folder or cache_dir() / "conversions")
        self._workers = workers or Workers()
        self._conversions: dict[str, Conversion] = {}
        self._last_keys: dict[tuple[bytes, ReadOptions], str] = {}

    async def __aenter__(self) -> "DocumentLibrary":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def read(
        self,
        path: Path,
        options: ReadOptions = ReadOptions(),  # noqa: B008 — frozen
        *,
        max_chars: int = DEFAULT_CHARS,
        offset: int = 0,
        on_progress: Report | None = None,
        place: Path | None = None,
    ) -> ReadResult:
        """Return the part of the document `path` from `offset` on, cut at the end of a block within
        `max_chars` if possible.

        `on_progress` receives the progress of the conversion, from one second on. `place` is the
        real path that `path` must lead to, if that was decided before. Raises DocumentError.
        """
        max_chars = max(FEWEST_CHARS, min(max_chars, MOST_CHARS))
        offset = max(0, offset)
        state = await asyncio.to_thread(_look_at, path)
        if place is not None and state.path != bytes(place):
            raise DocumentError(
                tr("{path} now points elsewhere.", path=path.name),
                tr("Specify the file again."),
                code="not_found",
            )
        key = await asyncio.to_thread(self._store.key, state, options)
        conversion = await self._conversion(key, path, state, options)
        async with self._waiting(key, conversion, on_progress):
            await _gathered(conversion, offset, max_chars, self._full_page_s)
            result = await self._result(conversion, max_chars, offset)
        before = self._last_keys.get((state.path, options), key)
        self._last_keys[state.path, options] = key
        if offset and before != key:
            changed = tr(
                "The file changed since the previous part was read, so offsets may have moved. Read"
                " it again from offset 0."
            )
            return replace(result, warnings=(changed, *result.warnings))
        return result

    async def close(self) -> None:
        """End what is in progress, including processes."""
        conversions = list(self._conversions.values())
        self._conversions.clear()
        await asyncio.gather(*(conversion.close() for conversion in conversions))
        await self._workers.close()

    async def _conversion(
        self, key: str, path: Path, state: FileState, options: ReadOptions
    ) -> Conversion:
        """Return the conversion in progress or in memory, or begin one. Most recently used ones are
        last.
        """
        found = self._conversions.pop(key, None)
        if found is None or found.has_failed:
            found = Conversion(self._store, self._workers, key, path, state, options)
        self._conversions[key] = found
        for other, conversion in list(self._conversions.items())[:-_MOST_IN_HAND]:
            if conversion.ended and not conversion.waiting and other in self._conversions:
                del self._conversions[other]
                await conversion.close()
        return found

    @contextlib.asynccontextmanager
    async def _waiting(
        self, key: str, conversion: Conversion, on_progress: Report | None
    ) -> AsyncIterator[None]:
        """Count a waiting reader: a conversion that no one waits for any more before its first part
        is ended.
        """
        telling = asyncio.create_task(_tell(conversion, on_progress)) if on_progress else None
        conversion.waiting += 1
        try:
            yield
            conversion.was_useful = True
        finally:
            conversion.waiting -= 1
            if telling is not None:
                telling.cancel()
            if not conversion.waiting and not conversion.was_useful and not conversion.ended:
                if self._conversions.get(key) is conversion:
                    del self._conversions[key]
                await asyncio.shield(conversion.close())

    async def _result(self, conversion: Conversion, max_chars: int, offset: int) -> ReadResult:
        page = await conversion.page(offset, max_chars)
        total = conversion.spool_chars if conversion.ended else None
        is_last = total == page.end
        known, warnings = conversion.known, list(conversion.known.warnings)
        if (error := conversion.error) is not None:
            if not page.text:
                raise error
            total = None
            if is_last:
                warnings.append(tr("The rest could not be read: {error}", error=error))
        elif offset > page.start:
            warnings.append(
                tr(
                    "The offset {offset} is past the end: the document has {start} characters.",
                    offset=offset,
                    start=page.start,
                )
            )
        return ReadResult(
            page.text,
            known.format,
            known.metadata,
            page.start,
            None if is_last else page.end,
            total,
            page.shown,
            tuple(warnings),
        )


async def _gathered(
    conversion: Conversion, offset: int, max_chars: int, full_page_s: float
) -> None:
    """Wait for a page from `offset` on. A document that takes minutes returns a shorter one in
    time.
    """
    try:
        async with asyncio.timeout(full_page_s):
            await conversion.until(
                lambda: conversion.ended or conversion.spool_chars > offset + max_chars
            )
    except TimeoutError:
        await conversion.until(lambda: conversion.ended or conversion.spool_chars > offset)


async def _tell(conversion: Conversion, on_progress: Callable[[int, int, str], None]) -> None:
    await asyncio.sleep(_PROGRESS_AFTER_S)
    while True:
        told = conversion.progress
        on_progress(*told)
        await conversion.until(lambda: conversion.progress != told)  # noqa: B023 — waited for at once


def _look_at(path: Path) -> FileState:
    """Return the current state of the file. Raises DocumentError if it is not a file or cannot be
    read.
    """
    try:
        mode = path.stat().st_mode
        is_readable = os.access(path, os.R_OK)
        state = FileState.of(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise DocumentError(
            tr("There is no file {path}.", path=path),
            tr("Check the name and the folder."),
            code="not_found",
        ) from None
    except OSError as error:
        raise unreadable(path, error) from None
    said, remedy, code = "", tr("Specify a file."), "unsupported"
    if stat.S_ISDIR(mode):
        said, remedy = tr("{path} is a folder."), tr("Specify a file inside it.")
    elif not stat.S_ISREG(mode):  # opening a pipe or a device may block
        said = tr("{path} is not a file but a device, socket or pipe.")
    elif not is_readable:
        said, remedy = tr("You have no permission to read {path}."), tr("Check its permissions.")
        code = "failed"
    if said:
        raise DocumentError(said.format(path=path.name or path), remedy, code=code)
    return state
