"""Fast path for `Widget.render_lines` when the widget has no border or padding: return the
cached strips.
"""

from collections.abc import Callable

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


def cached_lines(widget: Widget, crop: Region, line: Callable[[int], Strip]) -> list[Strip]:
    """Return what `Widget.render_lines` would for `crop`; `line` draws a visible line as wide as
    the widget.
    """
    background, filters, width = (
        widget.background_colors[1],
        widget.get_line_filters(),
        widget.size.width,
    )
    strips = []
    for y in crop.line_range:
        strip = line(y)
        if crop.column_span != (0, width):
            strip = strip.crop(*crop.column_span)
        for line_filter in filters:
            strip = strip.apply_filter(line_filter, background)
        strips.append(strip)
    return strips
