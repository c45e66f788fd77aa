"""A text area that completes citations after ``[@``."""

from textual import events, on
from textual.widgets import TextArea

from dogent_tui.tui.prompt.completion import completion_at
from dogent_tui.tui.prompt.picker import ReferencePicker
from dogent_tui.tui.textual_fixes.literal_area import LiteralArea


class CitingArea(LiteralArea):
    """Offers citations in `picker`, which its screen lays out; areas may share one."""

    picker: ReferencePicker | None = None

    async def _on_key(self, event: events.Key) -> None:
        """Handle a key in the list of citations while it is open."""
        picker, key = self.picker, event.key
        if picker is None or picker.current is None:
            if key == "escape":  # Textual's would move the focus where Tab indents
                event.prevent_default()
            return
        if key in picker.STEPS:
            picker.move(picker.STEPS[key])
        elif key in ("tab", "enter"):
            self._cite(picker)
        elif key == "escape":
            picker.dismiss()
        else:
            return
        event.stop()
        event.prevent_default()

    @on(TextArea.Changed)
    @on(TextArea.SelectionChanged)
    def _offer(self) -> None:
        if self.picker is not None and self.has_focus:
            row, column = self.cursor_location
            found = completion_at(self.document.get_line(row), column)
            is_citation = found is not None and found.kind == "citation"
            self.picker.request(found if is_citation else None, row)

    def _cite(self, picker: ReferencePicker) -> None:
        picker.settle()
        wanted, chosen = picker.completion, picker.current
        if wanted is not None and chosen is not None:
            row = self.cursor_location[0]
            begin, end = (row, wanted.start), (row, wanted.end)
            self.replace(chosen.insert, begin, end, maintain_selection_offset=False)
        picker.dismiss()
