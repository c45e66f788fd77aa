"""Where texts of the outline are typed: a title in its place, a note, one line below the
outline, and the raw Markdown.
"""

import re
from collections.abc import Callable
from typing import ClassVar, Literal

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import Input

from dogent_tui.language import tr
from dogent_tui.outline.blocks import fenced_lines
from dogent_tui.tui.prompt.citing_area import CitingArea
from dogent_tui.tui.prompt.literal import carry, release
from dogent_tui.tui.textual_fixes.immediate_keys import ImmediateKeys

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
"""What one line is asked for, and what may be typed there."""


class TitleInput(ImmediateKeys, Input):
    """A title, edited in its place. What ends it also does what the key does in the outline."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "leave('sibling')", tr("New heading below"), key_display="⏎"),
        Binding("escape", "leave('')", tr("Done"), key_display="Esc"),
        Binding("tab", "leave('in')", tr("Demote"), key_display="Tab"),
        Binding("shift+tab", "leave('out')", tr("Promote"), key_display="⇧Tab"),
        Binding("ctrl+j,ctrl+enter", "leave('child')", tr("Child"), key_display="^J"),
        Binding("alt+up", "leave('move_up')", tr("Move up"), key_display="Alt+↑"),
        Binding("alt+down", "leave('move_down')", tr("Move down"), key_display="Alt+↓"),
        Binding("ctrl+z", "leave('back')", tr("Revert"), key_display="^Z"),
        Binding("up", "leave('up')", tr("Up"), show=False),
        Binding("down", "leave('down')", tr("Down"), show=False),
    ]

    def __init__(self, leave: Callable[[str], None], id: str | None = None) -> None:  # noqa: A002
        """`leave` is called with what the key that ends the editing means; at once, so that what
        is typed next comes after it.
        """
        super().__init__(compact=True, select_on_focus=False, id=id)
        self._leave = leave

    def action_leave(self, then: str) -> None:
        """End, and have the screen do the rest."""
        self._leave(then)

    @property
    def typed(self) -> str:
        """The text, control characters as they were."""
        return release(self.value)

    def begin(self, text: str) -> None:
        """Show `text`, the cursor behind it."""
        self.value = carry(text)
        self.cursor_position = len(self.value)


class LineInput(ImmediateKeys, Input):
    """One line below the outline: what to find, a target length, a comment, the name of a file."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "screen.leave_line", tr("Back"), key_display="Esc"),
        Binding("up", "screen.find_next(-1)", tr("Previous match"), show=False),
        Binding("down", "screen.find_next(1)", tr("Next match"), show=False),
    ]


class NoteArea(CitingArea):
    """The note of a heading: what its section should say."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+s", "screen.keep_note", tr("Keep"), key_display="Esc")
    ]


class RawMarkdown(CitingArea):
    """The whole outline as Markdown, its headings, lists and code told apart."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"raw--heading", "raw--mark", "raw--code"}

    # The text area itself would have Esc go to the next widget, where Tab indents.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+t", "screen.raw", tr("Tree"), key_display="^T"),
        Binding("escape", "screen.leave", tr("Back"), key_display="Esc"),
    ]

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(
            id=id, soft_wrap=True, tab_behavior="indent", compact=True, highlight_cursor_line=False
        )
        self._code: frozenset[int] = frozenset()

    def tell_code(self) -> None:
        """Look again which lines lie between fences: what begins with ``#`` there is no heading."""
        code = frozenset(fenced_lines(self.document.lines))
        if code != self._code:
            self._code = code
            self.notify_style_update()  # the lines that were drawn are not what they were
            self.refresh()

    def get_line(self, line_index: int) -> Text:
        """Return the line to draw."""
        line = super().get_line(line_index)
        plain = line.plain
        if line_index in self._code or _FENCE.match(plain):
            line.stylize(self.get_component_rich_style("raw--code", partial=True))
        elif _HEADING.match(plain):
            line.stylize(self.get_component_rich_style("raw--heading", partial=True))
        elif plain.startswith("    ") and not _ITEM.match(plain):
            line.stylize(self.get_component_rich_style("raw--code", partial=True))
        elif item := _ITEM.match(plain):
            line.stylize(
                self.get_component_rich_style("raw--mark", partial=True), item.start(1), item.end(1)
            )
        return line
