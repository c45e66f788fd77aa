"""The offline engine: what the CLI talks to where no account is set up. Its answers are in
`finder`.
"""

import asyncio
import importlib
from typing import ClassVar, Self

from dogent_tui.offline.materials import Files
from dogent_tui.offline.messages_api import MessagesRequest, ReplyBlock
from dogent_tui.offline.server import LoopbackServer


class OfflineEngine(LoopbackServer):
    """The engine as a loopback server: point the CLI at its `base_url` with its `token` and
    `model`.

    `model` is a name that the CLI knows, since for others it assumes a window of a million tokens
    and sends system messages in the conversation; `name` is what a user should see. `files` is
    asked, in a thread, what lies in the workspace.
    """

    name: ClassVar[str] = "offline engine"
    model: ClassVar[str] = "claude-haiku-4-5"

    def __init__(self, files: Files = dict) -> None:
        # With a pause between two pieces a screen shows the reply grow; a whole draft takes a
        # quarter of a second.
        super().__init__(self._respond, models=(self.model,), pause=0.003)
        self._files = files
        self._seen: dict[str, float] = {}

    async def __aenter__(self) -> Self:
        # The grammar compiles regular expressions, which the first paint should not wait for.
        await asyncio.to_thread(importlib.import_module, "dogent_tui.offline.finder")
        return await super().__aenter__()

    async def _respond(self, request: MessagesRequest) -> tuple[ReplyBlock, ...]:
        from dogent_tui.offline.finder import reply

        # Ranking the passages of large files takes tens of milliseconds, which the screen must not
        # wait for.
        return await asyncio.to_thread(reply, request, self._files, self._seen)
