"""Print how long the file index takes for 100,000 files: the walk, each key of a few queries, and memory.

Run it as ``python tests/benchmarks/bench_index.py [files]``.
"""

import resource
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from dogent_tui.workspace.file_index import FileIndex

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
    """Return how long `action` took in a thread, and by how much it delayed this one at most, in ms."""
    thread = threading.Thread(target=action)
    started, worst = time.perf_counter(), 0.0
    thread.start()
    while thread.is_alive():
        worst = max(worst, milliseconds(lambda: time.sleep(0.001)) - 1)
    return (time.perf_counter() - started) * 1000, worst


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        make_tree(Path(folder), files)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        index = FileIndex(Path(folder))
        took, gap = worst_gap_while(index.refresh)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
        print(f"{len(index):,} paths: refresh {took:.0f} ms, delays another thread by {gap:.1f} ms at most, {grown} MB")
        for query in QUERIES:
            keys = [milliseconds(lambda typed=query[:end]: index.search(typed)) for end in range(1, len(query) + 1)]  # type: ignore[misc]
            print(f"  {query!r}: {statistics.median(keys):.1f} ms per key (median), {max(keys):.1f} ms at most")
        print(f"  empty query: {milliseconds(lambda: index.search('')):.2f} ms, browse root: {milliseconds(index.browse):.2f} ms")


if __name__ == "__main__":
    main()
