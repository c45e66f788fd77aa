"""A text area whose control characters are shown rather than executed."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from rich.containers import Lines
from rich.text import Span, Text
from textual.document._document import EditResult
from textual.document._edit import Edit
from textual.geometry import Offset
from textual.widgets import TextArea

from dogent_tui.tui.prompt.literal import carry, pictures, release


class _Line(Text):
    """A line of a text area. Textual 8.2 divides it again for each row that is drawn of it: with a
    picture embedded in a document, each key took seconds.
    """

    def divide(self, offsets: Iterable[int]) -> Lines:
        """Return its rows."""
        return _divided(self.plain, tuple(self.spans), tuple(offsets))


@lru_cache(maxsize=8)
def _divided(text: str, spans: tuple[Span, ...], offsets: tuple[int, ...]) -> Lines:
    return Text(text, spans=[*spans]).divide(offsets)


_drawn = lru_cache(maxsize=64)(pictures)


class LiteralArea(TextArea):
    """A `TextArea` for any text, however it arrives: control characters are carried inside (see
    `literal`), and restored in what `raw` returns.
    """

    def __init__(self, text: str = "", **options: Any) -> None:
        super().__init__(carry(text), compact=True, **options)
        self.cursor_blink = False
        self.match_cursor_bracket = False  # it would search the whole text on each key

    @property
    def raw(self) -> str:
        """The text with its original control characters."""
        return release(self.text)

    def load_text(self, text: str) -> None:
        """Show `text`, without a way to undo that."""
        super().load_text(carry(text))

    def edit(self, edit: Edit) -> EditResult:
        """Perform `edit`."""
        edit.text = carry(edit.text)
        return super().edit(edit)

    def get_line(self, line_index: int) -> Text:
        """Return the line to draw, with a picture for each control character."""
        return _Line(_drawn(self.document.get_line(line_index)), end="", no_wrap=True)

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Scroll to the cursor once it is inside the text.

        Undo removes text first and moves the cursor afterwards. If a scrollbar disappears in
        between, Textual 8.2 looks for the cursor in a line that no longer exists, and ends the
        application.
        """
        if self.cursor_location > self.document.end:
            return Offset(0, 0)
        return super().scroll_cursor_visible(center, animate)

    @property
    def selected_text(self) -> str:
        """The selected text with its original control characters."""
        return release(super().selected_text)
