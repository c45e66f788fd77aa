"""What a block of text is: a heading, items of a list, code, or a paragraph; and how that is written in Markdown."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from dogent_tui.documents.pdf.columns import rows_of
from dogent_tui.documents.pdf.model import Line, Run, Table, TextBlock
from dogent_tui.documents.pdf.survey import Survey, letters

BULLETS = "\ufffd•◦▪▫‣⁃∙●○■□◆◇➢➤►▶✓✔✗✘☐☑☒❑❖\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf02d"
_BULLET = re.compile(rf"\s*([{BULLETS}]|[-–—*·](?=\s)|o(?=\s+\S))\s*")
_ORDERED = re.compile(r"\s*(\d{1,3}|[a-zA-Z]|[ivx]{1,5})([.)])\s+(?=\S)")
_BOXES = {"☐": "[ ] ", "☑": "[x] ", "☒": "[x] "}
_NUMBERED = re.compile(
    r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S|(?:chapter|section|part|appendix|annex)\s+[\divxa-z]+\b|第.{1,4}[章节部篇]",
    re.IGNORECASE,
)
_ENDS_SENTENCE = re.compile(r"[.;,:!?。；，：！？]$")
_LONGEST_HEADING = 180
_LONGEST_BOLD = 120
"""Characters of a heading that nothing but its weight tells from the text."""

_LEADER = re.compile(r"(?:\s*\.){5,}\s*|…{2,}\s*")
_OPENING = re.compile(r"(\s*)([#>]|[-+](?=\s)|\d+[.)](?=\s)|={3,}|-{3,})")
_INLINE = re.compile(r"([\\`*]|<(?=[A-Za-z/!?])|(?<!\w)_|_(?!\w))")
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


def heading_level(block: TextBlock, survey: Survey, *, is_label: bool = False) -> int:
    """Return the level of the heading that `block` is, from 1; 0 if it is none.

    `is_label`: only a bookmark can say that it is one.
    """
    text = block.text.strip()
    if not any(c.isalpha() for c in text) or len(text) > _LONGEST_HEADING or len(block.lines) > 6:
        return 0
    if level := survey.titles.get(letters(text), 0):
        return level
    if is_label or _BULLET.match(text):
        return 0
    size = block.lines[0].size
    number = _NUMBERED.match(text)
    if size in survey.sizes and not text.endswith((",", ";")) and len(text) > 1:
        return survey.sizes.index(size) + 1
    bold = all(line.bold for line in block.lines)
    first = block.lines[0].runs[0].text.lstrip()[:1]
    if not bold or size < survey.body or len(text) > _LONGEST_BOLD or first.islower():
        return 0
    if _ENDS_SENTENCE.search(text) and not number:
        return 0
    depth = number[1].count(".") if number and number[1] else 0
    return min(6, len(survey.sizes) + 1 + depth)


def table_markdown(table: Table) -> str:
    """Return `table` as a pipe table; its first row is the head, as the lines do not tell."""
    head, *rows = ["| " + " | ".join(_cell(text) for text in row) + " |" for row in table.rows]
    return "\n".join([head, "|" + " --- |" * len(table.rows[0]), *rows])


def _cell(text: str) -> str:
    return _INLINE.sub(r"\\\1", " ".join(text.split())).replace("|", "\\|")


def heading_markdown(text: str, level: int) -> str:
    """Return the heading `text` in Markdown."""
    return f"{'#' * min(level, 6)} {_INLINE.sub(lambda m: chr(92) + m[1], ' '.join(text.split()))}"


def block_markdown(block: TextBlock) -> Iterator[str]:
    """Yield the Markdown of a block that is no heading: code, items of lists with what belongs to them, paragraphs."""
    rows = rows_of(block.lines) if all(line.upright for line in block.lines) else [[line] for line in block.lines]
    if len(rows) > 1 and all(line.mono for line in block.lines):
        yield _code(rows)
        return
    margin = min(line.box.x0 for line in block.lines)
    part: list[list[Line]] = []
    for row in rows:
        if part and (_marker(row) or _new_paragraph(part[-1], row, margin, block)):
            yield _written(part, margin)
            part = []
        part.append(row)
    yield _written(part, margin)


def begins_item(block: TextBlock) -> bool:
    """Tell whether `block` begins with the marker of an item of a list."""
    return _marker(block.lines[:1])


def _row_text(row: Sequence[Line]) -> str:
    return " ".join(line.text.strip() for line in row)


def _marker(row: Sequence[Line]) -> bool:
    text = _row_text(row)
    return bool(_BULLET.match(text) or _ORDERED.match(text) or _LEADER.search(text))


def _new_paragraph(above: Sequence[Line], row: Sequence[Line], margin: float, block: TextBlock) -> bool:
    """Tell whether `row` is indented and the row above ends short: the first line of a paragraph."""
    right = max(line.box.x1 for line in block.lines)
    size = row[0].size
    indented = margin + size * 0.8 < row[0].box.x0 < margin + size * 4 and abs(above[0].box.x0 - margin) < 2
    return indented and above[-1].box.x1 < right - 2 * size and bool(_ENDS_SENTENCE.search(_row_text(above)))


def _written(part: Sequence[Sequence[Line]], margin: float) -> str:
    runs = [list(_joined(row)) for row in part]
    text = _LEADER.sub(" … ", _flow(runs))
    first = _row_text(part[0])
    indent = "  " * min(6, round((part[0][0].box.x0 - margin) / (2 * part[0][0].size)))
    if match := _BULLET.match(first):
        return f"{indent}- {_BOXES.get(match[1], '')}{_without(text, match[1])}"
    if match := _ORDERED.match(first):
        label = match[1] if match[1].isdigit() else ""
        return f"{indent}{label}{match[2]} {_without(text, match[1] + match[2])}" if label else f"{indent}- {text}"
    return _OPENING.sub(r"\1\\\2", text, count=1) if _OPENING.match(text) else text


def _without(text: str, marker: str) -> str:
    """Return `text` after the list's `marker`, which may have been escaped or set bold."""
    at = text.find(marker)
    rest = text[at + len(marker) :] if 0 <= at <= 4 else text
    bold = text[:at].strip() if 0 <= at <= 4 else ""
    return (
        (bold + rest.lstrip())
        if rest.lstrip() and bold in {"**", "*", "***"} and bold in rest
        else rest.lstrip().removeprefix("**").lstrip()
    )


def _joined(row: Sequence[Line]) -> Iterator[Run]:
    for number, line in enumerate(row):
        if number:
            yield Run(" ", line.size)
        yield from line.runs


def _flow(rows: Sequence[Sequence[Run]]) -> str:
    """Return the rows as running text: words that were parted at the end of a line are whole again."""
    runs: list[Run] = []
    for row in rows:
        text = "".join(run.text for run in row).lstrip()
        if runs and text:
            _join(runs, text)
        runs += row
    return " ".join(_styled(runs).split())


def _join(runs: list[Run], text: str) -> None:
    last = runs[-1]
    before = last.text.rstrip()
    if before.endswith(("-", "‐")) and before[-2:-1].isalpha() and text[0].islower():
        runs[-1] = _with_text(last, before[:-1])
    elif before.endswith("-") and before[-2:-1].isalpha() and text[0].isalpha():
        runs[-1] = _with_text(last, before)
    elif not (_WIDE.match(before[-1:]) and _WIDE.match(text[0])):
        runs[-1] = _with_text(last, before + " ")
    else:
        runs[-1] = _with_text(last, before)


def _with_text(run: Run, text: str) -> Run:
    return Run(text, run.size, run.bold, run.italic, run.mono, run.raised, run.uri)


def _look(run: Run) -> tuple[bool, bool, bool, bool, str]:
    return run.bold, run.italic, run.mono, run.raised, run.uri


def _styled(runs: Sequence[Run]) -> str:
    whole = {_look(run)[:2] for run in runs if run.text.strip()}
    plain = len(whole) == 1  # all bold or all italic says nothing within a block
    parts = []
    for (bold, italic, mono, raised, uri), same in groupby(_inked(runs), key=_look):
        text = "".join(run.text for run in same)
        parts.append(_marked(text, bold and not plain, italic and not plain, mono, raised, uri))
    return "".join(parts)


def _inked(runs: Sequence[Run]) -> Iterator[Run]:
    """Give blanks the look of what stands before them, so that they part nothing."""
    last: Run | None = None
    for run in runs:
        if last is not None and not run.text.strip():
            yield _with_text(last, run.text)
        else:
            last = run
            yield run


def _marked(text: str, bold: bool, italic: bool, mono: bool, raised: bool, uri: str) -> str:
    inner = text.strip()
    if not inner:
        return text
    lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    if mono and "`" not in inner:
        body = f"`{inner}`"
    else:
        body = _INLINE.sub(r"\\\1", inner)
        mark = "**" * bold + "*" * italic
        body = f"{mark}{body}{mark[::-1]}" if any(c.isalnum() for c in inner) else body
    if raised and inner.isalnum() and len(inner) <= 4:
        body = f"^{inner}^"
    if uri.startswith(("http://", "https://", "mailto:")):
        body = f"[{body}](<{uri}>)" if re.search(r"[\s()<>]", uri) else f"[{body}]({uri})"
    return f"{lead}{body}{trail}"


def _code(rows: Sequence[Sequence[Line]]) -> str:
    left = min(row[0].box.x0 for row in rows)
    lines = []
    for row in rows:
        width = row[0].size * 0.6
        lines.append(" " * round((row[0].box.x0 - left) / width) + "  ".join(line.text.rstrip() for line in row))
    fence = "```" if not any("```" in line for line in lines) else "````"
    return "\n".join([fence, *lines, fence])
