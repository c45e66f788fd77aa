"""What a conversation holds, read from the messages of a request: prompts, the calls made for each, and what these returned."""

import json
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from dogent_tui.offline.answering import ANSWERS
from dogent_tui.offline.documents import READ_DOCUMENT, joined, parse_part
from dogent_tui.offline.material import PIPED, material_name, request_and_material
from dogent_tui.offline.messages_api import Message, MessagesRequest, Text, ToolOutcome, strip_reminders

UI_REQUEST = "mcp__dogent__ui_request"
"""The tool that asks the person on a screen: our turn ends with it, and what they answer is the next prompt."""
EXPORT_DOCUMENT = "mcp__dogent__export_document"
"""The tool that makes a pdf or docx of a Markdown file."""
PROPOSE = "mcp__dogent__propose_document_change"
"""The tool by which a change is proposed: the person reviews it while the call waits."""
_PATHS: Mapping[str, str] = {READ_DOCUMENT: "path", EXPORT_DOCUMENT: "md_path", PROPOSE: "path"}
"""The input that names the file, where it is not ``file_path``."""
_WISHES = "# The user's standing wishes for this workspace"
"""The heading over `.dogent/dogent.md` in the system prompt (`agent/prompts/system.md`)."""
_NOBODY = "(print mode)"
"""What the system prompt says where nobody is there to answer (`agent/prompts/not-asking.md`)."""

Ignored: TypeAlias = Callable[[Collection[str]], Collection[str]]
"""Tells which of some paths, relative to the workspace, are ignored there: these are read only where the person names them."""

_ENDS = r"\s!-*,:-@\[-^`{-}«»¡¿\u2000-\u206f\u3000-\u3004\u3008-\u3020\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_REVIEWED = re.compile(r"The user reviewed your change: (?P<outcome>[^\n]*)\.")
"""How the result of a call begins that the person reviewed in place of its being run (`changes/outcome.py`)."""
_NAME = rf"\"(?:[^\"\\\n]|\\.)*\"|“[^”\n]*”|[^{_ENDS}]+"
REFERENCE = re.compile(rf"(?<![@A-Za-z0-9_+%/\\])@(?P<path>{_NAME})(?:#(?:{_NAME}))?(?::\d+(?:-\d+)?(?!\w))?")
"""A reference as typed. Which files there are, the array of attachments says, so that this need not be exact."""
_PIPED = re.compile(r"\n\n<stdin>\n(?P<text>.*?)</stdin>", re.DOTALL)
"""What was piped into print mode: material, and not a part of the request."""
_ATTACHMENTS = ("<attachments>", "</attachments>")
_TEMPLATE = re.compile(r'<template name="[^"\n]*">\n(?P<text>.*?)\n</template>', re.DOTALL)
"""A document template that follows the attachments (`agent/prompts/template.md`)."""
_TEMPLATE_NAME = re.compile(r"(?<!\S)@@[\w:-]+")
_INTERRUPTED = "[Request interrupted by user"
_GO_ON = re.compile(
    r"(?:please )?(?:continue|go on|keep going|carry on|resume|go ahead)(?: please)?|(?:请)?(?:继续|接着(?:来|做|写)?)吧?",
    re.IGNORECASE,
)
"""What has a run that was interrupted go on."""
_CWD = re.compile(r"working directory: *(?P<path>[^\n]+)", re.IGNORECASE)
_LINE_NUMBER = re.compile(r"^ *\d+(?:\t|→|\Z)", re.MULTILINE)
"""What Read puts before each line. The CLI trims a result that a reminder follows: then an empty last line is a bare number."""
_TRUNCATED = "[Truncated: PARTIAL view"
"""How the CLI's Read begins its note that a file goes on after what it returned."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that the prompt refers to, as its metadata names it. `type` is the lower-case extension, or ``folder``.

    `sheet` is the one that is meant of a workbook, empty for all; `lines` are those of a text, as in ``10-40``, empty for all.
    """

    path: str
    type: str
    sheet: str = ""
    lines: str = ""

    @property
    def first_and_most(self) -> tuple[int, int]:
        """The first of the lines that are meant, from 1, and how many there are of them; zeros for all."""
        found = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", self.lines)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        return (first, last - first + 1) if 0 < first <= last else (0, 0)


@dataclass(slots=True)
class Call:
    """A tool call of ours. `outcome` is None while it has returned nothing; `truncated`: a Read that stopped before the end."""

    id: str
    name: str
    input: Mapping[str, Any]
    outcome: ToolOutcome | None = None
    truncated: bool = False

    @property
    def path(self) -> str:
        """The file the call is about, as given to it."""
        return str(self.input.get(_PATHS.get(self.name, "file_path"), ""))

    @property
    def review(self) -> str:
        """What came of the person's review, "1 of 2 hunks written to tea.md", empty where the call was not reviewed."""
        found = _REVIEWED.match(self.outcome.text) if self.outcome is not None else None
        return found["outcome"] if found else ""

    @property
    def succeeded(self) -> bool:
        """Whether the call returned, and not with an error. One that was reviewed did what the person accepted of it."""
        is_written = bool(self.review) and not self.review.startswith("nothing")
        return self.outcome is not None and (not self.outcome.is_error or is_written)

    @property
    def error(self) -> str:
        """The error in one line, empty where there is none."""
        if self.outcome is None or self.succeeded:
            return ""
        if self.review:
            return f"{self.review}."
        text = re.sub(r"</?tool_use_error>", "", self.outcome.text)
        return " ".join(text.split())[:300] or "no reason was given"

    @property
    def file_text(self) -> str:
        """What a successful Read returned, without its line numbers."""
        return _LINE_NUMBER.sub("", self.outcome.text) if self.outcome is not None and self.succeeded else ""


@dataclass(slots=True)
class Run:
    """One prompt and the calls made for it. `typed` is what the person typed, `sources` what they referenced.

    `missing` are the references, as typed, that lead to no file. `answers` are what came back for its requests on a screen: with
    them it goes on where it was. `template` is the text of the document template that it names. `interrupted`: it was stopped.
    `piped` is what came on standard input. Where much was pasted, `material` is that, and `request` what is wanted of it; else
    `request` is what was typed.
    """

    typed: str
    sources: tuple[Source, ...] = ()
    missing: tuple[str, ...] = ()
    calls: list[Call] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    template: str = ""
    interrupted: bool = False
    piped: str = ""
    material: str = ""
    request: str = ""

    def __post_init__(self) -> None:
        if not self.material:
            self.request = self.typed

    @property
    def brought(self) -> Mapping[str, str]:
        """What came with the prompt itself, by the name that stands for its path."""
        texts = {material_name(self.request, self.material): self.material, PIPED: self.piped}
        return {name: text for name, text in texts.items() if text}

    def named(self, *names: str) -> list[Call]:
        """Return the calls of the tools `names`, in order."""
        return [call for call in self.calls if call.name in names]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything said so far. `cwd` is the absolute path of the workspace, empty where the CLI did not name it.

    `alone`: nobody is there to answer a question. `wishes` are what the person wants of every document here.
    """

    cwd: str
    tools: frozenset[str]
    runs: tuple[Run, ...]
    ignored: Ignored = lambda _paths: ()
    alone: bool = False
    wishes: str = ""

    @property
    def can_ask(self) -> bool:
        """Whether the person can be asked on a screen."""
        return UI_REQUEST in self.tools and not self.alone

    @property
    def current(self) -> Run:
        """The run to answer now."""
        return self.runs[-1]

    @property
    def earlier(self) -> tuple[Run, ...]:
        """The runs before the current one."""
        return self.runs[:-1]

    def absolute(self, path: str) -> str:
        """Return `path` as the CLI's file tools want it."""
        return path if _is_absolute(path) or not self.cwd else posixpath.normpath(posixpath.join(self.cwd, path))

    def shown(self, path: str) -> str:
        """Return `path` as a person reads it: relative to the workspace where it lies inside."""
        prefix = self.cwd.rstrip("/\\") + "/"
        plain = path.replace("\\", "/") if self.cwd and "\\" in self.cwd else path
        plain = plain.removeprefix(prefix.replace("\\", "/")) if self.cwd else plain
        return posixpath.normpath(plain) if plain else plain

    def texts(self) -> dict[str, str]:
        """Return what was read of each file in the whole conversation, by its shown path: the newest of each."""
        return {path: text for run in self.runs for path, text in self.texts_of(run).items()}

    def texts_of(self, run: Run) -> dict[str, str]:
        """Return what was read in `run`, by shown path: its material, the newest Read of a file, all parts of a document."""
        parts: dict[str, list[Call]] = {}
        texts: dict[str, str] = dict(run.brought)
        for call in run.named("Read", READ_DOCUMENT):
            path = self.shown(call.path)
            if not call.succeeded or (call.outcome and call.outcome.media):
                continue
            if call.name == "Read" and not call.input.get("offset"):
                texts[path] = call.file_text
            elif call.name == READ_DOCUMENT:
                parts.setdefault(path, []).append(call)
        return texts | {path: joined(map(parse_part, _texts_in_order(calls))) for path, calls in parts.items()}


def _texts_in_order(calls: Iterable[Call]) -> list[str]:
    """Return the answers to `calls` for one document, sheet by sheet and part by part."""
    newest = {(str(call.input.get("sheet", "")), call.input.get("offset", 0)): call for call in calls}
    sheets = list(dict.fromkeys(sheet for sheet, _ in newest))
    ordered = sorted(newest, key=lambda part: (sheets.index(part[0]), part[1]))
    return [outcome.text for part in ordered if (outcome := newest[part].outcome)]


def conversation_of(request: MessagesRequest, ignored: Ignored) -> Conversation:
    """Read the conversation from `request`, whose ``<system-reminder>`` notes are still in it: they name the workspace."""
    runs: list[Run] = []
    calls: dict[str, Call] = {}
    for message in request.messages:
        if message.role == "user":
            _settle(calls, message.tool_results)
            if runs and any(isinstance(block, Text) and block.text.lstrip().startswith(_INTERRUPTED) for block in message.blocks):
                runs[-1].interrupted = True
            for text in _prompts(message):
                _add(runs, parse_prompt(text))
        elif message.role == "assistant" and runs:
            for made in message.tool_calls:
                call = Call(made.id, made.name, made.input)
                calls[made.id] = call
                runs[-1].calls.append(call)
    alone = _NOBODY in request.system
    wishes = request.system.partition(_WISHES)[2].partition("\n")[2].strip()
    return Conversation(_working_directory(request), frozenset(request.tools), tuple(runs) or (Run(""),), ignored, alone, wishes)


def _add(runs: list[Run], run: Run) -> None:
    """Begin a run, or go on with the one before where the prompt answers what that asked, or says to after an interrupt."""
    asked = runs[-1].calls[-1] if runs and runs[-1].calls else None
    if asked is not None and asked.name == UI_REQUEST and asked.succeeded and ANSWERS.match(run.typed):
        runs[-1].answers.append(run.typed)
    elif runs and runs[-1].interrupted and _GO_ON.fullmatch(run.typed.strip(" .!。！")):
        runs[-1].interrupted = False
        runs[-1].calls = [call for call in runs[-1].calls if call.succeeded]
    else:
        runs.append(run)


def parse_prompt(text: str) -> Run:
    """Split a prompt into what was typed and the JSON array of references after it; an array that is none counts as empty."""
    opening, closing = _ATTACHMENTS
    start = text.rfind(opening)
    end = text.find(closing, start) if start >= 0 else -1
    if end < 0:
        return Run(text.strip())
    try:
        items = json.loads(text[start + len(opening) : end])
    except (ValueError, RecursionError):
        items = []
    piped = _PIPED.search(text[:start])
    typed = _TEMPLATE_NAME.sub("", _PIPED.sub("", text[:start])).strip()
    request, pasted = request_and_material(typed)
    sources = tuple(_sources(items if isinstance(items, list) else []))
    template = _TEMPLATE.search(text, end)
    missing = tuple(_missing(request, [source.path for source in sources]))
    named = template["text"] if template else ""
    came = piped["text"].strip() if piped else ""
    return Run(typed, sources, missing, template=named, piped=came, material=pasted, request=request)


def _sources(items: Iterable[Any]) -> Iterable[Source]:
    seen = set()
    for item in items:
        path = item.get("path") if isinstance(item, dict) else None
        if isinstance(path, str) and path:
            kind = str(item.get("type") or path.rpartition(".")[2]).lower()
            source = Source(path, kind, str(item.get("sheet") or ""), str(item.get("lines") or ""))
            if source not in seen:
                seen.add(source)
                yield source


def _missing(typed: str, paths: Collection[str]) -> Iterable[str]:
    """Yield the references in `typed` that none of `paths` can have come from; a part of one may have led there."""
    named = (re.sub(r"\\(.)", r"\1", found["path"].strip('"“”')).rstrip(".-") for found in REFERENCE.finditer(typed))
    for name in dict.fromkeys(filter(None, named)):
        plain = posixpath.normpath(name)
        end = plain.lstrip("./~")
        if not any(plain.startswith(path) or path.startswith(f"{plain}#") or path.endswith(end) for path in paths):
            yield name


def _prompts(message: Message) -> Iterable[str]:
    """Yield the prompts in a user message.

    After an interrupt or a failure the CLI puts the unanswered prompt and the next one into one message. Beside tool results it
    puts remarks of its own, so that there only a text with our block of attachments counts.
    """
    for block in message.blocks:
        text = strip_reminders(block.text).strip() if isinstance(block, Text) else ""
        if text and not text.startswith(_INTERRUPTED) and (not message.tool_results or _ATTACHMENTS[0] in text):
            yield text


def _settle(calls: Mapping[str, Call], results: Iterable[ToolOutcome]) -> None:
    for result in results:
        call = calls.get(result.tool_use_id)
        if call is not None:
            text = strip_reminders(result.text)
            call.truncated = _TRUNCATED in result.text[len(text) :]
            call.outcome = ToolOutcome(result.tool_use_id, text, result.is_error, result.media)


def _working_directory(request: MessagesRequest) -> str:
    texts = [block.text for message in request.messages[:1] for block in message.blocks if isinstance(block, Text)]
    for text in (*texts, request.system):
        found = _CWD.search(text)
        if found:
            return found["path"].strip()
    return ""


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "~", "\\")) or re.match(r"[A-Za-z]:[\\/]", path) is not None
