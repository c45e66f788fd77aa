"""Runs in a real terminal: typing, pasting, resizing and leaving things to wait while the agent is at work."""

import pytest

from dogent_tui.offline.messages_api import ReplyText
from tests.e2e.terminal import DOWN, ESCAPE, TAB, UP

pytestmark = pytest.mark.slow


async def test_typing_during_a_run_goes_on(dogent):
    reply = dogent.api.say_in_pieces("Once ", "upon ", "a time.")
    dogent.api.say("And a second answer.")
    async with dogent.open() as terminal:
        terminal.type("Tell\r")
        await terminal.wait_for("Once", "writing")
        for word in ("one", "two", "three"):
            terminal.type(f"{word} ")
            reply.release()
            await terminal.wait_for(word)
        reply.release_all()
        await terminal.wait_for("Once upon a time.", "› one two three", "ready")
        terminal.type("\r")
        await terminal.wait_for("And a second answer.")
    assert dogent.api.requests[1].last_user_text().startswith("one two three")


async def test_a_megabyte_is_pasted_while_streaming_and_sent_whole(dogent):
    megabyte = "".join(f"line {number} of what was pasted, [with] marks\n" for number in range(25_000))
    assert len(megabyte) > 1_000_000
    reply = dogent.api.say_in_pieces("Before. ", "After.")
    dogent.api.say("That was long.")
    async with dogent.open() as terminal:
        terminal.type("Hi\r")
        await terminal.wait_for("Before.")
        terminal.type("see: ")
        terminal.paste(megabyte)
        terminal.type(" end")
        await terminal.wait_for("› see: [", "lines", "] end")
        reply.release_all()
        await terminal.wait_for("After.", "ready")
        terminal.type("\r")
        await terminal.wait_for("That was long.")
    sent = dogent.api.requests[1].last_user_text()
    assert sent.startswith(f"see: {megabyte} end")


async def test_resizing_while_streaming_loses_nothing(dogent):
    words = [f"word{number} " for number in range(300)]
    reply = dogent.api.say_in_pieces(*words)
    async with dogent.open(size=(100, 45)) as terminal:
        terminal.type("Count\r")
        await terminal.wait_for("word0")
        for step in range(30):
            terminal.resize(*[(60, 60), (140, 45), (100, 50), (72, 60)][step % 4])
            reply.release(10)
            await terminal.until(lambda: f"word{step * 10 + 9} " in " ".join(terminal.text().split()) + " ", f"piece {step}")  # noqa: B023
        reply.release_all()
        await terminal.wait_for("ready")
        terminal.resize(140, 45)
        await terminal.until(lambda: "".join(words).strip() in _flowing(terminal.text()), "the whole reply")


def _flowing(screen: str) -> str:
    """What the transcript says, without its line breaks and what stands beside it."""
    return " ".join(" ".join(line.split("▏")[0].replace("█", "").replace("▎", "").split()) for line in screen.split("\n"))


async def test_prompts_queue_during_a_run_and_can_be_dropped_and_edited(dogent):
    reply = dogent.api.say_in_pieces("Working ", "hard.")
    dogent.api.say("To the second.")
    async with dogent.open() as terminal:
        terminal.type("first\r")
        await terminal.wait_for("Working")
        for number, text in enumerate(("second", "third", "fourth"), 1):
            terminal.type(f"{text}\r")
            await terminal.wait_for(f"↳ {number} {text}")
        await terminal.wait_for("3 queued")
        terminal.type(UP)
        await terminal.wait_for("› ↳ 3 fourth")
        terminal.type("\x7f")
        await terminal.wait_for("2 queued")
        terminal.type("\r")  # the one before is selected now: edit it
        await terminal.wait_for("1 queued", "› third")
        reply.release_all()
        await terminal.wait_for("To the second.", "› third", "ready")
    assert [request.last_user_text().split("\n")[0] for request in dogent.api.requests] == ["first", "second"]


async def test_escape_interrupts_and_the_session_goes_on(dogent):
    dogent.api.stall("Half a ")
    dogent.api.say("Still here.")
    async with dogent.open() as terminal:
        terminal.type("Tell\r")
        await terminal.wait_for("Half a", "writing")
        terminal.type("kept")
        await terminal.wait_for("› kept")
        terminal.type(ESCAPE)
        await terminal.wait_for("stopped by you", "ready", "› kept")
        terminal.type("\r")
        await terminal.wait_for("Still here.")


@pytest.mark.parametrize("key", [UP, DOWN, "\x1b[C", "\x1b[D", "\x1b[<64;10;10M", "\x1b[<35;12;12M", "\x1b[5~"])
async def test_arrows_and_the_mouse_never_interrupt(dogent, key):
    reply = dogent.api.say_in_pieces("One ", "two.")
    async with dogent.open() as terminal:
        terminal.type("Tell\r")
        await terminal.wait_for("One")
        terminal.type(key * 3 + "x")
        await terminal.wait_for("› x")
        reply.release_all()
        await terminal.wait_for("One two.", "ready")
        assert "stopped by you" not in terminal.text()


async def test_a_question_is_denied_first_and_keys_from_before_do_not_answer_it(dogent):
    victim = dogent.root / "keep.md"
    victim.write_text("precious", encoding="utf-8")
    dogent.api.call("Bash", {"command": f"rm {victim}"})
    async with dogent.open() as terminal:
        terminal.on_output = lambda data: terminal.type("y\r") if b"May the agent" in data else None
        terminal.type("Clean up\r")
        await terminal.wait_for("May the agent", "rm ", "Deny", "Allow once")
        await terminal.wait_for("waiting for you")
        assert victim.exists()
        terminal.on_output = None
        await terminal.press_until(
            "\r", lambda: "Denied" in terminal.text(), "the run ended by the denial"
        )  # Enter is the highlighted answer: deny
        await terminal.wait_for("ready")
        assert victim.read_text(encoding="utf-8") == "precious"


async def test_an_allowed_call_runs(dogent):
    dogent.api.call("Bash", {"command": "echo spoken > said.txt"})
    dogent.api.say("Said.")
    async with dogent.open() as terminal:
        terminal.type("Say it\r")
        await terminal.wait_for("May the agent")
        await terminal.press_until("y", lambda: "Said." in terminal.text(), "the run after the command")
    assert (dogent.root / "said.txt").read_text(encoding="utf-8") == "spoken\n"


async def test_the_picker_offers_files_and_the_reference_reaches_the_model_without_its_contents(dogent):
    (dogent.root / "notes").mkdir()
    (dogent.root / "notes" / "field report.md").write_text("The secret is 4711.", encoding="utf-8")
    (dogent.root / "budget.md").write_text("Numbers", encoding="utf-8")
    dogent.api.say("Understood.")
    async with dogent.open(size=(130, 35)) as terminal:
        terminal.type("Look at @fierep")
        await terminal.wait_for("field report.md")
        terminal.type(TAB)
        await terminal.wait_for('› Look at @"notes/field report.md"')
        terminal.type("\r")
        await terminal.wait_for("Understood.", "ready")
        await terminal.until(lambda: terminal.text().count("field report.md") >= 2, "it in the transcript and the attachments")
    sent = dogent.api.requests[0].last_user_text()
    assert '"path": "notes/field report.md"' in sent
    assert "4711" not in str(dogent.api.requests[0].messages)


async def test_prompts_are_recalled_after_a_restart(dogent):
    dogent.api.otherwise(lambda _request: (ReplyText("Noted."),))
    async with dogent.open() as terminal:
        terminal.type("the first thing\r")
        await terminal.wait_for("Noted.", "ready")
        terminal.type("\x11")
        await terminal.exited()
    async with dogent.open() as terminal:
        await terminal.until(lambda: _recalled(terminal, "the first thing"), "the prompt of the last time")


def _recalled(terminal, text: str) -> bool:
    if f"› {text}" in terminal.text():
        return True
    terminal.type(UP)
    return False
