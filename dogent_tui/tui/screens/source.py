"""The form for entering a source: a book, a letter, a page that was never fetched."""

import re
from urllib.parse import urlsplit

import msgspec

from dogent_tui.language import tr
from dogent_tui.sources.records import SourceRecord
from dogent_tui.storage.paths import Workspace, is_file
from dogent_tui.tui.screens.forms import FormScreen
from dogent_tui.tui.text_line import TextLine

_LINES = {
    "author": tr("Author (a name, or an organization)"),
    "title": tr("Title"),
    "published": tr("Published (2024, or 2024-03-05)"),
    "url": tr("Address, if it is on the web"),
    "document": tr("Its file in this folder, if there is one"),
}


_DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


class SourceScreen(FormScreen[SourceRecord]):
    """Dismissed with what was entered, without a key, or with None if the user goes back."""

    def __init__(self, workspace: Workspace) -> None:
        """Ask for a source whose file belongs to `workspace`."""
        self._workspace = workspace
        keys = {"enter": tr("Continue"), "escape": tr("Back")}
        lines = {name: (label, TextLine()) for name, label in _LINES.items()}
        super().__init__(tr("A source"), keys, lines, id="source")

    @property
    def _document(self) -> str:
        return self.entered["document"].removeprefix("@")

    def problem(self, name: str) -> str:
        """Return what is wrong with a line of the source."""
        text, document = self.entered[name], self._document
        if name == "title" and not text:
            return tr("It needs a title.")
        if name == "published" and text and not _DATE.fullmatch(text):
            return tr("Write the date as 2024, 2024-03 or 2024-03-05.")
        if name == "url" and text and not _is_address(text):
            return tr("Write the whole address, such as https://example.org/page.")
        if name == "document" and document and not self._workspace.contains(document):
            return tr("The file must be in this folder.")
        if name == "document" and document and not is_file(self._workspace.absolute(document)):
            return tr("There is no file {name} here.", name=document)
        return ""

    def finish(self) -> None:
        """Return the source."""
        document = self._document and self._workspace.relative(self._document)
        self.leave(msgspec.convert({"key": "", **self.entered, "document": document}, SourceRecord))


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)
