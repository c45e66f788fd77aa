"""Print mode: from the start of the process to the first request to the endpoint, beside the CLI
alone.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from tests.benchmarks.table import Row
from tests.e2e.scripted_api import MODEL, ScriptedApi
from tests.e2e.terminal import plain_environment

ROUNDS = 7
MOST_S = 0.9


async def until_asked(
    api: ScriptedApi, argv: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> float:
    """Return the seconds from the start of a process to its first request."""
    api.reset()
    api.say("Hello.")
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *argv,
        cwd=folder,
        env={**plain_environment(folder), **environment},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    await api.arrived(1)
    took = time.perf_counter() - began
    await process.wait()
    return took


def _bundled() -> str:
    found = find_spec("claude_agent_sdk")
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parent / "_bundled" / "claude")


async def _measure(folder: Path) -> list[Row]:
    (folder / ".dogent").mkdir()
    project = str(Path(__file__).parents[2])
    async with ScriptedApi() as api:
        profile = {
            "ANTHROPIC_BASE_URL": api.base_url,
            "ANTHROPIC_AUTH_TOKEN": api.token,
            "ANTHROPIC_MODEL": MODEL,
        }
        (folder / ".dogent" / "claude.json").write_text(
            json.dumps({"profiles": {"scripted": profile}}), encoding="utf-8"
        )
        ours = [sys.executable, "-m", "dogent_tui", "--profile", "scripted", "-p", "Hello"]
        bare = [_bundled(), "--model", MODEL, "-p", "Hello"]
        took: dict[str, list[float]] = {"ours": [], "bare": []}
        for _ in range(ROUNDS):
            took["bare"].append(await until_asked(api, bare, folder, api.environment(folder / "c")))
            environment = {"DOGENT_HOME": str(folder / ".dogent"), "PYTHONPATH": project}
            took["ours"].append(await until_asked(api, ours, folder, environment))
    alone, whole = statistics.median(took["bare"]), statistics.median(took["ours"])
    return [
        Row("the CLI alone, to its first request", alone, "s"),
        Row("print mode, to its first request", whole, "s", MOST_S),
        Row("print mode, over the CLI alone", whole / alone, "×"),
    ]


def measure() -> list[Row]:
    """Run both in turn."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder)))
