"""Reads the layer of a command that has ended: how it differs from the real workspace.

The layer is the upper directory of an overlay. It holds exactly what the command touched, so
nothing here walks the workspace. Of files that were opened but not changed, only a new time counts.
"""

# Names are strings from `os.fsdecode`: for tens of thousands, Path objects take three times as
# long.
# ruff: noqa: PTH116, PTH118, PTH119, PTH120, PTH123, PTH208

import contextlib
import errno
import hashlib
import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice, zip_longest
from os.path import basename, dirname, join
from typing import TypeAlias

from msgspec import structs

from dogent_tui.undo.changes import (
    Change,
    Difference,
    Entry,
    entries_below,
    entry_at,
    is_below,
    own_attributes,
)
from dogent_tui.undo.file_moves import opened_to_us

_PIECE = 1 << 18
"""Bytes to compare at a time. Files of the same size are told apart by their first piece."""
_TRIED = 8
"""The number of files with the same size and first piece to compare in full."""

_Entries: TypeAlias = dict[str, Entry]


def read_difference(root: str, upper: str, began_ns: int) -> Difference:
    """Read what a command did.

    Args:
        root: The real workspace.
        upper: The layer: the upper directory of the overlay, after the command's last process.
        began_ns: The ctime of a file created in the workspace's file system just before the start.

    Returns:
        The changes, sorted by path.

    Raises:
        OSError: Something cannot be read, so the layer cannot be judged.
    """
    times: list[tuple[str, int]] = []
    with contextlib.ExitStack() as opened:
        found = sorted(_below(root, upper, opened, times), key=lambda change: change.path)
    return Difference(root, upper, began_ns, with_moves(root, upper, found), tuple(times))


def _is_opaque(path: str) -> bool:
    """Return whether a folder of the layer replaces the real one instead of adding to it."""
    with contextlib.suppress(OSError):
        return os.getxattr(path, "user.overlay.opaque", follow_symlinks=False) == b"y"
    return False


def same_content(one: str, other: str) -> bool:
    """Return whether two files have the same content; False if one cannot be read."""
    with contextlib.suppress(OSError), open(one, "rb", 0) as old, open(other, "rb", 0) as new:
        is_equal = os.fstat(old.fileno()).st_size == os.fstat(new.fileno()).st_size
        pairs = zip_longest(_pieces(old.fileno()), _pieces(new.fileno()))
        return is_equal and all(first == second for first, second in pairs)
    return False


def _pieces(file: int) -> Iterator[tuple[int, bytes]]:
    """Yield the pieces of a file that hold more than zero bytes, each with its place. Holes, which
    can be larger than any disk, are not read.
    """
    place, size = 0, os.fstat(file).st_size
    while True:
        try:
            place = os.lseek(file, place, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
        place -= place % _PIECE
        if not (piece := os.pread(file, min(_PIECE, size - place), place)):
            return
        if piece.strip(b"\0"):
            yield place, piece
        place += len(piece)


# ── Reading the layer ─────────────────────────────────────────────────────────────────────────────


def _below(
    root: str, upper: str, opened: contextlib.ExitStack, times: list[tuple[str, int]]
) -> Iterator[Change]:
    """Yield the changes, unordered, and add to `times` what has nothing new but its time. Folders
    that the command closed are `opened`.
    """
    waiting = [("", True, False)]
    while waiting:
        folder, beneath, hides = waiting.pop()
        here = join(upper, folder)
        opened.enter_context(opened_to_us(here, os.stat(here).st_mode))
        names = os.listdir(here)
        for path in (join(folder, name) for name in names):
            old, new = join(root, path), join(upper, path)
            before, after = entry_at(old) if beneath else None, entry_at(new)
            # a whiteout: commands cannot create devices
            if after is None or after.kind == "device":
                yield from _gone(root, path) if beneath else ()
                continue
            was_folder = before is not None and before.kind == "folder"
            if after.kind == "folder":
                waiting.append((path, was_folder, hides or (was_folder and _is_opaque(new))))
            elif was_folder:
                yield from islice(_gone(root, path), 1, None)
            if not is_same(old, new, before, after):
                yield with_blank(root, upper, Change(path, before, after))
            elif before is not None and before.mtime_ns != after.mtime_ns:
                times.append((path, after.mtime_ns))
        if beneath and hides:
            for name in set(os.listdir(join(root, folder))).difference(names):
                yield from _gone(root, join(folder, name))


def _gone(root: str, path: str) -> Iterator[Change]:
    """Return the deletion of the real entry at `path`, then of everything below it."""
    return (Change(each, before, None) for each, before in entries_below(root, path))


def _is_lock(change: Change) -> bool:
    """Return whether this is a lock that a killed Git left, which would stop every later Git."""
    is_named = change.path.endswith(".lock") and ".git" in change.path.split("/")
    return is_named and change.before is None


def is_same(old: str, new: str, before: Entry | None, after: Entry) -> bool:
    """Return whether `before` at the path `old` and `after` at the path `new` are the same apart
    from their paths.
    """
    if before is None or (before.kind, before.target) != (after.kind, after.target):
        return False
    is_same = before.mode == after.mode
    if is_same and after.kind == "file":
        is_same = before.size == after.size and same_content(old, new)
    has_attributes = after.kind in ("file", "folder")
    return is_same and not (has_attributes and own_attributes(old) != own_attributes(new))


def with_blank(root: str, upper: str, change: Change) -> Change:
    """Return a change, marked if a file now holds nothing but zero bytes and held more before."""
    before, after = change.before, change.after
    if before is None or after is None or not before.kind == after.kind == "file" or not after.size:
        return change
    is_blank = _is_blank(join(upper, change.path)) and not _is_blank(join(root, change.path))
    return structs.replace(change, after=structs.replace(after, blank=True)) if is_blank else change


def _is_blank(path: str) -> bool:
    """Return whether a file holds nothing but zero bytes; False if it cannot be read."""
    with contextlib.suppress(OSError), open(path, "rb", 0) as file:
        return next(_pieces(file.fileno()), None) is None
    return False


# ── Pairing what was moved ────────────────────────────────────────────────────────────────────────


def with_moves(root: str, upper: str, changes: list[Change]) -> tuple[Change, ...]:
    """Return the changes with moves recognized, including all that a moved folder contains, and
    without the locks of a killed Git. Single files inside `.git` are never reported as moved.
    """
    changes = [each for each in changes if not _is_lock(each)]
    gone = {each.path: each.before for each in changes if each.before and not each.after}
    made = {each.path: each.after for each in changes if each.after and not each.before}
    files = _paired_files(root, upper, gone, made)
    to = dict(_paired_folders(root, upper, gone, made, files))
    arrived = {*to.values()}
    for old, new in files.items():
        if new not in arrived and ".git" not in old.split("/"):
            to.setdefault(old, new)
    came = {new: old for old, new in to.items()}
    return tuple(
        Change(each.path, each.before, each.after, to.get(each.path, ""), came.get(each.path, ""))
        for each in changes
    )


def _paired_folders(
    root: str, upper: str, gone: _Entries, made: _Entries, files: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the old and new path of each folder that moved unchanged, and of all that it contains.
    The files that moved tell where to look.
    """
    old_paths, new_paths = sorted(gone), sorted(made)
    found, taken = set[str](), set[str]()
    for old in old_paths if files else ():
        if gone[old].kind != "folder" or ".git" in dirname(old).split("/") or is_below(old, found):
            continue
        held = held_in(old, old_paths)
        places = {files[old + rest].removesuffix(rest) for rest in held if old + rest in files}
        for new in sorted(places - taken):
            if (
                new in made
                and not is_below(new, taken)
                and held_in(new, new_paths) == held
                and all(
                    is_same(join(root, one), join(upper, other), gone[one], made[other])
                    for one, other in ((old + rest, new + rest) for rest in ("", *held))
                )
            ):
                found.add(old)
                taken.add(new)
                yield from ((old + rest, new + rest) for rest in ("", *held))
                break


def held_in(folder: str, paths: list[str]) -> list[str]:
    """Return which of the sorted `paths` are below a folder, without the folder's own path."""
    found = paths[bisect_left(paths, f"{folder}/") : bisect_left(paths, f"{folder}0")]
    return [path.removeprefix(folder) for path in found]


def _paired_files(root: str, upper: str, gone: _Entries, made: _Entries) -> dict[str, str]:
    """Return the new path of each file or link that moved, matched by name first."""
    sizes = {entry.size for entry in gone.values()} & {entry.size for entry in made.values()}
    old = {path: _look(root, path, entry) for path, entry in gone.items() if entry.size in sizes}
    new = {path: _look(upper, path, entry) for path, entry in made.items() if entry.size in sizes}
    found: dict[str, str] = {}
    for by_name in (True, False):
        free: dict[tuple[object, ...], list[str]] = defaultdict(list)
        for path in sorted(new.keys() - found.values(), reverse=True):
            free[new[path], by_name and basename(path)].append(path)
        for path in sorted(old.keys() - found.keys()):
            there = free[old[path], by_name and basename(path)]
            tried = there[-_TRIED:] if old[path] and (by_name or gone[path].size) else []
            is_read, real = gone[path].size <= _PIECE, join(root, path)
            same = (to for to in tried[::-1] if is_read or same_content(real, join(upper, to)))
            for each in islice(same, 1):
                found[path] = each
                there.remove(each)
    return found


def _look(top: str, path: str, entry: Entry) -> tuple[object, ...]:
    """Return a fingerprint of a file or link; empty for what is never reported as moved."""
    if entry.kind == "link":
        return (entry.target,)
    if entry.kind == "file":
        with contextlib.suppress(OSError), open(join(top, path), "rb", 0) as file:
            return entry.size, hashlib.sha256(file.read(_PIECE)).digest()
    return ()
