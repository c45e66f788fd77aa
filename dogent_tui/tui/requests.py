"""What the agent asks on a screen of its own: opens it, keeps what was answered so far, and sends the answers."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec
from textual.screen import Screen

from dogent_tui.agent.events import Event, PermissionDecided, Reply, RunFinished, UiAnswer, UiRequested, UiSettled
from dogent_tui.agent.ui_requests import Clarification, parse_request
from dogent_tui.errors import AgentError
from dogent_tui.tui.clarification.model import FormResult
from dogent_tui.tui.questions.guard import TYPING_S
from dogent_tui.tui.request_banner import RequestBanner
from dogent_tui.tui.screens.clarification import ClarificationScreen
from dogent_tui.workspace.answer_drafts import AnswerDrafts

_LOG = logging.getLogger(__name__)


class RequestDesk(msgspec.Struct, frozen=True):
    """What the controller needs of the conversation. `last_typed` is on the monotonic clock; `typed` takes stray letters."""

    reply: Callable[[str, Reply], Awaitable[None]]
    last_typed: Callable[[], float]
    typed: Callable[[str], object]
    drafts: AnswerDrafts


class RequestController:
    """The requests of one conversation, one screen after the other. What is open is known to the service, and here only shown."""

    def __init__(self, screen: Screen[None], banner: RequestBanner, desk: RequestDesk) -> None:
        self.desk = desk
        self._screen = screen
        self._banner = banner
        self._open: list[UiRequested] = []
        self._shown: ClarificationScreen | None = None
        self._shown_for = ""
        self._opening = False
        self._due = False
        self._drafts: dict[str, Mapping[str, Any] | None] = {}
        self._keeping: asyncio.Task[None] | None = None

    def handle(self, event: Event) -> None:
        """Show a request once its run has ended, or at once where the run waits for it; take away one that is settled."""
        match event:
            case UiRequested():
                self._open.append(event)
                self._banner.show(self._open)
                self._due = True
                if event.in_run:
                    self.put()
            case RunFinished() | PermissionDecided():
                self.put()
            case UiSettled(request_id=request_id):
                self._settle(request_id)

    def restore(self, requests: Sequence[UiRequested]) -> None:
        """Show what an earlier session left open."""
        self._open = list(requests)
        self._banner.show(self._open)
        self._due = True
        self.put()

    def clear(self) -> None:
        """Forget what is open: the session that asked is left."""
        self._open = []
        self._banner.show(())
        if self._shown is not None:
            self._shown.cancel()

    def put(self) -> None:
        """Open the first request, where something came that was not seen yet, and nothing else is asked just now."""
        if self._due and self._screen.app.screen is self._screen:
            self.open()

    def open(self) -> bool:
        """Open the first request. Returns whether there is one."""
        if self._open and self._shown is None and not self._opening:
            self._opening = True
            self._screen.run_worker(self._show(self._open[0]), group="requests")
        return bool(self._open)

    async def _show(self, request: UiRequested) -> None:
        try:
            draft = await asyncio.to_thread(self.desk.drafts.load, request.request_id)
        finally:
            self._opening = False
        if request not in self._open or self._screen.app.screen is not self._screen:
            return
        self._due, self._shown_for = False, request.request_id
        parsed = parse_request(request.payload)
        if isinstance(parsed, Clarification):
            self._shown = ClarificationScreen(
                parsed,
                draft=draft,
                on_draft=lambda changed: self._keep(request.request_id, changed),
                typed=self.desk.typed,
                typing=time.monotonic() - self.desk.last_typed() < TYPING_S,
            )
            self._screen.app.push_screen(self._shown, lambda result: self._left(request, result))

    def _left(self, request: UiRequested, result: FormResult | None) -> None:
        self._shown = None
        if result is None:
            self._screen.call_later(self.put)
        elif result.outcome == "sent":
            self._answer(request, UiAnswer(answers=result.answers))
        elif result.outcome == "abandoned":
            self._answer(request, UiAnswer())

    def _answer(self, request: UiRequested, answer: UiAnswer) -> None:
        self._screen.run_worker(self._reply(request, answer), group="answers")

    async def _reply(self, request: UiRequested, answer: UiAnswer) -> None:
        try:
            await self.desk.reply(request.request_id, answer)
        except AgentError as error:
            self._screen.notify(str(error), severity="warning", markup=False)

    def _settle(self, request_id: str) -> None:
        self._open = [request for request in self._open if request.request_id != request_id]
        self._banner.show(self._open)
        self._keep(request_id, None)
        self._due = bool(self._open)
        if self._shown is not None and self._shown_for == request_id:
            self._shown.cancel()
        else:
            self._screen.call_later(self.put)

    # ── What was answered so far ──────────────────────────────────────────────────────────────

    def _keep(self, request_id: str, draft: Mapping[str, Any] | None) -> None:
        """Save `draft`, the latest of a request, or drop what is saved where it is None."""
        self._drafts[request_id] = draft
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._save())

    async def _save(self) -> None:
        while self._drafts:
            request_id, draft = self._drafts.popitem()
            try:
                if draft is None:
                    await asyncio.to_thread(self.desk.drafts.drop, request_id)
                else:
                    await asyncio.to_thread(self.desk.drafts.save, request_id, draft)
            except OSError as error:
                _LOG.warning("The answers could not be saved: %s", error)

    async def close(self) -> None:
        """Wait until what was answered so far is saved."""
        if self._keeping is not None:
            await asyncio.wait({self._keeping})
