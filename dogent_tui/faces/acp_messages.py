"""Events as updates of the Agent Client Protocol, version 1 (PyPI `agent-client-protocol` 0.12),
and questions on screens as its forms, or as text for editors without forms.

Texts, tool calls and the plan are identified by id, so that each update can be taken for the
complete state.
"""

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dogent_tui.agent import events
from dogent_tui.agent import ui_requests as ui
from dogent_tui.agent.tool_names import call_words, friendly_name, path_in, tool_kind
from dogent_tui.agent.ui_requests import ChangeRequest
from dogent_tui.changes.hunks import Hunk
from dogent_tui.errors import outside_app
from dogent_tui.faces.shared import Chunk, Seen, TextEvent, ToolEvent
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import Json

_LONGEST_RESULT = 20_000
"""The number of characters of a result to send."""
_LONGEST_TAIL = 4_000
_HUNK = re.compile(r"^@@.*@@.*$", re.MULTILINE)


class Updates:
    """Creates the updates of one session in the folder `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen = Seen(_LONGEST_TAIL)
        self._calls: dict[str, events.ToolUse] = {}
        self._is_titled = False

    def of(self, event: events.Event, *, replayed: bool = False) -> Iterator[Chunk]:
        """Yield the updates for an event, often none. `replayed`: the editor has not seen the
        prompts either.
        """
        match event:
            case events.RunStarted():
                yield from self._begun(event, replayed)
            case events.TextDelta() | events.TextFinished() | events.ThinkingDelta():
                if text := self._text(event):
                    kind = "thought" if isinstance(event, events.ThinkingDelta) else "message"
                    yield said(text, event.message_id, f"agent_{kind}_chunk")
            case events.MessageDropped(message_id=message_id):
                self._seen.drop(message_id)
            case _ if isinstance(event, ToolEvent):
                yield self._tool(event)
            case events.TodosChanged(todos=todos):
                plan = [{"content": each.content, "status": each.status} for each in todos]
                entries = [{**each, "priority": "medium"} for each in plan]
                yield {"sessionUpdate": "plan", "entries": entries}
            case events.UsageChanged(window=window) if window:
                used = event.context_tokens
                yield {"sessionUpdate": "usage_update", "used": used, "size": window}
            case _ if words := _told(event):
                yield said(f"\n\n{words}\n\n", f"told-{event.seq}")

    def _text(self, event: TextEvent) -> str:
        if isinstance(event, events.TextFinished):
            continues, rest = self._seen.rest(event)
            return rest if continues else f"\n\n{rest}"
        if isinstance(event, events.TextDelta):
            self._seen.delta(event)
        return event.text

    def _begun(self, event: events.RunStarted, replayed: bool) -> Iterator[Chunk]:
        if replayed:
            yield said(event.prompt.text, event.run_id, "user_message_chunk")
        if not self._is_titled and (title := one_line(event.prompt.text)[:80]):
            self._is_titled = True
            yield {"sessionUpdate": "session_info_update", "title": title}

    def _tool(self, event: ToolEvent) -> Chunk:
        match event:
            case events.ToolPreparing(name=name):
                return begun(call(event.tool_use_id, name, friendly_name(name)))
            case events.ToolUse():
                self._calls[event.tool_use_id] = event
                return begun(self._used(event))
            case events.ToolOutput():
                return progress(event.tool_use_id, content=[text_of(self._seen.tail(event))])
            case events.ToolResult():
                return self._returned(event)

    def _used(self, event: events.ToolUse) -> Chunk:
        path, line = self._path(event.input), event.input.get("offset")
        place = {"path": path, **({"line": line} if isinstance(line, int) and line > 0 else {})}
        title = call_words(event.name, event.input, str(self._root))
        used = {"status": "in_progress", "locations": [place] if path else []}
        return call(event.tool_use_id, event.name, title, rawInput=dict(event.input), **used)

    def _returned(self, event: events.ToolResult) -> Chunk:
        self._seen.end(event.tool_use_id)
        used = self._calls.pop(event.tool_use_id, None)
        path = self._path(used.input) if used is not None else ""
        content = [diff_of(path, old, new) for old, new in event.changes if path]
        text = event.content[:_LONGEST_RESULT] + "…" * (len(event.content) > _LONGEST_RESULT)
        status = "failed" if event.is_error else "completed"
        return progress(event.tool_use_id, status=status, content=content or [text_of(text)])

    def asked(self, event: events.PermissionRequested) -> Chunk:
        """Return the call for an editor's question: the sentence, the reasons, the places, and the
        change.
        """
        path = self._path(event.input) or next((target.path for target in event.targets), "")
        words = "\n".join([*event.reasons, event.words]).strip()
        content = [text_of(words)] if words else []
        if command := event.input.get("command"):
            content.append(text_of(f"```sh\n{command}\n```"))
        content += diffs_of(event.diff, path) if path else []
        places, given = [{"path": target.path} for target in event.targets], dict(event.input)
        known = {"content": content, "locations": places, "rawInput": given}
        title = event.sentence or friendly_name(event.tool)
        return call(event.tool_use_id or event.request_id, event.tool, title, **known)

    def _path(self, values: Json) -> str:
        return str(self._root / path) if (path := path_in(values)) else ""


def _told(event: events.Event) -> str:
    """Return what an event says to the user in words, usually nothing."""
    match event:
        case events.RunFinished(status="failed" | "aborted"):
            return outside_app(event.reason, event.remedy)
        case events.Compacted():
            return tr("The conversation was compacted: the agent continues with a summary of it.")
        case events.Notice(level="warning" | "error") | events.SessionLost():
            return outside_app(event.message, event.remedy)
    return ""


def said(text: str, message_id: str, kind: str = "agent_message_chunk") -> Chunk:
    """Return a piece of a message."""
    content = {"type": "text", "text": text}
    return {"sessionUpdate": kind, "content": content, "messageId": message_id}


def call(call_id: str, tool: str, title: str, **values: Any) -> Chunk:
    """Return what is known about a call."""
    known = {"toolCallId": call_id, "title": title, "kind": tool_kind(tool), "status": "pending"}
    return {**known, **values}


def begun(told: Chunk) -> Chunk:
    """Return the update that announces a call."""
    return {"sessionUpdate": "tool_call", **told}


def progress(call: str, **values: Any) -> Chunk:
    """Return an update of a call."""
    return {"sessionUpdate": "tool_call_update", "toolCallId": call, **values}


def text_of(text: str) -> Chunk:
    """Return a text as content of a call."""
    return {"type": "content", "content": {"type": "text", "text": text}}


def diff_of(path: str, old: str, new: str) -> Chunk:
    """Return a change as content of a call."""
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def hunk_diffs(path: str, hunks: Sequence[Hunk]) -> list[Chunk]:
    """Return hunks as content of a call."""
    return [diff_of(path, "\n".join(hunk.old), "\n".join(hunk.new)) for hunk in hunks]


def diffs_of(diff: str, path: str) -> list[Chunk]:
    """Return a unified diff as content of a call, one per hunk: the lines before and after."""
    hunks = [hunk.strip("\n").split("\n") for hunk in _HUNK.split(diff)[1:]]
    return [diff_of(path, _side(hunk, "-"), _side(hunk, "+")) for hunk in hunks]


def _side(hunk: list[str], sign: str) -> str:
    return "\n".join(line[1:] for line in hunk if line[:1] in (" ", sign))


# ── Forms ─────────────────────────────────────────────────────────────────────────────────────────


def fields_of(asked: ui.Request) -> Chunk:
    """Return the fields of a form: the options of each question, and a text field if free text is
    accepted.
    """
    if isinstance(asked, ui.OutlineRequest):
        text = asked.outline_text
        return {"outline": {"type": "string", "title": tr("Outline"), "default": text}}
    named = [_fields(question).items() for question in asked.questions]
    return {name: field for fields in named for name, field in fields}


def _fields(question: ui.Question) -> Chunk:
    title, name = question.question, question.id
    options = [_option(each.value, each.label, each.description) for each in question.options]
    fields: Chunk = {}
    if options and question.multiple:
        fields[name] = _choice_of(title, options, question.recommended)
    elif options:
        fields[name] = {"type": "string", "title": title, "oneOf": options}
        fields[name] |= {"default": question.recommended[0]} if question.recommended else {}
    if question.takes_text:
        own = tr("{question} (in your own words)", question=title) if options else title
        described = {"description": question.placeholder} if question.placeholder else {}
        fields[f"{name}_text" if options else name] = {"type": "string", "title": own, **described}
    return fields


def field_of_hunks(hunks: Sequence[Hunk]) -> Chunk:
    """Return the field for choosing hunks of a change, initially none."""
    names = [f"{hunk.number}. {hunk.kind} {' › '.join(hunk.heading)}".rstrip() for hunk in hunks]
    options = [_option(str(hunk.number), name) for hunk, name in zip(hunks, names, strict=True)]
    return {"hunks": _choice_of(tr("Hunks to write"), options)}


def _option(value: str, title: str, description: str = "") -> Chunk:
    return {"const": value, "title": title, **({"description": description} if description else {})}


def _choice_of(title: str, options: list[Chunk], chosen: Sequence[str] = ()) -> Chunk:
    """Return a field in which several options can be chosen."""
    default = {"default": list(chosen)} if chosen else {}
    return {"type": "array", "title": title, "items": {"anyOf": options}, **default}


def filled_in(asked: ui.Request, given: Json) -> events.UiAnswer:
    """Return the submitted answer. Raises RequestError if it is invalid."""
    if isinstance(asked, ui.OutlineRequest):
        return ui.check_answers(asked, given)
    answers = {question.id: _given(question, given) for question in asked.questions}
    return ui.check_answers(asked, answers)


def _given(question: ui.Question, given: Json) -> Any:
    own = str(given.get(f"{question.id}_text") or "").strip()
    chosen = given.get(question.id) or None
    if question.multiple and own:
        return [*(chosen or []), own]
    return own or chosen


def as_text(asked: ui.Request) -> str:
    """Return the questions as text; the next prompt answers them."""
    lines = ["", "", f"**{asked.title}**", "", asked.preface, ""]
    if isinstance(asked, ui.OutlineRequest):
        words = tr("Send the outline back as you want it.")
        return "\n".join([*lines, asked.outline_text, "", words])
    for question in asked.questions:
        lines += [f"- {question.question}"]
        for option in question.options:
            mark = tr(" (recommended)") if option.value in question.recommended else ""
            lines += [f"  - {option.label}{mark} {option.description}".rstrip()]
    return "\n".join(lines)


def from_text(asked: ui.Request | ChangeRequest, text: str) -> events.UiAnswer | None:
    """Return the answer in a prompt; None if it is not one and goes to the agent."""
    if isinstance(asked, ui.OutlineRequest) and "\n#" in f"\n{text}":
        return events.UiAnswer(outline=text)
    if isinstance(asked, ui.Clarification) and len(asked.questions) == 1:
        with contextlib.suppress(ui.RequestError):
            return ui.check_answers(asked, {asked.questions[0].id: text.strip()})
    return None
