"""The question before a tool call: what it would do, to what, and why it asks. Deny is the first
answer.
"""

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from dogent_tui.agent.events import PermissionAnswer, Reply
from dogent_tui.language import tr
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.dialog import Words
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.ports import ConversationPort
from dogent_tui.tui.questions.guard import AnswerGuard
from dogent_tui.tui.questions.model import (
    ANSWERS,
    ANSWERS_AFTER,
    DROP,
    Answer,
    Question,
    offered,
    room_for,
    share_rows,
    why_not,
)
from dogent_tui.tui.questions.widgets import AnswerBar, QuestionLines
from dogent_tui.tui.screens.withdrawable import Withdrawable
from dogent_tui.tui.text_line import TextLine
from dogent_tui.tui.widgets import bound, hidden

_WHEEL_ROWS = 3
_FAR = 1_000_000
_LEAST_BEHIND = 5
"""Rows of the window that a question leaves free unless enlarged: three of the transcript, the
status and the keys.
"""

_MEANT = frozenset({"f", *(answer.key for answer in (*ANSWERS, *ANSWERS_AFTER))})
"""Printable keys that act here; any other one starts a word."""

_TYPED = tr("Typing goes to the prompt. To answer, pause for a second.")


class PermissionScreen(Withdrawable[Reply], ModalScreen[Reply]):
    """Asks one question, in a panel above the status bar. Dismissed with the answer."""

    CSS_PATH = shipped("permission.tcss")
    AUTO_FOCUS = "#answers"

    BINDINGS = [
        bound("enter", "pick", "Answer"),
        hidden("left,shift+tab", "step(-1)", "Previous answer"),
        hidden("right,tab", "step(1)", "Next answer"),
        *(
            hidden(answer.key, f"answer('{answer.key}')", answer.words)
            for answer in (*ANSWERS, DROP)
        ),
        bound("escape", "answer('n')", "Deny"),
        bound("escape", "back", "Back"),
        hidden("up", "scroll(-1)", "Scroll"),
        bound("down", "scroll(1)", "Scroll", key_display="↑↓"),
        hidden("pageup", "scroll_page(-1)", "Scroll"),
        hidden("pagedown", "scroll_page(1)", "Scroll"),
        hidden("home", f"scroll({-_FAR})", "First row"),
        hidden("end", f"scroll({_FAR})", "Last row"),
        bound("f,ctrl+o", "enlarge", "Enlarge"),
        bound("shift+pageup", "transcript_page(-1)", "Transcript"),
        hidden("shift+pagedown", "transcript_page(1)", "Transcript down"),
        hidden("ctrl+c", "say_how_to_leave", "Say how to leave"),
        hidden("f1", "app.help", "Help"),
    ]

    def __init__(
        self,
        question: Question,
        conversation: ConversationPort,
        *,
        typing: bool,
        counter: str,
    ) -> None:
        """Ask `question` over the `conversation`. `typing`: the user is currently typing in the
        prompt.
        """
        super().__init__()
        self.question = question
        self.request = question.request
        self._behind = conversation
        self._typing = typing
        self._counter = counter
        self.guard = AnswerGuard()
        self._enlarged = False
        self._said = ""
        self._heading = QuestionLines(
            lambda width: question.heading(width, self._counter), id="permission-heading"
        )
        self._call = QuestionLines(question.call, id="permission-call")
        self._facts = QuestionLines(question.facts, id="permission-facts")
        self._note = Words(id="permission-note")
        self._answers = AnswerBar(offered(question.request))
        self._words = TextLine(
            placeholder=tr("What should the agent know, or do instead?"),
            id="permission-words",
        )
        self._words.display = False
        parts = (self._call, self._facts, self._note, self._answers, self._words)
        self._panel = Vertical(self._heading, *parts, id="permission")

    def compose(self) -> ComposeResult:
        """Lay out the sentence, the call, the facts and the answers, and the keys above the status
        bar, which stays visible.
        """
        yield self._panel
        yield KeyHints(id="permission-keys")

    def on_mount(self) -> None:
        """Start counting when the question is visible."""
        self._fit()
        self.watch(self._call, "scroll_y", self._cue, init=False)
        self.call_after_refresh(self.guard.typed if self._typing else self.guard.shown)

    def on_resize(self) -> None:
        """Distribute the rows again."""
        self._fit()

    def count(self, counter: str) -> None:
        """Show the number of this question and the total."""
        self._counter = counter
        self._heading.lay_out(self.size.width, has_changed=True)
        self._fit()

    def _fit(self) -> None:
        """Give each part its rows, and leave the rest of the window to the transcript."""
        if not self._panel.is_attached:
            return
        width, height = self.size
        heading, call, facts = (
            part.lay_out(width) for part in (self._heading, self._call, self._facts)
        )
        answers = 1 if self._words.display else self._answers.lay_out(width)
        room = room_for(height, enlarged=self._enlarged)
        rows = share_rows(room, heading, call, facts, answers)
        self._heading.styles.height = heading
        for part, count in ((self._call, rows.call), (self._facts, rows.facts)):
            part.styles.height, part.styles.margin = count, (rows.gap, 0, 0, 0)
            part.display = count > 0
        self._answers.styles.height = answers
        needed = 2 + heading + rows.call + rows.facts + 2 * rows.gap + answers
        panel = room if self._enlarged else min(room, needed)
        self._panel.styles.height = panel
        if not self._enlarged:  # the transcript keeps its position behind the enlarged panel
            make_room(self._behind, min(panel, max(0, height - _LEAST_BEHIND)))
        self.call_after_refresh(self._fitted)

    def _fitted(self) -> None:
        self.refresh_bindings()
        self._cue()

    # ── Answers ───────────────────────────────────────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the keys that have an effect: those of the answers while no text is typed,
        scrolling if there is more.
        """
        del parameters
        if action in ("answer", "step", "enlarge"):
            return not self._words.display
        if action == "back":
            return self._words.display
        if action == "scroll":
            return any(part.scrolls for part in (self._call, self._facts))
        return True

    def action_answer(self, key: str) -> None:
        """Give the answer with `key`, or show why it is not offered."""
        answer = next((answer for answer in self._answers.answers if answer.key == key), None)
        if answer is not None:
            self._pick(answer)
        else:
            self._say(why_not(self.request, key))

    def action_pick(self) -> None:
        """Give the highlighted answer."""
        self._pick(self._answers.answer)

    def action_step(self, step: int) -> None:
        """Highlight the next answer."""
        self._answers.step(step)

    def action_back(self) -> None:
        """Return from the input line to the answers."""
        self._write(writing=False)

    def _on_answer_bar_picked(self, event: AnswerBar.Picked) -> None:
        self._pick(event.answer)

    def _on_input_submitted(self, event: TextLine.Submitted) -> None:
        if words := event.value.strip():
            self.leave(PermissionAnswer("deny", message=words))
        else:
            self._say(tr("Write something to the agent, or press Esc to go back."))

    def _pick(self, answer: Answer) -> None:
        if not self.guard.open:
            return
        if answer.reply is not None:
            self.leave(answer.reply)
        else:
            self._write(writing=True)

    def _write(self, *, writing: bool) -> None:
        self._words.display, self._answers.display = writing, not writing
        (self._words if writing else self._answers).focus()
        self._say(
            tr("Enter denies, tells the agent why, and lets it continue; Esc goes back.")
            if writing
            else ""
        )
        self._fit()

    def _say(self, words: str) -> None:
        """Show `words` above the answers, or, if empty, which part of the call is visible."""
        self._said = words
        self._note.set_class(bool(words), "-said")
        self._note.update(Content(words or self._call.cue))

    def _cue(self) -> None:
        self._say(self._said)

    # ── What is typed, and scrolling ──────────────────────────────────────────────────────────

    def action_say_how_to_leave(self) -> None:
        """Show which keys leave: Ctrl+C alone neither denies nor quits."""
        quits = self._behind.key_of("quit")
        self._say(
            tr("Esc goes back · {quits} quits", quits=quits)
            if self._words.display
            else tr("Esc denies · {quits} quits", quits=quits)
        )

    def on_key(self, event: events.Key) -> None:
        """Pass on what is still being typed."""
        if self._words.display or event.key == "ctrl+c":
            return
        stray = event.is_printable and event.key not in _MEANT
        if self.guard.open and not stray:
            return
        self.guard.pass_on(event, self._typed)

    def _typed(self, text: str) -> None:
        self._behind.prompt.editor.insert(text)
        self._say(_TYPED)

    def on_paste(self, event: events.Paste) -> None:
        """Pass on what was pasted, which was meant for the prompt."""
        event.stop()
        if not self._words.display:
            self.guard.typed()
            self._behind.prompt.editor.paste_text(event.text)
            self._say(_TYPED)

    def action_scroll(self, rows: int) -> None:
        """Scroll the call to its end, then the facts; upwards in the opposite order."""
        self._say("")
        parts = (self._call, self._facts) if rows > 0 else (self._facts, self._call)
        any(part.scroll_by(rows) for part in parts)

    def action_scroll_page(self, step: int) -> None:
        """Scroll by the visible part of the call, less one row."""
        self.action_scroll(step * max(1, self._call.size.height - 1))

    def action_enlarge(self) -> None:
        """Use the whole window, or give it back to the transcript."""
        self._enlarged = not self._enlarged
        self._fit()

    def action_transcript_page(self, step: int) -> None:
        """Scroll the transcript behind the question."""
        self._behind.action_transcript_page(step)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll the transcript if the mouse is over it."""
        self._wheel(event, -_WHEEL_ROWS)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll the transcript if the mouse is over it."""
        self._wheel(event, _WHEEL_ROWS)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        if event.screen_y < self._panel.region.y:
            event.stop()
            self._behind.transcript.scroll_relative(y=rows, animate=False)


def make_room(screen: ConversationPort, rows: int) -> None:
    """Keep `rows` above the status bar free, so that a question covers the prompt but not the
    transcript.
    """
    body, prompt = screen.query_one("#body").styles, screen.prompt.styles
    if not rows:
        for styles, rule in (
            (prompt, "layer"),
            (prompt, "dock"),
            (prompt, "margin"),
            (body, "margin"),
        ):
            styles.clear_rule(rule)
            styles.refresh(layout=True)
    elif body.margin.bottom != rows + 1:
        # set directly: a class would cause the whole screen to be styled again
        prompt.layer, prompt.dock, prompt.margin = "over", "bottom", (0, 0, 2, 0)
        body.margin = (0, 0, rows + 1, 0)  # the keys are between the question and the status bar
