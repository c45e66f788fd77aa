"""A text area in which long texts fold into placeholders that move and delete as one."""

from typing import Any

from textual.document._document import EditResult, Location, Selection
from textual.document._edit import Edit

from dogent_tui.plain import newlines
from dogent_tui.tui.prompt.model import PastedTexts, Placeholder, can_show
from dogent_tui.tui.textual_fixes.literal_area import LiteralArea

_HEAD = 400
"""The number of characters at the beginning of a folded text that stay unfolded."""


class FoldingArea(LiteralArea):
    """A `LiteralArea` that keeps long texts in `pasted` and shows their placeholders."""

    def __init__(self, **options: Any) -> None:
        """Take the `options` of a `TextArea`."""
        self.pasted = PastedTexts()
        super().__init__(**options)

    @property
    def value(self) -> str:
        """The text that would be sent: placeholders expanded."""
        return self.pasted.expand(self.raw)

    @property
    def placeholder_at_cursor(self) -> Placeholder | None:
        """The pasted text at the cursor."""
        row, column = self.cursor_location
        return self.pasted.at(self.document.get_line(row), column)

    def show(self, text: str, *, at_end: bool = True) -> None:
        """Show `text` (folded if it is too long) and clear the undo history."""
        self.load_text(self._shown(text))
        self.move_cursor(self.document.end if at_end else (0, len(self.document.get_line(0))))

    def replace_all(self, text: str) -> None:
        """Replace everything with `text` as one undoable step."""
        self.replace(self._shown(text), (0, 0), self.document.end, maintain_selection_offset=False)

    def unfold(self, found: Placeholder) -> bool:
        """Unfold the placeholder `found` in the cursor's line; returns False if its text is too
        long to be shown.
        """
        if not can_show(found.text):
            return False
        row = self.cursor_location[0]
        self.replace(
            found.text, (row, found.start), (row, found.end), maintain_selection_offset=False
        )
        return True

    def validate_selection(self, selection: Selection) -> Selection:
        """Keep both ends of the selection outside placeholders, which move and delete as one."""
        if not len(self.pasted):
            return selection
        return Selection(
            self._beside_placeholder(selection.start), self._beside_placeholder(selection.end)
        )

    def _beside_placeholder(self, location: Location) -> Location:
        row, column = location
        found = self.pasted.around(self.document.get_line(row), column)
        if found is None:
            return location
        return row, found.end if location > self.cursor_location else found.start

    def edit(self, edit: Edit) -> EditResult:
        """Perform `edit`; if it overlaps a placeholder, it is extended to all of it."""
        if len(self.pasted) and edit.from_location != edit.to_location:
            (top_row, top), (bottom_row, bottom) = edit.top, edit.bottom
            first = self.pasted.around(self.document.get_line(top_row), top)
            last = self.pasted.around(self._line(bottom_row), bottom)
            edit.from_location = (top_row, first.start if first else top)
            edit.to_location = (bottom_row, last.end if last else bottom)
        return super().edit(edit)

    def _line(self, row: int) -> str:
        """The line at `row`; deleting the last line addresses the one after it."""
        return self.document.get_line(row) if row < self.document.line_count else ""

    def _shown(self, text: str) -> str:
        text = newlines(text)
        if can_show(text):
            return text
        # A placeholder inside folded text would never be expanded, and one cut in two would stand
        # for nothing.
        text = self.pasted.expand(text)
        # What was typed before a long paste remains readable, editable and searchable for
        # references.
        head = text[:_HEAD].rpartition("\n")[0] or text[:_HEAD].rpartition(" ")[0]
        head = f"{head}{text[len(head)]}" if head else ""
        return head + self.pasted.fold(text[len(head) :])
