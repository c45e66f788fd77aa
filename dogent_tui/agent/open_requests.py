"""The requests that the user has not answered yet, and the message that their answers become.

Several requests of one turn are put one after the other, and answered with one message.
"""

import asyncio
from collections.abc import Callable, Iterable

from dogent_tui.agent.change_requests import answer_words
from dogent_tui.agent.events import (
    Event,
    Prompt,
    RunFinished,
    RunStarted,
    RunStatus,
    UiAnswer,
    UiRequested,
    UiSettled,
)
from dogent_tui.errors import AgentError
from dogent_tui.language import tr


class OpenRequests:
    """What the agent asked on a screen. One that nobody answers stays open, also over a restart."""

    def __init__(self, publish: Callable[[Event], None]) -> None:
        self._publish = publish
        self._open: dict[str, UiRequested] = {}
        self._answered: dict[str, tuple[UiRequested, UiAnswer]] = {}
        self._waiters: dict[str, asyncio.Future[UiAnswer | None]] = {}
        self._ended: dict[str, RunFinished] = {}
        self._note = ""

    def __bool__(self) -> bool:
        return bool(self._open)

    @property
    def waiting(self) -> tuple[UiRequested, ...]:
        """The requests to answer, in the order of asking."""
        return tuple(self._open.values())

    @property
    def all_answered(self) -> bool:
        """Whether there are answers, and nothing is open any more."""
        return bool(self._answered) and not self._open

    def restore(self, events: Iterable[Event]) -> None:
        """Take over what is still open, or answered and not sent, in an earlier log of the
        conversation.
        """
        for event in events:
            match event:
                case UiRequested(request_id=request_id):
                    self._open[request_id] = event
                case UiSettled(request_id=request_id, answer=answer) if request_id in self._open:
                    request = self._open.pop(request_id)
                    if answer is not None and not request.in_run:
                        self._answered[request_id] = (request, answer)
                case RunStarted(prompt=prompt):
                    for request_id in prompt.answers:
                        self._answered.pop(request_id, None)
                case RunFinished():
                    self._ended = {event.run_id: event}

    def add(self, event: UiRequested) -> None:
        """Keep a request open that ended its turn."""
        self._open[event.request_id] = event

    async def ask(self, event: UiRequested) -> UiAnswer | None:
        """Keep a request open that waits within its turn; None where that turn is stopped before
        there is an answer.
        """
        waiter: asyncio.Future[UiAnswer | None] = asyncio.get_running_loop().create_future()
        self._open[event.request_id], self._waiters[event.request_id] = event, waiter
        try:
            return await waiter
        finally:
            self._waiters.pop(event.request_id, None)

    def ended(self, finished: RunFinished) -> None:
        """Keep how the run ended whose requests are open, for the case that they are abandoned."""
        self._ended = {finished.run_id: finished}

    def ended_run(self, request_id: str) -> RunFinished | None:
        """Return how the run of this request ended; None while it is under way."""
        request = self._open.get(request_id)
        return self._ended.get(request.run_id) if request is not None else None

    def answer(self, request_id: str, answer: UiAnswer) -> None:
        """Take an answer. Raises AgentError where the request is not open (any more), or wants
        an answer of another kind.
        """
        request = self._open.get(request_id)
        if request is None:
            raise AgentError(
                tr("This request is no longer open."),
                tr("Nothing was done; the conversation continues."),
            )
        fits = {
            "clarification": answer.answers,
            "outline_edit": answer.outline,
            "document_change": answer.review,
        }
        if fits[request.kind] is None:
            raise AgentError(
                tr("This request needs a different kind of answer."),
                tr("It expects: {kind}.").format(kind=request.kind),
            )
        self._settle(request_id, answer)
        waiter = self._waiters.get(request_id)
        if waiter is None:
            self._answered[request_id] = (request, answer)
        elif not waiter.done():
            waiter.set_result(answer)

    def abandon(self) -> None:
        """The user answers none of them. What the model should know of that goes with the next
        message.
        """
        left = [*(request for request, _ in self._answered.values()), *self.waiting]
        self._answered.clear()
        for request in left:
            if request.request_id in self._open:
                self._settle(request.request_id, None)
            self._wake(request.request_id)
        said = [answer_words(request.payload, UiAnswer()) for request in left if not request.in_run]
        self._note = "\n".join(filter(None, [self._note, *said]))

    def forget(self) -> None:
        """The model will not remember that it asked: nobody answers, and it is told nothing of
        that.
        """
        self.abandon()
        self._note = ""

    def release(self) -> None:
        """The turn in which some wait is lost: they stay open, and their answers become a
        message.
        """
        for request_id in list(self._waiters):
            self._wake(request_id)

    def take_message(self) -> Prompt | None:
        """Return the message with all answers, once; None while a request is open, or where
        nothing was answered.
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
        """Return, once, what the model should know of requests that were abandoned."""
        note, self._note = self._note, ""
        return [note] if note else []

    def _settle(self, request_id: str, answer: UiAnswer | None) -> None:
        del self._open[request_id]
        self._publish(UiSettled(request_id=request_id, answer=answer))

    def _wake(self, request_id: str) -> None:
        waiter = self._waiters.get(request_id)
        if waiter is not None and not waiter.done():
            waiter.set_result(None)


def needed_by(request: UiRequested) -> RunStatus:
    """Return how a run ends that asks this."""
    return "needs_clarification" if request.kind == "clarification" else "needs_outline_edit"
