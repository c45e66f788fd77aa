"""Applying a proposal to a file that changed in the meantime: a three-way merge in which nothing is
lost silently.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from dogent_tui.changes.hunks import Hunk, Range, changed_ranges
from dogent_tui.changes.model import Decision, DocumentChange, Verdict
from dogent_tui.changes.prose import sentences
from dogent_tui.changes.text import Lines, decoded


class _Edit(NamedTuple):
    """A change of the lines `start` to `end` of the base, by the proposal (`mine`: its number
    there) or by others.
    """

    start: int
    end: int
    mine: int
    grows: int

    @property
    def is_insertion(self) -> bool:
        return self.start == self.end


def rebased(change: DocumentChange, content: bytes | None) -> DocumentChange:
    """Return `change` against the current content of the file. The user's decisions are kept where
    nobody else changed the same lines.

    Where someone did, there is an open hunk marked as a conflict: until it is accepted, the file
    stays as it is there. What the file contains already is no longer a hunk. Raises DogentError if
    the file is no longer text.
    """
    base = decoded(content, change.name)
    if content is None and not change.is_new:
        return _as_one(change)
    theirs = changed_ranges(change.base.lines, base.lines)
    hunks: list[Hunk] = []
    decisions: list[Decision] = []
    grown = 0
    for cluster in _clusters(change.hunks, theirs):
        mine = [change.hunks[edit.mine] for edit in cluster if edit.mine >= 0]
        start = min(edit.start for edit in cluster) + grown
        grows = sum(edit.grows for edit in cluster if edit.mine < 0)
        end = max(edit.end for edit in cluster) + grown + grows
        here = base.lines[start:end]
        number = len(hunks) + 1
        if not mine:
            pass
        elif len(cluster) == 1:
            hunks.append(replace(mine[0], number=number, start=start, end=end))
            decisions.append(change.decision(mine[0].number))
        elif (
            hunk := _conflict(change, mine, start - grown, end - grown - grows, here)
        ).new != here:
            hunks.append(replace(hunk, number=number, start=start, end=end))
            decisions.append(_doubtful([change.decision(hunk.number) for hunk in mine]))
        grown += grows
    made = DocumentChange(change.name, content, base, hunks, change.new, change.summary)
    for hunk, decision in zip(hunks, decisions, strict=True):
        made.put(hunk.number, decision)
    return made


def _as_one(change: DocumentChange) -> DocumentChange:
    """Return the change of a deleted document: all of it, including what was not rejected, as a
    conflict.
    """
    new = change.with_hunks(lambda hunk: change.decision(hunk.number).verdict != "rejected")
    hunk = Hunk(1, 0, 0, (), new.lines, is_conflict=True, ours=change.base.lines)
    made = DocumentChange(
        change.name,
        None,
        Lines((), (), new.has_bom),
        [hunk] if new.lines else [],
        new,
        change.summary,
    )
    if new.lines:
        made.put(
            1,
            _doubtful(
                [Decision(comment=change.decision(hunk.number).comment) for hunk in change.hunks]
            ),
        )
    return made


def _clusters(hunks: Sequence[Hunk], theirs: Sequence[Range]) -> Iterator[list[_Edit]]:
    """Yield the changes in order, overlapping ones together."""
    edits = [_Edit(hunk.start, hunk.end, number, 0) for number, hunk in enumerate(hunks)]
    edits += [
        _Edit(r.start, r.end, -1, (r.new_end - r.new_start) - (r.end - r.start)) for r in theirs
    ]
    cluster: list[_Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if cluster and not any(_overlap(edit, other) for other in cluster):
            yield cluster
            cluster = []
        cluster.append(edit)
    if cluster:
        yield cluster


def _overlap(edit: _Edit, other: _Edit) -> bool:
    """Return whether two changes from different sides concern the same lines. Adjacent ones do
    not.
    """
    if (edit.mine < 0) == (other.mine < 0):
        return False
    if edit.is_insertion and other.is_insertion:
        return edit.start == other.start  # their order is ambiguous
    return edit.start < other.end and other.start < edit.end


def _conflict(
    change: DocumentChange, mine: Sequence[Hunk], start: int, end: int, here: tuple[str, ...]
) -> Hunk:
    """Return the hunk of the lines `start` to `end` of the base, which are now `here`."""
    before = change.base.lines[start:end]
    is_rejected = all(change.decision(hunk.number).verdict == "rejected" for hunk in mine)
    wanted: list[str] = []
    place = start
    for hunk in mine:
        wanted += change.base.lines[place : hunk.start]
        skip = change.decision(hunk.number).verdict == "rejected" and not is_rejected
        wanted += hunk.old if skip else change.lines_of(hunk)
        place = hunk.end
    wanted += change.base.lines[place:end]
    new = _by_sentences(before, wanted, here) or tuple(wanted)
    return Hunk(0, start, end, here, new, mine[0].heading, is_conflict=True, ours=before)


def _by_sentences(
    before: Sequence[str], wanted: Sequence[str], here: Sequence[str]
) -> tuple[str, ...] | None:
    """Return the lines with both changes if these concern different sentences, otherwise None."""
    if not (before and wanted and here):
        return None
    base, mine, theirs = (sentences("\n".join(lines)) for lines in (before, wanted, here))
    ours = changed_ranges(base, mine)
    others = changed_ranges(base, theirs)
    edits = [(r.start, r.end, mine[r.new_start : r.new_end], 0) for r in ours]
    edits += [(r.start, r.end, theirs[r.new_start : r.new_end], 1) for r in others]
    edits.sort(key=lambda edit: edit[:2])
    merged: list[str] = []
    place = 0
    for start, end, new, _ in edits:
        if start < place or (start == place and merged and start == end):
            return None
        merged += base[place:start]
        merged += new
        place = end
    merged += base[place:]
    return tuple("".join(merged).split("\n"))


def _doubtful(decisions: Sequence[Decision]) -> Decision:
    """Return what remains of the decisions about lines that changed: comments, and a rejection."""
    verdict: Verdict = (
        "rejected" if all(decision.verdict == "rejected" for decision in decisions) else "open"
    )
    return Decision(
        verdict, None, "\n".join(decision.comment for decision in decisions if decision.comment)
    )
