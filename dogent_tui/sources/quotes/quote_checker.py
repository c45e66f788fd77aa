"""The sources of a folder, indexed; an index is reused as long as its file does not change."""

import asyncio
import contextlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from dogent_tui.documents.bibliography import (
    SOURCE_ENTRIES,
    Bibliography,
    cited_keys,
    named_bibliographies,
    read_bibliography,
)
from dogent_tui.documents.export.source import front_matter, read_text
from dogent_tui.documents.library import MOST_CHARS, DocumentLibrary
from dogent_tui.documents.model import DocumentError, ReadOptions, Source
from dogent_tui.documents.store import ConversionStore, FileState
from dogent_tui.errors import DogentError, UsageError
from dogent_tui.language import tr
from dogent_tui.references.file_walk import scan
from dogent_tui.sources.quotes.index import Block, SourceIndex, make
from dogent_tui.sources.quotes.marks import CheckedDraft
from dogent_tui.sources.quotes.sources import CitationTarget, Names
from dogent_tui.sources.quotes.tokens import is_han, readable, words_of
from dogent_tui.sources.quotes.verdicts import CheckedSource, CheckReport, check
from dogent_tui.sources.quotes.words import appendix
from dogent_tui.sources.records import SourceRecords, records_in
from dogent_tui.storage.files import atomic_write, delete_unused, private_folder
from dogent_tui.storage.paths import Workspace, cache_dir, is_file

_FORMAT = 7
_LASTING = frozenset({"scanned", "encrypted", "damaged", "unsupported", "hostile", "too_large"})
"""Reasons why a file cannot be read as long as it does not change."""
_UNUSED_S = 14 * 86_400
_AT_ONCE = 2
_SHOWN = 300
"""The length in characters of a displayed passage."""


class ClosestPassage(NamedTuple):
    """A passage that may be the origin of a claim. `place` is as in a finding."""

    source: str
    place: dict[str, Any]
    text: str


class QuoteChecker:
    """Checks drafts against the sources in a folder."""

    def __init__(
        self,
        documents: DocumentLibrary,
        checked: dict[Path, CheckedDraft] | None = None,
    ) -> None:
        """Read with `documents`; store indexes in the platform's cache folder, and the findings of
        a draft in `checked`, by its real path.
        """
        self._checked = {} if checked is None else checked
        self._documents = documents
        self._folder = cache_dir() / "quotes"
        self._keys = ConversionStore(self._folder)
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def check(
        self, draft: Path, folder: Path, *, root: Path | None = None, stay_inside: bool = False
    ) -> CheckReport:
        """Return the report on a draft. `root`: the workspace, by default `folder`. `stay_inside`:
        all paths are real, and no link leads out of `folder`.

        Raises UsageError if the draft cannot be read. A source that fails is listed in the report.
        """
        text = await asyncio.to_thread(_text, draft, stay_inside)
        files = await asyncio.to_thread(_files, folder, draft, stay_inside)
        for path in [path for path, real in files.items() if _is_export(real, draft, text)]:
            del files[path]
        read, unused = await asyncio.to_thread(_bibliographies, text, draft, root or folder, files)
        sources = await self._sources(folder, files)
        keys = await asyncio.to_thread(_keys, folder, read, sources)
        place, inside = await asyncio.to_thread(lambda: (draft.resolve(), folder.resolve()))
        name = str(place.relative_to(inside)) if place.is_relative_to(inside) else draft.name
        report = await asyncio.to_thread(check, name, text, sources, keys)
        report = msgspec.structs.replace(report, unused=unused)
        self._checked[place] = CheckedDraft(text.split("\n"), report.findings)
        await asyncio.to_thread(delete_unused, self._folder, "*.words", _UNUSED_S)
        return report

    async def nearest(
        self, claim: str, draft: Path, folder: Path, most: int
    ) -> list[ClosestPassage]:
        """Return the passages of a folder's sources that share most with a claim of a draft, best
        first. They are not verdicts.
        """
        files = await asyncio.to_thread(_files, folder, draft, True)
        sources = await self._sources(folder, files)
        return await asyncio.to_thread(_nearest, claim, sources, most)

    async def appendix(self, draft: Path, root: Path) -> str:
        """Return the Markdown about its check for the export of a draft of the workspace. Raises
        UsageError if the draft cannot be read.
        """
        report = await self.check(draft, root, stay_inside=True)
        return await asyncio.to_thread(_appendix, report, draft, root)

    async def _sources(self, folder: Path, files: Mapping[str, Path]) -> list[CheckedSource]:
        sources = (self._source(path, folder / path, real) for path, real in files.items())
        return await asyncio.gather(*sources)

    async def _source(self, path: str, absolute: Path, real: Path) -> CheckedSource:
        async with self._turn:
            try:
                return CheckedSource(path, await self._kept(absolute, real))
            except (OSError, DogentError):
                return CheckedSource(path, SourceIndex("failed"))

    async def _kept(self, path: Path, real: Path) -> SourceIndex:
        state = await asyncio.to_thread(FileState.of, path)
        key = await asyncio.to_thread(self._keys.key, state, ReadOptions())
        place = self._folder / f"{key}-{_FORMAT}.words"
        if found := await asyncio.to_thread(_load, place):
            return found
        try:
            kept = await self._read(path, real)
        except DocumentError as error:
            kept = SourceIndex(error.code)
        if not kept.reason or kept.reason in _LASTING:
            await asyncio.to_thread(_save, place, kept)
        return kept

    async def _read(self, path: Path, real: Path) -> SourceIndex:
        """Read a whole document, including all sheets of a workbook. A block that continues the
        previous one becomes part of it. Raises DocumentError.
        """
        text, blocks, pages, sheets = "", list[Block](), 0, [""]
        for sheet in sheets:
            options, last, behind = ReadOptions(sheet=sheet), -2, len(text)
            offset: int | None = 0
            while offset is not None:
                try:
                    part = await self._documents.read(
                        path, options, max_chars=MOST_CHARS, offset=offset, place=real
                    )
                except DocumentError:
                    if not sheet:
                        raise
                    break  # a chart sheet
                for shown in part.sources:
                    if shown.start > last + 1 or blocks[-1].source != shown.source:
                        blocks.append(Block(behind + shown.start, shown.source))
                    last = shown.end
                text, offset = text + part.text, part.next_offset
            if not sheet:
                pages = part.metadata.get("pages") or 0
                listed = part.metadata.get("sheets") or []
                names = [each["name"] for each in listed if isinstance(each, dict)]
                sheets += [name for name in names if name != part.metadata.get("sheet")]
            text += "\n\n"
        return await asyncio.to_thread(make, text, blocks or [Block(0, Source())], pages)


def _nearest(claim: str, sources: Iterable[CheckedSource], most: int) -> list[ClosestPassage]:
    words = {word for word in words_of(claim).words if len(word) > 1 or is_han(word)}
    found = []
    for source in sources:
        index = source.index
        for begin, score in index.nearest(words, most):
            text = " ".join(readable(index.text[begin : begin + _SHOWN]).split())
            found.append((score, ClosestPassage(source.path, index.place(begin), text)))
    return [one for _, one in sorted(found, key=lambda scored: -scored[0])[:most]]


def _appendix(report: CheckReport, draft: Path, root: Path) -> str:
    beside = {
        source.path: quote(os.path.relpath(root / source.path, draft.parent))
        for source in report.sources
        if source.path.lower().endswith(".pdf")
    }
    records = SourceRecords(Workspace(root)).all()
    return appendix(report, beside | {record.file: record.url for record in records if record.url})


def _load(place: Path) -> SourceIndex | None:
    with contextlib.suppress(OSError, msgspec.DecodeError):
        os.utime(place)
        return msgspec.msgpack.decode(place.read_bytes(), type=SourceIndex)
    return None


def _save(place: Path, kept: SourceIndex) -> None:
    with contextlib.suppress(OSError):
        private_folder(place.parent)
        atomic_write(place, msgspec.msgpack.encode(kept), mode=0o600, durable=False)


def _text(draft: Path, is_real: bool) -> str:
    try:
        text, warnings = read_text(draft if is_real else draft.resolve())
    except DocumentError as error:
        raise UsageError(error.message, error.remedy) from None
    if warnings:  # its encoding was guessed
        raise UsageError(
            tr("{name} is not UTF-8 text.", name=draft.name),
            tr("Convert it to UTF-8 first."),
        )
    return text


def _files(folder: Path, draft: Path, stay_inside: bool) -> dict[str, Path]:
    """Return the files below `folder` except the draft, relative to it, with their real paths."""
    root, own = os.path.realpath(folder), os.path.realpath(draft)
    found = [inside + name for inside, _, names in scan(folder) for name in names]
    real = {path: Path(os.path.realpath(folder / path)) for path in [*found, *records_in(folder)]}
    return {
        path: file
        for path, file in sorted(real.items())
        if str(file) != own and is_file(file) and (file.is_relative_to(root) or not stay_inside)
    }


def _is_export(file: Path, draft: Path, text: str) -> bool:
    """Return whether a file is an export of the draft, which contains all of its quotations: it has
    the same name, and the draft does not name it.
    """
    is_beside = file.with_suffix("") == draft.with_suffix("")
    return is_beside and file.suffix in {".pdf", ".docx"} and file.name not in text


def _bibliographies(
    text: str, draft: Path, root: Path, files: dict[str, Path]
) -> tuple[list[Bibliography], list[str]]:
    """Return the bibliographies of a draft, including those removed from `files`; and the keys that
    the draft has a bibliography for but does not cite.
    """
    own = front_matter(text).bibliography
    named = named_bibliographies(root, own, draft.parent)
    real = {os.path.realpath(path) for path in named}
    listed = {
        name: path
        for name, path in files.items()
        if name.endswith((".bib", ".bibtex")) or str(path) in real
    }
    for name in listed:
        del files[name]
    more = [path for path in listed.values() if str(path) not in real]
    read = [*map(read_bibliography, [*named, *more])]
    cited = cited_keys(text)
    mine = read[: len(named)] if own else []
    mine = [each for each in mine if each.path != root / SOURCE_ENTRIES]
    entries = [entry for each in mine for entry in each.entries]
    return read, [entry.key for entry in entries if entry.key not in cited]


def _keys(
    folder: Path, read: Iterable[Bibliography], sources: Iterable[CheckedSource]
) -> dict[str, CitationTarget]:
    names = Names(source.path for source in sources)
    keys: dict[str, CitationTarget] = {}
    for bibliography in read:
        for entry in bibliography.entries:
            path: str | None = ""
            if said := bibliography.document(entry):
                beside = os.path.relpath(said, folder)
                path = names.path(beside) or names.path(entry.file)
                if path is None and is_file(said):  # for example in a reader's own library
                    path = ""
            keys.setdefault(entry.key, CitationTarget(path, work=entry.pages))
    return keys
