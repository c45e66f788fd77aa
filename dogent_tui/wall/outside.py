"""Places outside the workspace that the user let a command change: it gets a copy of each, and nothing beside it.

What it did to the copy becomes a difference like that of the workspace, and is committed like one.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from dogent_tui.errors import AgentError
from dogent_tui.language import tr
from dogent_tui.wall.changes import Change, Difference, Entry
from dogent_tui.wall.difference import entry_at, read_difference, same_content

_LARGEST = 50_000_000
_MOST = 10_000


class Outside(msgspec.Struct, frozen=True):
    """A folder outside, `place`, of which a command sees `names` alone, as they are in `copy`.

    `seen`: the user let it read the whole folder. Then `copy` is a layer over it.
    """

    place: Path
    copy: Path
    names: tuple[str, ...]
    seen: bool = False

    def mounts(self, home: Path) -> Iterator[tuple[str | bool, ...]]:
        """Yield what is mounted where: the folder, or each file where the folder holds the private home."""
        if self.seen:
            yield ("overlay", str(self.place), str(self.place), str(self.copy))
        elif _holds(self.place, home):
            yield from (("bind", str(self.copy / name), str(self.place / name), False) for name in self.names)
        else:
            yield ("bind", str(self.copy), str(self.place), False)

    def difference(self, began_ns: int) -> Difference:
        """Return what the command did to the names."""
        root = str(self.place)
        if self.seen:
            found = read_difference(root, str(self.copy / "upper"), began_ns)
            mine = tuple(change for change in found.changes if change.path.partition("/")[0] in self.names)
            return msgspec.structs.replace(found, changes=mine)
        changes = [change for name in self.names for change in _compared(root, str(self.copy), name)]
        return Difference(root, str(self.copy), began_ns, tuple(changes))


def copied_places(folder: Path, paths: Iterable[Path], home: Path, readable: Iterable[Path]) -> tuple[Outside, ...]:
    """Return copies, made in `folder`, of `paths`, which need not exist. Raises OSError, AgentError where one is too large."""
    seen = [*readable]
    names: dict[Path, list[str]] = {}
    for path in paths:
        names.setdefault(path.parent, []).append(path.name)
    made = []
    for number, (place, below) in enumerate(names.items()):
        copy, is_seen = folder / str(number), any(_holds(other, place) for other in seen)
        for part in ("upper", "work") if is_seen else (".",):
            (copy / part).mkdir(parents=True, mode=0o700)
        for name in () if is_seen else below:
            _copy(place / name, copy / name, makes=_holds(place, home))
        made.append(Outside(place, copy, tuple(below), is_seen))
    return tuple(made)


def _holds(place: Path, other: Path) -> bool:
    return place == other or place in other.parents


def _copy(source: Path, target: Path, *, makes: bool) -> None:
    if source.is_symlink() or not source.is_dir():
        if os.path.lexists(source):
            _check(source, source.lstat().st_size, 1)
            shutil.copy2(source, target, follow_symlinks=False)
        elif makes:
            target.touch()  # what is mounted has to exist; while it is empty, it was not made
        return
    size = count = 0
    for folder, _, files in os.walk(source):
        size += sum(os.lstat(os.path.join(folder, name)).st_size for name in files)
        count += len(files) + 1
        _check(source, size, count)
    shutil.copytree(source, target, symlinks=True)


def _check(source: Path, size: int, count: int) -> None:
    if size > _LARGEST or count > _MOST:
        raise AgentError(
            tr("{path} is too large for a command behind the wall to change.").format(path=source),
            tr("Run the command yourself: !command."),
        )


def _compared(root: str, upper: str, path: str) -> Iterator[Change]:
    """Yield what is other in `upper`, from `path` downward. An empty file where nothing was is what was mounted on."""
    before, after = entry_at(f"{root}/{path}"), entry_at(f"{upper}/{path}")
    if before is None and (after is None or (after.kind == "file" and not after.size)):
        return
    if before is None or after is None or not _is_same(root, upper, path, before, after):
        yield Change(path, before, after)
    folders = [place for place, entry in ((root, before), (upper, after)) if entry is not None and entry.kind == "folder"]
    for name in sorted({name for place in folders for name in os.listdir(f"{place}/{path}")}):
        yield from _compared(root, upper, f"{path}/{name}")


def _is_same(root: str, upper: str, path: str, before: Entry, after: Entry) -> bool:
    if (before.kind, before.mode, before.target) != (after.kind, after.mode, after.target):
        return False
    return before.kind != "file" or same_content(f"{root}/{path}", f"{upper}/{path}")
