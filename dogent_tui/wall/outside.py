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
from dogent_tui.undo.changes import Change, Difference, entry_at
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
            return msgspec.structs.replace(found, changes=tuple(mine))
        upper = str(self.copy)
        changes = [each for name in self.names for each in _compared(root, upper, name)]
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
            elif home.is_relative_to(place):
                (
                    copy / name
                ).touch()  # a mount point has to exist; as long as it is empty, it was not created
        made.append(Outside(place, copy, tuple(below), is_seen))
    return tuple(made)


def _copy(source: Path, target: Path) -> None:
    is_folder = source.is_dir() and not source.is_symlink()
    walked = os.walk(source) if is_folder else ()
    below = (os.path.join(folder, name) for folder, _, files in walked for name in ("", *files))
    found = [str(source), *islice(below, _MOST)]
    if len(found) > _MOST or sum(os.lstat(each).st_size for each in found) > _LARGEST:
        words = tr("{path} is too large for a command behind the wall to change.")
        raise AgentError(words.format(path=source), tr("Run the command yourself: !command."))
    if is_folder:
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target, follow_symlinks=False)


def _compared(root: str, upper: str, path: str) -> Iterator[Change]:
    """Yield the differences of `upper` at and below `path`. An empty new file is only a mount
    point.
    """
    before, after = entry_at(f"{root}/{path}"), entry_at(f"{upper}/{path}")
    if before is None and (after is None or (after.kind == "file" and not after.size)):
        return
    if not (after and is_same(f"{root}/{path}", f"{upper}/{path}", before, after)):
        yield Change(path, before, after)
    names = set[str]()
    for place, entry in ((root, before), (upper, after)):
        if entry and entry.kind == "folder":
            names.update(os.listdir(f"{place}/{path}"))
    for name in sorted(names):
        yield from _compared(root, upper, f"{path}/{name}")
