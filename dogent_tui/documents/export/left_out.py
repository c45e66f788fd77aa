"""Collects what the Markdown contains and the document does not, or only as it is written, without
duplicates, as sentences.
"""

import re
from itertools import accumulate
from pathlib import Path

from dogent_tui.documents.export import tree
from dogent_tui.documents.export.source import MarkdownSource, shown
from dogent_tui.language import tr
from dogent_tui.processes import Halt

_MOST = 40
"""The number of sentences of a kind: thousands of broken links do not need thousands of
sentences.
"""
_UNREAD, _OTHER, _IN_TABLE, _BLOCK = "\0\1\2\3"
"""Stand for a character that is not shown as it is: pandoc left it out, made something of it, or
left it out of a table; and for the one before a block.
"""
_POSITIONED = re.compile(
    r'"t":"(\w+)","c":\[\[[^{}]*"data-pos","([^"]*)"\]\]\](?:,\[\{"t":"(\w+)"(?!,"c":""))?'
)
"""In pandoc's JSON: a node, its positions (those of a block per line), and its first child, unless
that is empty, as a note in a note is.
"""
_POSITION = re.compile(r"(\d+):(\d+)-(\d+):(\d+)")
_NOTE = re.compile(r"[ >*+.)\d-]*(\[\^[^\]]+\]):(?P<text>.*[^\W\d_])?")
_TOLD = re.compile(
    r"(?P<left>[\0\3]+)|(?P<cells>[\2]+)|(?<!\\)\[\^(?P<note>[^\]\s]+)\]"
    r"|(?<!\\)!?\[\[(?!_?toc)[^\[\]\3]+\]\]|\^\[[^\]\3]+\]"
    r"|\{\{.+?\}\}|\{%.+?%\}|(?<!\d)%%[^%\3]+%%|==\w.*?==|\\[a-z]+\{[^}\3]*\}"
    r"|\\\([^()\3]*[\^_=\\][^()\3]*\\\)|\\\[[^\[\]\3]*[\^_=\\][^\[\]\3]*\\\]"
    r"|(?<![^\3])(?:[!?]{3}\+? |:{3,} *\w+ +\w|\+[-=:+]{3,}|\| |\(@\w*\)).*",
    re.IGNORECASE,
)
"""References to notes, and what other programs know: links to notes, notes in a line, templates,
comments, highlighted text, TeX outside of formulas, admonitions, tables drawn with signs, lines of
verse, numbered examples.
"""
_SIGNS = re.compile(r"\[\[|[\^|\\]|\{[{%]|%%|==|[!?]{3}|:{3}|\+[-=:]|\(@")
"""A text without these has no notes, no tables, and nothing else of `_TOLD`."""
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


def tell_unread(
    whole: str, reader: str, first_line: int, left_out: LeftOut, halt: Halt | None
) -> list[str]:
    """Record the notes and cells of a text that pandoc's `reader` leaves out, and return sentences
    about the markup that it does not know. Blocks. Raises DocumentError.
    """
    if not _SIGNS.search(whole):
        return []
    # Pandoc counts columns so, and may end a block in the line after the last.
    text = tree.with_lines_before_tables(whole.expandtabs(4)) + "\n\n"
    data = text.encode("utf-8", "replace")
    parsed = tree.ask_pandoc(data, "-f", f"{reader}+sourcepos", "-t", "json", halt=halt).data
    words = _words(text, parsed.decode())
    footnote, known, as_text = tr("Footnote"), set[str](), LeftOut()
    for found in _TOLD.finditer(words):
        what, told, kind, why = text[found.start() : found.end()], left_out, footnote, ""
        match found.lastgroup:
            case "left" if note := _NOTE.match(what):
                what = note[1]
                if not note["text"]:
                    known.add(what.casefold())
                elif what.casefold() in known:
                    why = tr("another note has that name")
                else:
                    why = tr("no text refers to it")
            case "cells" if any(map(str.isalnum, what)):
                kind, what = tr("Cell"), what.strip(" |")
                why = tr("its row has more cells than the heading of the table")
            case "note":
                told, why = as_text, tr("no note has that name, and it stays as it is")
            case None:
                told, kind = as_text, tr("Markup")
                why = tr("an export does not know it, and it stays as it is")
        if why:
            before = text[: found.start()]
            line = first_line + before.count("\n") - before.count(tree.ADDED_LINE)
            told.add(kind, what, why, line)
    return as_text.sentences()


def _words(text: str, parsed: str) -> str:
    """Return the `text` that pandoc `parsed` to JSON with positions, in which only what is shown as
    it is, and the ends of lines, is not replaced.
    """
    words = list(re.sub(".", _UNREAD, text))
    lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    for kind, positions, inside in _POSITIONED.findall(parsed):
        for position in _POSITION.findall(positions):
            first, column, last, end = map(int, position)
            place = slice(lines[first - 1] + column - 1, lines[last - 1] + end - 1)
            if inside in {"Str", "Space"}:
                words[place] = text[place]
            elif kind != "Div" or inside == "RawBlock":
                words[place] = re.sub(".", _IN_TABLE if kind == "Table" else _OTHER, text[place])
            elif place.start:
                words[place.start - 1] = _BLOCK
                break  # the others are its further lines
    return "".join(words)
