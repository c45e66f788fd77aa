"""The agent's questions on one form: options, the user's own words, or left to the agent."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import TextArea

from dogent_tui.agent.events import Reply, UiAnswer
from dogent_tui.agent.ui_requests import Clarification
from dogent_tui.language import ngettext, tr
from dogent_tui.plain import revealed_line
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.clarification.model import CURSOR, ClarificationForm, heading, preface
from dogent_tui.tui.clarification.widgets import SEND_KEYS, FormLines, FreeText, QuestionBlock
from dogent_tui.tui.dialog import Words
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.questions.guard import AnswerGuard
from dogent_tui.tui.screens.withdrawable import Withdrawable
from dogent_tui.tui.transcript.lines import Line, Span, crop
from dogent_tui.tui.widgets import bound, hidden

_FAR = 1_000
_SHORT = 30
"""The width in cells of a question quoted in a message."""


class ClarificationScreen(Withdrawable[Reply], ModalScreen[Reply]):
    """Asks all questions at once. Dismissed with the answers, or with None if the request stays
    open or is obsolete.
    """

    CSS_PATH = shipped("clarification.tcss")
    AUTO_FOCUS = ""  # the cursor of the form decides

    BINDINGS = [
        bound("enter", "confirm", "Choose"),
        hidden("space", "choose", "Select or clear"),
        bound("ctrl+s", "send", "Send"),
        hidden(",".join(sorted(SEND_KEYS)), "send", "Send", key_display="Ctrl+Enter"),
        bound("tab", "turn(1)", "Next"),
        hidden("shift+tab", "turn(-1)", "Previous question"),
        hidden("up", "move(-1)", "Previous answer"),
        hidden("down", "move(1)", "Next answer"),
        hidden("home", f"move({-_FAR})", "First answer"),
        hidden("end", f"move({_FAR})", "Last answer"),
        hidden("1", "number(1)", "Choose this answer", key_display="1 … 9"),
        *(Binding(str(digit), f"number({digit})", show=False) for digit in range(2, 10)),
        bound("0", "number(0)", "Skip"),
        bound("escape", "later", "Later"),
        bound("ctrl+x", "abandon", "Abandon"),
        hidden("pageup", "page(-1)", "Scroll up"),
        hidden("pagedown", "page(1)", "Scroll down"),
        hidden("ctrl+c", "say_how_to_leave", "Say how to leave"),
        hidden("f1", "app.help", "Help"),
    ]

    def __init__(
        self,
        request: Clarification,
        *,
        draft: Mapping[str, Any] | None = None,
        on_draft: Callable[[dict[str, Any]], object] = lambda _: None,
        typed: Callable[[str], object] = lambda _: None,
        counter: str = "",
    ) -> None:
        """Ask `request`.

        Args:
            draft: The last dict passed to `on_draft`, which is called on every change.
            typed: Receives letters that were meant for the previous screen.
            counter: See `count`.
        """
        super().__init__()
        self.form = ClarificationForm(request, draft)
        self.form.counter = counter
        self.guard = AnswerGuard()
        self._on_draft = on_draft
        self._typed = typed
        self._confirming = ""
        self._said = ""
        self._head = FormLines(partial(heading, self.form), classes="form-heading")
        self._blocks = [
            QuestionBlock(number, entry, self.held)
            for number, entry in enumerate(self.form.entries)
        ]
        self._questions = VerticalScroll(id="form-questions", can_focus=False)
        self._note = Words(id="form-note")
        self._send = FormLines(lambda _: [self._send_line()], classes="form-send")

    def compose(self) -> ComposeResult:
        """Lay out the title, the questions, the line that sends, and the keys."""
        yield self._head
        with Vertical(id="form"):
            with self._questions:
                if self.form.request.preface:
                    yield FormLines(partial(preface, self.form), classes="form-preface")
                yield from self._blocks
                yield self._send
            yield self._note
        yield KeyHints(id="form-keys", first=("confirm", "go_on", "send"), last=("later",))

    def on_mount(self) -> None:
        """Show the cursor, and start counting when the form is visible."""
        self._look_again()
        self.call_after_refresh(self.guard.shown)

    def on_resize(self) -> None:
        """Keep the cursor visible."""
        self.call_after_refresh(self._scroll)

    def count(self, counter: str) -> None:
        """Show the number of this request and the total; empty for a single one."""
        self.form.counter = counter
        self._head.lay_out_again()

    # ── Drawing ───────────────────────────────────────────────────────────────────────────────

    def _send_line(self) -> Line:
        mark, style = (CURSOR, "strong") if self.form.sending else ("  ", "muted")
        return Line((Span(mark, "accent"), Span(tr("Send the answers"), style)))

    def _look_again(self) -> None:
        """Draw the current state, with the focus at the cursor."""
        form = self.form
        self._head.lay_out_again()
        self._send.lay_out_again()
        self._send.set_class(form.sending, "-at")
        for block in self._blocks:
            block.show(form.row if block.number == form.at else None)
        area = self._area
        if area is None:
            self.set_focus(None)
        elif not area.has_focus:
            self.set_focus(area, scroll_visible=False)
        self.refresh_bindings()
        self.call_after_refresh(self._scroll)

    @property
    def _area(self) -> FreeText | None:
        """The input field under the cursor."""
        row = self.form.current
        return self._blocks[self.form.at].area if row is not None and row.kind == "text" else None

    def _scroll(self) -> None:
        """Scroll to the question, or to the row under the cursor if the question is too high."""
        form, questions = self.form, self._questions
        if not self.is_attached:
            return
        if form.sending:
            questions.scroll_end(animate=False)
        elif form.at == form.row == 0:
            questions.scroll_home(animate=False)  # including the agent's reason
        else:
            block = self._blocks[form.at]
            is_high = block.virtual_region.height > questions.size.height and form.row > 0
            region = block.row_region(form.row) if is_high else block.virtual_region
            questions.scroll_to_region(region, animate=False)

    def _say(self, words: str) -> None:
        """Show `words` below the questions, which then have fewer rows."""
        if words != self._said:
            self._said = words
            self._note.update(Content(words))
            self.call_after_refresh(self._scroll)

    def _changed(self) -> None:
        """Draw a change and save the draft."""
        self._confirming = ""
        self._say("")
        self._look_again()
        self._on_draft(self.form.draft())

    # ── Keys ──────────────────────────────────────────────────────────────────────────────────

    def held(self, event: events.Key) -> bool:
        """Return whether a key was meant for what was here before the form, and pass it on if
        so.
        """
        if self.guard.open:
            return False
        self.guard.pass_on(event, self._typed)
        return True

    def on_key(self, event: events.Key) -> None:
        """Handle letters as the user's own words, if the question accepts them."""
        if self.held(event):
            return
        if event.key != "ctrl+x" and self._confirming == "abandon":
            self._confirming = ""
            self._say("")
        if event.is_printable and event.character and not self._chooses(event.character):
            event.stop()  # including what is typed before the field has the focus
            self._write(event.character)

    def _chooses(self, character: str) -> bool:
        """Return whether a key chooses an answer: if the cursor is on one, and not in a field."""
        return self._area is None and (character.isdigit() or character == " ")

    def on_paste(self, event: events.Paste) -> None:
        """Insert pasted text into the user's own words for this question."""
        event.stop()
        self._write(event.text)

    def _write(self, text: str) -> None:
        if not self.form.to_text():
            self._say(tr("Choose one of the options; 0 leaves it to the agent."))
            return
        area = self._area
        if area is not None:
            area.take(text)
            self._blocks[self.form.at].entry.write(area.raw)
            self._changed()

    def action_confirm(self) -> None:
        """Choose what is under the cursor and continue; after the last question, send."""
        if self.form.sending:
            self.action_send()
        else:
            self.form.confirm()
            self._changed()

    def action_choose(self) -> None:
        """Choose what is under the cursor, or deselect it."""
        self.form.choose()
        self._changed()

    def action_number(self, digit: int) -> None:
        """Choose an answer by its number; 0 skips the question."""
        if self.form.number(digit):
            self._changed()

    def action_turn(self, step: int) -> None:
        """Go to the next question."""
        self.form.turn(step)
        self._changed()

    def action_move(self, step: int) -> None:
        """Go to another answer of the question."""
        self.form.move(step)
        self._changed()

    def action_page(self, step: int) -> None:
        """Scroll without moving the cursor."""
        self._questions.scroll_relative(
            y=step * max(1, self._questions.size.height - 1), animate=False
        )

    # ── The fields ────────────────────────────────────────────────────────────────────────────

    def _on_text_area_changed(self, event: TextArea.Changed) -> None:
        for block in self._blocks:
            area = block.area
            if area is event.text_area and area.raw != block.entry.text:
                block.entry.write(area.raw)
                self._changed()

    def _on_free_text_left(self, event: FreeText.Left) -> None:
        if event.step:
            self.action_move(event.step)
        else:
            self.action_confirm()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Move the cursor to a clicked field."""
        for block in self._blocks:
            # Only if the focus is still there: the event of a field that fast typing has left
            # arrives late.
            if block.area is event.widget is self.focused and self._area is not block.area:
                self.form.go(block.number)
                self.form.to_text()
                self._look_again()

    def _on_question_block_picked(self, event: QuestionBlock.Picked) -> None:
        self.form.go(event.number, event.row)
        if event.row >= 0:
            self.form.choose()
        self._changed()

    def on_click(self, event: events.Click) -> None:
        """Send if the line for that was clicked."""
        if self.get_widget_at(*event.screen_offset)[0] is self._send:
            self.form.go(len(self.form.entries))
            self._look_again()
            self.action_send()

    # ── Leaving ───────────────────────────────────────────────────────────────────────────────

    def action_send(self) -> None:
        """Send the answers; if some are missing, point that out first."""
        left = self.form.open_entries
        if left and self._confirming != "send":
            self._confirming = "send"
            which = tr("{left} questions", left=len(left))
            if len(left) == 1:
                question = crop([Span(revealed_line(left[0].question.question))], _SHORT)
                which = f"“{Line(question).text}”"
            self._say(
                ngettext(
                    "Still open: {which}. Send again to leave it to the agent.",
                    "Still open: {which}. Send again to leave them to the agent.",
                    len(left),
                    which=which,
                )
            )
            return
        self.leave(UiAnswer(answers=self.form.answers))

    def action_say_how_to_leave(self) -> None:
        """Show which keys leave: Ctrl+C alone neither sends nor quits."""
        self._say(tr("Esc leaves the questions open · Ctrl+X abandons them"))

    def action_later(self) -> None:
        """Return to the conversation; the questions stay open."""
        self.leave(None)

    def action_abandon(self) -> None:
        """Give the questions up, on the second press."""
        if self._confirming == "abandon":
            self.leave(UiAnswer())
            return
        self._confirming = "abandon"
        self._say(tr("Abandon these questions and stop the run? Press Ctrl+X again to confirm."))
