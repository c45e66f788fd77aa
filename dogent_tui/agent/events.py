"""The vocabulary of the project: what happens in a conversation, and what a user answers.

Every event is immutable, belongs to a run (or to the session, with an empty `run_id`) and carries a
sequence number that the service assigns. One event is one JSON line: print mode writes it, a
session log stores it, and replaying a log draws the same transcript. Events carry facts, not words
for the screen. This module imports nothing of ours that does anything.
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
"""How long a permission holds: for this call, until the session ends, or for good in this
workspace.
"""

SHELL_TOOL = "Shell"
"""The name under which a shell command of the user appears among the tool calls."""
SHELL_STOPPED = "(stopped)"
"""How the result of one ends that the user stopped."""

TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]


# ── What a user sends ───────────────────────────────────────────────────────────────────────────


class Attachment(Record):
    """A referenced file: where it is, never what it holds.

    `path` is relative to the workspace where it lies inside; `type` is the lower-case extension,
    `folder` or `file`. `lines` are those that are meant of a text, from 1: ``10-40``, or ``7``.
    """

    path: str
    name: str
    type: str
    sheet: str | None = None
    lines: str | None = None

    def as_metadata(self) -> dict[str, str]:
        """Return the object that travels to the model: ``{"path", "name", "type"[, "sheet"][,
        "lines"]}``.
        """
        told = msgspec.structs.asdict(self)
        return {name: value for name, value in told.items() if value is not None}


class UsedTemplate(Record):
    """A document template for one request: how it is named, and what it says."""

    name: str
    text: str


class Prompt(Record):
    """What the user typed, and the files it refers to, in the order typed. `answers`: the requests
    that it answers.

    `compacts`: it is ``/compact [focus]``, which has the agent continue with a summary of what was
    said; nothing else of it counts.
    """

    text: str
    attachments: tuple[Attachment, ...] = ()
    answers: tuple[str, ...] = ()
    template: UsedTemplate | None = None
    compacts: bool = False


class PermissionAnswer(Record):
    """The user's answer to `PermissionRequested`. `message`: words for the model, which then goes
    on after a denial.

    `ends_run`: a denial without words ends the run, whatever was asked about: there is nobody whom
    the model could ask for more. `drops`: what happened is not kept, and the run continues.
    """

    behavior: Literal["allow", "deny"]
    scope: Scope = "once"
    message: str = ""
    ends_run: bool = False
    drops: bool = False


class UiAnswer(Record):
    """The user's answer to `UiRequested`: question id → value(s), or the edited outline. `None`:
    the request was abandoned.

    `changes` say in short what is other in the outline than it was proposed. `review` says what
    became of a change, hunk by hunk, and `over` is the hash of what the file held before, "" for no
    file.
    """

    answers: Json | None = None
    outline: str | None = None
    comment: str = ""
    changes: tuple[str, ...] = ()
    review: str | None = None
    over: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether the user answers nothing: the request is abandoned."""
        return self.answers is None and self.outline is None and self.review is None


Reply: TypeAlias = PermissionAnswer | UiAnswer


# ── What happens ──────────────────────────────────────────────────────────────────────────────────


def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Event(Record, kw_only=True, tag_field="type", tag=_snake_case):
    """Something that happened. `seq` rises by one from event to event of a session; `time` is
    seconds since the epoch.
    """

    run_id: str = ""
    seq: int = 0
    time: float = 0.0

    @property
    def type(self) -> str:
        """The name of the event in JSON: the class's own in snake case."""
        return _type_of(self.__class__)


def _type_of(cls: type[Event]) -> str:
    return str(cls.__struct_config__.tag)


class SessionStarted(Event):
    """The agent is connected. `resumed`: it remembers an earlier conversation. `profile` is the
    name the status bar shows.
    """

    session_id: str
    profile: str
    model: str
    endpoint: EndpointKind
    cwd: str
    tools: tuple[str, ...] = ()
    resumed: bool = False


class QueuedPrompt(Record, kw_only=True):
    """A prompt that waits for the current run to end."""

    id: str
    prompt: Prompt


class QueueChanged(Event):
    """The prompts that wait, first to run first."""

    prompts: tuple[QueuedPrompt, ...] = ()


class RunStarted(Event):
    """A prompt went to the agent."""

    prompt: Prompt


class TextDelta(Event):
    """More Markdown of the reply. `message_id` and `block` name the text that it belongs to."""

    message_id: str
    block: int
    text: str


class TextFinished(Event):
    """A text of the reply is complete: `text` is all of it and replaces what was streamed.

    It does not come where the run ended within the text: `RunFinished` then ends what is open.
    """

    message_id: str
    block: int
    text: str


class MessageDropped(Event):
    """The stream was cut: the texts of this message are void, finished or not, and the whole of
    it comes again.
    """

    message_id: str


class ThinkingDelta(Event):
    """More of the model's thinking."""

    message_id: str
    block: int
    text: str


class ToolPreparing(Event):
    """The model began to write a tool call; its input is still arriving."""

    message_id: str
    tool_use_id: str
    name: str


class DocumentDelta(Event):
    """More of the text that a call is about to write to `path`. No log keeps it: the `ToolUse`
    that follows holds all of it.
    """

    message_id: str
    tool_use_id: str
    path: str
    text: str


class ToolUse(Event):
    """The model called a tool. `name` is the tool's own name (``mcp__dogent__read_document``);
    screens show a friendly one.
    """

    tool_use_id: str
    name: str
    input: Json
    parent_tool_use_id: str | None = None


class ToolOutput(Event):
    """More of what a call under way has written so far. Its `ToolResult` will hold all of it."""

    tool_use_id: str
    text: str


class ToolResult(Event):
    """What a tool call returned, as text. `changes`: the places of a file that it changed, as
    they were and are now.
    """

    tool_use_id: str
    content: str
    is_error: bool = False
    changes: tuple[tuple[str, str], ...] = ()


class Todo(Record):
    """One line of the agent's plan. `active_form` says it as something under way."""

    content: str
    status: TodoStatus
    active_form: str = ""


class TodosChanged(Event):
    """The agent's plan, whole."""

    todos: tuple[Todo, ...] = ()


class Target(Record):
    """A place that a tool call concerns, as it really resolves. `size` is in bytes, None where
    there is no plain file.

    `kind` is what happens to it (``read``, ``write``, ``create``, ``delete``, ``move``,
    ``execute``); `note` says what its name hides ("a link in the workspace leads here").
    """

    path: str
    kind: str = ""
    exists: bool = True
    size: int | None = None
    note: str = ""


class PermissionRequested(Event):
    """A tool call waits for the user.

    `sentence` says what it would do ("Delete 3 files in chapters/"), `reasons` why it asks,
    `targets` are the places concerned. `spans` are the risky parts of ``input["command"]`` (start
    and end, in characters), `diff` is the unified diff of a Write or an Edit. `words` is the reason
    that the model gave. `scopes` are the answers that can be given, and `once_because` says why
    there is none that is remembered. `rules` are what `--allow` takes to allow it beforehand.
    `tool_use_id` is empty where the application itself asks, before a write of its own. `ends_run`:
    a denial without words ends the run. `happened`: the command ran behind the wall already, and
    the question is whether to keep what it did. Not `in_run`: the command is in the background,
    and waits for its answer whatever becomes of the run.
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
    """A request was answered. `by`: the user, the print-mode rules, or nobody any more
    (`cancelled`).
    """

    request_id: str
    tool_use_id: str
    decision: Literal["allow", "deny", "cancelled"]
    scope: Scope = "once"
    message: str = ""


class CopiesKept(Event):
    """What a call changed or deleted was kept before: `/undo` brings `paths` back. Of `left`
    there is no copy.
    """

    tool_use_id: str
    paths: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class DocumentExported(Event):
    """The user exported a document by hand. `path` is relative to the workspace where it lies
    inside.
    """

    path: str


class UiRequested(Event):
    """The agent asks on a native screen: a clarification form, the outline editor, the review of a
    change.

    The run ends with it, and the answer is the next prompt; but where it is `in_run`, the run waits
    for the answer.
    """

    request_id: str
    kind: Literal["clarification", "outline_edit", "document_change"]
    payload: Json
    in_run: bool = False


class UiSettled(Event):
    """A request on a screen was answered, or, where `answer` is None, will not be."""

    request_id: str
    answer: UiAnswer | None = None


Request: TypeAlias = PermissionRequested | UiRequested
"""What waits for the user: each has a `kind`, one `Reply` at most, and is settled once."""


class UsageChanged(Event):
    """Tokens in the context window, of how many. `window` is 0 where it is not known."""

    context_tokens: int
    window: int = 0


class UsedTokens(Record):
    """Tokens that were paid for: new ones that went to the model, what it wrote, what came from
    its cache and went into it.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_written: int = 0

    @property
    def total(self) -> int:
        """All of them."""
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
    """The agent began to summarize the conversation, so that it fits into its context window."""


class Compacted(Event):
    """From here on the agent remembers what was said before as `summary`, and little else of it.

    `by_user`: the user asked for it. `before_tokens` is what the whole context took, `after_tokens`
    what is left of the messages; 0 where it is not known.
    """

    summary: str
    by_user: bool = False
    before_tokens: int = 0
    after_tokens: int = 0


class Retrying(Event):
    """The endpoint failed and will be asked again in `delay_ms`. `status` is its HTTP status, 0
    for no answer at all.
    """

    attempt: int
    max_attempts: int
    delay_ms: int
    status: int = 0
    error: str = ""


class Rewound(Event):
    """The user went back to before the prompt of the run `to`: it, and all after it, is not part of
    the conversation any more.

    `dropped` is the first of these runs that the agent's own transcript holds, empty where it holds
    none.
    """

    to: str
    dropped: str = ""


class Stalled(Event):
    """Nothing has come for `seconds`. Emitted again as it lasts, and once with 0 when something
    comes.

    `most_s` is after how many the run is given up.
    """

    seconds: int
    most_s: int = 0


class Notice(Event):
    """A sentence for the user that belongs to no message. `code` names it for programs
    (``config_unknown_key``).

    `why`: in two or three words, where something is not kept right now.
    """

    level: Level
    message: str
    remedy: str = ""
    code: str = ""
    why: str = ""


class SessionLost(Event):
    """The agent process ended on its own. The conversation resumes with the next prompt, or when
    the user asks for it.
    """

    message: str
    remedy: str = ""


class Aborted(Event):
    """A permission was denied, and with it the run."""

    reason: str


class Interrupted(Event):
    """The user stopped the run."""


CLOSED = "closed"
"""The code of a run that was interrupted because the application ended, or its terminal did."""


class RunFinished(Event):
    """A run ended. `reason` and `remedy` are set unless it completed; `code` names a failure
    (``api_401``) for programs.

    `cost_usd` is set only where it is real, that is for Anthropic's own endpoint. `tokens` are
    those of all its requests, None where that is not known.
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
"""Every event class by its `type`."""


def to_json(event: Event) -> str:
    """Return `event` as one line of JSON, `type` first, non-ASCII characters kept."""
    try:
        return msgspec.json.encode(event, enc_hook=str).decode()
    except (
        UnicodeEncodeError
    ):  # a file name that is not UTF-8: half a character, which JSON can spell and UTF-8 cannot
        return json.dumps(msgspec.to_builtins(event, enc_hook=str))


def from_json(line: str) -> Event:
    """Return the event that `to_json` wrote. Fields of a newer version are left out.

    Raises ValueError where `line` is not JSON, or not an event that this version knows.
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
    """Read what only Python's own reader takes: half characters."""
    try:
        event: Event = msgspec.convert(json.loads(line), _any_event())
    except msgspec.ValidationError as error:
        raise ValueError(f"Not an event: {line[:80]!r} ({error})") from error
    return event
