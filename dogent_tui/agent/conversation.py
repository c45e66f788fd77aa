"""What the service needs of a model session: the seam between the state machine of runs and the
SDK.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

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

TurnOutcome: TypeAlias = Literal["completed", "stopped", "cut", "api_error", "error", "budget"]
"""`stopped`: a hook of ours ended the turn; `cut`: an interrupt, a denial or a signal did;
`budget`: it may cost no more; `error`: it ended for a reason that is no answer of the endpoint.
"""

Effort: TypeAlias = Literal["", "low", "medium", "high", "xhigh", "max"]
"""How much a model is to think; empty for as much as it does by itself."""
EFFORTS: tuple[Effort, ...] = ("low", "medium", "high", "xhigh", "max")


class TurnEnded(Record):
    """The model's turn is over. `status` is the HTTP status of a failing endpoint, 0 where there
    was none.

    `cost_usd` is what the turn cost as the CLI reckons, `tokens` those of its requests, None where
    that is not known. `window` is the size of the context window in tokens. `because` is why the
    model, or the CLI, stopped where it failed: the API's ``stop_reason``, or ``image_error``.
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
    """What fills the context window, in tokens as the CLI estimates them.

    `window` is how many fit, `compacts_at` from how many on the conversation is summarized by
    itself, 0 where it is not. `prompts`, `replies`, `calls` (what the model wrote into tools) and
    `results` by tool are the history; `notes` what the CLI added to it.
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
    """How an MCP server of the user stands in the agent process. `state` is the CLI's word;
    `tools` are those that it offers.
    """

    name: str
    state: Literal["connected", "failed", "needs-auth", "pending", "disabled"]
    error: str = ""
    tools: tuple[str, ...] = ()


class Verdict(Record):
    """What the answer to a `PermissionRequested` means for its call. `stop`: the denial ends the
    turn; otherwise `message` goes back to the model.

    `scope` is how long an allowance holds; only one of the request's `scopes`.
    """

    allow: bool
    message: str = ""
    stop: bool = False
    scope: Scope = "once"


Ask: TypeAlias = Callable[[PermissionRequested], Awaitable[Verdict]]

AskForm: TypeAlias = Callable[[UiRequested], Awaitable[UiAnswer | None]]
"""Puts a request that waits within its turn to the user; None where nobody will answer any more."""


class Conversation(Protocol):
    """One model session. `connect` comes first; one reader reads `messages`, whose end means
    that the session is lost.
    """

    session_id: str

    async def connect(self) -> None:
        """Start the session. Raises AgentError where it cannot."""

    async def send(self, text: str, message_id: str) -> None:
        """Send a user message, to be kept under `message_id`, a UUID. Raises AgentError where
        the session is lost.
        """

    def messages(self) -> AsyncIterator[Event | TurnEnded]:
        """Everything that comes back, for life: events without run and number, and a `TurnEnded`
        at the end of each turn.
        """

    async def compact(self, focus: str, message_id: str) -> None:
        """Have what was said summarized, above all what `focus` names; a `TurnEnded` follows.
        Raises AgentError as `send`.
        """

    async def context(self) -> ContextUse:
        """Return what fills the context window now. Raises AgentError where that cannot be had."""

    async def servers(self) -> Sequence[ServerState]:
        """Return how the MCP servers stand that the process was started with. Raises AgentError
        as `context`.
        """

    async def switch_server(self, name: str, *, on: bool) -> None:
        """Start or end an MCP server that the process was started with. Raises AgentError where
        that fails.
        """

    async def interrupt(self) -> None:
        """Stop the turn under way; its `TurnEnded` follows."""

    async def close(self) -> None:
        """End the session and its process. Never raises."""

    def kill(self) -> None:
        """End the process at once, where it did not end when asked to."""


class SessionChoice(Record):
    """Which session to start: a new one under an id of ours, or an earlier one to continue.

    `fork_of`: the new one under our id remembers what was said in that session, which stays as it
    is. `dropped`: nothing from the prompt of this run on is to be remembered, and that is so where
    only what came up to the entry `at` is.
    """

    session_id: str
    resume: bool = False
    fork_of: str = ""
    dropped: str = ""
    at: str = ""

    @property
    def continues(self) -> str:
        """The id of the session that is remembered, "" for none."""
        return self.fork_of or (self.session_id if self.resume else "")


class Launcher(Protocol):
    """Starts conversations; what they share lives until `close`."""

    async def start(self, choice: SessionChoice, ask: Ask, form: AskForm) -> Conversation:
        """Return a connected conversation. Raises AgentError where there can be none."""

    async def close(self) -> None:
        """End what the conversations shared."""
