"""A real terminal for a real process: a pty with the program on one side and a `TerminalScreen` on
the other.

    async with Terminal.open([sys.executable, "-m", "dogent_tui"], size=(80, 24), env=…, cwd=…) as
    terminal:
        await terminal.wait_for("? shows all keys")
        terminal.type("Hello\\r")
        …

The program is the leader of a session of its own, as in a terminal window. Nothing waits by the
clock: every wait is for something that can be seen, and fails with the screen in its message after
`LIMIT_S`. Processes that the program leaves behind are found by a variable in their environment,
and ended.
"""

import asyncio
import fcntl
import os
import signal
import struct
import sys
import termios
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Self

import psutil

from tests.children import lives
from tests.e2e.prepared import Forked, Prepared
from tests.e2e.screen import TerminalScreen

LIMIT_S = 60.0
"""How long anything may take on a busy machine before a wait for it fails."""

_MARK = "TERMINAL_OF_TEST"
_ROOT = Path(__file__).parents[2]

ENTER, ESCAPE, TAB, BACKSPACE = "\r", "\x1b", "\t", "\x7f"
UP, DOWN, LEFT, RIGHT = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C"
PAGE_UP, PAGE_DOWN = "\x1b[5~", "\x1b[6~"
MOUSE_MOVED, WHEEL_UP = "\x1b[<35;12;12M", "\x1b[<64;10;10M"
CTRL_B, CTRL_C, CTRL_G, CTRL_S, CTRL_Z = "\x02", "\x03", "\x07", "\x13", "\x1a"

DOGENT = (sys.executable, "-m", "dogent_tui")


def plain_environment(home: Path, **more: str) -> dict[str, str]:
    """Return the variables of a program that finds an empty home, no keys, and this checkout
    before any other.
    """
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": str(_ROOT),
        "HOME": str(home),
        "DOGENT_HOME": str(home / ".dogent"),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        **more,
    }


class Terminal:
    """One program in one terminal. Use `open`."""

    def __init__(
        self,
        process: asyncio.subprocess.Process | Forked,
        master: int,
        size: tuple[int, int],
        mark: str,
        log: Path,
        *,
        drawn: bool,
    ) -> None:
        self.process = process
        self.screen = TerminalScreen(*size, drawn=drawn)
        self.output = bytearray()
        """Everything the program has written."""
        self.on_output: Callable[[bytes], None] | None = None
        self.ended = False
        """Whether the program's side of the terminal is closed."""
        self._master = master
        self._mark = mark
        self._log = log
        self._outgoing = bytearray()
        self._waiting: dict[asyncio.Future[None], Callable[[], object]] = {}
        self._strangers: set[psutil.Process] = set()
        self._walled: set[psutil.Process] = set()
        asyncio.get_running_loop().add_reader(master, self._read)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        argv: Sequence[str],
        *,
        size: tuple[int, int] = (80, 24),
        env: Mapping[str, str],
        cwd: Path,
        drawn: bool = True,
        prepared: bool = False,
    ) -> AsyncIterator[Self]:
        """Run `argv` in a terminal of `size` (columns, rows). At the end, end it with everything
        that it started.

        `drawn`: whether anybody looks at the screen; measurements look at the bytes. `prepared`:
        `argv` is the application, whose start is not what the test is about.
        """
        mark = uuid.uuid4().hex
        master, slave = os.openpty()
        _set_size(slave, size)
        marked = {**env, _MARK: mark}
        try:
            if prepared:
                process = Prepared.get(env).start(argv[len(DOGENT) :], slave, env=marked, cwd=cwd)
            else:
                process = await asyncio.create_subprocess_exec(
                    *argv,
                    stdin=slave,
                    stdout=slave,
                    stderr=slave,
                    env=marked,
                    cwd=cwd,
                    start_new_session=True,
                    preexec_fn=_take_terminal,
                )
        finally:
            os.close(slave)
        os.set_blocking(master, False)
        log = Path(env.get("DOGENT_HOME", ""), "log", "dogent-tui.log")
        terminal = cls(process, master, size, mark, log, drawn=drawn)
        try:
            yield terminal
        finally:
            await terminal._end()

    # ── Looking ───────────────────────────────────────────────────────────────────────────────

    def text(self) -> str:
        """What is on the screen."""
        return self.screen.text

    def row_of(self, text: str) -> int:
        """The first row that holds `text`, from 0."""
        return next(number for number, line in enumerate(self.text().split("\n")) if text in line)

    async def wait_for(self, *texts: str, limit_s: float = LIMIT_S) -> None:
        """Wait until all `texts` are on the screen."""
        await self.until(
            lambda: all(text in self.text() for text in texts),
            f"“{'” and “'.join(texts)}” on the screen",
            limit_s,
        )

    async def wait_without(self, *texts: str) -> None:
        """Wait until none of `texts` is on the screen."""
        await self.until(
            lambda: not any(text in self.text() for text in texts),
            f"“{'” and “'.join(texts)}” gone",
        )

    async def until(self, seen: Callable[[], object], what: str, limit_s: float = LIMIT_S) -> None:
        """Wait until `seen`, which looks at what the program has written, is true."""
        if seen():
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[future] = seen
        try:
            await asyncio.wait_for(future, limit_s)
        except TimeoutError:
            if not seen():
                raise AssertionError(
                    f"Not seen in {limit_s:g} s: {what}. {self._shown()}"
                ) from None
        finally:
            self._waiting.pop(future, None)

    async def exited(self, limit_s: float = LIMIT_S) -> int:
        """Wait until the program has ended and all that it wrote is here; return its exit
        status.
        """
        try:
            status = await asyncio.wait_for(self.process.wait(), limit_s)
        except TimeoutError:
            raise AssertionError(f"Still running after {limit_s:g} s. {self._shown()}") from None
        await self.until(lambda: self.ended, "the end of the output")
        return status

    def _shown(self) -> str:
        """The screen, and the program's own log, in which a crash stands: for the message of a
        failure.
        """
        log = self._log.read_text("utf-8", "replace") if self._log.is_file() else ""
        return f"The screen:\n{self.text()}" + (f"\nThe log:\n{log}" if log else "")

    def echoes(self) -> bool:
        """Whether the terminal itself echoes what is typed, as a shell expects it to."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def processes(self) -> list[psutil.Process]:
        """The program and all that was started by it, also where it has ended itself, and commands
        behind the wall.

        Those have an environment of their own: they are known by their parents, as soon as they
        were seen once.
        """
        found = {process for process in self._walled if lives(process)}
        # one that was forked shows another's variables
        leader = self.process.pid if self.process.returncode is None else None
        for process in psutil.process_iter():
            if process in self._strangers:
                continue
            with suppress(psutil.Error, OSError):
                variables = process.environ()
                if variables.get(_MARK) == self._mark or process.pid == leader:
                    if lives(process):
                        self._walled |= set(process.children(recursive=True))
                        found.add(process)
                elif variables:  # there are none for a moment while a program is loaded
                    self._strangers.add(process)
        return [*found, *(process for process in self._walled - found if lives(process))]

    # ── Doing ─────────────────────────────────────────────────────────────────────────────────

    def type(self, text: str) -> None:
        """Press the keys that send `text`."""
        self.send(text.encode())

    async def press_until(self, key: str, seen: Callable[[], object], what: str) -> None:
        """Press `key` until `seen` is true, with a pause after each press: a question takes no
        answer from who is typing.
        """
        for _ in range(int(LIMIT_S / 2)):
            self.type(key)
            try:
                await eventually(seen, what, 2)
            except AssertionError:
                continue
            return
        raise AssertionError(f"{key!r} brought nothing: {what}. {self._shown()}")

    def paste(self, text: str) -> None:
        """Paste `text` as terminals do where the program asked for brackets."""
        self.send(b"\x1b[200~" + text.encode() + b"\x1b[201~")

    def focus(self, *, on: bool) -> None:
        """Tell the program that the window was left, or entered."""
        self.send(b"\x1b[I" if on else b"\x1b[O")

    def send(self, data: bytes) -> None:
        """Have the program read `data`, as fast as it can."""
        self._outgoing += data
        self._write()

    def resize(self, columns: int, rows: int) -> None:
        """Make the window another size."""
        self.screen.resize(columns, rows)
        # the kernel sends SIGWINCH to the foreground process group
        _set_size(self._master, (columns, rows))

    def read(self, *, on: bool) -> None:
        """Read what the program writes, or leave it where it is: a terminal that hangs."""
        if on and not self.ended:
            asyncio.get_running_loop().add_reader(self._master, self._read)
        elif self._master >= 0:
            asyncio.get_running_loop().remove_reader(self._master)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self.process.send_signal(number)

    def close_window(self) -> None:
        """Close the terminal's side, as closing its window does: the kernel hangs up."""
        if self._master >= 0:
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._master)
            loop.remove_writer(self._master)
            os.close(self._master)
            self._master = -1
            self.ended = True

    async def _end(self) -> None:
        for process in self.processes():
            with suppress(psutil.Error):
                process.kill()
        await self.process.wait()
        self.close_window()

    # ── The wire ──────────────────────────────────────────────────────────────────────────────

    def _read(self) -> None:
        try:
            data = os.read(self._master, 65_536)
        except BlockingIOError:
            return
        except OSError:  # EIO: nobody has the other side open
            data = b""
        if not data:
            self.ended = True
            asyncio.get_running_loop().remove_reader(self._master)
        self.output += data
        if self.on_output is not None:
            self.on_output(data)
        answers = self.screen.feed(data)
        if answers:
            self.send(answers)
        self._look()

    def _look(self) -> None:
        for future, seen in list(self._waiting.items()):
            if not future.done() and seen():
                future.set_result(None)

    def _write(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            written = os.write(self._master, self._outgoing[:65_536]) if self._outgoing else 0
        except BlockingIOError:
            written = 0
        except OSError:
            self._outgoing.clear()
            written = 0
        del self._outgoing[:written]
        if self._outgoing:
            loop.add_writer(self._master, self._write)
        else:
            loop.remove_writer(self._master)


async def eventually(true: Callable[[], object], what: str, limit_s: float = LIMIT_S) -> None:
    """Wait until `true` is true of something that cannot be waited for otherwise: a file, a
    process.
    """
    deadline = asyncio.get_running_loop().time() + limit_s
    while not true():
        assert asyncio.get_running_loop().time() < deadline, f"Not within {limit_s:g} s: {what}."
        await asyncio.sleep(0.02)


def _set_size(descriptor: int, size: tuple[int, int]) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))


def _take_terminal() -> None:
    """In the new process: make the terminal on stdin its controlling one."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
