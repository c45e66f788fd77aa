"""Reads the layer of a command that has ended: what is other than in the real workspace.

The layer is the upper directory of an overlay. It holds exactly what the command touched, so that
nothing here walks the workspace. What was only opened is equal to the real one, and is left out.
"""

# Names are text from `os.fsdecode`, by the ten thousand: a Path for each takes three times as long.
# ruff: noqa: PTH101, PTH115, PTH116, PTH118, PTH119, PTH120, PTH123, PTH208

import contextlib
import hashlib
import os
import stat
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Iterator
from itertools import islice
from os.path import basename, dirname, join
from typing import TypeAlias

from dogent_tui.wall.changes import Change, Difference, Entry, entry_kind

_PIECE = 1 << 18
"""Bytes that are compared at a time. Files of one size are told apart by the first ones."""
_TRIED = 8
"""Files of one size and one beginning that are compared whole."""

_Entries: TypeAlias = dict[str, Entry]


def read_difference(root: str, upper: str, began_ns: int) -> Difference:
    """Read what a command did.

    Args:
        root: The real workspace.
        upper: The layer: the upper directory of the overlay, after the command's last process.
        began_ns: The ctime of a file made in the workspace's file system just before it began.

    Returns:
        The changes by path. A folder that was moved with all that it holds is one change where it
        was, and one where it is; `every_change` has what it holds, too.

    Raises:
        OSError: Something cannot be read. The layer cannot be judged then.
    """
    found = sorted(_below(root, upper, "", is_folder=True), key=lambda change: change.path)
    return Difference(root, upper, began_ns, tuple(_with_moves(root, upper, found)))


def every_change(difference: Difference) -> Iterator[Change]:
    """Yield the changes one by one: those within folders that were moved, too."""
    for change in difference.changes:
        yield change
        path, to, came = change.path, change.moved_to, change.moved_from
        if to and change.before and change.before.kind == "folder":
            for each in islice(_gone(difference.root, path), 1, None):
                yield Change(each.path, each.before, None, to + each.path[len(path) :])
        elif came and change.after and change.after.kind == "folder":
            for each in _below(difference.root, difference.upper, path):
                yield Change(each.path, None, each.after, "", came + each.path[len(path) :])


def entry_at(path: str) -> Entry | None:
    """Return what lies at a path, None where there is nothing. Raises OSError."""
    try:
        at = os.stat(path, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return entry_of(at, os.readlink(path) if stat.S_ISLNK(at.st_mode) else "")


def entry_of(at: os.stat_result, target: str = "") -> Entry:
    """Return what `at` says of something; `target` is the text of a link."""
    kind, mode = entry_kind(at.st_mode), stat.S_IMODE(at.st_mode)
    size = at.st_size * (kind != "folder")
    return Entry(kind, size, mode, target, at.st_dev, at.st_ino, at.st_ctime_ns, at.st_nlink)


def is_opaque(path: str) -> bool:
    """Tell whether a folder of the layer replaces the real one, instead of adding to it."""
    with contextlib.suppress(OSError):
        return os.getxattr(path, "user.overlay.opaque", follow_symlinks=False) == b"y"
    return False


def same_content(one: str, other: str) -> bool:
    """Tell whether two files hold the same, piece by piece. What cannot be read is not."""
    with contextlib.suppress(OSError), open(one, "rb", 0) as old, open(other, "rb", 0) as new:
        while (piece := old.read(_PIECE)) == new.read(_PIECE):
            if not piece:
                return True
    return False


# ── Reading the layer ─────────────────────────────────────────────────────────────────────────────


def _below(root: str, upper: str, top: str, *, is_folder: bool = False) -> Iterator[Change]:
    """Yield what changed below `top`, in no order. `is_folder`: the real one is one as well."""
    waiting = [(top, is_folder, False)]
    while waiting:
        folder, beneath, hides = waiting.pop()
        names = _names(join(upper, folder))
        for path in (join(folder, name) for name in names):
            old, new = join(root, path), join(upper, path)
            before, after = entry_at(old) if beneath else None, entry_at(new)
            if after is None or after.kind == "device":  # a whiteout: nobody can make one there
                yield from () if before is None else _gone(root, path)
                continue
            was_folder = before is not None and before.kind == "folder"
            if after.kind == "folder":
                waiting.append((path, was_folder, hides or (was_folder and is_opaque(new))))
            elif was_folder:
                yield from islice(_gone(root, path), 1, None)
            if not is_same(old, new, before, after) and not _is_lock(path, before):
                yield Change(path, before, after)
        if beneath and hides:
            for name in set(os.listdir(join(root, folder))).difference(names):
                yield from _gone(root, join(folder, name))


def _gone(root: str, path: str) -> Iterator[Change]:
    """Yield the deletion of what really lies at `path`, then of all below."""
    waiting = [path]
    while waiting:
        each = waiting.pop()
        if before := entry_at(join(root, each)):
            yield Change(each, before, None)
            if before.kind == "folder":
                waiting += [join(each, name) for name in os.listdir(join(root, each))]


def _names(folder: str) -> list[str]:
    with contextlib.suppress(PermissionError):
        return os.listdir(folder)
    os.chmod(folder, 0o700)  # the command closed it: the layer is ours, and the mode is known
    return os.listdir(folder)


def _is_lock(path: str, before: Entry | None) -> bool:
    """Whether Git left this when it was killed. It would stop every later Git."""
    return before is None and path.endswith(".lock") and ".git" in path.split("/")


def is_same(old: str, new: str, before: Entry | None, after: Entry) -> bool:
    """Tell whether the entries `before` at the path `old`, and `after` at `new`, are the same in
    all but their places.
    """
    if before is None or (before.kind, before.target) != (after.kind, after.target):
        return False
    if before.mode != after.mode or after.kind != "file":
        return before.mode == after.mode
    is_same = before.size == after.size and same_content(old, new)
    return is_same and own_attributes(old) == own_attributes(new)


def own_attributes(path: str) -> dict[str, bytes]:
    """Return the extended attributes that a user can give, without the overlay's."""
    with contextlib.suppress(OSError):
        names = (name for name in os.listxattr(path) if not name.startswith("user.overlay."))
        return {name: os.getxattr(path, name) for name in names if name.startswith("user.")}
    return {}


# ── Pairing what was moved ────────────────────────────────────────────────────────────────────────


def _with_moves(root: str, upper: str, changes: list[Change]) -> Iterator[Change]:
    """Yield the changes, with what went elsewhere told as that: folders as one where they are
    whole. What Git keeps is never told so by the file.
    """
    gone = {each.path: each.before for each in changes if each.before and not each.after}
    made = {each.path: each.after for each in changes if each.after and not each.before}
    files = _paired_files(root, upper, gone, made)
    whole = dict(_paired_folders(root, upper, gone, made, files))
    arrived = set(whole.values())
    within = {path for path in gone if is_below(path, whole)}
    within |= {path for path in made if is_below(path, arrived)}
    to = whole | {old: new for old, new in files.items() if ".git" not in old.split("/")}
    came = {new: old for old, new in to.items() if old not in within}
    for each in changes:
        if each.path not in within:
            moved = to.get(each.path, "") if each.after is None else ""
            came_from = came.get(each.path, "") if each.before is None else ""
            yield Change(each.path, each.before, each.after, moved, came_from)


def _paired_folders(
    root: str, upper: str, gone: _Entries, made: _Entries, files: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield where each folder went that is whole elsewhere: the same in all but its place. Where
    its files went says where to look.
    """
    old_paths, new_paths = sorted(gone), sorted(made)
    found, taken = set[str](), set[str]()
    for old in old_paths if files else ():
        if gone[old].kind != "folder" or ".git" in dirname(old).split("/") or is_below(old, found):
            continue
        held = _held(old, old_paths)
        places = {files[old + rest].removesuffix(rest) for rest in held if old + rest in files}
        for new in sorted(places - taken):
            if (
                new in made
                and not is_below(new, taken)
                and _held(new, new_paths) == held
                and all(
                    is_same(join(root, one), join(upper, other), gone[one], made[other])
                    for one, other in ((old + rest, new + rest) for rest in ("", *held))
                )
            ):
                found.add(old)
                taken.add(new)
                yield old, new
                break


def _held(folder: str, paths: list[str]) -> list[str]:
    """Return what of the sorted `paths` lies below a folder, from its name on."""
    found = paths[bisect_left(paths, f"{folder}/") : bisect_left(paths, f"{folder}0")]
    return [path.removeprefix(folder) for path in found]


def _paired_files(root: str, upper: str, gone: _Entries, made: _Entries) -> dict[str, str]:
    """Return where each file or link went that is elsewhere now: by its name, else by the rest."""
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
    """Return what tells a file or link from others; nothing for what is never called moved."""
    if entry.kind == "link":
        return (entry.target,)
    if entry.kind == "file":
        with contextlib.suppress(OSError), open(join(top, path), "rb", 0) as file:
            return entry.size, hashlib.sha256(file.read(_PIECE)).digest()
    return ()


def is_below(path: str, folders: Container[str]) -> bool:
    """Whether a folder above `path` is one of `folders`."""
    while path := dirname(path):
        if path in folders:
            return True
    return False
