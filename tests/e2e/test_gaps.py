"""What the log of a conversation and the CLI's own transcript do not both have: marked on the
screen, and told to the model.
"""

import json
import shutil

import pytest

from dogent_tui.agent.cli_transcripts import claude_config_dir
from dogent_tui.agent.conversation import SessionChoice
from dogent_tui.agent.events import Notice, Prompt, Rewound, RunFinished, RunStarted, TextDelta
from dogent_tui.agent.prompts import MOST_EARLIER
from dogent_tui.offline.messages_api import ReplyText
from dogent_tui.storage.paths import Workspace
from tests.e2e.conftest import IN_ONE_LOOP

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]

WORDS = ("ALPHA", "BETA", "GAMMA")


@pytest.fixture
def workspace(shelf):
    """One for all: the CLI files its transcripts by folder."""
    return Workspace(shelf.root)


@pytest.fixture(scope="module")
def talks():
    """The conversations so far: by what was added, their id, their events and the home folder."""
    return {}


@pytest.fixture
def talk(api, open_service, home, tmp_path, talks):
    """Converse about each of `WORDS`, once for all tests of the module, and return the id of the
    session and what happened. The home folder is as the conversation left it.
    """

    async def talked(more=""):
        if more in talks:
            session_id, events, left = talks[more]
            shutil.copytree(left, home, symlinks=True, dirs_exist_ok=True)
            return session_id, list(events)
        for word in WORDS:
            api.say(f"Reply {word}. {more}")
        async with open_service() as agent:
            for word in WORDS:
                await agent.run(f"Prompt {word} 茶")
        left = tmp_path / "left"
        shutil.copytree(home, left, symlinks=True)
        talks[more] = agent.service.session_id, tuple(agent.events), left
        return agent.service.session_id, agent.events

    return talked


@pytest.fixture
def resume(api, open_service):
    """Go on with a session of which the log tells `events`; return what the model gets, and the
    codes of the notices.
    """

    async def resumed(session_id, events, **choice):
        api.say("I see.")
        async with open_service(session=SessionChoice(session_id, resume=True, **choice)) as agent:
            agent.service.restore(events)
            await agent.run("And now?")
            notices = [notice.code for notice in agent.of(Notice)]
            first = api.requests[-1]
            api.say("Yes.")
            await agent.run("And then?")
            assert "<earlier-conversation>" not in api.requests[-1].last_user_text(), (
                "it is told once"
            )
        return first, notices

    return resumed


def transcript(session_id):
    [path] = (claude_config_dir() / "projects").glob(f"*/{session_id}.jsonl")
    return path


@pytest.mark.thorough
async def test_where_nothing_is_missing_nothing_is_said(talk, resume):
    request, notices = await resume(*await talk())
    assert notices == []
    assert "<earlier-conversation>" not in request.last_user_text()


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    "gone",
    [("ALPHA",), ("BETA",), ("GAMMA",), ("BETA", "GAMMA"), ("Reply GAMMA",), ("Reply BETA",)],
)
@pytest.mark.parametrize("how", ["deleted", "garbled"])
@pytest.mark.thorough
async def test_the_model_is_told_what_its_transcript_lacks(talk, resume, gone, how):
    session_id, events = await talk()
    path = transcript(session_id)
    lines = path.read_text().splitlines(keepends=True)
    left = []
    for line in lines:
        if not any(word in line for word in gone):
            left.append(line)
        elif how == "garbled":
            left.append("\0" * 40 + line[40:])
    path.write_text("".join(left))
    request, notices = await resume(session_id, events)
    assert notices == ["memory_gap"]
    text = str(request.messages)
    for word in WORDS:
        assert f"Prompt {word} 茶" in text
        assert f"Reply {word}." in text


@pytest.mark.thorough
async def test_a_transcript_that_was_cut_short_in_mid_line(talk, resume):
    session_id, events = await talk()
    path = transcript(session_id)
    text = path.read_bytes()
    path.write_bytes(text[: text.index(b"Reply BETA")])
    request, notices = await resume(session_id, events)
    assert notices == ["memory_gap"]
    told = request.last_user_text()
    assert "Reply BETA." in told
    assert "Prompt GAMMA 茶" in told
    assert "Reply ALPHA." not in told


@pytest.mark.thorough
async def test_what_is_told_is_bounded(talk, resume):
    session_id, events = await talk("茶" * 50_000)
    path = transcript(session_id)
    path.write_text(
        "".join(
            line
            for line in path.read_text().splitlines(keepends=True)
            if "GAMMA" not in line and "BETA" not in line
        )
    )
    request, _ = await resume(session_id, events)
    told = request.last_user_text()
    assert "Prompt GAMMA 茶" in told
    assert len(told) < MOST_EARLIER + 2_000


@pytest.mark.thorough
async def test_what_the_log_lacks_is_said_to_the_user(talk, resume):
    session_id, events = await talk()
    started = [number for number, event in enumerate(events) if isinstance(event, RunStarted)]
    for left in (events[: started[2] + 1], events[: started[2]], events[: started[0]]):
        _, notices = await resume(session_id, left)
        assert notices == ["gap"]


@pytest.mark.thorough
async def test_what_the_user_went_back_over_is_no_gap(talk, resume, open_service):
    session_id, events = await talk()
    beta = [event.run_id for event in events if isinstance(event, RunStarted)][1]
    async with open_service(session=SessionChoice(session_id, resume=True)) as agent:
        agent.service.restore(events)
        await agent.service.rewind(beta)
        rewound = await agent.heard(Rewound)
    request, notices = await resume(session_id, [*events, rewound], dropped=rewound.dropped)
    assert notices == []
    text = json.dumps(str(request.messages))
    assert "ALPHA" in text
    assert "BETA" not in text


@pytest.mark.thorough
async def test_what_was_stopped_or_failed_or_answered_by_tools_is_no_gap(
    api, open_service, resume, workspace
):
    (workspace.root / "a.md").write_text("one\n", encoding="utf-8")
    api.say_in_pieces("Half of ", "a reply")
    api.cut("A part ")
    api.say("A part again.", thinking="Hm")
    api.call("Read", {"file_path": str(workspace.root / "a.md")}, before="I look.")
    api.call("Bash", {"command": "false"}, before="And run.")
    api.say("Seen.")
    async with open_service() as agent:
        session_id = agent.service.session_id
        await agent.service.submit(Prompt("Stop me"))
        await agent.heard(TextDelta)
        await agent.service.interrupt()
        await agent.heard(RunFinished)
        for text in ("Cut me", "Read it"):
            await agent.run(text)
        api.fail_always(401)
        assert (await agent.run("Refuse me")).status == "failed"
        events = agent.events
    api.otherwise(lambda _request: (ReplyText("Yes."),))
    request, notices = await resume(session_id, events)
    assert notices == []
    assert "<earlier-conversation>" not in request.last_user_text()
