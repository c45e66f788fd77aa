"""What a transcript holds: events become entries, in the order in which a user reads them. No
Textual here.

An entry never moves and its number never changes: one that is withdrawn stays as a place that draws
nothing. Replaying a log of events gives the same entries as living through it.
"""

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from dogent_tui.agent import events as ev
from dogent_tui.agent.events import SHELL_STOPPED, SHELL_TOOL
from dogent_tui.agent.tool_names import review_words
from dogent_tui.language import tr

ToolState: TypeAlias = Literal[
    "preparing", "running", "waiting", "done", "failed", "denied", "stopped"
]

_SHOWN_ELSEWHERE = ("mcp__dogent__plan", "TodoWrite", "mcp__dogent__ui_request", "AskUserQuestion")
"""Tools whose call is drawn as something of its own: the plan, the question."""


class Entry(msgspec.Struct, kw_only=True):
    """Something in the transcript. `run_id` is the run it belongs to; `gone`: withdrawn or never
    to be shown.
    """

    run_id: str = ""
    gone: bool = False


class UserTurn(Entry):
    """What the user sent. `time` is in seconds since the epoch, 0 where unknown. `is_outline`:
    an outline, sent back.
    """

    prompt: ev.Prompt
    time: float = 0.0
    is_outline: bool = False


MOST_SHOWN = 1_000_000
"""Characters of a reply that are shown: laying out a line of 50 million stopped the keys for 5
s. The log has all of it.
"""

LONGEST_LINE = 20_000
"""Characters of one of its lines that are shown."""

_LONG_LINES = re.compile(rf"^(.{{{LONGEST_LINE}}}).+$", re.MULTILINE)


class Reply(Entry):
    """Markdown of the agent. `pending` holds what has come since `text` was last joined."""

    message_id: str
    finished: bool = False
    _text: str = ""
    _pending: list[str] = msgspec.field(default_factory=list)
    _length: int = 0

    @property
    def text(self) -> str:
        """What is drawn: its longest lines are cut."""
        return (
            self.whole
            if len(self.whole) <= LONGEST_LINE
            else _LONG_LINES.sub(_cut_line, self.whole)
        )

    @property
    def whole(self) -> str:
        """All that has come up to `MOST_SHOWN`, with newlines as ``\\n``."""
        if self._pending:
            self._text = "".join([self._text, *self._pending]).replace("\r", "")
            self._pending = []
        return self._text

    def add(self, text: str) -> None:
        """Append `text`, as far as it is shown."""
        room = MOST_SHOWN - self._length
        self._length += len(text)
        if room > 0:
            self._pending.append(text[:room])

    def finish(self, text: str | None = None) -> None:
        """Nothing more comes; `text`, where given, is what the reply says."""
        self.finished = True
        if text is not None:
            self._text, self._pending, self._length = "", [], 0
            self.add(text)
        if self._length > MOST_SHOWN:
            left_out = self._length - MOST_SHOWN
            self._pending.append(
                "\n\n"
                + tr("… {count:,} more characters; /export-session has them all", count=left_out)
            )


def _cut_line(line: re.Match[str]) -> str:
    return f"{line[1]} …"


class Thinking(Reply):
    """What the model thought. Times are seconds since the epoch, 0 where unknown."""

    started: float = 0.0
    ended: float = 0.0


class ToolCall(Entry):
    """A tool call, from its first sign to its result. `started` is in seconds since the epoch, 0
    where unknown.
    """

    tool_use_id: str
    name: str
    state: ToolState = "preparing"
    message_id: str = ""
    input: Mapping[str, Any] = msgspec.field(default_factory=dict)
    result: str | None = None
    changes: tuple[tuple[str, str], ...] = ()
    decided: ev.PermissionDecided | None = None
    kept: tuple[str, ...] = ()
    depth: int = 0
    started: float = 0.0

    @property
    def active(self) -> bool:
        """Whether something is still to come."""
        return self.state in {"preparing", "running", "waiting"}

    @property
    def moves(self) -> bool:
        """Whether time passes for it: not while it waits for the user."""
        return self.state in {"preparing", "running"}

    @property
    def of_the_user(self) -> bool:
        """Whether the user ran it: then its output is what they want to see, and it is unfolded
        from the start.
        """
        return self.name == SHELL_TOOL


class Plan(Entry):
    """The agent's todo list, as it is now."""

    todos: tuple[ev.Todo, ...]

    @property
    def finished(self) -> bool:
        """Whether all of it is done: then a line of it is enough."""
        return all(todo.status == "completed" for todo in self.todos)


class Asked(Entry):
    """The agent asks on a screen of its own: a form, an outline, a change to a document."""

    kind: Literal["clarification", "outline_edit", "document_change"]
    title: str
    detail: str = ""
    state: Literal["open", "answered", "abandoned"] = "open"


class Compacted(Entry):
    """From here on the agent has `told.summary` in place of what is above."""

    told: ev.Compacted


class Notice(Entry):
    """A sentence for the user, and what to do about it."""

    level: ev.Level
    message: str
    remedy: str = ""


class Waiting(Entry):
    """Why nothing comes right now: the endpoint is asked again, or silent. Replaced as it lasts,
    gone when something comes.
    """

    reason: ev.Retrying | ev.Stalled | ev.Compacting


class Outcome(Entry):
    """How a run ended. `duration_ms` is None until that is known."""

    status: ev.RunStatus
    reason: str = ""
    remedy: str = ""
    duration_ms: int | None = None
    cost_usd: float | None = None
    code: str = ""


class Change(msgspec.Struct, frozen=True):
    """The numbers of the entries that an event added or changed."""

    entries: tuple[int, ...] = ()


class TranscriptModel:
    """The entries of a conversation, in order; `entries` only ever grows."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.cwd = ""
        self._numbers: dict[tuple[str, ...], int] = {}  # of what later events refer to
        self._open: set[int] = set()  # entries for which more may come
        self._changed: list[int] = []
        self._last_heard = 0.0, 0.0
        self._handlers: dict[type[ev.Event], Callable[[Any], object]] = {
            ev.SessionStarted: self._session_started,
            ev.RunStarted: self._run_started,
            ev.Rewound: self._rewound,
            ev.TextDelta: self._text_delta,
            ev.TextFinished: self._text_finished,
            ev.MessageDropped: self._message_dropped,
            ev.ThinkingDelta: self._thinking_delta,
            ev.ToolPreparing: self._tool_preparing,
            ev.ToolUse: self._tool_use,
            ev.ToolOutput: self._tool_output,
            ev.ToolResult: self._tool_result,
            ev.TodosChanged: self._todos_changed,
            ev.PermissionRequested: self._permission_requested,
            ev.PermissionDecided: self._permission_decided,
            ev.CopiesKept: self._copies_kept,
            ev.UiRequested: self._ui_requested,
            ev.UiSettled: self._ui_settled,
            ev.Compacting: self._waiting,
            ev.Compacted: self._compacted,
            ev.Retrying: self._waiting,
            ev.Stalled: self._waiting,
            ev.Notice: self._notice,
            ev.SessionLost: self._session_lost,
            ev.Aborted: lambda event: self._end(event, "aborted", event.reason),
            ev.Interrupted: lambda event: self._end(event, "interrupted"),
            ev.RunFinished: self._run_finished,
        }

    def apply(self, event: ev.Event) -> Change:
        """Take what happened. Events that a transcript does not show change nothing."""
        handler = self._handlers.get(type(event))
        if handler is None:
            return Change()
        self._changed = []
        if event.time:
            self._last_heard = event.time, time.monotonic()
        if not isinstance(event, ev.Compacting | ev.Retrying | ev.Stalled | ev.SessionStarted):
            self._withdraw(("waiting",))
        handler(event)
        return Change(tuple(dict.fromkeys(self._changed)))

    @property
    def now(self) -> float:
        """The time on the clock by which the last event was stamped, in seconds since the epoch;
        whoever sets the clock of the machine changes nothing.
        """
        stamped, heard = self._last_heard
        return stamped + time.monotonic() - heard

    def close(self) -> Change:
        """The events end here: what is open stays as it is and counts as stopped."""
        self._changed = []
        self._withdraw(("waiting",))
        self._stop(ev.Event())
        return Change(tuple(dict.fromkeys(self._changed)))

    def last_reply(self) -> str:
        """Return the Markdown of the latest reply, empty where there is none."""
        for entry in reversed(self.entries):
            if type(entry) is Reply and not entry.gone and entry.whole.strip():
                return entry.whole.strip("\n")
        return ""

    def prompts(self) -> dict[str, str]:
        """Return what the user sent, by run."""
        return {
            entry.run_id: entry.prompt.text for entry in self.entries if isinstance(entry, UserTurn)
        }

    def plain_text(self) -> str:
        """Return what was said on both sides, as written: prompts and replies."""
        texts = [
            entry.prompt.text if isinstance(entry, UserTurn) else entry.whole
            for entry in self.entries
            if not entry.gone and (isinstance(entry, UserTurn) or type(entry) is Reply)
        ]
        return "\n\n".join(texts)

    # ── Finding and keeping ───────────────────────────────────────────────────────────────────────

    def _add(self, entry: Entry, *key: str) -> int:
        number = len(self.entries)
        self.entries.append(entry)
        self._changed.append(number)
        if key:
            self._numbers[key] = number
        return number

    def _known(self, *key: str) -> Entry | None:
        number = self._numbers.get(key)
        if number is None:
            return None
        self._changed.append(number)
        return self.entries[number]

    def _withdraw(self, key: tuple[str, ...]) -> None:
        if key in self._numbers:
            number = self._numbers.pop(key)
            self.entries[number].gone = True
            self._open.discard(number)
            self._changed.append(number)

    # ── Text ──────────────────────────────────────────────────────────────────────────────────────

    def _session_started(self, event: ev.SessionStarted) -> None:
        self.cwd = event.cwd

    def _run_started(self, event: ev.RunStarted) -> None:
        asked = [self._known("asked", request) for request in event.prompt.answers]
        outlines = [isinstance(entry, Asked) and entry.kind == "outline_edit" for entry in asked]
        is_outline = bool(outlines) and all(outlines)
        self._add(
            UserTurn(event.prompt, event.time, is_outline, run_id=event.run_id),
            "prompt",
            event.run_id,
        )

    def _rewound(self, event: ev.Rewound) -> None:
        """Withdraw a prompt and all that came after it."""
        first = self._numbers.get(("prompt", event.to))
        for number in range(len(self.entries) if first is None else first, len(self.entries)):
            self.entries[number].gone = True
            self._changed.append(number)
        self._open = {number for number in self._open if not self.entries[number].gone}

    def _text_delta(self, event: ev.TextDelta) -> None:
        self._reply(event).add(event.text)

    def _text_finished(self, event: ev.TextFinished) -> None:
        reply = self._reply(event)
        reply.finish(event.text)
        reply.gone = not event.text.strip()
        self._open.discard(self._changed[-1])

    def _reply(self, event: ev.TextDelta | ev.TextFinished) -> Reply:
        self._close_thinking(event)
        known = self._known("text", event.message_id, str(event.block))
        if isinstance(known, Reply):
            return known
        reply = Reply(event.message_id, run_id=event.run_id)
        self._open.add(self._add(reply, "text", event.message_id, str(event.block)))
        return reply

    def _thinking_delta(self, event: ev.ThinkingDelta) -> None:
        known = self._known("thinking", event.message_id, str(event.block))
        if not isinstance(known, Thinking):
            self._close_thinking(event)
            known = Thinking(event.message_id, started=event.time, run_id=event.run_id)
            self._open.add(self._add(known, "thinking", event.message_id, str(event.block)))
        known.add(event.text)
        known.ended = event.time

    def _close_thinking(self, event: ev.Event) -> None:
        for number in sorted(self._open):
            entry = self.entries[number]
            if isinstance(entry, Thinking) and not entry.finished:
                entry.finish()
                entry.ended = event.time
                self._open.discard(number)
                self._changed.append(number)

    def _message_dropped(self, event: ev.MessageDropped) -> None:
        for key, number in list(self._numbers.items()):
            entry = self.entries[number]
            if entry.gone or event.message_id != getattr(entry, "message_id", ""):
                continue  # a text that was finished goes too: a cut stream can end like a whole one
            if not isinstance(entry, ToolCall) or entry.state == "preparing":
                self._withdraw(key)

    # ── Tools ─────────────────────────────────────────────────────────────────────────────────────

    def _tool_preparing(self, event: ev.ToolPreparing) -> None:
        call = self._call(event, event.tool_use_id, event.name)
        call.message_id = event.message_id

    def _tool_use(self, event: ev.ToolUse) -> None:
        call = self._call(event, event.tool_use_id, event.name)
        call.name, call.input = event.name, event.input
        call.started = event.time
        if call.state == "preparing":
            call.state = "running"
        parent = self._numbers.get(("tool", event.parent_tool_use_id or ""))
        if parent is not None and isinstance(above := self.entries[parent], ToolCall):
            call.depth = above.depth + 1

    def _tool_output(self, event: ev.ToolOutput) -> None:
        call = self._call(event, event.tool_use_id, "")
        call.result = (call.result or "") + event.text

    def _tool_result(self, event: ev.ToolResult) -> None:
        call = self._call(event, event.tool_use_id, "")
        call.result, call.changes = event.content, event.changes
        if call.state != "denied":
            call.state = _result_state(event)
        if call.of_the_user and call.state == "failed" and event.content.endswith(SHELL_STOPPED):
            call.state, call.result = (
                "stopped",
                event.content.removesuffix(SHELL_STOPPED).rstrip("\n") or None,
            )
        call.gone = call.gone and not event.is_error
        self._open.discard(self._changed[-1])

    def _permission_requested(self, event: ev.PermissionRequested) -> None:
        call = self._call(event, event.tool_use_id, event.tool)
        call.input = call.input or event.input
        call.state = "waiting"

    def _permission_decided(self, event: ev.PermissionDecided) -> None:
        call = self._call(event, event.tool_use_id, "")
        call.state = {"allow": "running", "deny": "denied", "cancelled": "stopped"}[event.decision]  # type: ignore[assignment]
        call.decided = event

    def _copies_kept(self, event: ev.CopiesKept) -> None:
        self._call(event, event.tool_use_id, "").kept = event.paths

    def _call(self, event: ev.Event, tool_use_id: str, name: str) -> ToolCall:
        self._close_thinking(event)
        known = self._known("tool", tool_use_id)
        if isinstance(known, ToolCall):
            return known
        call = ToolCall(
            tool_use_id,
            name,
            started=event.time,
            run_id=event.run_id,
            gone=name in _SHOWN_ELSEWHERE,
        )
        self._open.add(self._add(call, "tool", tool_use_id))
        return call

    def _todos_changed(self, event: ev.TodosChanged) -> None:
        known = self._known("plan", event.run_id)
        if isinstance(known, Plan):
            known.todos = event.todos
        else:
            known = Plan(event.todos, run_id=event.run_id)
            self._add(known, "plan", event.run_id)
        known.gone = not event.todos

    # ── Questions, notices, outcomes ──────────────────────────────────────────────────────────────

    def _ui_requested(self, event: ev.UiRequested) -> None:
        title, summary = (str(event.payload.get(name) or "") for name in ("title", "summary"))
        self._add(Asked(event.kind, title, summary, run_id=event.run_id), "asked", event.request_id)
        if event.in_run:
            self._hold(event)

    def _ui_settled(self, event: ev.UiSettled) -> None:
        asked = self._known("asked", event.request_id)
        if not isinstance(asked, Asked):
            return
        self._go_on(event.request_id)
        asked.state = "abandoned" if event.answer is None else "answered"
        if event.answer is not None and event.answer.review:
            asked.detail = review_words(event.answer.review)
        outcome = self._known("outcome", asked.run_id)
        if isinstance(outcome, Outcome) and event.answer is not None:
            outcome.gone = True  # it said that the answers are waited for

    def _hold(self, event: ev.UiRequested) -> None:
        """Say of the call that this is about that it waits for the user: the newest on that
        file, else the newest at all.
        """
        running = [
            (str(event.payload.get("path") or "") in map(str, call.input.values()), number)
            for number in self._open
            if isinstance(call := self.entries[number], ToolCall)
            and call.state == "running"
            and not call.of_the_user
        ]
        if running:
            _, number = max(running)
            self._set_state(number, "waiting")
            self._numbers["held", event.request_id] = number

    def _go_on(self, request_id: str) -> None:
        number = self._numbers.pop(("held", request_id), None)
        call = self.entries[number] if number is not None else None
        if number is not None and isinstance(call, ToolCall) and call.state == "waiting":
            self._set_state(number, "running")

    def _set_state(self, number: int, state: ToolState) -> None:
        call = self.entries[number]
        assert isinstance(call, ToolCall)
        call.state = state
        self._changed.append(number)

    def _compacted(self, event: ev.Compacted) -> None:
        self._close_thinking(event)
        self._add(Compacted(event, run_id=event.run_id))

    def _waiting(self, event: ev.Compacting | ev.Retrying | ev.Stalled) -> None:
        self._withdraw(("waiting",))
        if not isinstance(event, ev.Stalled) or event.seconds > 0:
            self._add(Waiting(event, run_id=event.run_id), "waiting")

    def _notice(self, event: ev.Notice) -> None:
        self._add(Notice(event.level, event.message, event.remedy, run_id=event.run_id))

    def _session_lost(self, event: ev.SessionLost) -> None:
        self._stop(event)
        self._add(Notice("error", event.message, event.remedy, run_id=event.run_id))

    def _run_finished(self, event: ev.RunFinished) -> None:
        last = self.entries[-1] if self.entries else None
        is_told = isinstance(last, Notice) and last.message == event.reason
        outcome = self._end(event, event.status, "" if is_told else event.reason)
        outcome.remedy, outcome.code = "" if is_told else event.remedy, event.code
        outcome.duration_ms, outcome.cost_usd = event.duration_ms, event.cost_usd

    def _end(self, event: ev.Event, status: ev.RunStatus, reason: str = "") -> Outcome:
        """Close what is open, and say how the run ended: once, however many events tell it."""
        self._stop(event)
        known = self._known("outcome", event.run_id)
        if not isinstance(known, Outcome):
            known = Outcome(status, run_id=event.run_id)
            self._add(known, "outcome", event.run_id)
        known.status = status
        known.reason = reason or known.reason
        return known

    def _stop(self, event: ev.Event) -> None:
        self._close_thinking(event)
        for number in sorted(self._open):
            entry = self.entries[number]
            if isinstance(entry, Reply):
                entry.finish()
            elif isinstance(entry, ToolCall) and entry.active:
                entry.state = "stopped"
            self._changed.append(number)
        self._open.clear()


_NEVER_RUN = "The user doesn't want to proceed with this tool use"
"""How the CLI begins the result of a call that it did not run because another one was denied."""


def _result_state(event: ev.ToolResult) -> ToolState:
    if not event.is_error:
        return "done"
    return "stopped" if event.content.startswith(_NEVER_RUN) else "failed"
