"""Collects what the Markdown contains and the document does not, or only as it is written, without
duplicates, as sentences.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from dogent_tui.documents.export.source import MarkdownSource, shown
from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr

_MOST = 40
"""The number of sentences of a kind: thousands of broken links do not need thousands of
sentences.
"""
_Place: TypeAlias = tuple[str, int]
"""The name of a note, and a line of the file."""
_CELL_ENDS = re.compile(r"(?<!\\)\|")
_MARKUP = re.compile(
    r"(?<!\\)\[\^(?P<note>[^\]\s]+)\]|!?\[\[(?!_?toc)[^\[\]]+\]\]|\^\[[^\]]+\]|\{\{.+?\}\}"
    r"|\{%.+?%\}|(?<!\d)%%[^%]+%%|==\w.*?==|\\[a-z]+\{[^}]*\}"
    r"|\\\([^()]*[\^_=\\][^()]*\\\)|\\\[[^\[\]]*[\^_=\\][^\[\]]*\\\]"
    r"|^(?:[!?]{3}\+? |:{3,} *\w+ +\w|\+[-=:+]{3,}|\| |\(@\w*\)).*",
    re.IGNORECASE,
)
"""References to notes, and what other programs know: links to notes, notes in a line, templates,
comments, highlighted text, TeX outside of formulas, admonitions, tables drawn with signs, lines of
verse, numbered examples.
"""
_NO_SOURCE = MarkdownSource(Path(), "")


class LeftOut:
    """Collects what was left out, in the order of the text of `source`."""

    def __init__(self, source: MarkdownSource = _NO_SOURCE) -> None:
        self._source = source
        self._places: dict[tuple[str, str, str], list[int]] = {}

    def add(self, kind: str, what: str, why: str, line: int = 0) -> None:
        """Record that the `kind` (``Link``) of `what`, as spelled in the text, was left out in this
        `line` of the file, by default the first that has it; `why` is the end of a sentence.
        """
        self._places.setdefault((kind, what, why), []).append(line)

    def sentences(self) -> list[str]:
        """Return a sentence for each different item, and one for the excess."""
        told = []
        sentence = tr("{kind} {what}{where}: {why}.")
        for (kind, what, why), (line, *more) in list(self._places.items())[:_MOST]:
            count = 1 + len(more)
            notes = [tr("{count} times", count=count)] if count > 1 else []
            before, found, _ = self._source.text.lower().partition(what.rstrip(">").lower() or "\0")
            if line := line or (self._source.first_line + before.count("\n")) * bool(found):
                in_line = tr("line {line}") if count == 1 else tr("first in line {line}")
                notes.append(in_line.format(line=line))
            where = f" ({', '.join(notes)})" if notes else ""
            told.append(sentence.format(kind=kind, what=shown(what), where=where, why=why))
        if len(self._places) > _MOST:
            told.append(tr("And {more} more like this.", more=len(self._places) - _MOST))
        return told


def tell_unread(whole: str, first_line: int, left_out: LeftOut, as_text: LeftOut) -> None:
    """Record the notes and cells of a text that pandoc leaves out, and the markup that it does
    not know. Blocks. Raises DocumentError if a note contains itself, with which pandoc never ends.
    """
    from markdown_it import MarkdownIt  # on use
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark").enable("table").disable("text_join")
    parser.use(dollarmath_plugin, allow_digits=False, double_inline=True)
    parser.use(footnote_plugin, inline=False, move_to_end=False)
    lines, markup = whole.split("\n"), tr("Markup")
    unknown = tr("an export does not know it, and it stays as it is")
    notes: list[_Place] = []
    inside = [""]  # a note, or the text
    refers: defaultdict[str, dict[str, _Place]] = defaultdict(dict)
    for token in parser.parse(whole):
        first, end = token.map or (0, 0)
        line = first_line + first
        if token.type == "footnote_reference_open":
            notes.append((token.meta["label"], line))
            inside.append(token.meta["label"].casefold())
        elif token.type == "footnote_reference_close":
            inside.pop()
        elif token.type == "table_open":
            _tell_cells(lines[first:end], line, left_out)
        text = "".join(map(_written, token.children or ()))
        for found in _MARKUP.finditer(text):
            place = line + text.count("\n", 0, found.start())
            if name := found["note"]:
                refers[inside[-1]].setdefault(name.casefold(), (name, place))
            else:
                as_text.add(markup, found[0], unknown, place)
    _tell_notes(notes, refers, left_out, as_text)


def _written(part: Any) -> str:
    """Return a token in a line as written, if it is text, a reference to a note, or a break."""
    match part.type:
        case "text" | "text_special":
            return str(part.markup or part.content)
        case "softbreak" | "hardbreak":
            return "\n"
        case "footnote_ref":
            return f"[^{part.meta['label']}]"
        case "image":
            return "".join(map(_written, part.children or ()))
    return "\0"


def _tell_cells(lines: list[str], line: int, left_out: LeftOut) -> None:
    _, marks, *rows = [_CELL_ENDS.split(row.lstrip(" \t>").removeprefix("|")) for row in lines]
    columns = sum(map(bool, map(str.strip, marks)))
    why = tr("its row has more cells than the heading of the table")
    for number, row in enumerate(rows, line + 2):
        for cell in row[columns:]:
            if any(map(str.isalnum, cell)):
                left_out.add(tr("Cell"), cell.strip(), why, number)


def _tell_notes(
    notes: list[_Place],
    refers: Mapping[str, Mapping[str, _Place]],
    left_out: LeftOut,
    as_text: LeftOut,
) -> None:
    """Record the `notes` that are not shown, and references without one. What `refers` to them is a
    note, or the text: "".
    """
    kind, shown_ones, known = tr("Footnote"), refers.get("", {}), set[str]()
    for name, line in notes:
        is_shown = name.casefold() in shown_ones
        if not is_shown or name.casefold() in known:
            why = tr("another note has that name") if is_shown else tr("no text refers to it")
            left_out.add(kind, f"[^{name}]", why, line)
        known.add(name.casefold())
    for name, line in chain.from_iterable(places.values() for places in refers.values()):
        if name.casefold() not in known:
            why = tr("no note has that name, and it stays as it is")
            as_text.add(kind, f"[^{name}]", why, line)
    try:
        TopologicalSorter(refers).prepare()
    except CycleError:
        raise DocumentError(
            tr("A footnote refers to itself, or two refer to each other."),
            tr("Remove such a reference."),
        ) from None
