"""The conversation so far, parsed from the messages of a request: prompts, the calls made for each,
and their results.
"""

import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dogent_tui.offline.messages_api import Message, MessagesRequest, ToolOutcome, strip_reminders
from dogent_tui.offline.words import words

READ_DOCUMENT = "mcp__dogent__read_document"
EXPORT = "mcp__dogent__export_document"
PROPOSE = "mcp__dogent__propose_document_change"
"""The tool that proposes a change: the user reviews it while the call waits. Only offered if there
is a screen.
"""

_OPENING, _CLOSING = "<attachments>", "</attachments>"
_PIPED = re.compile(r"\n\n<stdin>\n(?P<text>.*?)</stdin>", re.DOTALL)
_CWD = re.compile(r"working directory: *(?P<path>[^\n]+)", re.IGNORECASE)
_LINE_NUMBER = re.compile(r"^ *\d+(?:\t|→|\Z)", re.MULTILINE)
"""Read's prefix of each line. The CLI trims a result followed by a reminder: then an empty last
line is a bare number.
"""
_REVIEWED = re.compile(r"The (?:person|user) reviewed your change: (?P<outcome>[^\n]*)\.")
"""The beginning of the result of a call that the user reviewed instead of running it
(`changes/outcome.py`).
"""
_PLACES = ("file_path", "path", "md_path")
_KEYS = (*_PLACES, "sheet", "offset", "format")
_PASTED = 1_000
"""The length in characters of a prompt from which on everything after the first line is
material.
"""


@dataclass(slots=True)
class Call:
    """A tool call of ours. `outcome` is None until it has returned."""

    name: str
    input: Mapping[str, Any]
    outcome: ToolOutcome | None = None
    is_partial: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """The key that distinguishes it from other calls of a run: the tool and the place, not the
        text.
        """
        return (self.name, *(str(self.input.get(name) or "") for name in _KEYS))

    @property
    def path(self) -> str:
        """The file the call is about, as given to it."""
        return next((str(self.input[name]) for name in _PLACES if name in self.input), "")

    @property
    def review(self) -> str:
        """The result of the user's review, "1 of 2 hunks written to tea.md"; empty if there was
        none.
        """
        found = _REVIEWED.match(self.outcome.text) if self.outcome else None
        return found["outcome"] if found else ""

    @property
    def error(self) -> str:
        """The error on one line, empty if there is none. An accepted review is not an error."""
        if self.review or self.outcome is None or not self.outcome.is_error:
            return self.review if self.review.startswith("nothing") else ""
        return " ".join(re.sub(r"</?tool_use_error>", "", self.outcome.text).split())[:300] or "?"

    @property
    def text(self) -> str:
        """The result of the call, for a Read without its line numbers; empty after an error."""
        said = self.outcome.text if self.outcome and not self.error and not self.is_partial else ""
        return _LINE_NUMBER.sub("", said) if self.name == "Read" else said


@dataclass(slots=True)
class Run:
    """One prompt and its calls. `attached` are the paths it refers to, `material` the text that
    came with it.
    """

    typed: str
    attached: tuple[str, ...] = ()
    material: str = ""
    calls: list[Call] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything said so far; the last of `runs` has to be answered now.

    `cwd` is the absolute path of the workspace, empty if the CLI did not name it. `introduced`: the
    user was told that this is not a model. `system` is the system prompt.
    """

    cwd: str
    tools: frozenset[str]
    runs: tuple[Run, ...]
    introduced: bool
    system: str

    def absolute(self, path: str) -> str:
        """Return `path` in the form required by the CLI's file tools."""
        return posixpath.normpath(posixpath.join(self.cwd, path)) if self.cwd else path

    def shown(self, path: str) -> str:
        """Return `path` for display: relative to the workspace if it is inside."""
        return posixpath.normpath(path.removeprefix(f"{self.cwd}/")) if path else ""

    def written(self) -> list[str]:
        """Return the displayed paths of files written or changed in this conversation, newest
        last.
        """
        calls = [call for run in self.runs for call in run.calls if call.name in ("Write", PROPOSE)]
        return [self.shown(call.path) for call in calls if call.outcome and not call.error]


def conversation_of(request: MessagesRequest) -> Conversation:
    """Parse the conversation in `request`, including its ``<system-reminder>`` notes, which name
    the workspace.
    """
    runs: list[Run] = []
    calls: dict[str, Call] = {}
    introduced = False
    for message in request.messages:
        for result in message.tool_results:
            if (call := calls.get(result.tool_use_id)) is not None:
                call.is_partial = "[Truncated: PARTIAL view" in result.text
                text = strip_reminders(result.text)
                call.outcome = ToolOutcome(result.tool_use_id, text, result.is_error)
        if message.role == "user":
            runs += [parse_prompt(text) for text in _prompts(message)]
        else:
            introduced |= any(said in message.text for said in words()["says"]["mark"])
        for made in message.tool_calls if runs else ():
            calls[made.id] = Call(made.name, made.input)
            runs[-1].calls.append(calls[made.id])
    place = _CWD.search("\n".join([*(one.text for one in request.messages[:1]), request.system]))
    cwd, tools = place["path"].strip() if place else "", frozenset(request.tools)
    return Conversation(cwd, tools, tuple(runs) or (Run(""),), introduced, request.system)


def parse_prompt(text: str) -> Run:
    """Split a prompt into what was typed and the JSON array of references after it; an invalid
    array counts as empty.
    """
    typed, _, after = text.rpartition(_OPENING) if _OPENING in text else (text, "", "")
    try:
        items = json.loads(after.partition(_CLOSING)[0] or "[]")
    except (ValueError, RecursionError):
        items = []
    items = items if isinstance(items, list) else []
    files = [one for one in items if isinstance(one, dict) and one.get("path")]
    piped = _PIPED.search(typed)
    typed = _PIPED.sub("", typed).strip()
    request, _, pasted = typed.partition("\n") if len(typed) > _PASTED else (typed, "", "")
    material = "\n\n".join(filter(None, (pasted.strip(), piped["text"].strip() if piped else "")))
    return Run(request, tuple(dict.fromkeys(str(one["path"]) for one in files)), material)


def _prompts(message: Message) -> Iterable[str]:
    """Yield the prompts in a user message.

    After an interrupt or a failure the CLI puts the unanswered prompt and the next one into one
    message. It adds remarks of its own next to tool results, so only a text with our block of
    attachments counts there.
    """
    for text in (strip_reminders(text).strip() for text in message.texts):
        is_ours = not message.tool_results or _OPENING in text
        if text and is_ours and not text.startswith("[Request interrupted by user"):
            yield text
