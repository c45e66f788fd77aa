"""The text inputs of the outline: a title in place, a note, one line below the outline, and the raw
Markdown.
"""

import asyncio
import re
from collections.abc import Callable
from typing import Literal

from rich.text import Text
from textual import on, work

from dogent_tui.language import tr
from dogent_tui.outline.blocks import fenced_lines
from dogent_tui.outline.edit_session import OutlineEditing
from dogent_tui.outline.model import Outline, RawEdit
from dogent_tui.tui.outline.view import EditRequest, OutlineView
from dogent_tui.tui.prompt.citing_area import CitingArea
from dogent_tui.tui.prompt.debounce import Debounce
from dogent_tui.tui.text_line import TextLine
from dogent_tui.tui.widgets import bound, hidden

FOLLOW_DELAY_S = 0.12
"""Seconds from a key until tree and preview follow, also while the user keeps typing."""
_QUICK_CHARACTERS = 20_000
"""Length parsed at once, in a few milliseconds; longer text is parsed in a thread."""

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_ITEM = re.compile(
    r"\s*([-*+•]|\d+(?:\.\d+)*[.)、]?|[一二三四五六七八九十]+、|[（(][一二三四五六七八九十\d]+[)）])\s"
)

Asked = Literal["find", "length", "comment", "save"]

QUESTIONS: dict[Asked, tuple[str, str]] = {
    "find": (tr("Find"), tr("words of a title or note · ↑ ↓ other matches · Esc back")),
    "length": (tr("Target length"), tr("300, 300 words, 2 pages, 500字; leave empty for none")),
    "comment": (tr("Comment"), tr("what the agent should know · Enter sends it with the outline")),
    "save": (tr("Save as"), tr("a new file in the workspace, such as outline.md")),
}
"""The purpose of a one-line input, and what may be typed there."""


class TitleInput(TextLine):
    """A title, edited in its place. What ends it also does what the key does in the outline."""

    BINDINGS = [
        bound("enter", "leave('sibling')", "New heading below"),
        bound("escape", "leave('')", "Done"),
        bound("tab", "leave('in')", "Demote"),
        bound("shift+tab", "leave('out')", "Promote"),
        bound("ctrl+j,ctrl+enter", "leave('child')", "Child"),
        bound("alt+up", "leave('move_up')", "Move up"),
        bound("alt+down", "leave('move_down')", "Move down"),
        bound("ctrl+z", "leave('back')", "Revert"),
        hidden("up", "leave('up')", "Up"),
        hidden("down", "leave('down')", "Down"),
    ]

    def __init__(
        self, editing: OutlineEditing, view: OutlineView, changed: Callable[[], None]
    ) -> None:
        """Cover the row of `view` whose title is being edited. `changed` is called when editing
        ends.
        """
        super().__init__(select_on_focus=False)
        self._editing = editing
        self._view = view
        self._outline_changed = changed
        self._request: EditRequest | None = None

    @property
    def is_on(self) -> bool:
        """Whether a title is being edited."""
        return self._request is not None

    def begin(self, request: EditRequest) -> None:
        """Edit the title, with the cursor at its end."""
        self._request = request
        self.value = self._editing.outline.get(request.id).text
        self.cursor_position = len(self.value)
        self.display = True
        self.place()
        self.screen.set_focus(self)

    def apply(self, outline: Outline) -> None:
        """Set the title in `outline` as typed so far. A new heading without one is deleted."""
        if self._request is not None and (self.value.strip() or not self._request.is_new):
            outline.rename(self._request.id, self.value)
        elif self._request is not None:
            outline.delete([self._request.id])

    def place(self) -> None:
        """Move to the position of the title."""
        region = self._view.title_region(self._request.id) if self._request else None
        if region is not None:
            self.styles.offset = (region.x, region.y)
            self.styles.width = region.width

    def action_leave(self, then: str) -> None:
        """Apply the title and run the key's command in the outline immediately, so that subsequent
        typing follows it. A new heading left empty is removed.
        """
        request, self._request = self._request, None
        if request is None:
            return
        self.screen.set_focus(self._view)
        self.display = False
        outline, tree, typed = self._editing.outline, self._editing.tree, self.value
        if request.is_new and (not typed.strip() or then == "back"):
            is_here = tree.cursor == request.id  # not after a click elsewhere
            outline.forget_last()
            if is_here:
                tree.show(request.origin)
            self._outline_changed()
            return
        if then != "back":
            outline.rename(request.id, typed, joined=request.is_new)
        self._outline_changed()
        view = self._view
        match then:
            case "sibling":
                view.add(lambda: outline.add_sibling(request.id))
            case "child":
                view.add(lambda: outline.add_child(request.id))
            case "in" | "out":
                view.action_shift(1 if then == "in" else -1)
                view.edit(EditRequest(request.id))
            case "move_up" | "move_down":
                view.action_move(1 if then == "move_down" else -1)
                view.edit(EditRequest(request.id))
            case "up" | "down":
                view.action_go(1 if then == "down" else -1)


class LineInput(TextLine):
    """One line below the outline: a search, a target length, a comment, a file name."""

    BINDINGS = [
        bound("escape", "screen.leave_line", "Back"),
        hidden("up", "screen.find_next(-1)", "Previous match"),
        hidden("down", "screen.find_next(1)", "Next match"),
    ]


class NoteArea(CitingArea):
    """The note of a heading: what its section should say."""

    BINDINGS = [bound("escape,ctrl+s", "screen.keep_note", "Keep")]


class RawMarkdown(CitingArea):
    """The whole outline as Markdown, with headings, lists and code highlighted. `editing` follows
    what is typed; `followed` is called afterwards.
    """

    COMPONENT_CLASSES = {"raw--heading", "raw--mark", "raw--code"}

    BINDINGS = [
        bound("ctrl+t", "screen.raw", "Tree"),
        bound("escape", "screen.leave", "Back"),
    ]

    def __init__(self, editing: OutlineEditing, followed: Callable[[], None]) -> None:
        super().__init__(id="outline-raw", tab_behavior="indent", highlight_cursor_line=False)
        self._editing = editing
        self._followed = followed
        self._edit: RawEdit | None = None
        self._soon = Debounce(self, FOLLOW_DELAY_S, self._follow, most=FOLLOW_DELAY_S)
        self._turn = asyncio.Lock()
        self._code: frozenset[int] = frozenset()

    # ── What is typed ─────────────────────────────────────────────────────────────────────────

    def begin(self) -> None:
        """Show the text of the outline, with the cursor on the heading selected in the tree."""
        self.load_text(self._editing.markdown)
        self._edit = RawEdit(self._editing.outline, self.raw)
        self.tell_code()
        self.go_to_heading()

    def go_to_heading(self) -> None:
        """Go to the heading under the cursor of the tree."""
        self.move_cursor((self._editing.line_of_cursor(), 0), center=True)

    def settle(self) -> None:
        """Apply what has been typed, now."""
        if self._edit is not None:
            self._edit.take(self.raw)

    def end(self) -> None:
        """Apply what has been typed, and move the cursor of the tree to the corresponding
        heading.
        """
        self.settle()
        self._editing.go_to_line(self.cursor_location[0])
        self._edit = None

    @on(CitingArea.Changed)
    @on(CitingArea.SelectionChanged)
    def _touched(self) -> None:
        """The text or the cursor changed: update the tree soon."""
        if self._edit is not None:
            self._soon.poke()

    @work
    async def _follow(self) -> None:
        async with self._turn:
            edit, text = self._edit, self.raw
            if edit is None:
                return
            if text != edit.text:
                read = self._editing.outline.read
                is_short = len(text) < _QUICK_CHARACTERS
                outline = read(text) if is_short else await asyncio.to_thread(read, text)
                if edit is not self._edit:  # the user has left
                    return
                edit.take(text, outline)
                self.tell_code()
            self._editing.go_to_line(self.cursor_location[0])
            self._followed()

    # ── What is drawn ─────────────────────────────────────────────────────────────────────────

    def tell_code(self) -> None:
        """Update which lines are inside code fences: ``#`` starts no heading there."""
        code = frozenset(fenced_lines(self.document.lines))
        if code != self._code:
            self._code = code
            self.notify_style_update()  # the cached lines are outdated
            self.refresh()

    def get_line(self, line_index: int) -> Text:
        """Return the line to draw."""
        line = super().get_line(line_index)
        plain, item = line.plain, _ITEM.match(line.plain)
        if line_index in self._code or _FENCE.match(plain):
            look = "raw--code"
        elif _HEADING.match(plain):
            look = "raw--heading"
        elif item is None:
            look = "raw--code" if plain.startswith("    ") else ""
        else:
            mark = self.get_component_rich_style("raw--mark", partial=True)
            line.stylize(mark, item.start(1), item.end(1))
            return line
        if look:
            line.stylize(self.get_component_rich_style(look, partial=True))
        return line
