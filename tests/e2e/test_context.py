"""What the agent remembers, through the real CLI: what fills its context, and what becomes of it
when that is summarized.
"""

import uuid

import pytest

from dogent_tui.agent.events import (
    BUDGET_SPENT,
    Compacted,
    Compacting,
    Notice,
    Prompt,
    RunFinished,
    UsageChanged,
)
from dogent_tui.agent.launch import SessionChoice
from dogent_tui.offline.messages_api import ApiError, ReplyText
from tests.e2e.conftest import IN_ONE_LOOP

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]

SUMMARY = "<analysis>It is short.</analysis><summary>The user likes **tea**.</summary>"


async def compacted(agent, api, text="/compact keep the names") -> RunFinished:
    api.say(SUMMARY)
    return await agent.run(text, compacts=True)


async def test_what_fills_the_context(api, agent):
    (agent.root / "long.txt").write_text("Alpha beta. " * 500, encoding="utf-8")
    api.call("Read", {"file_path": str(agent.root / "long.txt")})
    api.say("I have read it.")
    await agent.run("Read it")
    use = await agent.service.context()
    assert use.total > 5_000
    assert use.window == 200_000
    assert 0 < use.compacts_at < use.window
    assert use.results["Read"] > 1_000
    assert use.tools > use.system_prompt > 500
    parts = (
        use.system_prompt
        + use.tools
        + use.prompts
        + use.replies
        + use.calls
        + use.notes
        + sum(use.results.values())
    )
    assert abs(parts - use.total) < 0.05 * use.total


@pytest.mark.thorough
async def test_a_conversation_is_compacted_when_the_user_says_so_and_remembered_as_the_summary(
    api, open_service
):
    choice = SessionChoice(str(uuid.uuid4()))
    async with open_service(session=choice) as agent:
        api.say("Tea it is.")
        await agent.run("I like tea. " * 200)
        finished = await compacted(agent, api)
        assert finished.status == "completed"
        [told] = agent.of(Compacted)
        assert told.summary == "The user likes **tea**."
        assert told.by_user
        assert told.before_tokens > told.after_tokens > 0
        assert agent.of(Compacting)
        assert agent.of(UsageChanged)[-1].context_tokens == 0
        assert "keep the names" in api.requests[-1].last_user_text()

        api.say("You like tea.")
        assert (await agent.run("What do I like?")).result == "You like tea."
        sent = str(api.requests[-1].messages)
        assert "The user likes **tea**." in sent
        assert "I like tea. I like tea." not in sent
    events = agent.events
    async with open_service(session=SessionChoice(choice.session_id, resume=True)) as agent:
        agent.service.restore(events)
        api.say("Still tea.")
        assert (await agent.run("And now?")).result == "Still tea."
        assert "The user likes **tea**." in str(api.requests[-1].messages)
        assert not [notice for notice in agent.of(Notice) if notice.code in ("gap", "memory_gap")]


@pytest.mark.thorough
async def test_a_full_context_is_compacted_by_itself_and_told(api, open_service):
    async with open_service() as agent:
        api.say("Noted.")
        await agent.run("word " * 132_000)
        api.fail(400)
        api.say(SUMMARY)
        api.say("After it.")
        finished = await agent.run("And now?")
        assert (finished.status, finished.result) == ("completed", "After it.")
        [told] = agent.of(Compacted)
        assert (told.summary, told.by_user) == ("The user likes **tea**.", False)
        assert told.before_tokens > 100_000


@pytest.mark.thorough
async def test_of_a_full_context_that_cannot_be_compacted_one_message_tells(api, open_service):
    async with open_service() as agent:
        api.say("Noted.")
        await agent.run("Hello")
        api.fail_always(400)
        finished = await agent.run("And now?")
        assert (finished.status, finished.code) == ("failed", "prompt_too_long")
        assert agent.of(Notice) == []


@pytest.mark.thorough
async def test_what_cannot_be_compacted_is_an_error_and_changes_nothing(api, open_service):
    async with open_service() as agent:
        finished = await agent.run("/compact", compacts=True)
        assert finished.status == "failed"
        assert "No messages to compact" in finished.reason
        api.say("Tea.")
        await agent.run("I like tea.")
        refused = ApiError(401, "invalid x-api-key")
        api.otherwise(lambda _: refused)
        api.side_reply = lambda _: refused
        finished = await agent.run("/compact", compacts=True)
        assert (finished.status, finished.code) == ("failed", "api_401")
        api.unscript()
        api.side_reply = lambda _: (ReplyText("Notes"),)
        api.say("")
        finished = await agent.run("/compact", compacts=True)
        assert finished.code == "not_compacted"
        assert "/new" in finished.remedy
        api.say("You like tea.")
        assert (await agent.run("What do I like?")).result == "You like tea."
        assert "I like tea." in str(api.requests[-1].messages)
        assert agent.of(Compacted) == []


@pytest.mark.thorough
async def test_compacting_can_be_stopped(api, open_service):
    async with open_service() as agent:
        api.say("Tea.")
        await agent.run("I like tea.")
        stalled = api.stall()
        await agent.service.submit(Prompt("/compact", compacts=True))
        await agent.heard(Compacting)
        await api.arrived(2)
        await agent.service.interrupt()
        assert (await agent.heard(RunFinished, 2)).status == "interrupted"
        stalled.release_all()
        api.say("You like tea.")
        assert (await agent.run("What do I like?")).result == "You like tea."


@pytest.mark.thorough
async def test_going_back_before_a_compaction_gives_the_whole_conversation_back(api, open_service):
    async with open_service() as agent:
        api.say("Tea it is.")
        await agent.run("I like tea, and green tea most.")
        await compacted(agent, api)
        await agent.service.rewind(agent.of(Compacted)[0].run_id)
        api.say("Green tea.")
        assert (await agent.run("What do I like most?")).result == "Green tea."
        sent = str(api.requests[-1].messages)
        assert "and green tea most" in sent
        assert "The user likes **tea**." not in sent


@pytest.mark.thorough
async def test_what_a_run_used_is_counted_once_also_after_a_restart(api, open_service):
    choice = SessionChoice(str(uuid.uuid4()))
    async with open_service(session=choice, kind="anthropic") as agent:
        api.say("One.")
        first = await agent.run("Say one")
        api.say("Two.")
        second = await agent.run("Say two")
    assert first.tokens.input > 1_000
    assert first.cost_usd > 0
    assert first.tokens.input < second.tokens.input < 2 * first.tokens.input
    for fork_of in ("", choice.session_id):
        again = (
            SessionChoice(str(uuid.uuid4()), fork_of=fork_of)
            if fork_of
            else SessionChoice(choice.session_id, resume=True)
        )
        async with open_service(session=again, kind="anthropic") as agent:
            api.say("Three.")
            third = await agent.run("Say three")
        assert first.tokens.input < third.tokens.input < 2 * first.tokens.input
        assert third.cost_usd < 2 * first.cost_usd


@pytest.mark.thorough
async def test_a_spent_budget_stops_the_run_and_more_of_it_has_it_continue(api, open_service):
    async with open_service(kind="anthropic", budget_usd=0.009) as agent:
        (agent.root / "long.txt").write_text("Alpha beta. " * 500, encoding="utf-8")
        api.call("Read", {"file_path": str(agent.root / "long.txt")})
        api.say("Read.")
        finished = await agent.run("Read it")
        assert (finished.status, finished.code) == ("failed", BUDGET_SPENT)
        assert "$0.01" in finished.reason
        asked = len(api.requests)
        assert (await agent.run("And now?")).code == BUDGET_SPENT
        assert len(api.requests) == asked

        await agent.service.set_budget(1.0)
        api.unscript()
        api.say("Now I do.")
        await agent.service.go_on()
        finished = await agent.heard(RunFinished, 3)
        assert finished.result == "Now I do."
        assert api.requests[-1].last_user_text().startswith("And now?")
        assert "Read it" in str(api.requests[-1].messages)
        assert [notice for notice in agent.of(Notice) if notice.level != "info"] == []
