"""The application over a session that the test plays by hand."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot

from dogent_tui.agent.service import AgentService
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.app import DogentApp
from tests.agent.fake_conversation import FakeConversation, FakeLauncher, opened_session
from tests.tui.idle import until, watch_for_idle


@pytest.fixture(scope="session", autouse=True)
def styles_parsed_once() -> Iterator[None]:
    """Parse each style sheet once for each theme, not once for each application: that was a quarter
    of what these tests cost.

    What a style sheet means depends on its text, its place and the theme's variables alone, and
    nobody changes the rules.
    """
    parse, parsed = Stylesheet._parse_rules, {}

    def parse_once(self: Stylesheet, css: str, *place: Any, **named: Any) -> list[RuleSet]:
        key = (css, place, *named.items(), *self._variables.items())
        if key not in parsed:
            parsed[key] = parse(self, css, *place, **named)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def idle_by_the_event_loop() -> Iterator[None]:
    """Have the pilot wait until the application has nothing to do."""
    with pytest.MonkeyPatch.context() as patch:
        watch_for_idle(patch)
        yield


OTHER_SIZES = ((80, 24), (200, 60))


@pytest.fixture
def looks(snap_compare: Callable[..., bool], snapshot: SnapshotAssertion) -> Callable[..., None]:
    """Compare what an application looks like with what was accepted, at 80×24, 120×40 and 200×60.

    At 120×40 that is a picture. The window is first made as small and as large as the others, and
    what is read there is compared.
    """

    def compare(app: App[Any], run_before: Callable[[Pilot[Any]], Awaitable[None]]) -> None:
        texts = {}

        async def run(pilot: Pilot[Any]) -> None:
            await run_before(pilot)
            for size in OTHER_SIZES:
                await pilot.resize_terminal(*size)
                await pilot.pause()
                lines = (
                    "".join(part.text for part in strip)
                    for strip in app.screen._compositor.render_strips()
                )
                texts["{}x{}".format(*size)] = "\n".join(line.rstrip() for line in lines)
            await pilot.resize_terminal(120, 40)
            await pilot.pause()

        assert snap_compare(app, terminal_size=(120, 40), run_before=run)
        assert texts == snapshot

    return compare


class Stage:
    """An application that runs, and the conversation behind it."""

    def __init__(self, app: DogentApp, pilot: Pilot[None], launcher: FakeLauncher) -> None:
        self.app = app
        self.pilot = pilot
        self.launcher = launcher

    @property
    def conversation(self) -> FakeConversation:
        return self.launcher.conversation

    @property
    def hint(self) -> str:
        """The line below the prompt."""
        return str(self.app.conversation.query_one("#prompt-hint").render())

    async def until(self, seen: Callable[[], object]) -> None:
        await until(self.pilot, seen)

    async def type(self, text: str) -> None:
        self.app.conversation.prompt.editor.insert(text)
        await self.pilot.pause()

    async def send(self, text: str) -> None:
        """Type `text`, close what it opened, press Enter, and wait until the agent has it."""
        sent = len(self.conversation.sent) if self.launcher.started else 0
        await self.type(text)
        await self.until(lambda: self.launcher.started)
        await self.pilot.press("enter")
        await self.until(lambda: len(self.conversation.sent) > sent)

    async def settle(self) -> None:
        """Wait until everything that arrived is drawn."""
        await self.pilot.pause(0.15)
        await self.pilot.pause()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "report"
    root.mkdir()
    (root / "notes.md").write_text("# Notes\n\nTea is hot.\n", encoding="utf-8")
    (root / "销售 2025.md").write_text("# 销售\n", encoding="utf-8")
    return Workspace(root)


@pytest.fixture
def stage(workspace: Workspace) -> Callable:
    @asynccontextmanager
    async def staged(
        size: tuple[int, int] = (100, 30),
        launcher: FakeLauncher | None = None,
        earlier: Path | None = None,
        *,
        notifications: bool = False,
    ) -> AsyncIterator[Stage]:
        launcher = launcher or FakeLauncher()
        endpoint = Endpoint("offline", "offline")
        service = AgentService(launcher, endpoint, cwd=str(workspace.root))
        opened = opened_session(workspace, endpoint, service, earlier)
        app = DogentApp(opened)
        try:
            async with app.run_test(size=size, notifications=notifications) as pilot:
                stage = Stage(app, pilot, launcher)
                await stage.until(
                    lambda: launcher.started and app.conversation.prompt.editor.has_focus
                )
                yield stage
        finally:  # the launcher of the real agent does it
            await opened.libraries.close()

    return staged
