"""Which wall surrounds commands: found out by trying, said in words, and obeyed by the policy."""

import json

import pytest

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.commands import Commands
from dogent_tui.agent.wall_status import find_wall_status, wall_notices, wall_status_words
from dogent_tui.permissions.model import ToolCall
from dogent_tui.sources.ledger import Ledger
from dogent_tui.storage.paths import Workspace, state_dir
from dogent_tui.undo.undo_log import UndoLog
from dogent_tui.wall.probe import WallStatus
from tests.agent.gates import made_reviewing


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "w"
    root.mkdir()
    (root / "a.md").touch()
    return Workspace(root)


def test_the_words_say_what_holds_and_why_it_is_not_more():
    assert "on a copy of this folder" in wall_status_words(WallStatus("full"))
    partial = wall_status_words(WallStatus("partial", "No layer fits.", "Move it."))
    assert "not held back" in partial
    assert partial.endswith(" No layer fits. Move it.")
    assert "nothing but read" in wall_status_words(WallStatus("none", "No Landlock."))


def test_a_session_begins_with_one_notice_where_the_wall_is_not_full():
    assert wall_notices(WallStatus("full")) == ()
    for level in ("partial", "none"):
        (notice,) = wall_notices(WallStatus(level, "No layer fits.", "Move it."))
        assert (notice.level, notice.code, notice.remedy) == (
            "warning",
            f"wall_{level}",
            "Move it.",
        )
        assert f"{notice.message} {notice.remedy}" == wall_status_words(
            WallStatus(level, "No layer fits.", "Move it.")
        )


@pytest.mark.parametrize(
    ("level", "asked"),
    [
        ("full", ["rm a.md"]),
        ("partial", ["rm a.md", "echo x > .mcp.json"]),
        ("none", ["rm a.md", "echo x > .mcp.json", "make", "python3 a.py"]),
    ],
)
def test_the_less_holds_a_command_the_more_is_asked_before(workspace, level, asked):
    authority = Authority(workspace)
    authority.wall_status = WallStatus(level)
    commands = ("ls", "cat a.md", "rm a.md", "echo x > .mcp.json", "make", "python3 a.py")
    assert [
        each
        for each in commands
        if authority.decide(ToolCall("Bash", {"command": each})).verdict == "ask"
    ] == asked


def test_nothing_in_a_workspace_changes_which_wall_there_is(workspace):
    before = find_wall_status(workspace)
    settings = {
        "sandbox": False,
        "wall": "none",
        "permissions": {"defaultMode": "bypassPermissions"},
    }
    for name in (".dogent/dogent.json", ".claude/settings.json"):
        file = workspace.root / name
        file.parent.mkdir()
        file.write_text(json.dumps(settings))
    assert find_wall_status(workspace) == Authority(workspace).wall_status == before


def test_trying_leaves_nothing_behind(workspace):
    find_wall_status(workspace)
    assert sorted(path.name for path in workspace.root.iterdir()) == ["a.md"]
    assert not state_dir().exists()


async def test_which_wall_there_is_is_told_once_however_often_the_agent_starts(
    workspace, monkeypatch
):
    monkeypatch.chdir(workspace.root)
    authority, told = Authority(workspace), []
    authority.wall_status = WallStatus("none", "No Landlock.")

    async def nothing(*_):
        raise AssertionError("nobody is asked, and nothing is stopped")

    for _ in range(2):  # a rewind starts the agent again
        copies = UndoLog.of(workspace, "s")
        commands = Commands(
            authority,
            nothing,
            workspace.root,
            copies,
            told.append,
            nothing,
            state_dir() / "snapshots",
            made_reviewing(workspace, nothing, Ledger("s")),
        )
        await commands.start()
        await commands.close()
    assert [notice.code for notice in told] == ["wall_none"]
    assert sorted(path.name for path in workspace.root.iterdir()) == ["a.md"]
