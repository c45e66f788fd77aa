"""Turns lines into strips: colors, the selection, search marks and the cursor."""

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.cache import LRUCache
from textual.strip import Strip

from dogent_tui.language import tr
from dogent_tui.tui.transcript import text_selection
from dogent_tui.tui.transcript.layout import Layout
from dogent_tui.tui.transcript.lines import BLANK, Line, Span, crop
from dogent_tui.tui.transcript.matches import Matches
from dogent_tui.tui.transcript.palette import EMPTY_MARGIN, MARGIN, restyled
from dogent_tui.tui.transcript.rows import Place

if TYPE_CHECKING:
    from textual.selection import Selection

    from dogent_tui.tui.painted import Painted

_KEPT_STRIPS = 600
"""The number of strips cached, by content: about ten screens. Each includes what is sent to the
terminal, which saves a third of the time while a reply streams.
"""

_CURSOR = (Span("❯ ", "accent"),)
_BEHIND = tr(" ↓ new text · End ")


class Painter:
    """Draws the lines of `layout`, with their `matches`, for `widget`."""

    def __init__(self, widget: "Painted", layout: Layout, matches: Matches) -> None:
        self.cursor: int | None = None
        self.selection: Selection | None = None
        self._widget = widget
        self._layout = layout
        self._matches = matches
        self._strips: LRUCache[object, Strip] = LRUCache(_KEPT_STRIPS)

    def strip(self, place: Place | None, width: int) -> Strip:
        """Draw the line at `place`, or an empty one, at `width` cells."""
        if place is None:
            return self._drawn(BLANK, width)
        lines = self._layout.lines(place.row)
        line = lines[place.line] if place.line < len(lines) else BLANK
        line = self._matches.marked(place, line)
        if self.selection and (selected := text_selection.span(self.selection, place, line)):
            line = restyled(line, [(*selected, "selection")])
        if self.cursor == place.row.entry and self._widget.has_focus and self.on_head(place):
            return self._drawn(line, width, _CURSOR)
        return self._drawn(line, width)

    def behind(self, width: int) -> Strip:
        """Draw the line that announces new content below."""
        before = max(0, (width - cell_len(_BEHIND)) // 2 - MARGIN)
        line = Line((Span(" " * before), *crop([Span(_BEHIND, "behind")], width)))
        return self._drawn(line, width)

    def on_head(self, place: Place) -> bool:
        """Return whether `place` is the line that folds a card."""
        return place.row.part == 0 and place.line == self._layout.space_above(place.row)

    def _drawn(self, line: Line, width: int, margin: tuple[Span, ...] = EMPTY_MARGIN) -> Strip:
        palette, content = self._widget.palette, self._layout.width
        key = (palette, line, content, width, margin)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = palette.strip(line, content, width, margin)
        return strip
