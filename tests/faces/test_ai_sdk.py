"""The AI SDK's own client, versions 6 and 7, against the real server, the real CLI and a
scripted model.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from dogent_tui.offline.messages_api import ReplyText
from tests.children import children_running
from tests.e2e.scripted_api import ScriptedApi
from tests.faces.conftest import IN_ONE_LOOP, Page, Served, parts_of, serving

pytestmark = [IN_ONE_LOOP, pytest.mark.slow, pytest.mark.thorough]

READ = "mcp__dogent__read_markdown_file"
NEWEST = pytest.mark.parametrize("page", ["ai7"], indirect=True, scope="module")
"""For what the server does, whoever reads its stream; the other tests are of the stream itself."""


@pytest.fixture
def chat() -> str:
    return uuid.uuid4().hex


@pytest_asyncio.fixture(loop_scope="module")
async def api() -> AsyncIterator[ScriptedApi]:
    """What answers a server of one's own."""
    async with ScriptedApi() as api:
        yield api


async def test_a_reply_streams_and_the_chat_remembers(
    served: Served, page: Page, chat: str
) -> None:
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


@NEWEST
async def test_only_tools_that_ask_are_offered(served: Served, page: Page, chat: str) -> None:
    served.api.say("Yes.")
    await page.open(served, chat)
    await page("send", chat=chat, text="hello")
    names = {name.removeprefix("mcp__dogent__") for name in served.api.requests[-1].tools}
    assert names == {
        "list_file_tree", "search_markdown_files", "search_markdown_content", "read_markdown_file",
        "read_document",
        "propose_document_change", "ui_request",
    }  # fmt: skip


@pytest.mark.parametrize("approved", [True, False])
async def test_an_approval_is_the_next_post_and_one_message(
    served: Served, page: Page, chat: str, approved: bool
) -> None:
    (served.root / "a.md").write_text("# A\n\nThe answer is 42.\n", encoding="utf-8")
    served.api.call(READ, {"path": "a.md", "reason": "To find the answer."}, before="Let me look.")
    served.api.say("It is 42." if approved else "Then I cannot know.")
    await page.open(served, chat)
    told = await page("send", chat=chat, text="what is the answer?")
    [asked] = parts_of(told, "data-permission")
    assert {key: asked["data"][key] for key in ("toolName", "action", "reason", "status")} == {
        "toolName": "readMarkdownFile", "action": "read", "reason": "To find the answer.",
        "status": "pending",
    }  # fmt: skip
    [tool] = parts_of(told, "dynamic-tool")
    assert tool["state"] == "approval-requested"
    told = await page("approve", chat=chat, id=tool["approval"]["id"], approved=approved)
    assert (told["status"], told["count"]) == ("ready", 2)
    [tool] = parts_of(told, "dynamic-tool")
    assert tool["state"] == ("output-available" if approved else "output-denied")
    assert told["text"].endswith("It is 42." if approved else "Then I cannot know.")
    assert ("The answer is 42" in str(served.api.requests[-1].messages)) is approved


async def test_the_page_runs_the_tool_by_execute_tool(
    served: Served, page: Page, chat: str
) -> None:
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


async def test_an_edited_prompt_and_a_regenerated_answer_go_back(
    served: Served, page: Page, chat: str
) -> None:
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


async def test_a_chat_that_runs_is_resumed_from_its_beginning(
    served: Served, page: Page, chat: str
) -> None:
    pieces = served.api.say_in_pieces("The first half, ", "the second half.")
    await page.open(served, chat)
    await page("begin", chat=chat, text="a long one")
    await pieces.sent(1)
    other = f"{chat}-again"  # the same chat in another tab, with half of the message drawn
    await page.open(served, other, of=chat)
    while not (told := await page("told", chat=chat))["text"]:
        await asyncio.sleep(0.02)
    answer, again = (
        page("settle", chat=chat),
        page("resume", chat=other, half="The fir", message=told["id"]),
    )
    pieces.release_all()
    told, both = await asyncio.gather(answer, again)
    assert told["text"] == both["text"] == "The first half, the second half."
    assert both["count"] == 2
    assert (await page("resume", chat=chat))["status"] == "ready"  # 204: nothing runs


async def test_stopping_ends_the_run_on_the_server(served: Served, page: Page, chat: str) -> None:
    pieces = served.api.say_in_pieces("Half of it, ", "never sent.", "x")
    await page.open(served, chat)
    await page("begin", chat=chat, text="a long one")
    await pieces.sent(1)
    other = f"{chat}-again"  # another tab, whose prompt waits and is stopped too
    await page.open(served, other, of=chat)
    for act, queued in (("begin", 1), ("stop", 2)):
        await page(act, chat=other, text="never mind")
        while (await page("told", chat=chat))["seen"].count("data-queue") < queued:
            await asyncio.sleep(0.02)
    await page("stop", chat=chat)
    pieces.release_all()
    served.api.say("Still here.")
    told = await page("send", chat=chat, text="go on")
    assert told["text"] == "Still here."
    assert "never mind" not in str(served.api.requests[-1].messages)


@NEWEST
async def test_a_form_is_answered_beside_the_chat(served: Served, page: Page, chat: str) -> None:
    question = {
        "id": "who",
        "question": "For whom?",
        "options": [{"label": "Board", "value": "board"}],
        "recommended": "board",
    }
    served.api.call(
        "mcp__dogent__ui_request",
        {"type": "clarification", "title": "Before I begin", "questions": [question]},
    )
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


@NEWEST
async def test_a_proposed_change_is_reviewed_hunk_by_hunk(
    served: Served, page: Page, chat: str
) -> None:
    before = "# Plan\n\nOne.\n\n## Next\n\nTwo.\n\n## Last\n\nThree.\n"
    (served.root / "plan.md").write_text("# Plan\n\nOne.\n", encoding="utf-8")
    change = {
        "path": "plan.md",
        "new_content": before.replace("One.", "Eins.").replace("Three.", "Drei."),
        "summary": "German.",
    }
    served.api.call("mcp__dogent__propose_document_change", change)
    served.api.say("Done.")
    await page.open(
        served, chat, body={"filePath": str(served.root / "plan.md"), "fileContent": before}
    )
    told = await page("send", chat=chat, text="in German")
    [review] = parts_of(told, "data-review")
    assert [(hunk["old"], hunk["new"]) for hunk in review["data"]["hunks"]] == [
        (["One."], ["Eins."]),
        (["Three."], ["Drei."]),
    ]
    status, done = await served.post(
        f"/api/chat/{chat}/answers/{review['data']['id']}",
        {"hunks": {"1": "accepted", "2": "rejected"}},
    )
    assert (status, done["data"]["written"]) == (200, True)
    assert (served.root / "plan.md").read_text(encoding="utf-8") == before.replace("One.", "Eins.")
    told = await page("go_on", chat=chat)
    assert told["text"].endswith("Done.")
    assert "1 of 2 hunks written" in str(served.api.requests[-1].messages)


@pytest.mark.parametrize("approved", [True, False])
async def test_a_permission_is_answered_beside_the_open_stream(
    served: Served, page: Page, chat: str, approved: bool
) -> None:
    (served.root / "a.md").write_text("# A\n", encoding="utf-8")
    served.api.call(READ, {"path": "a.md", "reason": "To see it."})
    served.api.say("Said.")
    await page.open(served, chat, query="?approvals=stream")
    await page("begin", chat=chat, text="look")
    asked = await waiting(page, chat)
    status, _ = await served.post(
        f"/api/chat/{chat}/approvals/{asked}", {"approved": approved, "scope": "session"}
    )
    assert status == 200
    told = await page("settle", chat=chat)
    [tool] = parts_of(told, "dynamic-tool")
    assert (told["status"], told["count"], told["text"]) == ("ready", 2, "Said.")
    assert tool["state"] == ("output-available" if approved else "output-denied")


async def test_what_the_page_does_not_run_is_a_denial(
    served: Served, page: Page, chat: str
) -> None:
    (served.root / "b.md").write_text("# B\n", encoding="utf-8")
    served.api.call(READ, {"path": "b.md", "reason": "To see it."})
    served.api.say("Then not.")
    await page.open(served, chat, query="?approvals=page", client="refuse")
    told = await page("send", chat=chat, text="what is in b?")
    while told["text"] != "Then not.":
        told = await page("settle", chat=chat)
    assert [part["state"] for part in parts_of(told, "tool-readMarkdownFile")] == ["output-denied"]
    assert "not today" in str(served.api.requests[-1].messages)
    assert "# B" not in str(served.api.requests[-1].messages)


async def test_an_output_that_nobody_made_is_refused_and_not_sent_again(
    served: Served, page: Page, chat: str
) -> None:
    (served.root / "b.md").write_text("# B\n", encoding="utf-8")
    served.api.call(READ, {"path": "b.md", "reason": "To see it."})
    await page.open(served, chat, query="?approvals=page", client="invent")
    told = await page("send", chat=chat, text="what is in b?")
    while told["status"] != "error":
        told = await page("settle", chat=chat)
    assert "still waits for its permission" in told["error"]
    assert len(served.api.requests) == 1
    await served.post(f"/api/chat/{chat}/stop", {})


async def test_two_chats_ask_the_same_and_each_gets_its_answer(served: Served, chat: str) -> None:
    (served.root / "b.md").write_text("# B\n", encoding="utf-8")
    call = {"path": "b.md", "reason": "To see it."}
    served.api.call(READ, call)
    served.api.call(READ, call)
    served.api.say("Seen.")
    other = uuid.uuid4().hex
    await served.chunks(chat, "one", "?approvals=page")
    await served.chunks(other, "two", "?approvals=page")
    wanted = {
        "toolName": "readMarkdownFile",
        "parameters": {"filePath": "b.md", "reason": "To see it."},
    }
    assert (await served.post("/api/chat/execute-tool", {**wanted, "id": chat}))[0] == 200
    assert (await served.post("/api/chat/execute-tool", {**wanted, "id": chat}))[0] == 403
    await served.rest_of(chat)
    assert "data-permission" in await served.rest_of(other)  # it still waits
    await served.post(f"/api/chat/{other}/stop", {})


async def test_an_edited_prompt_goes_back_to_before_it(
    served: Served, page: Page, chat: str
) -> None:
    for reply in ("first", "second", "third"):
        served.api.say(reply)
    await page.open(served, chat)
    await page("send", chat=chat, text="one")
    told = await page("send", chat=chat, text="two")
    told = await page("send", chat=chat, text="other", messageId=told["prompts"][1])
    assert (told["text"], told["count"]) == ("third", 4)
    assert "second" not in str(served.api.requests[-1].messages)
    assert "'two'" not in str(served.api.requests[-1].messages)


async def test_a_connection_that_is_cut_is_an_error_and_no_success(
    served: Served, page: Page, chat: str
) -> None:
    pieces = served.api.say_in_pieces("Half of it, ", "never sent.")
    await page.open(served, chat)
    await page("begin", chat=chat, text="a long one")
    while (await page("told", chat=chat))["text"] != "Half of it, ":  # it has arrived
        await asyncio.sleep(0.02)
    [agent] = children_running("stream-json", psutil.Process(served.pid))[-1:]
    agent.kill()
    told = await page("settle", chat=chat)
    pieces.release_all()
    assert told["status"] == "error"
    assert told["error"].endswith(".")
    assert told["text"] == "Half of it, "


async def waiting(page: Page, chat: str) -> str:
    """Return the id of the permission that waits in an open stream."""
    while True:
        for tool in parts_of(await page("told", chat=chat), "dynamic-tool"):
            if tool["state"] == "approval-requested":
                return str(tool["approval"]["id"])
        await asyncio.sleep(0.02)


@NEWEST
async def test_everything_is_offered_where_it_was_asked_for(
    tmp_path: Path, api: ScriptedApi, page: Page, chat: str
) -> None:
    outside = tmp_path / "outside.md"
    api.call("Write", {"file_path": str(outside), "content": "x\n"})
    api.say("Still here.")
    async with serving(tmp_path, api, "--tools", "all") as served:
        await page.open(served, chat)
        told = await page("send", chat=chat, text="write it")
        assert {"Bash", "Read", "Write", "Edit", "mcp__dogent__read_markdown_file"} <= set(
            api.requests[-1].tools
        )
        [tool] = parts_of(told, "dynamic-tool")
        told = await page("approve", chat=chat, id=tool["approval"]["id"], approved=False)
        assert told["metadata"]["status"] == "aborted"
        assert told["metadata"]["reason"]
        assert not outside.exists()
        assert (await page("send", chat=chat, text="hello"))["text"] == "Still here."


@NEWEST
async def test_a_chat_continues_after_the_server_was_started_again(
    tmp_path: Path, api: ScriptedApi, page: Page, chat: str
) -> None:
    question = {
        "type": "clarification",
        "title": "Before I begin",
        "questions": [{"id": "who", "question": "For whom?"}],
    }
    api.call("mcp__dogent__ui_request", question)
    async with serving(tmp_path, api) as served:
        await page.open(served, chat)
        await page("send", chat=chat, text="write a report")
    api.say("For the board, then.")
    api.say("You asked for a report.")
    async with serving(tmp_path, api) as served:
        known = await served.known(chat)
        assert known["said"][0] == {"role": "user", "text": "write a report"}
        assert not known["isRunning"]
        [form] = [each for each in known["waiting"] if each["type"] == "data-form"]
        status, _ = await served.post(
            f"/api/chat/{chat}/answers/{form['id']}", {"answers": {"who": "the board"}}
        )
        assert status == 200
        await served.rest_of(chat)
        assert {"role": "assistant", "text": "For the board, then."} in (await served.known(chat))[
            "said"
        ]
        await page.open(served, chat)
        assert (await page("send", chat=chat, text="what did I ask?"))[
            "text"
        ] == "You asked for a report."
        assert "write a report" in str(api.requests[-1].messages)
        async with served.http.get(
            f"{served.url}/api/chat/nobody", headers=served.headers
        ) as answer:
            assert answer.status == 409


async def test_a_prompt_instead_of_two_open_forms_is_sent(served: Served, chat: str) -> None:
    form = {"type": "clarification", "title": "Before I begin", "questions": ["For whom?"]}
    outline = {"type": "outline_edit", "title": "Outline", "outline_text": "# Report\n"}
    served.api.call_all(*(("mcp__dogent__ui_request", each) for each in (form, outline)))
    served.api.say("Then without.")
    asked = await served.chunks(chat, "write a report")
    assert {"data-form", "data-outline"} <= {chunk["type"] for chunk in asked}
    told = await served.chunks(chat, "never mind")
    assert "".join(chunk.get("delta", "") for chunk in told) == "Then without."
    assert (await served.known(chat))["waiting"] == []


async def test_a_command_in_the_background_asks_after_its_run(
    tmp_path: Path, api: ScriptedApi, chat: str
) -> None:
    go = f"/tmp/{chat}"  # commands see each other's files there
    command = f"until [ -e {go} ]; do sleep 0.02; done; rm keep.md"
    api.call("Bash", {"command": command, "run_in_background": True})
    api.say("It runs.")
    api.call("Bash", {"command": f"touch {go}"})
    api.say("Now it ends.")
    async with serving(tmp_path, api, "--tools", "all") as served:
        keep = served.root / "keep.md"
        keep.write_text("precious", encoding="utf-8")
        await served.chunks(chat, "clean up")
        await served.chunks(chat, "go on")
        while not (waiting := (await served.known(chat))["waiting"]):
            await asyncio.sleep(0.2)
        [asked] = [chunk["data"] for chunk in waiting]
        assert (asked["parameters"]["command"], asked["happened"]) == (command, True)
        api.say("Here.")
        told = await served.chunks(chat, "are you there?")  # which does not wait for the answer
        assert "".join(chunk.get("delta", "") for chunk in told) == "Here."
        assert told[-1]["finishReason"] == "stop"
        seen = [chunk["id"] for chunk in told if chunk["type"] == "data-permission"]
        assert seen == [asked["id"]]
        api.otherwise(lambda _request: (ReplyText("It is over."),))
        approval = f"/api/chat/{chat}/approvals/{asked['id']}"
        assert (await served.post(approval, {"approved": True}))[0] == 200
        while keep.exists():
            await asyncio.sleep(0.02)
        assert (await served.known(chat))["waiting"] == []
