"""A screen without colors, for NO_COLOR: bold, dim, underline and reverse replace them.

Textual 8.2 turns colors into grays instead, which are colors to a terminal (https://no-color.org
asks for none).
"""

from functools import lru_cache

from rich.color import Color as RichColor
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from dogent_tui.tui.legible import TEXT, contrast

_MARKED = 22
"""The difference (0–255, in one channel) from the surroundings that makes a background a mark, such
as a selection, rather than a shade.
"""


class Colorless(LineFilter):
    """Removes the colors of all segments."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return `segments` with attributes only. `background` is the color around them."""
        return [
            Segment(text, style if style is None else _without_colors(style, background), control)
            for text, style, control in segments
        ]


@lru_cache(2048)
def _without_colors(style: Style, background: Color) -> Style:
    own = _color(style.bgcolor) or background
    text = _color(style.color)
    said = Style(meta=style.meta) if style.meta else Style()
    if not style.reverse and _apart(own, background) > _MARKED:
        said += Style(reverse=True)
    elif text is not None and not style.reverse and not style.bold and _faint(text, own):
        said += Style(dim=True)
    return style.without_color + said


def _color(color: RichColor | None) -> Color | None:
    return None if color is None or color.is_default else Color.from_rich_color(color)


def _faint(text: Color, behind: Color) -> bool:
    return contrast(ColorTriplet(*text.rgb), ColorTriplet(*behind.rgb)) < TEXT


def _apart(one: Color, other: Color) -> int:
    return max(abs(a - b) for a, b in zip(one.rgb, other.rgb, strict=True))
