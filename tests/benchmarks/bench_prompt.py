"""The prompt alone, in a real pty: key to echo, the picker over many files, a paste of 1 MB.

Each key waits for the echo of the one before. "gap" is the longest time that the event loop did not
run.
"""

import asyncio
import fcntl
import json
import os
import pty
import select
import statistics
import struct
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

from tests.benchmarks.table import Row

FILES = 100_000
KEY_MS = 50.0
GAPS = "PROMPT_BENCH_GAPS"


def run_app(folder: Path) -> None:
    """Run the prompt over `folder`. F9 writes the worst gap of the event loop to the file that
    GAPS names, F10 ends.
    """
    from textual.app import App, ComposeResult
    from textual.widgets import Static

    from dogent_tui.references.file_index import FileIndex
    from dogent_tui.storage.paths import Workspace, shipped
    from dogent_tui.tui.prompt.box import PromptBox
    from dogent_tui.tui.prompt.references import WorkspaceReferences
    from dogent_tui.tui.textual_fixes.driver import TerminalDriver

    index = FileIndex(folder)

    class BenchApp(App[None]):
        CSS_PATH = shipped("prompt.tcss")
        CSS = "#transcript { height: 1fr; }"

        def __init__(self) -> None:
            super().__init__(driver_class=TerminalDriver)
            self.box = PromptBox(WorkspaceReferences(Workspace(folder), index))
            self.worst = 0.0

        def compose(self) -> ComposeResult:
            yield Static("transcript", id="transcript")
            yield self.box

        def on_mount(self) -> None:
            self.box.focus_editor()
            self.run_worker(self.watch_gaps())
            threading.Thread(target=index.refresh, daemon=True).start()

        async def watch_gaps(self) -> None:
            while True:
                before = time.perf_counter()
                await asyncio.sleep(0.001)
                self.worst = max(self.worst, time.perf_counter() - before - 0.001)

        def key_f9(self) -> None:
            Path(os.environ[GAPS]).write_text(
                json.dumps({"gap_ms": self.worst * 1000, "ready": index.ready})
            )
            self.worst = 0.0

        def key_f10(self) -> None:
            os._exit(0)

    BenchApp().run()


class Terminal:
    """The app in a pty."""

    def __init__(self, folder: Path, gaps: Path) -> None:
        self.gaps = gaps
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({GAPS: str(gaps), "TERM": "xterm-256color", "COLORTERM": "truecolor"})
            os.execv(sys.executable, [sys.executable, "-m", __name__, "--app", str(folder)])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def read(self, wait: float) -> bytes:
        """Return what is drawn until nothing comes for `wait` seconds."""
        data = b""
        while select.select([self.fd], [], [], wait)[0]:
            data += os.read(self.fd, 65_536)
        return data

    def write(self, data: bytes) -> None:
        """Write `data`, reading what is drawn meanwhile so that neither side blocks."""
        os.set_blocking(self.fd, False)
        while data:
            readable, writable, _ = select.select([self.fd], [self.fd], [])
            if readable:
                os.read(self.fd, 65_536)
            if writable:
                data = data[os.write(self.fd, data[:4_096]) :]
        os.set_blocking(self.fd, True)

    def echo_ms(self, key: str) -> float:
        """Press `key` and return how long it takes until something is drawn."""
        began = time.perf_counter()
        os.write(self.fd, key.encode())
        select.select([self.fd], [], [], 10)
        took = (time.perf_counter() - began) * 1000
        self.read(0.03)
        return took

    def loop(self) -> dict[str, float]:
        """Return the worst gap of the app's loop since the last time."""
        self.gaps.unlink(missing_ok=True)
        os.write(self.fd, b"\x1b[20~")
        while not self.gaps.exists() or not self.gaps.read_text():
            self.read(0.02)
        return json.loads(self.gaps.read_text())


def row(name: str, times: list[float], gap: float, target: float | None = None) -> Row:
    """Return what was found of some keys: their median, the worst, and the worst gap of the
    loop.
    """
    return Row(
        name,
        statistics.median(times),
        "ms",
        target,
        f"worst {max(times):.1f} ms, gap of the loop {gap:.1f} ms",
    )


def measure(files: int = FILES) -> list[Row]:
    """Measure over `files` files."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "workspace"
        for number in range(files):
            path = (
                folder
                / f"part{number // 1_000:03}"
                / f"chapter{number // 50:04}"
                / f"note_{number:06}.md"
            )
            if number % 50 == 0:
                path.parent.mkdir(parents=True)
            path.touch()
        terminal = Terminal(folder, Path(name) / "gaps.json")
        terminal.read(1.0)
        rows.append(
            row(
                "typing while the index is built",
                [terminal.echo_ms(key) for key in "hello there world"],
                terminal.loop()["gap_ms"],
                KEY_MS,
            )
        )
        while not terminal.loop()["ready"]:
            time.sleep(0.2)
        terminal.loop()
        rows.append(
            row(
                "typing",
                [terminal.echo_ms(key) for key in " and some more words"],
                terminal.loop()["gap_ms"],
                KEY_MS,
            )
        )
        rows.append(
            row(
                "picker",
                [terminal.echo_ms(key) for key in " @note_0991chapter19"],
                terminal.loop()["gap_ms"],
                KEY_MS,
            )
        )
        terminal.echo_ms("\x03")
        terminal.loop()
        began = time.perf_counter()
        terminal.write(
            b"\x1b[200~"
            + b"A line of the pasted text, as long as lines are.\n" * 21_400
            + b"\x1b[201~"
        )
        while b"Pasted" not in terminal.read(0.02) and time.perf_counter() - began < 20:
            pass
        rows.append(
            row(
                "paste of 1 MB, until it is drawn",
                [(time.perf_counter() - began) * 1000],
                terminal.loop()["gap_ms"],
                200,
            )
        )
        rows.append(
            row(
                "typing after it",
                [terminal.echo_ms(key) for key in " and some more words"],
                terminal.loop()["gap_ms"],
                KEY_MS,
            )
        )
        terminal.echo_ms("\x03")
        terminal.write(b"\x1b[200~" + b"word " * 799 + b"\x1b[201~")
        terminal.read(0.5)
        terminal.echo_ms("\x0f")
        terminal.read(0.5)
        terminal.loop()
        rows.append(
            row(
                "typing in a line of 4,000 characters",
                [terminal.echo_ms(key) for key in "and some more words"],
                terminal.loop()["gap_ms"],
                KEY_MS,
            )
        )
        os.write(terminal.fd, b"\x1b[21~")
        os.waitpid(terminal.pid, 0)
    return rows


if __name__ == "__main__":
    if sys.argv[1:2] == ["--app"]:
        run_app(Path(sys.argv[2]))
