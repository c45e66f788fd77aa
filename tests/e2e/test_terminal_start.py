"""The application in a real terminal: sizes, colors, and the state in which it leaves the
terminal.
"""

import re
import signal

import pytest

from tests.e2e.conftest import IN_ONE_LOOP
from tests.e2e.screen import ALTERNATE_SCREEN, BRACKETED_PASTE, CURSOR_VISIBLE, FOCUS_REPORTS, MOUSE
from tests.e2e.terminal import CTRL_B, CTRL_C, Terminal, eventually

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]

SIDEBAR = "Nothing sent yet."
WHILE_OPEN = {ALTERNATE_SCREEN, MOUSE, FOCUS_REPORTS, BRACKETED_PASTE}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("size", "way_out", "prepared", "env"),
    [
        ((40, 10), "ctrl+c twice", False, {}),
        ((80, 24), "ctrl+q", True, {"TERM": "vt100", "COLORTERM": ""}),
        ((120, 40), "/exit", True, {}),
        ((200, 60), "SIGTERM", False, {"TERM": "xterm-mono", "COLORTERM": ""}),
        ((100, 30), "SIGHUP", True, {"TERM": "linux"}),
    ],
    ids=["40x10", "80x24 vt100", "120x40", "200x60 xterm-mono", "100x30 linux"],
)
async def test_it_starts_takes_keys_answers_and_leaves_the_terminal_as_it_was(
    dogent, size, way_out, prepared, env
):
    dogent.api.say("# A heading\n\nGood **day** to you.")
    async with dogent.open(size=size, ready=False, prepared=prepared, **env) as terminal:
        await terminal.wait_for("›")
        terminal.type("Hello there")
        await terminal.wait_for("› Hello there")
        assert SIDEBAR not in terminal.text()  # there is nothing to show in it
        terminal.type("\r")
        # also where Enter came before the agent was there
        await terminal.wait_for("Good day to you.", "ready")
        await eventually(
            lambda: '"run_started"' in _logged(dogent), "the prompt in the log of the session"
        )
        assert max(map(len, terminal.text().split("\n"))) <= size[0]
        assert terminal.screen.modes >= WHILE_OPEN
        assert not terminal.echoes()
        await _leave(terminal, way_out)
        assert terminal.echoes()
        await terminal.exited()
        assert not WHILE_OPEN & terminal.screen.modes
        assert CURSOR_VISIBLE in terminal.screen.modes
        assert terminal.screen.keyboard_stack == 0
        assert "Traceback" not in terminal.text()
        await eventually(lambda: not terminal.processes(), "no process left")


async def _leave(terminal: Terminal, way_out: str) -> None:
    match way_out:
        case "ctrl+c twice":
            terminal.type(CTRL_C)
            await terminal.wait_for("Ctrl+C")
            terminal.type(CTRL_C)
        case "ctrl+q":
            terminal.type("\x11")
        case "/exit":
            terminal.type("/exit\r")
        case _:
            terminal.signal(signal.Signals[way_out])
    await eventually(lambda: terminal.process.returncode is not None, "the end of the application")


def _logged(dogent) -> str:
    logs = (dogent.home / ".dogent" / "state" / "sessions").rglob("*.jsonl")
    return "".join(log.read_text(encoding="utf-8") for log in logs)


async def test_the_sidebar_gives_way_and_comes_back(dogent):
    (dogent.root / "notes.md").write_text("Tea is hot.", encoding="utf-8")
    dogent.api.say("Understood.")
    async with dogent.open(size=(140, 30)) as terminal:
        assert SIDEBAR not in terminal.text()
        terminal.type("Look at @notes.md \r")
        await terminal.wait_for("Understood.", "▏ Attachments", "ready")
        terminal.resize(80, 24)
        await terminal.wait_without("▏ Attachments")
        terminal.type(CTRL_B)
        await terminal.wait_for("▏ Attachments")
        terminal.resize(140, 30)
        await terminal.wait_for("▏ Attachments", "›")


async def test_a_hundred_sizes_in_a_row_end_in_a_whole_screen(window):
    terminal = window.terminal
    # 27 twice: back at its size, a window that was small for a moment has lost what was cut off
    for rows in (25, 26, 27, 27, 28):
        for step in range(50):
            terminal.resize(40 + step, 10 + step % 7)
            terminal.resize(150 - step, 50 - step % 11)
        terminal.resize(90, rows)
        await terminal.until(
            lambda: "ready" in terminal.text().split("\n")[-1], "the status in the last row"
        )
    terminal.type("still here")
    await terminal.wait_for("› still here")
    assert len(terminal.text().split("\n")) == 28


async def test_a_terminal_that_cannot_move_its_cursor_gets_a_sentence_and_no_screen(dogent):
    async with dogent.open(ready=False, TERM="dumb") as terminal:
        await terminal.wait_for("TERM is “dumb”", "-p PROMPT")
        assert await terminal.exited() == 2
    assert b"\x1b" not in terminal.output


async def test_it_works_without_colors(dogent):
    dogent.api.say("# A heading\n\nSome **bold** words.")
    async with dogent.open(NO_COLOR="1") as terminal:
        terminal.type("Hello\r")
        await terminal.wait_for("A heading", "Some bold words.")
        terminal.type("/")  # the picker, with its highlighted line
        await terminal.wait_for("Tab selects")
        terminal.type(CTRL_B)
        await terminal.wait_for("▏ Attachments")
        assert attributes(terminal.output) <= {"0", "1", "2", "3", "4", "7", "9"}
        assert {"1", "7"} <= attributes(terminal.output)


def attributes(output: bytes) -> set[str]:
    """The parameters of every SGR sequence: colors are 30 to 49 and 90 to 107, attributes what
    is below.
    """
    return {
        number
        for found in re.findall(rb"\x1b\[([0-9;:]*)m", output)
        for number in re.split("[;:]", found.decode() or "0")
    }


async def test_ctrl_c_once_clears_and_up_brings_it_back(window):
    terminal = window.terminal
    terminal.type("a thought")
    await terminal.wait_for("› a thought")
    terminal.type(CTRL_C)
    await terminal.wait_without("› a thought")
    terminal.type("\x1b[A")
    await terminal.wait_for("› a thought")
