"""Going back to an earlier prompt, with the real CLI: the agent's memory ends before it, and the
files are what they were.
"""

import asyncio

import pytest

from dogent_tui.agent.conversation import SessionChoice
from dogent_tui.agent.events import (
    Notice,
    PermissionAnswer,
    PermissionRequested,
    Rewound,
    RunStarted,
    SessionStarted,
)
from dogent_tui.agent.session import session_copies
from dogent_tui.agent.turn_index import turn_index_of
from dogent_tui.undo.restoring import carry_out, plan
from tests.e2e.conftest import COPIES, IN_ONE_LOOP

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]

WINDOWS = b"one\r\ntwo\rthree \xc3\xa9\r\n"


def everything(root):
    return {
        str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mode)
        for path in root.rglob("*")
        if path.is_file() and ".dogent" not in path.parts
    }


async def allow_all(service):
    async for event in service.events():
        if isinstance(event, PermissionRequested):
            await service.reply(event.request_id, PermissionAnswer("allow"))


async def test_files_come_back_byte_for_byte_and_the_agent_forgets_also_after_a_restart(
    api, open_service, workspace
):
    root = workspace.root
    (root / "a.md").write_bytes(WINDOWS)
    (root / "a.md").chmod(0o640)
    (root / "old").mkdir()
    (root / "old" / "gone.md").write_text("to be deleted")
    before = everything(root)
    api.say("Reply ALPHA.")
    api.call("Read", {"file_path": str(root / "a.md")})
    api.call("Write", {"file_path": str(root / "new" / "b.md"), "content": "made\n"})
    api.call("Edit", {"file_path": str(root / "a.md"), "old_string": "two", "new_string": "zwei"})
    api.say("Reply BETA.")
    api.call(
        "Bash",
        {"command": "rm -r old && echo shell > shell.md && chmod 600 a.md", "description": "Tidy"},
    )
    api.call("Write", {"file_path": str(root / "new" / "b.md"), "content": "made twice\n"})
    api.say("Reply GAMMA.")
    api.say("Reply DELTA.")
    api.say("Reply EPSILON.")
    async with open_service() as agent:
        session_id = agent.service.session_id
        await agent.run("Prompt ALPHA")
        await agent.run("Prompt BETA")
        allowing = asyncio.create_task(allow_all(agent.service))
        await agent.run("Prompt GAMMA")
        allowing.cancel()
        assert everything(root).keys() == {"a.md", "new/b.md", "shell.md"}
        _, beta, gamma = (started.run_id for started in agent.of(RunStarted))

        copies = session_copies(workspace, COPIES)()
        await asyncio.to_thread(
            carry_out, copies, plan(copies, agent.service._turns.runs_from(gamma)), "Rewind"
        )
        between = everything(root)
        assert between.keys() == {"a.md", "new/b.md", "old/gone.md"}
        assert between["new/b.md"][0] == b"made\n"
        planned = plan(copies, agent.service._turns.runs_from(beta))
        assert {place.why for place in planned} == {""}
        await asyncio.to_thread(carry_out, copies, planned, "Rewind")
        assert everything(root) == before
        assert not (root / "new").exists()

        await agent.service.rewind(beta)
        await agent.heard(SessionStarted, 2)
        assert agent.of(Rewound)[0].to == beta
    # what was not said yet is no branch of the transcript: a later start has to go back again
    dropped = agent.of(Rewound)[0].dropped
    events = agent.events
    async with open_service(
        session=SessionChoice(session_id, resume=True, dropped=dropped)
    ) as agent:
        agent.service.restore(events)
        await agent.run("Prompt DELTA")
        request = str(api.requests[-1].messages)
        assert "Prompt ALPHA" in request
        assert "Reply ALPHA." in request
        assert not any(word in request for word in ("BETA", "GAMMA", "zwei", "b.md"))
        assert agent.of(Notice) == []
        await agent.service.rewind(turn_index_of(events)._begun[0].run_id)
        await agent.run("Prompt EPSILON")
        request = str(api.requests[-1].messages)
        assert not any(word in request for word in ("ALPHA", "BETA", "DELTA"))
        assert agent.of(Notice) == []
        # nothing came before: another session of the CLI
        assert agent.service.session_id != session_id
