"""Collects what the Markdown contains and the document does not, or only as it is written, without
duplicates, as sentences.
"""

import re
from pathlib import Path
from typing import Any

from dogent_tui.documents.export.source import MarkdownSource, shown
from dogent_tui.documents.export.tree import CODE, FENCED
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.tree import walk
from dogent_tui.language import tr

_MOST = 40
"""The number of sentences of a kind: thousands of broken links do not need thousands of
sentences.
"""
_OTHER = "\1"
"""Stands for what is not text in a line, such as code."""
_SHOWN_AS = dict.fromkeys(("Para", "Plain", "Header"), "\n\3")
_SHOWN_AS |= {"Space": " ", "SoftBreak": "\n", "LineBreak": "\n"}
_LITERAL = re.compile(rf"(?ms){FENCED}|\\[!-/:-@\[-`{{-~]")
"""Code between fences, and escaped characters."""
_CODE = re.compile(rf"(?s){CODE}")
_NOTE = re.compile(
    r"(?m)^[ \t>*+.)\d-]*(?P<mark>\[\^(?P<name>[^\[\]\n]+)\]):"
    r"(?P<body>.*(?:\n(?![ \t]*(?:[#>|*+-]|\d+[.)]|\[\^[^\[\]\n]+\]:)).*\S.*"
    r"|\n(?:[ \t]*\n)*(?: {4}|\t).*)*)"
)
"""A note: its first line, lines that continue a paragraph of it, and indented ones."""
_INDENTED = re.compile(r"\n[ \t]*(?:\n {8}.*)+")
"""Code in a note."""
_REFERENCE = re.compile(r"\[\^([^\[\]\n]+)\]")
_ROWS = re.compile(
    r"(?m)^[^|\n]*\|.*\n(?P<columns>[ \t>]*+\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t:-]*)\n"
    r"(?P<rows>(?:[ \t>]*[^\s>].*\n?)*)"
)
_TOLD = re.compile(
    r"\[\^(?P<note>[^\[\]\s]+)\]"
    r"|!?\[\[(?!_?toc)[^\[\]\3]+\]\]|\^\[[^\[\]\3]+\]"
    r"|\{\{[^{}]+\}\}|\{%[^%\3]+%\}|(?<!\d)%%[^%\3]+%%|==\w.*?==|\\[a-z]+\{[^}\3]*\}"
    r"|[^\W_]{1,20}(?:~[-−+\w]{1,8}~(?!~)|\^[-−+\w]{1,8}\^)\w{0,20}"
    r"|(?<=\x03)(?:[!?]{3}\+? |:{3,} *[\w{\[]|\+[-=:+]{3,}|\| |\(@\w*\)).*",
    re.IGNORECASE,
)
"""References to notes, and what other programs know: links to notes, notes in a line, templates,
comments, highlighted text, commands of TeX, lowered and raised text, admonitions, tables drawn with
signs, lines of verse, numbered examples.
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
        for (kind, what, why), (line, *more) in list(self._places.items())[:_MOST]:
            count = 1 + len(more)
            notes = [tr("{count} times", count=count)] if count > 1 else []
            before, found, _ = self._source.text.lower().partition(what.rstrip(">").lower() or "\0")
            if line := line or (self._source.first_line + before.count("\n")) * bool(found):
                in_line = tr("line {line}") if count == 1 else tr("first in line {line}")
                notes.append(in_line.format(line=line))
            where = f" ({', '.join(notes)})" if notes else ""
            told.append(
                tr(
                    "{kind} {what}{where}: {why}.",
                    kind=kind,
                    what=shown(what),
                    where=where,
                    why=why,
                )
            )
        if len(self._places) > _MOST:
            told.append(tr("And {more} more like this.", more=len(self._places) - _MOST))
        return told


class _Text:
    """A part of the source from `first_line` on. `with_code` is its `text` without what is to be
    taken literally, `seen` that without code; both are as long as `text`.
    """

    def __init__(self, text: str, first_line: int) -> None:
        self.text, self._first_line = text, first_line
        self.with_code = self._without(_LITERAL, text)
        self.seen = self._without(_CODE, self.with_code)
        self.notes = [*_NOTE.finditer(self.seen)]

    def line(self, found: re.Match[str]) -> int:
        """Return the number of the line in which a match begins."""
        return self._first_line + self.text.count("\n", 0, found.start())

    @staticmethod
    def _without(kind: re.Pattern[str], text: str) -> str:
        return kind.sub(lambda found: re.sub(".", _OTHER, found[0]), text)


def tell_left_out(text: str, first_line: int, left_out: LeftOut) -> None:
    """Record the notes and cells of a text that nothing shows. Raises DocumentError if a note
    contains itself, which would keep pandoc busy until it has no memory left.
    """
    part, notes = _Text(text, first_line), dict[str, set[str]]()
    shown = _references(_NOTE.sub("", part.seen))  # a note in a note is not shown
    for found in part.notes:
        name, why = found["name"].casefold(), ""
        if name in notes:
            why = tr("another note has that name")
        elif name not in shown:
            why = tr("no text refers to it")
        if why:
            left_out.add(tr("Footnote"), text[slice(*found.span("mark"))], why, part.line(found))
        notes.setdefault(name, _references(_INDENTED.sub("", found["body"])))
    why = tr("a footnote can't refer to another one")
    for found in part.notes:
        for name in sorted(notes[found["name"].casefold()] & notes.keys() & shown):
            left_out.add(tr("Footnote"), f"[^{name}]", why, part.line(found))
    while ends := {name for name, within in notes.items() if not within & notes.keys()}:
        notes = {name: within for name, within in notes.items() if name not in ends}
    if notes:
        raise DocumentError(
            tr("A footnote refers to itself, or two refer to each other."),
            tr("Remove such a reference."),
        )
    _tell_cells(part, left_out)


def _tell_cells(part: _Text, left_out: LeftOut) -> None:
    why = tr("its row has more cells than the heading of the table")
    for table in _ROWS.finditer(part.with_code):
        columns = len(re.findall("-+", table["columns"]))
        more = re.compile(rf"(?m)^[ \t>]*+\|?+(?:[^|\n]*\|){{{columns}}}+(.*\w.*)$")
        for found in more.finditer(part.with_code, *table.span("rows")):
            cell = part.text[slice(*found.span(1))].strip(" |")
            left_out.add(tr("Cell"), cell, why, part.line(found))


def _references(text: str) -> set[str]:
    return {name.casefold() for name in _REFERENCE.findall(text)}


def tell_unknown(text: str, first_line: int, blocks: list[Any]) -> list[str]:
    """Return sentences about markup in a text that stayed as it is in the `blocks` of it."""
    part, told = _Text(text, first_line), LeftOut()
    notes = {found["name"].casefold() for found in part.notes}
    why = tr("an export does not know it, and it stays as it is")
    shown = (
        node["c"] if node["t"] == "Str" else _SHOWN_AS.get(node["t"], _OTHER)
        for node in walk(blocks)
    )
    for found in _TOLD.finditer("".join(shown)):
        if (note := found["note"] or "").casefold() in notes:
            continue
        words = r"[\s>]+".join(map(re.escape, found[0].split())).replace(_OTHER, ".*?")
        if place := re.search(words, part.seen):  # nowhere if it is escaped, or in HTML
            kind = tr("Footnote") if note else tr("Markup")
            because = tr("no note has that name, and it stays as it is") if note else why
            told.add(kind, text[slice(*place.span())], because, part.line(place))
    return told.sentences()
