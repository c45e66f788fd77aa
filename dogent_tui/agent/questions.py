"""The questions that wait for a user: each has exactly one answer, or is cancelled when nobody
will answer any more.
"""

import asyncio
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from dogent_tui.agent.conversation import PermissionQuestion
from dogent_tui.agent.events import (
    Event,
    PermissionAnswer,
    PermissionDecided,
    PermissionRequested,
    Reply,
    Target,
)
from dogent_tui.errors import AgentError
from dogent_tui.language import tr

if TYPE_CHECKING:
    from dogent_tui.agent.authority import Authority
    from dogent_tui.permissions.model import Decision, ToolCall
    from dogent_tui.wall.changes import Difference


def put_in_words(
    authority: "Authority",
    call: "ToolCall",
    decision: "Decision",
    *,
    tool_use_id: str = "",
    why: tuple[str, ...] = (),
    difference: "Difference | None" = None,
) -> PermissionQuestion:
    """Return what the user is asked about `call`. `why` comes before the policy's own reasons.
    Looks at the disk.

    `difference` is what a command did already, where the question is whether to keep it.
    """
    asked = authority.question(call, decision, difference)
    return PermissionQuestion(
        tool_use_id,
        call.tool,
        call.input,
        sentence=asked.sentence,
        reasons=(*why, *asked.reasons),
        targets=tuple(
            Target(spot.path, spot.kind, spot.exists, spot.size, spot.note) for spot in asked.spots
        ),
        spans=asked.spans,
        diff=asked.diff,
        words=asked.words,
        scopes=asked.scopes,
        once_because=asked.once_because,
        rules=asked.rules,
        ends_run=asked.ends_run,
        happened=difference is not None,
    )


def requested(question: PermissionQuestion) -> PermissionRequested:
    """Return `question` as what happened, under an id of its own."""
    values = msgspec.structs.asdict(question)
    del values["outlives_run"]
    return PermissionRequested(request_id=uuid.uuid4().hex[:12], **values)


class _Waiting(msgspec.Struct, frozen=True):
    """A question under way. The future gets None when it is cancelled."""

    question: PermissionQuestion
    answer: asyncio.Future[PermissionAnswer | None]


class PendingQuestions:
    """The one truth about what is being asked; screens only show it."""

    def __init__(self, publish: Callable[[Event], None]) -> None:
        self._publish = publish
        self._waiting: dict[str, _Waiting] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    async def ask(self, question: PermissionQuestion) -> PermissionAnswer | None:
        """Publish `question` and wait for its answer; None where it was cancelled."""
        request = requested(question)
        waiting = _Waiting(question, asyncio.get_running_loop().create_future())
        self._waiting[request.request_id] = waiting
        self._publish(request)
        answer: PermissionAnswer | None = None
        try:
            answer = await waiting.answer
        finally:
            self._waiting.pop(request.request_id, None)
            self._publish(
                PermissionDecided(
                    request_id=request.request_id,
                    tool_use_id=question.tool_use_id,
                    decision="cancelled" if answer is None else answer.behavior,
                    scope="once" if answer is None else answer.scope,
                    message="" if answer is None else answer.message,
                )
            )
        return answer

    def reply(self, request_id: str, reply: Reply) -> None:
        """Answer a question. Raises AgentError where it does not wait (any more), or waits for
        another kind of answer.
        """
        waiting = self._waiting.get(request_id)
        if waiting is None or waiting.answer.done():
            raise AgentError(
                tr("This question is no longer open."), tr("Nothing was done; the run continues.")
            )
        if not isinstance(reply, PermissionAnswer):
            raise AgentError(
                tr("This question asks for permission."), tr("Answer it by allowing or denying.")
            )
        if reply.behavior == "allow" and reply.scope not in waiting.question.scopes:
            raise AgentError(
                tr("This answer can't be saved."),
                waiting.question.once_because or tr("Allow it once."),
            )
        waiting.answer.set_result(reply)

    def cancel(self, *, run_only: bool = False) -> None:
        """Cancel every question that waits; with `run_only` not those that outlive their run."""
        for waiting in self._waiting.values():
            if not waiting.answer.done() and not (run_only and waiting.question.outlives_run):
                waiting.answer.set_result(None)
