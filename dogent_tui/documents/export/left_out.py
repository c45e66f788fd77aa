"""What the Markdown has and the document has not: collected once each, told in sentences."""

from dogent_tui.documents.export.images import shown
from dogent_tui.language import tr

_MOST = 40
"""Sentences of a kind; a text of thousands of broken links needs no thousands of sentences."""


class LeftOut:
    """Collects what was left out, in the order of the text."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, str], int] = {}

    def add(self, kind: str, what: str, why: str) -> None:
        """Note that the `kind` (``Link``) of `what` was left out; `why` is the end of a sentence."""
        entry = (kind, shown(what), why)
        self._counts[entry] = self._counts.get(entry, 0) + 1

    def sentences(self) -> list[str]:
        """Return a sentence for each different thing, and one for those that are too many to tell."""
        told = []
        for (kind, what, why), count in list(self._counts.items())[:_MOST]:
            times = tr(" ({count} times)").format(count=count) if count > 1 else ""
            told.append(tr("{kind} {what}{times}: {why}.").format(kind=kind, what=what, times=times, why=why))
        if len(self._counts) > _MOST:
            told.append(tr("And {more} more like this.").format(more=len(self._counts) - _MOST))
        return told
