"""The status bar: the folder, who answers, the current activity, the context usage, and what
waits.
"""

import time
from collections.abc import Callable, Iterator

import msgspec
from rich.cells import cell_len
from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from dogent_tui.agent.events import (
    Compacting,
    Event,
    Notice,
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
    UiRequested,
    UiSettled,
    UsageChanged,
)
from dogent_tui.agent.session import OpenedSession
from dogent_tui.agent.tool_names import friendly_name
from dogent_tui.agent.ui_requests import ReviewMode
from dogent_tui.language import listing, tr
from dogent_tui.plain import one_line
from dogent_tui.settings.profiles import endpoint_label
from dogent_tui.storage.paths import display_path
from dogent_tui.tui.widgets import duration

_CONNECTING = tr("connecting")
_LIVE = tr("read-only, live")
_READY = tr("ready")
_THINKING = tr("thinking")
_WRITING = tr("writing")
_STOPPING = tr("stopping")
_NOT_CONNECTED = tr("not connected")
_REVIEWED = (tr("every change reviewed"), tr("reviewed"), tr("rev"))
_CONTEXT = (tr("context {used}"), tr("ctx {used}"), "{used}")

NOT_KEPT = {
    "not_recorded": tr("conversation"),
    "history_not_kept": tr("history"),
    "draft_not_kept": tr("draft"),
    "answers_not_kept": tr("answers"),
    "usage_not_kept": tr("usage"),
    "seen_not_kept": tr("what the agent has read"),
    "undo_not_kept": tr("copies for /undo"),
}
"""The code of a notice → what it reports as not saved, until a notice with this code and
``_over``.
"""

_SEPARATOR = "  ·  "
_SHORT_SEPARATOR = " · "
_NO_MODEL = tr("no AI model")
"""What is always shown for the offline engine, however narrow the window is."""


class Status(msgspec.Struct):
    """The content of the status bar, derived from the events of the session. Plain state,
    independent of the screen.
    """

    workspace: str
    """The folder, made safe to draw."""
    endpoint: str
    clock: Callable[[], float] = time.monotonic
    doing: str = _CONNECTING
    running: bool = False
    context_tokens: int = 0
    window: int = 0
    queued: int = 0
    silent_s: int = 0
    review_mode: ReviewMode = msgspec.field(default_factory=ReviewMode)
    unusable: str = ""
    """The profile that is configured but cannot answer."""
    not_kept: dict[str, str] = {}
    """What currently cannot be written to the disk, and why, in two or three words."""
    elsewhere: bool = False
    """The activity takes place in another window."""
    shows_usage: str = ""
    """The usage figure that the user wants to see: ``tokens``, ``cost``, or none."""
    used_tokens: int = 0
    cost_usd: float = 0.0
    _started: float = 0.0
    _questions: set[str] = set()
    _asked: float = 0.0
    _again: str = ""
    """What is said while the next attempt is waited for, until `_again_at`."""
    _again_at: float = 0.0

    def handle(self, event: Event) -> None:  # noqa: C901  (one flat table of events)
        """Update from `event`."""
        match event:
            case SessionStarted():
                self.endpoint = endpoint_label(event.profile, event.endpoint, event.model)
                self.doing = _THINKING if self.running else _READY
            case SessionLost():
                self.doing = _NOT_CONNECTED
            case RunStarted():
                ago = max(0.0, time.time() - event.time) if self.elsewhere else 0.0
                self.running, self._started, self.silent_s = True, self.clock() - ago, 0
                self.doing = _THINKING if self.doing != _CONNECTING else self.doing
            case RunFinished():
                self.count(event)
                self.running, self.silent_s = False, 0
                self._questions.clear()
                self.doing = self.doing if self.doing == _NOT_CONNECTED else _READY
            case TextDelta() if self.running:
                self.doing = _WRITING
            case ThinkingDelta() | ToolResult() if self.running:
                self.doing = _THINKING
            case ToolPreparing(name=name) | ToolUse(name=name) if self.running:
                self.doing = one_line(friendly_name(name)).lower()
            case Retrying():
                self.doing = self._again = tr(
                    "asking again ({attempt} of {most}),",
                    attempt=event.attempt,
                    most=event.max_attempts,
                )
                self._again_at = self.clock() + event.delay_ms / 1000
            case Compacting() if self.running:
                self.doing = tr("compacting")
            case Stalled(seconds=seconds):
                self.silent_s = seconds
            case (
                PermissionRequested(request_id=request_id)
                | UiRequested(request_id=request_id, in_run=True)
            ):
                self._wait(request_id)
            case PermissionDecided(request_id=request_id) | UiSettled(request_id=request_id):
                self._go_on(request_id)
            case UsageChanged():
                self.context_tokens, self.window = event.context_tokens, event.window or self.window
            case QueueChanged(prompts=prompts):
                self.queued = len(prompts)
            case Notice(code=code, why=why) if what := NOT_KEPT.get(code.removesuffix("_over")):
                self.not_kept.pop(what, None)
                if not code.endswith("_over"):
                    self.not_kept[what] = why

    def count(self, event: RunFinished) -> None:
        """Add the usage of a run."""
        self.used_tokens += event.tokens.total if event.tokens is not None else 0
        self.cost_usd += event.cost_usd or 0.0

    def _wait(self, request_id: str) -> None:
        self._asked = self._asked if self._questions else self.clock()
        self._questions.add(request_id)

    def _go_on(self, request_id: str) -> None:
        if request_id in self._questions:
            self._questions.discard(request_id)
            self._started += 0.0 if self._questions else self.clock() - self._asked

    def stop(self) -> None:
        """Show that the user is stopping the run, until it has ended; that takes seconds if the
        agent process hangs.
        """
        if self.running:
            self.doing = _STOPPING

    @property
    def waiting(self) -> bool:
        """Whether a question waits for the user."""
        return bool(self._questions)

    @property
    def elapsed_s(self) -> int:
        """Seconds since the run started, excluding those in which a question waited."""
        return int((self._asked if self._questions else self.clock()) - self._started)

    @property
    def activity(self) -> str:
        """The current activity in a few words."""
        if self.elsewhere:
            return self._activity_elsewhere
        if self.waiting:
            return tr("waiting for you")
        return self._at_work if self.running else self.doing

    @property
    def _at_work(self) -> str:
        lasts = duration(self.elapsed_s)
        if self.doing == self._again and (wait_s := int(self._again_at - self.clock())) > 0:
            lasts = tr("in {time}", time=duration(wait_s))
        silence = ""
        if self.silent_s:
            silence = tr(", nothing received for {seconds} s", seconds=self.silent_s)
        return f"{self.doing} {lasts}{silence}"

    @property
    def _activity_elsewhere(self) -> str:
        if self.waiting:
            return tr("read-only, live: it is asking in the other window")
        return tr("read-only, live: {activity}", activity=self._at_work) if self.running else _LIVE

    def set_open_elsewhere(self, *, continues: bool) -> None:
        """Set whether another window continues the conversation."""
        self.elsewhere, self.running = continues, False
        self._questions.clear()
        self.doing, self.queued, self.silent_s = _READY, 0, 0

    def context(self, brevity: int = 0) -> str:
        """Return how much of the context window is used, if known."""
        if not self.context_tokens:
            return ""
        if self.window:
            used = f"{min(100, round(100 * self.context_tokens / self.window))} %"
        else:
            used = tr("{count} tokens", count=_thousands(self.context_tokens))
        return _CONTEXT[brevity].format(used=used)

    def parts(self, width: int) -> tuple[str, str]:
        """Return what stands left and right in `width` columns.

        What matters least gives way first: the folder's path, its name, the words of the right
        side, the model, who answers. What happens now, the review, the context and the queue stay;
        where not even these fit, the left side is cut.
        """
        name = self.workspace.rstrip("/").rpartition("/")[2] or self.workspace
        who = _NO_MODEL if self.endpoint.endswith(_NO_MODEL) else self.endpoint.partition(" · ")[0]
        whole = self.endpoint
        if self.unusable:
            whole = tr("not {unusable}: {endpoint}", unusable=self.unusable, endpoint=whole)
        right = ""
        for endpoint, place, brevity in (
            (whole, self.workspace, 0),
            (whole, name, 0),
            (whole, "", 0),
            (whole, "", 1),
            (who, "", 1),
            (who, "", 2),
            ("", "", 2),
        ):
            separator = _SHORT_SEPARATOR if brevity else _SEPARATOR
            left = separator.join(filter(None, (self.activity, endpoint, place)))
            right = separator.join(filter(None, self._right(brevity)))
            if cell_len(left) + cell_len(right) + 2 <= width:
                return left, right
        room = max(0, width - cell_len(right) - 1)
        return Content(self.activity).truncate(room, ellipsis=True).plain, right

    def _right(self, brevity: int) -> Iterator[str]:
        yield self._unkept(brevity)
        yield _REVIEWED[brevity] if self.review_mode.on else ""
        yield self.usage
        yield self.context(brevity)
        if self.queued:
            queued = f"+{self.queued}" if brevity > 1 else tr("{count} queued", count=self.queued)
            yield queued

    def _unkept(self, brevity: int) -> str:
        if not self.not_kept:
            return ""
        what = listing(sorted(self.not_kept))
        said = tr("! not saved") if brevity else tr("! not saved: {what}", what=what)
        whys = tr(", ").join(sorted(filter(None, set(self.not_kept.values()))))
        return f"{said} ({whys})" if whys and brevity < 2 else said

    @property
    def usage(self) -> str:
        """The usage of the conversation, if the user wants to see it and it is known."""
        if self.shows_usage == "cost" and self.cost_usd:
            return f"${self.cost_usd:.2f}"
        if self.shows_usage == "tokens" and self.used_tokens:
            return tr("{count} used", count=_thousands(self.used_tokens))
        return ""


def _thousands(count: int) -> str:
    return f"{count}" if count < 1000 else f"{count / 1000:.1f}k"


def opening_status(opened: OpenedSession) -> Status:
    """Return what is known of a session before it starts."""
    where = one_line(display_path(opened.workspace.root))
    unusable = one_line(opened.unusable_profile)
    return Status(
        where,
        one_line(opened.endpoint.label),
        review_mode=opened.review_mode,
        unusable=unusable,
        elsewhere=opened.read_only,
        shows_usage=opened.own.status_usage,
    )


class StatusBar(Widget):
    """One line that draws a `Status`. It is updated once a second while something is running and
    nothing waits for the user.
    """

    def __init__(self, status: Status) -> None:
        super().__init__(id="status")
        self.status = status

    def show(self, status: Status) -> None:
        """Draw another `status` from now on."""
        self.status = status
        self._follow()
        self.refresh()

    def handle(self, event: Event) -> None:
        """Update from `event`, and draw what changed."""
        width = self.size.width
        before = self.status.parts(width)
        self.status.handle(event)
        self._follow()
        if before != self.status.parts(width):
            self.refresh()

    def _follow(self) -> None:
        """Update the elapsed seconds if they are shown."""
        ticks = self.status.running and not self.status.waiting
        if ticks != bool(self.auto_refresh):
            self.auto_refresh = 1.0 if ticks else None

    def stop(self) -> None:
        """Show that the run is being stopped."""
        self.status.stop()
        self.refresh()

    def set_open_elsewhere(self, *, continues: bool) -> None:
        """Show whether another window continues the conversation."""
        self.status.set_open_elsewhere(continues=continues)
        self.show(self.status)

    def render(self) -> RenderResult:
        """Draw the line, literally."""
        width = max(self.size.width, 1)
        left, right = self.status.parts(width)
        gap = width - cell_len(left) - cell_len(right)
        return Content(f"{left}{' ' * max(gap, 1)}{right}")
