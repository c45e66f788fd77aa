"""What every request holds: the first one of a conversation, captured from the real CLI, in tokens
per part.

`python -m tests.benchmarks.bench_request --raw MODEL` prints the request itself as JSON, to be read
as the model reads it. A token is counted as four bytes of the JSON that is sent, which is near for
English (`MessagesRequest.input_tokens`).
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.events import Prompt, RunFinished
from dogent_tui.agent.launch import ClaudeLauncher
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.session import session_copies
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.server import tool_name
from tests.benchmarks.table import Row
from tests.e2e.scripted_api import ScriptedApi

MODELS = {"older model": "claude-haiku-4-5", "newer model": "claude-opus-5-5"}
"""The CLI has long descriptions of its tools for the models that it knows as older, and short
ones for all others.
"""

MOST_OURS = 2_200
MOST_WHOLE = 6_500
"""Of a newer model."""

_OURS = tool_name("")


def tokens(text: str) -> int:
    """Return about how many tokens `text` takes."""
    return round(len(text.encode()) / 4)


async def captured(model: str) -> Mapping[str, Any]:
    """Return the first request of a conversation in an empty workspace."""
    before = os.environ.get("DOGENT_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DOGENT_HOME"] = str(Path(folder) / "home" / ".dogent")
        root = Path(folder) / "workspace"
        root.mkdir()
        try:
            async with ScriptedApi() as api:
                api.say("Hello.")
                workspace = Workspace(root)
                endpoint = Endpoint(
                    "bench", "custom", api.base_url, token=api.token, model=model, small_model=model
                )
                libraries = Libraries(workspace, WorkspaceSettings())
                authority, trust = Authority(workspace, (), libraries.hosts), FolderTrust(workspace)
                launcher = ClaudeLauncher(
                    workspace, endpoint, authority, trust, libraries, session_copies(workspace, "s")
                )
                async with AgentService(launcher, endpoint, cwd=str(root)) as service:
                    events = service.events()
                    await service.submit(Prompt("Hello"))
                    async for event in events:
                        if isinstance(event, RunFinished):
                            break
                return api.requests[0].raw
        finally:
            if before is None:
                del os.environ["DOGENT_HOME"]
            else:
                os.environ["DOGENT_HOME"] = before


def parts(request: Mapping[str, Any]) -> dict[str, int]:
    """Return the tokens of each part of a request, by name."""
    system = request["system"]
    blocks = [system] if isinstance(system, str) else [block["text"] for block in system]
    ours = max(range(len(blocks)), key=lambda number: len(blocks[number]))
    found = {
        "system prompt, ours": tokens(blocks[ours]),
        "system prompt, the CLI's": sum(
            tokens(text) for number, text in enumerate(blocks) if number != ours
        ),
    }
    for tool in request["tools"]:
        found[f"tool {tool['name'].removeprefix(_OURS)}"] = tokens(_json(tool))
    said = reminders = 0
    for message in request["messages"]:
        content = message["content"]
        for text in (
            [content]
            if isinstance(content, str)
            else [block.get("text", _json(block)) for block in content]
        ):
            if message["role"] == "system" or text.startswith("<system-reminder>"):
                reminders += tokens(text)
            else:
                said += tokens(text)
    return {**found, "reminders of the CLI": reminders, "the message": said}


def tools_of(request: Mapping[str, Any]) -> tuple[int, int]:
    """Return the tokens of our tools and of the CLI's."""
    ours = [tool for tool in request["tools"] if tool["name"].startswith(_OURS)]
    theirs = [tool for tool in request["tools"] if not tool["name"].startswith(_OURS)]
    return sum(tokens(_json(tool)) for tool in ours), sum(tokens(_json(tool)) for tool in theirs)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def measure() -> list[Row]:
    """Capture a request of each kind of model."""
    rows = []
    for name, model in MODELS.items():
        request = asyncio.run(captured(model))
        found = parts(request)
        rows += [Row(f"{name}: {part}", value, "tok") for part, value in found.items()]
        ours, theirs = tools_of(request)
        rows.append(Row(f"{name}: all tools of the CLI", theirs, "tok"))
        rows.append(Row(f"{name}: all tools of ours", ours, "tok"))
        rows.append(
            Row(f"{name}: the system prompt", found["system prompt, ours"], "tok", MOST_OURS)
        )
        rows.append(
            Row(
                f"{name}: the whole",
                sum(found.values()),
                "tok",
                MOST_WHOLE if "newer" in name else None,
            )
        )
    return rows


if __name__ == "__main__":
    if sys.argv[1:2] == ["--raw"]:
        print(json.dumps(asyncio.run(captured(sys.argv[2])), indent=1, ensure_ascii=False))
