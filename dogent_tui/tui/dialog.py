"""The frame of every dialog: title and subject in the top border, the content, and the keys in the
last row.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Generic, TypeVar

from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from dogent_tui.plain import one_line
from dogent_tui.tui.key_hints import KeyLine
from dogent_tui.tui.screens.withdrawable import Withdrawable
from dogent_tui.tui.stylesheets import styles
from dogent_tui.tui.text_line import TextLine
from dogent_tui.tui.textual_fixes.option_list import PagedList
from dogent_tui.tui.widgets import bound, hidden

Answer = TypeVar("Answer")
Item = TypeVar("Item")

_MARK = "❯ "
"""The mark of the row under the cursor of a list."""


class Words(Static):
    """Shows text literally, never as markup, whoever wrote it."""

    def __init__(
        self,
        text: str | Content = "",
        *,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(text, markup=False, id=id, classes=classes)


class Dialog(Vertical):
    """A window over a screen. Its children are the content; `keys` are shown below them."""

    def __init__(
        self,
        title: str,
        keys: Mapping[str, str],
        *content: Widget,
        about: str = "",
        id: str,  # noqa: A002
        classes: str = "",
    ) -> None:
        """Create a dialog.

        Args:
            title: What it is called.
            about: What it concerns.
            keys: Textual's key names and their effects, the most important first.
            classes: ``-wide`` for lists and pages, ``-tall`` for the full height of the window,
                ``-warning``.
        """
        self.keys = KeyLine(keys)
        super().__init__(*content, self.keys, id=id, classes=classes)
        self.name_it(title, about)

    def name_it(self, title: str, about: str) -> None:
        """Write `title` and its subject into the top border."""
        where = (f" · {one_line(about)}", "not bold $text-muted") if about else ""
        # No markup: a title may contain text written by others.
        self.border_title = Content.assemble(one_line(title), where)


_SCROLLS = {
    "up": "up",
    "down": "down",
    "pageup": "page_up",
    "pagedown": "page_down",
    "ctrl+home": "home",
    "ctrl+end": "end",
}
"""The keys that scroll, unless what has the focus takes them, with Textual's name of the way."""


class DialogScreen(Withdrawable[Answer], ModalScreen[Answer]):
    """A screen with one `dialog`, over the previous screen, which stays visible. The keys scroll
    it, or `scrolled`, a part of it.
    """

    DEFAULT_CSS = styles("dialog.tcss")
    VERTICAL_BREAKPOINTS = [(0, "-tight"), (16, "-low"), (30, "-medium"), (50, "-high")]
    BINDINGS = [
        bound("escape", "dismiss", "Back"),
        hidden("f1", "app.help", "Help"),
        *(hidden(key, f"scroll('{how}')", "Scroll") for key, how in _SCROLLS.items()),
    ]

    def __init__(self, dialog: Dialog, scrolled: Widget | None = None) -> None:
        super().__init__()
        self.dialog = dialog
        self._scrolled = scrolled or dialog

    def compose(self) -> ComposeResult:
        """Show the dialog."""
        yield self.dialog

    def action_scroll(self, how: str) -> None:
        """Scroll `how` Textual calls it."""
        getattr(self._scrolled, f"scroll_{how}")(animate=False)

    def warn(self, words: str) -> None:
        """Show an error."""
        self.notify(one_line(words), severity="error")


class ItemList(PagedList, Generic[Item]):
    """A list of `items`."""

    def __init__(self, id: str) -> None:  # noqa: A002
        super().__init__(id=id, markup=False, compact=True)
        self.items: Sequence[Item] = ()

    @property
    def chosen(self) -> Item | None:
        """The item under the cursor."""
        at = self.highlighted
        return None if at is None or at >= len(self.items) else self.items[at]

    def show(
        self, items: Sequence[Item], rows: Iterable[Content | Option], at: int | None = None
    ) -> None:
        """List `items`, drawn as the corresponding `rows`, with the cursor on item `at`, or else on
        the same item or in the same place.
        """
        if at is None and (at := self.highlighted) is not None and self.chosen in items:
            at = items.index(self.chosen)
        self.items = items
        self.set_options(rows)
        self.highlighted = None if at is None or not items else min(at, len(items) - 1)


class ChoiceList(ItemList[Item]):
    """A list to choose from. The row under the cursor has a mark, so that it is visible without
    colors. Without items it is hidden.
    """

    DEFAULT_CSS = styles("choices.tcss")

    def show(
        self, items: Sequence[Item], rows: Iterable[Content | Option], at: int | None = None
    ) -> None:
        """List `items`, one of which is under the cursor."""
        super().show(items, rows, (self.highlighted or 0) if at is None else at)
        self.display = bool(items)
        self.disabled = not items  # hidden, it would keep the focus

    def _get_left_gutter_width(self) -> int:
        return len(_MARK)

    def render_line(self, y: int) -> Strip:
        """Draw a row with its mark."""
        line, at = super().render_line(y), self.scroll_offset.y + y
        option, row = self._lines[at] if at < len(self._lines) else (-1, 0)
        mark = _MARK if option == self.highlighted and row == 0 else " " * len(_MARK)
        # the row's own style, not one of the mark
        style = [None, *(part.style for part in line)][-1]
        return Strip([Segment(mark, style), *line])


def matching(texts: Sequence[str], letters: str) -> Sequence[int]:
    """Return which of `texts` match `letters`, best first, or all of them in their order without
    letters.
    """
    if not letters.strip():
        return range(len(texts))
    from frizbee import Matcher

    return [match.index for match in Matcher(letters.strip(), max_typos=0).match_list(texts)]


class FinderScreen(DialogScreen[Answer], Generic[Item, Answer]):
    """A list below an input line; the keys of both work at the same time."""

    BINDINGS = [
        hidden("up", "step(-1)", "Up"),
        hidden("down", "step(1)", "Down"),
        hidden("pageup", "step(-10)", "Page up"),
        hidden("pagedown", "step(10)", "Page down"),
    ]

    def __init__(
        self,
        title: str,
        placeholder: str,
        *below: Widget,
        id: str,  # noqa: A002
        keys: Mapping[str, str] = MappingProxyType({}),
        about: str = "",
    ) -> None:
        """Create an input line with `placeholder`, and the list, above what is `below`. The rest:
        see `Dialog`.
        """
        self.line = TextLine(placeholder=placeholder)
        self.list = ChoiceList[Item](id=f"{id}-list")
        self.list.can_focus = False
        parts = (self.line, self.list, *below)
        super().__init__(Dialog(title, keys, *parts, about=about, id=id, classes="-wide"))

    def find(self, words: str) -> None:
        """List the matches of `words`."""
        raise NotImplementedError

    async def take(self, item: Item) -> None:
        """Act on the chosen item."""
        raise NotImplementedError

    def _on_input_changed(self, event: TextLine.Changed) -> None:
        self.find(event.value)

    @on(TextLine.Submitted)
    @on(OptionList.OptionSelected)
    async def _chosen(self) -> None:
        if (item := self.list.chosen) is not None:
            await self.take(item)

    def action_step(self, step: int) -> None:
        """Move the cursor of the list."""
        if self.list.highlighted is not None:
            last = len(self.list.items) - 1
            self.list.highlighted = max(0, min(self.list.highlighted + step, last))


class WrappedText(Widget):
    """Text laid out for the available width; its height follows."""

    DEFAULT_CSS = "WrappedText { height: auto; }"

    def __init__(self, layout: Callable[[int], Content], *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._layout = layout

    def show(self, layout: Callable[[int], Content]) -> None:
        """Show what `layout` returns for a width in cells."""
        self._layout = layout
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of rows in `width` columns."""
        del container, viewport
        return self._layout(width).plain.count("\n") + 1

    def render(self) -> Content:
        """Lay out for the available width."""
        return self._layout(self.size.width)
