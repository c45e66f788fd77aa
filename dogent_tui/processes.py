"""The one way to run another program: in a group of its own, never waited for for ever, and ended with all that it started."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

_CHUNK = 65_536
_TERM_GRACE_S = 1.0
"""How long a group that was asked to end may take before it is killed."""


async def stream_process(
    command: Sequence[str], *, cwd: Path, on_output: Callable[[bytes], None], limit_s: float | None = None
) -> int:
    """Run `command` in `cwd` and return its exit status; what it writes, errors included, goes to `on_output` as it comes.

    Nothing is given to it on standard input. When it is cancelled, or takes longer than `limit_s` seconds, the whole group ends.
    Raises OSError where the program does not start, and TimeoutError.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=cwd,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(limit_s):
            assert process.stdout is not None
            while chunk := await process.stdout.read(_CHUNK):
                on_output(chunk)
            return await process.wait()
    finally:
        await _end_group(process)


async def _end_group(process: asyncio.subprocess.Process) -> None:
    """End whatever is left of the group: what the program put into the background belongs to it."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return
    try:
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _TERM_GRACE_S)
    finally:  # also where this is cancelled once more
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def kill_tree(pid: int) -> None:
    """Kill the process `pid` and all that descends from it, at once. Blocks for the time of one `ps`."""
    try:
        listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, timeout=2, check=True).stdout
        parents = {int(child): int(parent) for child, parent in (line.split() for line in listing.splitlines())}
    except (OSError, ValueError, subprocess.SubprocessError):
        parents = {}
    doomed = [pid]
    for parent in doomed:  # grows while it is walked
        doomed.extend(child for child, its_parent in parents.items() if its_parent == parent)
    for process in doomed:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
