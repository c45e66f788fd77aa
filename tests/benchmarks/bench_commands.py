"""What the wall costs: each command behind it, with all that judges and commits it, beside the
bare command in the same loop.
"""

import asyncio
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.commands import Commands
from dogent_tui.permissions.model import Decision, ToolCall
from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.undo_log import UndoLog
from tests.benchmarks.table import Row

ROUNDS = 60
FILES = 200_000
COMMITTED = 1_000
SHOWN = {"cwd": "."}


def measure() -> list[Row]:
    return asyncio.run(_measured())


async def _measured() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        os.environ["DOGENT_HOME"] = str(base / "home")
        small, large = base / "small", base / "large"
        small.mkdir()
        (small / "notes.md").write_text("a note\n")
        _fill(large, FILES)
        rows = []
        few = await _beside_bare(small, "cat notes.md >/dev/null")
        many = await _beside_bare(large, "cat 0/0.md >/dev/null")
        makes = await _beside_bare(small, "date >made.md")
        rows += [
            Row(
                "a command behind the wall, beside bare: median", _at(few, 0.5), "ms more", target=8
            ),
            Row("the same: 95 of 100", _at(few, 0.95), "ms more", target=20),
            Row("a command that changes a file, beside bare: median", _at(makes, 0.5), "ms more"),
            Row(
                f"a command in {FILES:,} files, beside one in a single file",
                _at(many, 0.5) / _at(few, 0.5),
                "x",
                target=1.2,
            ),
        ]
        for sync, target in ((False, 100), (True, 400)):
            took = await asyncio.to_thread(_commit, base / f"commit-{sync}", sync)
            rows.append(
                Row(
                    f"committing {COMMITTED:,} files{', synced' if sync else ''}",
                    took,
                    "ms",
                    target=target,
                )
            )
        return rows


def _fill(root: Path, count: int) -> None:
    for folder in range(count // 1000):
        (root / str(folder)).mkdir(parents=True)
        for number in range(1000):
            (root / str(folder) / f"{number}.md").touch()


async def _beside_bare(root: Path, command: str) -> list[float]:
    """Return how many milliseconds more each run of `command` takes behind the wall, in order of
    size.
    """
    workspace = Workspace(root)
    authority, copies = Authority(workspace), UndoLog.of(workspace, "bench")

    async def nobody(_question: object) -> None:
        raise AssertionError("nothing is to be asked about")

    async def nothing() -> None:
        pass

    commands = Commands(authority, nobody, root, copies, lambda _event: None, nothing)  # type: ignore[arg-type]
    await commands.start()
    more = []
    for _ in range(ROUNDS):
        call = ToolCall("Bash", {"command": command}, root)
        walled = (await asyncio.to_thread(commands.wrapped, call, Decision("allow"), "t"))[
            "command"
        ]
        bare = await asyncio.to_thread(
            _took,
            lambda: subprocess.run(["/bin/bash", "-c", f"eval '{command}'"], cwd=root, check=True),
        )
        # between two commands a model thinks; that is when the next room is made
        await asyncio.sleep(0.05)
        behind = await asyncio.to_thread(
            _took,
            lambda text=walled: subprocess.run(["/bin/bash", "-c", text], cwd=root, check=True),
        )
        more.append(behind - bare)
    await commands.close()
    return sorted(more)


def _took(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return (time.perf_counter() - began) * 1000


def _at(sizes: list[float], share: float) -> float:
    return (
        statistics.median(sizes)
        if share == 0.5
        else sizes[min(len(sizes) - 1, int(len(sizes) * share))]
    )


def _commit(base: Path, sync: bool) -> float:
    from dogent_tui.undo.commit import Committing
    from dogent_tui.wall.difference import read_difference

    root, upper = base / "root", base / "upper"
    for folder in (root, upper):
        folder.mkdir(parents=True)
    for number in range(COMMITTED):
        (upper / f"{number}.md").write_text(f"text {number}\n")
    difference = read_difference(str(root), str(upper), time.time_ns())
    committing = Committing(base / "journals", UndoLog.of(Workspace(root), f"commit-{sync}"))
    return _took(lambda: committing.commit(difference, "bench", sync=sync))
