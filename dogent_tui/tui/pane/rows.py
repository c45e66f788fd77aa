"""The parts of a document as rows of drawn lines, and the mapping between these and the lines of
the file.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from dogent_tui.plain import visible
from dogent_tui.tui.pane.reading import Part
from dogent_tui.tui.pane.text import link_name
from dogent_tui.tui.transcript.lines import BLANK, Line, Span, wrap
from dogent_tui.tui.transcript.markdown import markdown_lines
from dogent_tui.tui.transcript.rows import Place, Row, Rows

Unit = tuple[int, int]
"""Lines of the file that are selected together, such as a paragraph: the first, and the one after
the last, from 0.
"""


_NAMED = re.compile(r"\[([^\[\]]+)\](?!:)")
_LONGEST_DRAWN = 20_000
"""The number of characters of a part that are drawn. Only comments and code lines make longer
parts.
"""


class DocumentRows(Rows):
    """A row for each part of a document."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[Part] = []
        self._firsts: list[int] = []
        self._definitions: Mapping[str, str] = {}
        self._known: dict[tuple[str, bool], Row] = {}  # rows of parts shown before, by text

    def show(self, parts: Sequence[Part], definitions: Mapping[str, str]) -> None:
        """Show exactly `parts`. `definitions` are the Markdown lines of link definitions, by
        name.
        """
        self._known = {
            (part.text, row.index > 0): row
            for part, row in zip(self._parts, self.rows, strict=True)
            if definitions == self._definitions
        }
        before, self.rows, self._parts, self._firsts = self.rows, [], [], []
        self._definitions = definitions
        self._lines.clear()  # they know the lines of the file that they show
        self._kept = self._valid = 0
        self.append(parts)
        for row in set(before).difference(self.rows):
            self._drop(row)
        self._known.clear()

    def append(self, parts: Sequence[Part]) -> None:
        """Append `parts`."""
        new = []
        for number, part in enumerate(parts, len(self.rows)):
            row = self._known.pop((part.text, number > 0), None)
            if row is None:
                row = Row(0, 0, height=1 + part.text.count("\n") + len(part.text) // self.width)
                new.append(row)
            row.entry = row.index = number
            self._parts.append(part)
            self._firsts.append(part.first)
            self.rows.append(row)
        self._forget(reversed(new))  # the first one is measured and searched first

    def _draw(self, row: Row) -> list[Line]:
        part = self._parts[row.entry]
        if part.is_plain:
            return list(_plain_lines(part, self.width))
        above = [BLANK] if row.entry else []
        # Before the text, where an unclosed fence cannot swallow them.
        before = self._definitions_for(part.text)
        shift = part.first - len(before)
        text = (
            part.text if len(part.text) <= _LONGEST_DRAWN else f"{part.text[:_LONGEST_DRAWN]}\n\n…"
        )
        drawn = markdown_lines("\n".join((*before, text)), self.width)
        return above + [_shifted(line, shift) for line in drawn]

    def _definitions_for(self, text: str) -> list[str]:
        """Return the definitions of the links used in `text`, followed by a blank line."""
        if not self._definitions:
            return []
        names = dict.fromkeys(link_name(found) for found in _NAMED.findall(text))
        lines = [self._definitions[name] for name in names if name in self._definitions]
        return [*lines, ""] if lines else []

    # ── Lines of the file ─────────────────────────────────────────────────────────────────────────

    def place_of(self, number: int) -> Place | None:
        """Return where line `number` of the file, or the next one after it, is drawn. None in an
        empty document.
        """
        if not self.rows:
            return None
        row = self.rows[max(0, bisect_right(self._firsts, number) - 1)]
        for at, line in enumerate(self.lines(row)):
            if line.source is not None and line.source[1] > number:
                return Place(row, at)
        return Place(row, max(0, len(self.lines(row)) - 1))

    def unit_at(self, place: Place) -> Unit | None:
        """Return the lines of the file drawn at `place`, or closest to it."""
        lines = self.lines(place.row)
        if place.line < len(lines) and (unit := lines[place.line].source):
            return unit
        around = chain(self._from(place, 1), self._from(place, -1))
        return next((line.source for _, line in around if line.source), None)

    def drawn_above(self, place: Place) -> int:
        """Return the line of the file after those drawn above `place`."""
        return next((line.source[1] for _, line in self._from(place, -1) if line.source), 0)

    def unit_beside(self, unit: Unit, step: int) -> Unit | None:
        """Return the unit after `unit`, or before it if `step` is negative; None at the end."""
        place = self.place_of(unit[0])
        if place is None:
            return None
        return next(
            (
                line.source
                for _, line in self._from(place, step)
                if line.source and line.source != unit
            ),
            None,
        )

    def y_of(self, place: Place) -> int:
        """Return the line of `place`, counted from the top of the document."""
        return self.top(place.row.index) + place.line

    def _from(self, place: Place, step: int) -> Iterator[tuple[Place, Line]]:
        """Yield what is drawn after `place`, or before it if `step` is negative, nearest first."""
        row, at = place.row, place.line + step
        while True:
            lines = self.lines(row)
            while 0 <= at < len(lines):
                yield Place(row, at), lines[at]
                at += step
            if not 0 <= row.index + step < len(self.rows):
                return
            row = self.rows[row.index + step]
            at = 0 if step > 0 else len(self.lines(row)) - 1


def _plain_lines(part: Part, width: int) -> Iterator[Line]:
    for number, text in enumerate(part.text.removesuffix("\n").split("\n"), part.first):
        for line in wrap([Span(visible(text))], width):
            yield line._replace(source=(number, number + 1))


def _shifted(line: Line, lines: int) -> Line:
    return (
        line
        if line.source is None
        else line._replace(source=(line.source[0] + lines, line.source[1] + lines))
    )
