"""What the document will look like around the cursor: only what can be seen is laid out."""

from functools import lru_cache

from textual.strip import Strip

from dogent_tui.outline.markdown import titles
from dogent_tui.outline.tree import OutlineTree
from dogent_tui.tui.painted import Painted
from dogent_tui.tui.transcript.lines import BLANK, Line
from dogent_tui.tui.transcript.markdown import markdown_lines
from dogent_tui.tui.transcript.palette import MARGIN

_LONGEST = 4_000
"""Characters of a section that are laid out."""


@lru_cache(400)
def _section(level: int, title: str, body: str, width: int) -> tuple[Line, ...]:
    text = f"{'#' * min(6, level)} {title}\n\n{body[:_LONGEST]}"
    return (*markdown_lines(text, width), BLANK)


class OutlinePreview(Painted):
    """Draws the outline of `tree` as text, the heading under the cursor at its upper third."""

    def __init__(self, tree: OutlineTree) -> None:
        super().__init__(id="outline-preview")
        self._tree = tree
        self._lines: list[tuple[Line, bool]] = []

    def on_resize(self) -> None:
        """Lay out for the new width."""
        self.show()

    def show(self) -> None:
        """Lay out what is around the cursor now."""
        width, height = self.size.width - 2 * MARGIN, self.size.height
        if not self.display or width < 8 or height < 1:
            return
        outline = self._tree.outline
        numbers = titles(outline)
        at = outline.place(self._tree.cursor) if self._tree.cursor is not None else 0

        def lines(place: int) -> list[tuple[Line, bool]]:
            heading = outline.headings[place]
            title = f"{numbers[place]}{heading.text}{heading.length}"
            section = _section(heading.level, title, heading.body, width)
            return [(line, place == at) for line in section]

        below: list[tuple[Line, bool]] = []
        for place in range(at, len(outline.headings)):
            below += lines(place)
            if len(below) >= height:
                break
        wanted = max(height // 3, height - len(below))
        above: list[tuple[Line, bool]] = []
        for place in range(at - 1, -1, -1):
            if len(above) >= wanted:
                break
            above = lines(place) + above
        self._lines = (above[-wanted:] if wanted else []) + below
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw a line; the section under the cursor has a bar before it."""
        if y >= len(self._lines):
            return self.row()
        line, is_here = self._lines[y]
        width = self.size.width
        return self.palette.strip(line, width - 2 * MARGIN, width, "▎" if is_here else "")
