"""The page of `dogent-tui serve` in a headless browser: the real server, the real CLI, a
scripted model, the keyboard alone.
"""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import (
    Browser,
    Locator,
    Page,
    Route,
    ViewportSize,
    async_playwright,
    expect,
)

from dogent_tui.documents.export.browser import find_browsers
from dogent_tui.offline.messages_api import ReplyText
from tests.e2e.scripted_api import ScriptedApi
from tests.faces.conftest import IN_ONE_LOOP, LIMIT_S, Served, started

pytestmark = [
    IN_ONE_LOOP,
    pytest.mark.slow,
    pytest.mark.thorough_after(1),
    pytest.mark.usefixtures("browser_here"),
]

UI = "mcp__dogent__ui_request"
CHANGE = "mcp__dogent__propose_document_change"
HOSTILE = '<img src=x onerror="window.owned=1"><script>window.owned=1</script>'
expect.set_options(timeout=LIMIT_S * 1000)
DESK, PHONE = 1280, 360
ON_PHONES_TOO = pytest.mark.parametrize("tab", [DESK, PHONE], indirect=True)
"""For what is used otherwise where it is narrow; that everything fits is looked at in every
test.
"""
WIDTHS = (
    "[document.documentElement.scrollWidth, document.getElementById('talk').scrollWidth <="
    " document.body.clientWidth]"
)
CHAT = "sessionStorage.getItem('chat')"
PLAN = "# Plan\n\nOne.\n\n## Next\n\nTwo.\n\n## Last\n\nThree.\n"


@pytest.fixture(scope="session")
def browser_here() -> None:
    """Skip where no browser is here; where the tests are the proof, that is a failure."""
    if not find_browsers():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(
            "No browser is here: install chromium-headless-shell."
        )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(browser_here: None) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(
            executable_path=find_browsers()[0], chromium_sandbox=os.geteuid() != 0
        )
        yield launched
        await launched.close()


@asynccontextmanager
async def serving_page(folder: Path, api: ScriptedApi) -> AsyncIterator[tuple[Served, str]]:
    """Start a server as a user does, and give it with the address of its page."""
    async with started(folder, api, "--tools", "all") as (process, home, root):
        assert process.stdout is not None
        told = b""
        while b"Ctrl+C" not in told:
            told += await asyncio.wait_for(process.stdout.readline(), LIMIT_S)
        found = re.search(r"(http://[\d.:]+)/#(\S+)[\s\S]*Token: (\S+)", told.decode())
        assert found
        served = Served(found[1], found[3], root, home, api)
        async with served.http:
            yield served, f"{found[1]}/#{found[2]}"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened_once(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Served, str]]:
    """A server whose address was opened in a browser."""
    async with (
        ScriptedApi() as api,
        serving_page(tmp_path_factory.mktemp("page"), api) as (served, address),
    ):
        page = await browser.new_page()
        await page.goto(address)
        await expect(page.get_by_label("Message")).to_be_focused()
        assert page.url == f"{served.url}/"  # the code is not left in the history
        assert await page.evaluate("sessionStorage.getItem('token')") == served.token
        await page.close()
        yield served, address


def _size(width: int) -> ViewportSize:
    return {"width": width, "height": 740}


class Tab:
    """A tab with the page in it. What the browser complained about is in `complaints`."""

    def __init__(self, page: Page, served: Served) -> None:
        self.page = page
        self.served = served
        self.api = served.api
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on(
            "console",
            lambda line: (
                self.complaints.append(line.text) if "Content Security" in line.text else None
            ),
        )

    @property
    def talk(self) -> Locator:
        return self.page.locator("#talk")

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.page.keyboard.press(key)

    async def say(self, text: str) -> None:
        """Type a prompt where the focus is by itself, and send it."""
        await expect(self.page.get_by_role("button", name="Send")).to_be_visible()
        await expect(self.page.get_by_label("Message")).to_be_focused()
        await self.page.keyboard.type(text)
        await self.press("Enter")

    async def tab_to(self, name: str, role: str = "button", *, last: bool = False) -> None:
        """Move the focus on, by Tab alone, to what has this name."""
        wanted = self.page.get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]
        wanted = wanted.last if last else wanted.first
        await expect(wanted).to_be_visible()
        for _ in range(60):
            if await wanted.evaluate("(each) => each === document.activeElement"):
                return
            await self.press("Tab")
        raise AssertionError(f"Tab never comes to {name}")

    async def choose(self, name: str) -> None:
        """Press a button by the keyboard."""
        await self.fits()
        await self.tab_to(name)
        await self.press("Enter")

    async def fits(self) -> None:
        """Look whether all of it fits, as wide as a phone and as a desk. It is left as wide as
        it was.
        """
        before = self.page.viewport_size
        assert before is not None
        for width in (PHONE, DESK):
            await self.page.set_viewport_size(_size(width))
            assert await self.page.evaluate(WIDTHS) == [width, True]
        await self.page.set_viewport_size(before)

    async def ask(self, kind: Mapping[str, Any]) -> None:
        """Have the agent ask something on a screen."""
        self.api.call(UI, kind)
        await self.say("Begin.")
        await expect(self.dialog).to_be_visible()

    async def model_heard(self, count: int) -> str:
        """Return what the model was sent with its request number `count`."""
        return str((await self.api.arrived(count)).messages)


@pytest_asyncio.fixture(loop_scope="module")
async def tab(
    browser: Browser, opened_once: tuple[Served, str], request: pytest.FixtureRequest
) -> AsyncIterator[Tab]:
    """The page with the token, and a chat of its own. Nothing is ever cut off, on a desk or on a
    phone, or reported.
    """
    served, _ = opened_once
    served.api.reset()
    context = await browser.new_context(
        viewport=_size(getattr(request, "param", DESK)), locale="en-GB"
    )
    await context.add_init_script(f"sessionStorage.setItem('token', '{served.token}')")
    tab = Tab(await context.new_page(), served)
    await tab.page.goto(served.url)
    yield tab
    await tab.fits()
    assert tab.complaints == []
    assert await tab.page.evaluate("window.owned") is None
    await context.close()


def outside(tab: Tab) -> Path:
    """Return a folder that is not the workspace: writes there are asked about."""
    folder = tab.served.root.parent / "outside"
    folder.mkdir(exist_ok=True)
    return folder


async def test_the_address_opens_once(browser: Browser, opened_once: tuple[Served, str]) -> None:
    _, address = opened_once
    page = await browser.new_page()
    await page.goto(address)
    await expect(page.locator(".failed")).to_contain_text("was used already")
    await expect(page.get_by_label("Message")).to_be_hidden()
    await page.goto(address.partition("#")[0])
    await page.reload()
    await expect(page.locator(".failed")).to_contain_text("opens with the address")
    await page.close()


@ON_PHONES_TOO
async def test_a_reply_streams_as_markdown(tab: Tab) -> None:
    table = "| A | B |\n|---|---|\n| 1 | **2** |\n"
    pieces = tab.api.say_in_pieces(
        "# Title\n\nSome **bo",
        f"ld** and `code` 写作.\n\n- one\n  - inner\n- two\n\n{table}\n```py\na < b\n```\n",
    )
    await tab.say("Write something.")
    await expect(tab.talk.locator("h1")).to_have_text("Title")
    await expect(tab.page.get_by_role("status").first).to_have_text("Working")
    await expect(tab.talk.locator("strong")).to_have_count(0)
    pieces.release_all()
    await expect(tab.talk.locator("strong").first).to_have_text("bold")
    await expect(tab.talk.locator("ul ul li")).to_have_text("inner")
    await expect(tab.talk.locator("td")).to_have_text(["1", "2"])
    await expect(tab.talk.locator("pre")).to_have_text("a < b")
    await expect(tab.talk.locator(".user")).to_have_text("Write something.")
    tab.api.say("Again.")
    await tab.say("More.")
    await expect(tab.talk).to_contain_text("Again.")
    assert "Write something." in await tab.model_heard(2)


async def test_what_comes_from_outside_is_text(tab: Tab) -> None:
    (tab.served.root / "<img src=x onerror=owned=1>.md").write_text("x\n", encoding="utf-8")
    tab.api.say(
        f"{HOSTILE} [link](javascript:owned=1) ![x](http://127.0.0.1:9/x.png)\n\n#"
        f" {HOSTILE}\n\n```\n{HOSTILE}\n```"
    )
    await tab.say(HOSTILE)
    await expect(tab.talk.locator("pre")).to_have_text(HOSTILE)
    await expect(tab.talk.locator(".user")).to_have_text(HOSTILE)
    await expect(tab.talk.locator("img, script, a[href^=javascript]")).to_have_count(0)
    await tab.page.keyboard.type("@onerror")
    await expect(tab.page.get_by_role("option").first).to_have_text(
        "<img src=x onerror=owned=1>.md"
    )
    await tab.press("Escape", "Control+A", "Delete")
    question = {
        "id": "q",
        "question": HOSTILE,
        "options": [{"label": HOSTILE, "value": "x", "description": HOSTILE}],
    }
    await tab.ask({"type": "clarification", "title": HOSTILE, "questions": [question]})
    await expect(tab.dialog.locator("h2")).to_have_text(HOSTILE)
    await expect(tab.dialog.locator("img, script")).to_have_count(0)


STRANGE = {
    "carriage return": "# a\rb",
    "quotes": "> " * 3000,
    "line separator": "# a\u2028b\n| |\n|-|\n|",
    "backticks": "`" * 4000,
    "lists": "1. " * 500,
    "stars": "**" * 4000,
}


@pytest.mark.thorough
async def test_no_markdown_holds_the_page_up(tab: Tab) -> None:
    for name, text in STRANGE.items():
        tab.api.say(f"{text}\n\nThe end of the {name}.")
        await tab.say("hello")
        await expect(tab.talk).to_contain_text(f"The end of the {name}.")
        await expect(tab.page.get_by_label("Message")).to_be_focused()


@pytest.mark.thorough
async def test_a_policy_lets_no_foreign_script_in(tab: Tab) -> None:
    put = """() => {
        const script = document.createElement("script");
        script.textContent = "window.foreign = 1";
        document.body.append(script);
        return window.foreign;
    }"""
    assert await tab.page.evaluate(put) is None
    assert "Content Security" in tab.complaints.pop()


@ON_PHONES_TOO
async def test_a_write_is_allowed_after_its_diff(tab: Tab) -> None:
    path = outside(tab) / "notes.md"
    path.write_text("# Notes\n\nold line\n", encoding="utf-8")
    tab.api.call("Read", {"file_path": str(path)})
    tab.api.call(
        "Edit",
        {"file_path": str(path), "old_string": "old line", "new_string": "new <b>line</b>"},
        before="I will mend it.",
    )
    tab.api.say("Mended.")
    await tab.say("Mend my notes.")
    await expect(tab.dialog).to_contain_text("Read")
    await tab.choose("Allow once")
    await expect(tab.talk).to_contain_text("I will mend it.")
    await expect(tab.dialog).to_be_focused()
    await expect(tab.dialog.locator(".old")).to_contain_text("old line")
    await expect(tab.dialog.locator(".new")).to_contain_text("new <b>line</b>")
    await tab.press("Enter", "Space")  # nobody answers by typing on
    await expect(tab.dialog).to_be_visible()
    await tab.choose("Allow once")
    await expect(tab.talk).to_contain_text("Mended.")
    assert path.read_text(encoding="utf-8") == "# Notes\n\nnew <b>line</b>\n"


@pytest.mark.thorough
async def test_a_write_is_denied_and_the_run_ends(tab: Tab) -> None:
    tab.api.call("Write", {"file_path": str(outside(tab) / "never.md"), "content": "x\n"})
    await tab.say("Write it.")
    await expect(tab.dialog.locator(".new").first).to_contain_text("x")
    await tab.choose("Deny")
    await expect(tab.dialog).to_be_hidden()
    await expect(tab.talk.locator("summary").last).to_contain_text("denied")
    await expect(tab.page.get_by_label("Message")).to_be_focused()
    assert not (outside(tab) / "never.md").exists()
    tab.api.say("Still here.")
    await tab.say("Are you there?")
    await expect(tab.talk).to_contain_text("Still here.")


@pytest.mark.thorough
async def test_a_write_is_denied_in_words_and_the_run_continues(tab: Tab) -> None:
    tab.api.call("Write", {"file_path": str(outside(tab) / "never.md"), "content": "x\n"})
    tab.api.say("Elsewhere, then.")
    await tab.say("Write it.")
    await expect(tab.dialog).to_be_focused()
    await tab.tab_to("Why not (optional; the run then continues)", "textbox")
    await tab.page.keyboard.type("not in this folder")
    await tab.press("Enter")
    await expect(tab.talk).to_contain_text("Elsewhere, then.")
    assert "not in this folder" in await tab.model_heard(2)
    assert not (outside(tab) / "never.md").exists()


@ON_PHONES_TOO
@pytest.mark.thorough
async def test_a_form_is_filled_in(tab: Tab) -> None:
    options = [
        {"label": "The board", "value": "board"},
        {"label": "Everyone", "value": "all", "description": "In the house"},
    ]
    questions = [
        {"id": "who", "question": "For whom?", "options": options, "recommended": "all"},
        {
            "id": "what",
            "question": "Which parts?",
            "options": options,
            "multiple": True,
            "allow_freeform": True,
        },
        {"id": "tone", "question": "In which tone?"},
    ]
    await tab.ask(
        {
            "type": "clarification",
            "title": "Before I begin",
            "preface": "Three things.",
            "questions": questions,
        }
    )
    await expect(tab.dialog.get_by_role("radio", name="Everyone")).to_be_checked()
    tab.api.say("Thank you.")
    await tab.press("ArrowUp")
    await expect(tab.dialog.get_by_role("radio", name="The board")).to_be_checked()
    await tab.tab_to("Everyone In the house", "checkbox")
    await tab.press("Space")
    await tab.tab_to("In which tone?", "textbox")
    await tab.page.keyboard.type("dry, 平实")
    await tab.choose("Send answers")
    await expect(tab.talk).to_contain_text("Thank you.")
    heard = await tab.model_heard(2)
    assert all(words in heard for words in ("The board", "Everyone", "dry, 平实"))


@pytest.mark.thorough
async def test_what_was_said_before_the_page_could_listen_is_shown(tab: Tab) -> None:
    question = {"id": "tone", "question": "In which tone?"}
    await tab.ask({"type": "clarification", "title": "Tone", "questions": [question]})
    tab.api.say("Thank you.")
    chat = await tab.page.evaluate("sessionStorage.getItem('chat')")

    async def late(route: Route) -> None:
        await tab.model_heard(2)
        await tab.served.rest_of(chat)
        await route.continue_()

    await tab.page.route("**/stream?*", late)
    await tab.page.keyboard.type("dry")
    await tab.choose("Send answers")
    await expect(tab.talk).to_contain_text("Thank you.")


@pytest.mark.thorough
@ON_PHONES_TOO
async def test_an_outline_is_edited_by_keyboard(tab: Tab) -> None:
    outline = "# Report\n\nAbout it.\n\n## First\n\n## Second\n\n## Third\n"
    await tab.ask({"type": "outline_edit", "title": "Outline", "outline_text": outline})
    tab.api.say("I will follow it.")
    await expect(tab.dialog.get_by_role("textbox").first).to_be_focused()
    await tab.press("End")
    await tab.page.keyboard.type(" of 2026")
    await tab.tab_to("Heading, level 2", "textbox")  # First
    await tab.press("Alt+ArrowDown", "Alt+ArrowRight")  # below Second, level 3
    await tab.press("Enter")
    await tab.page.keyboard.type("Added")
    await expect(tab.dialog.get_by_role("textbox")).to_have_count(5)
    await tab.press("Alt+ArrowLeft")
    await tab.tab_to("Heading, level 2", "textbox", last=True)  # Third
    await tab.press("Alt+Backspace")
    await expect(tab.dialog.get_by_role("textbox")).to_have_count(4)
    await tab.choose("Send outline")
    await expect(tab.talk).to_contain_text("I will follow it.")
    heard = (await tab.model_heard(2)).replace("\\n", "\n")
    assert re.search(r"# Report of 2026\s+About it\.\s+## Second\s+### First\s+## Added", heard)
    assert "Third" not in heard.rpartition("Report of 2026")[2]


@ON_PHONES_TOO
@pytest.mark.thorough
async def test_a_change_is_reviewed_by_keyboard(tab: Tab) -> None:
    path = tab.served.root / "plan.md"
    path.write_text(PLAN, encoding="utf-8")
    change = {
        "path": "plan.md",
        "new_content": PLAN.replace("One.", "Eins.").replace("Three.", "Drei."),
        "summary": "German.",
    }
    tab.api.call(CHANGE, change)
    tab.api.say("Done.")
    await tab.say("In German.")
    await expect(tab.dialog.get_by_role("group").first).to_be_focused()
    await tab.press("a")
    await expect(tab.dialog.get_by_role("group").nth(1)).to_be_focused()
    await expect(tab.dialog.get_by_role("status")).to_have_text("1 of 2 decided")
    await tab.press("r")
    await expect(tab.dialog.locator(".verdict")).to_have_text(["accepted", "rejected"])
    await tab.choose("Write what is accepted")
    await expect(tab.talk).to_contain_text("Written: plan.md")
    await expect(tab.talk).to_contain_text("Done.")
    assert path.read_text(encoding="utf-8") == PLAN.replace("One.", "Eins.")
    assert "1 of 2 hunks written" in await tab.model_heard(2)


@pytest.mark.thorough
async def test_an_answer_in_the_moment_of_the_question_is_followed(tab: Tab) -> None:
    """The run that asked is still ending then, and the answer begins another."""
    await tab.page.evaluate(
        """() => new MutationObserver((_, seen) => {
            const send = document.querySelector("#waiting button.first");
            if (send) { seen.disconnect(); send.click(); }
        }).observe(document.getElementById("waiting"), { childList: true })"""
    )
    tab.api.call(UI, {"type": "outline_edit", "title": "Outline", "outline_text": "# Report\n"})
    tab.api.say("I will follow it.")
    await tab.say("Begin.")
    await expect(tab.talk).to_contain_text("I will follow it.")
    await expect(tab.page.get_by_label("Message")).to_be_focused()


@pytest.mark.thorough
async def test_what_is_left_open_is_not_written(tab: Tab) -> None:
    path = tab.served.root / "plan.md"
    path.write_text(PLAN, encoding="utf-8")
    tab.api.call(
        CHANGE,
        {"path": "plan.md", "new_content": PLAN.replace("Two.", "Zwei."), "summary": "German."},
    )
    tab.api.say("As you like.")
    await tab.say("In German.")
    await tab.choose("Write what is accepted")
    await expect(tab.talk).to_contain_text("Nothing was written.")
    await expect(tab.talk).to_contain_text("As you like.")
    assert path.read_text(encoding="utf-8") == PLAN


@pytest.mark.thorough
async def test_a_file_is_attached_by_its_name(tab: Tab) -> None:
    (tab.served.root / "interview one.md").write_text("She said yes.\n", encoding="utf-8")
    (tab.served.root / "interview-2.md").write_text("He said no.\n", encoding="utf-8")
    tab.api.say("Read.")
    await tab.page.keyboard.type("Compare @interv")
    await expect(tab.page.get_by_role("option")).to_have_text(
        ["interview-2.md", "interview one.md"]
    )
    await tab.press("ArrowDown", "Enter")
    await expect(tab.page.get_by_label("Message")).to_have_value('Compare @"interview one.md" ')
    await tab.press("Enter")
    await expect(tab.talk).to_contain_text("Read.")
    assert "interview one.md" in await tab.model_heard(1)


@pytest.mark.thorough
async def test_a_run_is_stopped(tab: Tab) -> None:
    pieces = tab.api.say_in_pieces("Half of it. ", "never sent")
    await tab.say("A long one.")
    await expect(tab.talk).to_contain_text("Half of it.")
    await tab.choose("Stop")
    await expect(tab.talk).to_contain_text("Stopped.")
    pieces.release_all()
    await expect(tab.page.get_by_role("button", name="Send")).to_be_visible()
    await expect(tab.talk).not_to_contain_text("never sent")


@pytest.mark.thorough
async def test_an_error_is_a_sentence(tab: Tab) -> None:
    tab.api.fail_always(401)
    await tab.say("hello")
    await expect(tab.talk.locator(".failed")).to_contain_text("key")
    await expect(tab.talk.locator(".failed")).not_to_contain_text("{")
    await expect(tab.page.get_by_role("button", name="Send")).to_be_visible()


@pytest.mark.thorough
async def test_what_could_not_be_sent_is_not_lost(tab: Tab) -> None:
    async def refuse(route: Route) -> None:
        await route.fulfill(status=409, body="Not now. Later.")

    await tab.page.route("**/api/chat?*", refuse)
    await tab.say("A precious prompt.")
    await expect(tab.talk.locator(".failed")).to_have_text("Not now. Later.")
    await expect(tab.page.get_by_label("Message")).to_have_value("A precious prompt.")


@pytest.mark.thorough
async def test_a_page_at_rest_hears_of_a_question_and_of_a_run_that_another_begins(
    tab: Tab,
) -> None:
    keep, chat = tab.served.root / "keep.md", await tab.page.evaluate(CHAT)
    keep.write_text("precious", encoding="utf-8")
    command = f"until [ -e /tmp/{chat} ]; do sleep 0.02; done; rm keep.md"
    tab.api.call("Bash", {"command": command, "run_in_background": True})
    tab.api.say("It runs.")
    tab.api.call("Bash", {"command": f"touch /tmp/{chat}"})
    tab.api.say("Now it ends.")
    await tab.say("Clean up.")
    await expect(tab.talk).to_contain_text("It runs.")
    await tab.say("Go on.")
    await expect(tab.dialog).to_contain_text("keep.md")
    await expect(tab.talk).to_contain_text("Now it ends.")
    tab.api.otherwise(lambda _request: (ReplyText("Good evening."),))
    await tab.choose("Undo")
    await expect(tab.dialog).to_have_count(0)
    assert keep.read_text(encoding="utf-8") == "precious"
    await tab.model_heard(5)  # of the end of the command, in a turn of its own
    await tab.served.chunks(chat, "And from another page?")
    await expect(tab.talk.locator(".user").last).to_have_text("And from another page?")
    await expect(tab.talk.locator(".reply").last).to_have_text("Good evening.")


@pytest.mark.thorough
async def test_a_run_continues_while_the_page_is_loaded_again(tab: Tab) -> None:
    tab.api.say("An earlier reply.")
    await tab.say("one")
    await expect(tab.talk).to_contain_text("An earlier reply.")
    pieces = tab.api.say_in_pieces("The first half, ", "the second half.")
    await tab.say("two")
    await expect(tab.talk).to_contain_text("The first half,")
    await tab.page.reload()
    await expect(tab.talk.locator(".reply")).to_have_text(
        ["An earlier reply.", re.compile("The first half,")]
    )
    pieces.release_all()
    await expect(tab.talk.locator(".reply")).to_have_text(
        ["An earlier reply.", "The first half, the second half."]
    )
    await expect(tab.talk.locator(".user")).to_have_text(["one", "two"])
    await tab.page.reload()
    await expect(tab.talk.locator(".reply")).to_have_text(
        ["An earlier reply.", "The first half, the second half."]
    )


@pytest.mark.thorough
async def test_a_question_waits_while_the_page_is_loaded_again(tab: Tab) -> None:
    tab.api.call("Write", {"file_path": str(outside(tab) / "kept.md"), "content": "kept\n"})
    question = {
        "type": "clarification",
        "title": "Before I go on",
        "questions": [{"id": "q", "question": "For whom?"}],
    }
    await tab.say("Write it.")
    await expect(tab.dialog).to_contain_text("kept.md")
    await tab.page.reload()
    tab.api.call(UI, question)
    await tab.choose("Allow once")
    await expect(tab.dialog).to_contain_text("Before I go on")
    assert (outside(tab) / "kept.md").read_text(encoding="utf-8") == "kept\n"
    await tab.page.reload()
    tab.api.say("For the board, then.")
    await expect(tab.dialog).to_contain_text("For whom?")
    await tab.page.keyboard.type("the board")
    await tab.press("Enter")
    await expect(tab.talk).to_contain_text("For the board, then.")
    (outside(tab) / "kept.md").unlink()


@pytest.mark.thorough
async def test_it_speaks_chinese(browser: Browser, opened_once: tuple[Served, str]) -> None:
    served, _ = opened_once
    context = await browser.new_context(locale="zh-CN")
    await context.add_init_script(f"sessionStorage.setItem('token', '{served.token}')")
    page = await context.new_page()
    await page.goto(served.url)
    await expect(page.get_by_role("button", name="发送")).to_be_visible()
    assert await page.locator("html").get_attribute("lang") == "zh-CN"
    await context.close()


@pytest.mark.thorough
async def test_every_sentence_of_the_page_is_translated() -> None:
    source = (Path(__file__).parents[2] / "dogent_tui/faces/page/page.js").read_text(
        encoding="utf-8"
    )
    table = source[source.index("const CHINESE") : source.index("const isChinese")]
    translated = set(re.findall(r'"([^"]+)": "', table))
    used = set(re.findall(r'\btr\("([^"]+)"', source))
    assert used <= translated
