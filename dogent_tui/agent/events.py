"""The vocabulary of the project: what happens in a conversation, and what a person answers.

Every event is immutable, belongs to a run (or to the session, with an empty `run_id`) and carries a sequence number that the
service assigns. One event is one JSON line: print mode writes it, a session log stores it, and replaying a log draws the same
transcript. Events carry facts, not words for the screen. This module imports nothing of ours that does
anything.
"""

import json
import re
import types
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, ClassVar, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from dogent_tui.endpoint_kind import EndpointKind

RunStatus: TypeAlias = Literal["completed", "needs_clarification", "needs_outline_edit", "aborted", "interrupted", "failed"]
"""How a run ended. `aborted`: a permission was denied; `interrupted`: the person stopped it."""

Level: TypeAlias = Literal["info", "warning", "error"]

Scope: TypeAlias = Literal["once", "session", "always"]
"""How long a permission holds: for this call, until the session ends, or for good in this workspace."""

SHELL_TOOL = "Shell"
"""The name under which a shell command of the person appears among the tool calls."""

TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]


# ── What a person sends ───────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Attachment:
    """A referenced file: where it is, never what it holds.

    `path` is relative to the workspace where it lies inside; `type` is the lower-case extension, `folder` or `file`.
    """

    path: str
    name: str
    type: str
    sheet: str | None = None

    def as_metadata(self) -> dict[str, str]:
        """Return the object that travels to the model: ``{"path", "name", "type"[, "sheet"]}``."""
        metadata = {"path": self.path, "name": self.name, "type": self.type}
        return metadata if self.sheet is None else {**metadata, "sheet": self.sheet}


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the person typed, and the files it refers to, in the order typed."""

    text: str
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class PermissionAnswer:
    """The person's answer to `PermissionRequested`. `message`: words for the model, which then goes on after a denial."""

    behavior: Literal["allow", "deny"]
    scope: Scope = "once"
    message: str = ""


@dataclass(frozen=True, slots=True)
class UiAnswer:
    """The person's answer to `UiRequested`: question id → value(s), or the edited outline. `None`: the request was abandoned."""

    answers: Mapping[str, Any] | None = None
    outline: str | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ChangeAnswer:
    """The person's answer to `ChangeProposed`: which hunks were accepted, and what they said about each."""

    accepted: tuple[int, ...] = ()
    comments: Mapping[int, str] = field(default_factory=dict)


Reply: TypeAlias = PermissionAnswer | UiAnswer | ChangeAnswer


# ── What happens ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened. `seq` rises by one from event to event of a session; `time` is seconds since the epoch."""

    type: ClassVar[str] = "event"
    run_id: str = ""
    seq: int = 0
    time: float = 0.0

    def __init_subclass__(cls) -> None:
        cls.type = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted(Event):
    """The agent is connected. `resumed`: it remembers an earlier conversation. `profile` is the name the status bar shows."""

    session_id: str
    profile: str
    model: str
    endpoint: EndpointKind
    cwd: str
    tools: tuple[str, ...] = ()
    resumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedPrompt:
    """A prompt that waits for the current run to end."""

    id: str
    prompt: Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueChanged(Event):
    """The prompts that wait, first to run first."""

    prompts: tuple[QueuedPrompt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    """A prompt went to the agent."""

    prompt: Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta(Event):
    """More Markdown of the reply. `message_id` and `block` name the text that it belongs to."""

    message_id: str
    block: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFinished(Event):
    """A text of the reply is complete: `text` is all of it and replaces what was streamed."""

    message_id: str
    block: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDropped(Event):
    """The stream was cut: the texts of this message are void, finished or not, and the whole of it comes again."""

    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingDelta(Event):
    """More of the model's thinking."""

    message_id: str
    block: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPreparing(Event):
    """The model began to write a tool call; its input is still arriving."""

    message_id: str
    tool_use_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse(Event):
    """The model called a tool. `name` is the tool's own name (``mcp__dogent__read_document``); screens show a friendly one."""

    tool_use_id: str
    name: str
    input: Mapping[str, Any]
    parent_tool_use_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput(Event):
    """More of what a call under way has written so far. Its `ToolResult` will hold all of it."""

    tool_use_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Event):
    """What a tool call returned, as text."""

    tool_use_id: str
    content: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Todo:
    """One line of the agent's plan. `active_form` says it as something under way."""

    content: str
    status: TodoStatus
    active_form: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TodosChanged(Event):
    """The agent's plan, whole."""

    todos: tuple[Todo, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """A place that a tool call concerns, as it really resolves. `size` is in bytes, None where there is no plain file.

    `kind` is what happens to it (``read``, ``write``, ``create``, ``delete``, ``move``, ``execute``); `note` says what its name
    hides ("a link in the workspace leads here").
    """

    path: str
    kind: str = ""
    exists: bool = True
    size: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRequested(Event):
    """A tool call waits for the person.

    `sentence` says what it would do ("Delete 3 files in chapters/"), `reasons` why it asks, `targets` are the places concerned.
    `spans` are the risky parts of ``input["command"]`` (start and end, in characters), `diff` is the unified diff of a Write or
    an Edit. `words` is the reason that the model gave. `scopes` are the answers that can be given, and `once_because` says why
    there is none that is remembered.
    """

    request_id: str
    tool_use_id: str
    tool: str
    input: Mapping[str, Any]
    sentence: str = ""
    reasons: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    spans: tuple[tuple[int, ...], ...] = ()
    diff: str = ""
    words: str = ""
    scopes: tuple[Scope, ...] = ("once",)
    once_because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionDecided(Event):
    """A request was answered. `by`: the person, the print-mode rules, or nobody any more (`cancelled`)."""

    request_id: str
    tool_use_id: str
    decision: Literal["allow", "deny", "cancelled"]
    scope: Scope = "once"
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UiRequested(Event):
    """The agent asks on a native screen: a clarification form or the outline editor."""

    request_id: str
    kind: Literal["clarification", "outline_edit"]
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeProposed(Event):
    """The agent proposes a new text for a document."""

    request_id: str
    path: str
    new_content: str
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageChanged(Event):
    """Tokens in the context window, of how many. `window` is 0 where it is not known."""

    context_tokens: int
    window: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying(Event):
    """The endpoint failed and will be asked again in `delay_ms`. `status` is its HTTP status, 0 for no answer at all."""

    attempt: int
    max_attempts: int
    delay_ms: int
    status: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stalled(Event):
    """Nothing has come for `seconds`. Emitted again as it lasts, and once with 0 when something comes."""

    seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(Event):
    """A sentence for the person that belongs to no message. `code` names it for programs (``config_unknown_key``)."""

    level: Level
    message: str
    remedy: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLost(Event):
    """The agent process ended on its own. The conversation resumes with the next prompt, or when the person asks for it."""

    message: str
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aborted(Event):
    """A permission was denied, and with it the run."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted(Event):
    """The person stopped the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(Event):
    """A run ended. `reason` and `remedy` are set unless it completed; `code` names a failure (``api_401``) for programs.

    `cost_usd` is set only where it is real, that is for Anthropic's own endpoint.
    """

    status: RunStatus
    duration_ms: int
    result: str = ""
    reason: str = ""
    remedy: str = ""
    code: str = ""
    cost_usd: float | None = None
    num_turns: int = 0


# ── One event, one JSON line ──────────────────────────────────────────────────────────────────────

EVENTS: Mapping[str, type[Event]] = {cls.type: cls for cls in Event.__subclasses__()}
"""Every event class by its `type`."""


def to_json(event: Event) -> str:
    """Return `event` as one line of JSON, `type` first, non-ASCII characters kept."""
    return json.dumps({"type": event.type, **asdict(event)}, ensure_ascii=False, default=str)


def from_json(line: str) -> Event:
    """Return the event that `to_json` wrote. Fields of a newer version are left out.

    Raises ValueError where `line` is not JSON, or not an event that this version knows.
    """
    data = json.loads(line)
    cls = EVENTS.get(data.get("type", "")) if isinstance(data, dict) else None
    if cls is None:
        raise ValueError(f"Not an event: {line[:80]!r}")
    try:
        event: Event = _revive(cls, data)
    except TypeError as error:
        raise ValueError(f"Not a whole {data['type']} event: {error}") from error
    return event


@cache
def _hints(cls: Any) -> Mapping[str, Any]:
    """Return the type of each field of a dataclass. Working these out takes a tenth of a millisecond."""
    hints = get_type_hints(cls)
    return {f.name: hints[f.name] for f in fields(cls)}


def _revive(hint: Any, value: Any) -> Any:
    """Turn plain JSON back into what the type `hint` says: nested dataclasses and tuples."""
    if type(value) in (str, int, float, bool):  # most of what there is
        return value
    if isinstance(hint, type) and is_dataclass(hint) and isinstance(value, dict):
        hints = _hints(hint)
        return hint(**{name: _revive(hints[name], item) for name, item in value.items() if name in hints})
    if get_origin(hint) is tuple and isinstance(value, list):
        return tuple(_revive(get_args(hint)[0], item) for item in value)
    if get_origin(hint) in (Union, types.UnionType) and value is not None:
        (inner,) = (arg for arg in get_args(hint) if arg is not type(None))
        return _revive(inner, value)
    return value
