"""The matches of a search in drawn rows: the current one, and the marks of all of them."""

from collections.abc import Iterable, Sequence

from dogent_tui.tui.transcript.lines import Line
from dogent_tui.tui.transcript.palette import restyled
from dogent_tui.tui.transcript.rows import Place, Row, Rows
from dogent_tui.tui.transcript.search import Found, Hit, Search

_MOST_KEPT = 64
"""The number of rows whose matches are kept."""


class Matches:
    """Finds text in the entries drawn by `rows`. `number` is the current match, counted from 1; 0
    if there is none.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._search = Search()
        self._kept: dict[Row, tuple[Sequence[Line], Sequence[Found]]] = {}
        self.number = 0

    @property
    def text(self) -> str:
        """What is searched; empty if nothing is."""
        return self._search.text

    @property
    def count(self) -> int:
        """The number of matches."""
        return len(self._search.hits)

    def search(self, text: str, sources: Iterable[str]) -> None:
        """Search `text` in the contents of the entries, from the first one on."""
        self._search, self.number = Search(text), 0
        self._kept.clear()
        self.add(sources)

    def add(self, sources: Iterable[str]) -> None:
        """Search the contents of further entries too."""
        self._search.add(sources)

    def nearest(self, entry: int, *, backward: bool) -> int:
        """Return the number of the first match from `entry` on, or with `backward` of the last one
        up to it. If there is none there, the first one at all.
        """
        numbers = [
            number
            for number, hit in enumerate(self._search.hits, 1)
            if (hit.entry <= entry if backward else hit.entry >= entry)
        ]
        return numbers[-1 if backward else 0] if numbers else 1

    def go(self, number: int) -> int | None:
        """Make match `number` the current one, counted beyond both ends, and return its entry."""
        if not self.count:
            return None
        self.number = (number - 1) % self.count + 1
        return self._current.entry

    def place(self) -> Place:
        """Return where the current match is drawn. If it is not drawn literally, that is the first
        line of its entry.
        """
        seen = 0
        rows = self._rows.rows_of(self._current.entry)
        for row in rows:
            found = self._found(row)
            if self._current.nth < seen + len(found):
                return Place(row, found[self._current.nth - seen][0][0])
            seen += len(found)
        lines = enumerate(self._rows.lines(rows[0]))
        return Place(rows[0], next((at for at, line in lines if line.text), 0))

    def marked(self, place: Place, line: Line) -> Line:
        """Return `line`, drawn at `place`, with its matches marked."""
        if not self.count:
            return line
        marks = []
        before = self._before(place.row)
        for nth, found in enumerate(self._found(place.row), before):
            is_current = self.number > 0 and self._current == (place.row.entry, nth)
            style = "match-current" if is_current else "match"
            marks += [(start, end, style) for at, start, end in found if at == place.line]
        return restyled(line, marks) if marks else line

    @property
    def _current(self) -> Hit:
        return self._search.hits[self.number - 1]

    def _found(self, row: Row) -> Sequence[Found]:
        """Return what is found in `row`, which is kept while its lines are: every line of it that
        is drawn asks.
        """
        lines = self._rows.lines(row)
        kept = self._kept.get(row)
        if kept is None or kept[0] is not lines:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            kept = self._kept[row] = lines, self._search.found(lines)
        return kept[1]

    def _before(self, row: Row) -> int:
        """The matches in the parts of the entry above `row`, if the current one is in it."""
        if not self.number or self._current.entry != row.entry:
            return 0
        return sum(len(self._found(above)) for above in self._rows.rows_of(row.entry)[: row.part])
