"""The sources of a folder, made ready to be looked through; what was made is kept while the
files do not change.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.documents.library import MOST_CHARS, DocumentLibrary
from dogent_tui.documents.model import DocumentError, ReadOptions, Source
from dogent_tui.documents.store import ConversionStore, FileState
from dogent_tui.errors import DogentError, UsageError
from dogent_tui.language import tr
from dogent_tui.references.walking import scan
from dogent_tui.sources.quotes.checking import CheckedSource, CheckReport, check
from dogent_tui.sources.quotes.index import Block, Kept, SourceIndex, make
from dogent_tui.sources.quotes.sources import Names, bibliography
from dogent_tui.sources.records import FOLDER, records_in
from dogent_tui.storage.files import atomic_write, private_folder
from dogent_tui.storage.paths import cache_dir
from dogent_tui.storage.places import open_real

_FORMAT = 1
_LASTING = frozenset({"scanned", "encrypted", "damaged", "unsupported", "hostile", "too_large"})
"""Why a file cannot be read for as long as it does not change."""
_UNUSED_S = 14 * 86_400
_AT_ONCE = 2
_LARGEST_DRAFT = 16 << 20
_LARGEST_BIBLIOGRAPHY = 32 << 20


class QuoteChecker:
    """Checks drafts against the sources in a folder."""

    def __init__(self, documents: DocumentLibrary, folder: Path | None = None) -> None:
        """Read with `documents`; keep what was made of sources in `folder`, by default in the
        platform's cache folder.
        """
        self._documents = documents
        self._folder = folder or cache_dir() / "quotes"
        self._keys = ConversionStore(self._folder)
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def check(self, draft: Path, folder: Path, *, stay_inside: bool = False) -> CheckReport:
        """Return the report on a draft. `stay_inside`: both paths are real ones, and no link leads
        out of `folder`.

        Raises UsageError where the draft cannot be read. A source that fails is in the report.
        """
        text = await asyncio.to_thread(_read_draft, draft, is_real=stay_inside)
        files = await asyncio.to_thread(_files, folder, draft, stay_inside)
        gathered = await asyncio.gather(
            *(self._source(path, folder / path, real) for path, real in files.items())
        )
        sources = [source for source in gathered if source]
        keys = await asyncio.to_thread(
            _keys, folder, [path for path in files if path.endswith(".bib")], sources
        )
        report = await asyncio.to_thread(check, _name(draft, folder), text, sources, keys)
        await asyncio.to_thread(self._tidy)
        return report

    async def _source(self, path: str, absolute: Path, real: Path) -> CheckedSource | None:
        if path.endswith(".bib"):
            return None
        async with self._turn:
            try:
                kept = await self._kept(absolute, real)
            except DocumentError as error:
                return CheckedSource(path, None, error.code)
            except (OSError, DogentError):
                return CheckedSource(path, None, "failed")
        if kept.reason:
            return CheckedSource(path, None, kept.reason, is_listed=kept.reason != "unsupported")
        return CheckedSource(path, SourceIndex(kept))

    async def _kept(self, path: Path, real: Path) -> Kept:
        state = await asyncio.to_thread(FileState.of, path)
        key = f"{self._keys.key(state, ReadOptions())}-{_FORMAT}"
        place = self._folder / f"{key}.words"
        kept = await asyncio.to_thread(_load, place)
        if kept is None:
            kept = await self._read(path, real)
            if not kept.reason or kept.reason in _LASTING:
                await asyncio.to_thread(_save, place, kept)
        return kept

    async def _read(self, path: Path, real: Path) -> Kept:
        try:
            text, blocks, metadata = await self._markdown(path, real, ReadOptions())
        except DocumentError as error:
            return Kept(reason=error.code)
        listed = metadata.get("sheets")
        sheets = (
            [str(sheet.get("name")) for sheet in listed if isinstance(sheet, dict)]
            if isinstance(listed, list)
            else []
        )
        for sheet in sheets:
            if sheet == metadata.get("sheet"):
                continue
            with contextlib.suppress(DocumentError):  # a sheet of charts
                more, others, _ = await self._markdown(path, real, ReadOptions(sheet=sheet))
                behind = len(text) + 2
                blocks += [
                    Block(block.start + behind, block.source, block.table + behind)
                    for block in others
                ]
                text = f"{text}\n\n{more}"
        pages = metadata.get("pages")
        return await asyncio.to_thread(make, text, blocks, pages if isinstance(pages, int) else 0)

    async def _markdown(
        self, path: Path, real: Path, options: ReadOptions
    ) -> tuple[str, list[Block], dict[str, Any]]:
        """Return a whole document's Markdown and its blocks; one that goes on with the one
        before it is a part of that.
        """
        pieces: list[str] = []
        blocks: list[Block] = []
        offset, last = 0, -2
        while True:
            part = await self._documents.read(
                path, options, max_chars=MOST_CHARS, offset=offset, place=real
            )
            pieces.append(part.text)
            for shown in part.sources:
                is_next = shown.start > last + 1
                if is_next or blocks[-1].source != shown.source:
                    blocks.append(
                        Block(
                            shown.start, shown.source, shown.start if is_next else blocks[-1].table
                        )
                    )
                last = shown.end
            if part.next_offset is None:
                return "".join(pieces), blocks or [Block(0, Source(), 0)], part.metadata
            offset = part.next_offset

    def _tidy(self) -> None:
        """Drop what nobody used for a long time."""
        now = time.time()
        with contextlib.suppress(OSError):
            for place in self._folder.glob("*.words"):
                if now - place.stat().st_mtime > _UNUSED_S:
                    place.unlink()


def _load(place: Path) -> Kept | None:
    try:
        kept = msgspec.msgpack.decode(place.read_bytes(), type=Kept)
        os.utime(place)
    except (OSError, msgspec.DecodeError):
        return None
    return kept


def _save(place: Path, kept: Kept) -> None:
    with contextlib.suppress(OSError):
        private_folder(place.parent)
        atomic_write(place, msgspec.msgpack.encode(kept), mode=0o600, durable=False)


def _read_draft(draft: Path, *, is_real: bool) -> str:
    try:
        if draft.stat().st_size > _LARGEST_DRAFT:
            raise UsageError(
                tr("{name} is too large to check.").format(name=draft.name),
                tr("Split it into several documents."),
            )
        with os.fdopen(open_real(draft), "rb") if is_real else draft.open("rb") as file:
            return file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            tr("{name} is not UTF-8 text.").format(name=draft.name),
            tr("Convert it to UTF-8 first."),
        ) from None
    except OSError as error:
        raise UsageError(
            tr("{path} cannot be read: {strerror}.").format(
                path=draft, strerror=error.strerror or error
            ),
            tr("Check the name and the folder."),
        ) from None


def _files(folder: Path, draft: Path, stay_inside: bool) -> dict[str, Path]:
    """Return the files below `folder` but for the draft, relative to it, with where each really
    is.
    """
    root, own = os.path.realpath(folder), os.path.realpath(draft)
    found = {}
    for inside, _, files in scan(folder):
        for name in files:
            path = f"{inside}/{name}" if inside else name
            real = os.path.realpath(folder / path)
            if (
                real != own
                and Path(real).is_file()
                and (not stay_inside or Path(real).is_relative_to(root))
            ):
                found[path] = Path(real)
    found |= {
        path: file for path, file in records_in(folder).items() if os.path.realpath(file) != own
    }
    return dict(sorted(found.items()))


def _keys(
    folder: Path, bibliographies: Iterable[str], sources: list[CheckedSource]
) -> dict[str, str | None]:
    names = Names(source.path for source in sources)
    keys: dict[str, str | None] = {
        Path(one.path).stem: one.path for one in sources if one.path.startswith(f"{FOLDER}/")
    }
    for path in bibliographies:
        with contextlib.suppress(OSError):
            if (folder / path).stat().st_size <= _LARGEST_BIBLIOGRAPHY:
                for key, file in bibliography(
                    (folder / path).read_text(encoding="utf-8", errors="replace")
                ).items():
                    beside = os.path.normpath(Path(path).parent / file) if file else ""
                    keys[key] = (names.path(beside) or names.path(file)) if file else ""
    return keys


def _name(draft: Path, folder: Path) -> str:
    try:
        return draft.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        return draft.name
