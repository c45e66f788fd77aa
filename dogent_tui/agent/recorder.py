"""Writes down what happens: every event into the session's log, every run into the history of the workspace."""

import asyncio
import logging
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
)
from dogent_tui.agent.redacting import Redactor
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.workspace.history import History, HistoryEntry
from dogent_tui.workspace.paths import Workspace
from dogent_tui.workspace.session_log import SessionHold, SessionLog, read_lines
from dogent_tui.workspace.sessions import TITLE_CHARS, SessionRecord, open_log
from dogent_tui.workspace.trust import make_own_folder

_LOG = logging.getLogger(__name__)
_SUMMARY_CHARS = 500
"""How much of a reply the history keeps; the session's log has all of it."""

_BEGINS = (RunStarted, ToolUse, UiSettled, Rewound)
"""What a log begins with: a run, a shell command of the person, the end of what an earlier session asked, a way back in it."""


class Recorder:
    """Follows a stream of events and writes it to disk, in a thread, in the order it came.

    A session is on disk from its first run or shell command on: one in which nothing was done is nothing to go back to.
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
        """Record the session `session_id`. `secrets`, and those `learned` since, are left out of what is written.

        `notify` tells the person of trouble. `hold` keeps other windows from writing it, and is let go at the end. A new one
        begins with what was said in `fork_of`.
        """
        self._workspace = workspace
        self._log_of = self._session_id = session_id
        self._redactor = Redactor(secrets, learned)
        self._notify = notify
        self._hold = hold
        self._fork_of = fork_of
        self._titled = False
        self._told = False
        self._history = History(workspace.history_file)
        self._log: SessionLog | None = None
        self._before_first_run: list[Event] = []
        self._started: RunStarted | None = None
        self._todos: TodosChanged | None = None

    async def record(self, events: AsyncIterator[Event]) -> None:
        """Record `events` until they end."""
        try:
            async for event in events:
                if isinstance(event, DocumentDelta):
                    continue
                for write in (self._write, self._remember):
                    try:
                        await asyncio.to_thread(write, event)
                    except (OSError, DogentError) as error:  # a full disk must not end the conversation
                        self._tell(error)
        finally:
            if self._log is not None:
                self._log.close()
            if self._hold is not None:
                self._hold.release()

    def _write(self, event: Event) -> None:
        if isinstance(event, SessionStarted):
            self._session_id = event.session_id
            if self._log is not None:
                self._log.goes_on_as(event.session_id)  # it could not be resumed
        if self._log is None and isinstance(event, _BEGINS):
            self._open_log()
        if self._log is not None:
            self._append(event)
        elif self._started is None:
            self._before_first_run.append(event)
        if isinstance(event, Rewound) and event.dropped and self._log is not None:
            self._log.forgets_from(event.dropped)
        if isinstance(event, RunStarted) and self._log is not None and not self._titled:
            self._titled = True
            self._log.entitle(one_line(self._redactor.text(event.prompt.text))[:TITLE_CHARS])

    def _append(self, event: Event) -> None:
        if self._log is not None:
            for line in self._redactor.lines(event):
                self._log.append(line)

    def _tell(self, error: Exception) -> None:
        """Say once in the transcript that the disk does not take what happens, and every time in the log."""
        _LOG.warning("An event was not recorded: %s", error)
        if not self._told and self._notify is not None:
            self._told = True
            self._notify(
                Notice(
                    level="warning",
                    code="not_recorded",
                    message=tr("This conversation cannot be kept on disk: {error}.").format(error=error),
                    remedy=tr("It goes on, but cannot be resumed later. Make room, or correct the permissions."),
                )
            )

    def _open_log(self) -> None:
        self._log = open_log(self._workspace, self._log_of, self._hold, fork_of=self._fork_of)
        if self._session_id != self._log_of:
            self._log.goes_on_as(self._session_id)  # the agent had forgotten: the conversation goes on all the same
        for event in self._before_first_run:
            self._append(event)
        self._before_first_run.clear()

    def _remember(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._started, self._todos = event, None
            make_own_folder(self._workspace)
            status = "clarification" if event.prompt.answers else "started"
            self._history.append(
                HistoryEntry(_utc(event.time), status, self._redactor.text(event.prompt.text), session_id=self._session_id)
            )
        elif isinstance(event, TodosChanged):
            self._todos = event
        elif isinstance(event, RunFinished):
            started = self._started or self._earlier_run(event.run_id)
            if started is not None:
                self._history.append(self._entry(started, event))

    def _earlier_run(self, run_id: str) -> RunStarted | None:
        """Return the beginning of a run that an earlier session left open, and that is ended by abandoning what it asked."""
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
