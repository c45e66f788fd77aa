"""Ends and interruptions of the application: nothing typed is lost, and no process stays behind."""

import signal
import time
from contextlib import suppress

import psutil
import pytest

from dogent_tui.storage.sessions import list_sessions
from tests.e2e.conftest import EMPTY, IN_ONE_LOOP
from tests.e2e.terminal import CTRL_C, CTRL_S, CTRL_Z, TAB, UP, eventually

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]


async def test_the_draft_the_prompts_and_the_conversation_survive_a_kill(dogent, workspace):
    draft = "An unsent thought\nof [two] lines é 中"
    dogent.api.say("Noted.")
    dogent.api.stall("Half a reply.")  # no secret begins with a period: all of it is written
    dogent.api.say("It was the first.")
    async with dogent.open() as terminal:
        terminal.type("the first thing\r")
        await terminal.wait_for("Noted.", "ready")
        terminal.type("and the second\r")
        await terminal.wait_for("Half a reply")
        terminal.paste(draft)
        await terminal.wait_for("of [two] lines é 中")
        drafts = dogent.home / ".dogent" / "state" / "drafts"
        await eventually(
            lambda: any("中" in file.read_text("utf-8") for file in drafts.rglob("*.txt")),
            "the draft on disk",
        )
        logs = dogent.home / ".dogent" / "state" / "sessions"
        await eventually(
            lambda: any("Half a reply." in log.read_text("utf-8") for log in logs.rglob("*.jsonl")),
            "the half reply on disk",
        )
        terminal.signal(signal.SIGKILL)
        await terminal.exited()
    (session,) = list_sessions(workspace)
    async with dogent.open("--resume", session.session_id[:8], ready=False) as terminal:
        await terminal.wait_for(
            "Noted.", "Half a reply", "› An unsent thought", "of [two] lines é 中"
        )
        terminal.type(CTRL_C)
        await terminal.wait_without("An unsent thought")
        await terminal.until(
            lambda: _recalled(terminal, "the first thing"), "the prompt of the last time"
        )
        terminal.type(CTRL_C)
        await terminal.wait_for(EMPTY)
        terminal.type("What was first?\r")
        await terminal.wait_for("It was the first.", "ready")
        earlier = str(dogent.api.requests[-1].messages[:-1])
        assert "the first thing" in earlier
        assert "Noted." in earlier
        assert "and the second" in earlier
        (workspace.root / "keep.md").touch()
        dogent.api.call("Bash", {"command": "rm keep.md"})
        terminal.type("delete it\r")
        await terminal.wait_for("rm keep.md", "Deny")
        terminal.signal(signal.SIGKILL)  # the call has no result yet
        await terminal.exited()
    async with dogent.open("--continue", ready=False) as terminal:
        await terminal.wait_for("It was the first.", "▌ delete it", "■ stopped", "ready")
        # now: what the killed one's process still asks is not answered with it
        dogent.api.say("It is still there.")
        terminal.type("is it there?\r")
        await terminal.wait_for("It is still there.", "ready")
    assert (workspace.root / "keep.md").exists()
    messages = dogent.api.requests[-1].messages
    assert "delete it" in str(messages)
    calls = {call.id for message in messages for call in message.tool_calls}
    # else the API refuses it
    assert calls == {result.tool_use_id for message in messages for result in message.tool_results}


WHO = {
    "id": "who",
    "question": "Who reads it?",
    "options": ["the board", "visitors"],
    "recommended": "the board",
}
WHAT = {"id": "what", "question": "What about?", "placeholder": "a subject"}


@pytest.mark.thorough
async def test_what_was_asked_and_answered_so_far_survives_a_kill(dogent):
    dogent.api.call(
        "mcp__dogent__ui_request",
        {"type": "clarification", "title": "First", "questions": [WHO, WHAT]},
    )
    dogent.api.say("Written for visitors.")
    async with dogent.open() as terminal:
        terminal.type("write a report\r")
        await terminal.wait_for("Who reads it?", "What about?")
        await eventually(Choosing(terminal).done, "the choice")
        terminal.type(TAB)
        await terminal.wait_for("New line")  # the field has the keys
        terminal.type("trams & [b]ridges 桥")
        await terminal.wait_for("trams & [b]ridges 桥")
        answers = dogent.home / ".dogent" / "state" / "answers"
        await eventually(
            lambda: any("桥" in file.read_text() for file in answers.rglob("*.json")),
            "the answers on disk",
        )
        terminal.signal(signal.SIGKILL)
        await terminal.exited()
    async with dogent.open("--continue", ready=False) as terminal:
        await terminal.wait_for("Who reads it?", "trams & [b]ridges 桥")
        await eventually(lambda: _sent(terminal), "the answers on their way")
        await terminal.wait_for("→ visitors", "Written for visitors.", "ready")
    assert len(dogent.api.requests) == 2
    last = dogent.api.requests[1].last_user_text()
    assert "Who reads it?\n→ visitors" in last
    assert "→ trams & [b]ridges 桥" in last
    assert "write a report" in str(dogent.api.requests[1].messages[0])
    assert not list(answers.rglob("*.json"))


class Choosing:
    """Presses 2 until the second answer is chosen; not more often than a form that just came
    lets pass.
    """

    PAUSE_S = 1.5

    def __init__(self, terminal) -> None:
        self.terminal = terminal
        self.pressed = 0.0

    def done(self) -> bool:
        if "● 2 visitors" in self.terminal.text():
            return True
        if time.monotonic() - self.pressed > self.PAUSE_S:
            self.pressed = time.monotonic()
            self.terminal.type("2")
        return False


def _sent(terminal) -> bool:
    if "→ visitors" in terminal.text():
        return True
    terminal.type(CTRL_S)
    return False


def _recalled(terminal, text: str) -> bool:
    if f"› {text}" in terminal.text():
        return True
    terminal.type(UP)
    return False


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    ("way", "running"),
    [("closed window", False), ("closed window", True), ("SIGTERM", True), ("SIGHUP", True)],
    # signals to an idle one: test_terminal_start
    ids=["closed window-idle", "closed window-busy", "SIGTERM-busy", "SIGHUP-busy"],
)
async def test_the_agent_ends_with_us(dogent, way, running):
    dogent.api.call("Bash", {"command": "tail -f /dev/null"})
    async with dogent.open() as terminal:
        if running:
            terminal.type("Wait\r")
            await terminal.until(lambda: _at_work(terminal), "the command of the agent")
        assert len(terminal.processes()) >= 2
        if way == "closed window":
            terminal.close_window()
        else:
            terminal.signal(signal.Signals[way])
        await terminal.process.wait()
        await eventually(lambda: not terminal.processes(), "no process left")


@pytest.mark.parametrize("running", [False, True], ids=["idle", "busy"])
async def test_nothing_stays_behind_after_a_kill(dogent, running):
    dogent.api.call("Bash", {"command": "tail -f /dev/null"})
    async with dogent.open() as terminal:
        if running:
            terminal.type("Wait\r")
            await terminal.until(lambda: _at_work(terminal), "the command of the agent")
        terminal.signal(signal.SIGKILL)
        await terminal.process.wait()
        await eventually(lambda: not terminal.processes(), "no process left")


async def test_no_command_of_the_users_own_outlives_a_kill(dogent):
    """Nor what it started, in a session of its own or with an empty environment."""
    daemon = "setsid env -i sh -c '(exec tail -f /dev/null >/dev/null 2>&1) &'"
    async with dogent.open() as terminal:
        terminal.type(
            f"!({daemon} &) ; (setsid sh -c 'exec tail -f /dev/null' &) ; tail -f /dev/null\r"
        )
        await terminal.until(lambda: len(_in_folder(dogent.root)) == 3, "all commands")
        terminal.signal(signal.SIGKILL)
        await terminal.process.wait()
        await eventually(
            lambda: not terminal.processes() and not _in_folder(dogent.root), "no process left"
        )


def _in_folder(root) -> list[psutil.Process]:
    return [
        process
        for process in psutil.process_iter(["name", "cwd"])
        if process.info == {"name": "tail", "cwd": str(root)}
    ]


def _at_work(terminal) -> list[psutil.Process]:
    found = []
    for process in terminal.processes():
        with suppress(psutil.NoSuchProcess):  # it may end while it is looked at
            if process.name() == "tail":
                found.append(process)
    return found


async def test_suspend_and_resume_redraw_and_lose_nothing(window):
    reply = window.api.say_in_pieces("Before the pause ", "and after it.")
    terminal = window.terminal
    terminal.type("Tell\r")
    await terminal.wait_for("Before the pause")
    terminal.type("half a tho")
    await terminal.wait_for("› half a tho")
    terminal.type(CTRL_Z)
    application = psutil.Process(terminal.process.pid)
    await eventually(
        lambda: application.status() == psutil.STATUS_STOPPED, "the application stopped"
    )
    await terminal.until(lambda: "Before the pause" not in terminal.text(), "the shell's screen")
    assert terminal.echoes()
    reply.release_all()
    terminal.signal(signal.SIGCONT)
    await terminal.wait_for("Before the pause and after it.", "› half a tho", "ready")
    terminal.type("ught")
    await terminal.wait_for("› half a thought")


async def test_after_a_stop_from_outside_keys_are_read_by_one_reader_and_it_ends(dogent):
    async with dogent.open() as terminal:
        application = psutil.Process(terminal.process.pid)
        for _ in range(2):
            terminal.signal(signal.SIGSTOP)
            await eventually(
                lambda: application.status() == psutil.STATUS_STOPPED, "the application stopped"
            )
            terminal.signal(signal.SIGCONT)
            await terminal.wait_for(EMPTY, "ready")
        typed = "every key of a line, in its order " * 2
        await eventually(lambda: _typed(terminal, typed), "what was typed")
        terminal.type(CTRL_C)
        await terminal.wait_for(EMPTY)
        terminal.type("/exit\r")
        assert await terminal.exited() == 0


def _typed(terminal, text: str) -> bool:
    """Type `text` where the prompt is empty: keys that come while the terminal is taken again
    are dropped.
    """
    shown = " ".join(terminal.text().split())
    if EMPTY in terminal.text():
        terminal.type(text)
    return " ".join(text.split()) in shown


async def test_the_agent_killed_is_said_and_the_next_prompt_continues(window):
    window.api.stall("Half a ")
    window.api.say("Here again.")
    terminal = window.terminal
    terminal.type("Tell\r")
    await terminal.wait_for("Half a")
    for process in terminal.processes():
        if process.pid != terminal.process.pid:
            with suppress(psutil.NoSuchProcess):  # some end with others
                process.kill()
    await terminal.wait_for("not connected")
    terminal.type("Go on\r")
    await terminal.wait_for("Here again.")
