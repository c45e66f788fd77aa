"""Widgets that draw lines of styled text in the current colors."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.geometry import Size
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from dogent_tui.tui.transcript.lines import BLANK, Line, Span
from dogent_tui.tui.transcript.palette import EMPTY_MARGIN, LOOKS, Palette, restyled
from dogent_tui.tui.transcript.text_selection import selected_text, span

if TYPE_CHECKING:
    _Widget = Widget
else:  # Textual takes the styles of the first base that is a widget, and these would hide others'
    _Widget = object


class Painted(_Widget):
    """A widget with a `palette` of its `looks`, the appearance of style names. Must precede the
    widget among the bases.
    """

    looks: ClassVar[Mapping[str, str]] = LOOKS
    _palette: Palette | None = None

    def notify_style_update(self) -> None:
        """Colors may have changed."""
        super().notify_style_update()
        self._palette = None

    @property
    def palette(self) -> Palette:
        """The current styles."""
        if self._palette is None:
            self._palette = Palette(self, self.looks)
        return self._palette

    def row(self, spans: Sequence[Span] = (), fill: str = "", less: int = 0) -> Strip:
        """Draw `spans` on a row without margins, on the background `fill`, leaving `less` cells at
        its end.
        """
        width = self.size.width
        return self.palette.strip(Line(tuple(spans), fill=fill), width - less, width, ())

    def scroll_over(self, size: Size) -> None:
        """Set the size of what is scrolled, if this is a scrolling widget; not through the reactive
        property, which would lay out the whole screen.
        """
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self._scroll_update(size)


class PaintedLines(Painted):
    """A widget that shows `lines`, whose text can be selected with the mouse."""

    lines: Sequence[Line] = ()

    def draw_line(self, number: int, content: int, margin: Span = EMPTY_MARGIN[0]) -> Strip:
        """Draw a line, if there is one with this number, in a column of `content` cells."""
        line = self.lines[number] if number < len(self.lines) else BLANK
        selection = self.text_selection
        if selection is not None and (selected := span(selection, number, line)):
            line = restyled(line, [(*selected, "selection")])
        strip = self.palette.strip(line, content, self.size.width, (margin,))
        return strip.apply_offsets(-len(margin.text), number)

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        """Return the selected text and what follows it."""
        return selected_text(selection, enumerate(self.lines)), "\n"
