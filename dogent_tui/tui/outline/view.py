"""The tree of headings: a widget that draws the visible rows and handles the keys that change the
outline.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from dogent_tui.language import tr
from dogent_tui.outline.markdown import titles
from dogent_tui.outline.model import Heading
from dogent_tui.outline.tree import OutlineTree
from dogent_tui.tui.outline.rows import (
    GUTTER,
    INDENT,
    LOOKS,
    RowLook,
    glyph_column,
    lowest_level,
    row_spans,
    title_column,
)
from dogent_tui.tui.painted import Painted, PaintedLines
from dogent_tui.tui.textual_fixes.fast_render import cached_lines
from dogent_tui.tui.transcript.lines import BLANK, Line, Span
from dogent_tui.tui.transcript.markdown import markdown_lines
from dogent_tui.tui.transcript.palette import EMPTY_MARGIN, MARGIN
from dogent_tui.tui.widgets import bound, hidden

if TYPE_CHECKING:
    from dogent_tui.outline.changes import Change

_KEPT_ROWS = 1_000
"""The number of drawn rows cached: about twenty screens."""

_NO_CHANGE = {
    "move": tr("It can't move further that way."),
    "in": tr(
        "It can't go deeper: it needs a heading before it to belong to, and Markdown has six"
        " levels."
    ),
    "out": tr("It is already at the top level."),
}


@dataclass(frozen=True)
class EditRequest:
    """A request to edit the title of the heading in place. `is_new`: it was just added for that,
    below the heading `origin`.
    """

    id: int
    is_new: bool = False
    origin: int | None = None


class OutlineView(Painted, ScrollView, can_focus=True):
    """Shows `model`. Posts `Moved` when the cursor moves, `Changed` when the outline changes, and
    `Refused` for impossible commands.

    `edit` starts editing a title.
    """

    BINDINGS = [
        bound("enter,f2", "edit", "Edit"),
        bound("ctrl+j,ctrl+enter", "add_child", "Child"),
        bound("tab", "shift(1)", "Demote"),
        bound("shift+tab", "shift(-1)", "Promote"),
        hidden("alt+up,K", "move(-1)", "Move up"),
        bound("alt+down,J", "move(1)", "Move", key_display="Alt+↑↓"),
        bound("space", "fold", "Fold"),
        bound("z", "fold_all", "Fold all"),
        bound("delete,backspace", "delete", "Delete"),
        bound("ctrl+d", "duplicate", "Duplicate"),
        hidden("up", "go(-1)", "Up"),
        hidden("down", "go(1)", "Down"),
        hidden("home", "go(-1000000)", "First"),
        hidden("end", "go(1000000)", "Last"),
        hidden("pageup", "page(-1)", "Page up"),
        hidden("pagedown", "page(1)", "Page down"),
        hidden("shift+up,V", "go(-1, True)", "Select up"),
        bound("shift+down,v", "go(1, True)", "Select", key_display="⇧↑↓"),
        hidden("shift+home", "go(-1000000, True)", "Select to the first"),
        hidden("shift+end", "go(1000000, True)", "Select to the last"),
        hidden("shift+pageup", "page(-1, True)", "Select a page up"),
        hidden("shift+pagedown", "page(1, True)", "Select a page down"),
        hidden("left", "left", "Fold, or to the parent"),
        hidden("right", "right", "Unfold, or to the first child"),
    ]

    class Moved(Message):
        """The cursor moved."""

    class Changed(Message):
        """The outline was changed."""

    @dataclass
    class Refused(Message):
        """A command was impossible, and why."""

        why: str

    looks = LOOKS

    def __init__(
        self,
        model: OutlineTree,
        edit: Callable[[EditRequest], None],
        words: Callable[[int], int],
    ) -> None:
        """Show `model`, with the `words` of each section if there are any."""
        super().__init__(id="outline-tree")
        self.edit = edit
        self._words = words
        self.is_fixed = False
        """Whether it is read-only and shows what is typed elsewhere. A click still goes to its
        heading.
        """
        self.model = model
        self.marks: Mapping[int, tuple[Change, ...]] = {}
        self.found = ""
        self._drawn = lru_cache(_KEPT_ROWS)(self._draw)
        self._numbers: list[str] = []
        self._numbered = -1
        self._base = 1
        self._pressed: int | None = None
        self._drop: tuple[int, int] | None = None

    # ── Drawing ───────────────────────────────────────────────────────────────────────────────────

    def on_resize(self) -> None:
        """Keep the cursor visible."""
        self.show_cursor()

    def show_cursor(self) -> None:
        """Draw the current state, with the cursor visible."""
        rows = len(self.model.rows)
        self.scroll_over(Size(self.size.width, rows))
        row, height = self.model.cursor_row, max(1, self.size.height)
        top = max(row - height + 1, min(round(self.scroll_y), row))
        top = max(0, min(top, rows - height))
        if top != round(self.scroll_y):
            self.scroll_target_y = self.scroll_y = top
        self.refresh()

    def _look(self) -> None:
        if self._numbered != self.model.outline.revision:
            self._numbered = self.model.outline.revision
            self._numbers = titles(self.model.outline)
            self._base = lowest_level(self.model.outline.headings)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the rows in `crop`."""
        self._look()
        self._chosen = self.model.selection
        return cached_lines(self, crop, self.render_line)

    def render_line(self, y: int) -> Strip:
        """Draw the row at visible line `y`."""
        row = round(self.scroll_y) + y
        if row >= len(self.model.rows):
            text = tr(" No headings yet. Enter adds one.") if row == 0 else ""
            return self.row([Span(text, "muted")])
        place = self.model.rows[row]
        heading = self.model.outline.headings[place]
        first, end = self._chosen
        is_selected = first <= place < end
        is_folded = heading.id in self.model.folded
        look = RowLook(
            heading.id == self.model.cursor,
            is_selected,
            is_folded,
            self.model.has_children(place),
            self.model.outline.end(place) - place - 1 if is_folded else 0,
            self.marks.get(heading.id, ()),
            self._numbers[place],
            self._base,
            self.found,
            self._words(place),
        )
        fill = "selected" if is_selected else ""
        if look.is_cursor:
            fill = "cursor" if self.has_focus else "idle"
        if self._drop is not None and row == self._drop[0] - 1:
            fill = f"{fill} drop".strip()
        return self._drawn(heading, look, fill, self.size.width, self.palette)

    def _draw(self, heading: Heading, look: RowLook, fill: str, width: int, _: object) -> Strip:
        """Draw a row. Cached by everything it depends on."""
        return self.row(row_spans(heading, look, width), fill)

    def title_region(self, id_: int) -> Region | None:
        """Return the position of the heading's title in the widget, None if it is not visible."""
        row = self.model.row(id_)
        if row is None:
            return None
        self._look()
        place = self.model.rows[row]
        left = title_column(
            self.model.outline.headings[place].level, self._numbers[place], self._base
        )
        left = min(left, max(0, self.size.width - 12))
        return Region(left, row - round(self.scroll_y), max(12, self.size.width - left), 1)

    # ── The cursor ────────────────────────────────────────────────────────────────────────────────

    def _moved(self) -> None:
        self.show_cursor()
        self.post_message(self.Moved())

    def action_go(self, step: int, selecting: bool = False) -> None:
        """Move by rows."""
        self.model.go(self.model.cursor_row + step, selecting=selecting)
        self._moved()

    def action_page(self, step: int, selecting: bool = False) -> None:
        """Move by a screen, less one row."""
        self.action_go(step * max(1, self.size.height - 1), selecting)

    def action_left(self) -> None:
        """Fold, or move to the parent."""
        self.model.left()
        self._moved()

    def action_right(self) -> None:
        """Unfold, or move to the first child."""
        self.model.right()
        self._moved()

    def action_fold(self) -> None:
        """Fold or unfold the heading under the cursor."""
        if self.model.cursor is not None:
            self.model.fold(self.model.cursor)
        self._moved()

    def action_fold_all(self) -> None:
        """Fold or unfold everything."""
        self.model.fold_all()
        self._moved()

    # ── Changes ───────────────────────────────────────────────────────────────────────────────────

    def _changed(self, done: bool, why_not: str = "") -> None:
        self.show_cursor()
        self.post_message(self.Changed() if done else self.Refused(why_not))

    def action_move(self, step: int) -> None:
        """Move the selection up or down."""
        self._changed(self.model.move(step), _NO_CHANGE["move"])

    def action_shift(self, step: int) -> None:
        """Demote or promote the selection."""
        self._changed(self.model.shift(step), _NO_CHANGE["in" if step > 0 else "out"])

    def action_delete(self) -> None:
        """Delete the selection."""
        self._changed(self.model.delete(), tr("Nothing to delete."))

    def action_duplicate(self) -> None:
        """Duplicate the selection."""
        self._changed(self.model.duplicate(), tr("Nothing to duplicate."))

    def action_edit(self) -> None:
        """Edit the title under the cursor, or add the first one."""
        if self.model.cursor is None:
            self.add(lambda: self.model.outline.add_sibling(None))
        else:
            self.edit(EditRequest(self.model.cursor))

    def action_add_child(self) -> None:
        """Add a heading below the one under the cursor."""
        cursor, outline = self.model.cursor, self.model.outline
        self.add(lambda: outline.add_sibling(None) if cursor is None else outline.add_child(cursor))

    def add(self, make: Callable[[], int | None]) -> None:
        """Let `make` add a heading, and edit its title."""
        origin = self.model.cursor
        added = make()
        if added is None:
            self._changed(False, _NO_CHANGE["in"])
            return
        self.model.show(added)
        self.show_cursor()
        self.edit(EditRequest(added, is_new=True, origin=origin))

    # ── The mouse ─────────────────────────────────────────────────────────────────────────────────

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Move the cursor here, or start dragging."""
        row = event.y + round(self.scroll_y)
        if event.button != 1 or row >= len(self.model.rows):
            return
        event.stop()
        if self.is_fixed:
            self.action_go(row - self.model.cursor_row)
            return
        first, end = self.model.selection
        if not (event.shift or first <= self.model.rows[row] < end):
            self.model.go(row)
            heading = self.model.outline.headings[self.model.rows[row]]
            if 0 <= event.x - glyph_column(heading.level, self._base) <= 1:
                self.model.fold(heading.id)
        elif event.shift:
            self.model.go(row, selecting=True)
        self._pressed = row
        self.capture_mouse()
        self._moved()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Show where the dragged headings would go."""
        if self._pressed is None:
            return
        event.stop()
        row = max(0, min(event.y + round(self.scroll_y), len(self.model.rows)))
        was = self._drop
        self._drop = None
        if row != self._pressed:
            level = self._base + max(0, event.x - GUTTER) // INDENT
            self._drop = (row if row < self._pressed else min(row + 1, len(self.model.rows)), level)
        if event.y < 0 or event.y >= self.size.height:
            self.scroll_relative(y=-1 if event.y < 0 else 1, animate=False)
        if self._drop != was:
            self.refresh()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Drop the dragged headings."""
        if self._pressed is None:
            return
        event.stop()
        self.release_mouse()
        pressed, drop = self._pressed, self._drop
        self._pressed = self._drop = None
        if drop is not None:
            self._changed(self.model.drop(*drop), _NO_CHANGE["move"])
        elif self.model.anchor is not None and not event.shift:
            self.model.go(pressed)
            self._moved()

    def on_click(self, event: events.Click) -> None:
        """Edit on a double click."""
        if event.chain == 2 and not self.is_fixed:
            event.stop()
            self.action_edit()


_LONGEST = 4_000
"""The number of characters of a section that are laid out."""


@lru_cache(400)
def _section(level: int, title: str, body: str, width: int) -> tuple[Line, ...]:
    text = f"{'#' * min(6, level)} {title}\n\n{body[:_LONGEST]}"
    return (*markdown_lines(text, width), BLANK)


class OutlinePreview(PaintedLines, Widget):
    """Draws the outline of `tree` as text, with the heading under the cursor in the upper third."""

    def __init__(self, tree: OutlineTree) -> None:
        super().__init__(id="outline-preview")
        self._tree = tree
        self._marked = range(0)

    def on_resize(self) -> None:
        """Lay out for the new width."""
        self.show()

    def show(self) -> None:
        """Lay out the surroundings of the cursor."""
        width, height = self.size.width - 2 * MARGIN, self.size.height
        if not self.display or width < 8 or height < 1:
            return
        outline = self._tree.outline
        numbers = titles(outline)
        at = outline.place(self._tree.cursor) if self._tree.cursor is not None else 0

        def sections(places: Iterable[int]) -> Iterator[tuple[Line, ...]]:
            for place in places:
                heading = outline.headings[place]
                title = f"{numbers[place]}{heading.text}{heading.length}"
                yield _section(heading.level, title, heading.body, width)

        below: list[Line] = []
        size = 0
        for section in sections(range(at, len(outline.headings))):
            below += section
            size = size or len(section)
            if len(below) >= height:
                break
        wanted = max(height // 3, height - len(below))
        above: list[Line] = []
        for section in sections(range(at - 1, -1, -1)):
            if len(above) >= wanted:
                break
            above[:0] = section
        above = above[-wanted:] if wanted else []
        self.lines = above + below
        self._marked = range(len(above), len(above) + size)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw a line; the section under the cursor is marked with a bar."""
        margin = Span("▎ ", "accent") if y in self._marked else EMPTY_MARGIN[0]
        return self.draw_line(y, self.size.width - 2 * MARGIN, margin)
