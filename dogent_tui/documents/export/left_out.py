"""What the Markdown has and the document has not: collected once each, told in sentences."""

from dogent_tui.language import tr
from dogent_tui.plain import one_line

_MOST = 40
"""Sentences of a kind; a text of thousands of broken links needs no thousands of sentences."""
_SHOWN = 80
"""Characters of a name that are shown."""


class LeftOut:
    """Collects what was left out, in the order of the text, which begins in the line
    `first_line` of its file.
    """

    def __init__(self, text: str = "", first_line: int = 1) -> None:
        self._text = text
        self._first_line = first_line
        self._counts: dict[tuple[str, str, str], int] = {}

    def add(self, kind: str, what: str, why: str) -> None:
        """Note that the `kind` (``Link``) of `what`, as the text has it, was left out; `why` is
        the end of a sentence.
        """
        entry = (kind, what, why)
        self._counts[entry] = self._counts.get(entry, 0) + 1

    def sentences(self) -> list[str]:
        """Return a sentence for each different thing, and one for those that are too many to
        tell.
        """
        told = []
        for (kind, what, why), count in list(self._counts.items())[:_MOST]:
            notes = [tr("{count} times").format(count=count)] if count > 1 else []
            if line := self.line(what):
                notes.append(
                    tr("line {line}").format(line=line)
                    if count == 1
                    else tr("first in line {line}").format(line=line)
                )
            where = f" ({', '.join(notes)})" if notes else ""
            told.append(
                tr("{kind} {what}{where}: {why}.").format(
                    kind=kind, what=shown(what), where=where, why=why
                )
            )
        if len(self._counts) > _MOST:
            told.append(tr("And {more} more like this.").format(more=len(self._counts) - _MOST))
        return told

    def line(self, what: str) -> int:
        """Return the line of the file that `what` is in first, 0 where it is written in another
        way there.
        """
        at = self._text.lower().find(what.rstrip(">").lower()) if what else -1
        return self._first_line + self._text.count("\n", 0, at) if at >= 0 else 0


def shown(address: str) -> str:
    """Return `address` for a sentence: on one line, and not too long."""
    text = one_line(address)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
