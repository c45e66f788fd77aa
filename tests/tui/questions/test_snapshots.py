"""What a question looks like, at 80×24, 120×40 and 200×60. `make snapshots` accepts a new look."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from dogent_tui.agent.events import Prompt, RunStarted, SessionStarted, TextFinished, ToolUse
from dogent_tui.agent.service import AgentService
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.app import DogentApp
from tests.agent.fake_conversation import FakeLauncher, opened_session
from tests.tui.questions.examples import BARE, CJK, COMMAND, DIFF, HAPPENED, LONG, ROOT


@pytest.fixture
def app(home: Path) -> DogentApp:
    root = home / "report"
    root.mkdir()
    endpoint = Endpoint("offline", "offline")
    service = AgentService(FakeLauncher(), endpoint, cwd=str(root))
    return DogentApp(opened_session(Workspace(root), endpoint, service))


def asking(request, *keys: str):
    events = (
        SessionStarted(session_id="s", profile="glm", model="glm-4.6", endpoint="custom", cwd=ROOT),
        RunStarted(run_id="2", prompt=Prompt("Tidy up the chapters, please.")),
        TextFinished(
            run_id="2",
            message_id="m",
            block=0,
            text="\n\n".join(f"Step {number} is done." for number in range(1, 21)),
        ),
        ToolUse(run_id="2", tool_use_id="t9", name=request.tool, input=request.input),
        request,
    )

    async def run_before(pilot: Pilot) -> None:
        screen = pilot.app.conversation
        while screen.status_bar.status.doing == "connecting":  # its own start would come in between
            await pilot.pause(0.01)
        screen.requests.root = ROOT
        for event in events:
            screen.handle(event)
        while pilot.app.screen is screen or pilot.app.screen.guard._opens is None:
            await pilot.pause(0.01)
        pilot.app.screen.guard.clock = lambda: float("inf")
        await pilot.press(*keys)
        while not screen.transcript.measured:
            await pilot.pause(0.01)
        await pilot.pause(0.2)

    return run_before


def test_a_command(app, looks):
    looks(app, asking(COMMAND))


def test_what_a_command_did(app, looks):
    looks(app, asking(HAPPENED))


def test_a_diff(app, looks):
    looks(app, asking(DIFF))


def test_a_long_command(app, looks):
    looks(app, asking(LONG, "down"))


def test_places_in_chinese(app, looks):
    looks(app, asking(CJK))


def test_a_long_command_enlarged(app, snap_compare):
    assert snap_compare(app, terminal_size=(80, 24), run_before=asking(LONG, "f", "end"))


def test_a_narrow_window(app, snap_compare):
    assert snap_compare(app, terminal_size=(40, 20), run_before=asking(DIFF))


def test_words_for_the_agent(app, snap_compare):
    assert snap_compare(
        app, terminal_size=(80, 24), run_before=asking(COMMAND, "e", "K", "e", "e", "p")
    )


def test_a_question_of_which_little_is_known_by_day(app, snap_compare):
    app.theme = "dogent-paper"
    assert snap_compare(app, terminal_size=(80, 24), run_before=asking(BARE, "right"))
