"""The conversation shown in the window: starting, following, replacing and closing it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress

from msgspec.structs import replace
from textual.worker import Worker, WorkerError

from dogent_tui.agent.conversation import Effort
from dogent_tui.agent.events import Event, RunStarted, SessionStarted
from dogent_tui.agent.recorder import start_recording
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.session import OpenedSession, SessionOptions, open_session
from dogent_tui.storage.sessions import session_named
from dogent_tui.tui.garbage import GIVE_BACK_AFTER_S, give_back, hold_back
from dogent_tui.tui.ports import AppPort


class CurrentSession:
    """Keeps one session open for `app`, and shows its events on the screen."""

    def __init__(
        self, app: AppPort, opened: OpenedSession, started: Callable[[], Awaitable[None]]
    ) -> None:
        """Start with `opened`. `started` is called whenever a session is shown and its service is
        running.
        """
        self.opened = opened
        self._app = app
        self._started = started
        self._following: list[asyncio.Task[None]] = []
        self._starting: Worker[None] | None = None
        self._exchanging = asyncio.Lock()
        self._started_for: AgentService | None = None

    # ── What the features of the interface call ───────────────────────────────────────────────

    async def wait_until_started(self) -> None:
        """Return once all of the conversation is shown and its service is running."""
        if self._starting is not None:
            with suppress(WorkerError):  # the application ends
                await self._starting.wait()

    async def ensure_writable(self) -> bool:
        """Whether the conversation can be continued here; if another window owned and left it, it
        is taken over.
        """
        if not self.opened.read_only:
            return True
        from dogent_tui.tui.sessions.other_window import take_over

        return await take_over(self)

    async def open(self, session_id: str = "", *, fork: bool = False) -> None:
        """Show the conversation `session_id` of this workspace, a fork of it, or a new one if
        empty.

        The previous one ends in the background; its queued prompts are put back into the prompt.
        Raises DogentError if it does not exist.
        """
        async with self._exchanging:
            left, following, waiting = self.opened, self._following, self._waiting()
            opened = await _open(left, resume=session_id, fork=fork)
            if session_id == left.service.session_id and not fork:  # another window owned it
                opened.review_mode.on = left.review_mode.on
            await self._exchange(opened, waiting)
            await _close(left, following)

    async def change_profile(self, name: str, model: str = "", effort: Effort = "") -> None:
        """Continue with the profile `name` (empty: as configured for the folder), in the same
        conversation if there is one.

        `model` and `effort` override the profile's own.
        """
        async with self._exchanging:
            left, waiting = self.opened, self._waiting()
            await self.close()  # its process holds the conversation
            session_id = left.service.session_id  # nothing is stored of an empty conversation
            known = await asyncio.to_thread(session_named, left.workspace, session_id)
            chosen = replace(left.options, profile=name, model=model, effort=effort)
            opened = await _open(left, chosen, resume=session_id if known else "")
            opened.service.budget.limit_usd = left.service.budget.limit_usd
            opened.review_mode.on = left.review_mode.on
            await self._exchange(opened, waiting)

    # ── Life ──────────────────────────────────────────────────────────────────────────────────

    def begin(self, *, choose: bool = False) -> None:
        """Start the opened session; with `choose`, let the user choose an earlier conversation
        first.
        """
        self._starting = self._app.run_worker(self._start(choose=choose), name="session")

    async def close(self) -> None:
        """End the session and its process."""
        await _close(self.opened, self._following)

    async def _start(self, *, choose: bool = False) -> None:
        if choose:  # before an agent is started for another conversation
            from dogent_tui.tui.sessions.controller import choose_session

            if await choose_session(self._app):
                return
        screen, opened = self._app.conversation, self.opened
        await screen.conversation_layout.bring()
        waited: list[str] = []
        if opened.read_only:
            from dogent_tui.tui.sessions.other_window import OtherWindow

            other = OtherWindow(screen, opened)
            await other.begin()
            if self.opened is opened:
                self._following = [asyncio.create_task(other.follow())]
        elif opened.earlier_log is not None:
            # before the agent, whose imports would make this three times slower
            from dogent_tui.agent.replay import replay_log

            earlier, waited = await asyncio.to_thread(replay_log, opened.earlier_log)
            await screen.replay(earlier)
            opened.service.restore(earlier, send=not opened.trust.must_ask)
        if self.opened is not opened:  # another conversation was opened in the meantime
            return
        if not opened.read_only:
            await self._converse(opened)
            self._give_back(waited)
        await self._started()

    async def _converse(self, opened: OpenedSession) -> None:
        """Start the service and follow it."""
        service, screen = opened.service, self._app.conversation
        # before the service starts: a prompt may be queued already, and its run starts at once
        self._following = [
            asyncio.create_task(self._follow(service, service.events())),
            start_recording(opened, screen.handle),
        ]
        if service.requests:
            screen.requests.restore(service.requests)
        await service.__aenter__()

    async def _follow(self, service: AgentService, events: AsyncIterator[Event]) -> None:
        async for event in events:
            if isinstance(event, SessionStarted):
                self._keep_from_collections(service)
            # otherwise only its log receives the last events
            if self._app.conversation.service is service:
                self._app.conversation.handle(event)
            if isinstance(event, RunStarted):
                self._app.dismiss_setup()

    def _keep_from_collections(self, service: AgentService) -> None:
        """Exclude permanent objects from garbage collections, and free the memory of the previous
        session.
        """
        if self._started_for is None:
            hold_back()
        elif self._started_for is not service:
            self._app.set_timer(GIVE_BACK_AFTER_S, give_back)
        self._started_for = service

    def _give_back(self, waited: Sequence[str]) -> None:
        """Put the prompts that an earlier session did not get to into the prompt, unless they are
        there already.
        """
        prompt = self._app.conversation.prompt
        if texts := [text for text in waited if text not in prompt.editor.value]:
            prompt.put_back("\n\n".join(texts))
        if waited:
            self.opened.service.publish_queue()

    def _waiting(self) -> list[str]:
        return [queued.prompt.text for queued in self.opened.service.queued]

    async def _exchange(self, opened: OpenedSession, waiting: Sequence[str]) -> None:
        """Show `opened` in place of the current session, and start it."""
        screen = self._app.conversation
        self.opened, self._following = opened, []
        await screen.show_session(opened)
        if waiting:
            screen.prompt.put_back("\n\n".join(waiting))
        self.begin()


async def _open(
    left: OpenedSession,
    options: SessionOptions | None = None,
    *,
    resume: str,
    fork: bool = False,
) -> OpenedSession:
    """Open a conversation in the workspace of `left`, with its options unless others are given."""
    chosen = replace(options or left.options, continue_latest=False, resume=resume, fork=fork)
    return await asyncio.to_thread(open_session, left.workspace, chosen)


async def _close(opened: OpenedSession, following: Sequence[asyncio.Task[None]]) -> None:
    """Close a session, let its followers process its end, and release it to other windows."""
    await opened.service.close()
    if opened.read_only:  # it follows another window, which continues
        for task in following:
            task.cancel()
    if following:
        await asyncio.wait(following, timeout=1.0)
    opened.hold.release()
