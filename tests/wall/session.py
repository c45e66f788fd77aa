"""A session as the application drives it, without the application: Bash calls behind the wall, every question answered with no."""

import dataclasses
import os
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import IO

from dogent_tui.wall.wall import Answer, Ended, Wall
from tests.wall.world import CANARY, World


@dataclasses.dataclass(frozen=True)
class Ran:
    """What came of a Bash call, as the model sees it, and what the user would have been asked."""

    status: int
    output: str
    asked: tuple[str, ...] = ()


@dataclasses.dataclass
class Running:
    """A Bash call under way."""

    process: subprocess.Popen[bytes]
    output: IO[bytes]
    name: str


class Session:
    """Bash calls in one workspace. With `drops`, nothing is committed: what is left then came past the wall."""

    def __init__(self, world: World, *, drops: bool = False, limit_s: float = 10.0) -> None:
        self.world = world
        self._drops = drops
        self._limit_s = limit_s
        self._cwd = world.workspace
        self._asked: dict[str, tuple[str, ...]] = {}
        self._wall = self._opened()
        self._running: list[Running] = []

    def _opened(self) -> Wall:
        self.world.state.mkdir(parents=True, exist_ok=True)
        return Wall(self.world.workspace, self.world.state / "wall", self._settle, self.world.home)

    def _settle(self, ended: Ended) -> Answer:
        self._asked[ended.job.name] = ("dropped",) if self._drops else ()
        return Answer(ended.status, "")

    def start(self, command: str) -> Running:
        """Start a Bash call as the CLI does: the client's line in a shell, its output a file."""
        job = self._wall.prepare(command, self._cwd, limit_s=self._limit_s)
        output = tempfile.TemporaryFile(dir=self.world.state)
        environment = {
            **os.environ,
            "HOME": str(self.world.home),
            "ANTHROPIC_AUTH_TOKEN": CANARY,
            "CLAUDE_CODE_MESSAGING_SOCKET": CANARY,
        }
        process = subprocess.Popen(
            ["/bin/bash", "-c", f"eval {_quoted(job.text)} </dev/null && pwd -P >/dev/null"],
            cwd=self._cwd if self._cwd.is_dir() else "/",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        return Running(process, output, job.name)

    def wait(self, running: Running) -> Ran:
        """Wait for the end of a call. One that hangs beyond every limit is a finding."""
        try:
            status = running.process.wait(self._limit_s + 20.0)
        except subprocess.TimeoutExpired:
            running.process.kill()
            running.process.wait()
            return Ran(-1, "", ("HANGS",))
        running.output.seek(0)
        text = running.output.read(100_000_000).decode(errors="replace")
        running.output.close()
        return Ran(status, text, self._asked.get(running.name, ()))

    def bash(self, command: str) -> Ran:
        """Run a call to its end."""
        return self.wait(self.start(command))

    def close(self) -> None:
        """End the session with all that runs in it, as the application does when it is closed."""
        self._wall.close()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
