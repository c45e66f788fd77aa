"""Readers that do what a reader must not, run by the real worker: each file says what becomes of
it.
"""

import ctypes
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from dogent_tui.documents import kinds, worker
from dogent_tui.documents.model import Block, DocumentError, Opened, ReadOptions, Report, Source

THIS = Path(__file__)

WORKER = os.urandom(8).hex()
"""Tells one process from another: behind the wall they have the same number."""


def command() -> list[str]:
    """Return how to start the worker with the reader below. It sees the package, but no tests:
    it is told all of this file.
    """
    path = [str(THIS.parents[2]), *sys.path]
    start = (
        f"import sys; sys.path[:] = {path!r}; __file__ ="
        f" {str(THIS)!r}\n{THIS.read_text('utf-8')}\nmain()\n"
    )
    return [sys.executable, "-c", start]


def main() -> None:
    kinds.READERS = {"text": ("__main__", "open_hostile")}  # type: ignore[misc]
    worker.main()


def open_hostile(path: Path, options: ReadOptions, report: Report) -> Opened:
    return Opened("text", {"worker": WORKER}, blocks(path, report))


def blocks(path: Path, report: Report) -> Iterator[Block]:
    """Do what each line of the file says."""
    for line in path.read_text(encoding="utf-8").splitlines():
        doing, _, what = line.partition(" ")
        yield from DOING[doing](what, report)


def say(what, report):
    yield Block(what, Source(line=1))


def lines(what, report):
    for number in range(int(what)):
        yield Block(f"line {number}", Source(line=number), tight=True)


def slow(what, report):
    for number in range(int(what)):
        report(number, int(what), "pages")
        time.sleep(0.11)
    yield Block("slow")


def child(what, report):
    subprocess.Popen(["sleep", what], start_new_session=True)
    yield from ()


def children_that_eat(what, report):
    eating = "x = bytearray(90 << 20); print(flush=True); import time; time.sleep(600)"
    children = [
        subprocess.Popen([sys.executable, "-c", eating], stdout=subprocess.PIPE)
        for _ in range(int(what))
    ]
    for process in children:
        process.stdout.readline()
    time.sleep(600)
    yield


def eat(what, report):
    kept = [bytearray(10 << 20) for _ in range(200)]
    yield Block(str(len(kept)))


def noise(what, report):
    sys.stdout.write("noise\n")
    sys.stdout.flush()
    os.write(1, b'{"type":"finished","metadata":{},"warnings":[]}\n')
    os.write(2, b"noise\n")
    subprocess.run(["sh", "-c", "echo noise; echo noise >&2; cat"], check=True)
    yield Block("after the noise")


def hang(what, report):
    while True:
        report(1, 2, "pages")
        time.sleep(0.01)
    yield


def hang_natively(what, report):
    ctypes.PyDLL(None).sleep(600)  # holds Python's lock
    yield


def work(what, report):
    while True:
        report(1, 2, "pages")
    yield


def crash(what, report):
    ctypes.string_at(0)
    yield


def leave(what, report):
    os._exit(3)
    yield


def raise_plainly(what, report):
    raise KeyError(what)
    yield


def miss(what, report):
    import no_such_library  # type: ignore[import-not-found]  # noqa: F401

    yield


def refuse(what, report):
    raise DocumentError(what, "Try another.", code="scanned")
    yield


def surrogate(what, report):
    yield Block("a\udc80b")


def recurse(what, report):
    return recurse(what, report)


def attack(what, report):
    """Run a line of Python, and tell what came of it."""
    try:
        yield Block(str(eval(what)))
    except OSError as error:
        yield Block(type(error).__name__)


def thread(what, report):
    threading.Thread(target=time.sleep, args=(600,)).start()
    yield Block("threaded")


DOING = {
    re.sub("_", "-", name): doing for name, doing in list(globals().items()) if callable(doing)
}
