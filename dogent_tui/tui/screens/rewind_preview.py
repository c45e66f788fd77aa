"""What going back to a prompt would do: to the conversation, and file by file. Nothing is done
before Enter.
"""

import asyncio
from typing import ClassVar

from rich.cells import cell_len
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static

from dogent_tui.errors import DogentError
from dogent_tui.language import sentences, tr
from dogent_tui.tui.dialog import ChoiceList, Dialog, DialogScreen
from dogent_tui.tui.questions.guard import AnswerGuard
from dogent_tui.tui.questions.model import diff_lines
from dogent_tui.tui.questions.widgets import QuestionLines
from dogent_tui.tui.rewinding.model import Preview, Row, difference
from dogent_tui.tui.screens.withdrawable import Withdrawable
from dogent_tui.tui.stylesheets import stylesheet
from dogent_tui.tui.transcript.lines import Line, Span, wrap
from dogent_tui.undo.undo_log import UndoLog


class RewindPreviewScreen(Withdrawable[bool], DialogScreen[bool]):
    """Dismissed with True where it is to be done, as `preview` then says, and with None where
    the user goes back.
    """

    CSS_PATH = stylesheet("rewind.tcss")
    AUTO_FOCUS = "#rewind-files"
    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the list of files, which would take these keys as choosing a row.
        Binding("enter", "go_back", tr("Rewind"), priority=True),
        Binding("space", "take", tr("Include or exclude this file"), priority=True),
        Binding("escape", "back", tr("Back")),
        Binding(
            "pageup,shift+up", "scroll_lines(-1)", tr("Scroll the diff"), show=False, priority=True
        ),
        Binding(
            "pagedown,shift+down",
            "scroll_lines(1)",
            tr("Scroll the diff"),
            show=False,
            priority=True,
        ),
    ]

    def __init__(self, preview: Preview, copies: UndoLog) -> None:
        """Show `preview`; the copies are what the files would become."""
        super().__init__()
        self.preview = preview
        self.guard = AnswerGuard()
        self._copies = copies
        self._diff = ""
        self._note = ""

    def compose(self) -> ComposeResult:
        """Lay out what happens, the files, and the difference of one of them."""
        title = tr("Rewind to before “{title}”?").format(title=self.preview.point.title)
        keys, classes = {"enter": tr("Rewind"), "escape": tr("Back")}, "-wide"
        if self.preview.places:
            keys = {
                "enter": tr("Rewind"),
                "space": tr("Include or exclude"),
                "up,down": tr("File"),
                "pageup,pagedown": tr("Scroll"),
                "escape": tr("Back"),
            }
            classes = "-wide -tall"
        with Dialog(title, keys, id="rewind", classes=classes):
            yield Static(sentences(*self.preview.summary()), id="rewind-what", markup=False)
            yield ChoiceList(id="rewind-files", markup=False, compact=True)
            yield QuestionLines(self._lines, id="rewind-lines")

    def on_mount(self) -> None:
        """Show the files."""
        self._show(0)
        has_files = bool(self.preview.places)
        self.query_one(OptionList).display = has_files
        self.query_one(QuestionLines).display = has_files
        self.call_after_refresh(self.guard.shown)

    def on_resize(self, _: events.Resize) -> None:
        """Lay the difference out for the width that there is."""
        self._lay_out()

    def _show(self, chosen: int) -> None:
        files = self.query_one(OptionList)
        rows = self.preview.rows()
        widest = max((cell_len(row.what) for row in rows), default=0)
        files.set_options(self._line(row, widest) for row in rows)
        files.highlighted = chosen if self.preview.places else None

    def _line(self, row: Row, widest: int) -> Content:
        note = f" — {row.note}" if row.note else ""
        gap = " " * (widest - cell_len(row.what) + 2)
        return Content.assemble(
            f"{row.mark} ", (f"{row.what}{gap}", "dim"), row.name, (note, "dim")
        )

    # ── The difference ────────────────────────────────────────────────────────────────────────

    @on(OptionList.OptionHighlighted)
    def _looked_at(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._compare(event.option_index)

    @work(exclusive=True)
    async def _compare(self, number: int) -> None:
        """Show what would become of a file."""
        try:
            diff, note = (
                await asyncio.to_thread(difference, self.preview.places[number], self._copies),
                "",
            )
        except DogentError as error:
            diff, note = "", str(error)
        if (diff, note) != (self._diff, self._note):
            self._diff, self._note = diff, note
            self._lay_out()
            self.query_one(QuestionLines).scroll_to(y=0, animate=False)

    def _lines(self, width: int) -> list[Line]:
        return (
            diff_lines(self._diff, width)
            if self._diff
            else wrap([Span(self._note, "muted")], width)
        )

    def _lay_out(self) -> None:
        lines = self.query_one(QuestionLines)
        lines.lay_out(lines.size.width, has_changed=True)

    # ── Keys ──────────────────────────────────────────────────────────────────────────────────

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._toggle(event.option_index)

    def action_take(self) -> None:
        """Leave the file as it is, or go back over it after all."""
        highlighted = self.query_one(OptionList).highlighted
        if highlighted is not None:
            self._toggle(highlighted)

    def _toggle(self, number: int) -> None:
        if self.preview.toggle(number):
            self._show(number)
        else:
            self.app.bell()

    def action_scroll_lines(self, step: int) -> None:
        """Scroll the difference."""
        lines = self.query_one(QuestionLines)
        lines.scroll_by(step * max(1, lines.size.height - 1))

    def action_go_back(self) -> None:
        """Do it, unless the key was pressed before this could be read."""
        if not self.guard.open:
            return
        if self.preview.does_nothing:
            self.notify(tr("No file is selected. Space selects one."), markup=False)
            return
        self.leave(True)

    def action_back(self) -> None:
        """Do nothing."""
        self.leave(None)
