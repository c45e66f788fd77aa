"""The frame of every dialog: its title and what it belongs to in the upper edge, the content,
and the keys in the last row.
"""

from collections.abc import Mapping
from typing import TypeVar

from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import OptionList

from dogent_tui.plain import one_line
from dogent_tui.tui.key_hints import KeyLine
from dogent_tui.tui.stylesheets import styles

Answer = TypeVar("Answer")

_MARK = "❯ "
"""Stands before the chosen row of a list."""


class DialogScreen(ModalScreen[Answer]):
    """A screen with one `Dialog`, over the one that stays visible behind it."""

    DEFAULT_CSS = styles("dialog.tcss")
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-medium"), (50, "-high")]


class Dialog(Vertical):
    """A window over a screen. Its children are the content; the keys below them are `keys`."""

    def __init__(
        self,
        title: str,
        keys: Mapping[str, str],
        *,
        about: str = "",
        id: str,  # noqa: A002
        classes: str = "",
    ) -> None:
        """Name it `title`, of what is in `about`; `keys` are Textual's names of keys and what each
        does, the next one first.

        `classes`: ``-wide`` for lists and pages, ``-tall`` where it is as high as the window
        allows, ``-warning``.
        """
        super().__init__(id=id, classes=classes)
        self.keys = KeyLine(keys)
        self.name_it(title, about)

    def name_it(self, title: str, about: str = "") -> None:
        """Write `title` into the upper edge, and what it belongs to behind it."""
        where = (f" · {one_line(about)}", "not bold $text-muted") if about else ""
        self.border_title = Content.assemble(
            one_line(title), where
        )  # no markup: a title may quote what others wrote

    def compose(self) -> ComposeResult:
        """Put the keys below the content."""
        yield self.keys


class ChoiceList(OptionList):
    """A list to choose from: the row under the cursor has a mark before it, so that it is found
    without colors.
    """

    DEFAULT_CSS = styles("choices.tcss")

    def _get_left_gutter_width(self) -> int:
        return len(_MARK)

    def render_line(self, y: int) -> Strip:
        """Draw a row with its mark."""
        line, at = super().render_line(y), self.scroll_offset.y + y
        option, row = self._lines[at] if at < len(self._lines) else (-1, 0)
        mark = _MARK if option == self.highlighted and row == 0 else " " * len(_MARK)
        style = [None, *(part.style for part in line)][-1]  # of the row, not of a mark of its own
        return Strip([Segment(mark, style), *line])
