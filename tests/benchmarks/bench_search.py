"""Searching 10,000 Markdown files of 100 MB, beside ripgrep on the same files where it is
installed (Debian's `ripgrep`).
"""

import asyncio
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dogent_tui.markdown_search.library import MarkdownLibrary
from dogent_tui.storage.paths import Workspace
from tests.benchmarks.table import Row

FILES = 10_000
LINES = 110
"""Of a file: some ten thousand bytes."""
ROUNDS = 9
QUERIES = ("nothing like it", "Lighthouse", "manuscript", "读者", "ÜBER")
"""In no file, in one of twenty, and in every one."""
_WORDS = (
    "writer",
    "river",
    "chapter",
    "light",
    "manuscript",
    "and",
    "never",
    "Morning",
    "draft",
    "über",
    "读者",
    "资料",
    "window",
)


def make_files(root: Path, files: int) -> None:
    chosen = random.Random(7)
    written = [" ".join(chosen.choices(_WORDS, k=14)) for _ in range(2000)]
    for number in range(files):
        folder = root / f"part{number // 500}" / f"sub{number // 50 % 10}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [f"# Chapter {number}", *chosen.sample(written, LINES)]
        if number % 20 == 0:
            lines.append("A lighthouse stood there.")
        (folder / f"note-{number}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def measure(files: int = FILES) -> list[Row]:
    """Measure over `files` files."""
    with tempfile.TemporaryDirectory() as folder:
        make_files(Path(folder), files)
        return asyncio.run(_measure(Path(folder)))


async def _measure(root: Path) -> list[Row]:
    library = MarkdownLibrary(Workspace(root))
    started = time.perf_counter()
    await library.search("cold")
    rows = [
        Row(
            "the first search, with the start of its process",
            (time.perf_counter() - started) * 1000,
        )
    ]
    program = shutil.which("rg")
    for query in QUERIES:
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(ROUNDS):  # by turns, so that both have the same machine
            started = time.perf_counter()
            await library.search(query)
            ours.append((time.perf_counter() - started) * 1000)
            if program is not None:
                theirs.append(_milliseconds(lambda words=query: _ripgrep(program, words, root)))  # type: ignore[misc]
        rows.append(
            Row(
                f"“{query}”",
                statistics.median(ours),
                beside="" if theirs else "ripgrep is not installed",
            )
        )
        if theirs:
            ratio = statistics.median(ours) / statistics.median(theirs)
            rows.append(
                Row(
                    f"“{query}”, to ripgrep",
                    ratio,
                    "×",
                    2,
                    f"ripgrep {statistics.median(theirs):.0f} ms",
                )
            )
    (root / ".gitignore").write_text("note-7.md\n", encoding="utf-8")
    rows.append(Row("“Lighthouse”, where something is ignored", await _once(library, "Lighthouse")))
    await library.close()
    return rows


async def _once(library: MarkdownLibrary, query: str) -> float:
    started = time.perf_counter()
    await library.search(query)
    return (time.perf_counter() - started) * 1000


def _ripgrep(program: str, query: str, root: Path) -> None:
    command = [
        program,
        "--ignore-case",
        "--fixed-strings",
        "--line-number",
        "--glob",
        "*.md",
        "--",
        query,
        str(root),
    ]
    subprocess.run(command, capture_output=True, check=False)


def _milliseconds(action: Callable[[], None]) -> float:
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1000
