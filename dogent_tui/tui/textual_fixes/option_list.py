"""A list whose keys may be pressed before it has a size.

In Textual 8.2, Page Up and Page Down then raise KeyError.
"""

from textual._widget_navigation import Direction
from textual.widgets import OptionList


class PagedList(OptionList):
    """An option list that has no pages until it has a size."""

    def _move_page(self, direction: Direction) -> None:
        if self.scrollable_content_region:
            super()._move_page(direction)
