"""A text area whose control characters are shown rather than executed."""

from rich.text import Text
from textual.geometry import Offset
from textual.widgets import TextArea

from dogent_tui.tui.prompt.literal import pictures, release


class LiteralArea(TextArea):
    """A `TextArea` for external text. Everything loaded or inserted must have passed through
    `literal.carry`.
    """

    def get_line(self, line_index: int) -> Text:
        """Return the line to draw, with a picture for each control character."""
        return Text(pictures(self.document.get_line(line_index)), end="", no_wrap=True)

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
