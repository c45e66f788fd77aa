"""The file formats for a conversation: Markdown, a self-contained HTML page, JSON."""

import asyncio
import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from dogent_tui.agent.session import OpenedSession
from dogent_tui.agent.tool_names import friendly_name, input_summary
from dogent_tui.errors import DogentError
from dogent_tui.language import interface_language, tr
from dogent_tui.plain import one_line, visible
from dogent_tui.records import Json, Record
from dogent_tui.settings.known_secrets import known_secrets
from dogent_tui.settings.own_files import plan_change
from dogent_tui.settings.secrets import redact
from dogent_tui.storage.paths import shipped
from dogent_tui.storage.sessions import session_named
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.questions.own_writes import write_own
from dogent_tui.tui.screens.choice import choose
from dogent_tui.tui.transcript import model
from dogent_tui.tui.transcript.entries import ENDS

PartKind = Literal["prompt", "reply", "thinking", "tool", "plan", "question", "notice", "outcome"]


_DONE = {"completed": "x", "in_progress": "~", "pending": " "}
"""The check marks of a plan."""


class Part(Record, omit_defaults=True):
    """One part of a conversation. `text` is the Markdown of a prompt, a reply or a thought,
    otherwise plain text.

    `title` describes it in a line: the tool call, the question. `files` are those that a prompt
    refers to. `input` is the input of a tool, `state` its status, and `text` its result.
    """

    kind: PartKind
    text: str = ""
    title: str = ""
    state: str = ""
    files: tuple[str, ...] = ()
    input: Json = {}


class Written(Record):
    """A conversation to write. `workspace` is its folder, `exported` the time in ISO 8601."""

    title: str
    session_id: str
    workspace: str
    exported: str
    parts: tuple[Part, ...]


def parts_of(entries: Iterable[model.Entry], workspace: str) -> list[Part]:
    """Return the parts for `entries`. Must be called where these are modified: they join their
    texts when read.
    """
    found = (_part(entry, workspace) for entry in entries if not entry.gone)
    return [part for part in found if part is not None]


def _part(entry: model.Entry, workspace: str) -> Part | None:
    """Return the part for `entry`, None if it is empty."""
    match entry:
        case model.UserTurn(prompt=prompt):
            files = (f"{it.path}#{it.sheet}" if it.sheet else it.path for it in prompt.attachments)
            return Part("prompt", prompt.text, files=tuple(files))
        case model.Reply() | model.Thinking() if entry.text.strip():
            kind: PartKind = "thinking" if isinstance(entry, model.Thinking) else "reply"
            return Part(kind, entry.text.strip("\n"))
        case model.ToolCall():
            summary = input_summary(entry.input, workspace)
            title = one_line(f"{friendly_name(entry.name)} {summary}")
            return Part("tool", entry.result or "", title, entry.state, input=entry.input)
        case model.Plan():
            todos = (f"[{_DONE[it.status]}] {one_line(it.content)}" for it in entry.todos)
            return Part("plan", "\n".join(todos))
        case model.Asked():
            return Part("question", entry.detail, one_line(entry.title), entry.state)
        case model.Notice():
            return Part("notice", f"{entry.message} {entry.remedy}".strip(), state=entry.level)
        case model.Compacted():
            return Part("notice", entry.told.summary, state="info")
        case model.Outcome() if entry.status != "completed":
            return Part("outcome", f"{entry.reason} {entry.remedy}".strip(), state=entry.status)
    return None


def written(
    parts: Iterable[Part],
    title: str,
    session_id: str,
    workspace: str,
    now: datetime,
    secrets: Sequence[str],
) -> Written:
    """Return a conversation of `parts` without any of `secrets` and without control characters."""
    clean = tuple(_redacted(part, secrets) for part in parts)
    exported = now.isoformat(timespec="seconds")
    return Written(redact(one_line(title), secrets), session_id, workspace, exported, clean)


def _redacted(part: Part, secrets: Sequence[str]) -> Part:
    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return visible(redact(value, secrets))
        if isinstance(value, Mapping):
            return {clean(str(key)): clean(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [clean(inner) for inner in value]
        return value

    return msgspec.convert(clean(msgspec.to_builtins(part)), Part)


_HEADINGS = {
    "prompt": tr("You"),
    "reply": tr("Agent"),
    "thinking": tr("Thinking"),
    "plan": tr("Plan"),
    "notice": tr("Note"),
    "outcome": tr("Outcome"),
}
_STATES = {
    "failed": tr("failed"),
    "denied": tr("not allowed"),
    "stopped": tr("stopped"),
    "waiting": tr("not answered"),
    "running": tr("in progress"),
}


def as_json(conversation: Written) -> str:
    """Return `conversation` as JSON: an object whose `parts` are in order."""
    return (
        msgspec.json.format(msgspec.json.encode(conversation, enc_hook=str), indent=2).decode()
        + "\n"
    )


def as_markdown(conversation: Written) -> str:
    """Return `conversation` as Markdown, with tool results in fences."""
    title = _inline(conversation.title or tr("Conversation"))
    texts = [f"# {title}", _facts(conversation)]
    for part in conversation.parts:
        texts += _markdown_of(part)
    return "\n\n".join(text for text in texts if text) + "\n"


def _facts(conversation: Written) -> str:
    return tr(
        "Folder `{workspace}`, exported {exported}.",
        workspace=conversation.workspace,
        exported=conversation.exported[:16].replace("T", " "),
    )


def _markdown_of(part: Part) -> Iterator[str]:
    heading, note = heading_of(part), state_of(part)
    yield (
        f"{'##' if part.kind in ('prompt', 'reply') else '###'}"
        f" {_inline(heading)}{f' ({note})' if note else ''}"
    )
    if part.kind in ("tool", "thinking"):
        yield _fenced(part.text) if part.text else ""
    elif part.kind == "plan":
        yield "\n".join(f"- {line}" for line in part.text.splitlines())
    else:
        yield part.text
    if part.files:
        yield "\n".join(f"- `{one_line(file)}`" for file in part.files)


def heading_of(part: Part) -> str:
    """Return the line above a part."""
    if part.kind == "question":
        return tr("The agent asks: {title}", title=part.title)
    return part.title or _HEADINGS.get(part.kind, part.kind)


def state_of(part: Part) -> str:
    """Return the status of a part if it is worth mentioning."""
    return ENDS[part.state][2] if part.kind == "outcome" else _STATES.get(part.state, "")


def _inline(text: str) -> str:
    """Return a line of plain text as Markdown that renders literally."""
    return re.sub(r"([\\`*_\[\]<>#|~])", r"\\\1", one_line(text))


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text.strip(chr(10))}\n{fence}"


# ── HTML ──────────────────────────────────────────────────────────────────────────────────────────

_LANGUAGE = interface_language().replace("_", "-")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def as_html(conversation: Written) -> str:
    """Return `conversation` as an HTML page, light or dark as the browser prefers. It loads nothing
    and runs no scripts.
    """
    title = html.escape(conversation.title or tr("Conversation"))
    facts = html.escape(_facts(conversation).replace("`", ""))
    body = "\n".join(_html_of(part) for part in conversation.parts)
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="{_LANGUAGE}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{shipped('session.css').read_text('utf-8')}</style>\n</head>\n<body>\n"
        f"<header><h1>{title}</h1>\n<p>{facts}</p></header>\n{body}\n</body>\n</html>\n"
    )


def _html_of(part: Part) -> str:
    heading, note = heading_of(part), state_of(part)
    title = html.escape(heading + (f" ({note})" if note else ""))
    text, above = html.escape(part.text), f'<h2 class="part">{title}</h2>'
    match part.kind:
        case "prompt":
            files = (f"<li><code>{html.escape(one_line(file))}</code></li>" for file in part.files)
            listed = f"\n<ul>{''.join(files)}</ul>" if part.files else ""
            return f'{above}\n<div class="prompt">{text}</div>{listed}'
        case "reply":
            return f'{above}\n<div class="reply">\n{_rendered(part.text)}</div>'
        case "thinking" | "tool":
            return f"<details><summary>{title}</summary>\n<pre>{text}</pre></details>"
        case "plan":
            return f"{above}\n<pre>{text}</pre>"
    return f'<p class="note">{": ".join(filter(None, (title, text)))}</p>'


def _rendered(markdown: str) -> str:
    """Return Markdown as HTML. Embedded HTML becomes text, and a picture becomes a link, because
    the page loads nothing.
    """
    from dogent_tui.tui.transcript.inline import parser

    return str(parser().disable("image").render(markdown))


FORMATS = {
    ".md": as_markdown,
    ".markdown": as_markdown,
    ".html": as_html,
    ".json": as_json,
}
"""The formats by file extension."""


_BECAUSE = tr("You asked for this with /export-session.")
_USAGE = tr("Specify a file ending in .md, .html or .json: /export-session FILE.md.")


async def export_session(app: AppPort, typed: str) -> str:
    """Write the conversation shown by `app` to the file `typed`, and return a message.

    Asks before overwriting a file. Must not be awaited in a message handler.
    """
    name = typed.strip().removeprefix("@").strip('"')
    form = FORMATS.get(Path(name).suffix.lower())
    screen, opened = app.conversation, app.opened
    if form is None:
        if not screen.prompt.editor.value:
            # so that only the name remains to be typed
            screen.prompt.editor.replace_all(f"/export-session {typed}")
        return _USAGE
    entries = screen.transcript.model.entries
    if not entries:
        return tr("The conversation is empty so far.")
    path = opened.workspace.absolute(name)
    shown = one_line(opened.workspace.relative(path))
    try:
        if await asyncio.to_thread(path.is_dir):
            return tr("{shown} is a folder. {usage}", shown=shown, usage=_USAGE)
        inside = await asyncio.to_thread(opened.workspace.contains, path)
        asks = inside and await asyncio.to_thread(path.exists)  # outside, the policy asks
        if (
            asks
            and await choose(
                app,
                tr("Replace {shown}?", shown=shown),
                tr("A file with this name already exists."),
                (tr("Keep"), tr("Replace")),
            )
            != 1
        ):
            return tr("Nothing was exported: {shown} is unchanged.", shown=shown)
        parts = parts_of(entries, str(opened.workspace.root))
        text = await asyncio.to_thread(lambda: form(_conversation(opened, parts)))
        plan = partial(plan_change, path, text)
        done = await write_own(app, plan, _BECAUSE)
    except (OSError, DogentError) as error:
        return one_line(tr("Nothing was exported: {error}", error=error))
    screen.refresh_files()
    return (
        tr("Nothing was exported: {shown} is unchanged.", shown=shown)
        if done == "denied"
        else tr("Exported the conversation to {shown}.", shown=shown)
    )


def _conversation(opened: OpenedSession, parts: list[Part]) -> Written:
    """Return the conversation made of these parts. Reads its title and the files that hold keys
    from the disk.
    """
    session_id = opened.service.session_id
    known = session_named(opened.workspace, session_id)
    title = known.title if known else ""
    secrets = (*opened.endpoint.secrets, *known_secrets())
    return written(
        parts, title, session_id, str(opened.workspace.root), datetime.now().astimezone(), secrets
    )
