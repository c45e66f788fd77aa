"""Searching the contents of the Markdown files of a folder, on all processors.

Forked processes count the matches of each file while the folder is still being walked; whether an
ignore file leaves something out is found out meanwhile. The lines that are shown are then read once
more, in the order of the paths, so that the same files always give the same answer.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from dogent_tui.markdown_search.file_names import shown
from dogent_tui.markdown_search.match_counter import Chunk, Counter, CountingProcess, Counts
from dogent_tui.markdown_search.matcher import Matcher, matcher, name_filter
from dogent_tui.markdown_search.model import (
    MOST_LINES,
    MOST_LINES_OF_FILE,
    FoundContent,
    FoundLine,
    Scope,
    SearchContent,
    is_markdown,
)
from dogent_tui.markdown_search.open_below import folder_below, text_in
from dogent_tui.references.file_walk import count, scan, walk

FORKS_FROM = 256
"""Files from which on it pays to fork."""
_CHUNK_FILES = 64
_MOST_PROCESSES = 8


def search_content(request: SearchContent, forks_from: int = FORKS_FROM) -> FoundContent:
    """Return what was found. Raises ManuscriptError where a pattern is none, OSError where a
    process cannot be had.
    """
    wanted = matcher(request.query, regex=request.regex)
    files = _Files(request.scope, name_filter(request.file_pattern))
    counts = _count(request.scope.root, wanted, files, forks_from)
    matched = sorted(
        (path, number) for raw, number in counts.matched if files.keeps(path := os.fsdecode(raw))
    )
    skipped = sum(files.keeps(os.fsdecode(raw)) for raw in counts.skipped)
    lines = _first_lines(request.scope.root, wanted, [path for path, _ in matched])
    return FoundContent(
        lines=tuple(lines),
        matches=sum(number for _, number in matched),
        files_matched=len(matched),
        files_searched=files.kept() - skipped,
        skipped=skipped,
    )


class _Files:
    """The walk: gives files as it comes by them, and knows afterwards which of them an ignore
    file leaves out.
    """

    def __init__(self, scope: Scope, fits: Callable[[str], bool]) -> None:
        self._root, self._without, self._fits = Path(scope.root), scope.without, fits
        self._there = 0
        self._given: list[Chunk] = []
        self._allowed: frozenset[str] | None = None

    def chunks(self) -> Iterator[Chunk]:
        for inside, folders, names in scan(self._root, self._without):
            self._there += len(folders) + len(names)
            prefix = shown(f"{inside}/") if inside else ""
            wanted = [
                name for name in names if is_markdown(name) and self._fits(prefix + shown(name))
            ]
            for start in range(0, len(wanted), _CHUNK_FILES):
                self._given.append((inside, wanted[start : start + _CHUNK_FILES]))
                yield self._given[-1]

    def look_for_ignored(self) -> None:
        """Find out what an ignore file leaves out. Only that something is left out costs much."""
        if count(self._root, self._without) != self._there:
            self._allowed = frozenset(walk(self._root, without=self._without))

    def keeps(self, path: str) -> bool:
        """Tell whether no ignore file leaves the file out."""
        return self._allowed is None or path in self._allowed

    def kept(self) -> int:
        """Return how many of the files that were given no ignore file leaves out."""
        if self._allowed is None:
            return sum(len(names) for _, names in self._given)
        return sum(
            self.keeps(f"{inside}/{name}" if inside else name)
            for inside, names in self._given
            for name in names
        )


def _count(root: str, wanted: Matcher, files: _Files, forks_from: int) -> Counts:
    chunks = files.chunks()
    first: list[Chunk] = []
    while (
        sum(len(names) for _, names in first) < forks_from
        and (chunk := next(chunks, None)) is not None
    ):
        first.append(chunk)
    more = next(chunks, None)
    if more is None:
        counter = Counter(root, wanted)
        for chunk in first:
            counter.add(chunk)
        files.look_for_ignored()
        return counter.finish()
    processes: list[CountingProcess] = []
    for _ in range(_processes()):
        processes.append(CountingProcess(root, wanted, processes))
    for number, chunk in enumerate(chain(first, [more], chunks)):
        processes[number % len(processes)].send(chunk)
    for process in processes:
        process.finish()
    files.look_for_ignored()
    return _together([process.counts() for process in processes])


def _processes() -> int:
    available = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return min(available, _MOST_PROCESSES)


def _together(parts: Sequence[Counts]) -> Counts:
    return Counts(
        [found for part in parts for found in part.matched],
        [path for part in parts for path in part.skipped],
    )


def _first_lines(root: str, wanted: Matcher, paths: Sequence[str]) -> list[FoundLine]:
    """Return the lines that are shown."""
    found: list[FoundLine] = []
    for path in paths:
        if len(found) >= MOST_LINES:
            break
        inside, _, name = path.rpartition("/")
        try:
            with folder_below(root, inside) as folder:
                data = text_in(folder, name)
        except OSError:  # it went away meanwhile
            continue
        places = wanted.lines(data, min(MOST_LINES_OF_FILE, MOST_LINES - len(found)))
        found += [FoundLine(shown(path), line, text) for line, text in places]
    return found
