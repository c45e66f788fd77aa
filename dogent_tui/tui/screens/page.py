"""A page of text over the conversation, whose content is being gathered: /doctor, /context,
/usage.
"""

from collections.abc import Awaitable, Callable, Iterator

from rich.cells import cell_len
from textual import work
from textual.containers import VerticalScroll
from textual.content import Content

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.tui import clipboard
from dogent_tui.tui.dialog import Dialog, DialogScreen, WrappedText
from dogent_tui.tui.transcript.lines import Span, wrap
from dogent_tui.tui.widgets import bound

_COPIED = 100
"""Columns of a copy."""


def broken(text: str, width: int) -> Iterator[str]:
    """Yield the lines of `text` in `width` cells; continuations of an indented line are indented
    further.
    """
    for line in text.split("\n"):
        words = line.lstrip()
        indent = line[: len(line) - len(words)]
        further = f"{indent}    " if indent else ""
        rows = wrap([Span(words)], max(20, width) - len(further))
        if cell_len(line) <= max(20, width):
            yield line
        else:
            yield from ((further if at else indent) + row.text for at, row in enumerate(rows))


class PageScreen(DialogScreen[None]):
    """Shows what `find` returns: a text for a width in cells. What is too wide is broken."""

    BINDINGS = [
        bound("escape,q,enter", "dismiss", "Close"),
        bound("c", "copy", "Copy"),
    ]

    def __init__(
        self, title: str, find: Callable[[], Awaitable[Callable[[int], str]]], *, about: str = ""
    ) -> None:
        self._find = find
        self._found: Callable[[int], str] | None = None
        self._page = WrappedText(self._laid_out, id="page-found")
        keys = {"c": tr("Copy"), "up,down": tr("Scroll"), "escape": tr("Close")}
        scrolls = VerticalScroll(self._page, id="page-text", classes="dialog-page -fit")
        super().__init__(Dialog(title, keys, scrolls, about=about, id="page", classes="-wide"))

    def _laid_out(self, width: int) -> Content:
        text = self._found(width) if self._found else tr("Checking…")
        return Content("\n".join(broken(text, width)))

    @work
    async def on_mount(self) -> None:
        """Gather the content of the page."""
        try:
            self._found = await self._find()
        except DogentError as error:
            said = f"{error.message}\n{error.remedy}"
            self._found = lambda _: said
        self._page.show(self._laid_out)

    async def action_copy(self) -> None:
        """Copy the page, for a report."""
        if self._found:
            await clipboard.copy(self.app, self._found(_COPIED))
