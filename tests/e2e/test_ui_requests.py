"""What the agent asks on a screen, through the real CLI: when the model is asked again, and what
it then sees.
"""

import asyncio

import pytest

from dogent_tui.agent.conversation import SessionChoice
from dogent_tui.agent.events import (
    Attachment,
    Prompt,
    RunFinished,
    RunStarted,
    TextFinished,
    ToolResult,
    UiAnswer,
    UiRequested,
)
from dogent_tui.agent.recorder import Recorder
from dogent_tui.agent.replay import replay_log
from dogent_tui.errors import AgentError
from dogent_tui.offline.messages_api import ReplyText
from dogent_tui.storage.history import History
from dogent_tui.storage.sessions import latest_session
from tests.e2e.conftest import IN_ONE_LOOP

pytestmark = IN_ONE_LOOP

UI_REQUEST = "mcp__dogent__ui_request"
AUDIENCE = {
    "type": "clarification",
    "title": "Before I write",
    "questions": [
        {
            "id": "audience",
            "question": "Who reads it?",
            "options": ["board", "visitors"],
            "recommended": "board",
        },
        {"id": "length", "question": "How long?", "options": [{"label": "One page", "value": "1"}]},
    ],
}
OUTLINE = {
    "type": "outline_edit",
    "title": "Outline of the report",
    "outline_text": "# Report\n\n## Visits\n",
}


async def asked(agent, text="Write a report"):
    """Send a prompt, and return how its run ended and what was asked in it."""
    before = len(agent.of(UiRequested))
    ended = await agent.run(text)
    return ended, agent.of(UiRequested)[before:]


async def answer(agent, request, **answer):
    """Answer, and return how the run with the answer ended."""
    ended = len(agent.of(RunFinished))
    await agent.service.reply(request.request_id, UiAnswer(**answer))
    return await agent.heard(RunFinished, ended + 1)


async def test_one_request_to_the_model_before_the_answers_and_one_after(api, agent):
    api.call(UI_REQUEST, AUDIENCE, before="Let me ask.")
    api.say("Written for the board.")
    ended, (request,) = await asked(agent)
    assert (ended.status, request.kind, request.run_id) == (
        "needs_clarification",
        "clarification",
        ended.run_id,
    )
    assert agent.events.index(request) < agent.events.index(ended)
    assert "Before I write" in ended.reason
    later = await agent.service.submit(Prompt("And then this"))
    assert len(api.requests) == 1
    api.say("Then that.")

    ended = await answer(agent, request, answers={"audience": "board", "length": "1"})
    assert (ended.status, ended.result) == ("completed", "Written for the board.")
    last = api.requests[1].last_user_text()
    assert "Who reads it?\n→ board" in last
    assert "→ One page (1)" in last
    assert "And then this" not in last
    conversation = str(api.requests[1].messages[:-1])
    assert "Write a report" in conversation
    assert "Let me ask." in conversation
    (result,) = agent.of(ToolResult)
    assert not result.is_error
    assert "the user is answering" in str(api.requests[1].messages[-1])
    assert agent.of(RunStarted)[1].prompt.answers == (request.request_id,)
    await agent.heard(RunFinished, 3)
    assert api.requests[2].last_user_text().startswith("And then this")
    assert later
    assert len(api.requests) == 3


async def test_what_is_wrong_in_a_payload_goes_back_to_the_model(api, agent):
    api.call(
        UI_REQUEST,
        {
            **AUDIENCE,
            "questions": [{"id": "audience", "question": "Who?", "options": [{"value": ""}]}],
        },
    )
    api.call(UI_REQUEST, {"response_type": "outline_edit", "title": "T", "outline_text": "# T"})
    api.say("Good.")
    ended, (request,) = await asked(agent)
    assert (ended.status, request.kind) == ("needs_outline_edit", "outline_edit")
    wrong, right = agent.of(ToolResult)
    assert (wrong.is_error, right.is_error) == (True, False)
    assert "questions[0].options[0].label" in wrong.content
    assert "questions[0].options[0].label" in str(api.requests[1].messages[-1])
    await answer(agent, request, outline="# T\n\n## More\n")
    assert "## More" in api.requests[2].last_user_text()
    assert len(api.requests) == 3


async def test_two_requests_of_a_turn_are_answered_with_one_message(api, agent):
    api.call_all((UI_REQUEST, AUDIENCE), (UI_REQUEST, OUTLINE))
    api.say("Good.")
    ended, (questions, outline) = await asked(agent)
    assert ended.status == "needs_clarification"
    assert agent.service.requests[1].request_id == outline.request_id
    await agent.service.reply(questions.request_id, UiAnswer(answers={"audience": "visitors"}))
    with pytest.raises(AgentError):
        await agent.service.reply(questions.request_id, UiAnswer(answers={}))
    with pytest.raises(AgentError):
        await agent.service.reply(outline.request_id, UiAnswer(answers={}))
    assert len(api.requests) == 1
    assert (await answer(agent, outline, outline="# Mine")).status == "completed"
    last = api.requests[1].last_user_text()
    assert "→ visitors" in last
    assert "skipped" in last
    assert "# Mine" in last
    assert len(api.requests) == 2


async def test_what_is_abandoned_ends_as_interrupted_and_the_model_learns_of_it(api, agent):
    api.call(UI_REQUEST, AUDIENCE)
    api.say("Then otherwise.")
    ended, (request,) = await asked(agent)
    await agent.service.interrupt()  # nothing runs; the request stays open
    assert [waiting.request_id for waiting in agent.service.requests] == [request.request_id]
    again = await answer(agent, request)
    assert (again.status, again.run_id, again.duration_ms) == (
        "interrupted",
        ended.run_id,
        ended.duration_ms,
    )
    assert agent.service.requests == ()
    assert (await agent.run("Write about tea")).status == "completed"
    assert "I did not answer “Before I write”." in api.requests[1].last_user_text()


ASK_USER = {
    "questions": [
        {
            "question": "Which color?",
            "header": "Color",
            "multiSelect": False,
            "options": [
                {"label": "Red", "description": "warm"},
                {"label": "Blue", "description": "cold"},
            ],
        }
    ]
}


async def test_the_question_of_the_cli_is_not_offered_but_understood(api, agent):
    def blue(request):
        return (
            ReplyText(
                "Blue it is."
                if "Which color?\n→ Blue" in request.last_user_text()
                else "I go on unasked."
            ),
        )

    api.call("AskUserQuestion", ASK_USER)
    api.otherwise(blue)
    ended = await agent.run("Paint")
    assert (ended.status, api.requests[0].tools.count("AskUserQuestion")) == (
        "needs_clarification",
        0,
    )
    [request] = agent.service.requests
    assert request.payload["questions"][0]["question"] == "Which color?"
    assert (await answer(agent, request, answers={"q1": "Blue"})).result == "Blue it is."
    assert "unasked" not in "".join(event.text for event in agent.of(TextFinished))


async def test_a_change_is_reviewed_within_the_run_and_its_outcome_goes_to_the_model(api, agent):
    proposal = {"path": "tea.md", "new_content": "ONE\n\ntwo\n\nTHREE\n", "summary": "Louder"}
    (agent.root / "tea.md").write_text("one\n\ntwo\n\nthree\n")
    api.call(
        "mcp__dogent__propose_document_change",
        {"new_content": "one", "summary": "No document is open"},
    )
    api.call(
        "mcp__dogent__propose_document_change", {**proposal, "new_content": "one\n\ntwo\n\nthree"}
    )
    api.call("mcp__dogent__propose_document_change", proposal)
    api.say("Understood.")
    await agent.service.submit(
        Prompt("Make it louder", (Attachment("tea.md", "tea.md", "md", lines="1-2"),))
    )
    request = await agent.heard(UiRequested)
    assert (request.kind, request.in_run, request.payload["base"]) == (
        "document_change",
        True,
        "one\n\ntwo\n\nthree\n",
    )
    assert agent.of(RunFinished) == []
    assert "the user has no document open" in agent.of(ToolResult)[0].content
    assert '"lines": "1-2"' in api.requests[0].last_user_text()
    with pytest.raises(AgentError):
        await agent.service.reply(request.request_id, UiAnswer(outline="x"))
    assert (
        await answer(agent, request, review="Hunk 2: rejected. Comment: softer")
    ).status == "completed"
    assert "Hunk 2: rejected. Comment: softer" in agent.of(ToolResult)[-1].content
    assert "Hunk 2: rejected. Comment: softer" in str(api.requests[-1].messages[-1])
    assert (agent.root / "tea.md").read_text() == "one\n\ntwo\n\nthree\n", (
        "the screen writes, nothing else"
    )

    api.call("mcp__dogent__propose_document_change", proposal)
    await agent.service.submit(Prompt("Again"))
    await agent.heard(UiRequested, 2)
    await agent.service.interrupt()
    assert (await agent.heard(RunFinished, 2)).status == "interrupted"
    assert agent.service.requests == ()


@pytest.mark.thorough
async def test_what_was_open_when_all_ended_is_answered_in_the_conversation_that_continues(
    api, workspace, open_service
):
    api.call_all((UI_REQUEST, AUDIENCE), (UI_REQUEST, OUTLINE))
    api.say("Good.")
    async with open_service() as agent:
        session_id = agent.service.session_id
        recording = asyncio.create_task(
            Recorder(workspace, session_id).record(agent.service.events())
        )
        _, (questions, outline) = await asked(agent)
        await agent.service.reply(questions.request_id, UiAnswer(answers={"audience": "board"}))
    await recording
    log = latest_session(workspace).path
    async with open_service(session=SessionChoice(session_id, resume=True)) as agent:
        agent.service.restore(replay_log(log)[0])
        assert [request.payload for request in agent.service.requests] == [outline.payload]
        recording = asyncio.create_task(
            Recorder(workspace, session_id).record(agent.service.events())
        )
        assert (await answer(agent, outline, outline="# Mine")).status == "completed"
    await recording
    last = api.requests[1].last_user_text()
    assert "→ board" in last
    assert "# Mine" in last
    assert "Write a report" in str(api.requests[1].messages)
    assert [entry.status for entry in History(workspace.history_file).entries()] == [
        "started",
        "needs_clarification",
        "clarification",
        "completed",
    ]
    assert History(workspace.history_file).recall() == ["Write a report"]
