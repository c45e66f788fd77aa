"""Searches the contents of the Markdown files of a folder on all processors.

Forked processes count the matches in their share of the files, while ripgrep checks whether
anything is ignored. The lines to show are then read once more in path order, so that the same files
always give the same answer.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from dogent_tui.markdown_search.file_names import folders_of, ignore_filter, shown
from dogent_tui.markdown_search.match_counter import Chunk, Counts, count_matches, forked
from dogent_tui.markdown_search.matcher import Matcher, matcher, name_filter
from dogent_tui.markdown_search.model import (
    MOST_LINES,
    MOST_LINES_OF_FILE,
    FoundContent,
    FoundLine,
    SearchContent,
    is_markdown,
)
from dogent_tui.markdown_search.open_below import text_in
from dogent_tui.storage.places import real_folder

FORKS_FROM = 256
"""The number of files from which forking pays off."""
_CHUNK_FILES = 64
_MOST_PROCESSES = 8


def search_content(request: SearchContent, forks_from: int = FORKS_FROM) -> FoundContent:
    """Return the matches. Raises MarkdownSearchError for an invalid pattern, OSError if a process
    cannot be started.
    """
    root = request.scope.root
    wanted = matcher(request.query, regex=request.regex)
    fits = name_filter(request.file_pattern)
    folders = folders_of(request.scope)
    chunks: list[Chunk] = []
    for prefix, _, names in folders:
        fitting = [name for name in names if is_markdown(name) and fits(shown(prefix + name))]
        starts = range(0, len(fitting), _CHUNK_FILES)
        chunks += [(prefix, fitting[start : start + _CHUNK_FILES]) for start in starts]
    files = [prefix + name for prefix, names in chunks for name in names]
    results: Sequence[Callable[[], Counts]]
    if len(files) < forks_from:
        results = [partial(count_matches, root, wanted, chunks)]
    else:
        many = min(_processors(), _MOST_PROCESSES)
        shares = [chunks[place::many] for place in range(many)]
        results = [forked(partial(count_matches, root, wanted, share)) for share in shares]
    keeps = ignore_filter(request.scope, folders)
    counts = [result() for result in results]
    matched = sorted(
        (path, number)
        for each in counts
        for raw, number in each.matched
        if keeps(path := os.fsdecode(raw))
    )
    skipped = sum(keeps(os.fsdecode(raw)) for each in counts for raw in each.skipped)
    lines = _first_lines(root, wanted, [path for path, _ in matched])
    return FoundContent(
        lines=tuple(lines),
        matches=sum(number for _, number in matched),
        files_matched=len(matched),
        files_searched=sum(map(keeps, files)) - skipped,
        skipped=skipped,
    )


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _first_lines(root: str, wanted: Matcher, paths: Sequence[str]) -> list[FoundLine]:
    """Return the lines to show."""
    found: list[FoundLine] = []
    for path in paths:
        if len(found) >= MOST_LINES:
            break
        inside, _, name = path.rpartition("/")
        try:
            with real_folder(Path(root, inside)) as folder:
                data = text_in(folder, name)
        except OSError:  # it was deleted in the meantime
            continue
        places = wanted.lines(data, min(MOST_LINES_OF_FILE, MOST_LINES - len(found)))
        found += [FoundLine(shown(path), line, text) for line, text in places]
    return found
