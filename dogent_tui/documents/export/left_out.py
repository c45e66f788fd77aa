"""Collects what the Markdown contains and the document does not, without duplicates, as
sentences.
"""

import os
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.documents.export import tree
from dogent_tui.documents.export.source import MarkdownSource
from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import Halt

_MOST = 40
"""The number of sentences of a kind: thousands of broken links do not need thousands of
sentences.
"""
_SHOWN = 80
"""The number of characters of a name to show."""
_PLACE = re.compile(
    r"(?m:^)[ \t>\d.)*+-]*\[\^(?P<name>[^\]\s]+)\]:|(?<!\\)\[\^(?P<to>[^\]\s]+)\]"
    r"|(?<!\\)\|(?=(?P<cell>(?:\\\||[^|\n])*?[^\W_](?:\\\||[^|\n])*))"
)
"""Where a note or a cell may begin, and what may refer `to` a note."""
_NO_SOURCE = MarkdownSource(Path(), "")


class LeftOut:
    """Collects what was left out, in the order of the text of `source`."""

    def __init__(self, source: MarkdownSource = _NO_SOURCE) -> None:
        self._source = source
        self._places: dict[tuple[str, str, str], list[int | None]] = {}

    def add(self, kind: str, what: str, why: str, at: int | None = None) -> None:
        """Record that the `kind` (``Link``) of `what`, as spelled in the text, was left out `at`
        some place of it, by default the first that is spelled so; `why` is the end of a sentence.
        """
        self._places.setdefault((kind, what, why), []).append(at)

    def tell_unread(self, whole: str, reader: str, halt: Halt | None) -> None:
        """Record the notes and cells that pandoc's `reader` leaves out of the `whole` text, at the
        end of which is the source: those from which a mark does not return. Blocks. Raises
        DocumentError, also if a note contains itself, with which pandoc never ends.
        """
        own = self._source.text
        if not (places := list(_PLACE.finditer(own))):
            return
        mark, numbers = f"mark{os.urandom(8).hex()}n", iter(range(len(places)))
        # a mark also replaces each reference, so that a note contains no other; all are at the top
        names = dict.fromkeys(place["name"] for place in places if place["name"])
        top = " ".join([mark, *(f"[^{name}]" for name in names)])
        text = _PLACE.sub(
            lambda place: f"{'' if place['to'] else place[0]} {mark}{next(numbers)} ", own
        )
        parsed = tree.parsed(f"{top}\n\n{whole.removesuffix(own)}{text}", reader, halt)
        first, *blocks = tree.blocks_of(parsed.data)
        marked = re.compile(rf'({{"c":")?{mark}(\d+)(?(1)","t":"Str"}})'.encode())

        def marks(nodes: Any) -> dict[int, str]:
            """Return the marks in `nodes`, those that refer to a note with its name."""
            found = marked.findall(msgspec.json.encode(nodes, order="sorted"))
            return {
                int(at): (places[int(at)]["to"] or "").casefold() * bool(is_text)
                for is_text, at in found
            }

        notes = [marks(part["c"]) for part in tree.walk(first) if part["t"] == "Note"]
        within = {
            name.casefold(): note for note in notes if note and (name := places[min(note)]["name"])
        }
        try:
            TopologicalSorter({name: note.values() for name, note in within.items()}).prepare()
        except CycleError:
            raise DocumentError(
                tr("A footnote refers to itself, or two refer to each other."),
                tr("Remove such a reference."),
            ) from None
        read = marks(blocks)
        shown = {*read.values()} & within.keys()
        for name in shown:
            read |= within[name]
        is_in_note = False
        for number, place in enumerate(places):
            if place["to"] or number in read:
                is_in_note &= number not in read
            elif name := place["name"]:
                is_in_note = True
                is_other = name.casefold() in shown
                why = tr("another note has that name") if is_other else tr("no text refers to it")
                self.add(tr("Footnote"), f"[^{name}]", why, place.end() - len(name) - 4)
            elif not is_in_note:
                why = tr("its row has more cells than the heading of the table")
                self.add(tr("Cell"), place["cell"].strip(), why, place.start())

    def sentences(self) -> list[str]:
        """Return a sentence for each different item, and one for the excess."""
        told = []
        sentence = tr("{kind} {what}{where}: {why}.")
        for (kind, what, why), (at, *more) in list(self._places.items())[:_MOST]:
            count = 1 + len(more)
            notes = [tr("{count} times", count=count)] if count > 1 else []
            if line := self._source.line(what.rstrip(">"), at):
                in_line = tr("line {line}") if count == 1 else tr("first in line {line}")
                notes.append(in_line.format(line=line))
            where = f" ({', '.join(notes)})" if notes else ""
            told.append(sentence.format(kind=kind, what=shown(what), where=where, why=why))
        if len(self._places) > _MOST:
            told.append(tr("And {more} more like this.", more=len(self._places) - _MOST))
        return told


def shown(address: str) -> str:
    """Return `address` for a sentence: on one line, and not too long."""
    text = one_line(address)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
