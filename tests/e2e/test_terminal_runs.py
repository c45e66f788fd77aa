"""Runs in a real terminal: typing, pasting, resizing and leaving things to wait while the agent
is at work.
"""

import pytest

from tests.e2e.conftest import IN_ONE_LOOP
from tests.e2e.terminal import (
    DOWN,
    ESCAPE,
    LEFT,
    MOUSE_MOVED,
    PAGE_DOWN,
    PAGE_UP,
    RIGHT,
    TAB,
    UP,
    WHEEL_UP,
)

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]


async def test_typing_during_a_run_continues(window):
    reply = window.api.say_in_pieces("Once ", "upon ", "a time.")
    window.api.say("And a second answer.")
    terminal = window.terminal
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
    assert window.api.requests[1].last_user_text().startswith("one two three")


async def test_a_megabyte_is_pasted_while_streaming_and_sent_whole(dogent):
    megabyte = "".join(
        f"line {number} of what was pasted, [with] marks\n" for number in range(25_000)
    )
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


@pytest.mark.thorough
async def test_resizing_while_streaming_loses_nothing(window):
    words = [f"word{number} " for number in range(300)]
    reply = window.api.say_in_pieces(*words)
    terminal = window.terminal
    terminal.resize(100, 45)
    terminal.type("Count\r")
    await terminal.wait_for("word0")
    for step in range(15):
        terminal.resize(*[(60, 60), (140, 45), (100, 50), (72, 60)][step % 4])
        reply.release(20)
        await terminal.until(
            lambda: f"word{step * 20 + 19} " in " ".join(terminal.text().split()) + " ",  # noqa: B023
            f"piece {step}",
        )
    reply.release_all()
    await terminal.wait_for("ready")
    terminal.resize(140, 45)
    await terminal.until(
        lambda: "".join(words).strip() in _flowing(terminal.text()), "the whole reply"
    )


def _flowing(screen: str) -> str:
    """What the transcript says, without its line breaks and what is beside it."""
    return " ".join(
        " ".join(line.split("▏")[0].replace("█", "").replace("▎", "").split())
        for line in screen.split("\n")
    )


async def test_prompts_queue_during_a_run_and_can_be_dropped_and_edited(window):
    reply = window.api.say_in_pieces("Working ", "hard.")
    window.api.say("To the second.")
    terminal = window.terminal
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
    first, second = (request.last_user_text() for request in window.api.requests)
    assert "first\n" in first
    assert "second\n" in second


async def test_escape_interrupts_and_the_session_continues(window):
    window.api.stall("Half a ")
    window.api.say("Still here.")
    terminal = window.terminal
    terminal.type("Tell\r")
    await terminal.wait_for("Half a", "writing")
    terminal.type("kept")
    await terminal.wait_for("› kept")
    terminal.type(ESCAPE)
    await terminal.wait_for("stopped by you", "ready", "› kept")
    terminal.type("\r")
    await terminal.wait_for("Still here.")


async def test_arrows_and_the_mouse_never_interrupt(window):
    reply = window.api.say_in_pieces("Nothing ", "stops it.")
    window.api.say("Not even that.")
    terminal = window.terminal
    terminal.type("Tell on\r")
    await terminal.wait_for("Nothing", "writing")
    for number, key in enumerate(
        (UP, DOWN, RIGHT, LEFT, MOUSE_MOVED, WHEEL_UP, PAGE_UP, PAGE_DOWN)
    ):
        terminal.type(f"{key * 3}({number})")
        await terminal.wait_for(f"({number})", "writing")
    reply.release_all()
    await terminal.wait_for("ready")
    terminal.type("\r")  # to the end of the transcript, where it was scrolled
    await terminal.wait_for("Nothing stops it.", "Not even that.")


async def test_a_question_is_denied_first_and_keys_from_before_do_not_answer_it(window):
    victim = window.root / "keep.md"
    victim.write_text("precious", encoding="utf-8")
    window.api.call("Bash", {"command": f"rm {victim}"})
    terminal = window.terminal
    terminal.on_output = lambda data: terminal.type("y\r") if b"Delete keep.md" in data else None
    terminal.type("Clean up\r")
    await terminal.wait_for("Delete keep.md", "rm ", "Deny", "Allow once")
    await terminal.wait_for("waiting for you")
    assert victim.exists()
    terminal.on_output = None
    # Enter is the highlighted answer: deny
    await terminal.press_until(
        "\r", lambda: "✗ denied" in terminal.text(), "the run ended by the denial"
    )
    await terminal.wait_for("ready")
    assert victim.read_text(encoding="utf-8") == "precious"


async def test_an_allowed_call_runs(window):
    (window.root / "said.txt").write_text("before", encoding="utf-8")
    window.api.call("Bash", {"command": "rm said.txt"})
    window.api.say("Said.")
    terminal = window.terminal
    terminal.type("Say it\r")
    await terminal.wait_for("Delete said.txt")
    await terminal.press_until("y", lambda: "Said." in terminal.text(), "the run after the command")
    assert not (window.root / "said.txt").exists()
    assert "rm said.txt  ✓ no output" in terminal.text()


async def test_the_picker_offers_files_and_the_reference_reaches_the_model_without_its_contents(
    dogent,
):
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
        await terminal.until(
            lambda: terminal.text().count("field report.md") >= 2,
            "it in the transcript and the attachments",
        )
    sent = dogent.api.requests[0].last_user_text()
    assert '"path": "notes/field report.md"' in sent
    assert "4711" not in str(dogent.api.requests[0].messages)


async def test_who_looks_at_another_window_is_told_in_words(api, dogent):
    async with dogent.open(TERM_PROGRAM="iTerm.app") as terminal:
        api.call("Write", {"file_path": str(dogent.root / "report.md"), "content": "# Report\n"})
        reply = api.say_in_pieces("It is ", "there.")
        terminal.type("Write it\r")
        await terminal.wait_for("It is")
        terminal.focus(on=False)
        reply.release_all()
        await terminal.until(
            lambda: b"\x1b]9;dogent-tui: report.md is done\x07" in terminal.output,
            "the notification",
        )
        terminal.focus(on=True)
        api.say("Again.")
        terminal.type("And again\r")
        await terminal.wait_for("Again.")
        await terminal.wait_for("ready")
        assert terminal.output.count(b"\x1b]9;") == 1
