"""Skills, through the real CLI: offered to the model, read unasked, read-only for commands, of
trusted places alone.
"""

from pathlib import Path

import pytest

from dogent_tui.agent.events import PermissionAnswer, PermissionRequested, RunFinished, ToolResult
from dogent_tui.settings.trust import make_own_folder
from tests.e2e.conftest import IN_ONE_LOOP

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]

SKILL = (
    "---\nname: minutes\ndescription: >\n  How minutes are\n  written here.\n---\n\nBegin with the"
    " date.\n"
)


def make(place: Path, text: str = SKILL) -> Path:
    folder = place / "minutes"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    (folder / "names.sh").write_text(
        'echo Anna and Ben; touch "$(dirname "$0")/new"\n', encoding="utf-8"
    )
    return folder


@pytest.mark.thorough
async def test_a_skill_is_offered_read_unasked_and_cannot_be_changed(api, open_service, home):
    folder = make(home / ".claude" / "skills")
    async with open_service() as agent:
        api.call("Read", {"file_path": str(folder / "SKILL.md")})
        api.call("Bash", {"command": f"sh {folder}/names.sh"})
        api.say("Done.")
        finished = await agent.run("Write the minutes")
        assert finished.status == "completed"
        assert f"- minutes: How minutes are written here. ({folder}/SKILL.md)" in str(
            api.requests[0].system
        )
        read, ran = [result.content for result in agent.of(ToolResult)]
        assert "Begin with the date." in read
        assert "Anna and Ben" in ran
        assert agent.of(PermissionRequested) == []
        assert not (folder / "new").exists()

        api.call("Write", {"file_path": str(folder / "SKILL.md"), "content": "x"})
        from dogent_tui.agent.events import Prompt

        await agent.service.submit(Prompt("Change it"))
        asked = await agent.heard(PermissionRequested)
        await agent.service.reply(asked.request_id, PermissionAnswer("deny"))
        await agent.heard(RunFinished, 2)
        assert (folder / "SKILL.md").read_text(encoding="utf-8") == SKILL


@pytest.mark.thorough
async def test_a_skill_that_came_with_the_folder_counts_once_it_is_trusted(
    api, open_service, workspace
):
    make_own_folder(workspace)
    make(workspace.root / ".claude" / "skills")
    async with open_service() as agent:
        assert agent.trust.must_ask
        api.say("Done.")
        await agent.run("Hello")
        assert "How minutes are" not in str(api.requests[-1].system)
    agent.trust.answer(trust=True)
    async with open_service() as agent:
        api.say("Done.")
        await agent.run("Hello")
        assert "How minutes are" in str(api.requests[-1].system)
