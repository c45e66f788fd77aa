"""Applications that start at once: forked from an interpreter that has imported everything already.

Importing what the application works with costs more than a second of processor time, all else of a
start and the CLI one more. Where the start is not what a test is about, `Prepared.start` takes the
place of ``python -m dogent_tui``: the same interpreter runs the same module, as leader of a session
of its own in its terminal, with the environment and the folder that it is given. What the start
itself must be is tested by `test_terminal_start`, `test_print_mode` and `test_wheel`, which start a
program; so must a test of another language, because the messages are in one as soon as they are
imported.

These applications draw at most twenty pictures a second, where others draw sixty: to draw them, and
to read them here, was a fourth of what the tests in terminals cost.

An application has a keeper between itself and the interpreter that it comes from, which waits for
its end and reports it: the tests, whose child it is not, could not hear of it.
"""

import asyncio
import atexit
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

IMPORTED = (
    "dogent_tui.agent.claude",
    "dogent_tui.agent.recorder",
    "dogent_tui.agent.session",
    "dogent_tui.offline.server",
    "dogent_tui.print_mode",
    "dogent_tui.tools.offered",
    "dogent_tui.tools.server",
    "dogent_tui.tui.app",
    "dogent_tui.tui.conversation_layout",
    "dogent_tui.tui.screens.conversation",
)
_LANGUAGE = ("DOGENT_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
_ROOT = Path(__file__).parents[2]
_NUMBER = struct.Struct("=i")


class Forked:
    """An application that was forked: what the tests use of `asyncio.subprocess.Process`."""

    def __init__(self, pid: int, keeper: socket.socket) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._keeper = keeper
        self._ending = asyncio.create_task(self._wait())

    async def _wait(self) -> int:
        with self._keeper:
            report = await asyncio.get_running_loop().sock_recv(self._keeper, _NUMBER.size)
        # the keeper itself was killed
        self.returncode = _NUMBER.unpack(report)[0] if report else -signal.SIGKILL
        return self.returncode

    async def wait(self) -> int:
        """Wait until it has ended and return its exit status, negative where a signal ended it."""
        return await asyncio.shield(self._ending)

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)


class Prepared:
    """The interpreter that applications are forked from; it ends with the tests. One for a
    process of the tests: `get`.
    """

    _here: "Prepared | None" = None

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._language = [environment.get(name) for name in _LANGUAGE]
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, "-m", "tests.e2e.prepared", str(theirs.fileno())]
            slower = {**environment, "TEXTUAL_FPS": "20"}
            self._process = subprocess.Popen(
                command, env=slower, cwd=_ROOT, pass_fds=[theirs.fileno()]
            )
        atexit.register(self._end)

    @classmethod
    def get(cls, environment: Mapping[str, str]) -> "Prepared":
        """Return the one of these tests. `environment`: such as any application runs with; that
        of the first call counts.
        """
        if cls._here is None:
            cls._here = cls(environment)
        return cls._here

    def start(
        self, arguments: Sequence[str], terminal: int, *, env: Mapping[str, str], cwd: Path
    ) -> Forked:
        """Start an application in the terminal that the descriptor `terminal` leads to."""
        assert [env.get(name) for name in _LANGUAGE] == self._language, (
            "Another language takes a program of its own."
        )
        keeper, theirs = socket.socketpair()
        request = {"arguments": list(arguments), "env": dict(env), "cwd": str(cwd)}
        with theirs:
            socket.send_fds(
                self._requests, [json.dumps(request).encode()], [terminal, theirs.fileno()]
            )
        pid = _NUMBER.unpack(keeper.recv(_NUMBER.size))[0]
        keeper.setblocking(False)
        return Forked(pid, keeper)

    def _end(self) -> None:
        self._requests.close()
        self._process.wait(10)


def _serve(requests: socket.socket) -> bool:
    """Fork an application for each request. Return True in an application, False in the end."""
    while True:
        message, descriptors, *_ = socket.recv_fds(requests, 1 << 16, 2)
        if not message:
            return False
        if os.fork() == 0:
            requests.close()
            return _keep(json.loads(message), *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        _reap()


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _keep(request: dict[str, Any], terminal: int, report: int) -> bool:
    """In the keeper: fork the application, report its number and then its end. Return True in
    the application.
    """
    pid = os.fork()
    if pid == 0:
        os.close(report)
        _become(request, terminal)
        return True
    os.close(terminal)  # who waits for the end of the output waits for the application alone
    with socket.socket(fileno=report) as told, suppress(BrokenPipeError):
        told.sendall(_NUMBER.pack(pid))
        _, status = os.waitpid(pid, 0)
        told.sendall(_NUMBER.pack(os.waitstatus_to_exitcode(status)))
    os._exit(0)


def _become(request: dict[str, Any], terminal: int) -> None:
    """In the application: be what a start would have made."""
    import fcntl
    import random
    import termios

    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for number in range(3):
        os.dup2(terminal, number)
    os.close(terminal)
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        errors = "backslashreplace" if name == "stderr" else "strict"
        stream = open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115 — as long as it runs
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    random.seed()
    sys.argv[1:] = request["arguments"]


def _main() -> None:
    import gc
    import importlib
    import runpy

    for name in IMPORTED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    if _serve(socket.socket(fileno=int(sys.argv[1]))):
        runpy.run_module("dogent_tui", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()
