"""Writes down what happens: every event into the session's log, every run into the history of
the workspace.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime

from dogent_tui.agent.events import (
    DocumentDelta,
    Event,
    Notice,
    Rewound,
    RunFinished,
    RunStarted,
    SessionStarted,
    TodosChanged,
    ToolUse,
    UiSettled,
    from_json,
    to_json,
)
from dogent_tui.agent.log_redactor import Redactor
from dogent_tui.agent.save_failures import kept_again, not_kept
from dogent_tui.errors import DogentError, reason_of
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.settings.trust import make_own_folder
from dogent_tui.storage.history import History, HistoryEntry
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.session_log import SessionHold, SessionLog, read_lines
from dogent_tui.storage.sessions import TITLE_CHARS, SessionRecord, open_log
from dogent_tui.storage.usage import UsageEntry, note_usage

_LOG = logging.getLogger(__name__)
_SUMMARY_CHARS = 500
"""How much of a reply the history keeps; the session's log has all of it."""

_MOST_WAITING = 8_000_000
"""Characters of the log that wait in memory for a disk that takes none; of what is more, the
oldest is given up.
"""
_MOST_USED = 1_000
"""Runs whose usage waits in memory."""
_TRY_AGAIN_S = 5.0
"""How often it is tried again while nothing happens."""

_BEGINS = (RunStarted, ToolUse, UiSettled, Rewound)
"""What a log begins with: a run, a shell command of the user, the end of what an earlier session
asked, a way back in it.
"""


class Recorder:
    """Follows a stream of events and writes it to disk, in a thread, in the order it came.

    A session is on disk from its first run or shell command on: one in which nothing was done is
    nothing to go back to.
    """

    def __init__(
        self,
        workspace: Workspace,
        session_id: str,
        *,
        secrets: Iterable[str] = (),
        learned: Callable[[], frozenset[str]] = frozenset,
        notify: Callable[[Notice], None] | None = None,
        hold: SessionHold | None = None,
        fork_of: SessionRecord | None = None,
    ) -> None:
        """Record the session `session_id`. `secrets`, and those `learned` since, are left out of
        what is written.

        `notify` tells the user of trouble. `hold` keeps other windows from writing it, and is let
        go at the end. A new one begins with what was said in `fork_of`.
        """
        self._workspace = workspace
        self._log_of = self._session_id = session_id
        self._redactor = Redactor(secrets, learned)
        self._notify = notify
        self._hold = hold
        self._fork_of = fork_of
        self._begun = False
        self._titled = False
        self._failing: set[str] = set()
        self._notices: list[Notice] = []
        self._lines: deque[str] = deque()
        self._entries: deque[HistoryEntry] = deque()
        self._used: deque[UsageEntry] = deque(maxlen=_MOST_USED)
        self._length = 0
        self._given_up = 0
        self._history = History(workspace.history_file)
        self._log: SessionLog | None = None
        self._before_first_run: list[Event] = []
        self._started: RunStarted | None = None
        self._todos: TodosChanged | None = None
        self._answers: SessionStarted | None = None

    async def record(self, events: AsyncIterator[Event]) -> None:
        """Record `events` until they end."""
        try:
            stream = aiter(events)
            following = asyncio.ensure_future(anext(stream, None))
            while True:
                await asyncio.wait({following}, timeout=_TRY_AGAIN_S if self._waits else None)
                if not following.done():
                    await asyncio.to_thread(self._write_waiting)
                    self._notify_now()
                    continue
                if (event := following.result()) is None:
                    break
                if not isinstance(event, DocumentDelta):
                    await asyncio.to_thread(self._take, event)
                    self._notify_now()
                following = asyncio.ensure_future(anext(stream, None))
        finally:
            if self._log is not None:
                self._log.close()
            if self._hold is not None:
                self._hold.release()

    @property
    def _waits(self) -> bool:
        return bool(self._lines or self._entries or self._used)

    def _take(self, event: Event) -> None:
        for code, note in (("not_recorded", self._write), ("history_not_kept", self._remember)):
            try:
                note(event)
            except (OSError, DogentError) as error:
                self._tell(code, error)
        self._write_waiting()

    def _write_waiting(self) -> None:
        """Write what waits, oldest first. A full disk must not end the conversation: what it
        does not take waits on.
        """
        for code, write in (
            ("not_recorded", self._write_lines),
            ("history_not_kept", self._write_entries),
            ("usage_not_kept", self._write_usage),
        ):
            try:
                write()
            except (OSError, DogentError) as error:
                self._tell(code, error)
            else:
                self._told_again(code)

    def _write(self, event: Event) -> None:
        if isinstance(event, SessionStarted):
            self._session_id, self._answers = event.session_id, event
            if self._log is not None:
                self._log.goes_on_as(event.session_id)  # it could not be resumed
        if self._log is None and not self._begun and not isinstance(event, _BEGINS):
            self._before_first_run.append(event)
            return
        if not self._begun:
            self._begun = True
            for earlier in self._before_first_run:
                self._append(earlier)
            self._before_first_run.clear()
        self._append(event)
        if self._log is None:
            self._open_log()
        self._write_lines()
        if isinstance(event, Rewound) and event.dropped and self._log is not None:
            self._log.forgets_from(event.dropped)
        if isinstance(event, RunStarted) and self._log is not None and not self._titled:
            self._titled = True
            self._log.entitle(one_line(self._redactor.text(event.prompt.text))[:TITLE_CHARS])

    def _append(self, event: Event) -> None:
        """Have an event wait to be written. Of what is too much for the memory, the oldest is
        given up.
        """
        for line in self._redactor.lines(event):
            self._lines.append(line)
            self._length += len(line)
        while self._length > _MOST_WAITING and len(self._lines) > 1:
            self._length -= len(self._lines.popleft())
            self._given_up += 1

    def _write_lines(self) -> None:
        if self._lines and self._log is None:
            self._open_log()
        while self._lines and self._log is not None:
            if self._given_up:
                self._log.append(to_json(self._gap()))
                self._given_up = 0
            self._log.append(self._lines[0])
            self._length -= len(self._lines.popleft())

    def _gap(self) -> Notice:
        words = tr(
            "A part of the conversation is missing here: the disk took nothing for too long"
            " ({count:,} events)."
        )
        return Notice(
            level="warning", code="gap", message=words.format(count=self._given_up), remedy=""
        )

    def _write_entries(self) -> None:
        while self._entries:
            make_own_folder(self._workspace)
            self._history.append(self._entries[0])
            self._entries.popleft()

    def _write_usage(self) -> None:
        while self._used:
            note_usage(self._used[0])
            self._used.popleft()

    def _tell(self, code: str, error: Exception) -> None:
        """Say once that the disk does not take what happens."""
        if code not in self._failing:
            _LOG.warning("An event was not recorded: %s", reason_of(error))
            self._failing.add(code)
            self._notices.append(not_kept(code, error))

    def _told_again(self, code: str) -> None:
        if code in self._failing:
            self._failing.discard(code)
            self._notices.append(kept_again(code))

    def _notify_now(self) -> None:
        """Tell what came up in the thread."""
        notices, self._notices = self._notices, []
        if self._notify is not None:
            for notice in notices:
                self._notify(notice)

    def _open_log(self) -> None:
        self._log = open_log(self._workspace, self._log_of, self._hold, fork_of=self._fork_of)
        if self._session_id != self._log_of:
            self._log.goes_on_as(
                self._session_id
            )  # the agent had forgotten: the conversation continues all the same

    def _remember(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._started, self._todos = event, None
            if event.prompt.compacts:  # it is recorded as the command that it is
                return
            status = "clarification" if event.prompt.answers else "started"
            self._entries.append(
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
                self._entries.append(self._entry(started, event))

    def _note_usage(self, event: RunFinished) -> None:
        """Have what a run used wait to be added to the sums."""
        if event.tokens is None or not event.tokens.total or self._answers is None:
            return
        used, answers = event.tokens, self._answers
        counts = (used.input, used.output, used.cached, used.cache_written)
        named = (event.run_id, self._session_id, answers.profile, answers.model)
        self._used.append(UsageEntry(event.time, *named, *counts, event.cost_usd))

    def _earlier_run(self, run_id: str) -> RunStarted | None:
        """Return the beginning of a run that an earlier session left open, and that is ended by
        abandoning what it asked.
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
