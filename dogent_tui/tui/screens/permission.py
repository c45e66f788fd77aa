"""The question before a tool call: what it would do, to what, and why it asks. Deny is the first answer."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import msgspec
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from dogent_tui.agent.events import PermissionAnswer, PermissionRequested
from dogent_tui.agent.tool_names import friendly_name
from dogent_tui.plain import one_line, visible
from dogent_tui.tui.stylesheets import stylesheet

GRACE_S = 0.5
"""Keys within this time of the question's appearance were meant for what was there before (SPEC 6)."""
TYPING_S = 1.0
"""So long must a person who was typing have paused: the next letter of a word never answers."""

_ANSWER_KEYS = frozenset({"y", "n", "space"})
"""Printable keys that mean something here; any other one is the beginning of a word."""

_TITLES: Mapping[str, str] = {
    "Bash": "May the agent run this command?",
    "Edit": "May the agent change this file?",
    "Glob": "May the agent look for files here?",
    "Grep": "May the agent search here?",
    "Read": "May the agent read this file?",
    "WebFetch": "May the agent open this page?",
    "WebSearch": "May the agent search the web for this?",
    "Write": "May the agent write this file?",
}


class AnswerGuard(msgspec.Struct):
    """Keeps keys that were typed before the question appeared from answering it."""

    clock: Callable[[], float] = time.monotonic
    _opens: float | None = None

    def shown(self) -> None:
        """The question is on the screen now."""
        self._opens = self.clock() + GRACE_S

    def typed(self) -> None:
        """A key came that was not meant for the question."""
        self._opens = self.clock() + TYPING_S

    @property
    def open(self) -> bool:
        """Whether an answer can be meant."""
        return self._opens is not None and self.clock() >= self._opens


def question_title(tool: str) -> str:
    """Return the question in one sentence."""
    return _TITLES.get(tool) or f"May the agent use “{friendly_name(tool)}”?"


def question_body(tool_input: Mapping[str, Any]) -> str:
    """Return what the call is about, whole: its command first where it has one, then every other field, none left out."""
    parts = [visible(str(tool_input["command"]))] if "command" in tool_input else []
    for key, value in tool_input.items():
        if key != "command":
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)
            gap = "\n" if "\n" in text else " "
            parts.append(f"{one_line(key)}:{gap}{visible(text)}")
    return "\n".join(parts)


class PermissionScreen(ModalScreen[PermissionAnswer]):
    """Asks one question. Dismissed with the answer; `cancel` closes it where nobody has to answer any more."""

    CSS_PATH = stylesheet("permission.tcss")

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,escape", "deny", "Deny"),
        Binding("y", "allow", "Allow once"),
        Binding("left,shift+tab", "app.focus_previous", "Left", show=False),
        Binding("right,tab", "app.focus_next", "Right", show=False),
    ]

    def __init__(
        self,
        request: PermissionRequested,
        *,
        typed: Callable[[str], None],
        typing: bool = False,
        position: int = 1,
        count: int = 1,
    ) -> None:
        """Ask `request`. `typed` takes the characters that were meant for the prompt; `typing`: the person is at it just now."""
        super().__init__()
        self.request = request
        self._typed = typed
        self._typing = typing
        self._counter = f"question {position} of {count}" if count > 1 else ""
        self._guard = AnswerGuard()
        self._cancelled = False

    def compose(self) -> ComposeResult:
        """Lay out the sentence, the call, the places, the reasons and the answers."""
        request = self.request
        with Vertical(id="permission"):
            yield Static(question_title(request.tool), id="permission-title", markup=False)
            with VerticalScroll(id="permission-call", can_focus=False):
                yield Static(question_body(request.input), markup=False)
            if request.targets:
                places = "\n".join(f"→ {one_line(target.path)}" for target in request.targets)
                yield Static(places, id="permission-targets", markup=False)
            yield Static(" ".join(one_line(reason) for reason in request.reasons), id="permission-reasons", markup=False)
            with Horizontal(id="permission-answers"):
                yield Button("  Deny  n  ", id="deny", compact=True)
                yield Button("  Allow once  y  ", id="allow", compact=True)
                yield Static(self._counter, id="permission-counter", markup=False)

    def on_mount(self) -> None:
        """Highlight the safe answer, and count from the moment that the question can be seen."""
        self.query_one("#deny", Button).focus()
        self.call_after_refresh(self._guard.typed if self._typing else self._guard.shown)

    def cancel(self) -> None:
        """Close without an answer, at once or as soon as what lies over it is closed."""
        self._cancelled = True
        if self.is_current:
            self.dismiss(None)

    def on_screen_resume(self) -> None:
        """Close where nobody has to answer any more."""
        if self._cancelled and self.is_current:
            self.dismiss(None)

    def action_deny(self) -> None:
        """Deny: the call is blocked and the run ends."""
        self._answer(PermissionAnswer("deny"))

    def action_allow(self) -> None:
        """Allow this one call."""
        self._answer(PermissionAnswer("allow"))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer with the button."""
        event.stop()
        self._answer(PermissionAnswer("allow" if event.button.id == "allow" else "deny"))

    def on_key(self, event: events.Key) -> None:
        """Send on what is still being typed; let the call be scrolled by the keys that do nothing else here."""
        if not self._guard.open or (event.is_printable and event.key not in _ANSWER_KEYS):
            self._guard.typed()
            if event.is_printable and event.character:
                self._typed(event.character)
            event.stop()
            event.prevent_default()
            return
        call = self.query_one("#permission-call", VerticalScroll)
        scroll = {
            "up": call.scroll_up,
            "down": call.scroll_down,
            "pageup": call.scroll_page_up,
            "pagedown": call.scroll_page_down,
        }
        if event.key in scroll:
            scroll[event.key](animate=False)
            event.stop()

    def _answer(self, answer: PermissionAnswer) -> None:
        if self._guard.open:
            self.dismiss(answer)
