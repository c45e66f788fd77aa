"""The bodies of requests: that of the AI SDK's transport, with additional fields from editors,
answers, and tools under the names used by pages: camelCase for the Markdown tools.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec
from aiohttp import web

from dogent_tui.agent.events import Scope
from dogent_tui.agent.ui_requests import RequestError
from dogent_tui.changes.model import DocumentChange
from dogent_tui.language import tr
from dogent_tui.records import Json, JsonDict
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.server import tool_name

_LONGEST_ID = 200
_BODY_S = 20.0
T = TypeVar("T")
Verdict: TypeAlias = Literal["accepted", "rejected"]


class Approval(msgspec.Struct):
    """The user's answer to a permission, in a part of a message."""

    id: str
    approved: bool | None = None
    reason: str | None = None


class Part(msgspec.Struct, rename="camel"):
    """A part of a message: a text, or a tool call with its state on the page."""

    type: str = ""
    text: str = ""
    state: str = ""
    tool_call_id: str = ""
    error_text: str = ""
    approval: Approval | None = None


class Message(msgspec.Struct):
    """A message. The parts of earlier ones are ignored: our history is authoritative."""

    role: str
    id: str | None = None
    parts: msgspec.Raw = msgspec.Raw(b"[]")

    def read(self) -> list[Part]:
        """Return its parts. Raises ValueError."""
        return _decoded(self.parts, list[Part])


class ChatBody(msgspec.Struct, rename="camel"):
    """The body of ``POST /api/chat``."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=_LONGEST_ID)]
    messages: Annotated[list[Message], msgspec.Meta(min_length=1)]
    trigger: str | None = None
    message_id: str | None = None
    model: str | None = None
    root_directory: str | None = None
    file_path: str | None = None
    file_content: str | None = None
    selected_text: str | None = None


class ToolBody(msgspec.Struct, rename="camel"):
    """The body of ``POST /api/chat/execute-tool``. `id` names the chat, in case several ask the
    same.
    """

    tool_name: str
    parameters: Json
    root_directory: str | None = None
    id: str | None = None


class ApprovalBody(msgspec.Struct, rename={"continues": "continue"}):
    """The body of ``POST /api/chat/{id}/approvals/{approvalId}``."""

    approved: bool
    scope: Scope | None = None
    reason: str | None = None
    continues: bool = False


class Decision(msgspec.Struct):
    """The user's decision about a hunk. `text` replaces the proposed one."""

    verdict: Verdict
    text: str | None = None
    comment: str = ""


class AnswerBody(msgspec.Struct):
    """The body of ``POST /api/chat/{id}/answers/{request}``: the answers to a form, an outline, or
    the decisions about hunks by number. `abandon`: there is no answer.
    """

    answers: Json | None = None
    outline: str | None = None
    comment: str | None = None
    hunks: Mapping[int, Verdict | Decision] | None = None
    abandon: bool = False

    def decide(self, change: DocumentChange) -> None:
        """Apply the decisions about hunks. Raises RequestError."""
        if self.hunks is None:
            words = tr("is missing: an object, number of the hunk → accepted or rejected.")
            raise RequestError("hunks", words)
        for number, each in self.hunks.items():
            decision = each if isinstance(each, Decision) else Decision(each)
            if not 1 <= number <= len(change.hunks):
                raise RequestError(f"hunks.{number}", tr("is no hunk of this change."))
            change.decide(number, decision.verdict)
            if decision.text is not None and decision.verdict == "accepted":
                change.edit(number, decision.text)
            change.comment(number, decision.comment)


async def read_body(request: web.Request, kind: type[T]) -> T:
    """Parse the body. Raises ValueError if it is invalid, or takes too long."""
    try:
        async with asyncio.timeout(_BODY_S):
            data = await request.read()
    except (TimeoutError, web.RequestPayloadError):
        words = tr("The body is broken off, too slow, or not encoded as it says.")
        raise ValueError(words) from None
    return _decoded(data, kind)


def _decoded(data: bytes | msgspec.Raw, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        words = tr("The body is not as it should be: {error}.", error=str(error).rstrip("."))
        raise ValueError(words) from None


# ── Tools ─────────────────────────────────────────────────────────────────────────────────────────

_PAGE_NAMES: Mapping[str, str] = {
    "mcp__dogent__read_markdown_file": "readMarkdownFile",
    "mcp__dogent__search_markdown_files": "searchMarkdownFiles",
    "mcp__dogent__search_markdown_content": "searchMarkdownContent",
    "mcp__dogent__list_file_tree": "listFileTree",
    "mcp__dogent__propose_document_change": "proposeDocumentChange",
}
_OWN_NAMES = {page: own for own, page in _PAGE_NAMES.items()}
_PAGE_KEYS = {"path": "filePath", "file_pattern": "filePattern", "new_content": "newContent"}
_OWN_KEYS = {page: own for own, page in _PAGE_KEYS.items()}


def page_name(tool: str) -> str:
    """Return the name of a tool for a page: ``readMarkdownFile``, ``read_document``, ``Bash``."""
    return _PAGE_NAMES.get(tool, tool.removeprefix("mcp__dogent__"))


def page_input(tool: str, values: Json) -> JsonDict:
    """Return the input of a call as a page knows it. `proposeDocumentChange` keeps `path`, by
    design.
    """
    if tool not in _PAGE_NAMES:
        return dict(values)
    keys = {**_PAGE_KEYS, "path": "path"} if tool.endswith("document_change") else _PAGE_KEYS
    return {keys.get(key, key): value for key, value in values.items()}


def own_call(name: str, values: Json, workspace: Workspace) -> tuple[str, JsonDict]:
    """Return tool and input of a call named either way by a page, so that equal calls compare
    equal.

    Paths are relative to the workspace if they are inside it.
    """
    tool = _OWN_NAMES.get(name, name)
    if tool == name and not name.startswith("mcp__") and name[:1].islower():
        tool = tool_name(name)
    made = {_OWN_KEYS.get(key, key): value for key, value in values.items() if value is not None}
    if isinstance(made.get("path"), str):
        made["path"] = workspace.relative(workspace.absolute(str(Path(made["path"]))))
    return tool, made
