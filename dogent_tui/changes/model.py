"""A proposed change to a document, and the user's decisions hunk by hunk. Does not access the
disk.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from dogent_tui.changes.hunks import Hunk, hunks_between
from dogent_tui.changes.text import Lines, decoded, ended, fingerprint, proposed, split
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.records import Json, JsonDict, Record

Verdict: TypeAlias = Literal["open", "accepted", "rejected"]

LARGEST = 4 << 20
"""The maximum size in bytes of a document and a proposal under review."""
_LONGEST_COMMENT = 4_000


class Decision(Record):
    """The user's decision about a hunk. `edited` are the lines to write instead of the proposed
    ones, None if not edited.
    """

    verdict: Verdict = "open"
    edited: tuple[str, ...] | None = None
    comment: str = ""

    @property
    def is_edited(self) -> bool:
        """Whether the user's version is written instead of the proposal."""
        return self.verdict == "accepted" and self.edited is not None


_OPEN = Decision()


class Draft(Record):
    """The decisions as saved during a review. `base` and `hunks` tell whether they still apply."""

    base: str
    hunks: int
    decisions: Mapping[int, Decision]


class DocumentChange:
    """The change of the document `name` from `content` (None: the file does not exist yet) by
    `hunks`.

    Only accepted hunks are in the `result`; undecided ones change nothing.
    """

    def __init__(
        self,
        name: str,
        content: bytes | None,
        base: Lines,
        hunks: Sequence[Hunk],
        new: Lines,
        summary: str = "",
    ) -> None:
        """Created by `propose` or `merging.rebased`. `new` defines the line endings of an entirely
        new text.
        """
        self.name = name
        self.content = content
        self.base = base
        self.hunks = tuple(hunks)
        self.summary = summary
        self.new = new
        """The proposal as it would be written."""
        self._decisions: dict[int, Decision] = {}
        self._numbers = {hunk.number: hunk for hunk in hunks}

    # ── What is proposed ──────────────────────────────────────────────────────────────────────────

    @property
    def fingerprint(self) -> str:
        """A hash of the base; "" if there is no file."""
        return fingerprint(self.content)

    @property
    def is_new(self) -> bool:
        """Whether the file does not exist yet."""
        return self.content is None

    def hunk(self, number: int) -> Hunk:
        """Return a hunk by its number. Raises KeyError."""
        return self._numbers[number]

    # ── What is decided ───────────────────────────────────────────────────────────────────────────

    def decision(self, number: int) -> Decision:
        """Return the decision about a hunk."""
        return self._decisions.get(number, _OPEN)

    def decide(self, number: int, verdict: Verdict) -> None:
        """Accept, reject or reopen a hunk."""
        self.put(number, replace(self.decision(number), verdict=verdict))

    def decide_all(self, verdict: Verdict, over: Verdict = "open") -> int:
        """Accept or reject all hunks with the decision `over`, and return how many. Conflicts must
        be accepted individually, because they replace what someone else wrote.
        """
        numbers = [
            hunk.number
            for hunk in self.hunks
            if self.decision(hunk.number).verdict == over
            and (verdict != "accepted" or not hunk.is_conflict)
        ]
        for number in numbers:
            self.decide(number, verdict)
        return len(numbers)

    def edit(self, number: int, text: str) -> None:
        """Replace the proposed text with `text`, and accept it. The proposed text itself counts as
        unedited.
        """
        lines = split(text).lines if text else ()
        hunk = self.hunk(number)
        unchanged = lines == hunk.new or text == "\n".join(hunk.new)
        self.put(
            number,
            replace(self.decision(number), verdict="accepted", edited=None if unchanged else lines),
        )

    def comment(self, number: int, words: str) -> None:
        """Set a comment on a hunk for the agent; decisions do not clear it."""
        self.put(number, replace(self.decision(number), comment=words.strip()[:_LONGEST_COMMENT]))

    def put(self, number: int, decision: Decision) -> None:
        """Set the decision about a hunk."""
        self._decisions[self.hunk(number).number] = decision

    def count(self, verdict: Verdict) -> int:
        """Return the number of hunks with this decision."""
        return sum(self.decision(hunk.number).verdict == verdict for hunk in self.hunks)

    def lines_of(self, hunk: Hunk) -> tuple[str, ...]:
        """Return what would be written for a hunk if accepted: the proposal, or the user's version
        of it.
        """
        edited = self.decision(hunk.number).edited
        return hunk.new if edited is None else edited

    # ── What comes of it ──────────────────────────────────────────────────────────────────────────

    @property
    def result(self) -> Lines:
        """The document with all accepted hunks."""
        return self.with_hunks(lambda hunk: self.decision(hunk.number).verdict == "accepted")

    def with_hunks(self, taken: Callable[[Hunk], bool]) -> Lines:
        """Return the document with the hunks for which `taken` returns true, as edited."""
        hunks = [hunk for hunk in self.hunks if taken(hunk)]
        if not hunks:
            return self.base
        if not self.base.lines and all(self.lines_of(hunk) == self.new.lines for hunk in hunks):
            return self.new
        lines: list[str] = []
        endings: list[str | None] = []
        place = 0
        for hunk in hunks:
            self._keep(place, hunk.start, lines, endings)
            written = self.lines_of(hunk)
            lines += written
            endings += _endings_for(
                len(written), self.base.endings[hunk.start : hunk.end], endings, self.base
            )
            place = hunk.end
        self._keep(place, len(self.base.lines), lines, endings)
        like = self.base if self.base.lines else self.new
        return Lines(tuple(lines), ended(lines, endings, like), self.base.has_bom)

    def _keep(self, start: int, end: int, lines: list[str], endings: list[str | None]) -> None:
        lines += self.base.lines[start:end]
        endings += self.base.endings[start:end]

    # ── Kept while it is not finished ─────────────────────────────────────────────────────────────

    def draft(self) -> JsonDict:
        """Return the decisions as JSON."""
        made: JsonDict = msgspec.to_builtins(
            Draft(self.fingerprint, len(self.hunks), self._decisions), str_keys=True
        )
        return made

    def restore(self, draft: Json) -> bool:
        """Restore saved decisions. False, without restoring anything, if they no longer apply."""
        try:
            kept = msgspec.convert(draft, Draft, strict=False)
        except msgspec.ValidationError:
            return False
        if (
            kept.base != self.fingerprint
            or kept.hunks != len(self.hunks)
            or not kept.decisions.keys() <= self._numbers.keys()
        ):
            return False
        self._decisions = dict(kept.decisions)
        return True


def _endings_for(
    count: int, replaced: Sequence[str], before: Sequence[str | None], base: Lines
) -> Iterable[str | None]:
    """Return the line endings of new lines: those of the lines they replace, then that of the line
    above.
    """
    last = replaced[-1] if replaced else before[-1] if before else None
    return [
        replaced[place] if place < len(replaced) else last or base.ending for place in range(count)
    ]


def too_large(name: str) -> DogentError:
    """Return the error for a document that is larger than `LARGEST`."""
    return DogentError(
        tr("{name} is too large to review: the limit is {size} MB.", name=name, size=LARGEST >> 20),
        tr("Change part of it."),
    )


def propose(name: str, content: bytes | None, text: str, summary: str = "") -> DocumentChange:
    """Return the change that turns the content of the file `name` (None: it does not exist yet)
    into `text`.

    Raises DogentError if either is too large or not text.
    """
    if len(content or b"") > LARGEST or len(text) > LARGEST:
        raise too_large(name)
    base = decoded(content, name)
    new = proposed(text, base)
    return DocumentChange(name, content, base, hunks_between(base.lines, new.lines), new, summary)
