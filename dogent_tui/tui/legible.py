"""Ensures readable contrast: a foreground too close to its background is moved away from it, in
every theme and state.

No theme defines how each of its colors looks on every other, and a selection, a toast or a disabled
widget combines them. Therefore the contrast of what is drawn is corrected, rather than each pair
being chosen.
"""

from functools import lru_cache

from rich.color import Color as RichColor
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

TEXT, SHAPES, HIGH = 4.5, 3.0, 7.0
"""The minimum contrast of text, of lines and symbols, and of text in high-contrast themes: WCAG
2.2, 1.4.3, 1.4.11 and 1.4.6.
"""

_WHITE, _BLACK = ColorTriplet(255, 255, 255), ColorTriplet(0, 0, 0)
_HALVINGS = 8
"""Steps of a binary search over the 8 bits of a channel."""


def is_text(drawn: str) -> bool:
    """Whether `drawn` contains more than spaces, lines and blocks (U+2500 to U+259F)."""
    return any(
        not (character.isspace() or "\u2500" <= character <= "\u259f") for character in drawn
    )


def luminance(color: ColorTriplet) -> float:
    """Return the relative luminance of `color`, 0 to 1, as defined by WCAG 2.2."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in color.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: ColorTriplet, other: ColorTriplet) -> float:
    """Return the contrast of two colors, 1 to 21, as defined by WCAG 2.2."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@lru_cache(4096)
def legible(ink: ColorTriplet, ground: ColorTriplet, least: float = TEXT) -> ColorTriplet:
    """Return `ink`, moved towards white or black just enough for a contrast of `least` with
    `ground`.
    """
    if contrast(ink, ground) >= least:
        return ink
    lighter = luminance(ink) > luminance(ground)
    ends = (_WHITE, _BLACK) if lighter else (_BLACK, _WHITE)
    end = next(
        (end for end in ends if contrast(end, ground) >= least),
        max(ends, key=lambda end: contrast(end, ground)),
    )
    near, far = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        near, far = (
            (near, middle) if contrast(_mixed(ink, end, middle), ground) >= least else (middle, far)
        )
    return _mixed(ink, end, far)


def _mixed(one: ColorTriplet, other: ColorTriplet, share: float) -> ColorTriplet:
    return ColorTriplet(*(round(a + (b - a) * share) for a, b in zip(one, other, strict=True)))


class Legible(LineFilter):
    """Corrects the contrast of all segments, except where the colors are the terminal's own and
    therefore unknown.
    """

    def __init__(self, text: float = TEXT) -> None:
        """Give text a contrast of at least `text`."""
        super().__init__()
        self._text = text

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return `segments` with readable foregrounds. `background` is behind segments that define
        none.
        """
        return [
            segment
            if segment.style is None or not segment.text.strip()
            else Segment(
                segment.text,
                _readable(segment.style, background, self._least(segment.text)),
                segment.control,
            )
            for segment in segments
        ]

    def _least(self, drawn: str) -> float:
        if is_text(drawn):
            return self._text
        # A block character is a painted part of a cell rather than text: the edge of a frame may be
        # faint.
        return SHAPES if any("\u2500" <= character < "\u2580" for character in drawn) else 1.0


@lru_cache(4096)
def _readable(style: Style, background: Color, least: float) -> Style:
    color, behind = style.color, style.bgcolor
    if color is None or color.triplet is None or (behind is not None and behind.triplet is None):
        return style
    ground = (
        behind.triplet
        if behind is not None and behind.triplet is not None
        else ColorTriplet(*background.rgb)
    )
    ink = color.triplet
    if style.reverse:
        better = legible(ground, ink, least)
        return style if better == ground else style + Style(bgcolor=RichColor.from_triplet(better))
    if ink == ground and least == SHAPES:  # a line meant to be invisible
        return style
    better = legible(ink, ground, least)
    return style if better == ink else style + Style(color=RichColor.from_triplet(better))
