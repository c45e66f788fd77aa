"""The question before a tool call: what it would do, to what, and why it asks. Deny is the first
answer.
"""

from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from dogent_tui.agent.events import PermissionAnswer, Reply
from dogent_tui.language import tr
from dogent_tui.tui.dialog import Words
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.questions.guard import AnswerGuard
from dogent_tui.tui.questions.model import (
    ANSWERS,
    ANSWERS_AFTER,
    Answer,
    Question,
    offered,
    room_for,
    share_rows,
    why_not,
)
from dogent_tui.tui.questions.widgets import AnswerBar, QuestionHeading, QuestionLines, WordsInput
from dogent_tui.tui.screens.withdrawable import Withdrawable
from dogent_tui.tui.stylesheets import stylesheet
from dogent_tui.tui.widgets import hidden

if TYPE_CHECKING:
    from dogent_tui.tui.ports import ConversationPort

_WHEEL_ROWS = 3
_FAR = 1_000_000
_LEAST_BEHIND = 5
"""Rows of the window that no question covers, where it is not enlarged: three of the transcript,
the status and the keys.
"""

_MEANT = frozenset({"f", *(answer.key for answer in (*ANSWERS, *ANSWERS_AFTER))})
"""Printable keys that mean something here; any other one is the beginning of a word."""

_TYPED = tr("Typing goes to the prompt. To answer, pause for a second.")


class PermissionScreen(Withdrawable[Reply], ModalScreen[Reply]):
    """Asks one question, in a panel above the status bar. Dismissed with the answer.

    `cancel` closes it where nobody has to answer any more.
    """

    CSS_PATH = stylesheet("permission.tcss")
    AUTO_FOCUS = "#answers"

    BINDINGS = [
        Binding("enter", "pick", tr("Answer")),
        hidden("left,shift+tab", "step(-1)", tr("Previous answer")),
        hidden("right,tab", "step(1)", tr("Next answer")),
        hidden("n", "answer('n')", tr("Deny")),
        hidden("y", "answer('y')", tr("Allow once")),
        hidden("s", "answer('s')", tr("Allow for this session")),
        hidden("a", "answer('a')", tr("Always allow in this workspace")),
        hidden("d", "answer('d')", tr("Discard and continue")),
        hidden("e", "answer('e')", tr("Deny and say why")),
        Binding("escape", "answer('n')", tr("Deny")),
        Binding("escape", "back", tr("Back")),
        hidden("up", "scroll(-1)", tr("Scroll")),
        Binding("down", "scroll(1)", tr("Scroll"), key_display="↑↓"),
        hidden("pageup", "scroll_page(-1)", tr("Scroll")),
        hidden("pagedown", "scroll_page(1)", tr("Scroll")),
        hidden("home", f"scroll({-_FAR})", tr("First row")),
        hidden("end", f"scroll({_FAR})", tr("Last row")),
        Binding("f,ctrl+o", "enlarge", tr("Enlarge")),
        Binding("shift+pageup", "transcript_page(-1)", tr("Transcript")),
        hidden("shift+pagedown", "transcript_page(1)", tr("Transcript down")),
        hidden("ctrl+c", "say_how_to_leave", tr("Say how to leave")),
        hidden("f1", "app.help", tr("Help")),
    ]

    def __init__(
        self,
        question: Question,
        conversation: "ConversationPort",
        *,
        typing: bool = False,
        counter: str = "",
    ) -> None:
        """Put `question` before the `conversation`. `typing`: the user is at the prompt just
        now.
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
        self._heading = QuestionHeading(
            lambda width: question.heading(width, self._counter), id="permission-heading"
        )
        self._call = QuestionLines(question.call, id="permission-call")
        self._facts = QuestionLines(question.facts, id="permission-facts")
        self._note = Words(id="permission-note")
        self._answers = AnswerBar(offered(question.request))
        self._words = WordsInput(
            placeholder=tr("What should the agent know, or do instead?"),
            compact=True,
            id="permission-words",
        )
        self._words.display = False
        parts = (self._call, self._facts, self._note, self._answers, self._words)
        self._panel = Vertical(self._heading, *parts, id="permission")

    def compose(self) -> ComposeResult:
        """Lay out the sentence, the call, the facts and the answers, and the keys above the
        status bar, which shows through.
        """
        yield self._panel
        yield KeyHints(id="permission-keys")

    def on_mount(self) -> None:
        """Count from the moment that the question can be seen."""
        self._fit()
        self.watch(self._call, "scroll_y", self._cue, init=False)
        self.call_after_refresh(self.guard.typed if self._typing else self.guard.shown)

    def on_resize(self) -> None:
        """Share the rows again."""
        self._fit()

    def count(self, counter: str) -> None:
        """Say which question of how many this is."""
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
        if not self._enlarged:  # the transcript stays as it is behind the large panel
            make_room(self._behind, min(panel, max(0, height - _LEAST_BEHIND)))
        self.call_after_refresh(self._fitted)

    def _fitted(self) -> None:
        self.refresh_bindings()
        self._cue()

    # ── Answers ───────────────────────────────────────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the keys that do something: those of the answers while no words are written,
        scrolling where there is more.
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
        """Give the answer of `key`, or say why it is not offered."""
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
        """Go back from the words to the answers."""
        self._write(writing=False)

    @on(AnswerBar.Picked)
    def _clicked(self, event: AnswerBar.Picked) -> None:
        self._pick(event.answer)

    @on(Input.Submitted)
    def _sent(self, event: Input.Submitted) -> None:
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
            tr("Denied. Enter sends your message, and the agent continues; Esc goes back.")
            if writing
            else ""
        )
        self._fit()

    def _say(self, words: str) -> None:
        """Say `words` above the answers; where there are none, which part of the call can be
        seen.
        """
        self._said = words
        self._note.set_class(bool(words), "-said")
        self._note.update(Content(words or self._call.cue))

    def _cue(self) -> None:
        self._say(self._said)

    # ── What is typed, and scrolling ──────────────────────────────────────────────────────────

    def action_say_how_to_leave(self) -> None:
        """Say which keys leave: Ctrl+C alone neither denies nor quits."""
        quits = self._behind.key_of("quit")
        self._say(
            tr("Esc goes back · {quits} quits", quits=quits)
            if self._words.display
            else tr("Esc denies · {quits} quits", quits=quits)
        )

    def on_key(self, event: events.Key) -> None:
        """Send on what is still being typed."""
        if self._words.display or event.key == "ctrl+c":
            return
        stray = event.is_printable and event.key not in _MEANT
        if self.guard.open and not stray:
            return
        if event.is_printable or event.key in ("enter", "escape", "backspace"):
            self.guard.typed()
        if event.is_printable and event.character:
            self._behind.prompt.editor.insert(event.character)
            self._say(_TYPED)
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Send on what was pasted: it was meant for the prompt."""
        event.stop()
        if not self._words.display:
            self.guard.typed()
            self._behind.prompt.editor.paste_text(event.text)
            self._say(_TYPED)

    def action_scroll(self, rows: int) -> None:
        """Scroll the call to its end, and then the facts; upward the other way round."""
        self._say("")
        parts = (self._call, self._facts) if rows > 0 else (self._facts, self._call)
        any(part.scroll_by(rows) for part in parts)

    def action_scroll_page(self, step: int) -> None:
        """Scroll by what is visible of the call, less one row."""
        self.action_scroll(step * max(1, self._call.size.height - 1))

    def action_enlarge(self) -> None:
        """Take the whole window, or give it back to the transcript."""
        self._enlarged = not self._enlarged
        self._fit()

    def action_transcript_page(self, step: int) -> None:
        """Scroll the transcript behind."""
        self._behind.action_transcript_page(step)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll the transcript, where the mouse is over it."""
        self._wheel(event, -_WHEEL_ROWS)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll the transcript, where the mouse is over it."""
        self._wheel(event, _WHEEL_ROWS)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        if event.screen_y < self._panel.region.y:
            event.stop()
            self._behind.transcript.scroll_relative(y=rows, animate=False)


def make_room(screen: "ConversationPort", rows: int) -> None:
    """Keep `rows` above the status bar free, so that a question covers the prompt and nothing of
    the transcript.
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
    elif (
        body.margin.bottom != rows + 1
    ):  # here and not by a class, for which the whole screen would be styled again
        prompt.layer, prompt.dock, prompt.margin = "over", "bottom", (0, 0, 2, 0)
        body.margin = (0, 0, rows + 1, 0)  # the keys stand between the question and the status bar
