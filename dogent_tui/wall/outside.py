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
from dogent_tui.wall.difference import read_difference

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
        root, upper = str(self.place), str(self.copy / "upper" if self.seen else self.copy)
        found = read_difference(root, upper, began_ns)
        changes = [each for each in found.changes if each.path.partition("/")[0] in self.names]
        for name in () if self.seen else self.names:  # a copy has no marks of what was deleted
            changes = [each for each in changes if each.path != name or not _is_mount_point(each)]
            below = entries_below(root, name)
            gone = (each for each in below if not os.path.lexists(self.copy / each[0]))
            changes += (Change(path, before, None) for path, before in gone)
        return msgspec.structs.replace(found, changes=tuple(changes), times=())


def _is_mount_point(change: Change) -> bool:
    """Return whether nothing was put into what was made as a mount point."""
    after = change.after
    return change.before is None and after is not None and (after.kind, after.size) == ("file", 0)


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
