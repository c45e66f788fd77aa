"""The permission gate in force: what the real CLI runs, what it does not, and what the user is
told.
"""

import asyncio
import json
import stat

import pytest

from dogent_tui.agent.cli_transcripts import claude_config_dir
from dogent_tui.agent.events import (
    Aborted,
    CopiesKept,
    PermissionAnswer,
    PermissionDecided,
    PermissionRequested,
    Prompt,
    RunFinished,
    ToolResult,
)
from dogent_tui.agent.recorder import Recorder
from dogent_tui.storage.history import History
from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.restoring import undo
from dogent_tui.undo.undo_log import UndoLog
from tests.e2e.conftest import COPIES, IN_ONE_LOOP

pytestmark = IN_ONE_LOOP


def removing(name, **more):
    return {"command": f"rm {name}", **more}


async def ask(agent, text="Go"):
    """Send a prompt and return the question that it leads to."""
    asked = len(agent.of(PermissionRequested))
    await agent.service.submit(Prompt(text))
    return await agent.heard(PermissionRequested, asked + 1)


async def answer(agent, question, *words, **more):
    await agent.service.reply(question.request_id, PermissionAnswer(*words, **more))


async def end(agent):
    return await agent.heard(RunFinished, len(agent.of(RunFinished)) + 1)


async def test_a_delete_is_asked_about_in_words_and_denied_with_the_run(
    api, workspace, open_service
):
    victim = workspace.root / "keep.md"
    victim.write_text("precious", encoding="utf-8")
    api.call("Bash", removing("keep.md", description="Remove the old notes"))
    api.say("I remember that you said no.")
    async with open_service() as agent:
        recording = asyncio.create_task(
            Recorder(workspace, agent.service.session_id).record(agent.service.events())
        )
        question = await ask(agent, "Clean up")
        assert (question.sentence, question.words) == ("Delete keep.md", "Remove the old notes")
        assert [(target.path, target.kind, target.size) for target in question.targets] == [
            (str(victim), "delete", 8)
        ]
        assert question.spans == ((3, 10),)
        await answer(agent, question, "deny")
        finished = await end(agent)
        assert (finished.status, agent.of(Aborted)[0].reason) == ("aborted", finished.reason)
        assert "rm keep.md" in finished.reason
        assert victim.read_text(encoding="utf-8") == "precious"
        assert (await agent.run("And now?")).status == "completed"
    await recording
    assert "Clean up" in str(api.requests[1].messages)
    denied = History(workspace.history_file).entries()[1]
    assert (denied.status, denied.reason) == ("aborted", finished.reason)


async def test_a_denial_with_words_goes_back_to_the_model_and_is_not_repeated(api, agent):
    victim = agent.root / "keep.md"
    victim.touch()
    for _ in range(2):
        api.call("Bash", removing("keep.md"))
    api.say("Then I leave it.")
    await answer(agent, await ask(agent), "deny", message="I still need it.")
    assert (await end(agent)).status == "completed"
    assert len(agent.of(PermissionRequested)) == 1
    assert all(
        result.is_error and "I still need it." in result.content for result in agent.of(ToolResult)
    )
    assert len(agent.of(ToolResult)) == 2
    assert victim.exists()


@pytest.mark.thorough
async def test_an_answer_is_remembered_for_the_session_or_for_good_until_it_is_revoked(
    api, workspace, open_service
):
    one, two = workspace.root / "one.md", workspace.root / "two.md"

    async def remove(agent, path, *, denied=False):
        path.write_text("x", encoding="utf-8")
        api.call("Bash", removing(path.name))
        if not denied:
            api.say("Done.")
        asked = len(agent.of(PermissionRequested))
        await agent.service.submit(Prompt("Go"))
        ended = len(agent.of(RunFinished)) + 1
        await agent.until(
            lambda: (
                len(agent.of(PermissionRequested)) > asked or len(agent.of(RunFinished)) >= ended
            )
        )
        return agent.of(PermissionRequested)[asked:]

    async with open_service() as agent:
        for path, scope in ((one, "session"), (two, "always")):
            (question,) = await remove(agent, path)
            await answer(agent, question, "allow", scope)
            await end(agent)
            assert not path.exists()
        assert await remove(agent, one) == []
        assert not one.exists()
    assert stat.S_IMODE(agent.authority.store.path.stat().st_mode) == 0o600

    async with open_service() as agent:  # another start: what holds for good holds still
        assert await remove(agent, two) == []
        assert not two.exists()
        (held,) = agent.authority.grants()
        agent.authority.revoke(held)
        (question,) = await remove(agent, two, denied=True)
        assert question.scopes == ("once", "session", "always")
        await answer(agent, question, "deny")
        await end(agent)
        (question,) = await remove(agent, one, denied=True)
        await answer(agent, question, "deny")
        await end(agent)
    assert one.exists()
    assert two.exists()


async def test_what_is_deleted_or_overwritten_can_be_undone(api, agent):
    notes, draft = agent.root / "notes.md", agent.root / "draft.md"
    notes.write_text("all my notes", encoding="utf-8")
    draft.write_text("first", encoding="utf-8")
    api.call("Read", {"file_path": str(draft)})
    api.call("Write", {"file_path": str(draft), "content": "second"})
    api.call("Bash", removing("notes.md"))
    api.say("Done.")
    await answer(agent, await ask(agent), "allow")
    await end(agent)
    assert (notes.exists(), draft.read_text(encoding="utf-8")) == (False, "second")
    assert [kept.paths for kept in agent.of(CopiesKept)] == [(str(draft),), (str(notes),)]
    copies = UndoLog.of(Workspace(agent.root), COPIES)
    assert undo(copies).restored == (str(notes),)
    assert undo(copies).restored == (str(draft),)
    assert notes.read_text(encoding="utf-8") == "all my notes"
    assert draft.read_text(encoding="utf-8") == "first"


@pytest.mark.thorough
async def test_settings_that_allow_everything_do_not_pass_the_gate(
    api, workspace, home, open_service
):
    victim = workspace.root / "keep.md"
    victim.touch()
    everything = json.dumps(
        {"permissions": {"allow": ["Bash", "Bash(rm:*)"], "defaultMode": "acceptEdits"}}
    )
    for folder in (claude_config_dir(), home / ".claude", workspace.root / ".claude"):
        folder.mkdir(parents=True)
        (folder / "settings.json").write_text(everything, encoding="utf-8")
    api.call("Bash", removing("keep.md"))
    async with open_service() as agent:
        await answer(agent, await ask(agent), "deny")
        assert (await end(agent)).status == "aborted"
    assert victim.exists()


async def test_a_hook_that_raises_blocks(api, agent, monkeypatch):
    victim = agent.root / "keep.md"
    victim.touch()
    api.call("Bash", removing("keep.md"))
    api.call("Read", {"file_path": str(victim)})
    api.say("Nothing works.")

    def broken(call):
        raise RuntimeError("boom")

    monkeypatch.setattr(agent.authority, "decide", broken)
    assert (await agent.run("Go")).status == "completed"
    assert agent.of(PermissionRequested) == []
    assert all(result.is_error for result in agent.of(ToolResult))
    assert victim.exists()


async def test_a_link_that_is_swapped_while_the_user_reads_asks_again(api, agent):
    secret, harmless = agent.root.parent / "secret.txt", agent.root.parent / "harmless.txt"
    secret.write_text("do not read me", encoding="utf-8")
    harmless.write_text("read me", encoding="utf-8")
    link = agent.root / "link.txt"
    link.symlink_to(harmless)
    api.call("Read", {"file_path": str(link)})
    question = await ask(agent)
    assert [(target.path, target.note) for target in question.targets] == [
        (str(harmless), f"{link} points here")
    ]
    link.unlink()
    link.symlink_to(secret)
    await answer(agent, question, "allow")
    second = await agent.heard(PermissionRequested, 2)
    assert [target.path for target in second.targets] == [str(secret)]
    await answer(agent, second, "deny")
    await end(agent)
    assert [decided.decision for decided in agent.of(PermissionDecided)] == ["allow", "deny"]
    assert "do not read me" not in str([request.messages for request in api.requests])


@pytest.mark.thorough
async def test_the_shells_own_folder_counts_and_the_store_is_out_of_reach(
    api, workspace, home, open_service
):
    (workspace.root / "sub").mkdir()
    (workspace.root / "sub" / "notes.md").touch()
    store = home / ".dogent" / "permissions.json"
    api.call("Bash", {"command": "cd sub"})
    api.call("Bash", {"command": f"echo '{{}}' > {store}"})
    api.call("Bash", removing("notes.md"))
    async with open_service() as agent:
        question = await ask(agent)
        assert question.sentence == "Delete sub/notes.md"
        await answer(agent, question, "deny")
        assert (await end(agent)).status == "aborted"
        refused = agent.of(ToolResult)[1]
    assert refused.is_error
    assert "your saved permissions" in refused.content
    assert not store.exists()
