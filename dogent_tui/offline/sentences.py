"""Sentences of text files: Markdown and plain text taken apart, English and Chinese alike."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass

from dogent_tui.offline.documents import PLACE, is_document, is_workbook

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Ranges, for a character class, of letters that are written without spaces between words."""

_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_]*+(?=\s)|[。！？]+[”’」』）》】\"*_]*")
_ABBREVIATIONS_TEXT = (
    "e.g i.e etc vs cf al dr mr mrs ms prof st jr sr no nos fig figs eq sec ch vol pp approx inc ltd co dept est ca"
    " jan feb mar apr jun jul aug sep sept oct nov dec"
)
_ABBREVIATIONS = frozenset(_ABBREVIATIONS_TEXT.split())
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(?P<title>.*)$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_QUOTE = re.compile(r"\s*(?:>\s?)+")
_SKIPPED = re.compile(r"\s*(?:\||<!--|!\[|\[[^\]]+\]:|(?:[-*_]\s*){3,}$)")
_FENCE = re.compile(r"\s*(```|~~~)")
_SEPARATOR = re.compile(r"\|(?:\s*:?-+:?\s*\|)+$")
_CELL_END = re.compile(r"(?<!\\)\|")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_REQUEST = re.compile(r"(?<![\w@])@[\w./-]+\.[A-Za-z]{2,5}\b")
"""A reference to a file: who writes one asks an agent for something, and states nothing."""
_CJK_EDGE = re.compile(f"[{CJK}，。、；：！？“”（）《》]")
_WORDS = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")

_SHORTEST = 3
"""Words (or Chinese characters, of which twice as many are asked): less is a label, not a sentence."""
_LONGEST = 800
"""Characters: more is no sentence that one would quote."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as its file has it, white space aside. `position` counts the sentences of its section from 0.

    `place` is where in a document it stands, as far as that is known: ``page 3``, ``sheet Visits``. `is_row`: of a table.
    """

    text: str
    path: str
    section: str
    position: int
    place: str = ""
    is_row: bool = False


def sentences_of(path: str, text: str) -> list[Sentence]:
    """Return what can be quoted from the file `path` that holds `text`.

    Headings become sections; front matter, code, Markdown tables, pictures and lines with control characters are left out. Each
    row of a table file (csv, tsv) or of a workbook counts as a sentence, with the names of its columns.
    """
    table, workbook = path.lower().endswith((".csv", ".tsv")), is_workbook(path)
    found: list[Sentence] = []
    section, position = "", 0
    paragraphs = (
        _table_rows(text, "\t" if path.lower().endswith(".tsv") else "")
        if table
        else _workbook_rows(text)
        if workbook
        else _paragraphs(text)
    )
    for title, place, paragraph in paragraphs:
        if title != section:
            section, position = title, 0
        for sentence in [paragraph] if table or workbook else split_sentences(paragraph):
            if _is_quotable(sentence, table or workbook):
                found.append(Sentence(sentence, path, section, position, place if is_document(path) else "", table or workbook))
                position += 1
    return found


def split_sentences(text: str) -> list[str]:
    """Split a paragraph at its full stops, English and Chinese, but not after abbreviations, initials and numbers of items."""
    found, start = [], 0
    for end in _END.finditer(text):
        if _ends_here(text, start, end):
            found.append(text[start : end.end()].strip())
            start = end.end()
    found.append(text[start:].strip())
    return [_balanced(sentence) for sentence in found if sentence]


def title_of(text: str) -> str:
    """Return the first heading of a Markdown text, empty where there is none."""
    for line in text.splitlines()[:200]:
        found = _HEADING.match(line)
        title = _heading(found) if found else ""
        if title and not _CONTROL.search(title):
            return title
    return ""


def _ends_here(text: str, start: int, end: re.Match[str]) -> bool:
    if end.group()[0] != ".":
        return True
    following = text[end.end() : end.end() + 8].lstrip()
    if following[:1].islower():
        return False
    before, _, word = text[max(start, end.start() - 16) : end.start()].rpartition(" ")
    word = word.lstrip("(\"'“‘[*_").lower()
    if word.isdigit() and before.rstrip()[-1:] in (";", ":", ","):
        return False  # the number of an item: “three things: 1. This; 2. That”
    return word not in _ABBREVIATIONS and not (len(word) == 1 and word.isalpha() and word.isascii())


def _balanced(sentence: str) -> str:
    """Drop a ``**`` whose partner is in another sentence: alone it would be shown as two stars."""
    return sentence.replace("**", "") if sentence.count("**") % 2 else sentence


def _is_quotable(sentence: str, row: bool) -> bool:
    if len(sentence) > _LONGEST or _CONTROL.search(sentence) or _REQUEST.search(sentence):
        return False
    words = _WORDS.findall(sentence)
    weight = sum(0.5 if _CJK_EDGE.match(word) else 1 for word in words)
    return weight >= (1 if row else _SHORTEST)


def _table_rows(text: str, delimiter: str) -> Iterator[tuple[str, str, str]]:
    """Yield ("", "", row) of a table file, each cell with the name of its column, as the rows of a workbook have it."""
    lines = text.splitlines()
    delimiter = delimiter or max(",;", key="".join(lines[:1]).count)
    names = [name.strip() for name in next(_cells_of_rows(lines[:1], delimiter), [])]
    for cells in _cells_of_rows(lines[1:], delimiter):
        named = zip((" ".join(cell.split()) for cell in cells), [*names, *[""] * len(cells)], strict=False)
        yield "", "", "; ".join(f"{name}: {cell}" if name else cell for cell, name in named if cell)


def _cells_of_rows(lines: list[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the cells of each row; where the file is no proper table, such as one with an endless cell, the lines as they are."""
    try:
        yield from list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        yield from ([line.strip()] for line in lines)


def _workbook_rows(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield ("", place, row) of a workbook's Markdown, each cell with the name of its column; other lines as they are."""
    place, names = "", list[str]()
    lines = text.splitlines()
    for number, line in enumerate(lines):
        marked = PLACE.match(line)
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if marked:
            place, names = marked["place"], []
        elif not line.startswith("|"):
            yield "", place, line.strip()
        elif _SEPARATOR.match(following):
            names = _cells(line)
        elif not _SEPARATOR.match(line):
            cells = zip(_cells(line), [*names, *[""] * len(line)], strict=False)
            yield "", place, "; ".join(f"{name}: {cell}" if name else cell for cell, name in cells if cell)


def _cells(row: str) -> list[str]:
    """Return the cells of a row of a table, without what is escaped in them."""
    cells = _CELL_END.split(row.strip().removeprefix("|"))
    return [" ".join(cell.replace("\\|", "|").replace("<br>", " ").split()) for cell in cells[:-1]]


def _paragraphs(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (section, place, paragraph) of a Markdown text, list items as paragraphs of their own."""
    section = place = ""
    lines: list[str] = []
    for line in (*_prose_lines(text), ""):
        heading = _HEADING.match(line)
        item = _ITEM.match(line)
        marked = PLACE.match(line)
        underlined = bool(lines) and _UNDERLINE.match(line) is not None
        if lines and not underlined and (heading or item or marked or not line.strip()):
            yield section, place, _joined(lines)
            lines = []
        if marked:
            place = marked["place"]
        elif underlined:
            section, lines = _joined(lines), []
        elif heading:
            section = _heading(heading)
        elif line.strip():
            lines.append(line[item.end() :] if item else line)


def _heading(found: re.Match[str]) -> str:
    return found["title"].rstrip(" \t#").strip()


def _prose_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text; in place of what is no prose (front matter, code, tables, pictures) a blank one."""
    lines = text.splitlines()
    start = 0
    if lines[:1] == ["---"] and "---" in lines[1:200]:
        start = lines.index("---", 1) + 1
    fence = ""
    for line in lines[start:]:
        marker = _FENCE.match(line)
        if marker and (not fence or marker[1] == fence):
            fence = "" if fence else marker[1]
            yield ""
        elif fence or (_SKIPPED.match(line) and not (_UNDERLINE.match(line) or PLACE.match(line))):
            yield ""
        else:
            yield _QUOTE.sub("", line, count=1) if line.lstrip().startswith(">") else line


def _joined(lines: list[str]) -> str:
    """Join the lines of a paragraph: by a space, between Chinese characters by nothing."""
    parts = [" ".join(line.split()) for line in lines]
    text = parts[0]
    for part in parts[1:]:
        together = _CJK_EDGE.match(text[-1:]) and _CJK_EDGE.match(part[:1])
        text += part if together else f" {part}"
    return text.strip()
