"""The agent for pages and editors: what `serve` and `acp` add to the time and memory of the agent
itself.

The CLI is the real one, on a scripted API; its own processes are not counted where memory is.
"""

import asyncio
import resource
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import acp
import aiohttp
import psutil
from aiohttp import web

from dogent_tui.agent import events
from dogent_tui.agent.session import SessionOptions
from dogent_tui.faces.chats import Chats
from dogent_tui.faces.http import ChatServer
from dogent_tui.faces.page.routes import PageCode
from dogent_tui.faces.request_guard import RequestGuard
from dogent_tui.records import to_json
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.sessions import open_log
from tests.benchmarks.table import Row
from tests.e2e.conftest import write_profile
from tests.e2e.scripted_api import ScriptedApi
from tests.e2e.terminal import plain_environment
from tests.faces.conftest import ROOT, serving
from tests.faces.test_acp import Window

FIRST_MS, PRINT_TIMES, MEMORY_MB, LOAD_MS, INITIALIZE_MS = 20.0, 1.2, 300.0, 1000.0, 1000.0
CHATS, MEASURED_CHATS = 50, 6
"""So many are meant; of so many, each with a CLI of its own, the memory is measured."""
ANSWER, STEP = 100_000, 50
MESSAGES = 2000
ROUNDS = 5
NONE, PIPE = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
READ = "mcp__dogent__read_markdown_file"


def measure() -> list[Row]:
    """Measure everything in folders that are thrown away."""
    return asyncio.run(_measure())


async def _measure() -> list[Row]:
    rows: list[Row] = []
    for part in (_first_chunk, _long_answer, _waiting_chats, _editor):
        with tempfile.TemporaryDirectory() as folder:
            async with ScriptedApi() as api:
                rows += await part(Path(folder).resolve(), api)
    return rows


def _place(folder: Path, api: ScriptedApi) -> tuple[Path, Path]:
    home, root = folder / "home", folder / "workspace"
    home.mkdir(exist_ok=True)
    root.mkdir(exist_ok=True)
    write_profile(home / ".dogent", root, api)
    return home, root


def _body(text: str) -> dict[str, Any]:
    return {
        "id": uuid.uuid4().hex,
        "messages": [{"role": "user", "parts": [{"type": "text", "text": text}]}],
    }


async def _first_chunk(folder: Path, api: ScriptedApi) -> list[Row]:
    """From the first event of a text to its chunk at the client, in one process."""
    home, root = _place(folder, api)
    with patch.dict("os.environ", plain_environment(home), clear=True):
        chats = Chats(Workspace(root), SessionOptions(consent=True))
        runner = web.AppRunner(
            ChatServer(chats).application(RequestGuard("token", ()), PageCode("token"))
        )
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url, headers = (
            f"http://127.0.0.1:{runner.addresses[0][1]}/api/chat",
            {"authorization": "Bearer token"},
        )
        took = []
        async with aiohttp.ClientSession(headers=headers) as http:
            for _ in range(ROUNDS):
                api.say("A reply.")
                body = _body("hello")
                chat = await chats.open(body["id"], root)
                heard = asyncio.ensure_future(_heard(chat.service.events()))
                async with http.post(url, json=body) as answer:
                    while b"text-delta" not in await answer.content.readline():
                        pass
                    took.append((time.perf_counter() - await heard) * 1000)
                    await answer.read()
        await runner.cleanup()
    return [
        Row("first chunk after its event, worst", max(took), target=FIRST_MS),
        Row("  median", statistics.median(took)),
    ]


async def _heard(happened: AsyncIterator[events.Event]) -> float:
    async for event in happened:
        if isinstance(event, events.TextDelta):
            return time.perf_counter()
    raise AssertionError("No text came.")


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def _long_answer(folder: Path, api: ScriptedApi) -> list[Row]:
    """The same long answer in print mode and over HTTP, both with start, CLI and end."""
    home, root = _place(folder, api)
    pieces = ["word " * (STEP // 5)] * (ANSWER // STEP)
    used: dict[str, list[float]] = {"print": [], "serve": []}
    for _ in range(3):
        api.say_in_pieces(*pieces).release_all()
        before = _cpu_of_children()
        command = (sys.executable, "-m", "dogent_tui", str(root), "-p", "hello")
        environment = plain_environment(home)
        process = await asyncio.create_subprocess_exec(
            *command, env=environment, cwd=ROOT, stdin=NONE, stdout=PIPE
        )
        said, _ = await process.communicate()
        assert len(said) >= ANSWER, said[:200]
        used["print"].append(_cpu_of_children() - before)
        api.say_in_pieces(*pieces).release_all()
        before = _cpu_of_children()
        async with serving(folder, api, "--tools", "all") as served:
            chunks = await served.chunks(uuid.uuid4().hex, "hello")
            assert sum(len(chunk.get("delta", "")) for chunk in chunks) == ANSWER
        used["serve"].append(_cpu_of_children() - before)
    printed, over_http = min(used["print"]), min(used["serve"])
    beside = f"{over_http:.2f} s, print mode {printed:.2f} s"
    return [
        Row(
            "CPU of an answer of 100 kB, of print mode's",
            over_http / printed,
            "×",
            target=PRINT_TIMES,
            beside=beside,
        )
    ]


async def _waiting_chats(folder: Path, api: ScriptedApi) -> list[Row]:
    """What the server holds with chats that wait for a permission, without their CLIs."""
    async with serving(folder, api) as served:
        (served.root / "a.md").write_text("# A\n", encoding="utf-8")
        process = psutil.Process(served.pid)
        sizes = []
        for _ in range(MEASURED_CHATS):
            api.call(READ, {"path": "a.md", "reason": "To see."})
            chunks = await served.chunks(uuid.uuid4().hex, "read it")
            assert any(chunk["type"] == "tool-approval-request" for chunk in chunks)
            sizes.append(process.memory_full_info().uss / 1e6)
    each = (sizes[-1] - sizes[0]) / (MEASURED_CHATS - 1)
    beside = f"{sizes[0]:.0f} MB with one, {each:.1f} MB for each more ({MEASURED_CHATS} measured)"
    return [
        Row(
            f"memory with {CHATS} chats waiting",
            sizes[0] + (CHATS - 1) * each,
            "MB",
            target=MEMORY_MB,
            beside=beside,
        )
    ]


@asynccontextmanager
async def _agent(home: Path) -> AsyncIterator[tuple[Window, Any, psutil.Process]]:
    window = Window()
    command = (sys.executable, "-m", "dogent_tui", "acp")
    async with acp.spawn_agent_process(
        window, *command, env=plain_environment(home), cwd=ROOT, use_unstable_protocol=True
    ) as (  # type: ignore[arg-type]
        connection,
        process,
    ):
        yield window, connection, psutil.Process(process.pid)


def _cpu_ms(process: psutil.Process) -> float:
    used = process.cpu_times()
    return (used.user + used.system) * 1000


def _write_log(root: Path, session: str) -> None:
    log = open_log(Workspace(root), session)
    for number in range(MESSAGES // 2):
        about = {"run_id": f"r{number}", "seq": number}
        call, prompt = f"c{number}", events.Prompt(f"Question {number}")
        said = f"Answer **{number}**. " * 20
        happened: list[events.Event] = [
            events.RunStarted(prompt=prompt, **about),
            events.ToolUse(tool_use_id=call, name="Read", input={"file_path": "a.md"}, **about),
            events.ToolResult(tool_use_id=call, content="# A\n" * 20, **about),
            events.TextFinished(message_id=f"m{number}", block=0, text=said, **about),
            events.RunFinished(status="completed", duration_ms=1, **about),
        ]
        for event in happened:
            log.append(to_json(event))


async def _editor(folder: Path, api: ScriptedApi) -> list[Row]:
    home, root = _place(folder, api)
    session = str(uuid.uuid4())
    with patch.dict("os.environ", plain_environment(home), clear=True):
        _write_log(root, session)
    begun, loaded = [], []
    for _ in range(3):
        async with _agent(home) as (window, connection, process):
            await connection.initialize(protocol_version=1)
            begun.append(_cpu_ms(process))
            before = _cpu_ms(process)
            await connection.load_session(cwd=str(root), session_id=session, mcp_servers=[])
            loaded.append(_cpu_ms(process) - before)
            assert len(window.editor.of("user_message_chunk")) == MESSAGES // 2
    return [
        Row("acp: CPU until initialize is answered", min(begun), target=INITIALIZE_MS),
        Row(f"acp: CPU to load a log of {MESSAGES:,} messages", min(loaded), target=LOAD_MS),
    ]
