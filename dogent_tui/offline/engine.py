"""The offline engine: what the CLI talks to if no account is set up. Answers the CLI's own
requests, for a title or a summary; prompts are answered in `finder`.
"""

import asyncio
import importlib
import json
import re
from typing import ClassVar, Self

from dogent_tui.offline.conversation import Files, Materials, Pending, conversation_of
from dogent_tui.offline.messages_api import MessagesRequest, ReplyBlock, ReplyText
from dogent_tui.offline.server import LoopbackServer

_COMPACTION = re.compile(r"create a detailed summary of (?:the|this) conversation", re.IGNORECASE)
"""Part of the prompt with which the CLI asks for a summary when the context window is nearly
full.
"""


class OfflineEngine(LoopbackServer):
    """The engine as a loopback server. `files` is called, in a thread, to list the workspace."""

    # It makes the reply grow visibly; a whole draft takes a quarter of a second.
    pause_s: ClassVar[float] = 0.003

    def __init__(self, files: Files) -> None:
        super().__init__(self._respond)
        self._files = files
        self._seen: dict[str, float] = {}

    async def __aenter__(self) -> Self:
        # The grammar compiles regular expressions, which must not delay the first paint.
        await asyncio.to_thread(importlib.import_module, "dogent_tui.offline.finder")
        return await super().__aenter__()

    async def _respond(self, request: MessagesRequest) -> tuple[ReplyBlock, ...]:
        # Ranking the passages of large files takes tens of milliseconds, which must not block the
        # screen.
        return await asyncio.to_thread(reply, request, self._files, self._seen)


def reply(request: MessagesRequest, files: Files, seen: dict[str, float]) -> tuple[ReplyBlock, ...]:
    """Return the reply to `request`: what to say, or which of the offered tools to call next.

    Args:
        request: the CLI's request.
        files: lists the workspace.
        seen: kept between requests, initially empty.
    """
    from dogent_tui.offline.finder import Finder

    if not request.tools:
        return (ReplyText(_side_reply(request)),)
    talk = conversation_of(request)
    if _COMPACTION.search(talk.runs[-1].typed):
        prompts = [f"- {' '.join(run.typed.split())[:200]}" for run in talk.runs[:-1]]
        return (ReplyText("\n".join(["<summary>", *prompts, *talk.written(), "</summary>"])),)
    try:
        return (ReplyText(Finder(talk, Materials(talk, files, seen)).answer()),)
    except Pending as pending:
        return pending.args


def _side_reply(request: MessagesRequest) -> str:
    """Answer a request of the CLI itself, such as for a title, with the first words of its text."""
    text = request.last_user_text()
    title = " ".join(re.sub(r"<[^>]{0,40}>", " ", text).split()[:6])[:60] or "Conversation"
    is_json = "json" in f"{request.system} {text}".lower()
    return json.dumps({"title": title}, ensure_ascii=False) if is_json else title
