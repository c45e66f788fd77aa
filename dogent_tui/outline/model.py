"""The outline: headings in the order of the text, each with its level, and every change as an
undoable step.

The levels define the tree: the parent of a heading is the nearest one before it with a lower level,
and everything after it with a higher one belongs to it. So each change replaces a slice. Headings
are immutable: undo keeps the slices before and after.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from dogent_tui.language import tr
from dogent_tui.outline.blocks import CJK
from dogent_tui.records import Record

DEEPEST = 6
"""The number of heading levels in Markdown; lists have any number."""

_LENGTH = re.compile(
    r"(?P<space>\s*)(?P<open>[(（])\s*(?P<said>(?:about |approx\. |around"
    r" |~|≈|约|大约)?\s*\d[\d,]*(?:\s*[-–~]\s*\d[\d,]*)?\s*"
    r"(?:words?|characters?|chars?|pages?|字|个字|页|词))\s*[)）]$"
)
_CJK = re.compile(f"[{CJK}]")


class Mark(Record):
    """How the headings of one level are written: their number (a template of `numbering`), what
    follows it, and the indent.
    """

    template: str = ""
    space: str = " "
    indent: int = 0


class Frame(Record):
    """What is around the headings, and how they are written.

    `preamble`: the text before the first one. `end`: the empty lines after the last. `gap` and
    `lead`: the usual empty lines after a heading's text, and before it. `is_open`: the last line
    does not end with a newline. `marks`: how each level is written, starting with the first.
    `is_list`: as a list, not as Markdown headings.
    """

    preamble: str = ""
    end: str = ""
    gap: str = "\n"
    lead: str = "\n"
    is_open: bool = False
    is_list: bool = False
    marks: tuple[Mark, ...] = ()

    def mark(self, level: int) -> Mark:
        """Return how headings of `level` are written."""
        return self.marks[level - 1] if level <= len(self.marks) else Mark()


class Heading(Record):
    """One heading. `body` is the text below it (its note), `length` its target length as written,
    including brackets.

    `raw` contains the lines of a heading that is written in another style (such as underlined),
    until it is changed. `numbered` tells whether it counts if its level does; `gap` contains the
    empty lines after its text.
    """

    id: int
    level: int
    text: str
    length: str = ""
    body: str = ""
    gap: str = ""
    raw: str = ""
    numbered: bool = True

    @property
    def note(self) -> str:
        """The text below the heading, without the empty lines around it."""
        return self.body.strip("\n")

    @property
    def target(self) -> str:
        """The target length, without brackets: ``300 words``."""
        found = _LENGTH.match(self.length)
        return found["said"].strip() if found else ""


Headings = tuple[Heading, ...]


class _State(NamedTuple):
    headings: Headings
    frame: Frame


class _Step(msgspec.Struct):
    """One change, with the slices before and after it. `name`: what the user did."""

    name: str
    before: _State
    after: _State


def split_length(title: str) -> tuple[str, str]:
    """Split off the target length of a title: ``Tea (300 words)`` gives ``Tea`` and `` (300
    words)``.
    """
    found = _LENGTH.search(title)
    if found is None or not title[: found.start()].strip():
        return title, ""
    return title[: found.start()], title[found.start() :]


def spell_length(target: str, title: str) -> str:
    """Return `target`, as typed by a user, in the form that follows `title`; empty for no target.
    Raises ValueError.
    """
    target = " ".join(target.split())
    if not target:
        return ""
    chinese = _CJK.search(target) or (_CJK.search(title) and re.fullmatch(r"[\d,]+", target))
    if re.fullmatch(r"\D{0,8}[\d,–~ -]+", target):
        target += "字" if chinese else " words"
    written = f"（{target}）" if chinese else f" ({target})"
    if _LENGTH.fullmatch(written) is None:
        raise ValueError(target)
    return written


class Outline:
    """Headings that can be changed, with undo and redo.

    `frame` is what is around them. Operations take the id of a heading, or several ids: those, and
    everything between them, are treated as one block of siblings with everything that belongs to
    them. They return whether anything changed.
    """

    def __init__(
        self,
        headings: Iterable[Heading],
        frame: Frame,
        parse: Callable[[str], "Outline"],
    ) -> None:
        """Begin with `headings`. `parse` parses a text that replaces them (`rewrite`)."""
        self._headings: Headings = tuple(headings)
        self.frame = frame
        self._parse = parse
        self._done: list[_Step] = []
        self._undone: list[_Step] = []
        self._next_id = max((heading.id for heading in self._headings), default=0) + 1
        self.revision = 0
        self.carried: set[int] = set()
        """Headings that were moved: if two changed places, this tells which one was moved."""

    # ── Looking ───────────────────────────────────────────────────────────────────────────────────

    @property
    def headings(self) -> Headings:
        """All headings, in the order of the text."""
        return self._headings

    @property
    def deepest(self) -> int:
        """The highest level there can be."""
        return 1_000 if self.frame.is_list else DEEPEST

    @cached_property
    def _by_id(self) -> dict[int, int]:
        return {heading.id: place for place, heading in enumerate(self._headings)}

    def place(self, id: int) -> int:  # noqa: A002
        """Return the position of the heading. Raises KeyError if it does not exist (any more)."""
        return self._by_id[id]

    def get(self, id: int) -> Heading:  # noqa: A002
        """Return the heading. Raises KeyError."""
        return self._headings[self.place(id)]

    def __contains__(self, id: int) -> bool:  # noqa: A002
        return id in self._by_id

    def end(self, place: int) -> int:
        """Return the position after everything that belongs to the heading at `place`."""
        return subtree_end(self._headings, place)

    def parent(self, place: int) -> int | None:
        """Return the position of the parent of the heading at `place`."""
        return self._no_deeper(place, self._headings[place].level - 1)

    def block(self, ids: Sequence[int]) -> tuple[int, int]:
        """Return the slice of siblings, with what belongs to them, that contains `ids` and
        everything between them.
        """
        places = sorted(self.place(id_) for id_ in ids)
        first, last = places[0], places[-1]
        level = min(heading.level for heading in self._headings[first : last + 1])
        while self._headings[first].level > level:
            above = self.parent(first)
            if above is None:
                break
            first = above
            level = min(level, self._headings[first].level)
        end = first
        while end <= last:
            end = self.end(end)
        return first, end

    # ── Changing ──────────────────────────────────────────────────────────────────────────────────

    def rename(self, id: int, title: str, *, joined: bool = False) -> bool:  # noqa: A002
        """Set the title. `joined`: in one step with the previous change, which added the
        heading.
        """
        heading = self.get(id)
        text, length = split_length(" ".join(title.split()))
        renamed = replace(
            heading, text=text, length=(length or heading.length) if text else "", raw=""
        )
        if (renamed.text, renamed.length) == (heading.text, heading.length):
            return False
        self._set(renamed, tr("add") if joined else tr("rename"))
        if joined and len(self._done) > 1:
            self._join()
        return True

    def set_note(self, id: int, note: str) -> bool:  # noqa: A002
        """Set the note below the heading. Lines that would be headings are escaped."""
        from dogent_tui.outline.escapes import as_note

        heading = self.get(id)
        note = as_note(note, is_list=self.frame.is_list)
        if note == heading.note:
            return False
        gap = heading.gap or ("\n" if note and not self.frame.is_list else "")
        self._set(
            replace(heading, body=f"{self.frame.lead}{note}\n" if note else "", gap=gap),
            tr("note"),
        )
        return True

    def set_target(self, id: int, target: str) -> bool:  # noqa: A002
        """Set the target length (``300``, ``300 words``, ``500字``), or none. Raises ValueError if
        it is invalid.
        """
        heading = self.get(id)
        if not heading.text:
            return False
        text, length = split_length(heading.text + spell_length(target, heading.text))
        if (text, length) == (heading.text, heading.length):
            return False
        self._set(replace(heading, text=text, length=length, raw=""), tr("length"))
        return True

    def add_sibling(self, id: int | None, text: str = "") -> int:  # noqa: A002
        """Add a heading after this one and what belongs to it, or as the first of all, and return
        its id.
        """
        if id is None or id not in self:
            return self._add(len(self._headings), 1, text)
        place = self.place(id)
        beside = self._headings[place]
        return self._add(self.end(place), beside.level, text, numbered=beside.numbered)

    def add_child(self, id: int, text: str = "") -> int | None:  # noqa: A002
        """Add a heading as the last child of this one, and return its id; None if there is no
        deeper level.
        """
        place = self.place(id)
        level = self._headings[place].level + 1
        return self._add(self.end(place), level, text) if level <= self.deepest else None

    def delete(self, ids: Sequence[int]) -> bool:
        """Delete the block, with everything that belongs to it."""
        first, end = self.block(ids)
        return self._exchange(tr("delete"), first, end, ())

    def duplicate(self, ids: Sequence[int]) -> list[int]:
        """Duplicate the block after itself, and return the ids of the new headings."""
        first, end = self.block(ids)
        copies = tuple(replace(heading, id=self._new_id()) for heading in self._headings[first:end])
        self._exchange(tr("duplicate"), end, end, copies)
        return [heading.id for heading in copies]

    def shift(self, ids: Sequence[int], step: int) -> bool:
        """Demote (`step` 1) or promote (-1) the block; headings keep their order.

        Demoted, it becomes a child of the sibling before it. Promoted, it becomes a sibling of its
        parent, and its later siblings become its children.
        """
        first, end = self.block(ids)
        above = self.parent(first)
        level = self._headings[first].level
        if step > 0:
            if first == 0 or first - 1 == above:
                return False
            before = self._no_deeper(first, level)
            change = 0 if before is None else self._headings[before].level + 1 - level
        elif above is not None:
            change = self._headings[above].level - level
        else:
            return False
        levelled = self._levelled(first, end, change)
        name = tr("demote") if step > 0 else tr("promote")
        return bool(levelled) and self._exchange(name, first, end, levelled)

    def move(self, ids: Sequence[int], step: int) -> bool:
        """Move the block before the sibling above it (-1) or after the one below (1).

        If there is none, it moves to the neighbor of its parent, so that it can be moved through
        the whole text.
        """
        first, end = self.block(ids)
        before = self._above(first) if step < 0 else self._below(first, end)
        return self._carry(tr("move up") if step < 0 else tr("move down"), first, end, before)

    def _above(self, first: int) -> int | None:
        """Return the position before the sibling above, or after the last child of the parent's
        sibling above.
        """
        above = self._no_deeper(first, self._headings[first].level)
        if above is None or self._headings[above].level == self._headings[first].level:
            return above
        level = self._headings[above].level
        further = self._no_deeper(above, level)
        return above if further is not None and self._headings[further].level == level else None

    def _no_deeper(self, place: int, level: int) -> int | None:
        """Return the nearest position before `place` of a heading with at most this level."""
        return next(
            (above for above in range(place - 1, -1, -1) if self._headings[above].level <= level),
            None,
        )

    def _below(self, first: int, end: int) -> int | None:
        """Return the position after the sibling below, or before the first child of the parent's
        sibling below.
        """
        if end == len(self._headings):
            return None
        level, below = self._headings[first].level, self._headings[end].level
        if below == level:
            return self.end(end)
        above = self.parent(first)
        return end + 1 if above is not None and self._headings[above].level == below else None

    def move_to(self, ids: Sequence[int], before: int, level: int) -> bool:
        """Move the block to the position `before`, at `level`."""
        first, end = self.block(ids)
        if first < before < end:
            return False
        change = level - self._headings[first].level
        return self._carry(tr("move"), first, end, before, change)

    def _carry(self, name: str, first: int, end: int, before: int | None, change: int = 0) -> bool:
        carried = self._levelled(first, end, change)
        if before is None or not carried or (first <= before <= end and not change):
            return False
        self.carried |= {
            heading.id
            for heading in self._headings[first:end]
            if heading.level == self._headings[first].level
        }
        if before <= first:
            return self._exchange(name, before, end, (*carried, *self._headings[before:first]))
        if before <= end:
            return self._exchange(name, first, end, carried)
        return self._exchange(name, first, before, (*self._headings[end:before], *carried))

    def read(self, text: str) -> "Outline":
        """Parse `text` in the format of this outline. Changes nothing, so it may run in a
        thread.
        """
        return self._parse(text)

    def rewrite(self, text: str, read: "Outline | None" = None) -> bool:
        """Replace everything with `text`. Headings that still exist keep their ids.

        `read` is the result of `read` for it, if that has already been called.
        """
        read = read or self.read(text)
        headings = _recognized(self._headings, read.headings, self._new_id)
        if headings == self._headings and read.frame == self.frame:
            return False
        self._apply("Markdown", headings, read.frame)
        return True

    # ── Undo ──────────────────────────────────────────────────────────────────────────────────────

    def undo(self) -> tuple[str, int | None] | None:
        """Undo the last change. Return its name and the id of an affected heading; None if there is
        none.
        """
        if not self._done:
            return None
        step = self._done.pop()
        self._undone.append(step)
        self._put(step.before)
        return step.name, _concerned(step.after.headings, step.before.headings)

    def redo(self) -> tuple[str, int | None] | None:
        """Redo the change that was undone last."""
        if not self._undone:
            return None
        step = self._undone.pop()
        self._done.append(step)
        self._put(step.after)
        return step.name, _concerned(step.before.headings, step.after.headings)

    def forget_last(self) -> None:
        """Undo the last change without a trace."""
        if self.undo():
            self._undone.pop()

    def _join(self) -> None:
        """Merge the last two changes."""
        last, first = self._done.pop(), self._done.pop()
        self._done.append(_Step(first.name, first.before, last.after))

    # ── How it is done ────────────────────────────────────────────────────────────────────────────

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _add(self, place: int, level: int, text: str, *, numbered: bool = True) -> int:
        text, length = split_length(" ".join(text.split()))
        added = Heading(self._new_id(), level, text, length, gap=self.frame.gap, numbered=numbered)
        self._exchange(tr("add"), place, place, (added,))
        return added.id

    def _levelled(self, first: int, end: int, change: int) -> Headings:
        """Return the slice with all levels changed; None if that is too deep or too high."""
        block = self._headings[first:end]
        if not change:
            return block
        levels = [heading.level + change for heading in block]
        if min(levels) < 1 or max(levels) > self.deepest:
            return ()
        return tuple(
            replace(heading, level=level, raw="")
            for heading, level in zip(block, levels, strict=True)
        )

    def _set(self, heading: Heading, name: str) -> None:
        place = self.place(heading.id)
        self._exchange(name, place, place + 1, (heading,))

    def _exchange(self, name: str, start: int, end: int, added: Headings) -> bool:
        """Replace a slice, unless that would change nothing."""
        if self._headings[start:end] == added:
            return False
        whole = [*self._headings[:start], *added, *self._headings[end:]]
        frame = self.frame
        if not self._headings and frame.preamble:
            frame = replace(frame, preamble=frame.preamble.removesuffix("\n") + "\n\n")
        if not frame.is_list:
            self._loosen(whole, start, start + len(added))
        self._apply(name, tuple(whole), frame)
        return True

    def _loosen(self, whole: list[Heading], start: int, end: int) -> None:
        """Make sure that headings of `whole` with new neighbors keep their meaning.

        An underlined heading would absorb a line of text above it, and a list an indented one; and
        a text without an empty line after it might swallow the next heading. A neighbor with
        another text is a new one.
        """
        first, last = max(0, start - 1), min(len(whole), end + 1)
        around = self._headings[max(0, start - 2) : last + len(self._headings) - len(whole) + 1]
        known = {(above.id, above.body, below.id) for above, below in pairwise(around)}
        known |= {(0, "", heading.id) for heading in self._headings[:1]}
        for place in range(first, last):
            before = whole[place - 1] if place else None
            above = (before.id, before.body) if before else (0, "")
            if (*above, whole[place].id) in known:
                continue
            raw = whole[place].raw
            if raw.count("\n") > 1 or raw.startswith(" "):
                whole[place] = replace(whole[place], raw="")
            if before and before.body and not before.gap:
                whole[place - 1] = replace(before, gap="\n")

    def _apply(self, name: str, headings: Headings, frame: Frame) -> None:
        before, after = _State(self._headings, self.frame), _State(headings, frame)
        self._done.append(_Step(name, before, after))
        self._undone.clear()
        self._put(after)

    def _put(self, state: _State) -> None:
        self._headings, self.frame = state
        self.__dict__.pop("_by_id", None)
        self.revision += 1


def subtree_end(headings: Sequence[Heading], place: int) -> int:
    """Return the position after everything in `headings` that belongs to the one at `place`."""
    level = headings[place].level
    return next(
        (end for end in range(place + 1, len(headings)) if headings[end].level <= level),
        len(headings),
    )


def _concerned(before: Headings, after: Headings) -> int | None:
    """Return the first new or changed heading, otherwise the one before the first difference."""
    known = set(before)
    changed = next((heading for heading in after if heading not in known), None)
    if changed is None and after:
        pairs = enumerate(zip(before, after, strict=False))
        differ = (place for place, (was, now) in pairs if was != now)
        changed = after[max(0, next(differ, len(after)) - 1)]
    return changed.id if changed else None


def _recognized(known: Headings, read: Headings, new_id: Callable[[], int]) -> Headings:
    """Return `read` with the ids of the same headings in `known`.

    Headings are the same if they have the same title, preferably at the same position; if equally
    many are left on both sides, these correspond in order, with changed titles.
    """
    ids = {}
    for place, (heading, here) in enumerate(zip(read, known, strict=False)):
        if heading.text == here.text:
            ids[place] = here.id
    taken = set(ids.values())
    by_title: dict[str, list[int]] = {}
    for heading in known:
        if heading.id not in taken:
            by_title.setdefault(heading.text, []).append(heading.id)
    for place, heading in enumerate(read):
        if place not in ids and by_title.get(heading.text):
            ids[place] = by_title[heading.text].pop(0)
    taken = set(ids.values())
    left = [heading for heading in known if heading.id not in taken]
    unknown = [place for place in range(len(read)) if place not in ids]
    if [heading.level for heading in left] == [read[place].level for place in unknown]:
        ids |= {place: heading.id for place, heading in zip(unknown, left, strict=True)}
    return tuple(
        replace(heading, id=ids[place] if place in ids else new_id())
        for place, heading in enumerate(read)
    )


class RawEdit:
    """Edits `outline` as the text it was displayed as."""

    def __init__(self, outline: Outline, text: str) -> None:
        self.text = text
        """The outline's current text."""
        self._outline = outline
        self._begun = text
        self._is_step = False

    def take(self, text: str, read: Outline | None = None) -> bool:
        """Replace the outline with `text`, instead of what was typed before. Return whether that is
        a different text.

        `read` is the result of `outline.read` for it, if that has already been called in a thread.
        """
        if text == self.text:
            return False
        if self._is_step:
            self._outline.forget_last()
        self.text = text
        self._is_step = text != self._begun and self._outline.rewrite(text, read)
        return True
