"""The effects of tools other than Bash: the CLI's, ours, and those of other MCP servers."""

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from dogent_tui.language import ngettext, tr
from dogent_tui.permissions.consultations import CONSULTING, READ_DOCUMENT, refusal
from dogent_tui.permissions.leaks import leaking_part
from dogent_tui.permissions.model import Effect, EffectKind, ToolCall
from dogent_tui.permissions.paths import Guard, PathRule
from dogent_tui.permissions.text import deceptive_character, names
from dogent_tui.storage.paths import export_target

_PATHLESS = names(
    "TodoWrite Task Agent WebSearch AskUserQuestion ExitPlanMode EnterPlanMode BashOutput KillShell"
    " KillBash TaskOutput TaskStop TaskCreate TaskUpdate TaskList TaskGet Skill SlashCommand"
    " ToolSearch ListMcpResources ListMcpResourcesTool ReadMcpResource ReadMcpResourceTool"
    " StructuredOutput Brief SendUserMessage mcp__dogent__web_search mcp__dogent__ui_request"
    " mcp__dogent__plan"
)
_OURS = "mcp__dogent__"
_PATH_STARTS = ("/", "~", ".", "file://")
_PRIVATE_NAMES = (".local", ".internal", ".localhost", ".home", ".lan")


LeadsInside: TypeAlias = Callable[[str], bool | None]
"""Tells whether an address leads to a private network and needs approval; if None, the host name
decides.
"""


@dataclass(frozen=True)
class Fetching:
    """What is known about fetched addresses.

    `leads_inside` checks the addresses that our tool fetches. `known` is all that the user wrote
    and searches found: text from it may appear in an address. `images` is the folder for saved
    images, `looker` who receives pages as pictures, `opened` the addresses opened before.
    """

    leads_inside: LeadsInside | None = None
    known: str = ""
    images: Path | None = None
    looker: str = ""
    opened: tuple[str, ...] = ()


def tool_effects(
    call: ToolCall, rule: PathRule, fetching: Fetching, *, consent: bool = False
) -> tuple[Effect, ...]:
    """Return the effects of a call of any tool but Bash. `consent`: every access to a document
    requires a question.
    """
    if call.tool in _PATHLESS:
        return ()
    inputs = _Inputs(call, rule, fetching)
    if call.tool in CONSULTING or (consent and call.tool == READ_DOCUMENT):
        return (_consult(inputs, call.tool.removeprefix(_OURS)),)
    if handler := _TOOLS.get(call.tool):
        return tuple(handler(inputs))
    if call.tool.startswith("mcp__") and not call.tool.startswith(_OURS):
        return tuple(_foreign(inputs))
    return (inputs.doubt(tr("The tool {tool} is unknown.", tool=call.tool)),)


class _Inputs:
    """The inputs of one call, and how its paths are resolved."""

    def __init__(self, call: ToolCall, rule: PathRule, fetching: Fetching) -> None:
        self.call = call
        self.rule = rule
        self.fetching = fetching
        # Our tools run in our process, whatever the working directory of the session's shell.
        own = call.tool.startswith(_OURS)
        self.base = str(rule.workspace if own else call.cwd or rule.workspace)

    def doubt(self, note: str, text: str = "", kind: EffectKind = EffectKind.UNKNOWN) -> Effect:
        """Return an effect without a path."""
        return Effect(kind, None, text, None, self.call.tool, note)

    def text(self, *names: str) -> str:
        """Return the first of these inputs that is a text."""
        values = (self.call.input.get(name) for name in names)
        return next((value for value in values if isinstance(value, str)), "")

    def touch(self, kind: EffectKind, text: str, replaces: bool = False) -> Effect:
        """Return the effect on one path input."""
        warning = (
            tr("The path contains a line break.") if "\n" in text else deceptive_character(text)
        )
        if warning or not text:
            return self.doubt(warning or tr("The path is missing."), text)
        spelled = text.removeprefix("file://")
        if spelled.startswith("~"):
            own = spelled[1:2] in {"", "/"}
            spelled = f"{self.rule.home if own else '/home/'}{spelled[1:]}"
        if not spelled.startswith("/"):
            spelled = f"{self.base}/{spelled}"
        path = self.rule.resolve(spelled, follow=not kind.removes)
        if kind is EffectKind.WRITE and not self.rule.exists(path):
            kind, replaces = EffectKind.CREATE, False
        return Effect(kind, path, text, None, self.call.tool, "", replaces)


def _touches(kind: EffectKind, *names: str) -> Callable[[_Inputs], Iterator[Effect]]:
    def touch(inputs: _Inputs) -> Iterator[Effect]:
        yield inputs.touch(kind, inputs.text(*names) or ("." if kind is EffectKind.READ else ""))

    return touch


def _glob(inputs: _Inputs) -> Iterator[Effect]:
    base = inputs.text("path") or "."
    yield inputs.touch(EffectKind.READ, base)
    pattern = inputs.text("pattern")
    if fixed := re.split(r"[*?\[{]", pattern, maxsplit=1)[0]:
        fixed = fixed if fixed.startswith(("/", "~")) else f"{base}/{fixed}"
        yield inputs.touch(EffectKind.READ, fixed)
    if ".." in re.split(r"[/{},]", pattern):
        yield inputs.doubt(tr("The pattern reaches outside its folder."), pattern)
    for alternative in re.findall(r"[{,]([/~][^,}]*)", pattern):
        yield inputs.touch(EffectKind.READ, alternative)


def _fetch(inputs: _Inputs, leads_inside: LeadsInside | None = None) -> Iterator[Effect]:
    url = inputs.text("url")
    parts = urlsplit(url if "://" in url else f"https://{url}")
    host = parts.hostname or url
    inside = leads_inside(url) if leads_inside is not None else None
    if inside is None:
        inside = _is_private(parts.hostname or "")
    if parts.scheme not in {"http", "https"} or inside:
        note = tr("The address {hostname} is not public.", hostname=host)
        yield inputs.doubt(note, url, EffectKind.NETWORK)
    fetching = inputs.fetching
    if part := leaking_part(url, fetching.known, inputs.rule.root, fetching.opened):
        part = part if len(part) <= 500 else f"{part[:499]}…"
        note = tr("The address sends text to {hostname} that you did not write: “{text}”")
        yield inputs.doubt(note.format(hostname=host, text=part), url)


def _is_private(host: str) -> bool:
    with suppress(ValueError):
        return not ipaddress.ip_address(host).is_global
    if "." not in host.strip(".") or host.rstrip(".").endswith(_PRIVATE_NAMES):
        return True
    return re.fullmatch(r"(0x[0-9a-fA-F]+|[0-9.])+", host) is not None


def _web_fetch(inputs: _Inputs) -> Iterator[Effect]:
    yield from _fetch(inputs, inputs.fetching.leads_inside)
    if inputs.text("filename"):
        yield inputs.touch(EffectKind.CREATE, _saved_as(inputs))


def _propose_change(inputs: _Inputs) -> Iterator[Effect]:
    if inputs.text("path"):  # otherwise it is for the open document, which the tool checks
        yield inputs.touch(EffectKind.WRITE, inputs.text("path"))


def _check_quotes(inputs: _Inputs) -> Iterator[Effect]:
    yield inputs.touch(EffectKind.READ, inputs.text("path"))
    yield inputs.touch(EffectKind.READ, inputs.text("sources") or ".")


def _read_document(inputs: _Inputs) -> Iterator[Effect]:
    yield inputs.touch(EffectKind.READ, inputs.text("path"))
    if inputs.call.input.get("ocr"):
        yield _shown_pages(inputs)


def _shown_pages(inputs: _Inputs) -> Effect:
    """Return the effect of pages leaving the machine as pictures, which is asked about every time,
    with their number and recipient.
    """
    pages = str(inputs.call.input.get("pages") or "")
    spans = [
        (int(first), int(last or first))
        for first, last in re.findall(r"(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?", pages)
    ]
    count = sum(max(0, last - first) + 1 for first, last in spans)
    note = ngettext(
        "{count} page of {path} ({pages}) is sent as a picture to {looker}.",
        "{count} pages of {path} ({pages}) are sent as pictures to {looker}.",
        count,
        count=count,
        path=inputs.text("path"),
        pages=pages,
        looker=inputs.fetching.looker or tr("the vision model"),
    )
    return inputs.doubt(note, pages)


def _saved_as(inputs: _Inputs) -> str:
    """Return where an image is saved: always in the image folder, whatever folder its name
    contains.
    """
    name = inputs.text("filename").replace("\\", "/").rstrip("/").rpartition("/")[2] or "image"
    return str((inputs.fetching.images or Path("images")) / name)


def _consult(inputs: _Inputs, name: str) -> Effect:
    """Return the effects of a tool that states a reason. Only the workspace can be searched, so the
    user is never asked about more.
    """
    path, note, place = inputs.text("path"), refusal(inputs.call.input), None
    if name in {"read_markdown_file", "read_document"}:
        read = inputs.touch(EffectKind.READ, path)
        place = read.path
        if not note and (place is None or not inputs.rule.inside(place)):
            words = tr("{path} is outside the workspace. Only files inside it are read.")
            note = read.note or words.format(path=path)
    return Effect(EffectKind.USE, place, path, None, name, note)


def _export(inputs: _Inputs) -> Iterator[Effect]:
    source = inputs.text("md_path")
    yield inputs.touch(EffectKind.READ, source)
    output = inputs.text("output_path") or export_target(source, inputs.text("format") or "pdf")
    yield inputs.touch(EffectKind.WRITE, output, replaces=True)


def _foreign(inputs: _Inputs) -> Iterator[Effect]:
    """Return the effects of a tool of another MCP server. Its use of the inputs is unknown, so the
    tool itself is asked about, and again if an input names a guarded place or one outside the
    workspace.
    """
    yield Effect(EffectKind.TOOL, program=inputs.call.tool)
    for text in _texts(inputs.call.input):
        if text.startswith(_PATH_STARTS) and "\n" not in text:
            named = inputs.touch(EffectKind.WRITE, text)
            if named.path is None:
                yield named
            elif not inputs.rule.inside(named.path):
                words = tr("It names a place outside the workspace: {path}")
                yield inputs.doubt(words.format(path=named.path), text)
            elif inputs.rule.guard(named.path) is not Guard.NONE:
                words = tr("It names {path}, which is protected.")
                yield inputs.doubt(words.format(path=text), text)


def _texts(value: Any) -> Iterator[str]:
    """Yield every text among the inputs."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(inner)


_read, _write = partial(_touches, EffectKind.READ), partial(_touches, EffectKind.WRITE)
_TOOLS: dict[str, Callable[[_Inputs], Iterator[Effect]]] = {
    "Read": _read("file_path", "path"),
    "NotebookRead": _read("notebook_path", "file_path"),
    **dict.fromkeys(("LS", "Grep"), _read("path")),
    "LSP": _read("filePath", "file_path", "path"),
    "Glob": _glob,
    **dict.fromkeys(("Write", "Edit", "MultiEdit"), _write("file_path", "path")),
    "NotebookEdit": _write("notebook_path", "file_path"),
    "WebFetch": _fetch,
    f"{_OURS}web_fetch": _web_fetch,
    f"{_OURS}export_document": _export,
    f"{_OURS}propose_document_change": _propose_change,
    f"{_OURS}check_quotes": _check_quotes,
    **dict.fromkeys((f"{_OURS}read_document", f"{_OURS}analyze_media"), _read_document),
}
"""The effects of each tool by its name; those without any are `_PATHLESS`."""
