"""What the agent asks on a screen, through the real CLI: when the model is asked again, and what it then sees."""

import asyncio

from dogent_tui.agent.events import Prompt, RunFinished, RunStarted, ToolResult, UiAnswer, UiRequested, UiSettled
from dogent_tui.agent.launch import SessionChoice
from dogent_tui.agent.recorder import Recorder
from dogent_tui.agent.replay import earlier_events
from dogent_tui.workspace.history import History
from dogent_tui.workspace.sessions import latest_session
from tests.e2e.conftest import IN_ONE_LOOP

pytestmark = IN_ONE_LOOP

UI_REQUEST = "mcp__dogent__ui_request"
AUDIENCE = {
    "type": "clarification",
    "title": "Before I write",
    "questions": [
        {"id": "audience", "question": "Who reads it?", "options": ["board", "visitors"], "recommended": "board"},
        {"id": "length", "question": "How long?", "options": [{"label": "One page", "value": "1"}]},
    ],
}
OUTLINE = {"type": "outline_edit", "title": "Outline of the report", "outline_text": "# Report\n\n## Visits\n"}


async def finished(agent):
    return await agent.heard(RunFinished, len(agent.of(RunStarted)))


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
    assert (ended.status, request.kind, request.run_id) == ("needs_clarification", "clarification", ended.run_id)
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
    assert "the person is answering" in str(api.requests[1].messages[-1])
    assert agent.of(RunStarted)[1].prompt.answers == (request.request_id,)
    await finished(agent)
    assert api.requests[2].last_user_text().startswith("And then this")
    assert later
    assert len(api.requests) == 3
