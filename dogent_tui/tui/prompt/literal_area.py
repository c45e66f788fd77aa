"""A text area whose control characters are seen, not obeyed."""

from rich.text import Text
from textual.widgets import TextArea

from dogent_tui.tui.prompt.literal import pictures, release


class LiteralArea(TextArea):
    """A `TextArea` for text from outside. What is loaded or inserted must have gone through `literal.carry`."""

    def get_line(self, line_index: int) -> Text:
        """Return the line to draw, with a picture for each control character."""
        return Text(pictures(self.document.get_line(line_index)), end="", no_wrap=True)

    @property
    def selected_text(self) -> str:
        """The selected text, control characters as they were."""
        return release(super().selected_text)
