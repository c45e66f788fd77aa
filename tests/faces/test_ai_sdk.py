"""The AI SDK's own client, versions 6 and 7, against the real server, the real CLI and a scripted model."""

import uuid

import pytest

from tests.faces.conftest import IN_ONE_LOOP, Page, Served, parts_of

pytestmark = [IN_ONE_LOOP, pytest.mark.slow]

READ = "mcp__dogent__read_markdown_file"


@pytest.fixture
def chat() -> str:
    return uuid.uuid4().hex


async def test_a_reply_streams_and_the_chat_remembers(served: Served, page: Page, chat: str) -> None:
    served.api.say("Hello **wörld** 写作 🎉", thinking="Thinking of it.")
    served.api.say("You said hi.")
    await page.open(served, chat)
    told = await page("send", chat=chat, text="hi there")
    assert (told["status"], told["text"]) == ("ready", "Hello **wörld** 写作 🎉")
    assert [part["text"] for part in parts_of(told, "reasoning")] == ["Thinking of it."]
    assert told["metadata"]["status"] == "completed"
    told = await page("send", chat=chat, text="what did I say?")
    assert (told["text"], told["count"]) == ("You said hi.", 4)
    assert "hi there" in str(served.api.requests[-1].messages)


async def test_only_tools_that_ask_are_offered(served: Served, page: Page, chat: str) -> None:
    served.api.say("Yes.")
    await page.open(served, chat)
    await page("send", chat=chat, text="hello")
    names = {name.removeprefix("mcp__dogent__") for name in served.api.requests[-1].tools}
    assert names == {
        "list_file_tree", "search_markdown_files", "search_markdown_content", "read_markdown_file", "read_document",
        "propose_document_change", "ui_request",
    }  # fmt: skip


@pytest.mark.parametrize("approved", [True, False])
async def test_an_approval_is_the_next_post_and_one_message(served: Served, page: Page, chat: str, approved: bool) -> None:
    (served.root / "a.md").write_text("# A\n\nThe answer is 42.\n", encoding="utf-8")
    served.api.call(READ, {"path": "a.md", "reason": "To find the answer."}, before="Let me look.")
    served.api.say("It is 42." if approved else "Then I cannot know.")
    await page.open(served, chat)
    told = await page("send", chat=chat, text="what is the answer?")
    [asked] = parts_of(told, "data-permission")
    assert {key: asked["data"][key] for key in ("toolName", "action", "reason", "status")} == {
        "toolName": "readMarkdownFile", "action": "read", "reason": "To find the answer.", "status": "pending",
    }  # fmt: skip
    [tool] = parts_of(told, "dynamic-tool")
    assert tool["state"] == "approval-requested"
    told = await page("approve", chat=chat, id=tool["approval"]["id"], approved=approved)
    assert (told["status"], told["count"]) == ("ready", 2)
    [tool] = parts_of(told, "dynamic-tool")
    assert tool["state"] == ("output-available" if approved else "output-denied")
    assert told["text"].endswith("It is 42." if approved else "Then I cannot know.")
    assert ("The answer is 42" in str(served.api.requests[-1].messages)) is approved


async def test_the_page_runs_the_tool_by_execute_tool(served: Served, page: Page, chat: str) -> None:
    (served.root / "b.md").write_text("# B\n", encoding="utf-8")
    served.api.call(READ, {"path": "b.md", "reason": "To see it."})
    served.api.say("It is B.")
    await page.open(served, chat, query="?approvals=page", client=True)
    told = await page("send", chat=chat, text="what is in b?")
    while told["text"] != "It is B.":
        told = await page("settle", chat=chat)
    [tool] = parts_of(told, "tool-readMarkdownFile")
    assert tool["state"] == "output-available"
    assert told["status"] == "ready"


async def test_an_edited_prompt_and_a_regenerated_answer_go_back(served: Served, page: Page, chat: str) -> None:
    for reply in ("first", "second", "third", "fourth"):
        served.api.say(reply)
    await page.open(served, chat)
    await page("send", chat=chat, text="one")
    told = await page("send", chat=chat, text="two")
    told = await page("regenerate", chat=chat)
    assert (told["text"], told["count"]) == ("third", 4)
    said = list(served.api.requests[-1].messages)
    assert "second" not in str(said)
    assert "first" in str(said)


async def test_an_error_is_our_sentence(served: Served, page: Page, chat: str) -> None:
    served.api.fail_always(401)
    await page.open(served, chat)
    told = await page("send", chat=chat, text="hello")
    assert told["status"] == "error"
    assert "key" in told["error"]
    assert "{" not in told["error"]


async def test_a_chat_that_runs_is_resumed_from_its_beginning(served: Served, page: Page, chat: str) -> None:
    pieces = served.api.say_in_pieces("The first half, ", "the second half.")
    await page.open(served, chat)
    await page("begin", chat=chat, text="a long one")
    await pieces.sent(1)
    other = f"{chat}"
    answer = page("settle", chat=other)
    pieces.release_all()
    assert (await answer)["text"] == "The first half, the second half."
    assert (await page("resume", chat=chat))["status"] == "ready"  # 204: nothing runs


async def test_stopping_ends_the_run_on_the_server(served: Served, page: Page, chat: str) -> None:
    pieces = served.api.say_in_pieces("Half of it, ", "never sent.", "x")
    await page.open(served, chat)
    await page("begin", chat=chat, text="a long one")
    await pieces.sent(1)
    await page("stop", chat=chat)
    pieces.release_all()
    served.api.say("Still here.")
    told = await page("send", chat=chat, text="go on")
    assert told["text"] == "Still here."


async def test_a_form_is_answered_beside_the_chat(served: Served, page: Page, chat: str) -> None:
    question = {"id": "who", "question": "For whom?", "options": [{"label": "Board", "value": "board"}], "recommended": "board"}
    served.api.call("mcp__dogent__ui_request", {"type": "clarification", "title": "Before I begin", "questions": [question]})
    served.api.say("For the board, then.")
    await page.open(served, chat)
    told = await page("send", chat=chat, text="write a report")
    [form] = parts_of(told, "data-form")
    assert told["metadata"]["status"] == "needs_clarification"
    path = f"/api/chat/{chat}/answers/{form['data']['id']}"
    assert (await served.post(path, {"answers": {"who": "nobody"}}))[0] == 409
    assert (await served.post(path, {"answers": {"who": "board"}}))[0] == 200
    told = await page("go_on", chat=chat)
    assert told["text"].endswith("For the board, then.")


async def test_a_proposed_change_is_reviewed_hunk_by_hunk(served: Served, page: Page, chat: str) -> None:
    before = "# Plan\n\nOne.\n\n## Next\n\nTwo.\n\n## Last\n\nThree.\n"
    (served.root / "plan.md").write_text("# Plan\n\nOne.\n", encoding="utf-8")
    change = {"path": "plan.md", "new_content": before.replace("One.", "Eins.").replace("Three.", "Drei."), "summary": "German."}
    served.api.call("mcp__dogent__propose_document_change", change)
    served.api.say("Done.")
    await page.open(served, chat, body={"filePath": str(served.root / "plan.md"), "fileContent": before})
    told = await page("send", chat=chat, text="in German")
    [review] = parts_of(told, "data-review")
    assert [(hunk["old"], hunk["new"]) for hunk in review["data"]["hunks"]] == [(["One."], ["Eins."]), (["Three."], ["Drei."])]
    status, done = await served.post(
        f"/api/chat/{chat}/answers/{review['data']['id']}", {"hunks": {"1": "accepted", "2": "rejected"}}
    )
    assert (status, done["data"]["written"]) == (200, True)
    assert (served.root / "plan.md").read_text(encoding="utf-8") == before.replace("One.", "Eins.")
    told = await page("go_on", chat=chat)
    assert told["text"].endswith("Done.")
    assert "1 of 2 hunks written" in str(served.api.requests[-1].messages)
