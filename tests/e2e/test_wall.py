"""Commands of the agent behind the wall: the real CLI runs them, and what they did is kept or
dropped.
"""

import signal
import uuid
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from dogent_tui.agent.events import (
    PermissionAnswer,
    PermissionRequested,
    Prompt,
    RunFinished,
    RunStarted,
    TextDelta,
    TextFinished,
    ToolResult,
)
from dogent_tui.offline.messages_api import ReplyText
from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.restoring import undo
from dogent_tui.undo.undo_log import UndoLog
from tests.e2e.conftest import COPIES, IN_ONE_LOOP
from tests.e2e.scripted_api import Pieces
from tests.e2e.terminal import eventually

pytestmark = IN_ONE_LOOP

DELETES = 'node -e \'require("fs").unlinkSync("keep.md")\''


def bash(api, command, **more):
    api.call("Bash", {"command": command, **more})


async def results(agent, *, of=1):
    """Run a prompt and return what the calls answered."""
    before = len(agent.of(ToolResult))
    finished = await agent.run("Go")
    assert finished.status == "completed", finished
    found = agent.of(ToolResult)[before:]
    assert len(found) == of
    return [(result.content, result.is_error) for result in found]


async def test_what_a_command_makes_is_kept_unasked_and_its_output_is_its_own(api, agent):
    bash(api, "echo one; echo two >&2; echo three | tee made.md; exit 3")
    api.say("Done.")
    ((said, failed),) = await results(agent)
    assert "one\ntwo\nthree" in said
    assert "Exit code 3" in said and failed
    assert (agent.root / "made.md").read_text() == "three\n"
    assert not agent.of(PermissionRequested)


async def test_a_change_of_folder_lasts(api, agent):
    bash(api, "mkdir -p deeper/yet && cd deeper/yet")
    bash(api, "pwd; cd ..")
    bash(api, "pwd")
    api.say("Done.")
    said = [text for text, _ in await results(agent, of=3)]
    assert said[1:] == [str(agent.root / "deeper/yet"), str(agent.root / "deeper")]
    bash(api, f"cd {agent.root}")
    api.say("Done.")
    await results(agent)


async def asked(agent):
    before = len(agent.of(PermissionRequested))
    await agent.service.submit(Prompt("Go"))
    return await agent.heard(PermissionRequested, before + 1)


async def ended(agent, question, *answer, **more):
    finished = len(agent.of(RunFinished))
    await agent.service.reply(question.request_id, PermissionAnswer(*answer, **more))
    return await agent.heard(RunFinished, finished + 1)


async def test_a_deletion_that_nobody_could_read_is_asked_about_when_it_happened(api, agent):
    keep = agent.root / "keep.md"
    for answer, more, status, there in (
        ("deny", {"drops": True}, "completed", True),
        ("deny", {"message": "I still need it."}, "completed", True),
        ("deny", {}, "aborted", True),
        ("allow", {}, "completed", False),
    ):
        keep.write_text("precious", encoding="utf-8")
        bash(api, f"{DELETES}; echo {answer}{len(more)}{len(str(more))}")
        api.say("Done.")
        question = await asked(agent)
        assert question.happened
        assert keep.exists(), "nothing happened before the answer"
        assert [(target.path, target.kind, target.size) for target in question.targets] == [
            (str(keep), "delete", 8)
        ]
        finished = await ended(agent, question, answer, **more)
        assert finished.status == status
        assert keep.exists() is there
        api.reset()


async def test_a_place_outside_is_asked_about_and_then_exactly_that_one_is_changed(api, agent):
    place = Path.home() / "Desktop"
    place.mkdir()
    (place / "secret.md").write_text("secret")
    (place / "old.md").write_text("old")
    bash(
        api,
        f"echo made > {place}/new.md; rm {place}/old.md; node -e"
        f' \'console.log(require("fs").readdirSync("{place}"))\'',
    )
    api.say("Done.")
    question = await asked(agent)
    assert not question.happened
    finished = await ended(agent, question, "allow")
    assert finished.status == "completed"
    assert sorted(path.name for path in place.iterdir()) == ["new.md", "secret.md"]
    assert (place / "new.md").read_text() == "made\n"
    assert agent.of(ToolResult)[-1].content == "[ 'new.md' ]"


async def test_a_folder_outside_that_may_be_read_can_be_changed_where_that_was_allowed(
    api, agent, tmp_path
):
    (tmp_path / "one.md").write_text("one")
    bash(
        api,
        f"ls {tmp_path}; echo two > {tmp_path}/two.md; touch $(echo {tmp_path})/three.md; ls"
        f" {tmp_path}",
    )
    api.say("Done.")
    await ended(agent, await asked(agent), "allow")
    assert agent.of(ToolResult)[-1].content.split() == ["one.md", "one.md", "three.md", "two.md"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.md", "two.md"]


async def test_what_the_wall_refused_is_said_in_the_output(api, agent):
    bash(api, 'node -e \'require("net").connect(80, "192.0.2.1")\'')
    api.say("Done.")
    ((said, failed),) = await results(agent)
    assert failed
    assert "ENETUNREACH" in said
    assert "dogent-tui: the wall" in said


async def test_what_was_kept_can_be_undone(api, agent):
    keep, other = agent.root / "keep.md", agent.root / "other.md"
    keep.write_text("precious")
    other.write_text("before")
    bash(api, f"{DELETES}; echo after > other.md; mkdir -p new; echo x > new/file.md")
    api.say("Done.")
    await ended(agent, await asked(agent), "allow")
    assert not keep.exists()
    undone = undo(UndoLog.of(Workspace(agent.root), COPIES))
    assert set(undone.restored) == {str(keep), str(other)}
    assert (keep.read_text(), other.read_text()) == ("precious", "before")
    assert not (agent.root / "new").exists()


async def ended_in_the_background(api, agent, name):
    """Have a command in the background delete `name`, which was asked about and answered after the
    run; the CLI tells the model by itself that it has ended.
    """
    (agent.root / name).write_text("precious")
    go, asked = f"/tmp/{uuid.uuid4().hex}", len(agent.of(PermissionRequested))
    deletes = DELETES.replace("keep.md", name)
    bash(api, f"until [ -e {go} ]; do sleep 0.02; done; {deletes}", run_in_background=True)
    api.say("It runs.")
    assert (await agent.run("Go")).status == "completed"
    assert len(agent.of(PermissionRequested)) == asked
    bash(api, f"touch {go}")
    api.say("Now it ends.")
    assert (await agent.run("Go on")).status == "completed"
    reply = api.say_in_pieces("It is ", "over.")
    question = await agent.heard(PermissionRequested, asked + 1)
    assert question.happened
    await agent.service.reply(question.request_id, PermissionAnswer("allow"))
    await agent.until(lambda: agent.of(TextDelta)[-1].text == "It is ")
    return reply


async def test_a_command_in_the_background_is_judged_when_it_ends(api, agent):
    reply = await ended_in_the_background(api, agent, "keep.md")
    assert not (agent.root / "keep.md").exists()
    reply.release_all()
    await agent.until(lambda: agent.of(TextFinished)[-1].text == "It is over.")


async def test_a_prompt_sent_while_the_model_hears_of_the_background_gets_its_own_answer(
    api, agent
):
    reply = await ended_in_the_background(api, agent, "first.md")
    api.say("Four.")
    await agent.service.submit(Prompt("What is two and two?"))
    await agent.heard(RunStarted, 3)
    reply.release_all()
    assert (await agent.heard(RunFinished, 3)).result == "Four."
    assert [text.text for text in agent.of(TextFinished)][-2:] == ["It is over.", "Four."]


async def test_such_a_prompt_that_is_stopped_is_not_carried_out_later(api, agent):
    await ended_in_the_background(api, agent, "second.md")
    does_it, here = Pieces(("I do it",), ends=False), (ReplyText("Here."),)
    api.otherwise(
        lambda request: here if "there?" in request.last_user_text() else does_it.events(request)
    )
    await agent.service.submit(Prompt("Do it"))
    await agent.heard(RunStarted, 3)
    await agent.service.interrupt()
    assert (await agent.heard(RunFinished, 3)).status == "interrupted"
    assert (await agent.run("Are you there?")).result == "Here."


async def test_a_time_limit_of_the_model_holds_and_what_was_done_until_then_is_kept(api, agent):
    bash(api, "echo a > timed.md; sleep 60", timeout=3000)  # a busy machine needs one to begin
    api.say("Done.")
    ((said, failed),) = await results(agent)
    assert failed
    assert "exceeded its time limit" in said
    assert (agent.root / "timed.md").exists()


async def test_commands_survive_the_end_of_what_runs_them(api, agent):
    """Whoever kills the resident process ends the command that runs, and the next one runs all
    the same.
    """
    bash(api, "touch started; touch lost.md; sleep 60")
    bash(api, "echo next > next.md")
    api.say("Done.")
    finished = len(agent.of(RunFinished))
    await agent.service.submit(Prompt("Go"))
    await eventually(_at_work, "the command under way")
    _at_work().kill()
    assert (await agent.heard(RunFinished, finished + 1)).status == "completed"
    assert not (agent.root / "lost.md").exists()
    assert (agent.root / "next.md").exists()


def _at_work():
    """Return the resident process behind whose wall a command is asleep, None if there is none."""
    for child in psutil.Process().children():
        with suppress(psutil.Error):
            if "starter.py" in " ".join(child.cmdline()) and any(
                each.name() == "sleep" for each in child.children(recursive=True)
            ):
                return child
    return None


async def test_an_interrupt_ends_the_command_and_nothing_of_it_is_kept(api, agent):
    bash(api, "touch half.md; sleep 60")
    finished = len(agent.of(RunFinished))
    await agent.service.submit(Prompt("Go"))
    await eventually(_at_work, "the command under way")
    await agent.service.interrupt()
    assert (await agent.heard(RunFinished, finished + 1)).status == "interrupted"
    await eventually(lambda: _at_work() is None, "the end of the command")
    assert not (agent.root / "half.md").exists()


@pytest.mark.thorough
@pytest.mark.slow
async def test_what_was_not_answered_when_the_application_was_killed_is_offered_once(
    dogent, workspace
):
    keep = workspace.root / "keep.md"
    keep.write_text("precious")
    bash(dogent.api, DELETES)
    async with dogent.open() as terminal:
        terminal.type("tidy up\r")
        await terminal.wait_for("keep.md", "Keep", "Discard")
        terminal.signal(signal.SIGKILL)
        await terminal.exited()
    assert keep.exists()
    for answered in (False, True):
        if answered:
            keep.write_text("precious")
            bash(dogent.api, DELETES)
        async with dogent.open(ready=False) as terminal:
            if not answered:
                await terminal.wait_for("keep.md", "Keep", "Discard")
                await terminal.press_until("y", lambda: not keep.exists(), "the deletion")
            await terminal.wait_for("ready")
            assert "Discard" not in terminal.text()
