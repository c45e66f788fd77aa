"""A page of text over the conversation, which is found out meanwhile: /doctor, /context, /usage."""

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.tui import clipboard
from dogent_tui.tui.dialog import Dialog, DialogScreen
from dogent_tui.tui.transcript.lines import Line, Span, wrap


class FoundLines(Widget):
    """Lines of text; an indented one that is longer than the width is continued further in."""

    def __init__(self, text: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.styles.height = "auto"
        self._text = text

    def show(self, text: str) -> None:
        """Show another `text`."""
        self._text = text
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the rows that the text takes in `width` columns."""
        del container, viewport
        return len(self._wrapped(width))

    def render(self) -> Content:
        """Wrap for the width there is."""
        return Content("\n".join(self._wrapped(self.size.width)))

    def _wrapped(self, width: int) -> list[str]:
        return [part for line in self._text.split("\n") for part in _broken(line, max(20, width))]


def _broken(line: str, width: int) -> list[str]:
    if Line((Span(line),)).width <= width:
        return [line]
    words = line.lstrip()
    indent = line[: len(line) - len(words)]
    further = f"{indent}    " if indent else ""
    broken = [each.text for each in wrap([Span(words)], width - len(further))]
    return [indent + "".join(broken[:1]), *(further + each for each in broken[1:])]


class PageScreen(DialogScreen[None]):
    """Shows the text that `find` returns."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", tr("Close")),
        Binding("c", "copy", tr("Copy")),
    ]

    def __init__(self, title: str, find: Callable[[], Awaitable[str]], *, about: str = "") -> None:
        super().__init__()
        self._title = title
        self._about = about
        self._find = find
        self._found = ""
        self._page = FoundLines(tr("Checking…"), id="page-found")

    def compose(self) -> ComposeResult:
        """Lay out the page that scrolls."""
        keys = {"c": tr("Copy"), "up,down": tr("Scroll"), "escape": tr("Close")}
        with (
            Dialog(self._title, keys, about=self._about, id="page", classes="-wide"),
            VerticalScroll(id="page-text", classes="dialog-page -fit"),
        ):
            yield self._page

    def on_mount(self) -> None:
        """Find out what the page says."""
        self.query_one("#page-text").focus()
        self.run_worker(self._look())

    async def _look(self) -> None:
        try:
            self._found = await self._find()
        except DogentError as error:
            self._found = f"{error.message}\n{error.remedy}"
        self._page.show(self._found)

    async def action_copy(self) -> None:
        """Copy the page, for a report."""
        if self._found:
            self.notify(await clipboard.copy(self.app, self._found), markup=False)
