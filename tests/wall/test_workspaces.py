"""Workspaces of all kinds, with the whole way of a command: in memory, read-only, with odd
names, around the home.
"""

import asyncio
import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import IO

import pytest

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.commands import Commands
from dogent_tui.agent.conversation import Verdict
from dogent_tui.permissions.model import Decision, ToolCall
from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.restoring import undo
from dogent_tui.undo.undo_log import UndoLog


class Agent:
    """Runs commands in a workspace; every question is answered with `answer`, and noted."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.answer = Verdict(allow=False)
        self.asked: list[str] = []
        self.copies = UndoLog.of(Workspace(root), "session")

    async def __aenter__(self) -> "Agent":
        self._commands = Commands(
            Authority(Workspace(self.root)),
            self._ask,
            self.root,
            self.copies,
            lambda _event: None,
            self._stop,
        )
        await self._commands.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._commands.close()

    async def _ask(self, question):
        self.asked.append(question.sentence)
        return self.answer

    async def _stop(self) -> None:
        pass

    async def run(self, command: str, output: IO[bytes] | int = subprocess.PIPE) -> tuple[int, str]:
        call = ToolCall("Bash", {"command": command}, self.root)
        text = (await asyncio.to_thread(self._commands.wrapped, call, Decision("allow"), "t"))[
            "command"
        ]
        done = await asyncio.to_thread(
            subprocess.run,
            ["/bin/bash", "-c", text],
            cwd=self.root,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout or ""


@pytest.fixture
def in_memory():
    folder = Path(tempfile.mkdtemp(dir="/dev/shm")).resolve()
    yield folder
    shutil.rmtree(folder)


async def _lives(root: Path) -> None:
    """Edit, make, delete: refused, then kept, then undone."""
    (root / "old.md").write_text("old")
    (root / "gone.md").write_text("gone")
    command = "echo new > old.md; echo made > made.md; unlink gone.md; echo done"
    async with Agent(root) as agent:
        status, said = await agent.run(command)
        assert (status, "done" in said, len(agent.asked)) == (1, True, 1)
        assert (root / "old.md").read_text() == "old"
        assert (root / "gone.md").exists()
        assert not (root / "made.md").exists()
        agent.answer = Verdict(allow=True)
        assert (await agent.run(command))[0] == 0
        assert (root / "old.md").read_text() == "new\n"
        assert (root / "made.md").read_text() == "made\n"
        assert not (root / "gone.md").exists()
        undo(agent.copies)
        assert (root / "gone.md").read_text() == "gone"


async def test_the_same_file_system_as_the_state(tmp_path):
    root = tmp_path / "workspace"
    root.mkdir()
    await _lives(root)


async def test_another_file_system_than_the_state(in_memory):
    await _lives(in_memory)


async def test_names_of_every_kind(tmp_path):
    root = tmp_path / "a,b:c \\ \"d\" 'e' 中文 é"
    root.mkdir()
    await _lives(root)


async def test_a_workspace_that_is_the_home_shows_no_secret(tmp_path, monkeypatch):
    home = (tmp_path / "writer").resolve()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("DOGENT_HOME", str(home / ".dogent"))
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/id_ed25519").write_text("CANARY")
    (home / ".dogent").mkdir(exist_ok=True)
    (home / ".dogent/claude.json").write_text("CANARY")
    (home / ".pgpass").write_text("CANARY")
    async with Agent(home) as agent:
        _, said = await agent.run("cat .ssh/* .dogent/* .pgpass; echo text > note.md; ls")
        assert "CANARY" not in said
        assert (home / "note.md").read_text() == "text\n"


async def test_the_key_beside_the_tools_of_ruby_is_not_seen(tmp_path, monkeypatch):
    home, root = tmp_path / "writer", tmp_path / "workspace"
    monkeypatch.setenv("HOME", str(home))
    for place in (home / ".gem/ruby/3.1.0", root):
        place.mkdir(parents=True)
    (home / ".gem/credentials").write_text("CANARY")
    async with Agent(root) as agent:
        _, said = await agent.run("ls ~/.gem; cat ~/.gem/credentials")
        assert said.startswith("ruby\n")
        assert "CANARY" not in said


async def test_a_note_has_a_line_of_its_own_and_says_nothing_of_caches(tmp_path):
    root, output = tmp_path / "workspace", tmp_path / "output"
    root.mkdir()
    async with Agent(root) as agent:
        with output.open("wb") as file:
            command = "touch ~/lost; mkdir ~/.npm /tmp/{hsperfdata_u,pytest-of-u}; printf half"
            await agent.run(command, file)
    half, note = output.read_text().splitlines()
    assert half == "half"
    assert "/lost (" in note
    assert "," not in note


async def test_a_command_may_end_its_own_process_group(tmp_path):
    async with Agent(tmp_path) as agent:
        command = "trap 'echo ended; exit 3' TERM; sleep 60 & kill -- -$$; wait"
        assert await agent.run(command) == (3, "ended\n")


async def test_a_repository_above_the_folder_is_named_where_git_does_not_see_it(tmp_path):
    root, output = tmp_path / "workspace", tmp_path / "output"
    root.mkdir()
    said = []
    async with Agent(root) as agent:
        for _ in range(2):
            with output.open("wb") as file:
                assert (await agent.run("LC_ALL=C git status", file))[0] == 128
            said.append(output.read_text())
            subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert said[0] == "fatal: not a git repository (or any of the parent directories): .git\n"
    assert f"the wall hides {tmp_path} from commands" in said[1].removeprefix(said[0])


_REPORT = (
    "n=$(tr '\\0' ' ' </proc/$$/cmdline | grep -oE '/[^ ]*run[^ ]*/[0-9a-f]{32}' | tail -1);"
    " %s $n; exit 3"
)
"""Puts something where the shell inside reports its folder, whose name is among its own words."""


@pytest.mark.parametrize("puts", ["mkfifo", "mkdir", "ln -s /etc/hostname"])
async def test_what_a_command_puts_where_its_folder_is_reported_stops_no_other(tmp_path, puts):
    async with Agent(tmp_path) as agent:
        assert await asyncio.wait_for(agent.run(_REPORT % puts), 60) == (3, "")
        assert await asyncio.wait_for(agent.run("echo still here"), 60) == (0, "still here\n")


async def test_a_home_and_temporary_folders_that_were_closed_stop_no_other(tmp_path):
    async with Agent(tmp_path) as agent:
        await agent.run("chmod 000 /tmp /var/tmp ~")
        assert await asyncio.wait_for(agent.run("echo still here > a.md"), 60) == (0, "")
        assert (tmp_path / "a.md").read_text() == "still here\n"


async def test_a_full_disk_does_not_take_the_wall_down(tmp_path):
    async with Agent(tmp_path) as agent:
        assert await agent.run("echo before") == (0, "before\n")
        starter = agent._commands._wall._starter.pid
        resource.prlimit(starter, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        for _ in range(2):  # what is started later has the limit too, so only what it says counts
            assert (await agent.run("echo still here"))[1] == "still here\n"


async def test_the_first_process_inside_is_not_interrupted(tmp_path):
    async with Agent(tmp_path) as agent:
        assert await agent.run("kill -INT 1; echo still here") == (0, "still here\n")


async def test_a_workspace_that_cannot_be_written(tmp_path):
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "old.md").write_text("old")
    is_root = os.geteuid() == 0
    if is_root:
        subprocess.run(["mount", "--bind", root, root], check=True)
        subprocess.run(["mount", "-o", "remount,ro,bind", root], check=True)
    else:
        root.chmod(0o555)
    try:
        async with Agent(root) as agent:
            assert await agent.run("cat old.md") == (0, "old")
            _, said = await agent.run("echo new > old.md; echo made > made.md")
            assert "made.md" in said, "what could not be kept is named"
        assert (root / "old.md").read_text() == "old"
        assert not (root / "made.md").exists()
    finally:
        if is_root:
            subprocess.run(["umount", root], check=True)
        root.chmod(0o755)
