"""The colors of a transcript: style names become Rich styles of the present theme."""

from collections.abc import Iterable, Mapping

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from dogent_tui.tui.transcript.lines import Line, Span

MARGIN = 2
"""Cells left free at either side."""

_PREFIX = "transcript--"

NAMES = (
    "muted", "accent", "strong", "emphasis", "strike", "summary", "tool", "thinking", "output",
    "heading1", "heading2", "heading3", "heading4", "link", "rule", "bullet", "quote", "quote-bar",
    "code", "code-inline", "code-block", "code-gutter",
    "code-keyword", "code-name", "code-string", "code-number", "code-comment",
    "user", "user-bar", "user-block", "success", "warning", "error", "added", "removed",
    "match", "match-current", "behind",
)  # fmt: skip
"""Every style name that lines use. The stylesheet gives each its look, as ``transcript--NAME``."""


def component_classes(names: Iterable[str]) -> set[str]:
    """Return the component classes that give `names` their look."""
    return {_PREFIX + name for name in names}


COMPONENT_CLASSES = frozenset(component_classes(NAMES))


class Palette:
    """The styles of `widget` as they are now."""

    def __init__(self, widget: Widget, names: Iterable[str] = NAMES) -> None:
        """Look up `names`; the widget must declare the component class of each."""
        self.base = widget.rich_style
        self.selection = widget.screen.get_component_rich_style("screen--selection")
        self.styles = {name: _partial(widget, _PREFIX + name) for name in names}
        self.styles["selection"] = Style(color=self.selection.color, bgcolor=self.selection.bgcolor)
        self._combined: dict[tuple[str, str, str], Style] = {}

    def same_as(self, other: "Palette | None") -> bool:
        """Say whether lines drawn with `other` look the same."""
        return other is not None and (self.base, self.selection, self.styles) == (other.base, other.selection, other.styles)

    def style(self, names: str, link: str = "", fill: str = "") -> Style:
        """Return the style of `names`, each over the ones before, on the background `fill`."""
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

    def strip(self, line: Line, content: int, width: int, marker: str = "") -> Strip:
        """Draw `line` in a column of `content` cells within `width`, with a margin, which holds `marker` if any."""
        segments = [Segment(marker.ljust(MARGIN), self.style("accent")) if marker else Segment(" " * MARGIN, self.base)]
        segments += [Segment(span.text, self.style(span.style, span.link, line.fill)) for span in line.spans if span.text]
        missing = content - line.width
        if line.fill and missing > 0:
            segments.append(Segment(" " * missing, self.style("", fill=line.fill)))
        return Strip(segments).adjust_cell_length(width, self.base)


def restyled(line: Line, marks: Iterable[tuple[int, int, str]]) -> Line:
    """Return `line` with more style names on some of its characters: `marks` are (start, end, names), end exclusive."""
    spans = list(line.spans)
    for start, end, names in marks:
        spans = list(_marked(spans, start, end, names))
    return line._replace(spans=tuple(spans))


def _marked(spans: Iterable[Span], start: int, end: int, names: str) -> Iterable[Span]:
    position = 0
    for span in spans:
        size = len(span.text)
        before, after = max(0, min(size, start - position)), max(0, min(size, end - position))
        position += size
        if before >= after:
            yield span
            continue
        style = f"{span.style} {names}".strip()
        parts = ((span.text[:before], span.style), (span.text[before:after], style), (span.text[after:], span.style))
        yield from (Span(text, style_, span.link) for text, style_ in parts if text)


def _partial(widget: Widget, component: str) -> Style:
    """What the component class says itself, colors blended with what lies beneath."""
    styles = widget.get_component_styles(component)
    whole = widget.get_component_rich_style(component)
    has: Mapping[str, bool] = {name: styles.has_rule(name) for name in ("color", "auto_color", "background")}
    colors = Style(
        color=whole.color if has["color"] or has["auto_color"] else None, bgcolor=whole.bgcolor if has["background"] else None
    )
    return colors + styles.text_style
