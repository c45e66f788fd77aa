"""A stage for measurements: the application in a real pty, a scripted API behind it, and clocks on
both ends.

Nothing is drawn on this side: an emulator would take the CPU that the application needs, so what is
waited for are bytes.
"""

import asyncio
import itertools
import json
import os
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from dogent_tui.agent.events import Event
from dogent_tui.offline.messages_api import MessagesRequest, ReplyStream
from dogent_tui.records import to_json
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.sessions import open_log
from tests.e2e.scripted_api import MODEL, ScriptedApi
from tests.e2e.terminal import DOGENT, Terminal, plain_environment

SIZE = (120, 40)
PAINTED = b"hat would you like to write?"
"""The end of the prompt's placeholder, without its first letter, which the cursor covers."""

READY = "ready  ·".encode()

_KEYS = itertools.cycle("ЖДЛЮЯФЩЪЭШЧЦБПГ")
"""Letters that occur nowhere else, so that their echo is recognized in the output."""


class Stage:
    """A home, a workspace and an API."""

    def __init__(self, folder: Path, api: ScriptedApi) -> None:
        self.home = folder / "home"
        self.root = folder / "workspace"
        self.api = api
        self.home.mkdir()
        self.root.mkdir()
        profile = {
            "ANTHROPIC_BASE_URL": api.base_url,
            "ANTHROPIC_AUTH_TOKEN": api.token,
            "ANTHROPIC_MODEL": MODEL,
            "ANTHROPIC_SMALL_FAST_MODEL": MODEL,
        }
        (self.home / ".dogent").mkdir()
        (self.home / ".dogent" / "claude.json").write_text(
            json.dumps({"profiles": {"bench": profile}}), encoding="utf-8"
        )

    @property
    def choices(self) -> tuple[str, ...]:
        """The arguments that lead to the workspace and the API."""
        return (str(self.root), "--profile", "bench")

    @classmethod
    @asynccontextmanager
    async def set_up(cls) -> AsyncIterator["Stage"]:
        with tempfile.TemporaryDirectory() as folder:
            async with ScriptedApi() as api:
                yield cls(Path(folder), api)

    @asynccontextmanager
    async def open(
        self, *arguments: str, argv: Sequence[str] = (), **env: str
    ) -> AsyncIterator[Terminal]:
        """Run the application with `arguments` in the workspace, or the program `argv`."""
        argv = argv or (*DOGENT, *self.choices)
        variables = plain_environment(self.home, **env)
        async with Terminal.open(
            [*argv, *arguments], size=SIZE, env=variables, cwd=self.root, drawn=False
        ) as terminal:
            yield terminal

    def remember(self, events: Iterable[Event]) -> None:
        """Have `events` be the last conversation of the workspace."""
        before = os.environ.get("DOGENT_HOME")
        os.environ["DOGENT_HOME"] = str(self.home / ".dogent")
        try:
            log = open_log(Workspace(self.root), "11111111-1111-4111-8111-111111111111")
            for event in events:
                log.append(to_json(event))
            log.close()
        finally:
            os.environ.pop("DOGENT_HOME")
            if before is not None:
                os.environ["DOGENT_HOME"] = before


async def written(terminal: Terminal, what: bytes, *, since: int = 0) -> float:
    """Wait until `what` has been written after the first `since` bytes, and return the time."""
    await terminal.until(lambda: what in terminal.output[since:], repr(what))
    return time.perf_counter()


async def press(terminal: Terminal) -> float:
    """Press a key in the prompt, and return the milliseconds until its letter is written; then
    take it back.
    """
    key = next(_KEYS)
    since, began = len(terminal.output), time.perf_counter()
    terminal.type(key)
    took = await written(terminal, key.encode(), since=since) - began
    terminal.type("\x7f")
    return took * 1000


async def repainted(terminal: Terminal, least: int = 4_000) -> float:
    """Wait until much has been written from now on and the frame is complete; return the
    milliseconds that it took.
    """
    since, began = len(terminal.output), time.perf_counter()
    await terminal.until(
        lambda: len(terminal.output) - since >= least and terminal.output.endswith(b"\x1b[?2026l"),
        "the screen painted anew",
    )
    return (time.perf_counter() - began) * 1000


def cpu_s(terminal: Terminal) -> float:
    """Seconds of CPU that the application has used, without its child processes."""
    times = psutil.Process(terminal.process.pid).cpu_times()
    return times.user + times.system


async def settled(terminal: Terminal, quiet_s: float = 0.5, limit_s: float = 30.0) -> None:
    """Wait until the application does next to nothing."""
    deadline = time.monotonic() + limit_s
    before = cpu_s(terminal)
    while time.monotonic() < deadline:
        await asyncio.sleep(quiet_s)
        now = cpu_s(terminal)
        if now - before <= 0.02:
            return
        before = now


def paced(text: str, *, chunk: int = 40, every_s: float = 0.01):
    """Return a reply that streams `text` in chunks of so many characters, one each `every_s`
    seconds.
    """

    async def events(request: MessagesRequest) -> AsyncGenerator[bytes, None]:
        stream = ReplyStream(request)
        yield stream.start()
        yield stream.open()
        began = time.monotonic()
        for number, start in enumerate(range(0, len(text), chunk), 1):
            yield stream.add(text[start : start + chunk])
            await asyncio.sleep(max(0.0, began + number * every_s - time.monotonic()))
        yield stream.close()
        yield stream.finish()

    return events
