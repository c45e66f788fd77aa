"""Places outside the workspace that the user let a command change. The command gets a copy of each,
and sees nothing next to it.

What it did to the copy becomes a difference like that of the workspace and is committed the same
way.
"""

import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from dogent_tui.errors import AgentError
from dogent_tui.language import tr
from dogent_tui.undo.changes import Change, Difference, entries_below
from dogent_tui.wall.difference import is_same, read_difference

_LARGEST = 50_000_000
_MOST = 10_000


class Outside(msgspec.Struct, frozen=True):
    """A folder outside the workspace, `place`, of which a command sees only `names`, as copied to
    `copy`.

    `seen`: the user let it read the whole folder. In this case `copy` is a layer on top of it.
    """

    place: Path
    copy: Path
    names: tuple[str, ...]
    seen: bool = False

    def mounts(self, home: Path) -> Iterator[tuple[str | bool, ...]]:
        """Yield the mounts: the folder, or each file if the folder contains the private home."""
        if self.seen:
            yield ("overlay", str(self.place), str(self.place), str(self.copy))
        elif home.is_relative_to(self.place):
            for name in self.names:
                yield ("bind", str(self.copy / name), str(self.place / name), False)
        else:
            yield ("bind", str(self.copy), str(self.place), False)

    def difference(self, began_ns: int) -> Difference:
        """Return what the command did to the names."""
        root = str(self.place)
        if self.seen:
            found = read_difference(root, str(self.copy / "upper"), began_ns)
            mine = (each for each in found.changes if each.path.partition("/")[0] in self.names)
            return msgspec.structs.replace(found, changes=tuple(mine), times=())
        upper = str(self.copy)
        old, new = (
            dict(each for name in self.names for each in entries_below(top, name))
            for top in (root, upper)
        )
        changes = []
        for path in sorted({*old, *new}):
            before, after = old.get(path), new.get(path)
            is_empty = after is not None and after.kind == "file" and not after.size
            is_only_mounted = before is None and is_empty and path in self.names
            is_other = not after or not is_same(f"{root}/{path}", f"{upper}/{path}", before, after)
            if is_other and not is_only_mounted:
                changes.append(Change(path, before, after))
        return Difference(root, upper, began_ns, tuple(changes))


def copied_places(
    folder: Path, paths: Iterable[Path], home: Path, readable: Collection[Path]
) -> tuple[Outside, ...]:
    """Copy `paths`, which need not exist, to `folder`. Raises OSError, and AgentError if one is too
    large.
    """
    names: dict[Path, list[str]] = {}
    for path in paths:
        names.setdefault(path.parent, []).append(path.name)
    made = []
    for number, (place, below) in enumerate(names.items()):
        copy = folder / str(number)
        is_seen = any(place.is_relative_to(other) for other in readable)
        for part in ("upper", "work") if is_seen else (".",):
            (copy / part).mkdir(parents=True, mode=0o700)
        for name in () if is_seen else below:
            if os.path.lexists(place / name):
                _copy(place / name, copy / name)
            elif home.is_relative_to(place):  # a mount point; while it is empty, it was not created
                (copy / name).touch()
        made.append(Outside(place, copy, tuple(below), is_seen))
    return tuple(made)


def _copy(source: Path, target: Path) -> None:
    found = [entry for _, entry in islice(entries_below("", str(source)), _MOST + 1)]
    if len(found) > _MOST or sum(entry.size for entry in found) > _LARGEST:
        words = tr("{path} is too large for a command behind the wall to change.")
        raise AgentError(words.format(path=source), tr("Run the command yourself: !command."))
    if found[0].kind == "folder":
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target, follow_symlinks=False)
