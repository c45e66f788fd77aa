"""What the user changed in the proposal: a mark for each heading, and a short list in words."""

from collections.abc import Iterator, Sequence, Set
from typing import Literal

from dogent_tui.language import tr
from dogent_tui.outline.model import Heading, Headings, subtree_end
from dogent_tui.records import Record

Change = Literal["added", "moved", "edited"]

MOST_LISTED = 30
"""The number of changes to list in words; the outline itself shows the rest."""


class Changes(Record):
    """`marks`: heading id → its changes, possibly several, such as edited and moved.

    `deleted`: the deleted headings, without what belonged to them.
    """

    marks: dict[int, tuple[Change, ...]]
    deleted: Headings
    sentences: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.sentences)

    def count(self, change: Change) -> int:
        """Return how many headings were changed in this way, among others."""
        return sum(change in marks for marks in self.marks.values())


class Baseline:
    """The headings to compare with, and their parents; headings with the same id are the same."""

    def __init__(self, headings: Headings) -> None:
        self.headings = headings
        self.by_id = {heading.id: heading for heading in headings}
        self.order = {heading.id: place for place, heading in enumerate(headings)}
        self.parents = dict(_parents(headings))
        self.children: dict[int, list[int]] = {}
        for heading in headings:
            self.children.setdefault(self.parents[heading.id], []).append(heading.id)

    def title(self, id_: int) -> str:
        """Return the title of a heading in quotation marks."""
        return f"“{self.by_id[id_].text}”"

    def where(self, id_: int) -> str:
        """Describe the position of a heading: ``after “Tea”``, ``first under “Drinks”``; empty if
        it is the very first.
        """
        siblings = self.children[self.parents[id_]]
        place = siblings.index(id_)
        parent = self.title(self.parents[id_]) if self.parents[id_] else ""
        if not place:
            return tr("first under {parent}", parent=parent) if parent else ""
        words = tr("after {heading} under {parent}") if parent else tr("after {heading}")
        return words.format(heading=self.title(siblings[place - 1]), parent=parent)

    def changes(self, after: Headings, carried: Set[int] = frozenset()) -> Changes:
        """Compare with `after`.

        `carried` are the headings that the user moved: if two changed places, this tells which one
        was moved.
        """
        before = self.headings
        old, new = self, Baseline(after)
        moved = set(_moved(old, new, carried))
        marks: dict[int, tuple[Change, ...]] = {}
        sentences: list[str] = []
        for heading in after:
            known = old.by_id.get(heading.id)
            said: list[str] = []
            if known is None:
                marks[heading.id] = ("added",)
                if (
                    new.parents[heading.id] in old.by_id
                    or not new.parents[heading.id]
                    or len(after) < MOST_LISTED
                ):
                    sentences.append(
                        _placed(
                            tr("Added {heading} {place}."),
                            tr("Added {heading} at the beginning."),
                            new,
                            heading,
                        )
                    )
                continue
            if known is not heading:
                said += _edited(known, heading)
            if said:
                marks[heading.id] = ("edited",)
            if heading.id in moved:
                marks[heading.id] = (*marks.get(heading.id, ()), "moved")
                said.append(
                    _placed(
                        tr("Moved {heading} {place}."),
                        tr("Moved {heading} to the beginning."),
                        new,
                        heading,
                    )
                )
            sentences += said
        gone = old.by_id.keys() - new.by_id.keys()
        deleted = tuple(
            heading
            for heading in before
            if heading.id in gone and old.parents[heading.id] not in gone
        )
        for heading in deleted:
            place = old.order[heading.id]
            below = sum(each.id in gone for each in before[place + 1 : subtree_end(before, place)])
            words = (
                tr("Deleted {heading} and {count} below it.") if below else tr("Deleted {heading}.")
            )
            sentences.append(words.format(heading=old.title(heading.id), count=below))
        return Changes(marks, deleted, _shortened(sentences))


def _parents(headings: Headings) -> Iterator[tuple[int, int]]:
    """Yield each id with that of its parent, 0 for none."""
    above: list[Heading] = []
    for heading in headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        yield heading.id, above[-1].id if above else 0
        above.append(heading)


def _placed(sentence: str, at_first: str, tree: Baseline, heading: Heading) -> str:
    place = tree.where(heading.id)
    return (sentence if place else at_first).format(heading=tree.title(heading.id), place=place)


def _edited(known: Heading, heading: Heading) -> Iterator[str]:
    if heading.text != known.text:
        yield tr("Renamed “{before}” to “{after}”.", before=known.text, after=heading.text)
    if heading.note != known.note:
        changed = (
            tr("Changed the note on “{heading}”.")
            if known.note
            else tr("Added a note to “{heading}”.")
        )
        yield (changed if heading.note else tr("Removed the note from “{heading}”.")).format(
            heading=heading.text
        )
    if heading.target != known.target:
        words = (
            tr("Set the target length of “{heading}” to {target}.")
            if heading.target
            else tr("Removed the target length of “{heading}”.")
        )
        yield words.format(heading=heading.text, target=heading.target)


def _moved(old: Baseline, new: Baseline, carried: Set[int]) -> Iterator[int]:
    """Yield the headings with another parent, and of the others, the fewest that explain the new
    order.
    """
    for parent, children in new.children.items():
        stayed = [id_ for id_ in children if old.parents.get(id_, -1) == parent]
        yield from (id_ for id_ in children if id_ in old.by_id and old.parents[id_] != parent)
        order = [old.order[id_] for id_ in stayed]
        if order == sorted(order):
            continue
        still = [old.order[id_] for id_ in stayed if id_ not in carried]
        keeping = set(still) if still == sorted(still) else _longest_rising(order)
        yield from (id_ for id_ in stayed if old.order[id_] not in keeping)


def _longest_rising(values: Sequence[int]) -> set[int]:
    """Return the members of a longest increasing subsequence. If two changed places, the later one
    stays.
    """
    from rapidfuzz.distance import LCSseq  # imported on use: only moves need it

    common = LCSseq.editops(values[::-1], sorted(values, reverse=True))
    gone = {values[-1 - op.src_pos] for op in common if op.tag == "delete"}
    return {*values} - gone


def _shortened(sentences: list[str]) -> tuple[str, ...]:
    if len(sentences) <= MOST_LISTED:
        return tuple(sentences)
    return (
        *sentences[: MOST_LISTED - 1],
        tr("And {count} more changes.", count=len(sentences) - MOST_LISTED + 1),
    )
