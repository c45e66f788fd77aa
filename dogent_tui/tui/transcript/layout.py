"""The position of each entry: rows, their lines at the current width, and their heights, measured
or estimated.

A row is an entry, or a part of a long reply.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice

from msgspec.structs import replace

from dogent_tui.tui.transcript.entries import Look, entry_lines, foldable
from dogent_tui.tui.transcript.lines import BLANK, Lines
from dogent_tui.tui.transcript.markdown import growing_lines, markdown_lines, pieces
from dogent_tui.tui.transcript.model import Entry, Reply, ToolCall, TranscriptModel
from dogent_tui.tui.transcript.rows import Row, Rows

_PIECE = 2_000
"""The approximate number of characters of a reply laid out together, which determines the cost of
showing part of a long one.
"""


class Layout(Rows):
    """The rows of `model`, laid out at `width` on demand."""

    def __init__(self, model: TranscriptModel) -> None:
        super().__init__()
        self.look = Look(self.width)
        self.unfolded: set[int] = set()
        self._model = model
        self._streamed: dict[int, str] = {}  # the texts of unfinished replies at the last update

    def rows_of(self, entry: int) -> list[Row]:
        """Return the rows of the entry with this number."""
        return self.rows[self._index(entry) : self._index(entry + 1)]

    def _index(self, entry: int) -> int:
        return bisect_left(self.rows, entry, key=lambda row: row.entry)

    # ── Changes ───────────────────────────────────────────────────────────────────────────────────

    def update(self, entries: Iterable[int]) -> None:
        """Update for `entries`, which have changed or are new."""
        for number in entries:
            known = self.rows[-1].entry + 1 if self.rows else 0
            if number < known:
                self._changed(number)
            for new in range(known, number + 1):
                entry = self._model.entries[new]
                if isinstance(entry, ToolCall) and entry.of_the_user:
                    self.unfolded.add(new)
                self._insert([Row(new, 0)])
                if type(entry) is Reply:
                    self._grow(new, entry)

    def toggle(self, entry: int) -> None:
        """Fold or unfold the entry, if that is possible."""
        if foldable(self._model.entries[entry]):
            self.unfolded ^= {entry}
            self._changed(entry)
            self._changed_after(entry)

    def _changed(self, number: int) -> None:
        entry = self._model.entries[number]
        if entry.gone:
            self._changed_after(number)
        if type(entry) is Reply:
            self._grow(number, entry)
        else:
            self._forget(self.rows_of(number))

    def _changed_after(self, number: int) -> None:
        """The space above an entry depends on what comes before it."""
        after = (self.rows[at] for at in range(self._index(number + 1), len(self.rows)))
        self._forget([*islice((row for row in after if not self._gone(row)), 1)])

    def _gone(self, row: Row) -> bool:
        return self._model.entries[row.entry].gone

    def _insert(self, rows: Sequence[Row]) -> None:
        """Insert the further `rows` of an entry."""
        index = self._index(rows[0].entry + 1)
        self.rows[index:index] = rows
        for position in range(index, len(self.rows)):
            self.rows[position].index = position
        self._valid = min(self._valid, index)
        for row in rows:
            row.height = self._guess(self._model.entries[row.entry], row)
        self._forget(rows)

    def _grow(self, number: int, reply: Reply) -> None:
        """Draw the last row again, and start another where it has become long."""
        rows, text = self.rows_of(number), reply.text
        last = rows[-1]
        if not reply.finished:
            self._streamed[number] = text
        elif not text.startswith(self._streamed.pop(number, "")[: last.start]):
            for row in rows:  # the final text differs from what streamed
                row.start = row.end = 0
            last.end = None
            self._forget(rows)
        starts = [last.start + offset for offset in pieces(text[last.start :], _PIECE)[1:]]
        further = [Row(number, last.part + part, start) for part, start in enumerate(starts, 1)]
        for row, start in zip((last, *further), starts, strict=False):
            row.end = start
        if further:
            self._insert(further)
        self._forget([last])

    # ── Lines ─────────────────────────────────────────────────────────────────────────────────────

    def whole(self, row: Row) -> Lines:
        """Return the lines of `row` as they are when it is unfolded."""
        if row.entry in self.unfolded or not foldable(self._model.entries[row.entry]):
            return super().whole(row)
        return self._drawn(row, unfolded=True)

    def _draw(self, row: Row) -> Lines:
        return self._drawn(row, unfolded=row.entry in self.unfolded)

    def _drawn(self, row: Row, *, unfolded: bool) -> Lines:
        entry = self._model.entries[row.entry]
        if entry.gone or row.start == row.end:
            return []
        if type(entry) is Reply:
            grows = not entry.finished and row.end is None
            draw = growing_lines if grows else markdown_lines
            body = draw(entry.text[row.start : row.end], self.width)
        else:
            body = entry_lines(entry, replace(self.look, width=self.width, unfolded=unfolded))
        return [BLANK] * self.space_above(row) + body if body else []

    def space_above(self, row: Row) -> int:
        """Return the number of empty lines before `row`: none between two tool calls if the first
        is folded.
        """
        entries = self._model.entries
        above = next((n for n in range(row.entry - 1, -1, -1) if not entries[n].gone), None)
        if row.part or above is None or above in self.unfolded:
            return 1
        calls = isinstance(entries[row.entry], ToolCall) and isinstance(entries[above], ToolCall)
        return 0 if calls else 1

    def _guess(self, entry: Entry, row: Row) -> int:
        """Estimate the height of a row that has not been laid out."""
        if entry.gone:
            return 0
        if type(entry) is Reply:
            text = entry.text[row.start : row.end]
            return 1 + text.count("\n") + len(text) // self.width
        return 2
