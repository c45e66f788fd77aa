"""The content of a page, in points from its upper left corner."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
"""Scripts without blanks between words: Chinese and Japanese, not Korean."""

BULLET = "\u2022"
"""Stands for a drawn bullet, or a character of a symbol font."""

HYPHENS = ("-", "\u2010")

_MOST_BESIDE = 3
"""The number of lines beside the text of a page that may be running titles: more are a table."""

_LONG = 0.2
"""The minimum length of a line of the text relative to the page."""

_SHIFT = 0.12
"""The minimum distance of the baseline of a raised or lowered character from that of the line,
relative to its size.
"""


class Box(msgspec.Struct, frozen=True):
    """A rectangle on a page."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.y1 - self.y0

    @property
    def middle(self) -> tuple[float, float]:
        """Its center."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def holds(self, point: tuple[float, float], slack: float = 0.0) -> bool:
        """Return whether `point` is inside, or at most `slack` outside."""
        x, y = point
        return self.x0 - slack <= x <= self.x1 + slack and self.y0 - slack <= y <= self.y1 + slack

    def beside(self, other: "Box") -> bool:
        """Return whether both are in one row: they share more than half of the smaller height."""
        shared = min(self.y1, other.y1) - max(self.y0, other.y0)
        return shared > 0.5 * min(self.height, other.height)


def around(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around `boxes`, which must not be empty."""
    found = list(boxes)
    return Box(
        min(b.x0 for b in found),
        min(b.y0 for b in found),
        max(b.x1 for b in found),
        max(b.y1 for b in found),
    )


_ENDS = re.compile(r"[.:!?。：！？؟…;；][\"'”’»)）」』\]]*\d{0,2}\s*$")


def ends_sentence(text: str) -> bool:
    """Return whether `text` ends like a sentence, disregarding a note mark."""
    return _ENDS.search(text) is not None


def is_within(above: str, below: str) -> bool:
    """Return whether a sentence certainly continues from one text to the other."""
    begin = below.lstrip()[:1]
    return not ends_sentence(above) and (begin.islower() or WIDE.match(begin) is not None)


def reads_leftward(text: str) -> bool:
    """Return whether most letters of `text` belong to a right-to-left script (Hebrew to Arabic
    Extended), whose digits MuPDF takes for letters.
    """
    if text.isascii():
        return False
    letters = [c for c in text if c.isalpha() or "\u0660" <= c <= "\u06f9"]
    return sum(1 for c in letters if "\u0590" <= c <= "\u08ff") > len(letters) / 2


class Run(msgspec.Struct, frozen=True):
    """Characters in one style. `size` is in points; `shift` is 1 above the line and -1 below it;
    `uri` is the target of a link.

    `x0` is its left edge. `made`: a blank that stands for a gap and is not in the file. `markdown`:
    it is Markdown already.
    """

    text: str
    size: float
    bold: bool = False
    italic: bool = False
    mono: bool = False
    shift: int = 0
    uri: str = ""
    x0: float = 0.0
    font: str = ""
    made: bool = False
    markdown: bool = False


class Line(msgspec.Struct, frozen=True, dict=True):
    """Characters on one baseline without a wide gap between them; `upright` unless the text runs
    up, down or diagonally.

    `base` is the height of its baseline.
    """

    box: Box
    runs: tuple[Run, ...]
    upright: bool = True
    base: float = 0.0

    @cached_property
    def text(self) -> str:
        """The characters alone."""
        return "".join(run.text for run in self.runs)

    @cached_property
    def size(self) -> float:
        """The size of most characters."""
        sizes: dict[float, int] = {}
        for run in self.runs:
            sizes[run.size] = sizes.get(run.size, 0) + len(run.text.strip())
        return max(sizes, key=lambda size: (sizes[size], size))

    @cached_property
    def right_to_left(self) -> bool:
        """Whether most letters belong to a right-to-left script."""
        return reads_leftward(self.text)

    @property
    def start(self) -> float:
        """The distance of its beginning from the left; from the right if it is read from there."""
        return -self.box.x1 if self.right_to_left else self.box.x0

    @cached_property
    def first_word(self) -> float:
        """The width of its first word."""
        return next((word.box.width for word in words_of(self)), 0.0)

    @cached_property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(run.bold for run in self.runs if run.text.strip())

    @cached_property
    def mono(self) -> bool:
        """Whether all of it is in a monospaced font, except characters that such fonts do not
        have.
        """
        inked = [run for run in self.runs if run.text.strip()]
        return any(run.mono for run in inked) and all(
            run.mono or not run.text.isascii() for run in inked
        )


NOTHING = Line(Box(0, 0, 0, 0), (Run("", 1.0),))
"""A line without characters."""


def rows_in_order(lines: Iterable[Line]) -> list[list[Line]]:
    """Return the lines in rows, in their order: those side by side form a row, in the direction of
    its script.
    """
    rows: list[list[Line]] = []
    for line in lines:
        row = rows[-1] if rows else []
        beside = any(line.box.beside(there.box) for there in row)
        if beside and not any(_is_over(there.box, line.box) for there in row):
            row.append(line)
        else:
            rows.append([line])
    return [_in_direction(row) for row in rows]


def _is_over(box: Box, other: Box) -> bool:
    shared = min(box.x1, other.x1) - max(box.x0, other.x0)
    return shared > 0.5 * min(box.width, other.width)


def rows_of(lines: Iterable[Line]) -> list[list[Line]]:
    """Return the upright `lines` in rows from top to bottom, each in the direction of its
    script.
    """
    upright = (line for line in lines if line.upright)
    return rows_in_order(sorted(upright, key=lambda line: (line.box.middle[1], line.box.x0)))


def _in_direction(row: list[Line]) -> list[Line]:
    leftward = reads_leftward("".join(line.text for line in row))
    return sorted(row, key=lambda line: -line.box.x1 if leftward else line.box.x0)


def shift_of(rise: float) -> int:
    """Return 1 for raised, -1 for lowered, and 0 for other text, by the distance of its baseline
    from the line's, relative to the line's size.
    """
    if not _SHIFT < abs(rise) <= 1:
        return 0
    return 1 if rise > 0 else -1


def words_of(line: Line) -> Iterator[Line]:
    """Yield the words of the line as lines, with their positions: exact at the start of a run,
    estimated by length within it.
    """
    found: list[tuple[float, float, list[Run]]] = []
    apart = True
    for run, end in placed_runs(line):
        width = (end - run.x0) / max(1, len(run.text))
        for part in re.finditer(r"\S+|\s+", run.text):
            start, stop = run.x0 + width * part.start(), run.x0 + width * part.end()
            word = replace(run, text=part[0], x0=start)
            if part[0].isspace():
                apart = True
            elif apart:
                found.append((start, stop, [word]))
                apart = False
            else:
                found[-1] = (found[-1][0], stop, [*found[-1][2], word])
    for start, stop, runs in found:
        box = Box(min(start, stop), line.box.y0, max(start, stop), line.box.y1)
        yield Line(box, tuple(runs), base=line.base)


def placed_runs(line: Line) -> Iterator[tuple[Run, float]]:
    """Yield the runs of a line, each with the position of its end."""
    ends = [run.x0 for run in line.runs[1:]] + [line.box.x0 if line.right_to_left else line.box.x1]
    return zip(line.runs, ends, strict=True)


def one_line(words: Sequence[Line]) -> Line:
    """Return `words` of a line as a line."""
    runs = list(words[0].runs)
    for word in words[1:]:
        runs += [Run(" ", word.size, x0=word.box.x0), *word.runs]
    return Line(area_of(words), tuple(runs), base=words[0].base)


def area_of(parts: Iterable["Line | TextBlock"]) -> Box:
    """Return the smallest box around lines or texts, of which there must be some."""
    return around(part.box for part in parts)


def text_of(lines: Iterable[Line]) -> str:
    """Return the characters of `lines`."""
    return " ".join(line.text.strip() for line in lines)


class TextBlock(msgspec.Struct, frozen=True):
    """Lines that belong together by their distance: a paragraph, a heading, items of a list.
    `column` is the surrounding column, if known.
    """

    lines: tuple[Line, ...]
    column: Box | None = None

    @property
    def box(self) -> Box:
        """The area they cover."""
        return area_of(self.lines)

    @property
    def text(self) -> str:
        """The characters of all lines."""
        return text_of(self.lines)


class Cell(msgspec.Struct, frozen=True):
    """A cell of a table: its text, and the number of rows and columns that it spans."""

    lines: tuple[Line, ...]
    down: int = 1
    across: int = 1


class Table(msgspec.Struct, frozen=True):
    """Rows of cells."""

    box: Box
    rows: tuple[tuple[Cell, ...], ...]


class Element(msgspec.Struct, frozen=True):
    """An element of the structure tree with its content on a page. `kind` is named as in PDF 2.0;
    `xref` is its object number, `index` its index among its siblings.
    """

    kind: str
    xref: int
    index: int
    kids: "Nodes"


Lines: TypeAlias = Sequence[Line]
Rows: TypeAlias = Sequence[list[Line]]
"""Lines in rows, from the top."""

Part: TypeAlias = Element | TextBlock | Table
Nodes: TypeAlias = tuple[Part, ...]


class Page(msgspec.Struct, frozen=True, dict=True):
    """The content of a page: its area, its text within elements, its invisible text, and all lines
    in file order.
    """

    area: Box
    nodes: Nodes
    hidden: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()

    @property
    def tagged(self) -> bool:
        """Whether any of its text is in an element."""
        return any(isinstance(node, Element) for node in self.nodes)

    @property
    def blocks(self) -> list[TextBlock]:
        """All text, in whatever element."""
        return list(blocks_in(self.nodes))

    @property
    def lines(self) -> list[Line]:
        """The lines of all text."""
        return lines_in(self.nodes)

    @cached_property
    def tables(self) -> set[Line]:
        """The lines in tables of a tagged page, whose header may be on each page."""
        return set(lines_in(each for each in elements_in(self.nodes) if each.kind == "Table"))

    @cached_property
    def sides(self) -> tuple[float, float]:
        """The left and right edge of its long lines, if next to nothing is beside them."""
        least = _LONG * self.area.width
        found = [line.box for line in self.lines if line.upright and line.box.width > least]
        whole = around(found) if found else self.area
        beside = sum(o.box.x1 < whole.x0 or o.box.x0 > whole.x1 for o in self.lines)
        return (whole.x0, whole.x1) if beside <= _MOST_BESIDE else (self.area.x0, self.area.x1)


def blocks_in(nodes: Iterable[Part]) -> Iterator[TextBlock]:
    """Yield the text in `nodes` and their descendants, except tables."""
    for node in nodes:
        if isinstance(node, TextBlock):
            yield node
        elif isinstance(node, Element):
            yield from blocks_in(node.kids)


def lines_in(nodes: Iterable[Part]) -> list[Line]:
    """Return the lines of all text in `nodes`."""
    return [line for block in blocks_in(nodes) for line in block.lines]


def untagged(nodes: Iterable[Part]) -> list[TextBlock | Table]:
    """Return the `nodes` outside elements."""
    return [node for node in nodes if not isinstance(node, Element)]


def elements_in(nodes: Iterable[Part]) -> Iterator[Element]:
    """Yield the elements among `nodes` and their descendants, outer ones first."""
    for node in nodes:
        if isinstance(node, Element):
            yield node
            yield from elements_in(node.kids)


def changed(nodes: Iterable[Part], change: Callable[[Line], Line | None]) -> Iterator[Part]:
    """Yield `nodes` with each line replaced by the result of `change`, dropping those for which it
    is None.
    """
    for node in nodes:
        if isinstance(node, Element):
            kids = tuple(changed(node.kids, change))
            if kids or not node.kids:
                yield replace(node, kids=kids)
        elif isinstance(node, Table):
            rows = (
                tuple(
                    replace(cell, lines=tuple(filter(None, map(change, cell.lines))))
                    for cell in row
                )
                for row in node.rows
            )
            yield replace(node, rows=tuple(rows))
        elif lines := tuple(filter(None, map(change, node.lines))):
            yield TextBlock(lines, node.column)


def exchanged(nodes: Nodes, new: Mapping[Line, Line | None]) -> Nodes:
    """Return `nodes` with the lines that are `new`, without those for which this is None."""
    return tuple(changed(nodes, lambda line: new.get(line, line))) if new else nodes


def without(nodes: Nodes, lines: Iterable[Line]) -> Nodes:
    """Return `nodes` without these lines."""
    return exchanged(nodes, dict.fromkeys(lines))


def without_start(length: int) -> Callable[[Line], Line | None]:
    """Return a function that removes the first `length` characters, and blanks around them, from
    the lines it is called with.
    """
    left = length

    def shortened(line: Line) -> Line | None:
        nonlocal left
        runs = []
        for run in line.runs:
            text = run.text
            if left >= 0:
                text = text.lstrip()
                cut = min(left, len(text))
                text, left = text[cut:].lstrip(), left - cut
                left = -1 if text else left
            if text:
                runs.append(replace(run, text=text))
        return replace(line, runs=tuple(runs)) if runs else None

    return shortened
