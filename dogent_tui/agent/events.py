"""The vocabulary of the project: what happens in a conversation, and what a user answers.

Every event is immutable, belongs to a run (or to the session, with an empty `run_id`) and has a
sequence number assigned by the service. One event is one JSON line: print mode writes it, a session
log stores it, and replaying a log draws the same transcript. Events carry facts, not words for the
screen. This module imports no modules of ours with behavior.
"""

import functools
import json
import operator
import re
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeAlias, dataclass_transform

import msgspec

from dogent_tui.endpoint_kind import EndpointKind
from dogent_tui.records import Json, Record

RunStatus: TypeAlias = Literal[
    "completed", "needs_clarification", "needs_outline_edit", "aborted", "interrupted", "failed"
]
"""How a run ended. `aborted`: a permission was denied; `interrupted`: the user stopped it."""

Level: TypeAlias = Literal["info", "warning", "error"]

Scope: TypeAlias = Literal["once", "session", "always"]
"""How long a permission applies: for this call, until the session ends, or permanently in this
workspace.
"""

SHELL_TOOL = "Shell"
"""The name of the user's own shell commands among the tool calls."""
SHELL_STOPPED = "(stopped)"
"""The end of the result of a shell command that the user stopped."""

TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]


# ── What a user sends ───────────────────────────────────────────────────────────────────────────


class Attachment(Record):
    """A referenced file: its path, never its content.

    `path` is relative to the workspace if it is inside; `type` is the lower-case extension,
    `folder` or `file`. `lines` are the lines of a text that are meant, counted from 1: ``10-40``,
    or ``7``.
    """

    path: str
    name: str
    type: str
    sheet: str | None = None
    lines: str | None = None

    def as_metadata(self) -> dict[str, str]:
        """Return the object that is sent to the model: ``{"path", "name", "type"[, "sheet"][,
        "lines"]}``.
        """
        told = msgspec.structs.asdict(self)
        return {name: value for name, value in told.items() if value is not None}


class UsedTemplate(Record):
    """A document template for one request: its name and its text."""

    name: str
    text: str


class Prompt(Record):
    """What the user typed, and the files it refers to, in the order typed. `answers`: the requests
    it answers.

    `compacts`: it is ``/compact [focus]``, which replaces earlier messages with a summary; no other
    field applies.
    """

    text: str
    attachments: tuple[Attachment, ...] = ()
    answers: tuple[str, ...] = ()
    template: UsedTemplate | None = None
    compacts: bool = False


class PermissionAnswer(Record):
    """The user's answer to `PermissionRequested`. `message`: words for the model, which continues
    after the denial.

    `ends_run`: a denial without words ends the run, whatever was asked, because the model could not
    ask anyone for more. `drops`: what the command did is not kept, and the run continues.
    """

    behavior: Literal["allow", "deny"]
    scope: Scope = "once"
    message: str = ""
    ends_run: bool = False
    drops: bool = False


class UiAnswer(Record):
    """The user's answer to `UiRequested`: question id → value(s), or the edited outline. `None`:
    the request was abandoned.

    `changes` briefly describe how the outline differs from the proposed one. `review` says what
    happened to a change, hunk by hunk, and `over` is the hash of the file's previous content, ""
    for no file.
    """

    answers: Json | None = None
    outline: str | None = None
    comment: str = ""
    changes: tuple[str, ...] = ()
    review: str | None = None
    over: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether the user abandons the request without an answer."""
        return self.answers is None and self.outline is None and self.review is None


Reply: TypeAlias = PermissionAnswer | UiAnswer


# ── What happens ──────────────────────────────────────────────────────────────────────────────────


def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Event(Record, kw_only=True, tag_field="type", tag=_snake_case):
    """Something that happened. `seq` increases by one per event of a session; `time` is seconds
    since the epoch.
    """

    run_id: str = ""
    seq: int = 0
    time: float = 0.0

    @property
    def type(self) -> str:
        """The name of the event in JSON: the name of its class in snake case."""
        return _type_of(self.__class__)


def _type_of(cls: type[Event]) -> str:
    return str(cls.__struct_config__.tag)


class SessionStarted(Event):
    """The agent is connected. `resumed`: it remembers an earlier conversation. `profile` is the
    name in the status bar.
    """

    session_id: str
    profile: str
    model: str
    endpoint: EndpointKind
    cwd: str
    tools: tuple[str, ...] = ()
    resumed: bool = False


class QueuedPrompt(Record, kw_only=True):
    """A prompt waiting for the current run to end."""

    id: str
    prompt: Prompt


class QueueChanged(Event):
    """The waiting prompts, in order."""

    prompts: tuple[QueuedPrompt, ...] = ()


class RunStarted(Event):
    """A prompt was sent to the agent."""

    prompt: Prompt


class TextDelta(Event):
    """More Markdown of the reply. `message_id` and `block` identify the text it belongs to."""

    message_id: str
    block: int
    text: str


class TextFinished(Event):
    """A text of the reply is complete: `text` is all of it and replaces what was streamed.

    It is missing if the run ended within the text: `RunFinished` then ends what is open.
    """

    message_id: str
    block: int
    text: str


class MessageDropped(Event):
    """The stream was interrupted: all texts of this message are void, and the whole message is
    streamed again.
    """

    message_id: str


class ThinkingDelta(Event):
    """More of the model's thinking."""

    message_id: str
    block: int
    text: str


class ToolPreparing(Event):
    """The model has begun to write a tool call; its input is still arriving."""

    message_id: str
    tool_use_id: str
    name: str


class DocumentDelta(Event):
    """More of the text that a call is about to write to `path`. Not stored in logs: the `ToolUse`
    that follows contains all of it.
    """

    message_id: str
    tool_use_id: str
    path: str
    text: str


class ToolUse(Event):
    """The model called a tool. `name` is the tool's own name (``mcp__dogent__read_document``);
    screens display a friendly one.
    """

    tool_use_id: str
    name: str
    input: Json
    parent_tool_use_id: str | None = None


class ToolOutput(Event):
    """More output of a running call. Its `ToolResult` will contain all of it."""

    tool_use_id: str
    text: str


class ToolResult(Event):
    """The result of a tool call, as text. `changes`: the old and new texts of the places it changed
    in a file.
    """

    tool_use_id: str
    content: str
    is_error: bool = False
    changes: tuple[tuple[str, str], ...] = ()


class Todo(Record):
    """One item of the agent's plan."""

    content: str
    status: TodoStatus


class TodosChanged(Event):
    """The agent's complete plan."""

    todos: tuple[Todo, ...] = ()


class Target(Record):
    """A place that a tool call affects, resolved. `size` is in bytes, None unless it is a regular
    file.

    `kind` is what happens to it (``read``, ``write``, ``create``, ``delete``, ``move``,
    ``execute``); `note` says what its name hides ("a link in the workspace leads here").
    """

    path: str
    kind: str = ""
    exists: bool = True
    size: int | None = None
    note: str = ""


class PermissionRequested(Event):
    """A tool call is waiting for the user.

    Attributes:
        sentence: What it would do ("Delete 3 files in chapters/").
        reasons: Why it asks.
        targets: The affected places.
        spans: The risky parts of ``input["command"]`` (start and end, in characters).
        diff: The unified diff of a Write or an Edit.
        words: The reason given by the model.
        scopes: The possible answers.
        once_because: Why no answer can be remembered.
        rules: The `--allow` rules that would allow it in advance.
        tool_use_id: Empty if the application itself asks, before a write of its own.
        ends_run: A denial without words ends the run.
        happened: The command has already run behind the wall, and the question is whether to keep
            what it did.
        in_run: False for a command in the background, which waits for its answer regardless of the
            run.
    """

    kind: ClassVar[Literal["permission"]] = "permission"
    request_id: str
    tool_use_id: str
    tool: str
    input: Json
    sentence: str = ""
    reasons: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    spans: tuple[tuple[int, ...], ...] = ()
    diff: str = ""
    words: str = ""
    scopes: tuple[Scope, ...] = ("once",)
    once_because: str = ""
    rules: tuple[str, ...] = ()
    ends_run: bool = True
    happened: bool = False
    in_run: bool = True


class PermissionDecided(Event):
    """A request was answered. `by`: the user, print mode's rules, or no one any more
    (`cancelled`).
    """

    request_id: str
    tool_use_id: str
    decision: Literal["allow", "deny", "cancelled"]
    scope: Scope = "once"
    message: str = ""


class CopiesKept(Event):
    """Copies were made before a call changed or deleted something: `/undo` restores `paths`. `left`
    could not be copied.
    """

    tool_use_id: str
    paths: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class DocumentExported(Event):
    """The user exported a document. `path` is relative to the workspace if it is inside."""

    path: str


class UiRequested(Event):
    """The agent asks on a native screen: a clarification form, the outline editor, the review of a
    change.

    This ends the run, and the answer is the next prompt; but if it is `in_run`, the run waits for
    the answer.
    """

    request_id: str
    kind: Literal["clarification", "outline_edit", "document_change"]
    payload: Json
    in_run: bool = False


class UiSettled(Event):
    """A request on a screen was answered or, if `answer` is None, will not be."""

    request_id: str
    answer: UiAnswer | None = None


Request: TypeAlias = PermissionRequested | UiRequested
"""What waits for the user: each has a `kind` and at most one `Reply`, and is settled once."""


class UsageChanged(Event):
    """Tokens used in the context window, and its size. `window` is 0 if unknown."""

    context_tokens: int
    window: int = 0


class UsedTokens(Record):
    """Billed tokens: new input, output, cache reads and cache writes."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_written: int = 0

    @property
    def total(self) -> int:
        """The total."""
        return self.input + self.output + self.cached + self.cache_written

    def plus(self, other: "UsedTokens", times: int = 1) -> "UsedTokens":
        """Return the sum of both; with `times` -1 the difference."""
        return UsedTokens(
            self.input + times * other.input,
            self.output + times * other.output,
            self.cached + times * other.cached,
            self.cache_written + times * other.cache_written,
        )


class Compacting(Event):
    """The agent has begun to summarize the conversation so that it fits into its context window."""


class Compacted(Event):
    """From here on the agent remembers earlier messages as `summary`, and little else.

    `by_user`: the user requested it. `before_tokens` is the size of the whole context,
    `after_tokens` the remaining size of the messages; 0 if unknown.
    """

    summary: str
    by_user: bool = False
    before_tokens: int = 0
    after_tokens: int = 0


class Retrying(Event):
    """The endpoint failed and will be asked again in `delay_ms`. `status` is its HTTP status, 0 for
    no answer.
    """

    attempt: int
    max_attempts: int
    delay_ms: int
    status: int = 0
    error: str = ""


class Rewound(Event):
    """The user rewound to before the prompt of the run `to`: that run and everything after it no
    longer belong to the conversation.

    `dropped` is the first of these runs in the agent's own transcript, empty if it contains none.
    """

    to: str
    dropped: str = ""


class Stalled(Event):
    """Nothing has arrived for `seconds`. Repeated while this lasts, and emitted once with 0 when
    something arrives.

    The run is given up after `most_s` seconds.
    """

    seconds: int
    most_s: int = 0


class Notice(Event, kw_only=True):
    """A sentence for the user that belongs to no message. `code` identifies it for programs
    (``config_unknown_key``).

    `why`: in two or three words, if something is currently not being saved.
    """

    level: Level = "warning"
    message: str
    remedy: str = ""
    code: str = ""
    why: str = ""


class SessionLost(Event):
    """The agent process ended on its own. The conversation resumes with the next prompt or when the
    user requests it.
    """

    message: str
    remedy: str = ""


class Aborted(Event):
    """A permission was denied, which ends the run."""

    reason: str


class Interrupted(Event):
    """The user stopped the run."""


CLOSED = "closed"
"""The code of a run that was interrupted because the application or its terminal was closed."""


class RunFinished(Event):
    """A run ended. `reason` and `remedy` are set unless it completed; `code` identifies a failure
    (``api_401``) for programs.

    `cost_usd` is only set if it is accurate, that is for Anthropic's own endpoint. `tokens` are
    those of all its requests, None if unknown.
    """

    status: RunStatus
    duration_ms: int
    result: str = ""
    reason: str = ""
    remedy: str = ""
    code: str = ""
    cost_usd: float | None = None
    num_turns: int = 0
    tokens: UsedTokens | None = None


BUDGET_SPENT = "budget"
"""The code of a run that ended because the conversation's budget is used up."""


# ── One event, one JSON line ──────────────────────────────────────────────────────────────────────

EVENTS: Mapping[str, type[Event]] = {_type_of(cls): cls for cls in Event.__subclasses__()}
"""Event type → its class."""


def from_json(line: str) -> Event:
    """Return the event written by `to_json`. Fields of a newer version are ignored.

    Raises ValueError if `line` is not JSON or not an event known to this version.
    """
    try:
        return _decoder().decode(line)
    except msgspec.ValidationError as error:
        raise ValueError(f"Not an event: {line[:80]!r} ({error})") from error
    except (msgspec.DecodeError, UnicodeEncodeError):
        return _from_odd_json(line)


@functools.cache
def _decoder() -> msgspec.json.Decoder[Event]:
    return msgspec.json.Decoder(_any_event())


def _any_event() -> Any:
    return functools.reduce(operator.or_, EVENTS.values())


def _from_odd_json(line: str) -> Event:
    """Parse what only Python's own parser accepts: lone surrogates."""
    try:
        event: Event = msgspec.convert(json.loads(line), _any_event())
    except msgspec.ValidationError as error:
        raise ValueError(f"Not an event: {line[:80]!r} ({error})") from error
    return event
