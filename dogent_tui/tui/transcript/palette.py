"""The colors of a transcript: style names become Rich styles of the current theme."""

import re
from collections.abc import Iterable, Mapping, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.style import Style as VisualStyle
from textual.widget import Widget

from dogent_tui.tui.transcript.lines import Line, Span, divided

MARGIN = 2
"""Margin in cells on either side."""
EMPTY_MARGIN = (Span(" " * MARGIN),)

LOOKS = {
    "muted": "auto 60%",
    "accent": "bold $text-primary",
    "strong": "bold",
    "emphasis": "italic",
    "strike": "strike",
    "summary": "$foreground",
    "tool": "bold $text-secondary",
    "thinking": "italic auto 60%",
    "output": "$foreground 85%",
    "heading1": "bold $text-primary",
    "heading2": "bold $text-primary",
    "heading3": "bold $text-secondary",
    "heading4": "bold italic",
    "link": "underline $text-accent",
    "rule": "$foreground 30%",
    "bullet": "$text-primary",
    "quote": "italic $foreground 75%",
    "quote-bar": "$secondary",
    "code": "$foreground",
    "code-inline": "$text-warning on $boost",
    "code-block": "on $surface",
    "code-gutter": "$foreground 25%",
    "code-keyword": "bold $text-accent",
    "code-name": "$text-primary",
    "code-string": "$text-success",
    "code-number": "$text-warning",
    "code-comment": "italic auto 60%",
    "user": "$foreground",
    "user-bar": "bold $primary",
    "user-block": "on $surface",
    "success": "$text-success",
    "warning": "$text-warning",
    "error": "$text-error",
    "added": "$text-success on $success 10%",
    "removed": "$text-error on $error 10%",
    "match": "underline auto 87% on $warning 40%",
    "match-current": "bold underline auto 87% on $warning",
    "behind": "bold auto 87% on $primary",
}
"""The appearance of each style name, in Textual's notation for styles and in colors of the theme.

``auto 60%`` and ``auto 87%`` are what ``$text-muted`` and ``$text`` stand for: Textual drops the
part after a variable's name. This is not a stylesheet, because component classes would all be
matched and parsed again on every change of theme, a fifth of its time.
"""

_SHADES = ("$surface", "$boost", "$background")
"""Backgrounds that only set something apart from its surroundings."""
_DIM_BELOW = 70
"""Opacity in percent from which text does not count as muted."""


class Palette:
    """The current styles of `widget`."""

    def __init__(self, widget: Widget, looks: Mapping[str, str] = LOOKS) -> None:
        """Compute `looks` (style name → appearance) on the background of `widget`."""
        self.base = widget.rich_style
        self.selection = widget.screen.get_component_rich_style("screen--selection")
        beneath, parse = widget.visual_style, widget.app.stylesheet.parse_style
        if widget.app.current_theme.ansi:
            looks = {name: _in_attributes(look) for name, look in looks.items()}
        self.styles = {name: _partial(beneath, parse(look)) for name, look in looks.items()}
        self.styles["selection"] = _selected(self.base, self.selection)
        self._combined: dict[tuple[str, str, str], Style] = {}

    def style(self, names: str, link: str = "", fill: str = "") -> Style:
        """Return the style of `names`, each over the previous ones, on the background `fill`."""
        key = (names, link, fill)
        style = self._combined.get(key)
        if style is None:
            style = self.base
            for name in f"{fill} {names}".split():
                style += self.styles[name]
            if link:
                style += Style(link=link)
                if len(self._combined) > 2_000:
                    self._combined.clear()
            self._combined[key] = style
        return style

    def strip(
        self, line: Line, content: int, width: int, margin: Sequence[Span] = EMPTY_MARGIN
    ) -> Strip:
        """Draw `line` in a column of `content` cells within `width`, preceded by `margin`."""
        segments = [Segment(span.text, self.style(span.style)) for span in margin]
        segments += [
            Segment(span.text, self.style(span.style, span.link, line.fill))
            for span in line.spans
            if span.text
        ]
        missing = content - line.width
        if line.fill and missing > 0:
            segments.append(Segment(" " * missing, self.style("", fill=line.fill)))
        return Strip(segments).adjust_cell_length(width, self.base)


def _in_attributes(look: str) -> str:
    """Return `look` for the terminal's own colors, which are unknown here and cannot be blended.

    A tint would be its full color behind text of the same color: colored text has no tint, other
    text is reversed. Muted text is dim.
    """
    ink, on, paper = look.partition("on ")
    faint = re.search(r"(?:auto|\$foreground) (\d+)%", ink)
    ink = re.sub(r"auto \d+%", "", ink)
    if on and not paper.startswith(_SHADES) and "$" not in ink:
        return f"{ink} reverse"
    return f"{ink} dim" if faint and int(faint[1]) < _DIM_BELOW else ink


def restyled(line: Line, marks: Iterable[tuple[int, int, str]]) -> Line:
    """Return `line` with additional style names on some characters: `marks` are (start, end,
    names), end exclusive.
    """
    spans = line.spans
    for start, end, names in marks:
        before, marked, after = divided(spans, (start, end))
        styled = [span._replace(style=f"{span.style} {names}".strip()) for span in marked]
        spans = (*before, *styled, *after)
    return line._replace(spans=spans)


def _selected(text: Style, selection: Style) -> Style:
    """Return the style of selected text: `text` on the background of `selection`, since themes
    define no foreground for it.
    """
    if any(each is None or each.triplet is None for each in (text.color, selection.bgcolor)):
        return Style(reverse=True)  # the terminal's own colors
    return Style(color=text.color, bgcolor=selection.bgcolor)


def _partial(beneath: VisualStyle, look: VisualStyle) -> Style:
    """What `look` itself sets, with its colors blended into those below."""
    whole = (beneath + look).rich_style
    return Style(
        color=whole.color if look.foreground is not None or look.auto_color else None,
        bgcolor=whole.bgcolor if look.background is not None else None,
        bold=look.bold,
        dim=look.dim,
        reverse=look.reverse,
        italic=look.italic,
        underline=look.underline,
        strike=look.strike,
    )
