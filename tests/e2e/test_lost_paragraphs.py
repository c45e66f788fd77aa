"""A paragraph that the user writes while the agent works on the same file: never lost without a
question.
"""

import asyncio
import os

import pytest

from dogent_tui.agent.events import PermissionAnswer, PermissionRequested, RunFinished, ToolResult
from tests.e2e.conftest import IN_ONE_LOOP
from tests.e2e.test_reviewing import BASE, PROPOSE, READ, context, sent  # noqa: F401 — a fixture

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]

MINE = "\nMy own paragraph.\n"
LOUDER, LOUDEST = BASE.replace("one", "ONE"), BASE.replace("one", "ONE").replace("three", "THREE")


def proposal(text, name="tea.md"):
    return {"path": name, "new_content": text, "summary": "Louder"}


@pytest.fixture
def tea(workspace):
    tea = workspace.root / "tea.md"
    tea.write_text(BASE, encoding="utf-8")
    return tea


async def accepted(d, name="tea.md", *keys):
    screen = await d.review(name, *keys)
    await d.pilot.press("A", "enter")
    await d.pilot.pause()
    return screen


@pytest.mark.thorough
async def test_over_several_proposals_and_refusals(api, context, tea):  # noqa: F811
    async with context() as d:
        api.call("Read", {"file_path": str(tea)})
        api.say("Read.")
        await d.send("Read tea.md")
        await d.ended(1)
        tea.write_text(BASE + MINE, encoding="utf-8")
        # A Write that is refused, and a proposal that is accepted, tell the model nothing of the
        # paragraph.
        api.call("Write", {"file_path": str(tea), "content": LOUDER})
        api.call(PROPOSE, proposal(LOUDER))
        api.call(PROPOSE, proposal(LOUDEST))
        api.say("Done.")
        await d.send("Make it louder")
        await accepted(d)
        await accepted(d)
        await d.ended(2)
        assert tea.read_text() == LOUDEST + MINE
        assert [sent(api, number).count("- tea.md") for number in (2, 3, 4, 5)] == [1, 0, 0, 0]


@pytest.mark.thorough
async def test_after_a_part_was_read_or_named_or_searched(api, context, tea):  # noqa: F811
    async with context() as d:
        api.call("Read", {"file_path": str(tea)})
        api.say("Read.")
        await d.send("Read tea.md")
        await d.ended(1)
        tea.write_text(BASE + MINE, encoding="utf-8")
        api.call("Read", {"file_path": str(tea), "offset": 1, "limit": 3})
        api.call("Grep", {"path": str(tea), "pattern": "one", "output_mode": "content"})
        api.call("Glob", {"pattern": "tea.md"})
        api.call(PROPOSE, proposal(LOUDER))
        api.say("Done.")
        await d.send("Make it louder")
        await accepted(d)
        await d.ended(2)
        assert tea.read_text() == LOUDER + MINE


@pytest.mark.thorough
async def test_what_was_not_read_whole_is_said_to_be_so(api, context, workspace):  # noqa: F811
    names = ("part.md", "found.md", "named.md", "refused.md", "long.md")
    for name in names:
        (workspace.root / name).write_text(BASE, encoding="utf-8")
    (workspace.root / "long.md").write_text("word\n" * 60_000, encoding="utf-8")
    async with context() as d:
        api.call("Read", {"file_path": str(workspace.root / "part.md"), "limit": 2})
        api.call("Grep", {"path": str(workspace.root / "found.md"), "pattern": "one"})
        api.call("Glob", {"pattern": "named.md"})
        api.call("Read", {"file_path": str(workspace.root / "long.md")})
        for name in names:
            api.call(PROPOSE, proposal("# All new\n", name))
        api.say("Done.")
        await d.send("Make them new")
        for name in names:
            screen = await d.review(name)
            assert "has not read all" in screen.request.notice, name
            assert all(
                screen.change.decision(hunk.number).verdict == "open"
                for hunk in screen.change.hunks
            )
            await d.pilot.press("R", "enter")
        await d.ended(1)


@pytest.mark.thorough
async def test_what_our_own_reader_gave_is_read(api, context, tea):  # noqa: F811
    async with context() as d:
        api.call(READ, {"path": "tea.md", "reason": "To see it"})
        api.say("Read.")
        await d.send("Read tea.md")
        question = await d.heard.heard(PermissionRequested)
        await d.app.opened.service.reply(question.request_id, PermissionAnswer("allow"))
        await d.ended(1)
        tea.write_text(BASE + MINE, encoding="utf-8")
        api.call(PROPOSE, proposal(LOUDER))
        api.say("Done.")
        await d.send("Make it louder")
        screen = await accepted(d)
        assert "has not read" not in screen.request.notice
        await d.ended(2)
        assert tea.read_text() == LOUDER + MINE


@pytest.mark.thorough
async def test_while_the_review_is_open_and_in_the_next_proposal(api, context, tea):  # noqa: F811
    async with context() as d:
        api.call("Read", {"file_path": str(tea)})
        api.call(PROPOSE, proposal(LOUDER))
        api.call(PROPOSE, proposal(LOUDEST))
        api.say("Done.")
        await d.send("Make it louder")
        screen = await d.review("tea.md", "A")
        tea.write_text(BASE + MINE, encoding="utf-8")
        await d.pilot.press("enter")
        await d.until(lambda: screen.change.content == (BASE + MINE).encode())
        await d.until(lambda: not screen._writing)
        await d.pilot.press("enter")
        await accepted(d)
        await d.ended(1)
        assert tea.read_text() == LOUDEST + MINE


@pytest.mark.thorough
async def test_a_write_over_an_older_file_that_took_its_place_is_refused(api, context, tea):  # noqa: F811
    async with context() as d:
        api.call("Read", {"file_path": str(tea)})
        api.say("Read.")
        await d.send("Read tea.md")
        await d.ended(1)
        draft = tea.with_name("draft.md")
        draft.write_text(BASE + MINE, encoding="utf-8")
        os.utime(draft, (1_000_000_000, 1_000_000_000))
        draft.replace(tea)
        api.call("Write", {"file_path": str(tea), "content": LOUDER})
        api.say("Done.")
        await d.send("Make it louder")
        await d.ended(2)
        assert tea.read_text() == BASE + MINE
        assert d.heard.of(ToolResult)[-1].is_error


@pytest.mark.thorough
@pytest.mark.parametrize("before", [BASE, None])
async def test_while_the_user_is_asked_about_a_write(api, context, workspace, before):  # noqa: F811
    aside = workspace.root.parent / "aside.md"
    if before:
        aside.write_text(before, encoding="utf-8")
    async with context() as d:
        if before:
            api.call("Read", {"file_path": str(aside)})
        api.call("Write", {"file_path": str(aside), "content": LOUDER})
        api.say("Done.")
        await d.send("Make it louder")
        for number in (1, 2) if before else (1,):
            question = await d.heard.heard(PermissionRequested, number)
            if question.tool == "Write":
                aside.write_text(BASE + MINE, encoding="utf-8")
                os.utime(aside, (1_000_000_000, 1_000_000_000))
            await d.app.opened.service.reply(question.request_id, PermissionAnswer("allow"))
        await d.until(
            lambda: d.heard.of(RunFinished) or len(d.heard.of(PermissionRequested)) > number
        )
        assert aside.read_text() == BASE + MINE


@pytest.mark.thorough
async def test_a_file_of_which_a_part_was_read_is_not_written_whole(api, context, tea):  # noqa: F811
    async with context() as d:
        api.call("Read", {"file_path": str(tea), "limit": 2})
        api.call("Write", {"file_path": str(tea), "content": LOUDER})
        api.call("Edit", {"file_path": str(tea), "old_string": "# 茶", "new_string": "# Tea"})
        api.call("Write", {"file_path": str(tea), "content": LOUDER})
        api.call("Read", {"file_path": str(tea), "offset": 3})
        api.call("Read", {"file_path": str(tea), "limit": 2})
        api.call("Write", {"file_path": str(tea), "content": LOUDER})
        api.say("Done.")
        await d.send("Make it louder")
        await d.ended(1)
        assert [result.is_error for result in d.heard.of(ToolResult)] == [
            False,
            True,
            False,
            True,
            False,
            False,
            False,
        ]
        assert tea.read_text() == LOUDER


@pytest.mark.thorough
@pytest.mark.parametrize(
    "content", [b"", "\ufeff# 茶\r\n\r\none".encode(), b"caf\xe9\n", "# 茶\n".encode("utf-16")]
)
async def test_texts_of_other_kinds(api, context, tea, content):  # noqa: F811
    tea.write_bytes(content)
    async with context() as d:
        api.call("Read", {"file_path": str(tea)})
        api.say("Read.")
        await d.send("Read tea.md")
        await d.ended(1)
        is_text = content in (b"", "\ufeff# 茶\r\n\r\none".encode())
        if is_text:
            tea.write_bytes("\ufeff我写的\r\n\r\n".encode() + content.removeprefix(b"\xef\xbb\xbf"))
        api.call(
            PROPOSE, proposal((content.decode("utf-8-sig") if is_text else "cafe") + "\nnew\n")
        )
        api.say("Done.")
        await d.send("Add")
        if is_text:
            screen = await d.review("tea.md")
            await d.pilot.press(
                "A", *(["enter"] * (1 + any(hunk.is_conflict for hunk in screen.change.hunks)))
            )
        await d.ended(2)
        if is_text:
            assert "我写的" in tea.read_text()
        else:
            assert d.heard.of(ToolResult)[-1].is_error
            assert tea.read_bytes() == content


@pytest.mark.thorough
async def test_after_a_rewind_the_model_knows_what_it_knew_then(api, context, tea):  # noqa: F811
    async with context() as d:
        api.call("Read", {"file_path": str(tea)})
        api.say("Read.")
        await d.send("Read tea.md")
        await d.ended(1)
        tea.write_text(BASE + MINE, encoding="utf-8")
        api.call("Read", {"file_path": str(tea)})
        api.say("Read again.")
        await d.send("Read it again")
        await d.ended(2)
        await d.app.opened.service.rewind(d.heard.of(ToolResult)[-1].run_id)
        await asyncio.sleep(0)
        api.call(PROPOSE, proposal(LOUDER))
        api.say("Done.")
        await d.send("Make it louder")
        await accepted(d)
        await d.ended(3)
        assert tea.read_text() == LOUDER + MINE
        assert "- tea.md" in sent(api, 4)


@pytest.mark.thorough
async def test_in_a_later_session(api, context, tea):  # noqa: F811
    async with context() as d:
        api.call("Read", {"file_path": str(tea)})
        api.say("Read.")
        await d.send("Read tea.md")
        await d.ended(1)
    tea.write_text(BASE + MINE, encoding="utf-8")
    async with context(continue_latest=True) as d:
        api.call("Write", {"file_path": str(tea), "content": LOUDER})
        api.call(PROPOSE, proposal(LOUDER))
        api.say("Done.")
        await d.send("Make it louder")
        await accepted(d)
        await d.ended(1)
        assert tea.read_text() == LOUDER + MINE
        assert "- tea.md" in sent(api, 2)
