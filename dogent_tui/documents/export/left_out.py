"""Collects what the Markdown contains and the document does not, without duplicates, as
sentences.
"""

from collections import Counter
from pathlib import Path

from dogent_tui.documents.export.source import MarkdownSource
from dogent_tui.language import tr
from dogent_tui.plain import one_line

_MOST = 40
"""The number of sentences of a kind: thousands of broken links do not need thousands of
sentences.
"""
_SHOWN = 80
"""The number of characters of a name to show."""
_NO_SOURCE = MarkdownSource(Path(), "")


class LeftOut:
    """Collects what was left out, in the order of the text of `source`."""

    def __init__(self, source: MarkdownSource = _NO_SOURCE) -> None:
        self._source = source
        self._counts = Counter[tuple[str, str, str]]()

    def add(self, kind: str, what: str, why: str) -> None:
        """Record that the `kind` (``Link``) of `what`, as spelled in the text, was left out; `why`
        is the end of a sentence.
        """
        self._counts[kind, what, why] += 1

    def sentences(self) -> list[str]:
        """Return a sentence for each different item, and one for the excess."""
        told = []
        sentence = tr("{kind} {what}{where}: {why}.")
        for (kind, what, why), count in list(self._counts.items())[:_MOST]:
            notes = [tr("{count} times", count=count)] if count > 1 else []
            if line := self._source.line(what.rstrip(">")):
                in_line = tr("line {line}") if count == 1 else tr("first in line {line}")
                notes.append(in_line.format(line=line))
            where = f" ({', '.join(notes)})" if notes else ""
            told.append(sentence.format(kind=kind, what=shown(what), where=where, why=why))
        if len(self._counts) > _MOST:
            told.append(tr("And {more} more like this.", more=len(self._counts) - _MOST))
        return told


def shown(address: str) -> str:
    """Return `address` for a sentence: on one line, and not too long."""
    text = one_line(address)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
