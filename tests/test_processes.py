"""Running another program: its output, its end, and the end of all that it started."""

import asyncio
import os
import time
from pathlib import Path

import psutil
import pytest

from dogent_tui.processes import (
    Halt,
    end_tree,
    feed_process,
    run_to_end,
    stream_process,
    talk_process,
)

pytestmark = pytest.mark.slow


async def test_output_and_status(tmp_path: Path):
    heard: list[bytes] = []
    status = await stream_process(
        ["sh", "-c", "pwd; echo no >&2; exit 3"], cwd=tmp_path, on_output=heard.append
    )
    assert (status, b"".join(heard).decode()) == (3, f"{os.path.realpath(tmp_path)}\nno\n")


async def test_a_program_that_does_not_exist(tmp_path: Path):
    with pytest.raises(OSError):
        await stream_process(["no-such-program"], cwd=tmp_path, on_output=lambda _: None)


@pytest.mark.parametrize("how", ["cancelled", "too long"])
async def test_it_ends_with_its_children(tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch):
    pids: list[int] = []
    started, loop = asyncio.Event(), asyncio.get_running_loop()

    def take(chunk: bytes) -> None:
        pids.extend(int(line) for line in chunk.split())
        started.set()

    command = ["sh", "-c", "trap '' TERM; sleep 600 & echo $!; echo $$; wait; sleep 600"]
    running = asyncio.create_task(
        stream_process(command, cwd=tmp_path, on_output=take, limit_s=600)
    )
    await started.wait()
    if how == "cancelled":
        running.cancel()
    else:
        monkeypatch.setattr(loop, "time", lambda: time.monotonic() + 601)
    with pytest.raises((asyncio.CancelledError, TimeoutError)):
        await running
    assert pids
    assert not alive(pids)


async def test_what_it_leaves_in_the_background_ends_with_it(tmp_path: Path):
    heard: list[bytes] = []
    await stream_process(
        ["sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"], cwd=tmp_path, on_output=heard.append
    )
    assert not alive([int(b"".join(heard))])


def alive(pids: list[int]) -> list[psutil.Process]:
    """The processes that are still there, after as long as the kernel needs to end them. Nobody
    may have reaped a dead one.
    """
    _, left = psutil.wait_procs(
        [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)], timeout=60
    )
    return [process for process in left if process.status() != psutil.STATUS_ZOMBIE]


async def test_a_program_is_fed_and_what_it_leaves_in_the_background_lives_on(tmp_path: Path):
    command = ["sh", "-c", f"cat > {tmp_path}/fed; sleep 600 & echo $! > {tmp_path}/pid; exit 3"]
    assert await feed_process(command, b"words", limit_s=60) == 3
    assert (tmp_path / "fed").read_bytes() == b"words"
    left = psutil.Process(int((tmp_path / "pid").read_text()))
    assert left.is_running()
    left.kill()


async def test_a_program_that_is_fed_in_vain_ends_with_its_children(tmp_path: Path):
    pids = tmp_path / "pids"
    command = ["sh", "-c", f"sleep 600 & echo $$ $! > {pids}.new; mv {pids}.new {pids}; wait"]
    with pytest.raises(TimeoutError):
        await feed_process(["sleep", "600"], b"", limit_s=0.01)
    feeding = asyncio.create_task(feed_process(command, b"x" * 1_000_000, limit_s=600))
    while not pids.exists():
        await asyncio.sleep(0.01)
    feeding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await feeding
    assert not alive([int(pid) for pid in pids.read_text().split()])


async def test_a_program_whose_output_nobody_takes_any_more_ends(tmp_path: Path):
    """asyncio stops reading a pipe from which too much came, and then does not see its end."""
    talking = await talk_process(["yes"], cwd=tmp_path, env=dict(os.environ))
    assert talking.stdout is not None
    async with asyncio.timeout(60):
        await talking.stdout.readexactly(1_000_000)
        while len(talking.stdout._buffer) < 131_072:  # type: ignore[attr-defined]  # from there on it is not read
            await asyncio.sleep(0.001)
        await end_tree(talking)
    assert talking.returncode == -9


async def test_a_pipe_that_another_program_took_along_is_not_waited_for(tmp_path: Path):
    pids: list[int] = []
    started = asyncio.Event()

    def take(chunk: bytes) -> None:
        pids.append(int(chunk))
        started.set()

    running = asyncio.create_task(
        stream_process(
            ["sh", "-c", "setsid sleep 600 & echo $!; wait"],
            cwd=tmp_path,
            on_output=take,
            limit_s=60,
        )
    )
    async with asyncio.timeout(60):
        await started.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    psutil.Process(pids[0]).kill()


async def test_all_that_runs_at_once_ends_together(tmp_path: Path):
    halt = Halt()

    def run(name: str) -> int:
        command = ["/bin/sh", "-c", f"touch {name}; exec sleep 1000"]
        done = run_to_end(command, stdin=b"", cwd=tmp_path, env=os.environ, limit_s=60, halt=halt)
        return done.returncode

    async with asyncio.TaskGroup() as both:
        running = [both.create_task(asyncio.to_thread(run, name)) for name in ("a", "b")]
        while len(list(tmp_path.iterdir())) < 2:
            await asyncio.sleep(0.01)
        halt.halt()
    assert [task.result() for task in running] == [-9, -9]
