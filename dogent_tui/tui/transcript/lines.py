"""Lines of styled text, and breaking text into them.

Styles are names, so that lines survive a change of theme; `palette` turns the names into colors
when a line is drawn.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

MIN_WIDTH = 8
"""The smallest width in cells used for layout; below it the terminal crops."""

_WIDE = (
    "\u2e80-\u3029\u302e-\u30ff\u3105-\u312f\u3190-\u31ff\u3200-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6"
    "\U0001b000-\U0001b2ff\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u302a-\u302d\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"
# Characters that must not start or end a line: the usual set of Chinese and Japanese typesetting
# (kinsoku, JIS X 4051).
_NEVER_FIRST = (
    "、。，．・：；？！）」』】〕〉》］｝〟’”…‥ーゝゞ々％℃"
    "ぁぃぅぇぉっゃゅょァィゥェォッャュョ!),.:;?]}%"
)
_NEVER_LAST = "（「『【〔〈《［｛〝‘“([{"

_TOKEN = rf"(?:[{_WIDE}][{_MARKS}]*|[^ {_WIDE}]+)"
_UNITS = re.compile(
    rf"{_TOKEN}(?:(?:(?<=[{re.escape(_NEVER_LAST)}])|(?=[{re.escape(_NEVER_FIRST)}])){_TOKEN})*"
)
"""Characters that stay together on a line."""


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
        return _text(self.spans)

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
            lines += _broken(hard, width, _between_units)
            hard = [span._replace(text=other)] if other else []
    return lines + _broken(hard, width, _between_units)


def chop(spans: Sequence[Span], width: int) -> Lines:
    """Break a line of code or output wherever it is full, because its spaces are significant."""
    return _broken(spans, width, _where_full)


def crop(spans: Sequence[Span], width: int) -> tuple[Span, ...]:
    """Return `spans` on one line, truncated to `width` cells with an ellipsis."""
    if _cells(spans) <= width:
        return tuple(spans)
    if width <= 0:
        return ()
    kept = divided(spans, [_fitting(_text(spans), width - 1)])[0]
    return (*kept, Span("…", kept[-1].style if kept else ""))


def divided(spans: Iterable[Span], edges: Iterable[int]) -> list[list[Span]]:
    """Return `spans` cut into parts: `edges` are the offsets between them, ascending."""
    parts: list[list[Span]] = [[]]
    waiting = deque(edges)
    end = 0
    for span in spans:
        start, end = end, end + len(span.text)
        rest = span
        while waiting and waiting[0] <= end:
            size, start = waiting[0] - start, waiting.popleft()
            if size:
                parts[-1].append(rest._replace(text=rest.text[:size]))
            parts.append([])
            rest = rest._replace(text=rest.text[size:])
        if rest.text:
            parts[-1].append(rest)
    return parts


def _text(spans: Iterable[Span]) -> str:
    return "".join([span.text for span in spans])


def _broken(spans: Sequence[Span], width: int, edges: Callable[[str, int], Iterator[int]]) -> Lines:
    """Return `spans` as lines. `edges` yields the end of each line and the start of the next in
    turn; a last end without a start leaves out trailing space.
    """
    if _cells(spans) <= width:
        return [Line(tuple(spans))]
    parts = divided(spans, edges(_text(spans), width))
    glues = [*map(_text, parts[1:-1:2]), "\n"]
    return [Line(tuple(part), glue=glue) for part, glue in zip(parts[::2], glues, strict=True)]


def _between_units(text: str, width: int) -> Iterator[int]:
    used = at = begin = 0  # cells of the current line; the end of what it holds; its start
    for unit in _UNITS.finditer(text):
        start, end = unit.span()
        space, needed = start - at, cell_len(unit[0])
        if used + space + needed <= width:
            used += space + needed
        else:
            used = 0
            if at > begin:
                yield from (at, start)
                begin = start
            elif space:
                used = min(space, width // 2)  # of the indentation of the text
                if space > used:
                    yield from (at, start - used)  # the rest is copied, but not drawn
            piece = start
            for cut in _cuts(text, start, end, used, width):
                yield from (cut, cut)
                begin, used, piece = cut, 0, cut
            used += cell_len(text[piece:end])
        at = end
    if at < len(text):
        yield at


def _where_full(text: str, width: int) -> Iterator[int]:
    for cut in _cuts(text, 0, len(text), 0, width):
        yield from (cut, cut)


def _cuts(text: str, start: int, end: int, used: int, width: int) -> Iterator[int]:
    """Yield where the characters from `start` to `end` must be cut: `used` cells of the first line
    are taken.
    """
    # More than 4 × width characters hardly ever matter: a long text is not scanned completely for
    # each of its lines.
    window = max(64, 4 * width)
    while (cut := start + _fitting(text[start : min(end, start + window)], width - used)) < end:
        if cut == start and not used:  # not even one character fits
            return
        yield cut
        start, used = cut, 0


def _fitting(text: str, width: int) -> int:
    """Return how many characters of `text` fit into `width` cells."""
    if text.isascii():
        return min(len(text), width)
    used = 0
    for start, _end, cells in split_graphemes(text)[0]:
        used += cells
        if used > width:
            return start
    return len(text)
