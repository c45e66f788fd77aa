"""The file index over 100,000 files: the walk, each key of a few queries, and memory."""

import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from dogent_tui.references.file_index import FileIndex
from tests.benchmarks.table import Row

FILES = 100_000

QUERIES = ("report2024", "chapter notes", "资料报告", "folder12/sub3", "zzzzzz", "anual reprot")


def make_tree(root: Path, files: int) -> None:
    names = ("report", "notes", "chapter", "budget", "报告", "资料")
    for number in range(files):
        folder = root / f"folder{number // 1000}" / f"sub{number // 100 % 10}"
        if number % 100 == 0:
            folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{names[number % len(names)]}-{number}.md").touch()


def milliseconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1000


def worst_gap_while(action: Callable[[], None]) -> tuple[float, float]:
    """Return how long `action` took in a thread, and by how much it delayed this one at most, in
    ms.
    """
    thread = threading.Thread(target=action)
    started, worst = time.perf_counter(), 0.0
    thread.start()
    while thread.is_alive():
        worst = max(worst, milliseconds(lambda: time.sleep(0.001)) - 1)
    return (time.perf_counter() - started) * 1000, worst


def measure(files: int = FILES) -> list[Row]:
    """Measure over `files` files."""
    with tempfile.TemporaryDirectory() as folder:
        make_tree(Path(folder), files)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        index = FileIndex(Path(folder))
        took, gap = worst_gap_while(index.refresh)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        rows = [
            Row(f"walk of {len(index):,} files", took),
            Row("delay of another thread meanwhile, at most", gap, "ms", 100),
            Row("memory of the index", max(grown, 0.0), "MB"),
        ]
        for query in QUERIES:
            keys = [
                milliseconds(lambda typed=query[:end]: index.search(typed))
                for end in range(1, len(query) + 1)
            ]  # type: ignore[misc]
            rows.append(
                Row(
                    f"a key of the query “{query}”, at most",
                    max(keys),
                    "ms",
                    50,
                    f"median {statistics.median(keys):.1f} ms",
                )
            )
        rows.append(Row("the empty query", milliseconds(lambda: index.search("")), "ms", 50))
        rows.append(Row("the root, browsed", milliseconds(index.browse), "ms", 50))
    return rows
