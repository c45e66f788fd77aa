"""The files of a workspace, searchable with every key: walked in the background, matched in Rust.

The names are kept between starts, so that results are available at once; changes are followed while
the application runs.
"""

import logging
import os
import stat
import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from dogent_tui.records import Record
from dogent_tui.references.file_walk import walk
from dogent_tui.storage.files import atomic_write, private_folder

if TYPE_CHECKING:
    from frizbee import Haystacks

_LOG = logging.getLogger(__name__)

LIMIT = 200_000
"""The maximum number of indexed paths: beyond it a walk takes seconds, and no one looks for a file
by name.
"""

_RECENT = 8
"""The number of recently changed files listed first for an empty query."""

_SUGGESTIONS = 1_000
"""The number of paths to sort for an empty query."""

_CANDIDATES = 200
"""The number of best matches to rank again, names before folders."""

_IN_NAME_BONUS = 16
"""The bonus for a match inside the file name, on frizbee's scale (12 per matched character)."""

_LONGEST_QUERY = 256

_STEP = 5_000

_FIRST = 2_000
"""The number of paths to show as soon as they are found in a first walk; then twice as many, and so
on.
"""

_STEP_MS = 250
"""How often to check for changes and for the end."""


class FileHit(Record):
    """A matching file or folder. `path` is relative to the root, with ``/``, and ends in one for a
    folder.

    `positions` are the ascending indices of the characters of `path` that the query matched.
    """

    path: str
    positions: tuple[int, ...] = ()

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.path.endswith("/")


class _Snapshot(Record):
    """The result of one walk. Immutable, so that searches need no lock: a refresh replaces it."""

    paths: Sequence[str]  # sorted; a folder ends in "/"
    suggestions: Sequence[str]
    haystacks: "Haystacks"
    is_whole: bool = True


class FileIndex:
    """The paths below `root` that are not hidden or ignored by git. Searching is safe during a
    refresh.
    """

    def __init__(self, root: Path, limit: int = LIMIT, kept: Path | None = None) -> None:
        """Index `root`, up to `limit` paths. `kept` is the file that stores them between starts."""
        self.root = root.absolute()
        self._kept = kept
        self._changed = threading.Event()
        self._changed.set()
        self.is_followed = False
        """Whether changes are followed, so that a refresh without changes costs nothing."""
        self._limit = limit
        self._snapshot: _Snapshot | None = None
        self._wanted = threading.Event()
        self._refreshing = threading.Lock()
        self._stopped = threading.Event()

    @property
    def ready(self) -> bool:
        """Whether a complete walk is available, from this time or the last."""
        return self._snapshot is not None and self._snapshot.is_whole

    def __len__(self) -> int:
        return len(self._snapshot.paths) if self._snapshot else 0

    def refresh(self) -> None:
        """Walk the folder again. Blocks for one to three seconds per 100,000 paths: call it in a
        thread.

        Returns at once if another thread is already doing so, which then walks once more, or if
        changes are followed and there are none. Unreadable folders are left out.
        """
        if self.is_followed and not self._changed.is_set():
            return
        self._known()
        self._wanted.set()
        while self._wanted.is_set() and self._refreshing.acquire(blocking=False):
            try:
                self._wanted.clear()
                self._changed.clear()
                snapshot = self._walked()
                if not self._stopped.is_set():
                    before, self._snapshot = self._snapshot, snapshot
                    if self._kept is not None and (
                        before is None or before.paths != snapshot.paths
                    ):
                        _keep(self._kept, snapshot)
            finally:
                self._refreshing.release()

    def follow(self) -> None:
        """Follow changes in the folder until `stop`: a refresh then walks only if something has
        changed.

        Starts a thread. If the system cannot follow any more folders, every refresh walks.
        """
        threading.Thread(target=self._follow, name="file-changes", daemon=True).start()

    def _follow(self) -> None:
        from watchfiles import watch

        try:
            changes = watch(
                self.root,
                watch_filter=None,
                stop_event=self._stopped,
                step=_STEP_MS,
                rust_timeout=1000,
                yield_on_timeout=True,
            )
            for found in changes:
                if found or not self.is_followed:  # the next walk must find earlier changes
                    self._changed.set()
                self.is_followed = True
        except (OSError, RuntimeError) as error:
            _LOG.info("Changes of files are not followed: %s", error)
        finally:
            self.is_followed = False

    def _known(self) -> _Snapshot | None:
        """Return the known paths, those of the last start if none have been found yet."""
        if self._snapshot is None and self._kept is not None:
            self._snapshot = _read(self._kept)
        return self._snapshot

    def _walked(self) -> _Snapshot:
        """Return what a walk finds; what it has found so far can be searched if nothing else is
        known.
        """
        times: dict[str, float] = {}
        shown = _FIRST
        # A name that is not UTF-8 can be neither shown nor sent.
        paths = filter(_is_encodable, walk(self.root, self._stopped.is_set))
        for path in islice(paths, self._limit):
            found = _look(f"{self.root}/{path}")
            if found is not None:
                times[f"{path}/" if stat.S_ISDIR(found.st_mode) else path] = found.st_mtime
            if len(times) >= shown:
                shown *= 4
                if self._snapshot is None or not self._snapshot.is_whole:
                    self._snapshot = _found(times, is_whole=False)
        return _found(times)

    def stop(self) -> None:
        """End a refresh in another thread and prevent later ones, because the application is
        closing.
        """
        self._stopped.set()

    def search(self, query: str, limit: int = 50) -> list[FileHit]:
        """Return the paths that match `query`, best first: its characters in order, its words in
        any order.

        An empty query returns recently changed files, then those nearest to the root. If nothing
        matches, a file of that name counts that is new, hidden or ignored; if there is none, one
        typo is allowed.
        """
        snapshot = self._known()
        name = _encodable(query[:_LONGEST_QUERY])
        words = name.split()
        if snapshot is None or limit <= 0:
            return []
        if not words:
            return [FileHit(path) for path in snapshot.suggestions[:limit]]
        if found := _match(snapshot, words, limit, typos=0):
            return found
        named = _look(f"{self.root}/{name}")
        if named is not None and stat.S_ISREG(named.st_mode):
            return [FileHit(name)]
        return _match(snapshot, words, limit, typos=1)

    def browse(self, folder: str = "") -> list[FileHit]:
        """Return the direct children of `folder` (``"docs"`` or ``"docs/"``, empty for the root):
        folders first, then files.
        """
        snapshot = self._known()
        if snapshot is None:
            return []
        prefix = folder.strip("/") + "/" if folder.strip("/") not in ("", ".") else ""
        hits = [FileHit(path) for path in _children(snapshot.paths, prefix)]
        return sorted(hits, key=lambda hit: not hit.is_folder)


def _children(paths: Sequence[str], prefix: str) -> Iterator[str]:
    """Yield the direct children of `prefix` in the sorted `paths`, skipping deeper ones."""
    at = bisect_left(paths, prefix)
    while at < len(paths) and paths[at].startswith(prefix):
        path = paths[at]
        slash = path.find("/", len(prefix))
        if path == prefix:
            at += 1
        elif slash < 0:
            yield path
            at += 1
        else:
            child = path[: slash + 1]
            yield child
            # "0" is the character after "/": past all its contents
            at = bisect_left(paths, child[:-1] + "0", lo=at)


def _match(snapshot: _Snapshot, words: list[str], limit: int, typos: int) -> list[FileHit]:
    from frizbee import Matcher

    # In a short word every other letter would be a typo.
    if typos and max(map(len, words)) < 4:
        return []
    matcher = Matcher.from_patterns(words, max_typos=typos, max_items=max(limit, _CANDIDATES))
    scored = []
    for match in matcher.match_list(snapshot.haystacks):  # releases the interpreter lock
        path = snapshot.paths[match.index]
        details = matcher.match_one_indices(path, match.index)
        positions = _characters(path, details.indices) if details else ()
        name_start = path.rstrip("/").rfind("/") + 1
        bonus = _IN_NAME_BONUS if positions and positions[0] >= name_start else 0
        scored.append((-match.score - bonus, path.count("/"), len(path), path, positions))
    scored.sort()
    return [FileHit(path, positions) for *_, path, positions in scored[:limit]]


def _characters(path: str, byte_positions: Iterable[int]) -> tuple[int, ...]:
    """Convert indices of bytes in the UTF-8 form of `path`, as frizbee returns them, to indices of
    characters.
    """
    if path.isascii():
        return tuple(sorted(byte_positions))
    character_of = [index for index, character in enumerate(path) for _ in character.encode()]
    return tuple(sorted({character_of[position] for position in byte_positions}))


def _found(times: dict[str, float], *, is_whole: bool = True) -> _Snapshot:
    paths = _sorted_in_steps(list(times))
    return _Snapshot(paths, _suggest(paths, times), _haystacks(paths), is_whole)


def _look(path: str) -> os.stat_result | None:
    """Return the state of a file or folder; None if `path` is neither."""
    try:
        found = os.stat(path)  # noqa: PTH116 (a Path per file costs more than the call)
    except (OSError, ValueError):
        return None
    return found if stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode) else None


def _haystacks(paths: Sequence[str]) -> "Haystacks":
    from frizbee import Haystacks

    haystacks = Haystacks()
    for step in _steps(paths):
        haystacks.extend(step)
    return haystacks


def _keep(file: Path, snapshot: _Snapshot) -> None:
    """Store the names for the next start. If that fails, the next start walks first."""
    parts = ("\0".join(snapshot.suggestions), "\0".join(snapshot.paths))
    with suppress(OSError):
        private_folder(file.parent)
        atomic_write(file, "\0\0".join(parts), mode=0o600, durable=False)


def _read(file: Path) -> _Snapshot | None:
    """Return the stored names, None if there are none."""
    try:
        suggestions, paths = (
            part.split("\0") if part else []
            for part in file.read_text(encoding="utf-8").split("\0\0")
        )
    except (OSError, ValueError):
        return None
    return _Snapshot(paths, suggestions, _haystacks(paths))


def _steps(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split `paths` into chunks so small that a call on one, which holds the interpreter lock, does
    not noticeably delay a key.
    """
    return (paths[start : start + _STEP] for start in range(0, len(paths), _STEP))


def _sorted_in_steps(paths: Sequence[str]) -> list[str]:
    """Return `paths` sorted. A single `sorted` of 100,000 would block the screen for 50 ms; the
    interpreted merge yields to other threads.
    """
    from heapq import merge

    return list(merge(*(sorted(step) for step in _steps(paths))))


def _is_encodable(path: str) -> bool:
    return path.isascii() or path == _encodable(path)


def _encodable(text: str) -> str:
    """Return `text` without lone surrogates, which represent bytes that are not UTF-8."""
    return text.encode("utf-8", errors="ignore").decode("utf-8")


def _suggest(paths: Sequence[str], times: dict[str, float]) -> list[str]:
    """Return the suggestions for an empty query: recently changed files, then those nearest to the
    root.
    """
    from heapq import nlargest, nsmallest

    files = (path for path in paths if not path.endswith("/"))
    recent = nlargest(_RECENT, files, key=lambda path: (times[path], -path.count("/")))
    shallow = nsmallest(
        _SUGGESTIONS,
        paths,
        key=lambda path: (path.rstrip("/").count("/"), path.endswith("/"), path.lower()),
    )
    return list(dict.fromkeys([*recent, *shallow]))
