"""A list of settings: a name, what it is, and whether that was changed; below it what the chosen
one means.
"""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from rich.cells import cell_len, set_cell_size
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets.option_list import Option

from dogent_tui.language import tr
from dogent_tui.plain import one_line, revealed
from dogent_tui.tui.dialog import ChoiceList

_LABEL_CELLS = 29
_LEAST_VALUE_CELLS = 12
"""What a value gets where the screen is too narrow for both."""
_CHANGED = "● "


class Row(msgspec.Struct, frozen=True):
    """A line of the list. `id` tells the screen what it is, "" a heading; `about` is what it means,
    and `place` where it is kept.

    `is_set`: somebody chose it; else it is what holds without that.
    """

    id: str
    label: str
    value: str = ""
    about: str = ""
    place: str = ""
    changed: bool = False
    strong: bool = False
    is_set: bool = True


class RowList(ChoiceList[Row]):
    """Shows rows, and says which one is under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", tr("Change"), key_display="⏎")
    ]

    class Moved(Message):
        """Another row is under the cursor."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._label_cells = _LABEL_CELLS

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show `rows`, with the cursor where it was."""
        at = min(self.highlighted or 0, len(rows) - 1)
        at += bool(rows and not rows[at].id)
        drawn = (Option(_drawn(row, self._label_cells), disabled=not row.id) for row in rows)
        self.show(rows, drawn, at)
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        """Give the labels less room where the values would have none."""
        fitting = min(_LABEL_CELLS, max(_LEAST_VALUE_CELLS, self.size.width - _LEAST_VALUE_CELLS))
        if fitting != self._label_cells:
            self._label_cells = fitting
            self.show_rows(self.items)

    def go_to(self, row_id: str) -> None:
        """Put the cursor on a row."""
        at = next((at for at, row in enumerate(self.items) if row.id == row_id), None)
        if at is not None:
            self.highlighted = at

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Say so."""
        super().watch_highlighted(highlighted)
        self.post_message(self.Moved())


class Sections(Widget, can_focus=False):
    """The names of the sections on a line, the open one marked. A click opens one."""

    class Picked(Message):
        """A section was clicked."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"sections--open", "sections--other"}

    def __init__(self, names: Sequence[str], *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._names = names
        self._open = 0

    def show(self, number: int) -> None:
        """Mark a section as the open one."""
        self._open = number
        self.refresh()

    def render(self) -> Content:
        """Draw the names."""
        here, other = (
            self.get_visual_style(f"sections--{part}", partial=True) for part in ("open", "other")
        )
        words = (
            (f" {name} ", here if number == self._open else other)
            for number, name in enumerate(self._names)
        )
        return Content(" ").join(Content.assemble(word) for word in words)

    def on_click(self, event: events.Click) -> None:
        """Open the section under the mouse."""
        start = 0
        x = event.get_content_offset_capture(self).x
        for number, name in enumerate(self._names):
            end = start + cell_len(name) + 2
            if start <= x < end:
                self.post_message(self.Picked(number))
            start = end + 1


def _drawn(row: Row, label_cells: int) -> Content:
    if not row.id:
        return Content.styled(row.label, "bold $accent")
    label = set_cell_size(one_line(revealed(row.label)), label_cells)
    value = one_line(revealed(row.value))
    mark = (_CHANGED if row.changed else "  ", "$text-warning")
    style = "bold" if row.strong else ""
    return Content.assemble(mark, (label, style), " ", (value, "" if row.is_set else "dim"))
