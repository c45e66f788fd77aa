"""The status bar: where we are, who answers, what happens, how full the context is, what waits."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from dogent_tui.agent.events import (
    Event,
    PermissionDecided,
    PermissionRequested,
    QueueChanged,
    Retrying,
    RunFinished,
    RunStarted,
    SessionLost,
    SessionStarted,
    Stalled,
    TextDelta,
    ThinkingDelta,
    ToolPreparing,
    ToolResult,
    ToolUse,
    UsageChanged,
)
from dogent_tui.agent.session import endpoint_label
from dogent_tui.agent.tool_names import friendly_name
from dogent_tui.plain import one_line

if TYPE_CHECKING:
    from textual.timer import Timer

_SEPARATOR = "  ·  "


class Status(msgspec.Struct):
    """What the status bar says, built from the events of the session. Plain state, without a screen."""

    workspace: str
    """The folder, made safe to draw."""
    endpoint: str
    clock: Callable[[], float] = time.monotonic
    doing: str = "connecting"
    running: bool = False
    context_tokens: int = 0
    window: int = 0
    queued: int = 0
    silent_s: int = 0
    _started: float = 0.0
    _questions: set[str] = msgspec.field(default_factory=set)

    def handle(self, event: Event) -> None:  # noqa: C901  (one flat table of events)
        """Learn from `event`."""
        match event:
            case SessionStarted():
                self.endpoint = endpoint_label(event.profile, event.endpoint, event.model)
                self.doing = "thinking" if self.running else "ready"
            case SessionLost():
                self.doing = "not connected"
            case RunStarted():
                self.running, self._started, self.silent_s = True, self.clock(), 0
                self.doing = "thinking" if self.doing != "connecting" else self.doing
            case RunFinished():
                self.running, self.silent_s = False, 0
                self._questions.clear()
                self.doing = self.doing if self.doing == "not connected" else "ready"
            case TextDelta():
                self.doing = "writing"
            case ThinkingDelta() | ToolResult() if self.running:
                self.doing = "thinking"
            case ToolPreparing(name=name) | ToolUse(name=name) if self.running:
                self.doing = one_line(friendly_name(name)).lower()
            case Retrying():
                self.doing = f"retry {event.attempt} of {event.max_attempts}"
            case Stalled(seconds=seconds):
                self.silent_s = seconds
            case PermissionRequested(request_id=request_id):
                self._questions.add(request_id)
            case PermissionDecided(request_id=request_id):
                self._questions.discard(request_id)
            case UsageChanged():
                self.context_tokens, self.window = event.context_tokens, event.window or self.window
            case QueueChanged(prompts=prompts):
                self.queued = len(prompts)

    @property
    def elapsed_s(self) -> int:
        """Whole seconds since the run started."""
        return int(self.clock() - self._started)

    @property
    def activity(self) -> str:
        """What happens now, in a few words."""
        if self._questions:
            return "waits for you"
        if not self.running:
            return self.doing
        silence = f", nothing received for {self.silent_s} s" if self.silent_s else ""
        return f"{self.doing} {_duration(self.elapsed_s)}{silence}"

    @property
    def context(self) -> str:
        """How much of the context window is used, as far as it is known."""
        if not self.context_tokens:
            return ""
        if not self.window:
            return f"context {_thousands(self.context_tokens)}"
        return f"context {min(100, round(100 * self.context_tokens / self.window))} %"

    def parts(self, width: int) -> tuple[str, str]:
        """Return what stands left and right in `width` columns. The folder gives way first: its path, then its name."""
        right = _SEPARATOR.join(part for part in (self.context, f"{self.queued} queued" if self.queued else "") if part)
        name = self.workspace.rstrip("/").rpartition("/")[2] or self.workspace
        for place in (self.workspace, name, ""):
            left = _SEPARATOR.join(part for part in (self.activity, self.endpoint, place) if part)
            if Content(left).cell_length + Content(right).cell_length + 2 <= width:
                break
        return left, right


def _duration(seconds: int) -> str:
    return f"{seconds} s" if seconds < 60 else f"{seconds // 60} min {seconds % 60:02} s"


def _thousands(count: int) -> str:
    return f"{count}" if count < 1000 else f"{count / 1000:.1f}k"


class StatusBar(Widget):
    """One line that draws a `Status`. It ticks once a second, and only while something runs."""

    def __init__(self, status: Status, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.status = status
        self._ticker: Timer | None = None

    def on_mount(self) -> None:
        """Prepare the clock."""
        self._ticker = self.set_interval(1.0, self.refresh, pause=True)

    def show(self, status: Status) -> None:
        """Draw another `status` from now on."""
        self.status = status
        if self._ticker is not None:
            self._ticker.pause()
        self.refresh()

    def handle(self, event: Event) -> None:
        """Learn from `event`, and draw what changed of it."""
        before = (self.status.activity, self.status.context, self.status.queued, self.status.endpoint)
        was_running = self.status.running
        self.status.handle(event)
        if self._ticker is not None and was_running != self.status.running:
            (self._ticker.resume if self.status.running else self._ticker.pause)()
        if before != (self.status.activity, self.status.context, self.status.queued, self.status.endpoint):
            self.refresh()

    def render(self) -> RenderResult:
        """Draw the line, literally."""
        width = max(self.size.width, 1)
        left, right = self.status.parts(width)
        gap = width - Content(left).cell_length - Content(right).cell_length
        return Content(f"{left}{' ' * max(gap, 1)}{right}")
