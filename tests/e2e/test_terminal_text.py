"""Text from outside in a real terminal: shown as it is written, never obeyed by us or the
terminal, never the end of a run.
"""

import pytest

from dogent_tui.offline.messages_api import ApiError, ReplyText
from tests.e2e.conftest import IN_ONE_LOOP
from tests.e2e.terminal import TAB

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]

MARKUP = "[/b] [x](y) [ ] [bold red]not[/] [@click=app.quit]no %s[/] [link=x]"
CONTROLS = (
    "\x1b[31mred %s\x1b[0m \x1b[2J\x1b[?1049l\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07"
    " \x07\x08\x00\x9b2J\x7f end"
)
"""With a word to know it by: what an earlier test wrote may still be on the screen."""


def assert_unharmed(terminal) -> None:
    """What a terminal would show for it if a control sequence had reached it."""
    assert 1049 in terminal.screen.modes
    assert terminal.screen.clipboard is None
    assert "owned" not in terminal.screen.title
    assert b"\x1b[31mred" not in terminal.output
    assert b"\x1b]52" not in terminal.output
    assert not {"\x1b", "\x07", "\x9b"} & set(terminal.text())


async def test_in_the_prompt_and_the_reply(window):
    markup, controls = MARKUP % "prompt", CONTROLS % "prompt"
    window.api.say(f"`{markup}`\n\nplain {markup.replace('[x](y)', '')}\n\n{controls}")
    window.api.say("We go on.")
    terminal = window.terminal
    terminal.resize(120, 40)
    terminal.paste(f"{markup} {controls.replace(chr(27) + '[?1049l', '')}")
    await terminal.wait_for("› [/b] [x](y) [ ] [bold red]not[/]", "␛[31mred prompt")
    terminal.type("\r")
    await terminal.wait_for("plain [/b]", "ready", "[@click=app.quit]no prompt[/]")
    await terminal.until(
        lambda: terminal.text().count("␛[31mred prompt") == 2, "the controls of prompt and reply"
    )
    await terminal.until(
        lambda: terminal.text().count("[@click=app.quit]no prompt[/]") == 3,
        "the markup of prompt and reply",
    )
    terminal.type("Go on\r")
    await terminal.wait_for("We go on.")
    assert_unharmed(terminal)
    assert "[bold red]not[/]" in window.api.requests[0].last_user_text()


@pytest.mark.thorough
async def test_in_file_names_and_tool_results(dogent):
    name = "[b]re\x1b[31mred [@x] [x].md"
    (dogent.root / name).write_text(f"{MARKUP}\n{CONTROLS}\n" % ("file", "file"), encoding="utf-8")
    dogent.api.call("Read", {"file_path": str(dogent.root / name)}, before=f"I read {name} now.")
    dogent.api.call("Glob", {"pattern": "[/b]*.md"})
    dogent.api.say("All read.")
    async with dogent.open(size=(140, 50)) as terminal:
        terminal.type("Look at @re")
        await terminal.wait_for("[b]re␛[31mred [@x] [x].md")
        terminal.type(TAB)
        await terminal.wait_for("› Look at @")
        terminal.type("\r")
        # a name that no honest file has
        await terminal.wait_for("It contains the control character", "Deny n")
        await terminal.press_until(
            "y", lambda: "All read." in terminal.text(), "the run after the question"
        )
        await terminal.wait_for("ready")
        await terminal.until(
            lambda: terminal.text().count("[b]re␛[31mred") >= 3,
            "the name in prompt, reply, card and sidebar",
        )
        terminal.type("\x0f")  # unfold every card
        await terminal.wait_for("[@click=app.quit]no file[/]", "␛[31mred file␛[0m ␛[2J")
        assert_unharmed(terminal)


async def test_in_what_the_endpoint_says_of_an_error(window):
    window.api.otherwise(
        lambda _request: ApiError(404, f"{MARKUP} {CONTROLS}" % ("error", "error"))
    )
    terminal = window.terminal
    terminal.resize(140, 50)
    terminal.type("Hi\r")
    await terminal.wait_for("does not have the model", "ready")
    window.api.otherwise(lambda _request: (ReplyText("Better."),))
    terminal.type("Again\r")
    await terminal.wait_for("Better.")
    assert_unharmed(terminal)


async def test_keys_that_no_keyboard_sends_do_no_harm(window):
    terminal = window.terminal
    terminal.send(
        b"\x1b[999;999R\x1b[?99;99$y\x1b[<0;5;5M\x1b[<0;5;5m\x1b[I\x1b[O\x1b[I\xff\xfe\x1b[97;5:3u\x1b[MC\xc0\xc1\x1b[57399;5u"
    )
    terminal.type("alive")
    await terminal.wait_for("alive", "ready")


async def test_in_a_question(window):
    outside = str(window.root.parent / "[b]\x1b[31m.md")
    window.api.call(
        "Write",
        {"file_path": outside, "content": f"{MARKUP}\n{CONTROLS}" % ("question", "question")},
    )
    terminal = window.terminal
    terminal.resize(140, 50)
    terminal.type("Say it\r")
    await terminal.wait_for(
        "Write /", "Deny n", "[@click=app.quit]no question[/]", "␛[31mred question", "[b]␛[31m.md"
    )
    assert_unharmed(terminal)
    terminal.type("\x11")
    await terminal.exited()
