"""What the service needs from a model session: the seam between the state machine of runs and the
SDK.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from dogent_tui.agent.events import (
    Event,
    PermissionRequested,
    Scope,
    UiAnswer,
    UiRequested,
    UsedTokens,
)
from dogent_tui.records import Record

TurnOutcome: TypeAlias = Literal[
    "completed", "stopped", "cut", "api_error", "not_compacted", "error", "budget"
]
"""`stopped`: a hook of ours ended the turn; `cut`: an interrupt, a denial or a signal did;
`budget`: the budget is used up; `not_compacted`: its summary is missing, for whatever reason;
`error`: it ended for a reason other than the endpoint's answer.
"""

Effort: TypeAlias = Literal["", "low", "medium", "high", "xhigh", "max"]
"""How much a model should think; empty for its default."""
EFFORTS: tuple[Effort, ...] = ("low", "medium", "high", "xhigh", "max")


class TurnEnded(Record):
    """The model's turn is over. `status` is the HTTP status of a failing endpoint, 0 if there was
    none.

    `cost_usd` is the cost of the turn by the CLI's estimate, `tokens` those of its requests, None
    if unknown. `window` is the size of the context window in tokens. `because` says why a failed
    turn stopped: the API's ``stop_reason``, or ``image_error``.
    """

    outcome: TurnOutcome
    text: str = ""
    status: int = 0
    error: str = ""
    because: str = ""
    cost_usd: float | None = None
    num_turns: int = 0
    window: int = 0
    tokens: UsedTokens | None = None


class ContextUse(Record):
    """What fills the context window, in tokens by the CLI's estimate.

    `window` is its size, `compacts_at` where automatic summarizing starts, 0 for never. `prompts`,
    `replies`, `calls` (tool inputs written by the model) and `results` by tool are the history;
    `notes` are added by the CLI.
    """

    total: int
    window: int
    compacts_at: int = 0
    system_prompt: int = 0
    tools: int = 0
    prompts: int = 0
    replies: int = 0
    calls: int = 0
    notes: int = 0
    results: Mapping[str, int] = msgspec.field(default_factory=dict)


class ServerState(Record):
    """The state of a user's MCP server in the agent process. `state` is the CLI's word; `tools` are
    those it offers.
    """

    name: str
    state: Literal["connected", "failed", "needs-auth", "pending", "disabled"]
    error: str = ""
    tools: tuple[str, ...] = ()


class Verdict(Record):
    """What the answer to a `PermissionRequested` means for its call. `stop`: the denial ends the
    turn; otherwise `message` goes back to the model.

    `scope` is how long the permission applies, one of the request's `scopes`.
    """

    allow: bool
    message: str = ""
    stop: bool = False
    scope: Scope = "once"


Ask: TypeAlias = Callable[[PermissionRequested], Coroutine[Any, Any, Verdict]]

AskForm: TypeAlias = Callable[[UiRequested], Awaitable[UiAnswer | None]]
"""Asks the user a question within a turn; returns None if no one will answer any more."""


class Conversation(Protocol):
    """One model session. Call `connect` first; one reader reads `messages`, whose end means that
    the session is lost.
    """

    session_id: str

    async def connect(self) -> None:
        """Start the session. Raises AgentError if that fails."""

    async def send(self, text: str, message_id: str) -> None:
        """Send a user message to be stored under `message_id`, a UUID. Raises AgentError if the
        session is lost.
        """

    def messages(self) -> AsyncIterator[Event | TurnEnded]:
        """Yield everything that comes back, for the lifetime of the session: events without run and
        number, and a `TurnEnded` at the end of each turn.
        """

    async def compact(self, focus: str, message_id: str) -> None:
        """Summarize the conversation with an emphasis on `focus`; a `TurnEnded` follows. Raises
        AgentError like `send`.
        """

    async def context(self) -> ContextUse:
        """Return what currently fills the context window. Raises AgentError if that is
        unavailable.
        """

    async def servers(self) -> Sequence[ServerState]:
        """Return the states of the MCP servers the process was started with. Raises AgentError like
        `context`.
        """

    async def switch_server(self, name: str, *, on: bool) -> None:
        """Start or stop an MCP server the process was started with. Raises AgentError if that
        fails.
        """

    async def interrupt(self) -> None:
        """Stop the current turn; its `TurnEnded` follows."""

    async def close(self) -> None:
        """End the session and its process. Never raises."""

    def kill(self) -> None:
        """Kill the process if it did not exit when asked to."""


class SessionChoice(Record):
    """Which session to start: a new one with our id, or an earlier one to continue.

    `fork_of`: the new session with our id remembers that one, which stays unchanged. `dropped`:
    nothing from the prompt of this run on is remembered, which is achieved by resuming at the entry
    `at`.
    """

    session_id: str
    resume: bool = False
    fork_of: str = ""
    dropped: str = ""
    at: str = ""

    @property
    def continues(self) -> str:
        """The id of the remembered session, "" for none."""
        return self.fork_of or (self.session_id if self.resume else "")


class Launcher(Protocol):
    """Starts conversations; what they share exists until `close`."""

    async def start(self, choice: SessionChoice, ask: Ask, form: AskForm) -> Conversation:
        """Return a connected conversation. Raises AgentError if that is impossible."""

    async def close(self) -> None:
        """Release what the conversations shared."""
