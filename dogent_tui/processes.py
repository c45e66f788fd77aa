"""The one way to run another program: in a group of its own, with a time limit, and ended with all
its descendants.
"""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, TextIO

from dogent_tui.language import interface_language

_CHUNK = 65_536
_PROC = Path("/proc")
_TERM_GRACE_S = 1.0
"""How long a group that was asked to end may take before it is killed."""
_GONE_POLL_S = 0.005


_MARK = "DOGENT_TUI_CHILD_OF"
_GUARD = """\
while read -r line; do :; done
for turn in 1 2 3 4 5; do
    found=$(grep -ls "$1=1" /proc/[0-9]*/environ | cut -d/ -f3
        find /proc/[0-9]*/fd -lname "/memfd:$1 *" | cut -d/ -f3)
    found=$(echo "$found" | grep -vx "$2")
    [ -n "$found" ] || exit 0
    kill -9 $found
done"""
"""Waits for the end of its input, which comes with the end of the guarded process, and then kills
every process marked in its environment or by an open file: ``env -i`` and ``sudo`` remove the
former, programs that close files the latter. It repeats this, since those may have started others.
The guarded process itself has the open file too, and may still be exiting.
"""

_marks: dict[int, int] = {}
"""The guarded process → a descriptor that marks what inherits it. A fork of the process has no
mark.
"""


def guard_children() -> None:
    """Make everything this process starts from now on, and its descendants, end with it, however it
    ends. Without ``/proc``, each process has to take care of that itself.
    """
    if Path("/proc/self/environ").exists():
        _guard(os.getpid())


@cache
def _guard(pid: int) -> subprocess.Popen[bytes]:
    """Start the guard of a process, once. Forked processes have guards of their own."""
    name = f"{_MARK}_{pid}_{uuid.uuid4().hex}"
    environment = outliving_environment()
    os.environ[name] = "1"
    if hasattr(os, "memfd_create"):
        _marks[pid] = os.memfd_create(name)
    return subprocess.Popen(
        ["/bin/sh", "-c", _GUARD, "sh", name, str(pid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd="/",
        start_new_session=True,
    )


def outliving_environment() -> dict[str, str]:
    """Return our environment for a process that may outlive us: the guard ignores it."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_MARK)}


async def stream_process(
    command: Sequence[str],
    *,
    cwd: Path,
    on_output: Callable[[bytes], None],
    limit_s: float | None = None,
) -> int:
    """Run `command` in `cwd` and return its exit status; its output, including errors, goes to
    `on_output` as it arrives.

    Standard input is empty. On cancellation, or after `limit_s` seconds, the whole group is ended.
    Raises OSError if the program does not start, and TimeoutError.
    """
    process = await _start(
        command,
        cwd=cwd,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        pass_fds=[mark] if (mark := _marks.get(os.getpid())) is not None else (),
    )
    try:
        async with asyncio.timeout(limit_s):
            assert process.stdout is not None
            while chunk := await process.stdout.read(_CHUNK):
                on_output(chunk)
            return await process.wait()
    finally:
        await _end_group(process)


async def feed_process(command: Sequence[str], data: bytes, *, limit_s: float) -> int:
    """Run `command` with `data` on its standard input and return its exit status. Its output is
    dropped.

    Background processes live on: a program that fills the clipboard stays to provide its content.
    On cancellation, or after `limit_s` seconds, the whole group is ended. Raises OSError if it does
    not start, and TimeoutError.
    """
    process = await _start(
        command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env=outliving_environment(),
    )
    try:
        async with asyncio.timeout(limit_s):
            await process.communicate(data)
    except (TimeoutError, asyncio.CancelledError):
        await _end_group(process)
        raise
    return await process.wait()


async def talk_process(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: int = asyncio.subprocess.PIPE,
) -> asyncio.subprocess.Process:
    """Start `command` with pipes for communication. Its errors are dropped. The caller ends it with
    `end_tree`.

    `stdin` is a descriptor instead of a pipe. Raises OSError if it does not start.
    """
    return await _start(
        command,
        cwd=cwd,
        env=dict(env),
        stdin=stdin,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )


def python_command(module: str, *, preload: Sequence[str] = ()) -> list[str]:
    """Return the command line that runs `main` of our `module` in a process: with the modules we
    have, and not those in the current folder.

    It uses our language. `preload` are modules to load first.
    """
    package = str(Path(__file__).parents[1])
    path = [entry for entry in sys.path if entry]
    path += [] if package in path else [package]
    start = (
        f"import sys; sys.path[:] = {path!r}; from dogent_tui.language import choose;"
        f" choose({interface_language()!r}); "
    )
    start += f"from {module} import main; "
    start += "".join(f"import {name}; " for name in preload) + "main()"
    return [sys.executable, "-I", "-X", "utf8", "-c", start]


async def end_tree(process: asyncio.subprocess.Process) -> None:
    """Kill `process` and all its descendants, in whatever group they are."""
    if process.returncode is None:
        await asyncio.to_thread(kill_tree, process.pid)
    await _gone(process)


class Halt:
    """Ends, from another thread, the programs run by `run_to_end`, and every later one it is passed
    to.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._halted = False
        self._running: set[subprocess.Popen[bytes]] = set()

    def halt(self) -> None:
        """Kill what is running."""
        with self._lock:
            self._halted = True
            self._kill()

    @contextmanager
    def watch(self, process: "subprocess.Popen[bytes]") -> Iterator[None]:
        """Register what is running inside."""
        with self._lock:
            self._running.add(process)
            if self._halted:
                self._kill()
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(process)

    def _kill(self) -> None:
        for process in self._running:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)


def run_to_end(
    command: Sequence[str],
    *,
    stdin: IO[bytes] | bytes,
    cwd: Path,
    env: Mapping[str, str],
    limit_s: float,
    halt: Halt | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run `command` on a file or on bytes, and return its status and all of its output. Blocks: for
    worker threads and processes.

    After `limit_s` seconds the whole group is ended. Raises OSError if it does not start, and
    subprocess.TimeoutExpired.
    """
    data, file = (stdin, subprocess.PIPE) if isinstance(stdin, bytes) else (None, stdin)
    with subprocess.Popen(
        command,
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
        process_group=0,
    ) as process:
        halt = halt or Halt()
        with halt.watch(process):
            try:
                output, errors = process.communicate(data, timeout=limit_s)
            except BaseException:
                halt.halt()
                raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def run_in_terminal(command: Sequence[str], *, errors: TextIO | None) -> int:
    """Run `command` with exclusive use of the terminal and return its exit status. Blocks for as
    long as the user takes.

    `errors` is where its errors go. It stays in our group, as only that one may read from the
    terminal. Raises OSError if it does not start.
    """
    return subprocess.run(command, check=False, stderr=errors).returncode


async def _start(command: Sequence[str], **options: Any) -> asyncio.subprocess.Process:
    """Start `command` in a group of its own. Cancellation during the start ends the group, whereas
    asyncio would only end its leader.
    """
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(*command, start_new_session=True, **options)
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(OSError):  # it did not start
            await _end_group(await starting)
        raise


async def _end_group(process: asyncio.subprocess.Process) -> None:
    """End the rest of the group, which includes the program's background processes."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return
    try:
        with suppress(TimeoutError):
            await asyncio.wait_for(_gone(process), _TERM_GRACE_S)
    finally:  # even if this is cancelled again
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    await _gone(process)


async def _gone(process: asyncio.subprocess.Process) -> None:
    """Wait until a process that was told to end has ended, and close its pipes.

    Its own `wait` also waits for the pipes: forever if no one reads them any more, or another
    process holds them.
    """
    while process.returncode is None:  # noqa: ASYNC110
        await asyncio.sleep(_GONE_POLL_S)
    process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001


def kill_tree(pid: int) -> None:
    """Kill the process `pid` and all its descendants. Blocks for the time of one `ps` if there is
    no /proc.
    """
    for process in reversed(_tree(pid)):  # it may be our own
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    """Return whether a process exists, whoever owns it."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def tree_memory(pid: int) -> int:
    """Return the resident memory of the process `pid` and all its descendants, in bytes. Blocks
    like `kill_tree`.
    """
    if _PROC.is_dir():
        return sum(map(_resident, _tree(pid)))
    tree = set(_tree(pid))
    return sum(kilobytes * 1024 for process, kilobytes in _listed("rss") if process in tree)


def tree_cpu(pid: int) -> float | None:
    """Return the processor time used by the process `pid` and all its descendants, in seconds.

    None if the system does not tell. Blocks like `kill_tree`.
    """
    return sum(map(_used, _tree(pid))) / os.sysconf("SC_CLK_TCK") if _PROC.is_dir() else None


def _used(pid: int) -> int:
    """Return the ticks of a process and of its finished children."""
    try:
        return sum(
            map(int, (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[11:15])
        )
    except (OSError, ValueError):
        return 0


def _tree(pid: int) -> list[int]:
    """Return `pid` and its descendants, parents first."""
    found = [pid]
    if (_PROC / str(os.getpid()) / "task" / str(os.getpid()) / "children").exists():
        for process in found:  # grows during the iteration
            found.extend(_children(process))
        return found
    parents = _listed("ppid")
    for process in found:
        found.extend(child for child, parent in parents if parent == process)
    return found


def _children(pid: int) -> list[int]:
    """Return the children of each thread of `pid`, as listed by the kernel."""
    try:
        threads = list((_PROC / str(pid) / "task").iterdir())
        return [
            int(child) for thread in threads for child in (thread / "children").read_bytes().split()
        ]
    except OSError:  # it has already ended
        return []


def _resident(pid: int) -> int:
    try:
        pages = int((_PROC / str(pid) / "statm").read_bytes().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _listed(column: str) -> list[tuple[int, int]]:
    """Return process id → a number reported by `ps`."""
    try:
        listing = subprocess.run(
            ["ps", "-A", "-o", f"pid=,{column}="],
            capture_output=True,
            text=True,
            timeout=2,
            check=True,
        )
        return [
            (int(pid), int(number))
            for pid, number in (line.split() for line in listing.stdout.splitlines())
        ]
    except (OSError, ValueError, subprocess.SubprocessError):
        return []
