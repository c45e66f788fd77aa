"""The content of a transcript: events become entries, in reading order. Independent of Textual.

An entry never moves and its number never changes; a withdrawn one remains as an entry that draws
nothing. Replaying a log gives the same entries as the live events.
"""

import re
import time
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

import msgspec

from dogent_tui.agent import events as ev
from dogent_tui.agent.events import SHELL_STOPPED, SHELL_TOOL
from dogent_tui.agent.tool_names import review_words
from dogent_tui.language import tr

ToolState = Literal[
    "preparing", "behind", "running", "waiting", "done", "failed", "denied", "stopped"
]

_SHOWN_ELSEWHERE = ("mcp__dogent__plan", "TodoWrite", "mcp__dogent__ui_request", "AskUserQuestion")
"""Tools whose call is drawn as something else: the plan, the question."""


class Entry(msgspec.Struct, kw_only=True):
    """An entry of the transcript. `run_id` is the run it belongs to; `gone`: withdrawn or never
    shown.
    """

    run_id: str = ""
    gone: bool = False


class UserTurn(Entry):
    """What the user sent. `time` is in seconds since the epoch, 0 if unknown. `is_outline`: an
    outline that was sent back.
    """

    prompt: ev.Prompt
    time: float = 0.0
    is_outline: bool = False


MOST_SHOWN = 1_000_000
"""The number of characters of a reply that are shown: laying out a line of 50 million blocked the
keys for 5 s. The log has all of it.
"""

LONGEST_LINE = 20_000
"""The number of characters shown of one line of a reply."""

_LONG_LINES = re.compile(rf"^(.{{{LONGEST_LINE}}}).+$", re.MULTILINE)


class Reply(Entry):
    """Markdown of the agent. `pending` holds what has arrived since `text` was last joined."""

    message_id: str
    finished: bool = False
    _text: str = ""
    _pending: list[str] = []
    _length: int = 0

    @property
    def text(self) -> str:
        """What is drawn: its longest lines are truncated."""
        return (
            self.whole if len(self.whole) <= LONGEST_LINE else _LONG_LINES.sub(r"\1 …", self.whole)
        )

    @property
    def whole(self) -> str:
        """Everything received up to `MOST_SHOWN`, with newlines as ``\\n``."""
        if self._pending:
            self._text = "".join([self._text, *self._pending]).replace("\r", "")
            self._pending = []
        return self._text

    def add(self, text: str) -> None:
        """Append `text`, up to the maximum that is shown."""
        room = MOST_SHOWN - self._length
        self._length += len(text)
        if room > 0:
            self._pending.append(text[:room])

    def finish(self, text: str | None = None) -> None:
        """Finish the reply; `text`, if given, is its final text."""
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


class Thinking(Reply):
    """The model's thinking. Times are in seconds since the epoch, 0 if unknown."""

    started: float = 0.0
    ended: float = 0.0


class ToolCall(Entry):
    """A tool call, from its announcement to its result. `started` is in seconds since the epoch, 0
    if unknown.
    """

    tool_use_id: str
    name: str
    state: ToolState = "preparing"
    message_id: str = ""
    input: Mapping[str, Any] = {}
    result: str | None = None
    changes: tuple[tuple[str, str], ...] = ()
    decided: ev.PermissionDecided | None = None
    kept: tuple[str, ...] = ()
    depth: int = 0
    started: float = 0.0

    @property
    def active(self) -> bool:
        """Whether more is to come."""
        return self.state in {"preparing", "behind", "running", "waiting"}

    @property
    def moves(self) -> bool:
        """Whether its time is counted: not while it waits for the user."""
        return self.state in {"preparing", "running"}

    @property
    def of_the_user(self) -> bool:
        """Whether the user ran it: then its output is what they want to see, and it is unfolded
        initially.
        """
        return self.name == SHELL_TOOL


class Plan(Entry):
    """The agent's current todo list."""

    todos: tuple[ev.Todo, ...]

    @property
    def finished(self) -> bool:
        """Whether everything is done: then one line is enough."""
        return all(todo.status == "completed" for todo in self.todos)


class Asked(Entry):
    """A request of the agent with a screen of its own: a form, an outline, a change to a
    document.
    """

    kind: Literal["clarification", "outline_edit", "document_change"]
    title: str
    detail: str = ""
    state: Literal["open", "answered", "abandoned"] = "open"


class Compacted(Entry):
    """From here on the agent has `told.summary` instead of what is above."""

    told: ev.Compacted


class Notice(Entry):
    """A message for the user, and a remedy."""

    level: ev.Level
    message: str
    remedy: str = ""


class Waiting(Entry):
    """Why nothing is arriving: the endpoint is being retried, or silent. Updated while it lasts,
    removed when something arrives.
    """

    reason: ev.Retrying | ev.Stalled | ev.Compacting


class Outcome(Entry):
    """How a run ended. `duration_ms` is None until known."""

    status: ev.RunStatus
    reason: str = ""
    remedy: str = ""
    duration_ms: int | None = None
    cost_usd: float | None = None
    code: str = ""


_E = TypeVar("_E", bound=Entry)


class TranscriptModel:
    """The entries of a conversation, in order; `entries` only ever grows."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.cwd = ""
        self._numbers: dict[tuple[str, ...], int] = {}  # entries that later events refer to
        self._open: set[int] = set()  # entries that may still grow
        self._changed: dict[int, None] = {}  # by the last event, in order
        self._last_heard = 0.0, 0.0

    def apply(self, event: ev.Event) -> tuple[int, ...]:
        """Process an event; every kind that a transcript shows has a method. Returns the numbers of
        the entries added or changed.
        """
        handler = getattr(self, f"_on_{event.type}", None)
        self._changed = {}
        if handler is not None:
            if event.time:
                self._last_heard = event.time, time.monotonic()
            if not isinstance(event, ev.Compacting | ev.Retrying | ev.Stalled | ev.SessionStarted):
                self._withdraw("waiting")
            handler(event)
        return tuple(self._changed)

    @property
    def now(self) -> float:
        """The current time on the clock of the events, in seconds since the epoch; setting the
        machine's clock does not affect it.
        """
        stamped, heard = self._last_heard
        return stamped + time.monotonic() - heard

    def close(self) -> tuple[int, ...]:
        """The events end here: open entries stay and count as stopped, and so does a run."""
        self._changed = {}
        self._withdraw("waiting")
        self._stop(ev.Event())
        turns = (entry for entry in reversed(self.entries) if isinstance(entry, UserTurn))
        last = next(turns, None)
        if last is not None and not last.gone and ("outcome", last.run_id) not in self._numbers:
            self._end(ev.Event(run_id=last.run_id), "interrupted").code = ev.CLOSED
        return tuple(self._changed)

    def last_reply(self) -> str:
        """Return the Markdown of the latest reply, empty if there is none."""
        for entry in reversed(self.entries):
            if type(entry) is Reply and not entry.gone and entry.whole.strip():
                return entry.whole.strip("\n")
        return ""

    def prompts(self) -> dict[str, str]:
        """Return the user's prompts, by run."""
        return {
            entry.run_id: entry.prompt.text for entry in self.entries if isinstance(entry, UserTurn)
        }

    def plain_text(self) -> str:
        """Return the texts of both sides as written: prompts and replies."""
        texts = [
            entry.prompt.text if isinstance(entry, UserTurn) else entry.whole
            for entry in self.entries
            if not entry.gone and (isinstance(entry, UserTurn) or type(entry) is Reply)
        ]
        return "\n\n".join(texts)

    # ── Finding and keeping ───────────────────────────────────────────────────────────────────────

    def _change(self, number: int) -> Entry:
        """Return an entry to be changed."""
        self._changed[number] = None
        return self.entries[number]

    def _once(self, entry: _E, *key: str) -> _E:
        """Add `entry`, or return the existing one with `key`."""
        if key in self._numbers:
            return cast("_E", self._change(self._numbers[key]))
        return self._add(entry, *key)

    def _add(self, entry: _E, *key: str) -> _E:
        number = len(self.entries)
        self.entries.append(entry)
        self._changed[number] = None
        if key:
            self._numbers[key] = number
        if isinstance(entry, Reply | ToolCall):
            self._open.add(number)
        return entry

    def _known(self, *key: str) -> Entry | None:
        number = self._numbers.get(key)
        return None if number is None else self._change(number)

    def _withdraw(self, *key: str) -> None:
        if key in self._numbers:
            number = self._numbers.pop(key)
            self._change(number).gone = True
            self._open.discard(number)

    # ── Text ──────────────────────────────────────────────────────────────────────────────────────

    def _on_session_started(self, event: ev.SessionStarted) -> None:
        self.cwd = event.cwd

    def _on_run_started(self, event: ev.RunStarted) -> None:
        asked = [self._known("asked", request) for request in event.prompt.answers]
        outlines = [isinstance(entry, Asked) and entry.kind == "outline_edit" for entry in asked]
        is_outline = bool(outlines) and all(outlines)
        turn = UserTurn(event.prompt, event.time, is_outline, run_id=event.run_id)
        self._add(turn, "prompt", event.run_id)

    def _on_rewound(self, event: ev.Rewound) -> None:
        """Withdraw a prompt and everything after it."""
        first = self._numbers.get(("prompt", event.to), len(self.entries))
        for number in range(first, len(self.entries)):
            self._change(number).gone = True
        self._open = {number for number in self._open if not self.entries[number].gone}

    def _on_text_delta(self, event: ev.TextDelta) -> None:
        self._reply(event).add(event.text)

    def _on_text_finished(self, event: ev.TextFinished) -> None:
        reply = self._reply(event)
        reply.finish(event.text)
        reply.gone = not event.text.strip()
        self._settled()

    def _settled(self) -> None:
        """Finish the entry that changed last."""
        self._open.discard([*self._changed][-1])

    def _reply(self, event: ev.TextDelta | ev.TextFinished) -> Reply:
        self._close_thinking(event)
        reply = Reply(event.message_id, run_id=event.run_id)
        return self._once(reply, "text", event.message_id, str(event.block))

    def _on_thinking_delta(self, event: ev.ThinkingDelta) -> None:
        key = ("thinking", event.message_id, str(event.block))
        if key not in self._numbers:
            self._close_thinking(event)
        thinking = Thinking(event.message_id, started=event.time, run_id=event.run_id)
        thinking = self._once(thinking, *key)
        thinking.add(event.text)
        thinking.ended = event.time

    def _close_thinking(self, event: ev.Event) -> None:
        for number in sorted(self._open):
            entry = self.entries[number]
            if isinstance(entry, Thinking):
                self._change(number)
                entry.finish()
                entry.ended = event.time
                self._open.discard(number)

    def _on_message_dropped(self, event: ev.MessageDropped) -> None:
        for key, number in list(self._numbers.items()):
            entry = self.entries[number]
            if entry.gone or event.message_id != getattr(entry, "message_id", ""):
                # finished text is withdrawn too: an interrupted stream can end like a complete one
                continue
            if not isinstance(entry, ToolCall) or entry.state == "preparing":
                self._withdraw(*key)

    # ── Tools ─────────────────────────────────────────────────────────────────────────────────────

    def _on_tool_preparing(self, event: ev.ToolPreparing) -> None:
        call = self._call(event, event.tool_use_id, event.name)
        call.message_id = event.message_id

    def _on_tool_use(self, event: ev.ToolUse) -> None:
        call = self._call(event, event.tool_use_id, event.name)
        call.name, call.input = event.name, event.input
        call.started = event.time
        if call.state == "preparing":
            call.state = "running"
        parent = self._numbers.get(("tool", event.parent_tool_use_id or ""))
        if parent is not None and isinstance(above := self.entries[parent], ToolCall):
            call.depth = above.depth + 1

    def _on_tool_output(self, event: ev.ToolOutput) -> None:
        call = self._call(event, event.tool_use_id, "")
        call.result = (call.result or "") + event.text

    def _on_tool_result(self, event: ev.ToolResult) -> None:
        call = self._call(event, event.tool_use_id, "")
        call.result, call.changes = event.content, event.changes
        if call.state != "denied":
            call.state = _result_state(event)
        if call.of_the_user and call.state == "failed" and event.content.endswith(SHELL_STOPPED):
            call.state = "stopped"
            call.result = event.content.removesuffix(SHELL_STOPPED).rstrip("\n") or None
        call.gone = call.gone and not event.is_error
        self._settled()

    def _on_permission_requested(self, event: ev.PermissionRequested) -> None:
        call = self._call(event, event.tool_use_id, event.tool)
        call.input = call.input or event.input
        call.state = "waiting"
        self._set_behind(call, "running", "behind", event.time)

    def _on_permission_decided(self, event: ev.PermissionDecided) -> None:
        call = self._call(event, event.tool_use_id, "")
        call.state = {"allow": "running", "deny": "denied", "cancelled": "stopped"}[event.decision]  # type: ignore[assignment]
        call.decided = event
        self._set_behind(call, "behind", "running", event.time)

    def _set_behind(
        self, asked: ToolCall, before: ToolState, after: ToolState, time: float
    ) -> None:
        """Change the state of the calls after `asked` in its message, which start once it ends."""
        for number in range(self._numbers["tool", asked.tool_use_id] + 1, len(self.entries)):
            call = self.entries[number]
            if getattr(call, "message_id", "") == asked.message_id != "":
                self._set_state(number, before, after, time)

    def _on_copies_kept(self, event: ev.CopiesKept) -> None:
        self._call(event, event.tool_use_id, "").kept = event.paths

    def _call(self, event: ev.Event, tool_use_id: str, name: str) -> ToolCall:
        self._close_thinking(event)
        call = ToolCall(tool_use_id, name, started=event.time, run_id=event.run_id)
        call.gone = name in _SHOWN_ELSEWHERE
        return self._once(call, "tool", tool_use_id)

    def _on_todos_changed(self, event: ev.TodosChanged) -> None:
        plan = self._once(Plan(event.todos, run_id=event.run_id), "plan", event.run_id)
        plan.todos, plan.gone = event.todos, not event.todos

    # ── Questions, notices, outcomes ──────────────────────────────────────────────────────────────

    def _on_ui_requested(self, event: ev.UiRequested) -> None:
        title, summary = (str(event.payload.get(name) or "") for name in ("title", "summary"))
        self._add(Asked(event.kind, title, summary, run_id=event.run_id), "asked", event.request_id)
        if event.in_run:
            self._hold(event)

    def _on_ui_settled(self, event: ev.UiSettled) -> None:
        asked = self._known("asked", event.request_id)
        if not isinstance(asked, Asked):
            return
        self._go_on(event.request_id)
        asked.state = "abandoned" if event.answer is None else "answered"
        if event.answer is not None and event.answer.review:
            asked.detail = review_words(event.answer.review)
        outcome = self._known("outcome", asked.run_id)
        if isinstance(outcome, Outcome) and event.answer is not None:
            outcome.gone = True  # it said that answers are awaited

    def _hold(self, event: ev.UiRequested) -> None:
        """Mark the call this is about as waiting for the user: the newest for that file, otherwise
        the newest.
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
            self._set_state(number, "running", "waiting")
            self._numbers["held", event.request_id] = number

    def _go_on(self, request_id: str) -> None:
        number = self._numbers.pop(("held", request_id), None)
        if number is not None:
            self._set_state(number, "waiting", "running")

    def _set_state(
        self, number: int, before: ToolState, after: ToolState, started: float = 0
    ) -> None:
        call = self._change(number)
        if isinstance(call, ToolCall) and call.state == before:
            call.state, call.started = after, started or call.started

    def _on_compacted(self, event: ev.Compacted) -> None:
        self._close_thinking(event)
        self._add(Compacted(event, run_id=event.run_id))

    def _on_stalled(self, event: ev.Compacting | ev.Retrying | ev.Stalled) -> None:
        self._withdraw("waiting")
        if not isinstance(event, ev.Stalled) or event.seconds > 0:
            self._add(Waiting(event, run_id=event.run_id), "waiting")

    _on_compacting = _on_retrying = _on_stalled

    def _on_notice(self, event: ev.Notice) -> None:
        self._add(Notice(event.level, event.message, event.remedy, run_id=event.run_id))

    def _on_session_lost(self, event: ev.SessionLost) -> None:
        self._stop(event)
        self._add(Notice("error", event.message, event.remedy, run_id=event.run_id))

    def _on_aborted(self, event: ev.Aborted) -> None:
        self._end(event, "aborted", event.reason)

    def _on_interrupted(self, event: ev.Interrupted) -> None:
        self._end(event, "interrupted")

    def _on_run_finished(self, event: ev.RunFinished) -> None:
        last = self.entries[-1] if self.entries else None
        is_told = isinstance(last, Notice) and last.message == event.reason
        outcome = self._end(event, event.status, "" if is_told else event.reason)
        outcome.remedy, outcome.code = "" if is_told else event.remedy, event.code
        outcome.duration_ms, outcome.cost_usd = event.duration_ms, event.cost_usd

    def _end(self, event: ev.Event, status: ev.RunStatus, reason: str = "") -> Outcome:
        """Close open entries, and show how the run ended: once, however many events report it."""
        self._stop(event)
        outcome = self._once(Outcome(status, run_id=event.run_id), "outcome", event.run_id)
        outcome.status, outcome.reason = status, reason or outcome.reason
        return outcome

    def _stop(self, event: ev.Event) -> None:
        self._close_thinking(event)
        for number in sorted(self._open):
            entry = self._change(number)
            if isinstance(entry, Reply):
                entry.finish()
            elif isinstance(entry, ToolCall) and entry.active:
                entry.state = "stopped"
        self._open.clear()


_NEVER_RUN = "The user doesn't want to proceed with this tool use"
"""How the CLI begins the result of a call that did not run because another one was denied."""


def _result_state(event: ev.ToolResult) -> ToolState:
    if not event.is_error:
        return "done"
    return "stopped" if event.content.startswith(_NEVER_RUN) else "failed"
