"""Puts the questions that wait to the user, one after the other, and sends the answers."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import msgspec
from textual.screen import Screen

from dogent_tui.agent.events import (
    Event,
    PermissionAnswer,
    PermissionDecided,
    PermissionRequested,
    Reply,
)
from dogent_tui.errors import AgentError
from dogent_tui.tui.questions.guard import TYPING_S
from dogent_tui.tui.questions.model import Question
from dogent_tui.tui.questions.queue import QuestionQueue
from dogent_tui.tui.screens.permission import PermissionScreen, UnderlyingPrompt


class QuestionContext(msgspec.Struct, frozen=True):
    """What the controller needs of the conversation. `last_typed` is on the monotonic clock,
    `root` the workspace.
    """

    reply: Callable[[str, Reply], Awaitable[None]]
    last_typed: Callable[[], float]
    behind: UnderlyingPrompt
    root: str


class QuestionController:
    """The questions of one conversation. Events drive it; what waits is known to the service,
    and here only shown.
    """

    def __init__(self, screen: Screen[None], context: QuestionContext) -> None:
        self.queue = QuestionQueue()
        self._screen = screen
        self.context = context
        self._asking: PermissionScreen | None = None
        self._own: dict[str, asyncio.Future[PermissionAnswer | None]] = {}

    def handle(self, event: Event) -> None:
        """Put a question that came; take one away that is settled."""
        match event:
            case PermissionRequested():
                self.queue.add(event)
                self._ask_next()
            case PermissionDecided(request_id=request_id):
                self._settle(request_id)

    async def ask(self, request: PermissionRequested) -> PermissionAnswer | None:
        """Put a question of the application itself, in its turn. Returns the answer, None where
        the session was left.
        """
        answer: asyncio.Future[PermissionAnswer | None] = asyncio.get_running_loop().create_future()
        self._own[request.request_id] = answer
        self.queue.add(request)
        self._ask_next()
        try:
            return await answer
        finally:
            self._own.pop(request.request_id, None)
            self._settle(request.request_id)

    def clear(self) -> None:
        """Forget what waits: the session that asked is left."""
        for answer in self._own.values():
            if not answer.done():
                answer.set_result(None)
        self.queue = QuestionQueue()
        if self._asking is not None:
            self._asking.cancel()

    def _ask_next(self) -> None:
        request = self.queue.current
        if self._asking is not None:
            self._asking.count(self.queue.counter)
        elif request is None:
            self.context.behind.make_room(0)
        else:
            typing = time.monotonic() - self.context.last_typed() < TYPING_S
            question = Question(request, self.context.root)
            self._asking = PermissionScreen(
                question, self.context.behind, typing=typing, counter=self.queue.counter
            )
            self._screen.app.push_screen(
                self._asking, lambda answer: self._answered(request, answer)
            )

    def _answered(self, request: PermissionRequested, answer: PermissionAnswer | None) -> None:
        self._asking = None
        own = self._own.get(request.request_id)
        if own is not None and not own.done():
            own.set_result(answer)
        elif answer is not None:
            self._screen.run_worker(self._reply(request.request_id, answer))
        else:
            self._ask_next()

    async def _reply(self, request_id: str, answer: PermissionAnswer) -> None:
        try:
            await self.context.reply(request_id, answer)
        except AgentError as error:
            self._screen.notify(str(error), severity="warning", markup=False)
            self._settle(request_id)

    def _settle(self, request_id: str) -> None:
        self.queue.settle(request_id)
        if self._asking is not None and self._asking.request.request_id == request_id:
            self._asking.cancel()
        else:
            self._ask_next()
