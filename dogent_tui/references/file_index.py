"""The files of a workspace, ready to be searched with every key: walked in the background, matched
in Rust.

The names are kept between starts, so that there is something to find at once; what changes is
followed while we run.
"""

import logging
import os
import stat
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dogent_tui.references.file_walk import walk
from dogent_tui.storage.files import atomic_write, private_folder

if TYPE_CHECKING:
    from frizbee import Haystacks

_LOG = logging.getLogger(__name__)

LIMIT = 200_000
"""So many paths are indexed at most: beyond, a walk takes seconds and nobody looks for a file by
its name.
"""

_RECENT = 8
"""So many files changed last come first while nothing is typed yet."""

_SUGGESTIONS = 1_000
"""So many paths are put in order for an empty query."""

_CANDIDATES = 200
"""So many of the best matches are looked at again, to put names before folders."""

_IN_NAME_BONUS = 16
"""What a match inside the file's own name is worth more, on frizbee's scale (12 for each matched
character).
"""

_LONGEST_QUERY = 256

_STEP = 5_000

_FIRST = 2_000
"""So many paths are shown as soon as they are found, where nothing is known yet; then twice as
many, and so on.
"""

_STEP_MS = 250
"""How often it is looked for changes, and for the end."""


class FileHit(msgspec.Struct, frozen=True):
    """A file or folder that was found. `path` is relative to the root, with ``/``, and ends in one
    for a folder.

    `positions` are the indices of the characters of `path` that the query matched, rising.
    """

    path: str
    is_folder: bool
    positions: tuple[int, ...] = ()


class _Snapshot(msgspec.Struct, frozen=True):
    """What one walk found. Never changed, so that a search needs no lock: a refresh swaps it for
    another.
    """

    paths: Sequence[str]  # sorted; a folder ends in "/"
    suggestions: Sequence[str]
    haystacks: "Haystacks"
    is_whole: bool = True


class FileIndex:
    """The paths below `root` that git does not ignore and that are not hidden. Searches are safe
    while a refresh runs.
    """

    def __init__(self, root: Path, limit: int = LIMIT, kept: Path | None = None) -> None:
        """Index `root`, up to `limit` paths. `kept` is the file that keeps them between starts."""
        self.root = root.absolute()
        self._kept = kept
        self._changed = threading.Event()
        self._changed.set()
        self.is_followed = False
        """Whether changes are followed, so that a refresh without any costs nothing."""
        self._limit = limit
        self._snapshot: _Snapshot | None = None
        self._wanted = threading.Event()
        self._refreshing = threading.Lock()
        self._stopped = threading.Event()

    @property
    def ready(self) -> bool:
        """Whether all is known, from a walk of this time or the last."""
        return self._snapshot is not None and self._snapshot.is_whole

    def __len__(self) -> int:
        return len(self._snapshot.paths) if self._snapshot else 0

    def refresh(self) -> None:
        """Walk the folder again. Blocks for one to three seconds per 100,000 paths: call it in a
        thread.

        Returns at once if another thread is at it already, which walks once more then, or if
        changes are followed and there are none. What cannot be read is left out.
        """
        if self.is_followed and not self._changed.is_set():
            return
        self._known()
        self._wanted.set()
        while self._wanted.is_set() and self._refreshing.acquire(blocking=False):
            try:
                self._wanted.clear()
                self._changed.clear()
                snapshot = _Walk(self.root, self._limit, self._stopped, self._show).snapshot()
                if not self._stopped.is_set():
                    before, self._snapshot = self._snapshot, snapshot
                    if self._kept is not None and (
                        before is None or before.paths != snapshot.paths
                    ):
                        _keep(self._kept, snapshot)
            finally:
                self._refreshing.release()

    def follow(self) -> None:
        """Follow what changes in the folder until `stop`: a refresh walks only where something did.

        Starts a thread. Where the system follows no more folders, each refresh walks.
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
                if (
                    found or not self.is_followed
                ):  # what changed before it was followed, the next walk has to find
                    self._changed.set()
                self.is_followed = True
        except (OSError, RuntimeError) as error:
            _LOG.info("Changes of files are not followed: %s", error)
        finally:
            self.is_followed = False

    def _known(self) -> _Snapshot | None:
        """Return what is known, from the last start where nothing was found yet."""
        if self._snapshot is None and self._kept is not None:
            self._snapshot = _read(self._kept)
        return self._snapshot

    def _show(self, partial: "_Snapshot") -> None:
        """Have what was found so far be searched, where nothing else is known."""
        if self._snapshot is None or not self._snapshot.is_whole:
            self._snapshot = partial

    def stop(self) -> None:
        """End a refresh that runs in another thread, and all later ones, because the application
        closes.
        """
        self._stopped.set()

    def search(self, query: str, limit: int = 50) -> list[FileHit]:
        """Return the paths that match `query` best, best first: its characters in this order, words
        apart in any order.

        An empty query gives files changed lately, then those nearest to the root. Without any
        match, one typo is forgiven.
        """
        snapshot = self._known()
        words = _encodable(query[:_LONGEST_QUERY]).split()
        if snapshot is None or limit <= 0:
            return []
        if not words:
            return [_hit(path) for path in snapshot.suggestions[:limit]]
        return _match(snapshot, words, limit, typos=0) or _match(snapshot, words, limit, typos=1)

    def browse(self, folder: str = "") -> list[FileHit]:
        """Return what lies directly in `folder` (``"docs"`` or ``"docs/"``, empty for the root):
        folders first, then files.
        """
        snapshot = self._known()
        if snapshot is None:
            return []
        prefix = folder.strip("/") + "/" if folder.strip("/") not in ("", ".") else ""
        hits = [_hit(path) for path in _children(snapshot.paths, prefix)]
        return sorted(hits, key=lambda hit: not hit.is_folder)


def _hit(path: str, positions: tuple[int, ...] = ()) -> FileHit:
    return FileHit(path, path.endswith("/"), positions)


def _children(paths: Sequence[str], prefix: str) -> Iterator[str]:
    """Yield the paths of sorted `paths` directly under `prefix`, without a look at what lies
    deeper.
    """
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
            at = bisect_left(
                paths, child[:-1] + "0", lo=at
            )  # "0" is the character after "/": past all that lies in it


def _match(snapshot: _Snapshot, words: list[str], limit: int, typos: int) -> list[FileHit]:
    from frizbee import Matcher

    # Of a short word every other letter would be a typo.
    if typos and max(map(len, words)) < 4:
        return []
    matcher = Matcher.from_patterns(words, max_typos=typos, max_items=max(limit, _CANDIDATES))
    scored = []
    for match in matcher.match_list(snapshot.haystacks):  # without the interpreter's lock
        path = snapshot.paths[match.index]
        details = matcher.match_one_indices(path, match.index)
        positions = _characters(path, details.indices) if details else ()
        name_start = path.rstrip("/").rfind("/") + 1
        bonus = _IN_NAME_BONUS if positions and positions[0] >= name_start else 0
        scored.append((-match.score - bonus, path.count("/"), len(path), path, positions))
    scored.sort()
    return [_hit(path, positions) for *_, path, positions in scored[:limit]]


def _characters(path: str, byte_positions: Iterable[int]) -> tuple[int, ...]:
    """Return the indices of the characters of `path` that hold these bytes of its UTF-8 form,
    which is what frizbee counts.
    """
    if path.isascii():
        return tuple(sorted(byte_positions))
    character_of = [index for index, character in enumerate(path) for _ in character.encode()]
    return tuple(sorted({character_of[position] for position in byte_positions}))


class _Walk:
    """One walk over a folder, and what it found."""

    def __init__(
        self, root: Path, limit: int, stopped: threading.Event, show: Callable[[_Snapshot], None]
    ) -> None:
        """Walk `root`. `show` is given what was found so far, more and more of it."""
        self._show = show
        self._root = root
        self._limit = limit
        self._stopped = stopped

    def snapshot(self) -> _Snapshot:
        """Return what there is."""
        times: dict[str, float] = {}
        shown = _FIRST
        for path in self._paths():
            kind_and_time = self._look(path)
            if kind_and_time is not None:
                is_folder, changed = kind_and_time
                times[f"{path}/" if is_folder else path] = changed
            if len(times) >= shown:
                shown *= 4
                self._show(self._of(times, is_whole=False))
        return self._of(times)

    def _of(self, times: dict[str, float], *, is_whole: bool = True) -> _Snapshot:
        paths = _sorted_in_steps(list(times))
        return _Snapshot(paths, _suggest(paths, times), _haystacks(paths), is_whole)

    def _paths(self) -> Iterator[str]:
        """Yield the paths below the root, relative to it, up to the limit."""
        count = 0
        for path in walk(self._root, self._stopped.is_set):
            if not path.isascii() and path != _encodable(path):
                continue  # a name that is not UTF-8 can neither be shown nor sent
            if count == self._limit:
                return
            count += 1
            yield path

    def _look(self, path: str) -> tuple[bool, float] | None:
        """Return whether `path` is a folder, and when it was changed; None for what is neither
        file nor folder.
        """
        try:
            found = os.stat(f"{self._root}/{path}")  # noqa: PTH116 (a Path per file costs more than the call)
        except OSError:
            return None
        is_folder = stat.S_ISDIR(found.st_mode)
        return (is_folder, found.st_mtime) if is_folder or stat.S_ISREG(found.st_mode) else None


def _haystacks(paths: Sequence[str]) -> "Haystacks":
    from frizbee import Haystacks

    haystacks = Haystacks()
    for step in _steps(paths):
        haystacks.extend(step)
    return haystacks


def _keep(file: Path, snapshot: _Snapshot) -> None:
    """Keep the names for the next start. Where that is not possible, the next one walks first."""
    parts = ("\0".join(snapshot.suggestions), "\0".join(snapshot.paths))
    with suppress(OSError):
        private_folder(file.parent)
        atomic_write(file, "\0\0".join(parts), mode=0o600, durable=False)


def _read(file: Path) -> _Snapshot | None:
    """Return what was kept, None where nothing was."""
    try:
        suggestions, paths = (
            part.split("\0") if part else []
            for part in file.read_text(encoding="utf-8").split("\0\0")
        )
    except (OSError, ValueError):
        return None
    return _Snapshot(paths, suggestions, _haystacks(paths))


def _steps(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield `paths` in parts so small that a call on one, which keeps the interpreter's lock,
    delays no key noticeably.
    """
    return (paths[start : start + _STEP] for start in range(0, len(paths), _STEP))


def _sorted_in_steps(paths: Sequence[str]) -> list[str]:
    """Return `paths` sorted. One `sorted` of 100,000 would stop the screen for 50 ms; the merge
    is interpreted, and gives way.
    """
    from heapq import merge

    return list(merge(*(sorted(step) for step in _steps(paths))))


def _encodable(text: str) -> str:
    """Return `text` without the lone surrogates that stand for bytes that are not UTF-8."""
    return text.encode("utf-8", errors="ignore").decode("utf-8")


def _suggest(paths: Sequence[str], times: dict[str, float]) -> list[str]:
    """Return what to offer before anything is typed: what was changed last, then the files
    nearest to the root.
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
