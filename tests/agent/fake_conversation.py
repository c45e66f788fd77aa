"""A model session that a test plays by hand: what arrives, and what was sent, interrupted and
closed.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.conversation import (
    Ask,
    AskForm,
    ContextUse,
    ServerState,
    SessionChoice,
    TurnEnded,
)
from dogent_tui.agent.events import Event, PermissionRequested
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.session import OpenedSession, SessionOptions, session_copies
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import load_settings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries


def permission(
    tool_use_id: str, tool: str, tool_input: Mapping[str, Any], **values: Any
) -> PermissionRequested:
    """Return a question about a call, under an id of its own."""
    return PermissionRequested(
        request_id=uuid.uuid4().hex, tool_use_id=tool_use_id, tool=tool, input=tool_input, **values
    )


class FakeConversation:
    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.sent: list[str] = []
        self.received = asyncio.Event()
        self.interrupts = 0
        self.closed = False
        self.killed = False
        self.server_states: list[ServerState] = []
        self.switched: list[tuple[str, bool]] = []
        self.use = ContextUse(total=0, window=0)
        self.ends_on_interrupt = True
        self._incoming: asyncio.Queue[Event | TurnEnded | Exception | None] = asyncio.Queue()

    def arrive(self, *items: Event | TurnEnded | Exception | None) -> None:
        """Have something arrive; None ends the stream, an error breaks it."""
        for item in items:
            self._incoming.put_nowait(item)

    async def connect(self) -> None: ...

    async def send(self, text: str, message_id: str) -> None:
        self.sent.append(text)
        self.received.set()

    async def compact(self, focus: str, message_id: str) -> None:
        await self.send(f"/compact {focus}", message_id)

    async def context(self) -> ContextUse:
        return self.use

    async def servers(self) -> list[ServerState]:
        return self.server_states

    async def switch_server(self, name: str, *, on: bool) -> None:
        self.switched.append((name, on))

    async def messages(self) -> AsyncIterator[Event | TurnEnded]:
        while (item := await self._incoming.get()) is not None:
            if isinstance(item, Exception):
                raise item
            yield item

    async def interrupt(self) -> None:
        self.interrupts += 1
        if self.ends_on_interrupt:
            self.arrive(TurnEnded("stopped"))

    async def close(self) -> None:
        self.closed = True

    def kill(self) -> None:
        self.killed = True


class FakeLauncher:
    """Starts fake conversations. `failures` are raised first, one a start."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.started: list[tuple[SessionChoice, FakeConversation]] = []
        self.ask: Ask | None = None
        self.form: AskForm | None = None
        self.closed = False
        self.may_start = asyncio.Event()
        self.may_start.set()

    async def start(self, choice: SessionChoice, ask: Ask, form: AskForm) -> FakeConversation:
        await self.may_start.wait()
        if self.failures:
            raise self.failures.pop(0)
        self.ask, self.form = ask, form
        self.started.append((choice, FakeConversation(choice.session_id)))
        return self.started[-1][1]

    async def close(self) -> None:
        self.closed = True

    @property
    def conversation(self) -> FakeConversation:
        return self.started[-1][1]


def opened_session(
    workspace: Workspace, endpoint: Endpoint, service: AgentService, earlier: Path | None = None
) -> OpenedSession:
    """Return a session as the application gets it, without warnings. `earlier` is the log of the
    one that it continues.
    """
    authority, copies = Authority(workspace), session_copies(workspace, service.session_id)
    settings, _ = load_settings(workspace)
    return OpenedSession(
        workspace,
        settings,
        endpoint,
        service,
        (),
        earlier,
        SessionOptions(),
        authority,
        copies,
        FolderTrust(workspace),
        Libraries(workspace, settings),
    )
