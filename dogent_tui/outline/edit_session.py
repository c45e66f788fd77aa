"""An outline being edited: relative to the proposal it came from, with its text and changes."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import accumulate

from dogent_tui.language import ngettext, phrases, tr
from dogent_tui.outline.blocks import count_words
from dogent_tui.outline.changes import Baseline, Change, Changes
from dogent_tui.outline.markdown import first_lines, parse, parse_file, render
from dogent_tui.outline.model import Outline
from dogent_tui.outline.tree import OutlineTree

NAMES: tuple[tuple[Change, str, str], ...] = (
    ("added", "+", tr("added")),
    ("edited", "~", tr("changed")),
    ("moved", "↕", tr("moved")),
)
"""The kinds of changes of headings, with their marks and words."""


class OutlineEditing:
    """Edits `proposal`; `draft` is the user's version, None if there is none yet (undo leads back
    to the proposal).

    `is_document`: a complete document, whose sections move with their text.
    """

    def __init__(
        self, proposal: str, draft: str | None = None, *, is_document: bool = False
    ) -> None:
        self.is_document = is_document
        self.outline = (parse_file if is_document else parse)(proposal)
        self.proposal = proposal
        self._base = Baseline(self.outline.headings)
        self._frame = self.outline.frame
        if draft is not None:
            self.outline.rewrite(draft)
        self.tree = OutlineTree(self.outline)
        # each cached for the last revision of the outline
        self._text = lru_cache(1)(lambda _: render(self.outline))
        self._lines = lru_cache(1)(lambda _: first_lines(self.outline))
        self._changes = lru_cache(1)(
            lambda _: self._base.changes(self.outline.headings, self.outline.carried)
        )
        self._saved = self.markdown if is_document else proposal
        self._words = lru_cache(None)(count_words)  # of the texts only one changes at a time
        self._words_above = lru_cache(1)(
            lambda _: [*accumulate((self._words(e.body) for e in self.outline.headings), initial=0)]
        )

    @property
    def markdown(self) -> str:
        """The outline as text."""
        return self._text(self.outline.revision)

    def markdown_after(self, change: Callable[[Outline], object]) -> str:
        """Return the text that `change` would lead to."""
        copy = Outline(self.outline.headings, self.outline.frame, self.outline.read)
        change(copy)
        return render(copy)

    @property
    def changes(self) -> Changes:
        """The changes relative to the proposal, or to what was saved last."""
        return self._changes(self.outline.revision)

    @property
    def is_changed(self) -> bool:
        """Whether the text differs from the proposed or saved one."""
        if self.outline.headings == self._base.headings and self.outline.frame == self._frame:
            return False
        # the text is generated only if nothing else can tell
        return bool(self.changes) or self.markdown != self._saved

    def words(self, place: int) -> int:
        """Return the number of words in the section of the heading at `place` of a document; 0 in
        an outline.
        """
        if not self.is_document:
            return 0
        above = self._words_above(self.outline.revision)
        return above[self.outline.end(place)] - above[place]

    @property
    def summary(self) -> str:
        """The size and the changes, in a line."""
        number = len(self.outline.headings)
        count = ngettext("{count:,} heading", "{count:,} headings", number, count=number)
        if self.is_document:
            words = self._words_above(self.outline.revision)[-1]
            count += " · " + ngettext("{count:,} word", "{count:,} words", words, count=words)
        if not self.is_changed:
            state = tr("as saved") if self.is_document else tr("as proposed")
            return f"{count} · {state}"
        said = [
            f"{changed} {mark} {name}"
            for change, mark, name in NAMES
            if (changed := self.changes.count(change))
        ]
        if self.changes.deleted:
            said.append(tr("{count} − deleted", count=len(self.changes.deleted)))
        return phrases(count, *said)

    def saved(self) -> None:
        """Compare later changes with the current state."""
        self._saved = self.markdown
        self._base, self._frame = Baseline(self.outline.headings), self.outline.frame
        self._changes.cache_clear()

    def matches(self, words: str) -> Iterator[int]:
        """Yield the headings with `words` in their title or note, in order."""
        sought = words.casefold()
        for heading in self.outline.headings:
            if sought and (sought in heading.text.casefold() or sought in heading.note.casefold()):
                yield heading.id

    def find(self, words: str, step: int = 0) -> tuple[int, int]:
        """Move the cursor to a match: the next from its position, the one after (1) or before (-1).

        Return the number of the match, and the number of matches.
        """
        found = list(self.matches(words))
        if not found:
            return 0, 0
        cursor = self.tree.cursor
        here = self.outline.place(cursor) if cursor is not None else 0
        places = [self.outline.place(id_) for id_ in found]
        number = bisect_left(places, here) - 1 if step < 0 else bisect_left(places, here + step)
        number %= len(places)
        self.tree.show(found[number])
        return number + 1, len(found)

    @property
    def _first_lines(self) -> list[int]:
        return self._lines(self.outline.revision)

    def line_of_cursor(self) -> int:
        """Return the line of the text on which the heading under the cursor begins, from 0."""
        cursor = self.tree.cursor
        return 0 if cursor is None else self._first_lines[self.outline.place(cursor)]

    def go_to_line(self, line: int) -> None:
        """Move the cursor to the heading whose section contains this line of the text."""
        if self.outline.headings:
            self.tree.show(
                self.outline.headings[max(0, bisect_right(self._first_lines, line) - 1)].id
            )
