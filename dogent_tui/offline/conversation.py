"""The conversation so far, parsed from the messages of a request: prompts, the calls made for each,
and their results; and the files of the workspace, read by such calls.
"""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from dogent_tui.offline.messages_api import (
    Message,
    MessagesRequest,
    ReplyToolUse,
    ToolOutcome,
    strip_reminders,
)
from dogent_tui.offline.passages import MARK, Document, parse
from dogent_tui.offline.words import extension, words
from dogent_tui.records import Record, at

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
"""The length in characters of a prompt from which on everything after the first line is material,
and the most of that line that is read as a request: what is longer is pasted too.
"""


class Call(msgspec.Struct):
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


class Run(msgspec.Struct):
    """One prompt and its calls. `attached` are the paths it refers to, `material` the text that
    came with it.
    """

    typed: str
    attached: tuple[str, ...] = ()
    material: str = ""
    calls: list[Call] = []


class Conversation(Record):
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
    paths = filter(None, (at(one, str, "path") for one in at(items, list)))
    piped = _PIPED.search(typed)
    typed = _PIPED.sub("", typed).strip()
    request = typed[:_PASTED].partition("\n")[0] if len(typed) > _PASTED else typed
    pasted = typed.removeprefix(request).strip()
    material = "\n\n".join(filter(None, (pasted, piped["text"].strip() if piped else "")))
    return Run(request, tuple(dict.fromkeys(paths)), material)


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


Files: TypeAlias = Callable[[], Mapping[str, float]]
"""Lists the files of the workspace, relative and without ignored ones, each with its modification
time.
"""

DOCUMENTS: Sequence[str] = words()["files"]["documents"]
PASTED = "your prompt"
"""Used as the path of a text that came with the prompt."""
_MOST_FILES, _MOST_CALLS, _MOST_PARTS, _PART = 30, 90, 12, 20_000
"""The number of files read for a request, calls of a run, parts of a document, and characters of a
part: several must fit into a window.
"""
_MORE = re.compile(r"^There is more: call read_document again with offset (\d+)\.$", re.MULTILINE)
_METADATA = re.compile(r"^Metadata: (\{.*\})$", re.MULTILINE)
_CITED = re.compile(r"^Cite as \[@(\S+)\]$", re.MULTILINE)
_STUB = "unchanged since"
"""Part of what the CLI's Read returns instead of a text that the conversation already contains."""


class Pending(Exception):  # noqa: N818  (not a failure)
    """Raised with the calls that have to be made first, possibly together."""


class Materials:
    """The material for one request.

    Args:
        conversation: what was said and called so far.
        files: lists the workspace.
        seen: kept between requests: the modification times of the files that were read.
    """

    def __init__(self, conversation: Conversation, files: Files, seen: dict[str, float]) -> None:
        self.conversation, self._changed, self._seen = conversation, files(), seen
        self.unread: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        """File that was read → its citation key."""
        kinds = (*words()["files"]["texts"], *DOCUMENTS)
        known = (path for path in self._changed if extension(path) in kinds and "~$" not in path)
        self.paths = sorted(known, key=lambda path: (path.count("/"), path))
        self.existing = frozenset((*self._changed, *conversation.written()))

    def call(self, name: str, **given: object) -> Call:
        """Return the finished call of this run. Raises Pending if it has not returned."""
        wanted = Call(name, {key: value for key, value in given.items() if value not in ("", 0)})
        calls = self.conversation.runs[-1].calls
        made = next((call for call in calls if call.key == wanted.key and call.outcome), None)
        if made is None:
            assert len(calls) < _MOST_CALLS, "the calls of a run do not come to an end"
            raise Pending(ReplyToolUse(name, wanted.input))
        return made

    def documents(self, paths: Iterable[str], *, drafts: bool = False) -> list[Document]:
        """Return the contents of the files, except unreadable ones (`unread` says why), and our
        drafts unless `drafts`.
        """
        found, pending = list[Document](), list[ReplyToolUse]()
        for path in list(dict.fromkeys(paths))[:_MOST_FILES]:
            try:
                text = self.text(path)
            except Pending as waiting:
                pending += waiting.args
                continue
            found += [parse(path, text)] if text and (drafts or MARK not in text) else []
        if pending:
            raise Pending(*pending)
        return found

    def text(self, path: str) -> str:
        """Return the content of the file as text, empty if it cannot be read."""
        if path == PASTED:
            return self.conversation.runs[-1].material
        if extension(path) in DOCUMENTS:
            return self._parts(path)
        if self._seen.get(path) == self._changed.get(path) and (known := self._earlier(path)):
            return known
        try:
            read = self.call("Read", file_path=self.conversation.absolute(path))
        except Pending:
            self._seen[path] = self._changed.get(path, 0.0)
            raise
        if read.is_partial or re.search("exceeds maximum|too large", read.error):
            return self._parts(path)
        if read.error:
            self.unread[path] = read.error
        return self._earlier(path) if _STUB in read.text[:200] else read.text

    def _earlier(self, path: str) -> str:
        """Return what was last read of a text in this conversation, empty if nothing was."""
        talk = self.conversation
        calls = (call for run in talk.runs for call in run.calls if call.name == "Read")
        texts = [call.text for call in calls if talk.shown(call.path) == path]
        return next((text for text in reversed(texts) if text and _STUB not in text[:200]), "")

    def _parts(self, path: str) -> str:
        given = {"path": self.conversation.absolute(path), "max_chars": _PART}
        texts, left = list[str](), [("", 0)]
        while left and len(texts) < _MOST_PARTS:
            sheet, offset = left.pop(0)
            part = self.call(READ_DOCUMENT, **given, sheet=sheet, offset=offset)
            head, _, text = part.text.partition("\n\n")
            if part.error:
                self.unread[path] = part.error
            if cited := _CITED.search(head):
                self.keys[path] = cited[1]
            if not texts and (known := _METADATA.search(head)):
                sheets = json.loads(known[1]).get("sheets") or []
                names = [one["name"] for one in sheets if one.get("state") == "visible"]
                sheet, left = next(iter(names), ""), [(name, 0) for name in names[1:]]
            texts += [f"<!-- sheet {sheet} -->\n"] if sheet and not offset else []
            texts.append(text or head)
            if more := _MORE.search(head):
                left.insert(0, (sheet, int(more[1])))
        if left:
            self.unread[path] = "only its beginning was read"
        return "\n".join(texts)
