"""Exports: the calls that make a pdf or docx of a draft, and what came of them."""

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from dogent_tui.offline.conversation import EXPORT_DOCUMENT, Call, Conversation
from dogent_tui.offline.formats import wished_formats
from dogent_tui.offline.intent import Intent
from dogent_tui.offline.messages_api import ReplyToolUse
from dogent_tui.offline.phrases import PHRASES

NAMES: Mapping[str, str] = {"pdf": "PDF", "docx": "Word"}
"""What the formats are called."""
_WROTE = re.compile(r"^Wrote (?P<path>.+) \((?P<engine>[^()]*)\)\.$")
"""How the tool's answer begins (`as_text` in `tools/exporting.py`)."""


def as_wished(conversation: Conversation, intent: Intent) -> Intent:
    """Return `intent` with the formats that the workspace wants of every document, where the request does not settle them."""
    if intent.kind != "draft" or intent.formats or intent.no_export or EXPORT_DOCUMENT not in conversation.tools:
        return intent
    return replace(intent, formats=wished_formats(conversation.wishes))


def export_calls(conversation: Conversation, intent: Intent, markdown: str) -> tuple[ReplyToolUse, ...]:
    """Return the calls that make of the file `markdown`, an absolute path, what is asked for and was not made in this run yet."""
    if EXPORT_DOCUMENT not in conversation.tools:
        return ()
    made = {str(call.input.get("format")) for call in conversation.current.named(EXPORT_DOCUMENT)}
    calls = []
    for wanted in intent.formats:
        given = {"md_path": markdown, "format": wanted}
        if intent.export_to.lower().endswith(f".{wanted}"):
            given["output_path"] = conversation.absolute(intent.export_to)
        calls += [ReplyToolUse(EXPORT_DOCUMENT, given)] if wanted not in made else []
    return tuple(calls)


def beside(paths: Collection[str], formats: Iterable[str]) -> set[str]:
    """Return the names that a Markdown file cannot have where an export of it would then meet one of `paths`."""
    endings = tuple(f".{name}" for name in formats)
    return {f"{posixpath.splitext(path)[0]}.md" for path in paths if path.lower().endswith(endings)} if endings else set()


def exported(conversation: Conversation, intent: Intent) -> str:
    """Return what came of the exports of this run: a line for each, with its warnings; empty where none was asked for."""
    phrases = PHRASES[intent.language]
    if not intent.formats:
        return ""
    if EXPORT_DOCUMENT not in conversation.tools:
        return phrases.cannot_export
    lines: list[str] = []
    for call in conversation.current.named(EXPORT_DOCUMENT):
        name = NAMES.get(str(call.input.get("format")), "")
        if call.error:
            lines.append(phrases.not_exported.format(format=name, reason=_sentence(call.error)))
        elif call.outcome is not None:
            first, *others = call.outcome.text.strip().splitlines() or [""]
            lines.append(phrases.exported.format(format=name, path=_written(first, conversation, call), engine=_engine(first)))
            lines += [f"  - {line}" for line in others if line.strip()]
    return "\n".join(lines)


def _written(line: str, conversation: Conversation, call: Call) -> str:
    found = _WROTE.match(line)
    if found:
        return found["path"]
    wanted = str(call.input.get("output_path") or f"{posixpath.splitext(call.path)[0]}.{call.input.get('format')}")
    return conversation.shown(wanted)


def _engine(line: str) -> str:
    found = _WROTE.match(line)
    return f" ({found['engine']})" if found else ""


def _sentence(reason: str) -> str:
    return reason.removeprefix("Nothing was exported. ")
