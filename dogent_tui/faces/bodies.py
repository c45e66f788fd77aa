"""What requests hold: the body of the AI SDK's transport, with the fields that editors add, and
the answers to a permission.
"""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from aiohttp import web

from dogent_tui.agent.events import Scope
from dogent_tui.language import tr

_LONGEST_ID = 200
_BODY_S = 20.0
T = TypeVar("T")


class Approval(msgspec.Struct):
    """The user's answer to a permission, in a part of a message."""

    id: str
    approved: bool | None = None
    reason: str | None = None


class Part(msgspec.Struct, rename="camel"):
    """A part of a message: a text, or a tool call with what became of it on the page."""

    type: str = ""
    text: str = ""
    state: str = ""
    tool_call_id: str = ""
    error_text: str = ""
    approval: Approval | None = None


class Message(msgspec.Struct):
    """A message. The parts of earlier ones are not read: our history is the truth."""

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
    """The body of ``POST /api/chat/execute-tool``. `id` names the chat, where several ask the
    same.
    """

    tool_name: str
    parameters: Mapping[str, Any]
    root_directory: str | None = None
    id: str | None = None


class ApprovalBody(msgspec.Struct, rename={"continues": "continue"}):
    """The body of ``POST /api/chat/{id}/approvals/{approvalId}``."""

    approved: bool
    scope: Scope | None = None
    reason: str | None = None
    continues: bool = False


async def read_body(request: web.Request, kind: type[T]) -> T:
    """Return the body. Raises ValueError where it is another, or takes too long."""
    try:
        async with asyncio.timeout(_BODY_S):
            data = await request.read()
    except TimeoutError:
        raise ValueError(tr("The body did not arrive in time.")) from None
    except web.RequestPayloadError:
        raise ValueError(tr("The body is broken off, or not encoded as it says.")) from None
    return _decoded(data, kind)


def _decoded(data: bytes | msgspec.Raw, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        words = tr("The body is not as it should be: {error}.").format(error=str(error).rstrip("."))
        raise ValueError(words) from None
