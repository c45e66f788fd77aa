"""Lines of styled text, and breaking text into them.

Styles are names, so that lines survive a change of theme; `palette` turns the names into colors
when a line is drawn.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

MIN_WIDTH = 8
"""The smallest width in cells used for layout; below it the terminal crops."""

_WIDE = (
    "\u2e80-\u3029\u302e-\u30ff\u3105-\u312f\u3190-\u31ff\u3200-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6"
    "\U0001b000-\U0001b2ff\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u302a-\u302d\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TOKENS = re.compile(rf" +|[{_WIDE}][{_MARKS}]*|[^ {_WIDE}]+")
_IS_WIDE = re.compile(f"[{_WIDE}]")

_PLAIN = re.compile("[!-~\u00a1-\u00ac\u00ae-\u024f‘’“”–—…][ -~\u00a1-\u00ac\u00ae-\u024f‘’“”–—…]*")
"""Text that starts with a word and in which every character takes one cell: Latin letters and
common punctuation.
"""

# Characters that must not start or end a line: the usual set of Chinese and Japanese typesetting
# (kinsoku, JIS X 4051).
_NEVER_FIRST = frozenset(
    "、。，．・：；？！）」』】〕〉》］｝〟’”…‥ーゝゞ々％℃ぁぃぅぇぉっゃゅょァィゥェォッャュョ!),.:;?]}%"
)
_NEVER_LAST = frozenset("（「『【〔〈《［｛〝‘“([{")


class Span(NamedTuple):
    """Text in one style. `style` holds names of the palette separated by spaces; `link` is an
    address.
    """

    text: str
    style: str = ""
    link: str = ""


def _cells(spans: Iterable[Span]) -> int:
    return sum([cell_len(span.text) for span in spans])


class Line(NamedTuple):
    """One line as drawn.

    `decoration`: the number of characters at its start that are drawn but never copied (bars,
    gutters, indents). `glue`: what is copied between this line and the next: a newline, or what was
    there before the text was wrapped. `fill`: the style of the cells behind the text. `source`: the
    lines of the text it comes from, the first and the one after the last, counted from 0; None if
    not requested, or if it comes from none (between blocks). `cells`: where each cell of a table
    starts and ends, counted back from the end of the line, and its glue.
    """

    spans: tuple[Span, ...] = ()
    decoration: int = 0
    glue: str = "\n"
    fill: str = ""
    source: tuple[int, int] | None = None
    cells: tuple[tuple[int, int, str], ...] = ()

    @property
    def text(self) -> str:
        """All characters, including the decoration."""
        return "".join([span.text for span in self.spans])

    @property
    def width(self) -> int:
        """The width in cells."""
        return _cells(self.spans)


Lines = list[Line]

BLANK = Line()


def prefixed(
    lines: Iterable[Line], first: Span, rest: Span | None = None, *, copied: bool = False
) -> Iterator[Line]:
    """Put `first` before the first line and `rest` (`first` if None) before the others. `copied`:
    `first` is text to copy.
    """
    before = first
    for number, line in enumerate(lines):
        decoration = 0 if copied and number == 0 else len(before.text) + line.decoration
        yield line._replace(spans=(before, *line.spans), decoration=decoration)
        before = first if rest is None else rest


def hanging(lines: Iterable[Line], first: Span, *, copied: bool = False) -> Iterator[Line]:
    """Put `first` before the first line, and as many spaces before the others."""
    return prefixed(lines, first, Span(" " * cell_len(first.text)), copied=copied)


def styled(line: Line, style: str) -> Line:
    """Return `line` in `style`, which its spans override."""
    spans = (span._replace(style=f"{style} {span.style}".rstrip()) for span in line.spans)
    return line._replace(spans=tuple(spans))


def wrap(spans: Sequence[Span], width: int) -> Lines:
    """Break `spans` into lines of at most `width` cells: at newlines, at spaces, around CJK
    characters, otherwise within a word.
    """
    lines = []
    hard = []
    for span in spans:
        before, *others = span.text.split("\n")
        if before:
            hard.append(span._replace(text=before))
        for other in others:
            lines += _wrap_line(hard, width)
            hard = [span._replace(text=other)] if other else []
    return lines + _wrap_line(hard, width)


def chop(spans: Sequence[Span], width: int) -> Lines:
    """Break a line of code or output wherever it is full, because its spaces are significant."""
    if _cells(spans) <= width:
        return [Line(tuple(spans))]
    filling = _Filling(width)
    for span in spans:
        filling.cut(span)
    return filling.finish()


def crop(spans: Sequence[Span], width: int) -> tuple[Span, ...]:
    """Return `spans` on one line, truncated to `width` cells with an ellipsis."""
    if _cells(spans) <= width:
        return tuple(spans)
    kept = []
    room = width - 1
    for span in spans:
        head, tail = _split(span.text, room)
        if head:
            kept.append(span._replace(text=head))
        room -= cell_len(head)
        if tail:
            break
    style = kept[-1].style if kept else ""
    return (*kept, Span("…", style)) if width > 0 else ()


class _Unit(NamedTuple):
    """Characters that stay together, and the whitespace before them."""

    space: str
    pieces: list[Span]


def _units(spans: Sequence[Span]) -> list[_Unit]:
    units: list[_Unit] = []
    space = ""
    joins = False  # whether the next token belongs to the last unit
    for span in spans:
        for token in _TOKENS.findall(span.text):
            if token[0] == " ":
                space += token
                joins = False
                continue
            wide = _IS_WIDE.match(token) is not None
            if (
                units
                and not space
                and ((joins and not wide) or _sticks(units[-1].pieces[-1].text, token))
            ):
                units[-1].pieces.append(span._replace(text=token))
            else:
                units.append(_Unit(space, [span._replace(text=token)]))
            space = ""
            joins = not wide
    return units


def _sticks(before: str, after: str) -> bool:
    return after[0] in _NEVER_FIRST or before[-1] in _NEVER_LAST


def _wrap_line(spans: list[Span], width: int) -> Lines:
    if _cells(spans) <= width:
        return [Line(tuple(spans))]
    if len(spans) == 1 and _PLAIN.fullmatch(spans[0].text):
        return _wrap_plain(spans[0], width)
    filling = _Filling(width)
    for unit in _units(spans):
        filling.add(unit)
    return filling.finish()


def _wrap_plain(span: Span, width: int) -> Lines:
    """Do what `_Filling` does, for words of single-cell characters, twenty times as fast."""
    text = span.text.rstrip(" ")
    lines = []
    start = 0
    while len(text) - start > width:
        end = text.rfind(" ", start, start + width + 1)
        if end < 0:
            end = following = start + width
        else:
            following = end + 1
            while text[following] == " ":
                following += 1
            while text[end - 1] == " ":
                end -= 1
        lines.append(Line((span._replace(text=text[start:end]),), glue=text[end:following]))
        start = following
    return [*lines, Line((span._replace(text=text[start:]),))]


class _Filling:
    """Lines being filled, unit by unit."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._lines: Lines = []
        self._spans: list[Span] = []
        self._used = 0

    def add(self, unit: _Unit) -> None:
        """Put `unit` on the current line or the next, or on several if it is too long for one."""
        needed = _cells(unit.pieces)
        if self._used + len(unit.space) + needed <= self._width:
            self._put(unit.space, unit.pieces)
            return
        if self._spans:
            self._break(unit.space)
        elif unit.space:
            room = self._width // 2  # for the indentation of the text
            if len(unit.space) > room:
                self._break(unit.space[room:])  # not drawn, but copied
            self._put(unit.space[:room], [])
        if self._used + needed <= self._width:
            self._put("", unit.pieces)
            return
        for piece in unit.pieces:
            self.cut(piece)

    def finish(self) -> Lines:
        """Return the lines, including the last one, which may be partly filled."""
        self._lines.append(Line(tuple(self._spans)))
        return self._lines

    def _put(self, space: str, pieces: Iterable[Span]) -> None:
        pieces = list(pieces)
        if space:
            same = bool(self._spans and pieces and self._spans[-1][1:] == pieces[0][1:])
            self._join(Span(space, *(pieces[0][1:] if same else ())))
        for piece in pieces:
            self._join(piece)

    def _join(self, piece: Span) -> None:
        self._used += cell_len(piece.text)
        if self._spans and self._spans[-1][1:] == piece[1:]:
            self._spans[-1] = piece._replace(text=self._spans[-1].text + piece.text)
        else:
            self._spans.append(piece)

    def _break(self, glue: str) -> None:
        self._lines.append(Line(tuple(self._spans), glue=glue))
        self._spans = []
        self._used = 0

    def cut(self, piece: Span) -> None:
        """Put `piece` on as many lines as it takes."""
        rest = piece.text
        while rest:
            head, rest = _split(rest, self._width - self._used)
            if head:
                self._join(piece._replace(text=head))
            if rest:
                if not self._spans:  # not even one character fits
                    self._join(piece._replace(text=rest))
                    return
                self._break("")


def _split(text: str, width: int) -> tuple[str, str]:
    """Cut `text` before the first character that does not fit into `width` cells."""
    if len(text) <= width and cell_len(text) <= width:
        return text, ""
    # More than 4 × width characters hardly ever matter: a long text is not scanned completely for
    # each of its lines.
    window = text[: max(64, 4 * width)]
    used = 0
    for start, _end, cells in split_graphemes(window)[0]:
        if used + cells > width:
            return text[:start], text[start:]
        used += cells
    return window, text[len(window) :]
