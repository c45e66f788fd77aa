"""What both faces share: a recorded session that another program displays, reviews without a
screen, and the memory of an event translator.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, TypeAlias

from dogent_tui.agent import events
from dogent_tui.agent.document_review import review_of, written
from dogent_tui.agent.recorder import start_recording
from dogent_tui.agent.replay import replay_log
from dogent_tui.agent.session import OpenedSession, SessionOptions, check_usable, open_session
from dogent_tui.agent.ui_requests import ChangeRequest
from dogent_tui.changes.reviewed import Reviewed
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.storage.paths import Workspace

Chunk: TypeAlias = dict[str, Any]
"""A message to the other side, as JSON."""
TextEvent: TypeAlias = events.TextDelta | events.TextFinished | events.ThinkingDelta
ToolEvent: TypeAlias = events.ToolPreparing | events.ToolUse | events.ToolOutput | events.ToolResult


def open_to_write(workspace: Workspace, options: SessionOptions) -> OpenedSession:
    """Return the session, exclusively for writing. Blocks. Raises DogentError."""
    opened = open_session(workspace, options)
    try:
        check_usable(opened)
    except DogentError:
        opened.hold.release()
        raise
    return opened


def open_review(opened: OpenedSession, asked: ChangeRequest) -> Reviewed:
    """Return the review of a change relative to the file's current content. Blocks. Raises
    DogentError.
    """
    path = opened.workspace.absolute(asked.path).resolve()
    reviewed = review_of(opened.workspace, asked, opened.libraries.unsaved.get(path))
    reviewed.refresh()
    return reviewed


def write_accepted(opened: OpenedSession, reviewed: Reviewed) -> events.UiAnswer:
    """Write the accepted hunks, and return the answer. Blocks. Raises DogentError."""
    answer = written(reviewed, opened.copies())
    if answer is None:
        remedy = tr("Nothing was written. Look at the change again.")
        raise DogentError(tr("The file changed meanwhile."), remedy)
    opened.libraries.unsaved.pop(reviewed.path, None)
    return answer


class Connected:
    """One session."""

    def __init__(self, opened: OpenedSession) -> None:
        self.opened = opened
        self.service = opened.service
        self._tasks: list[asyncio.Task[None]] = []

    async def connect(self) -> None:
        """Connect the agent; `restore` receives what was said before, `hear` what is said from now
        on.
        """
        heard, recording = self.service.events(), start_recording(self.opened, self.report)
        if (log := self.opened.earlier_log) is not None:
            earlier, _ = await asyncio.to_thread(replay_log, log)
            self.service.restore(earlier)
            await self.restore(earlier)
        await self.service.__aenter__()
        self._tasks += [asyncio.create_task(self._follow(heard)), recording]

    async def close(self) -> None:
        """End the run and the agent."""
        await self.service.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def restore(self, earlier: Sequence[events.Event]) -> None:
        """Receive what was said before."""

    async def hear(self, event: events.Event) -> None:
        """Process an event."""

    async def end(self) -> None:
        """There will be no more events."""

    def report(self, notice: events.Notice) -> None:
        """Report what cannot be saved."""
        self._tasks.append(asyncio.create_task(self.hear(notice)))

    async def _follow(self, heard: AsyncIterator[events.Event]) -> None:
        try:
            async for event in heard:
                await self.hear(event)
        finally:
            await self.end()


class Seen:
    """The texts and calls of one conversation. `longest_tail`: how many characters of a running
    call's output to keep.
    """

    def __init__(self, longest_tail: int) -> None:
        self._longest_tail = longest_tail
        self._texts: dict[tuple[str, int], str] = {}
        self._tails: dict[str, str] = {}

    def delta(self, event: events.TextDelta) -> None:
        """Add to a text."""
        key = (event.message_id, event.block)
        self._texts[key] = self._texts.get(key, "") + event.text

    def rest(self, event: events.TextFinished) -> tuple[bool, str]:
        """Return whether a finished text continues what was streamed, and the part that was not
        streamed.
        """
        streamed = self._texts.pop((event.message_id, event.block), "")
        continues = event.text.startswith(streamed)
        return continues, event.text[len(streamed) :] if continues else event.text

    def drop(self, message_id: str) -> None:
        """Forget the texts of a message that is streamed again."""
        self._texts = {key: text for key, text in self._texts.items() if key[0] != message_id}

    def tail(self, event: events.ToolOutput) -> str:
        """Return the end of a call's output so far."""
        written = self._tails.get(event.tool_use_id, "") + event.text
        tail = self._tails[event.tool_use_id] = written[-self._longest_tail :]
        return tail

    def end(self, call: str) -> None:
        """Forget a call's output."""
        self._tails.pop(call, None)


def selected_text(text: str, source: str = "") -> str:
    """Return the selection in an editor in the form for the model."""
    named = f" from={source!r}" if source else ""
    return f"<selected_text{named}>\n{text}\n</selected_text>"
