"""Taking changes back, one (`/undo`) or several (`/rewind`): what would happen to each file, and
doing it.

What was there before comes from the copies of `undo_log.py` and is committed like what a command
did (`commit.py`). What someone else has changed since is known from the states recorded after each
change; it is overwritten only on request. Whatever is overwritten or removed is recorded as a
change of its own, which `undo` takes back.
"""

# ruff: noqa: PTH103, PTH104, PTH118, PTH120, PTH211 — names are text from `os.fsdecode`

import contextlib
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import dropwhile
from os.path import dirname, join
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.storage.files import private_folder
from dogent_tui.temporary import temporary_folder
from dogent_tui.undo import file_moves
from dogent_tui.undo.changes import FOR_EVER, Change, Difference, Entry, entry_at, is_below
from dogent_tui.undo.commit import Committing, missing_parents
from dogent_tui.undo.undo_log import OWN, Item, KeptChange, State, UndoLog, Undone, state_of

Why: TypeAlias = Literal["", "touched", "no_copy", "folder_there", "leads_elsewhere"]
"""Why a place should not be restored: someone else has changed it since, or why it is
impossible.
"""


class PlannedPlace(msgspec.Struct, frozen=True):
    """What would happen to a place. `item` is its previous entry; `now` and `entry` are the current
    one, which must not change before the rewind.

    `why`: ``touched`` can be overwritten on request, anything else is impossible.
    """

    path: str
    item: Item
    now: State
    why: Why = ""
    entry: Entry | None = None

    @property
    def removes(self) -> bool:
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
    since = dropwhile(lambda step: step[0].run not in runs, copies.changes())
    return _planned(copies, [step for step in since if step[0].run != OWN], also)


def changed_places(copies: UndoLog) -> dict[str, frozenset[str]]:
    """Return run id → the files that the run changed."""
    found: dict[str, set[str]] = {}
    for change, _ in copies.changes():
        above = {dirname(item.path) for item in change.items}  # folders are not what was changed
        paths = {
            item.path for item in change.items if item.kind != "folder" and item.path not in above
        }
        found.setdefault(change.run, set()).update(paths, change.left)
    return {run: frozenset(paths) for run, paths in found.items()}


def undo(copies: UndoLog) -> Undone | None:
    """Undo the last change that had any effect and return the result; `None` if there is none."""
    copies.settle()
    for change, states in reversed(copies.changes()):
        planned = _planned(copies, [(change, states)])
        may = ("", "touched") if change.run == OWN else ("",)  # the application keeps writing
        fit = [place for place in planned if place.why in may]
        undone = carry_out(copies, fit, change.label, undoes=change.number)
        copies.drop(change)
        if planned:
            others = [place for place in planned if place not in fit]
            touched = [place.item for place in others if place.why == "touched"]
            aside = (str(copies.folder / item.copy) for item in touched if item.kind == "file")
            left = (*undone.left, *(place.path for place in others))
            return msgspec.structs.replace(undone, left=left, aside=tuple(aside))
    return None


def carry_out(
    copies: UndoLog, planned: Sequence[PlannedPlace], label: str, *, undoes: int = 0
) -> Undone:
    """Carry out `planned` as far as possible. The current state is recorded as a change named
    `label`; `undoes` is the change that this takes back.

    A place that has changed since planning, or that cannot be copied, is left alone.
    """
    planned = _but_full_folders(planned)
    done = set[str]()
    with contextlib.suppress(OSError), temporary_folder(private_folder(copies.folder)) as own:
        staged, wanted = str(own), []
        for place in (each for each in planned if each.possible):
            with contextlib.suppress(OSError):
                wanted.append(_staged(copies, place, staged))
        wanted += missing_parents("/", wanted)
        difference = Difference("/", staged, FOR_EVER, tuple(wanted))
        committed = Committing(copies.journals, copies).commit(difference, label, undoes=undoes)
        copies.settle(committed.number)
        done.update(f"/{path}" for path in committed.committed)
    return Undone(
        label,
        tuple(place.path for place in planned if place.path in done and not place.removes),
        tuple(place.path for place in planned if place.path in done and place.removes),
        tuple(place.path for place in planned if place.path not in done),
    )


def _staged(copies: UndoLog, place: PlannedPlace, upper: str) -> Change:
    """Put a copy of the previous entry of a place below `upper`, and return the change that brings
    it back. Raises OSError.
    """
    path, item = place.path[1:], place.item
    new = join(upper, path)
    if item.kind == "folder":
        return Change(path, place.entry, Entry("folder", mode=item.mode))
    if item.kind != "absent":
        os.makedirs(dirname(new), exist_ok=True)
    if item.kind == "link":
        os.symlink(item.copy, new)
    elif item.kind == "file":
        file_moves.copy(str(copies.folder / item.copy), f"{upper}.new", sync=False)
        os.rename(f"{upper}.new", new)  # the name may be as long as a name can be
    return Change(path, place.entry, entry_at(new))


# ── Planning ──────────────────────────────────────────────────────────────────────────────────────

_Step: TypeAlias = tuple[KeptChange, tuple[State | None, ...]]
_Moment: TypeAlias = tuple[Item, State | None]
"""A place before a change, and after it if known."""


def _planned(
    copies: UndoLog, steps: Sequence[_Step], also: Collection[str] = ()
) -> list[PlannedPlace]:
    found = _by_path(steps)
    planned = [
        place
        for path, entry, now in _look(found)
        if (place := _place(copies, path, found[path], entry, now)) is not None
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
    away = {place.path for place in planned if place.removes and place.possible}
    back = {place.path for place in planned if place.item.kind == "folder" and place.possible}
    planned = [
        msgspec.structs.replace(place, why=_why_after_all(place, away, back)) for place in planned
    ]
    return _but_full_folders(planned)


def _look(paths: Iterable[str]) -> Iterator[tuple[str, Entry | None, State]]:
    """Yield the entry at each place, None for none, and its state, also below those of them that
    are folders whose mode keeps their owner out; nothing is below those that are links.
    """
    links = set[str]()
    with contextlib.ExitStack() as opened:
        for path in sorted(paths):
            seen: tuple[Entry | None, State] = None, State("other")
            with contextlib.suppress(OSError):
                entry = None if is_below(path, links) else entry_at(path)
                seen = entry, state_of(entry, path)
                if entry and entry.kind == "link":
                    links.add(path)
                elif entry and entry.kind == "folder":
                    opened.enter_context(file_moves.opened_to_us(path, entry.mode))
            yield path, *seen


def _by_path(steps: Iterable[_Step]) -> dict[str, list[_Moment]]:
    found: dict[str, list[_Moment]] = {}
    for change, states in steps:
        for item, after in zip(change.items, states, strict=False):
            found.setdefault(item.path, []).append((item, after))
    return found


def _place(
    copies: UndoLog, path: str, history: Sequence[_Moment], entry: Entry | None, now: State
) -> PlannedPlace | None:
    """Return what would happen to a place, None if it is unchanged."""
    item = history[0][0]
    if now.kind == "other" and entry is None:  # nobody can tell
        return PlannedPlace(path, item, now, "no_copy")
    try:
        before = [copies.state_of(moment) for moment, _ in history]
    except OSError:
        return PlannedPlace(path, item, now, "no_copy")
    if before[0].same(now):
        return None
    why = _against(item, now, before, [after for _, after in history])
    return PlannedPlace(path, item, now, why, entry)


def _against(item: Item, now: State, before: Sequence[State], after: Sequence[State | None]) -> Why:
    # the state before a change should be the state after the previous one
    found = [*before[1:], now]
    is_touched = not all(met.same(left) for left, met in zip(after, found, strict=True))
    if is_touched and now.kind == "folder" and item.kind in ("file", "link"):
        return "folder_there"
    return "touched" if is_touched else ""


def _why_after_all(place: PlannedPlace, away: Collection[str], back: Collection[str]) -> Why:
    """Return why a place should not be restored, considering what goes `away` and which folders
    come `back`: a folder in its place may hold something else, or a link may be in place of one of
    its parent folders.
    """
    is_in_the_way = place.now.kind == "folder" and place.item.kind in ("file", "link")
    if is_in_the_way and _holds_more(place.path, away):
        return "folder_there"
    above = dirname(place.path)
    if place.possible and os.path.realpath(above) != above and not is_below(place.path, back):
        return "leads_elsewhere"
    return place.why


def _but_full_folders(places: Iterable[PlannedPlace]) -> list[PlannedPlace]:
    """Return the places by path, without the new folders that will hold something: they stay."""
    found = sorted(places, key=lambda place: place.path)
    away = {place.path for place in found if place.removes and place.possible}
    for place in reversed(found):
        if place.path in away and place.now.kind == "folder" and _holds_more(place.path, away):
            away.remove(place.path)
            found.remove(place)
    return found


def _holds_more(folder: str, away: Collection[str]) -> bool:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return any(entry.path not in away for entry in entries)
    return False  # it is closed: doing it will tell
