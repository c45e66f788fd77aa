"""The effect of returning to a prompt, on the conversation and file by file. Nothing is done before
Enter.
"""

import asyncio

from rich.cells import cell_len
from textual import on, work
from textual.content import Content
from textual.widgets import OptionList

from dogent_tui.errors import DogentError
from dogent_tui.language import sentences, tr
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.dialog import ChoiceList, Dialog, DialogScreen, Words
from dogent_tui.tui.questions.guard import AnswerGuard
from dogent_tui.tui.questions.model import diff_lines
from dogent_tui.tui.questions.widgets import QuestionLines
from dogent_tui.tui.rewinding.model import Preview, Row, difference
from dogent_tui.tui.transcript.lines import Line, Span, wrap
from dogent_tui.tui.widgets import bound, hidden
from dogent_tui.undo.restoring import PlannedPlace
from dogent_tui.undo.undo_log import UndoLog


class RewindPreviewScreen(DialogScreen[bool]):
    """Dismissed with True to carry out `preview`, or with None if the user goes back."""

    CSS_PATH = shipped("rewind.tcss")
    BINDINGS = [
        # Before the list of files, which would take these keys as choosing a row.
        bound("enter", "go_back", "Rewind", priority=True),
        bound("space", "take", "Include or exclude this file", priority=True),
        bound("escape", "dismiss", "Back"),
        *(
            hidden(keys, f"scroll('page_{how}')", "Scroll the diff", priority=True)
            for keys, how in {"pageup,shift+up": "up", "pagedown,shift+down": "down"}.items()
        ),
    ]

    def __init__(self, preview: Preview, copies: UndoLog) -> None:
        """Show `preview`; the copies hold the content to restore."""
        self.preview = preview
        self.guard = AnswerGuard()
        self._copies = copies
        self._diff = ""
        self._note = ""
        self._files = ChoiceList[PlannedPlace](id="rewind-files")
        self._lines = QuestionLines(self._laid_out, id="rewind-lines")
        keys = {"enter": tr("Rewind")}
        if preview.places:
            keys |= {
                "space": tr("Include or exclude"),
                "up,down": tr("File"),
                "pageup,pagedown": tr("Scroll"),
            }
        self._lines.display = bool(preview.places)
        super().__init__(
            Dialog(
                tr("Rewind to before “{title}”?", title=preview.point.title),
                keys | {"escape": tr("Back")},
                Words(sentences(*preview.summary()), id="rewind-what"),
                self._files,
                self._lines,
                id="rewind",
                classes="-wide -tall" if preview.places else "-wide",
            ),
            self._lines if preview.places else None,
        )

    def on_mount(self) -> None:
        """Show the files."""
        self._show()
        self.call_after_refresh(self.guard.shown)

    def on_resize(self) -> None:
        """Lay the diff out for the available width."""
        self._lines.lay_out(self._lines.size.width, has_changed=True)

    def _show(self) -> None:
        rows = self.preview.rows()
        widest = max((cell_len(row.what) for row in rows), default=0)
        self._files.show(self.preview.places, (_drawn(row, widest) for row in rows))

    # ── The difference ────────────────────────────────────────────────────────────────────────

    def _on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self._compare(self.preview.places[event.option_index])

    @work(exclusive=True)
    async def _compare(self, place: PlannedPlace) -> None:
        """Show what would happen to a file."""
        diff = note = ""
        try:
            diff = await asyncio.to_thread(difference, place, self._copies)
        except DogentError as error:
            note = str(error)
        if (diff, note) != (self._diff, self._note):
            self._diff, self._note = diff, note
            self.on_resize()
            self._lines.scroll_to(y=0, animate=False)

    def _laid_out(self, width: int) -> list[Line]:
        if self._diff:
            return diff_lines(self._diff, width)
        return wrap([Span(self._note, "muted")], width)

    # ── Keys ──────────────────────────────────────────────────────────────────────────────────

    @on(OptionList.OptionSelected)
    def action_take(self) -> None:
        """Toggle whether the file is restored."""
        at = self._files.highlighted
        if at is not None and self.preview.toggle(at):
            self._show()
        else:
            self.app.bell()

    def action_go_back(self) -> None:
        """Carry it out, unless the key was pressed before the screen was visible."""
        if not self.guard.open:
            return
        if self.preview.does_nothing:
            self.notify(tr("No file is selected. Space selects one."))
        else:
            self.leave(True)


def _drawn(row: Row, widest: int) -> Content:
    note = f" — {row.note}" if row.note else ""
    gap = " " * (widest - cell_len(row.what) + 2)
    return Content.assemble(f"{row.mark} ", (f"{row.what}{gap}", "dim"), row.name, (note, "dim"))
