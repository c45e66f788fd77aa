"""Records what happens: every event in the session's log, every run in the history of the
workspace. No key is written, even if one streams in pieces.
"""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Generic, TypeVar

from msgspec.structs import replace

from dogent_tui.agent.events import (
    DocumentDelta,
    Event,
    MessageDropped,
    Notice,
    Rewound,
    RunFinished,
    RunStarted,
    SessionLost,
    SessionStarted,
    TextDelta,
    TextFinished,
    ThinkingDelta,
    TodosChanged,
    ToolOutput,
    ToolResult,
    ToolUse,
    UiSettled,
    from_json,
)
from dogent_tui.agent.save_failures import SaveFailures, Saver
from dogent_tui.agent.session import OpenedSession
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import to_json
from dogent_tui.settings.known_secrets import known_secrets, learned_secrets
from dogent_tui.settings.secrets import SHORTEST, redact, spellings
from dogent_tui.settings.trust import make_own_folder
from dogent_tui.storage.history import History, HistoryEntry
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.session_log import SessionHold, SessionLog, read_lines
from dogent_tui.storage.sessions import TITLE_CHARS, SessionRecord, open_log
from dogent_tui.storage.usage import UsageEntry, note_usage

T = TypeVar("T")
_SUMMARY_CHARS = 500
"""The length of a reply in the history; the session's log has all of it."""

_MOST_WAITING = 8_000_000
"""The number of characters of the log to keep in memory while the disk is full; beyond it, the
oldest lines are dropped.
"""
_MOST_USED = 1_000
"""The number of runs whose usage is kept in memory."""
_BEGINS = (RunStarted, ToolUse, UiSettled, Rewound)
"""Events with which a log begins: a run, a shell command of the user, the end of an earlier
session's request, a rewind in it.
"""


class _Backlog(Generic[T]):
    """What is to be written, oldest first: a full disk must not end the conversation. See
    `save_failures.Saver`.
    """

    def __init__(self, write: Callable[[T], None], waiting: deque[T]) -> None:
        self.refused: Exception | None = None
        self.waiting = waiting
        self._write = write
        self._writing = threading.Lock()

    def try_again(self) -> None:
        """Write as much as the disk accepts."""
        with self._writing:
            try:
                while self.waiting:
                    self._write(self.waiting[0])
                    self.waiting.popleft()
            except (OSError, DogentError) as error:
                self.refused = error
            else:
                self.refused = None


_Piece = TextDelta | ThinkingDelta | ToolOutput


class Redactor:
    """Writes events as lines without secrets.

    If a piece of a stream ends like the beginning of a secret, that end is held back until more of
    the stream arrives.
    """

    def __init__(
        self, secrets: Iterable[str], learned: Callable[[], frozenset[str]] = frozenset
    ) -> None:
        """Redact `secrets`, and what `learned` returns when a line is written: keys are looked up
        at any time.
        """
        self._learned = learned
        self._known: frozenset[str] = frozenset()
        self._secrets: tuple[str, ...] = ()
        self._spelled: tuple[str, ...] = ()
        self._held: dict[tuple[str, ...], _Piece] = {}
        self._keep_out(secrets)

    def lines(self, event: Event) -> Iterator[str]:
        """Yield the lines for `event`: usually one, more if a stream ended before it."""
        self._learn()
        if not self._secrets:
            yield to_json(event)
            return
        if isinstance(event, _Piece):
            # written even without text: it says when the stream began
            event = self._held_back(event)
        else:
            yield from (self._line(piece) for piece in self._released(event))
        yield self._line(event)

    def text(self, text: str) -> str:
        """Return `text` without secrets."""
        self._learn()
        return redact(text, self._secrets)

    def _learn(self) -> None:
        learned = self._learned()
        if learned != self._known:
            self._known = learned
            self._keep_out(learned)

    def _keep_out(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(
            {*self._secrets, *(secret for secret in secrets if len(secret) >= SHORTEST)}
        )
        self._spelled = tuple(
            {spelled for secret in self._secrets for spelled in spellings(secret)}
        )

    def _line(self, event: Event) -> str:
        return redact(to_json(event), self._spelled)

    def _held_back(self, piece: _Piece) -> _Piece:
        key = _stream(piece)
        before = self._held.pop(key, None)
        text = redact(f"{before.text}{piece.text}" if before else piece.text, self._secrets)
        begun = max((_begun(text, secret) for secret in self._secrets), default=0)
        if begun:
            self._held[key] = replace(piece, text=text[len(text) - begun :])
        return replace(piece, text=text[: len(text) - begun])

    def _released(self, event: Event) -> list[_Piece]:
        """Discard what is held of a stream whose complete text has arrived; return everything held
        if nothing more will arrive.
        """
        if isinstance(event, TextFinished | ToolResult):
            self._held.pop(_stream(event), None)
        elif isinstance(event, MessageDropped):
            self._held = {
                key: piece for key, piece in self._held.items() if key[1] != event.message_id
            }
        elif isinstance(event, RunFinished | SessionLost):
            held, self._held = list(self._held.values()), {}
            return held
        return []


def _stream(event: _Piece | TextFinished | ToolResult) -> tuple[str, ...]:
    """Return the key of the stream that `event` belongs to."""
    if isinstance(event, ToolOutput | ToolResult):
        return ("tool", event.tool_use_id)
    return (
        "thinking" if isinstance(event, ThinkingDelta) else "text",
        event.message_id,
        str(event.block),
    )


def _begun(text: str, secret: str) -> int:
    """Return the length of the longest end of `text` that is a beginning of `secret`."""
    return next(
        (
            size
            for size in range(min(len(text), len(secret) - 1), 0, -1)
            if text.endswith(secret[:size])
        ),
        0,
    )


class Recorder:
    """Follows a stream of events and writes it to disk, in a thread, in order.

    A session is on disk from its first run or shell command on: without one, there is nothing to
    resume.
    """

    def __init__(
        self,
        workspace: Workspace,
        session_id: str,
        *,
        secrets: Iterable[str] = (),
        learned: Callable[[], frozenset[str]] = frozenset,
        notify: Callable[[Notice], None] = lambda _: None,
        hold: SessionHold | None = None,
        fork_of: SessionRecord | None = None,
    ) -> None:
        """Record the session `session_id`. `secrets`, and those `learned` since, are redacted.

        `notify` tells the user about problems. `hold` keeps other windows from writing, and is
        released at the end. A new session begins with the log of `fork_of`.
        """
        self._workspace = workspace
        self._log_of = self._session_id = session_id
        self._redactor = Redactor(secrets, learned)
        self._notify = notify
        self._hold = hold
        self._fork_of = fork_of
        self._begun = False
        self._titled = False
        self._lines = _Backlog(self._write_line, deque[str]())
        history = History(workspace.history_file)
        self._entries = _Backlog(partial(self._write_entry, history), deque[HistoryEntry]())
        self._used = _Backlog(note_usage, deque[UsageEntry](maxlen=_MOST_USED))
        self._length = 0
        self._given_up = 0
        self._log: SessionLog | None = None
        self._before_first_run: list[Event] = []
        self._started: RunStarted | None = None
        self._todos: TodosChanged | None = None
        self._answers: SessionStarted | None = None

    async def record(self, events: AsyncIterator[Event]) -> None:
        """Record `events` until they end."""
        savers: dict[str, Saver] = {
            "not_recorded": self._lines,
            "history_not_kept": self._entries,
            "usage_not_kept": self._used,
        }
        failures = SaveFailures(self._notify, savers)
        try:
            async for event in events:
                if not isinstance(event, DocumentDelta):
                    await asyncio.to_thread(self._take, event)
                    failures.look()
        finally:
            await failures.close()
            if self._log is not None:
                self._log.close()
            if self._hold is not None:
                self._hold.release()

    def _take(self, event: Event) -> None:
        self._remember(event)
        if isinstance(event, SessionStarted):
            self._session_id, self._answers = event.session_id, event
        if self._begun or isinstance(event, _BEGINS):
            self._begun = True
            for each in (*self._before_first_run, event):
                self._append(each)
            self._before_first_run.clear()
        else:
            self._before_first_run.append(event)
        for backlog in (self._lines, self._entries, self._used):
            backlog.try_again()
        with suppress(OSError, DogentError):  # the log itself contains it
            self._note_in_metadata(event)

    def _note_in_metadata(self, event: Event) -> None:
        if self._log is None:
            return
        if isinstance(event, SessionStarted):
            self._log.continue_as(event.session_id)  # it could not be resumed
        if isinstance(event, Rewound) and event.dropped:
            self._log.forgets_from(event.dropped)
        if isinstance(event, RunStarted) and not self._titled:
            self._titled = True
            self._log.entitle(one_line(self._redactor.text(event.prompt.text))[:TITLE_CHARS])

    def _append(self, event: Event) -> None:
        """Queue an event to be written. If memory is exceeded, the oldest is dropped."""
        lines = self._lines.waiting
        for line in self._redactor.lines(event):
            lines.append(line)
            self._length += len(line)
        while self._length > _MOST_WAITING and len(lines) > 1:
            self._length -= len(lines.popleft())
            self._given_up += 1

    def _write_line(self, line: str) -> None:
        if self._log is None:
            self._log = self._open_log()
        if self._given_up:
            self._log.append(to_json(self._gap()))
            self._given_up = 0
        self._log.append(line)
        self._length -= len(line)

    def _write_entry(self, history: History, entry: HistoryEntry) -> None:
        make_own_folder(self._workspace)
        history.append(entry)

    def _gap(self) -> Notice:
        words = tr(
            "A part of the conversation is missing here: the disk took nothing for too long"
            " ({count:,} events)."
        )
        return Notice(code="gap", message=words.format(count=self._given_up))

    def _open_log(self) -> SessionLog:
        log = open_log(self._workspace, self._log_of, self._hold, fork_of=self._fork_of)
        if self._session_id != self._log_of:
            # the agent had forgotten: the conversation continues anyway
            log.continue_as(self._session_id)
        return log

    def _remember(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._started, self._todos = event, None
            if event.prompt.compacts:  # it is recorded as a command
                return
            status = "clarification" if event.prompt.answers else "started"
            self._entries.waiting.append(
                HistoryEntry(
                    _utc(event.time),
                    status,
                    self._redactor.text(event.prompt.text),
                    session_id=self._session_id,
                )
            )
        elif isinstance(event, TodosChanged):
            self._todos = event
        elif isinstance(event, RunFinished):
            self._note_usage(event)
            started = self._started or self._earlier_run(event.run_id)
            if started is not None and not started.prompt.compacts:
                self._entries.waiting.append(self._entry(started, event))

    def _note_usage(self, event: RunFinished) -> None:
        """Queue the usage of a run to be added to the totals."""
        if event.tokens is None or not event.tokens.total or self._answers is None:
            return
        used, answers = event.tokens, self._answers
        counts = (used.input, used.output, used.cached, used.cache_written)
        named = (event.run_id, self._session_id, answers.profile, answers.model)
        self._used.waiting.append(UsageEntry(event.time, *named, *counts, event.cost_usd))

    def _earlier_run(self, run_id: str) -> RunStarted | None:
        """Return the beginning of a run that an earlier session left open, and that ends because
        its request is abandoned.
        """
        for line in read_lines(self._log.path) if self._log is not None else ():
            if run_id in line:
                with suppress(ValueError):
                    event = from_json(line)
                    if isinstance(event, RunStarted) and event.run_id == run_id:
                        return event
        return None

    def _entry(self, started: RunStarted, finished: RunFinished) -> HistoryEntry:
        todos = self._todos.todos if self._todos is not None else ()
        return HistoryEntry(
            timestamp=_utc(finished.time),
            status=finished.status,
            prompt=self._redactor.text(started.prompt.text),
            summary=self._redactor.text(finished.result)[:_SUMMARY_CHARS],
            reason=self._redactor.text(finished.reason),
            session_id=self._session_id,
            duration_ms=finished.duration_ms,
            cost_usd=finished.cost_usd,
            todos=tuple({"content": todo.content, "status": todo.status} for todo in todos),
        )


def _utc(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def start_recording(
    opened: OpenedSession, notify: Callable[[Notice], None] = lambda _: None
) -> asyncio.Task[None]:
    """Record what happens in `opened` from now on. Return the task, which finishes soon after the
    service is closed. `notify` tells the user about problems.
    """
    return asyncio.create_task(_record(opened, opened.service.events(), notify))


async def _record(
    opened: OpenedSession, events: AsyncIterator[Event], notify: Callable[[Notice], None]
) -> None:
    recorder = await asyncio.to_thread(session_recorder, opened, notify)
    await recorder.record(events)


def session_recorder(
    opened: OpenedSession, notify: Callable[[Notice], None] = lambda _: None
) -> Recorder:
    """Return the writer of log and history of `opened`, which redacts the keys known by then. Reads
    files that contain keys.
    """
    return Recorder(
        opened.workspace,
        opened.service.session_id,
        secrets=(*opened.endpoint.secrets, *known_secrets()),
        learned=learned_secrets,
        notify=notify,
        hold=opened.hold,
        fork_of=opened.fork_of,
    )
