"""The states of a session and its run, and their possible transitions, as two tables; and what is
known about the current run. Nothing here waits, asks or reports: `service.py` does, based on this.
"""

import json
import uuid
from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.agent.conversation import TurnEnded, Verdict
from dogent_tui.agent.events import (
    Event,
    MessageDropped,
    PermissionAnswer,
    PermissionRequested,
    Retrying,
    RunStatus,
    TextDelta,
    ToolResult,
    ToolUse,
    UiRequested,
    UsedTokens,
)
from dogent_tui.agent.failures import Failure
from dogent_tui.agent.tool_names import call_words
from dogent_tui.language import tr

_TELL_AGAIN_S = 5.0
"""How much longer a silence must be to be reported again."""

_WITHOUT = (
    "The user denied this call. Do not ask for the same again: continue without it, or say what you"
    " cannot do without it."
)

_DROPPED = "The user looked at what it did and did not keep it. Do not run it again unchanged."


STOPPED = Verdict(allow=False, message="The run was stopped.", stop=True)
"""The answer to a call that no one will answer any more."""


SessionState: TypeAlias = Literal["connecting", "idle", "running", "lost", "closed"]
SessionInput: TypeAlias = Literal["agent started", "agent lost", "run began", "run ended", "close"]
_ENDS: Mapping[SessionInput, SessionState] = {"agent lost": "lost", "close": "closed"}
SESSION: Mapping[SessionState, Mapping[SessionInput, SessionState]] = {
    "connecting": {**_ENDS, "agent started": "idle", "run began": "running"},
    "idle": {**_ENDS, "run began": "running"},
    "running": {**_ENDS, "run ended": "idle"},  # the agent may start only now: the run waits for it
    "lost": {**_ENDS, "agent started": "idle", "run began": "running"},  # which restarts it
    "closed": {},
}
"""State → input → new state of the session; other inputs change nothing."""

RunState: TypeAlias = Literal["working"] | RunStatus
"""A run works until its turn ends, or until something determines how it will end."""

_STOPPED: tuple[RunState, ...] = ("aborted", "failed", "interrupted")
RUN: Mapping[RunState, tuple[RunState, ...]] = {
    "working": ("completed", "needs_clarification", "needs_outline_edit", *_STOPPED),
    "completed": (),
    "needs_clarification": _STOPPED,  # the first thing it asks counts
    "needs_outline_edit": _STOPPED,
    "aborted": (),
    "failed": ("interrupted",),  # if we are closing, it is not reported as failed
    "interrupted": ("interrupted",),  # if we are closing, which is why it ended
}
"""State of a run → possible next states. A denial aborts it; it fails if its turn did, or if
nothing came for too long; the user, or our closing, interrupts it.
"""


class Run(msgspec.Struct):
    """The current run. Times are the event loop's.

    `denied` are the calls that the user denied, with their answers: an identical call gets the same
    answer. `why` says how it came into its `state`. `had_begun`: an answer to the last request had
    begun to arrive. `message_id` is the UUID of the prompt in the agent's own transcript; `id` is
    its beginning, so that the prompt can be found there.
    """

    id: str
    started: float
    last_heard: float
    state: RunState = "working"
    why: Failure = Failure()
    tools: set[str] = msgspec.field(default_factory=set)
    denied: dict[str, Verdict] = msgspec.field(default_factory=dict)
    stalled: int = 0
    had_begun: bool = False
    message_id: str = ""
    cost_usd: float | None = None
    tokens: UsedTokens | None = None

    @classmethod
    def begin(cls, now: float) -> "Run":
        """Return a run that begins at `now`."""
        message = uuid.uuid4()
        return cls(message.hex[:12], now, now, message_id=str(message))

    @property
    def is_stopped(self) -> bool:
        """Whether it must not continue: it was interrupted, aborted or given up, or has failed."""
        return self.state in _STOPPED

    def turn_to(self, state: RunState, why: Failure) -> None:
        """Enter `state` if that may follow the current one."""
        if state in RUN[self.state]:
            self.state, self.why = state, why

    def end(self, why: Failure | None = None) -> None:
        """Complete, or fail for `why`, unless its end was already determined."""
        if self.state == "working":
            self.turn_to("failed" if why else "completed", why or Failure())

    def hear(self, item: Event | TurnEnded, now: float) -> bool:
        """Record that `item` arrived. Return whether that ends a reported silence."""
        was_told, self.stalled = bool(self.stalled), 0
        self.last_heard = now
        self.had_begun = self.had_begun or isinstance(item, TextDelta | MessageDropped)
        if isinstance(item, UiRequested):
            asks = tr("The agent asks: {title}", title=item.payload.get("title"))
            self.turn_to(needed_by(item), Failure(message=asks))
        if isinstance(item, ToolUse):
            self.tools.add(item.tool_use_id)
            self.had_begun = False
        elif isinstance(item, ToolResult):
            self.tools.discard(item.tool_use_id)
        elif isinstance(item, Retrying):
            self.last_heard += item.delay_ms / 1000
        return was_told

    def denied_before(self, question: PermissionRequested) -> Verdict | None:
        """Return the user's words if they have denied the same call before, otherwise None."""
        return self.denied.get(_same(question))

    def record_answer(
        self, question: PermissionRequested, answer: PermissionAnswer | None, cwd: str
    ) -> Verdict:
        """Return what `answer` means for the call; None is no one's answer. A denial without words
        aborts the run.

        The exception is a question with `ends_run` unset: then the model is told, and continues
        without it.
        """
        if answer is not None and answer.behavior == "allow":
            return Verdict(allow=True, scope=answer.scope)
        verdict = STOPPED
        if answer is not None and answer.drops:
            return Verdict(allow=False, message=_DROPPED)
        if answer is not None and answer.message:
            verdict = Verdict(
                allow=False, message=f"The user denied this call and says: {answer.message}"
            )
        elif answer is not None and not (question.ends_run or answer.ends_run):
            verdict = Verdict(allow=False, message=_WITHOUT)
        elif answer is not None:
            call = call_words(question.tool, question.input, cwd)
            self.turn_to("aborted", Failure(message=tr("Denied: {call}", call=call)))
            verdict = Verdict(allow=False, message="The user denied this call.", stop=True)
        self.denied[_same(question)] = verdict
        return verdict

    def silence(self, now: float, stall_after_s: float) -> int:
        """Return for how many seconds nothing has arrived, if that is to be reported now; otherwise
        0.
        """
        quiet = now - self.last_heard
        if quiet < max(stall_after_s, self.stalled + _TELL_AGAIN_S if self.stalled else 0.0):
            return 0
        self.stalled = max(1, int(quiet))
        return self.stalled


def needed_by(request: UiRequested) -> RunStatus:
    """Return the status of a run that ends with this request."""
    return "needs_clarification" if request.kind == "clarification" else "needs_outline_edit"


def _same(question: PermissionRequested) -> str:
    """Return the key that identical calls have in common."""
    # imported on use: not needed before the first denial
    from dogent_tui.permissions.consultations import without_reason

    places = (
        [[target.path, target.kind] for target in question.targets] if question.happened else []
    )
    return json.dumps(
        [question.tool, without_reason(question.tool, question.input), places],
        sort_keys=True,
        default=str,
    )
