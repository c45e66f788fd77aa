"""A conversation as it is written to a file: what was said and done, in the order in which a
user reads it, without keys.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeAlias

import msgspec

from dogent_tui.agent.tool_names import friendly_name, input_summary
from dogent_tui.plain import one_line, visible
from dogent_tui.settings.secrets import redact
from dogent_tui.tui.transcript import model

PartKind: TypeAlias = Literal[
    "prompt", "reply", "thinking", "tool", "plan", "question", "notice", "outcome"
]


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing in a conversation. `text` is Markdown of a prompt, a reply or a thought, else
    plain.

    `title` says what it is in a line: the call of a tool, the question; `files` are those that a
    prompt refers to; `input` is what a tool was called with, `state` what became of it, and `text`
    its result.
    """

    kind: PartKind
    text: str = ""
    title: str = ""
    state: str = ""
    files: tuple[str, ...] = ()
    input: Mapping[str, Any] = {}


class Written(msgspec.Struct, frozen=True):
    """A conversation to write: `workspace` is its folder, `exported` the time, ISO 8601."""

    title: str
    session_id: str
    workspace: str
    exported: str
    parts: tuple[Part, ...]


def parts_of(entries: Iterable[model.Entry], workspace: str) -> list[Part]:
    """Return what `entries` say. To be called where they are changed: they join their texts when
    these are read.
    """
    found = ((_MAKERS.get(type(entry)), entry) for entry in entries if not entry.gone)
    return [
        part
        for make, entry in found
        if make is not None and (part := make(entry, workspace)) is not None
    ]


def written(
    parts: Iterable[Part],
    title: str,
    session_id: str,
    workspace: str,
    now: datetime,
    secrets: Sequence[str],
) -> Written:
    """Return a conversation of `parts`; of `secrets` nothing is left, and no control characters."""
    clean = tuple(_redacted(part, secrets) for part in parts)
    return Written(
        redact(one_line(title), secrets),
        session_id,
        workspace,
        now.isoformat(timespec="seconds"),
        clean,
    )


def _redacted(part: Part, secrets: Sequence[str]) -> Part:
    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return visible(redact(value, secrets))
        if isinstance(value, Mapping):
            return {clean(str(key)): clean(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [clean(inner) for inner in value]
        return value

    return Part(
        part.kind,
        clean(part.text),
        clean(part.title),
        part.state,
        tuple(clean(part.files)),
        clean(part.input) if part.input else {},
    )


def _prompt(entry: model.UserTurn, _: str) -> Part:
    files = tuple(
        f"{file.path}#{file.sheet}" if file.sheet else file.path
        for file in entry.prompt.attachments
    )
    return Part("prompt", entry.prompt.text, files=files)


def _reply(entry: model.Reply, _: str) -> Part | None:
    return Part("reply", entry.text.strip("\n")) if entry.text.strip() else None


def _thinking(entry: model.Thinking, _: str) -> Part | None:
    return Part("thinking", entry.text.strip("\n")) if entry.text.strip() else None


def _tool(entry: model.ToolCall, workspace: str) -> Part:
    title = one_line(f"{friendly_name(entry.name)} {input_summary(entry.input, workspace)}")
    return Part("tool", entry.result or "", title, entry.state, input=entry.input)


def _plan(entry: model.Plan, _: str) -> Part:
    marks = {"completed": "x", "in_progress": "~", "pending": " "}
    return Part(
        "plan",
        "\n".join(
            f"[{marks.get(todo.status, ' ')}] {one_line(todo.content)}" for todo in entry.todos
        ),
    )


def _asked(entry: model.Asked, _: str) -> Part:
    return Part("question", entry.detail, one_line(entry.title), entry.state)


def _notice(entry: model.Notice, _: str) -> Part:
    return Part("notice", f"{entry.message} {entry.remedy}".strip(), state=entry.level)


def _compacted(entry: model.Compacted, _: str) -> Part:
    return Part("notice", entry.told.summary, state="info")


def _outcome(entry: model.Outcome, _: str) -> Part | None:
    return (
        None
        if entry.status == "completed"
        else Part("outcome", f"{entry.reason} {entry.remedy}".strip(), state=entry.status)
    )


_MAKERS: Mapping[type[model.Entry], Callable[[Any, str], Part | None]] = {
    model.UserTurn: _prompt,
    model.Reply: _reply,
    model.Thinking: _thinking,
    model.ToolCall: _tool,
    model.Plan: _plan,
    model.Asked: _asked,
    model.Notice: _notice,
    model.Compacted: _compacted,
    model.Outcome: _outcome,
}
