"""The real CLI on a scripted API, and the application in a terminal: what the end-to-end tests stand on."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.events import Event, Prompt, RunFinished
from dogent_tui.agent.launch import ClaudeLauncher, SessionChoice
from dogent_tui.agent.service import AgentService
from dogent_tui.workspace.copies import Copies
from dogent_tui.workspace.paths import Workspace
from dogent_tui.workspace.profiles import Endpoint
from tests.e2e.scripted_api import MODEL, ScriptedApi
from tests.e2e.terminal import DOGENT, Terminal, plain_environment

PROFILE = "test-profile"


class Listener:
    """A service and all that it has said so far."""

    def __init__(self, service: AgentService, authority: Authority | None = None, copies: Copies | None = None) -> None:
        self.service = service
        self.authority = authority
        self.copies = copies
        self.events: list[Event] = []
        self._changed = asyncio.Condition()
        self._task = asyncio.create_task(self._listen(service.events()))

    async def _listen(self, events: AsyncIterator[Event]) -> None:
        async for event in events:
            async with self._changed:
                self.events.append(event)
                self._changed.notify_all()

    def of(self, *kinds: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kinds)]

    async def until(self, seen: Callable[[], object]) -> None:
        """Wait until `seen` is true of the events so far."""
        async with self._changed:
            await asyncio.wait_for(self._changed.wait_for(lambda: bool(seen())), 30)

    async def heard(self, kind: type[Event], count: int = 1) -> Any:
        """Wait for the `count`th event of this kind."""
        await self.until(lambda: len(self.of(kind)) >= count)
        return self.of(kind)[count - 1]

    async def run(self, text: str, **prompt: Any) -> RunFinished:
        """Send a prompt and wait for its run to end."""
        finished = len(self.of(RunFinished))
        await self.service.submit(Prompt(text, **prompt))
        return await self.heard(RunFinished, finished + 1)


@pytest.fixture
async def api() -> AsyncIterator[ScriptedApi]:
    async with ScriptedApi() as api:
        yield api


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "workspace"
    root.mkdir()
    return Workspace(root)


@pytest.fixture
def open_service(api: ScriptedApi, workspace: Workspace):
    """Open a service on the scripted API (or on another URL), as often as a test wants one."""

    @asynccontextmanager
    async def opened(
        *, session: SessionChoice | None = None, base_url: str = "", stall_after_s: float = 10.0, allow: tuple[str, ...] = ()
    ) -> AsyncIterator[Listener]:
        endpoint = Endpoint(PROFILE, "custom", base_url or api.base_url, token=api.token, model=MODEL, small_model=MODEL)
        authority, copies = Authority(workspace, allow), Copies(workspace, "test")
        launcher = ClaudeLauncher(workspace, endpoint, authority, copies=lambda: copies)
        service = AgentService(launcher, endpoint, cwd=str(workspace.root), session=session, stall_after_s=stall_after_s)
        async with service:
            yield Listener(service, authority, copies)

    return opened


class Dogent:
    """The application as a person starts it, in a terminal, with a profile that leads to the scripted API."""

    def __init__(self, api: ScriptedApi, workspace: Workspace, home: Path) -> None:
        self.api = api
        self.root = workspace.root
        self.home = home
        write_profile(home / ".dogent", workspace.root, api)

    @asynccontextmanager
    async def open(
        self, *arguments: str, size: tuple[int, int] = (100, 30), ready: bool = True, **env: str
    ) -> AsyncIterator[Terminal]:
        """Start it, and wait until the agent is there where `ready`."""
        argv = [*DOGENT, str(self.root), *arguments]
        async with Terminal.open(argv, size=size, env=plain_environment(self.home, **env), cwd=self.root) as terminal:
            if ready:
                await terminal.wait_for("ready")
            yield terminal


def write_profile(home: Path, root: Path, api: ScriptedApi) -> None:
    """Have the application talk to `api` when it is started in the folder `root`."""
    profile = {
        "ANTHROPIC_BASE_URL": api.base_url,
        "ANTHROPIC_AUTH_TOKEN": api.token,
        "ANTHROPIC_MODEL": MODEL,
        "ANTHROPIC_SMALL_FAST_MODEL": MODEL,
    }
    home.mkdir(parents=True, exist_ok=True)
    (home / "claude.json").write_text(json.dumps({"profiles": {PROFILE: profile}}), encoding="utf-8")
    (root / ".dogent").mkdir(exist_ok=True)
    (root / ".dogent" / "dogent.json").write_text(json.dumps({"profile": PROFILE}), encoding="utf-8")


@pytest.fixture
def dogent(api: ScriptedApi, workspace: Workspace, home: Path) -> Dogent:
    return Dogent(api, workspace, home)
