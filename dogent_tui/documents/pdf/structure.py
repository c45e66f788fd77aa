"""Classifies blocks of text as headings, list items, code or paragraphs, and writes them in
Markdown.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median_low

from msgspec.structs import replace

from dogent_tui.documents.pandoc.tree import NO_ATTRIBUTES, Node, plain
from dogent_tui.documents.pdf.line_ends import SOFT
from dogent_tui.documents.pdf.lists import Mark, mark_of
from dogent_tui.documents.pdf.model import (
    HYPHENS,
    WIDE,
    Line,
    Lines,
    Rows,
    Run,
    Table,
    TextBlock,
    rows_in_order,
    rows_of,
    shift_of,
    text_of,
    without_start,
)
from dogent_tui.documents.pdf.survey import Survey, letters

NUMBERED = re.compile(
    r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S|(?:chapter|section|part|appendix|annex)\s+[\divxa-z]+\b|第.{1,4}[章节部篇]",
    re.IGNORECASE,
)
"""How a numbered heading begins."""

_ENDS_SENTENCE = re.compile(r"[.;,:!?。；，：！？]$")
_SENTENCE = re.compile(r"(\S\s+\S+){4}.*[.!?;,]$|.{6}[。；，]$")
"""A sentence too long to be a heading, however large it is."""

_LONGEST_HEADING = 180
_LONGEST_BOLD = 120
"""The maximum length of a heading that differs from the text only by its weight."""

_PARTED = re.compile(r"\S\s+\w+$")
"""The end of a row of code that has several words, the last of them whole."""

LEADER = re.compile(r"(?:\s*\.){5,}\s*|…{2,}\s*")
"""The dots that lead to a page number."""
BREAK = "\\\n"
"""Where the author broke a line."""

_MOST_BLANK = 3
OFF_GRID = 0.12
"""The tolerance, as a share of a line, for the rows of a listing on its grid."""
_LONGEST_SHIFTED = 24
_FULL = 0.88
"""The minimum share of its column's width that a line takes before a number that did not fit."""

_INDENT = 3.0
"""The most that the first line of a paragraph is indented, in text sizes."""

_BLANK = 0.3
"""The width of a blank in text sizes."""

_ROOM = 2.5
"""The room behind a row, in text sizes and beside that of a word, in which it would have fitted."""

_WIDE_GAP = 3.0
"""The gap between two words of a row, in text sizes, from which they are in columns: a section
number is closer.
"""

_CONTACT = re.compile(r"\w@\w|\(\d{2,5}\) ?\d{3}|\b\d{3}[-. ]\d{3}[-. ]\d{4}\b|https?://|\bwww\.")
"""What occurs in an address, but in no heading."""


def heading_level(block: TextBlock, survey: Survey, *, is_label: bool = False) -> int:
    """Return the heading level of `block`, from 1; 0 if it is not a heading.

    `is_label`: only a bookmark can make it one.
    """
    text = block.text.strip()
    if not any(c.isalpha() for c in text) or len(text) > _LONGEST_HEADING or len(block.lines) > 6:
        return 0
    if level := survey.titles.get(letters(text), 0):
        return level
    number = NUMBERED.match(text)
    mark = mark_of(block.lines[:1])
    if (
        not survey.guesses_headings
        or is_label
        or not block.lines[0].upright  # a watermark
        or (mark is not None and not mark.label)
        or (_SENTENCE.search(text) and not number)
    ):
        return 0
    size = block.lines[0].size
    if size in survey.sizes and len(text) > 1:
        return survey.sizes.index(size) + 1
    bold = all(line.bold for line in block.lines)
    if not bold or size < survey.body or len(text) > _LONGEST_BOLD:
        return 0
    if _ENDS_SENTENCE.search(text) and not number:
        return 0
    depth = number[1].count(".") if number and number[1] else 0
    return min(6, len(survey.sizes) + 1 + depth)


def label_numbers(items: Sequence[TextBlock | Table], body: float) -> set[int]:
    """Return which of a page's `items` are not headings, whatever their style: what is in columns,
    or a bold label beside its value. `body` is the size of the text.
    """
    blocks = [(number, item) for number, item in enumerate(items) if isinstance(item, TextBlock)]
    home = {line: number for number, block in blocks for line in block.lines}
    alone = {number for number, block in blocks if len(rows_of(block.lines)) == 1}
    found = {number for number, block in blocks if _CONTACT.search(block.text)}
    for row in rows_of(line for _, block in blocks for line in block.lines):
        for left, right in pairwise(row):
            here, there = home[left], home[right]
            is_far = right.box.x0 - left.box.x1 > _WIDE_GAP * left.size
            is_named = left.bold != right.bold and abs(left.size - right.size) < 0.5
            if is_far if here == there else is_named and {here, there} <= alone:
                found |= {here, there}
    return found | {
        number
        for (number, block), (after, below) in pairwise(blocks)
        if after == number + 1 and _defines(block, below, body)
    }


def _defines(term: TextBlock, below: TextBlock, body: float) -> bool:
    """Return whether all of `below` is indented directly under `term`, which has the size of the
    text.
    """
    first = term.lines[0]
    indented = min(line.box.x0 for line in below.lines) > first.box.x0 + first.size
    near = -first.size < below.box.y0 - term.box.y1 < 0.5 * first.size
    return first.size <= body and indented and near and not begins_item(below)


def is_code(block: TextBlock) -> bool:
    """Return whether all of `block` is in a monospaced font."""
    return all(line.mono and line.upright for line in block.lines)


def paragraphs(block: TextBlock) -> Iterator[tuple[Mark | None, Rows]]:
    """Yield the parts of a block that is neither a heading nor code, in rows: list items with their
    marks, and paragraphs.
    """
    box = block.box
    right = min(box.x1, block.column.x1) if block.column else box.x1  # it may go on in another
    part: list[list[Line]] = []
    mark: Mark | None = None
    rows = rows_in_order(block.lines)
    marks = [mark_of(row) for row in rows]
    for row, begins in zip(rows, marks, strict=True):
        if begins and part and within_sentence(part[-1], row, box.x1):
            begins = begins if any(other and begins.is_beside(other) for other in marks) else None
        size, x0 = row[0].size, row[0].box.x0
        is_left = mark and not row[0].right_to_left and x0 < mark.x0 - 0.5 * size
        parted = begins or LEADER.search(text_of(row)) or is_left
        if part and (parted or _begins_paragraph(row, part[-1], right)):
            yield mark, part
            part = []
        if not part:
            mark = begins
        part.append(row)
    yield mark, part


def within_sentence(above: Lines, row: Lines, right: float) -> bool:
    """Return whether `row` continues the one above, which ends at the right edge and within a
    sentence: then what looks like an item mark is a date or a dash.
    """
    left, size, end = row[0].box.x0, row[0].size, above[-1].box.x1
    return (
        not row[0].right_to_left
        and -0.5 * size < above[0].box.x0 - left < (0.5 if mark_of(above) else _INDENT) * size
        and (end - left > _FULL * (right - left) or right - end < row[0].first_word + _BLANK * size)
        and not _ENDS_SENTENCE.search(text_of(above))
    )


def _begins_paragraph(row: Lines, above: Lines, right: float) -> bool:
    """Return whether `row` begins a paragraph: its first word would have fitted in the row above,
    which may reach as far as `right`.
    """
    first = row[0]
    is_certain = not (first.runs[0].markdown or any(o.right_to_left for o in (*above, *row)))
    return is_certain and right - above[-1].box.x1 > first.first_word + _ROOM * first.size


def begins_item(block: TextBlock) -> bool:
    """Return whether `block` starts with an item mark, or is an entry of a table of contents."""
    return mark_of(block.lines[:1]) is not None or LEADER.search(block.lines[0].text) is not None


def paragraph(rows: Rows, mark: Mark | None = None) -> Node:
    """Return the rows as a paragraph, with words split at line ends joined, and without the item's
    `mark`.
    """
    return {"t": "Para", "c": _inlines(running_text(rows, mark))}


def heading(lines: Lines, level: int) -> Node:
    """Return the lines as a heading. Bold is the style of headings, code only part of one."""
    runs = running_text(rows_in_order(lines))
    is_mono = all(run.mono for run in runs)
    inlines = _inlines([replace(run, bold=False, mono=run.mono and not is_mono) for run in runs])
    return {"t": "Header", "c": [min(level, 6), NO_ATTRIBUTES, inlines]}


def running_text(rows: Rows, mark: Mark | None = None) -> list[Run]:
    """Return the runs of the rows, joined according to their script, without the characters of
    `mark` at their beginning.
    """
    runs: list[Run] = []
    if mark is not None:
        first = filter(None, map(without_start(len(mark.sign)), rows[0]))
        rows = [row for row in [list(first), *rows[1:]] if row]
    for row in rows:
        joined = list(_joined(row))
        if runs and any(run.text.strip() for run in joined):
            _join(runs, joined)
        runs += joined
    return runs


def _joined(row: Lines) -> Iterator[Run]:
    for place, line in enumerate(row):
        before = row[place - 1] if place else None
        if before is not None:
            gap = max(line.box.x0 - before.box.x1, before.box.x0 - line.box.x1)
            parted = before.runs[-1].shift < 0 < line.runs[0].shift  # “x_i^2” is not “x_{i2}”
            if (
                (parted or gap > 0.2 * max(line.size, before.size))
                and not before.text[-1:].isspace()
                and not line.text[:1].isspace()
            ):
                yield Run(" ", line.size)
        yield from _shifted(line, row)


def _shifted(line: Line, row: Lines) -> Iterable[Run]:
    """Return the runs of a line, raised or lowered if it is beside larger text in its row."""
    beside = [there for there in row if not all(run.markdown for run in there.runs)]
    if line not in beside:  # the size of a formula is that of some sign in it
        return line.runs
    main = max(beside, key=lambda there: (there.size, len(there.text)))
    shift = shift_of((main.base - line.base) / main.size)
    if line is main or not shift:
        return line.runs
    return [replace(run, shift=shift) for run in line.runs]


def _join(runs: list[Run], row: Sequence[Run]) -> None:
    """Join a text with its next `row`, with a blank or as its last line ends."""
    start = "".join(run.text for run in row if not run.markdown).lstrip()[:1]
    last = runs[-1]
    before = last.text.rstrip()
    end = before[-1:]
    if last.text == BREAK:
        return
    if end == SOFT:
        before = before[:-1]
    elif not (
        (end in (*HYPHENS, "–") and before[-2:-1].isalnum() and start.isalnum())
        or (last.mono and end == "-" and "-" in {before[-2:-1], start})  # an option
        or (WIDE.match(end) and WIDE.match(start))
        or (start in {".", ","} and last.markdown)  # behind a formula, a browser breaks the line
    ):
        before += " "
    runs[-1] = replace(last, text=before)


def _look(run: Run) -> tuple[bool, bool, bool, int, str, bool, bool]:
    is_break = run.text == BREAK
    return run.bold, run.italic, run.mono, run.shift, run.uri, run.markdown, is_break


def _inlines(runs: Sequence[Run]) -> list[Node]:
    whole = {_look(run)[:2] for run in runs if run.text.strip() and not run.markdown}
    is_plain = len(whole) == 1  # entirely bold or italic text carries no information within a block
    nodes: list[Node] = []
    for look, same in groupby(_inked(runs), key=_look):
        bold, italic, mono, shift, uri, markdown, is_break = look
        text = "".join(run.text for run in same)
        if markdown:
            raw = {"t": "RawInline", "c": ["markdown", text.strip()]}
            nodes += [{"t": "LineBreak"}] if is_break else _spaced(text, raw)
            continue
        text = LEADER.sub(" … ", text)
        styles = [("Emph", italic and not is_plain), ("Strong", bold and not is_plain)]
        nodes += _styled(text, [name for name, has in styles if has], mono, shift, uri)
    return nodes


def _inked(runs: Sequence[Run]) -> Iterator[Run]:
    """Give blanks the style of what precedes them, so that they separate nothing but code."""
    last: Run | None = None
    for run in runs:
        if last is not None and not run.text.strip() and (run.mono or not last.mono):
            yield replace(last, text=run.text)
        else:
            last = run
            yield run


def _styled(text: str, styles: list[str], mono: bool, shift: int, uri: str) -> Iterable[Node]:
    inner = " ".join(text.split())
    node = {"t": "Code", "c": [NO_ATTRIBUTES, inner]} if mono else plain(inner)
    if any(c.isalnum() for c in inner):
        for style in styles if not mono else ():
            node = {"t": style, "c": [node]}
    if shift and len(inner) <= _LONGEST_SHIFTED:
        node = {"t": "Superscript" if shift > 0 else "Subscript", "c": [node]}
    if uri.startswith(("http://", "https://", "mailto:")):
        node = {"t": "Link", "c": [NO_ATTRIBUTES, [node], [uri, ""]]}
    return _spaced(text, node)


def _spaced(text: str, node: Node) -> Iterator[Node]:
    """Yield the `node` of `text` between the blanks that this begins and ends with."""
    inner = text.strip()
    if text[:1].isspace() or not inner:
        yield {"t": "Space"}
    if inner:
        yield node
        if text[-1:].isspace():
            yield {"t": "Space"}


def pitch(steps: Sequence[float]) -> float:
    """Return the line distance of a listing: the smallest step, if the others are multiples of it,
    because empty lines have the same height. 0 if there is none.
    """
    down = sorted(step for step in steps if step > 1)
    if down and all(abs(step / down[0] - round(step / down[0])) < OFF_GRID for step in down):
        return down[0]
    return median_low(down) if down else 0.0


def code_block(lines: Lines, elements: Rows = ()) -> Node:
    """Return the lines as a code block, with the indentation and gaps of the page.

    `elements`: the same lines in the elements of the file. If none of them shares a row with
    another, each is a line of code.
    """
    rows = rows_in_order(lines)
    left = min(row[0].box.x0 for row in rows)
    longest = max(lines, key=lambda line: (line.text.isascii(), len(line.text)))
    width = max(longest.box.width / len(longest.text), 0.1)
    steps = [below[0].base - above[0].base for above, below in pairwise(rows)]
    step = pitch(steps) or 0.1
    element_of = {line: at for at, element in enumerate(elements) for line in element}
    owners = [{element_of.get(line, -1) for line in row} for row in rows]
    is_told = bool(elements) and all(len(owner) == 1 for owner in owners)
    written = [_code_line(row, left, width) for row in rows]
    texts = written[:1]
    for at, (text, down) in enumerate(zip(written[1:], steps, strict=True)):
        continues = is_told and owners[at] == owners[at + 1] and down < 1.5 * step
        if continues and text[:1].strip():
            is_parted = rows[at][-1].text.endswith(" ") or (
                # a row is split within a word only if it is one: the blank was beyond the edge
                _PARTED.search(written[at]) is not None and text[0].isalnum()
            )
            texts[-1] += " " * is_parted + text
            continue
        texts += [""] * max(0, min(_MOST_BLANK, round(down / step) - 1))
        texts.append(text)
    return {"t": "CodeBlock", "c": [NO_ATTRIBUTES, "\n".join(texts)]}


def _code_line(row: Lines, left: float, width: float) -> str:
    out, gap, end = "", True, float("-inf")
    for line in row:
        for place, run in enumerate(line.runs):
            # without characters, the width of a gap is unknown
            if gap or (not place and run.x0 - end > width / 2):
                out = (out + " " * (gap and bool(out))).ljust(
                    min(200, round((run.x0 - left) / width))
                )
            gap = run.made
            out += "" if run.made else run.text
        end = line.box.x1
    return out.rstrip()
