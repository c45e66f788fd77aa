"""Collects what the Markdown contains and the document does not, without duplicates, as
sentences.
"""

import os
import re
from pathlib import Path

from dogent_tui.documents.export import tree
from dogent_tui.documents.export.source import MarkdownSource
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import Halt

_MOST = 40
"""The number of sentences of a kind: thousands of broken links do not need thousands of
sentences.
"""
_SHOWN = 80
"""The number of characters of a name to show."""
_UNREAD = re.compile(r"\[\^([^\]\s]+)\]:|(?<!\\)\|(?=((?:\\\||[^|\n])*?[^\W_](?:\\\||[^|\n])*))")
"""Where a note or a cell may begin."""
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
        DocumentError.
        """
        own = self._source.text
        if not (places := list(_UNREAD.finditer(own))):
            return
        mark, numbers = f"mark{os.urandom(8).hex()}n", iter(range(len(places)))
        text = _UNREAD.sub(lambda place: f"{place[0]} {mark}{next(numbers)} ", own)
        data = tree.parsed(whole.removesuffix(own) + text, reader, halt).data
        read = {int(number) for number in re.findall(rf"{mark}(\d+)".encode(), data)}
        notes = {(places[number][1] or "").casefold() for number in read}
        is_in_note = False
        for number, place in enumerate(places):
            note, cell = place.groups()
            if number in read:
                is_in_note = False
            elif note:
                is_in_note = True
                is_other = note.casefold() in notes
                why = tr("another note has that name") if is_other else tr("nothing refers to it")
                self.add(tr("Footnote"), f"[^{note}]", why, place.start())
            elif not is_in_note:
                why = tr("its row has more cells than the heading of the table")
                self.add(tr("Cell"), cell.strip(), why, place.start())

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
