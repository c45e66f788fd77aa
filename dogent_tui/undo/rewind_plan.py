"""Rewinding several changes at once: what would happen to each file, and doing it.

Based on the copies of `undo_log.py`. Later changes by someone else are detected from the states
recorded after each change, and are overwritten only on request. Whatever is overwritten or removed
is recorded as a change of its own, which `undo` takes back.
"""

import contextlib
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.storage.files import atomic_write, temporary_beside
from dogent_tui.undo.undo_log import (
    OWN,
    Change,
    Item,
    State,
    UndoLog,
    Undone,
    close_folders,
    open_folders,
    state_at,
)

Why: TypeAlias = Literal["", "touched", "no_copy", "folder_there", "leads_elsewhere"]
"""Why a place should not be restored: someone else has changed it since, or why it is
impossible.
"""


class PlannedPlace(msgspec.Struct, frozen=True):
    """What would happen to a place. `item` is its previous entry, `now` the current one, which must
    not change before the rewind.

    `why`: ``touched`` can be overwritten on request, anything else is impossible.
    """

    path: str
    item: Item
    now: State
    why: Why = ""

    @property
    def goes(self) -> bool:
        """Whether the place would be removed, because nothing was there before."""
        return self.item.kind == "absent"

    @property
    def possible(self) -> bool:
        """Whether it is possible at all."""
        return self.why in ("", "touched")


def plan(copies: UndoLog, runs: Collection[str], also: Collection[str] = ()) -> list[PlannedPlace]:
    """Return the places that differ from their state before the first change of `runs`, and what
    would happen to them. Reads the disk.

    `also` are places known to have been changed: those without a recorded change have no copy.
    """
    steps = _since(copies, runs)
    found = _by_path(steps)
    planned = [
        place
        for path, history in found.items()
        if (place := _place(copies, path, history)) is not None
    ]
    without = {
        *(path for change, _ in steps for path in change.left),
        *(path for path in also if path not in found),
    }
    nothing = State("other")
    planned += [
        PlannedPlace(path, Item(path, "other"), nothing, "no_copy")
        for path in sorted(without - {p.path for p in planned})
    ]
    away = {place.path for place in planned if place.goes and place.possible}
    planned = [
        msgspec.structs.replace(place, why="folder_there") if _is_in_the_way(place, away) else place
        for place in planned
    ]
    kept = [
        place
        for place in planned
        if not (place.goes and place.now.kind == "folder" and _holds_more(place.path, away))
    ]
    return sorted(kept, key=lambda place: place.path)


def changed_places(copies: UndoLog) -> dict[str, frozenset[str]]:
    """Return run id → the files that the run changed."""
    found: dict[str, set[str]] = {}
    for change, _ in copies.changes():
        above = {os.path.dirname(item.path) for item in change.items}  # noqa: PTH120 — folders are not what was changed
        paths = {
            item.path for item in change.items if item.kind != "folder" and item.path not in above
        }
        found.setdefault(change.run, set()).update(paths, change.left)
    return {run: frozenset(paths) for run, paths in found.items()}


def carry_out(copies: UndoLog, planned: Sequence[PlannedPlace], label: str) -> Undone:
    """Carry out `planned` as far as possible. The current state is recorded as a change named
    `label`.

    A place that has changed since planning, or that cannot be copied, is left alone.
    """
    fit = [place for place in planned if place.possible and _still(place)]
    held = [Path(place.path) for place in fit if place.now.kind not in ("absent", "folder")]
    missing = [Path(place.path) for place in fit if place.now.kind == "absent"]
    kept = copies.keep(label, held, missing, forget=False)
    restored: list[str] = []
    removed: list[str] = []
    open_folders(place.path for place in fit)
    for place in _in_order(fit):
        if place.path not in kept.left:
            with contextlib.suppress(OSError):
                _bring_about(copies, place)
                (removed if place.goes else restored).append(place.path)
    close_folders(place.item for place in fit)
    if kept.number:
        copies.settle(kept.number)
    did = {*restored, *removed}
    return Undone(
        label,
        tuple(restored),
        tuple(removed),
        tuple(place.path for place in planned if place.path not in did),
    )


# ── Planning ──────────────────────────────────────────────────────────────────────────────────────

_Step: TypeAlias = tuple[Change, tuple[State, ...] | None]
_Moment: TypeAlias = tuple[Item, State | None]
"""A place before a change, and after it if known."""


def _since(copies: UndoLog, runs: Collection[str]) -> list[_Step]:
    """Return the changes from the first one of `runs` on."""
    changes = copies.changes()
    first = next(
        (number for number, (change, _) in enumerate(changes) if change.run in runs), len(changes)
    )
    return [step for step in changes[first:] if step[0].run != OWN]


def _by_path(steps: Iterable[_Step]) -> dict[str, list[_Moment]]:
    found: dict[str, list[_Moment]] = {}
    for change, states in steps:
        for item, after in zip(change.items, states or (None,) * len(change.items), strict=False):
            found.setdefault(item.path, []).append((item, after))
    return found


def _place(copies: UndoLog, path: str, history: Sequence[_Moment]) -> PlannedPlace | None:
    """Return what would happen to a place, None if it is unchanged."""
    item = history[0][0]
    try:
        now = state_at(path)
    except OSError:
        return PlannedPlace(path, item, State("other"), "no_copy")
    try:
        before = [copies.state_of(moment) for moment, _ in history]
    except OSError:
        return PlannedPlace(path, item, now, "no_copy")
    if before[0] == now:
        return None
    return PlannedPlace(
        path, item, now, _against(item, now, before, [after for _, after in history])
    )


def _against(item: Item, now: State, before: Sequence[State], after: Sequence[State | None]) -> Why:
    if now.kind == "other":
        return "no_copy"
    if _leads_elsewhere(item.path):
        return "leads_elsewhere"
    found = [
        *before[1:],
        now,
    ]  # the state before a change should be the state after the previous one
    is_touched = any(left != met for left, met in zip(after, found, strict=True))
    if is_touched and now.kind == "folder" and item.kind in ("file", "link"):
        return "folder_there"
    return "touched" if is_touched else ""


def _is_in_the_way(place: PlannedPlace, away: Collection[str]) -> bool:
    """Return whether a folder that replaced a file contains anything that would not be removed."""
    return (
        place.now.kind == "folder"
        and place.item.kind in ("file", "link")
        and _holds_more(place.path, away)
    )


def _leads_elsewhere(path: str) -> bool:
    """Return whether a parent folder is now a link, so that a different place would be changed."""
    parent = os.path.dirname(path)  # noqa: PTH120 — text in, text out
    return os.path.realpath(parent) != parent


def _holds_more(folder: str, away: Collection[str]) -> bool:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return any(entry.path not in away for entry in entries)
    return True


# ── Doing it ──────────────────────────────────────────────────────────────────────────────────────


def _still(place: PlannedPlace) -> bool:
    try:
        return state_at(place.path) == place.now and not _leads_elsewhere(place.path)
    except OSError:
        return False


def _in_order(places: Sequence[PlannedPlace]) -> Iterator[PlannedPlace]:
    """Yield the removals, deepest first, then the restored places, topmost first."""
    yield from sorted(
        (place for place in places if place.goes), key=lambda place: place.path, reverse=True
    )
    yield from sorted(
        (place for place in places if not place.goes),
        key=lambda place: (place.path, place.item.kind != "folder"),
    )


def _bring_about(copies: UndoLog, place: PlannedPlace) -> None:
    """Restore a place in one step: no file is missing or truncated at any moment. Raises
    OSError.
    """
    path, item = Path(place.path), place.item
    if item.kind == "absent":
        path.rmdir() if place.now.kind == "folder" else path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if place.now.kind == "folder" and item.kind != "folder":
        path.rmdir()
    if item.kind == "folder":
        if place.now.kind not in ("absent", "folder"):
            path.unlink()
        path.mkdir(exist_ok=True)
    elif item.kind == "link":
        beside = temporary_beside(path)
        beside.symlink_to(item.copy)
        beside.replace(path)
    else:
        copy = copies.folder / item.copy
        atomic_write(path, copy.read_bytes())
        path.chmod(stat.S_IMODE(copy.stat().st_mode))
