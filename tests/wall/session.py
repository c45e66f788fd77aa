"""A session as the application drives it, without the application and without the CLI: Bash calls
behind the wall.

Every call runs, also one about which the user would have been asked before: with nothing widened,
the wall has to hold by itself.
"""

import asyncio
import contextlib
import dataclasses
import os
import subprocess
import tempfile
import threading
import uuid
from collections.abc import Coroutine
from pathlib import Path
from typing import IO, Any

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.commands import _CACHES, Commands
from dogent_tui.agent.conversation import Verdict
from dogent_tui.agent.events import PermissionRequested
from dogent_tui.permissions.model import Decision, ToolCall
from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.undo_log import UndoLog
from tests.wall.world import CANARY, World

_SLACK_S = 25.0
"""How much longer than its limit a call may take before it hangs."""
_LARGEST = 100_000_000
_ENVIRONMENT = {
    "ANTHROPIC_AUTH_TOKEN": CANARY,
    "ANTHROPIC_BASE_URL": CANARY,
    "CLAUDE_CODE_MESSAGING_SOCKET": CANARY,
}
"""What the CLI gives to every command: nothing of it may arrive behind the wall."""


@dataclasses.dataclass(frozen=True)
class Ran:
    """What came of a Bash call: as the model sees it, and the questions that the user was asked
    when it had ended.
    """

    status: int
    output: str
    asked: tuple[str, ...] = ()


@dataclasses.dataclass
class Running:
    """A Bash call under way."""

    process: subprocess.Popen[bytes]
    output: IO[bytes]
    place: Path
    name: str


class Session:
    """The Bash calls of one conversation. `keeps` answers every question: keep, or drop."""

    def __init__(self, world: World, *, keeps: bool = False, limit_s: float = 10.0) -> None:
        self.world = world
        self._keeps = keeps
        self._limit_s = limit_s
        self._cwd = world.workspace
        self._asked: dict[str, list[str]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._place = world.state / "cli"
        self._place.mkdir(parents=True, exist_ok=True)
        self._commands = self._await(self._opened())

    def _await(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(_SLACK_S)

    async def _opened(self) -> Commands:
        workspace = Workspace(self.world.workspace)
        copies = UndoLog.of(workspace, "attacked")
        self._authority = Authority(workspace)
        commands = Commands(
            self._authority, self._ask, workspace.root, copies, _nothing, self._interrupted
        )
        await commands.start()
        return commands

    async def _ask(self, question: PermissionRequested) -> Verdict:
        self._asked.setdefault(question.tool_use_id, []).append(_words(question))
        return Verdict(allow=self._keeps)

    async def _interrupted(self) -> None:
        pass

    def start(self, command: str, *, background: bool = False) -> Running:
        """Start a Bash call as the CLI does: the client's line in a shell, its output a file,
        keys in its environment.
        """
        name = uuid.uuid4().hex
        values = {
            "command": command,
            "timeout": int(self._limit_s * 1000),
            "run_in_background": background,
        }
        call = ToolCall("Bash", values, self._cwd)
        line = self._commands.wrapped(call, Decision("allow"), name)["command"]
        output = self._output()
        place = self._place / f"{name}.cwd"
        process = subprocess.Popen(
            [
                "/bin/bash",
                "-c",
                f"eval {_quoted(line)} </dev/null && pwd -P >| {_quoted(str(place))}",
            ],
            cwd=self._cwd,
            env={**os.environ, "HOME": str(self.world.home), **_ENVIRONMENT},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        return Running(process, output, place, name)

    def _output(self) -> IO[bytes]:
        """Return a file that is appended to, as the CLI's is."""
        descriptor, name = tempfile.mkstemp(dir=self._place)
        os.close(descriptor)
        try:
            return open(name, "a+b")  # noqa: PTH123
        finally:
            Path(name).unlink()

    def asks_early(self, command: str) -> bool:
        """Return whether the user would be asked before the command runs."""
        return (
            self._authority.decide(ToolCall("Bash", {"command": command}, self._cwd)).verdict
            != "allow"
        )

    def wait(self, running: Running) -> Ran:
        """Wait for the end of a call. One that hangs beyond every limit is a finding, and is
        killed.
        """
        asked = self._asked.setdefault(running.name, [])
        try:
            status = running.process.wait(self._limit_s + _SLACK_S)
        except subprocess.TimeoutExpired:
            running.process.kill()
            status = running.process.wait()
            asked.append(HANGS)
        running.output.seek(0)
        text = running.output.read(_LARGEST).decode(errors="replace")
        running.output.close()
        self._stand(running.place)
        return Ran(status, text, tuple(asked))

    def _stand(self, place: Path) -> None:
        """Stand where the shell stood, as the CLI does: a place outside of the workspace is not
        kept.
        """
        with contextlib.suppress(OSError):
            cwd = Path(place.read_text(errors="surrogateescape").removesuffix("\n"))
            self._cwd = cwd if cwd.is_relative_to(self.world.workspace) else self._cwd
            place.unlink()
        if not self._cwd.is_dir():
            self._cwd = self.world.workspace

    def bash(self, command: str) -> Ran:
        """Run a call to its end."""
        return self.wait(self.start(command))

    def left_outside(self) -> list[str]:
        """Return what the calls left in the private home and among the temporary files, but what
        programs keep there anyway.
        """
        return [*self._commands._wall.left_since(0, _CACHES)]

    def close(self) -> None:
        """End the session with all that runs in it, as the application does when it is closed."""
        self._await(self._commands.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


HANGS = "the call hangs"


def _nothing(_event: object) -> None:
    pass


def _words(question: PermissionRequested) -> str:
    return " ".join((question.sentence, *question.reasons))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
