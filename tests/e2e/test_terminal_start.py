"""The application in a real terminal: sizes, colors, and the state in which it leaves the terminal."""

import re
import signal

import pytest

from tests.e2e.screen import ALTERNATE_SCREEN, BRACKETED_PASTE, CURSOR_VISIBLE, FOCUS_REPORTS, MOUSE
from tests.e2e.terminal import CTRL_B, CTRL_C, eventually

pytestmark = pytest.mark.slow

SIDEBAR = "Nothing attached."


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (120, 40), (200, 60)])
async def test_it_starts_at_every_size_takes_keys_and_answers(dogent, size):
    dogent.api.say("Good day to you.")
    async with dogent.open(size=size, ready=False) as terminal:
        await terminal.wait_for("›")
        terminal.type("Hello there")
        await terminal.wait_for("› Hello there")
        assert (SIDEBAR in terminal.text()) is (size[0] >= 120)
        terminal.type("\r")
        await terminal.wait_for("Good day to you.")  # also where Enter came before the agent was there
        await eventually(lambda: '"run_started"' in _logged(dogent), "the prompt in the log of the session")
        assert max(map(len, terminal.text().split("\n"))) <= size[0]


def _logged(dogent) -> str:
    logs = (dogent.home / ".dogent" / "state" / "sessions").rglob("*.jsonl")
    return "".join(log.read_text(encoding="utf-8") for log in logs)


async def test_the_sidebar_gives_way_and_comes_back(dogent):
    async with dogent.open(size=(140, 30)) as terminal:
        await terminal.wait_for(SIDEBAR)
        terminal.resize(80, 24)
        await terminal.wait_without(SIDEBAR)
        terminal.type(CTRL_B)
        await terminal.wait_for(SIDEBAR)
        terminal.resize(140, 30)
        await terminal.wait_for(SIDEBAR, "›")


async def test_a_hundred_sizes_in_a_row_end_in_a_whole_screen(dogent):
    async with dogent.open(size=(120, 40)) as terminal:
        for step in range(50):
            terminal.resize(40 + step, 10 + step % 7)
            terminal.resize(150 - step, 50 - step % 11)
        terminal.resize(90, 25)
        terminal.type("still here")
        await terminal.wait_for("› still here", "ready")
        rows = terminal.text().split("\n")
        assert len(rows) == 25
        assert "ready" in rows[-2]


@pytest.mark.parametrize(
    "env",
    [{"NO_COLOR": "1"}, {"TERM": "xterm-mono", "COLORTERM": ""}, {"TERM": "vt100", "COLORTERM": ""}, {"TERM": "dumb"}],
    ids=["NO_COLOR", "xterm-mono", "vt100", "dumb"],
)
async def test_it_works_without_colors(dogent, env):
    dogent.api.say("# A heading\n\nSome **bold** words.")
    async with dogent.open(**env) as terminal:
        terminal.type("Hello\r")
        await terminal.wait_for("A heading", "Some bold words.")
        if "NO_COLOR" in env:
            terminal.type("/")  # the picker, with its highlighted line
            await terminal.wait_for("Tab takes it")
            terminal.type(CTRL_B)
            await terminal.wait_for(SIDEBAR)
            assert attributes(terminal.output) <= {"0", "1", "2", "3", "4", "7", "9"}
            assert {"1", "7"} <= attributes(terminal.output)


def attributes(output: bytes) -> set[str]:
    """The parameters of every SGR sequence: colors are 30 to 49 and 90 to 107, attributes what is below."""
    return {number for found in re.findall(rb"\x1b\[([0-9;:]*)m", output) for number in re.split("[;:]", found.decode() or "0")}


@pytest.mark.parametrize("way", ["ctrl+c twice", "ctrl+q", "/exit", "SIGTERM"])
async def test_every_way_out_restores_the_terminal(dogent, way):
    async with dogent.open() as terminal:
        assert {ALTERNATE_SCREEN, MOUSE, FOCUS_REPORTS, BRACKETED_PASTE} <= terminal.screen.modes
        assert not terminal.echoes()
        match way:
            case "ctrl+c twice":
                terminal.type(CTRL_C)
                await terminal.wait_for("Ctrl+C")
                terminal.type(CTRL_C)
            case "ctrl+q":
                terminal.type("\x11")
            case "/exit":
                terminal.type("/exit\r")
            case "SIGTERM":
                terminal.signal(signal.SIGTERM)
        await eventually(lambda: terminal.process.returncode is not None, "the end of the application")
        assert terminal.echoes()
        await terminal.exited()
        assert not {ALTERNATE_SCREEN, MOUSE, FOCUS_REPORTS, BRACKETED_PASTE} & terminal.screen.modes
        assert CURSOR_VISIBLE in terminal.screen.modes
        assert terminal.screen.keyboard_stack == 0
        assert "Traceback" not in terminal.text()
        await eventually(lambda: not terminal.processes(), "no process left", 2)


async def test_ctrl_c_once_clears_and_up_brings_it_back(dogent):
    async with dogent.open() as terminal:
        terminal.type("a thought")
        await terminal.wait_for("› a thought")
        terminal.type(CTRL_C)
        await terminal.wait_without("› a thought")
        terminal.type("\x1b[A")
        await terminal.wait_for("› a thought")
