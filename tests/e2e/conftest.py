"""The real CLI on a scripted API, and the application in a terminal: what the end-to-end tests
stand on.

A start of the CLI costs a second of processor time, one of the application three. So tests that
need a conversation and not its start share one: `agent` is a service, `window` an application in a
terminal, each kept for the tests of a module and started again only where a test left it in another
state than it got it. Each test has a script of its own, and scripts words that no other test
scripts. What starts, resumes, kills or closes takes `open_service` or `dogent`.

All of a module runs in one event loop: the modules say so by ``pytestmark = IN_ONE_LOOP``.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.events import Event, Prompt, RunFinished, SessionStarted
from dogent_tui.agent.launch import Budget, ClaudeLauncher
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.session import session_copies
from dogent_tui.endpoint_kind import EndpointKind
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries
from dogent_tui.web.profiles import WebAccess
from tests.e2e.scripted_api import MODEL, ScriptedApi
from tests.e2e.terminal import CTRL_C, DOGENT, Terminal, plain_environment

IN_ONE_LOOP = pytest.mark.asyncio(loop_scope="module")

PROFILE = "test-profile"
COPIES = "copies"
"""The session under which the copies of `open_service` are kept."""
SIZE = (100, 30)
_RUN_LIMIT_S = 120.0
"""How long a run may take: a start of the CLI on a busy machine, and the pauses between its retries
(8 s) besides.
"""


class Listener:
    """A service and all that it has said so far."""

    def __init__(
        self,
        service: AgentService,
        root: Path = Path(),
        authority: Authority | None = None,
        trust: FolderTrust | None = None,
    ) -> None:
        self.service = service
        self.trust = trust
        self.root = root
        self.authority = authority
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
            await asyncio.wait_for(self._changed.wait_for(lambda: bool(seen())), _RUN_LIMIT_S)

    async def heard(self, kind: type[Event], count: int = 1) -> Any:
        """Wait for the `count`th event of this kind."""
        await self.until(lambda: len(self.of(kind)) >= count)
        return self.of(kind)[count - 1]

    async def run(self, text: str, **prompt: Any) -> RunFinished:
        """Send a prompt and wait for its run to end."""
        finished = len(self.of(RunFinished))
        await self.service.submit(Prompt(text, **prompt))
        return await self.heard(RunFinished, finished + 1)

    async def close(self) -> None:
        """Hear no more."""
        self._task.cancel()
        await asyncio.wait([self._task])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def module_api() -> AsyncIterator[ScriptedApi]:
    async with ScriptedApi() as api:
        yield api


@pytest.fixture
def api(module_api: ScriptedApi) -> ScriptedApi:
    """The scripted API: nothing is scripted yet, and nothing was asked."""
    module_api.reset()
    return module_api


class Shelf:
    """What the tests of a module share, with its home and its workspace."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.root = folder / "workspace"
        self.home.mkdir()
        self.root.mkdir()
        self.service: AgentService | None = None
        self.authority: Authority | None = None
        self.window: Window | None = None
        self.stack = AsyncExitStack()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shelf(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shelf]:
    shelf = Shelf(tmp_path_factory.mktemp("shared"))
    async with shelf.stack:
        yield shelf


@pytest_asyncio.fixture(loop_scope="module")
async def agent(
    api: ScriptedApi, shelf: Shelf, home: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Listener]:
    """A connected service on the scripted API that the tests of a module share. It hears what
    happens from here on.
    """
    # where it is started again, it looks for its session there
    monkeypatch.setenv("DOGENT_HOME", str(shelf.home / ".dogent"))
    service = shelf.service
    if service is None or service.state != "idle" or service.queued:
        await shelf.stack.aclose()
        shelf.authority = Authority(Workspace(shelf.root))
        service = shelf.service = _service(api, Workspace(shelf.root), authority=shelf.authority)
        listener = Listener(service, shelf.root)
        await shelf.stack.enter_async_context(service)
        await listener.heard(SessionStarted)
        await listener.close()
    listener = Listener(service, shelf.root, shelf.authority)
    yield listener
    await listener.close()


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
        *,
        base_url: str = "",
        allow: tuple[str, ...] = (),
        web: WebAccess | None = None,
        **options: Any,
    ) -> AsyncIterator[Listener]:
        libraries = Libraries(workspace, WorkspaceSettings(), web)
        authority, trust = Authority(workspace, allow, libraries.hosts), FolderTrust(workspace)
        libraries.keeps_sources = lambda: trust.trusted
        options = {"libraries": libraries, **options}
        async with _service(api, workspace, base_url, authority, trust, **options) as service:
            yield Listener(service, workspace.root, authority, trust)

    return opened


def _service(
    api: ScriptedApi,
    workspace: Workspace,
    base_url: str = "",
    authority: Authority | None = None,
    trust: FolderTrust | None = None,
    libraries: Libraries | None = None,
    doc_template: str = "",
    timeout_ms: int | None = None,
    kind: EndpointKind = "custom",
    budget_usd: float = 0.0,
    **options: Any,
) -> AgentService:
    url = base_url or api.base_url
    endpoint = Endpoint(
        PROFILE, kind, url, token=api.token, model=MODEL, small_model=MODEL, timeout_ms=timeout_ms
    )
    copies = session_copies(workspace, COPIES)
    authority, trust = authority or Authority(workspace), trust or FolderTrust(workspace)
    libraries = libraries or Libraries(workspace, WorkspaceSettings())
    settings, budget = WorkspaceSettings(doc_template=doc_template), Budget(budget_usd)
    launcher = ClaudeLauncher(
        workspace,
        endpoint,
        authority,
        trust,
        libraries,
        settings=lambda: settings,
        copies=copies,
        budget=budget,
    )
    options = {
        "on_prompt": libraries.hosts.heard,
        "on_run": lambda run_id: copies().begin_run(run_id),
        "budget": budget,
        **options,
    }
    return AgentService(launcher, endpoint, cwd=str(workspace.root), **options)


class Dogent:
    """The application as a user starts it, in a terminal, with a profile that leads to the
    scripted API.
    """

    def __init__(self, api: ScriptedApi, root: Path, home: Path) -> None:
        self.api = api
        self.root = root
        self.home = home
        write_profile(home / ".dogent", root, api)

    @asynccontextmanager
    async def open(
        self,
        *arguments: str,
        size: tuple[int, int] = SIZE,
        ready: bool = True,
        prepared: bool = True,
        **env: str,
    ) -> AsyncIterator[Terminal]:
        """Start it, and wait until the agent is there where `ready`. `prepared`: it may be
        forked from what is imported.
        """
        argv = [*DOGENT, str(self.root), *arguments]
        variables = plain_environment(self.home, **env)
        async with Terminal.open(
            argv, size=size, env=variables, cwd=self.root, prepared=prepared
        ) as terminal:
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
    (home / "claude.json").write_text(
        json.dumps({"profiles": {PROFILE: profile}}), encoding="utf-8"
    )
    made = {"part": ".dogent", "answer": "made"}
    (home / "trust.json").write_text(
        json.dumps({"workspaces": {str(root.resolve()): [made]}}), encoding="utf-8"
    )
    (root / ".dogent").mkdir(exist_ok=True)
    (root / ".dogent" / "dogent.json").write_text(
        json.dumps({"profile": PROFILE}), encoding="utf-8"
    )


@pytest.fixture
def dogent(api: ScriptedApi, workspace: Workspace, home: Path) -> Dogent:
    return Dogent(api, workspace.root, home)


class Window(Dogent):
    """An application that is open already, and what was said in it before is in its transcript."""

    terminal: Terminal

    async def is_as_new(self) -> bool:
        """Whether it is there, at rest, with nothing in the prompt; what a test left in the
        prompt is taken out.
        """
        if self.terminal.ended:
            return False
        self.terminal.resize(*SIZE)
        try:
            await self.terminal.wait_for("› ", "ready", limit_s=5)
            if EMPTY not in self.terminal.text():
                self.terminal.type(CTRL_C)
                await self.terminal.wait_for(EMPTY, limit_s=5)
        except AssertionError:
            return False
        return True


EMPTY = "› What would you like to write?"
"""The prompt with nothing in it."""


@pytest_asyncio.fixture(loop_scope="module")
async def window(api: ScriptedApi, shelf: Shelf) -> Window:
    """An application in a terminal that the tests of a module share."""
    if shelf.window is None or not await shelf.window.is_as_new():
        await shelf.stack.aclose()
        shelf.window = Window(api, shelf.root, shelf.home)
        shelf.window.terminal = await shelf.stack.enter_async_context(shelf.window.open())
    return shelf.window
