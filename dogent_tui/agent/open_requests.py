"""What waits for the user, and the message made from the answers on screens.

Several screens of one turn are shown one after another and answered with one message.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, overload

from dogent_tui.agent.events import (
    Event,
    PermissionAnswer,
    PermissionDecided,
    PermissionRequested,
    Prompt,
    Reply,
    Request,
    RunFinished,
    RunStarted,
    UiAnswer,
    UiRequested,
    UiSettled,
)
from dogent_tui.agent.ui_requests import answer_words
from dogent_tui.errors import AgentError
from dogent_tui.language import tr


class OpenRequests:
    """The single source of truth about what waits for the user; faces only display it. Each request
    has one answer, or is cancelled if no one will answer any more.

    What the agent asked on a screen stays open when its run ends, even across a restart.
    """

    def __init__(self, publish: Callable[[Event], None]) -> None:
        self._publish = publish
        self._open: dict[str, Request] = {}
        self._answered: dict[str, tuple[UiRequested, UiAnswer]] = {}
        self._waiters: dict[str, asyncio.Future[Any]] = {}
        self._ended: dict[str, RunFinished] = {}
        self._note = ""

    def __bool__(self) -> bool:
        return bool(self._open)

    @property
    def on_screens(self) -> tuple[UiRequested, ...]:
        """What the agent asked on screens, oldest first."""
        return tuple(each for each in self._open.values() if isinstance(each, UiRequested))

    @property
    def permissions(self) -> tuple[PermissionRequested, ...]:
        """The calls waiting for a permission, oldest first."""
        return tuple(each for each in self._open.values() if isinstance(each, PermissionRequested))

    @property
    def all_answered(self) -> bool:
        """Whether all screens are answered and there are answers to send."""
        return bool(self._answered) and not self.on_screens

    def restore(self, events: Iterable[Event]) -> None:
        """Restore what is open, or answered and not sent, from an earlier log of the
        conversation.
        """
        asked: dict[str, UiRequested] = {}
        for event in events:
            match event:
                case UiRequested():
                    asked[event.request_id] = event
                case UiSettled(request_id=request_id, answer=answer) if request_id in asked:
                    request = asked.pop(request_id)
                    if answer is not None and not request.in_run:
                        self._answered[request_id] = (request, answer)
                case RunStarted(prompt=prompt):
                    for request_id in prompt.answers:
                        self._answered.pop(request_id, None)
                case RunFinished():
                    self._ended = {event.run_id: event}
        self._open.update(asked)

    def add(self, event: UiRequested) -> None:
        """Keep open a request that ended its turn."""
        self._open[event.request_id] = event

    @overload
    async def ask(self, request: PermissionRequested) -> PermissionAnswer | None: ...
    @overload
    async def ask(self, request: UiRequested) -> UiAnswer | None: ...
    async def ask(self, request: Request) -> Reply | None:
        """Publish a request that waits within its turn, and wait for the answer; None if no one
        will answer any more.
        """
        waiter: asyncio.Future[Reply | None] = asyncio.get_running_loop().create_future()
        self._open[request.request_id], self._waiters[request.request_id] = request, waiter
        self._publish(request)
        try:
            return await waiter
        finally:
            self._waiters.pop(request.request_id, None)
            if isinstance(request, PermissionRequested) and request.request_id in self._open:
                self._settle(request, None)  # the caller is gone

    def ended(self, finished: RunFinished) -> None:
        """Remember how the run with open requests ended, in case they are abandoned."""
        self._ended = {finished.run_id: finished}

    def ended_run(self, request_id: str) -> RunFinished | None:
        """Return how the run of this request ended; None while it is in progress."""
        return self._ended.get(self._open[request_id].run_id)

    def answer(self, request_id: str, answer: Reply) -> None:
        """Accept an answer. Raises AgentError if the request is not open (any more) or requires
        another kind of answer.
        """
        request = self.find(request_id, answer)
        if (
            isinstance(request, PermissionRequested)
            and isinstance(answer, PermissionAnswer)
            and answer.behavior == "allow"
            and answer.scope not in request.scopes
        ):
            raise AgentError(
                tr("This answer can't be saved."), request.once_because or tr("Allow it once.")
            )
        self._settle(request, answer)

    def find(self, request_id: str, answer: Reply | None = None) -> Request:
        """Return the request that `answer` is for. Raises AgentError like `answer`."""
        request = self._open.get(request_id)
        if request is None:
            raise AgentError(
                tr("This request is no longer open."),
                tr("Nothing was done; the conversation continues."),
            )
        if answer is not None and not _fits(request, answer):
            raise AgentError(
                tr("This request needs a different kind of answer."),
                tr("It expects: {kind}.", kind=request.kind),
            )
        return request

    def abandon(self) -> None:
        """Abandon all of them: the user does not answer. The next message tells the model."""
        left = [*(request for request, _ in self._answered.values()), *self.on_screens]
        self._answered.clear()
        for request in self.on_screens:
            self._settle(request, None)
        said = [answer_words(request.payload, UiAnswer()) for request in left if not request.in_run]
        self._note = "\n".join(filter(None, [self._note, *said]))

    def forget(self) -> None:
        """Drop them without telling the model, which will not remember that it asked."""
        self.abandon()
        self._note = ""

    def cancel_permissions(self, *, run_only: bool = False) -> None:
        """Cancel waiting permissions; with `run_only`, not those that outlive their run."""
        for request in list(self._open.values()):
            if isinstance(request, PermissionRequested) and (request.in_run or not run_only):
                self._settle(request, None)

    def release(self) -> None:
        """The turn with waiting requests is lost: permissions are cancelled, and the answers on
        screens, which stay open, become a message.
        """
        self.cancel_permissions()
        for waiter in self._waiters.values():
            if not waiter.done():
                waiter.set_result(None)

    def take_message(self) -> Prompt | None:
        """Return the message with all answers, once; None while a request is open or if nothing was
        answered.
        """
        if not self.all_answered:
            return None
        texts = [
            answer_words(request.payload, answer) for request, answer in self._answered.values()
        ]
        message = Prompt("\n\n".join(texts), answers=tuple(self._answered))
        self._answered = {}
        return message

    def take_note(self) -> list[str]:
        """Return, once, the note for the model about abandoned requests."""
        note, self._note = self._note, ""
        return [note] if note else []

    def _settle(self, request: Request, answer: Any) -> None:
        """Close `request` and pass `answer` to its waiter; without one, keep it for the message."""
        del self._open[request.request_id]
        waiter = self._waiters.get(request.request_id)
        if isinstance(request, UiRequested):
            self._publish(UiSettled(request_id=request.request_id, answer=answer))
            if waiter is None and answer is not None:
                self._answered[request.request_id] = (request, answer)
        else:
            given = answer or PermissionAnswer("deny")
            self._publish(
                PermissionDecided(
                    request_id=request.request_id,
                    tool_use_id=request.tool_use_id,
                    decision="cancelled" if answer is None else given.behavior,
                    scope=given.scope,
                    message=given.message,
                )
            )
        if waiter is not None and not waiter.done():
            waiter.set_result(answer)


def _fits(request: Request, answer: Reply) -> bool:
    if isinstance(answer, PermissionAnswer):
        return request.kind == "permission"
    given = {
        "clarification": answer.answers,
        "outline_edit": answer.outline,
        "document_change": answer.review,
    }
    return request.kind in given and (answer.is_empty or given[request.kind] is not None)
