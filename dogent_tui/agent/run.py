"""How a session and its run stand, and what may follow on that, as two tables; and what is known of
the run under way. Nothing here waits, asks or tells: `service.py` does, by what these say.
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
from dogent_tui.agent.tool_names import friendly_name, input_summary
from dogent_tui.language import tr

_TELL_AGAIN_S = 5.0
"""How much longer a silence must be to be told once more."""

_WITHOUT = (
    "The user denied this call. Do not ask for the same again: continue without it, or say what you"
    " cannot do without it."
)

_DROPPED = "The user looked at what it did and did not keep it. Do not run it again unchanged."


STOPPED = Verdict(allow=False, message="The run was stopped.", stop=True)
"""What a call gets that nobody will answer any more."""


SessionState: TypeAlias = Literal["connecting", "idle", "running", "lost", "closed"]
SessionInput: TypeAlias = Literal["agent started", "agent lost", "run began", "run ended", "close"]
_ENDS: Mapping[SessionInput, SessionState] = {"agent lost": "lost", "close": "closed"}
SESSION: Mapping[SessionState, Mapping[SessionInput, SessionState]] = {
    "connecting": {**_ENDS, "agent started": "idle", "run began": "running"},
    "idle": {**_ENDS, "run began": "running"},
    "running": {**_ENDS, "run ended": "idle"},  # the agent may start only now: the run waits for it
    "lost": {**_ENDS, "agent started": "idle", "run began": "running"},  # which starts it again
    "closed": {},
}
"""State → input → state of the session; what is not listed changes nothing."""

RunState: TypeAlias = Literal["working"] | RunStatus
"""A run works until its turn ends, or something says before how it will end."""

_STOPPED: tuple[RunState, ...] = ("aborted", "failed", "interrupted")
RUN: Mapping[RunState, tuple[RunState, ...]] = {
    "working": ("completed", "needs_clarification", "needs_outline_edit", *_STOPPED),
    "completed": (),
    "needs_clarification": _STOPPED,  # the first thing that it asks counts
    "needs_outline_edit": _STOPPED,
    "aborted": (),
    "failed": ("interrupted",),  # where we close meanwhile: it is not reported as failed
    "interrupted": ("interrupted",),  # where we close meanwhile, which is why it ended
}
"""Which states of a run may follow on a state. A denial aborts it; it failed where its turn did, or
nothing came for too long; the user, or our closing, interrupts it.
"""


class Run(msgspec.Struct):
    """The run under way. Times are the event loop's.

    `denied` are the calls that the user denied, and their answers: who asks the same again gets the
    same answer. `why` says how it came into its `state`. `had_begun`: an answer to the last request
    began to come. `message_id` is the UUID under which the agent's own transcript keeps the prompt,
    and `id` how that begins: by it the prompt is found there again.
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
        """Return a run that begins `now`."""
        message = uuid.uuid4()
        return cls(message.hex[:12], now, now, message_id=str(message))

    @property
    def is_stopped(self) -> bool:
        """Whether it is not to continue: it was interrupted, aborted, given up or has failed."""
        return self.state in _STOPPED

    def turn_to(self, state: RunState, why: Failure) -> None:
        """Have it be in `state`, where that may follow on the one it is in."""
        if state in RUN[self.state]:
            self.state, self.why = state, why

    def end(self, why: Failure | None = None) -> None:
        """Have it be completed, or failed for `why`, where nothing said before how it ends."""
        if self.state == "working":
            self.turn_to("failed" if why else "completed", why or Failure())

    def hear(self, item: Event | TurnEnded, now: float) -> bool:
        """Note that `item` came. Returns whether that ends a silence that was told."""
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
        """Return what the user said when the same call was denied before, None where it was not."""
        return self.denied.get(_same(question))

    def record_answer(
        self, question: PermissionRequested, answer: PermissionAnswer | None, cwd: str
    ) -> Verdict:
        """Return what `answer` means for the call; None is nobody's answer. A denial without words
        aborts the run.

        It does not where the question says so: then the model hears of it, and continues without
        what it asked for.
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
            call = f"{friendly_name(question.tool)} {input_summary(question.input, cwd)}".rstrip()
            self.turn_to("aborted", Failure(message=tr("Denied: {call}", call=call)))
            verdict = Verdict(allow=False, message="The user denied this call.", stop=True)
        self.denied[_same(question)] = verdict
        return verdict

    def silence(self, now: float, stall_after_s: float) -> int:
        """Return for how many seconds nothing has come, where that should be told now; else 0."""
        quiet = now - self.last_heard
        if quiet < max(stall_after_s, self.stalled + _TELL_AGAIN_S if self.stalled else 0.0):
            return 0
        self.stalled = max(1, int(quiet))
        return self.stalled


def needed_by(request: UiRequested) -> RunStatus:
    """Return how a run ends that asks this."""
    return "needs_clarification" if request.kind == "clarification" else "needs_outline_edit"


def _same(question: PermissionRequested) -> str:
    """Return what an identical call has in common with this one."""
    from dogent_tui.permissions.consultations import (
        without_reason,
    )  # on use: not needed before the first denial

    places = (
        [[target.path, target.kind] for target in question.targets] if question.happened else []
    )
    return json.dumps(
        [question.tool, without_reason(question.tool, question.input), places],
        sort_keys=True,
        default=str,
    )
