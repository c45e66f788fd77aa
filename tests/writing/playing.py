"""Plays a task: a workspace of its own, the real service and CLI, and a user who answers as the
task says.
"""

import asyncio
import json
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

from dogent_tui.agent.events import (
    Event,
    PermissionAnswer,
    PermissionRequested,
    RunFinished,
    ToolResult,
    ToolUse,
    UiAnswer,
    UiRequested,
    UsageChanged,
)
from dogent_tui.agent.session import (
    OpenedSession,
    SessionOptions,
    make_prompt,
    open_session,
    with_template,
)
from dogent_tui.agent.ui_requests import (
    KIND,
    ChangeRequest,
    Clarification,
    OutlineRequest,
    read_request,
)
from dogent_tui.faces.shared import open_review, write_accepted
from dogent_tui.offline.messages_api import MessagesRequest, ReplyText, ReplyToolUse
from dogent_tui.references.lookup import find_references
from dogent_tui.settings.trust import make_own_folder
from dogent_tui.storage.paths import Workspace, dogent_home
from tests.e2e.scripted_api import MODEL, ScriptedApi
from tests.writing.outcome import WRITES, Call, Outcome
from tests.writing.script import ROOT, Script
from tests.writing.tasks import Task

LONGEST_S = 3_600.0
"""Of one task."""
MOST_QUESTIONS = 8
"""After so many the run is stopped: a model that asks forever is no help."""

_HOME_FILES = ("claude.json", "web.json", "vision.json")
_ALLOWED = ("list", "read", "find", "search")
"""What the user of these tasks allows: looks at their documents."""


@contextmanager
def own_home() -> Iterator[Path]:
    """Keep everything in a folder that goes away, with a copy of the user's profiles."""
    before, named = dogent_home(), os.environ.get("DOGENT_HOME")
    with tempfile.TemporaryDirectory(prefix="writing-") as name:
        home = Path(name) / ".dogent"
        home.mkdir(mode=0o700)
        for file in _HOME_FILES:
            with suppress(OSError):
                shutil.copy(before / file, home / file)
        os.environ["DOGENT_HOME"] = str(home)
        try:
            yield home
        finally:
            os.environ.pop("DOGENT_HOME")
            if named is not None:
                os.environ["DOGENT_HOME"] = named


async def play(task: Task, profile: str, model: str) -> Outcome:
    """Play `task` with the model of a profile of the home in use. `model` is what the outcome
    calls it.
    """
    with tempfile.TemporaryDirectory(prefix="task-", ignore_cleanup_errors=True) as name:
        root = Path(name).resolve() / "workspace"
        root.mkdir()
        workspace = _laid_out(root, task, profile)
        before = _texts(root)
        opened = open_session(workspace, SessionOptions(profile=profile, trust=True))
        began = time.monotonic()
        async with opened.service:
            user = _User(task, opened)
            with suppress(TimeoutError):
                await asyncio.wait_for(user.converse(), LONGEST_S)
        return Outcome(
            task=task.name,
            model=model,
            status=user.status,
            said=user.said,
            questions=user.questions,
            calls=tuple(user.calls.values()),
            before=before,
            after=_texts(root),
            proposed=tuple(user.proposed),
            cost_usd=user.cost,
            seconds=round(time.monotonic() - began, 1),
            tokens=user.tokens,
        )


class _User:
    """Sends the prompts of a task, answers what is asked, and notes what happens."""

    def __init__(self, task: Task, opened: OpenedSession) -> None:
        self.calls: dict[str, Call] = {}
        self.proposed: list[str] = []
        self.status, self.said = "failed", ""
        self.questions, self.tokens = 0, 0
        self.cost: float | None = None
        self._task = task
        self._opened = opened
        self._root = opened.workspace.root
        self._has_rejected = False

    async def converse(self) -> None:
        """Hold the whole conversation."""
        service, workspace = self._opened.service, self._opened.workspace
        events = service.events()
        for text in self._task.prompts:
            prompt, _ = make_prompt(text, workspace, find_references(text))
            await service.submit(with_template(prompt, workspace, trusted=True))
            await self._follow(events)
            if self.status != "completed":
                return

    async def _follow(self, events: AsyncIterator[Event]) -> None:
        async for event in events:
            await self._hear(event)
            if isinstance(event, RunFinished):
                self.status, self.said = event.status, event.result
                if event.cost_usd is not None:
                    self.cost = (self.cost or 0.0) + event.cost_usd
                if not self._opened.service.requests or self.questions > MOST_QUESTIONS:
                    return
                for request in self._opened.service.requests:
                    await self._opened.service.reply(request.request_id, _answer(request))

    async def _hear(self, event: Event) -> None:
        service = self._opened.service
        match event:
            case ToolUse(tool_use_id=identity, name=name, input=values):
                self.calls[identity] = self._call(name, dict(values))
                if self._has_rejected:
                    self.proposed += [
                        str(values[key])
                        for key in ("content", "new_string", "new_content")
                        if key in values
                    ]
            case ToolResult(tool_use_id=identity, is_error=True) if identity in self.calls:
                known = self.calls[identity]
                self.calls[identity] = Call(known.tool, known.path, known.about, is_error=True)
            case UsageChanged(context_tokens=tokens):
                self.tokens = max(self.tokens, tokens)
            case UiRequested(kind=kind) if kind == KIND:
                await self._review(event)
            case UiRequested():
                self.questions += 1
            case PermissionRequested():
                allowed = (
                    any(word in event.tool for word in _ALLOWED) and "mcp__dogent__" in event.tool
                )
                answer = (
                    PermissionAnswer("allow")
                    if allowed
                    else PermissionAnswer("deny", message="Not in this folder, please.")
                )
                await service.reply(event.request_id, answer)

    def _call(self, name: str, values: dict[str, Any]) -> Call:
        path = str(values.get("file_path") or values.get("path") or values.get("md_path") or "")
        path = path.removeprefix(f"{self._root}/").removeprefix("./")
        about = json.dumps({key: value for key, value in values.items() if len(str(value)) < 60})[
            :200
        ]
        own = name.rpartition("__")[2] if name.startswith("mcp__") else name
        return Call(own, path, "" if own in WRITES else about.replace(f"{self._root}/", ""))

    async def _review(self, event: UiRequested) -> None:
        """Reject the hunks that the task rejects, and accept all others."""
        asked = read_request(event.payload)
        assert isinstance(asked, ChangeRequest)
        reviewed = await asyncio.to_thread(open_review, self._opened, asked)
        for number, hunk in enumerate(reviewed.change.hunks, 1):
            wrong = any(word in str(hunk) for word in self._task.rejects)
            reviewed.change.decide(number, "rejected" if wrong else "accepted")
            self._has_rejected |= wrong
        answer = await asyncio.to_thread(write_accepted, self._opened, reviewed)
        await self._opened.service.reply(event.request_id, answer)


def _answer(request: UiRequested) -> UiAnswer:
    """Answer as someone who takes what is recommended, and leaves the rest to the model."""
    asked = read_request(request.payload)
    if isinstance(asked, OutlineRequest):
        return UiAnswer(outline=asked.outline_text)
    assert isinstance(asked, Clarification)
    chosen = {question.id: (question.recommended or (None,))[0] for question in asked.questions}
    return UiAnswer(answers=chosen, comment="Decide the rest yourself.")


def _laid_out(root: Path, task: Task, profile: str) -> Workspace:
    workspace = Workspace(root)
    make_own_folder(workspace)
    workspace.settings_file.write_text(
        json.dumps({"profile": profile, **task.settings}), encoding="utf-8"
    )
    for path, content in task.files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return workspace


def _texts(root: Path) -> dict[str, str]:
    """Return what the files hold, without the application's own records."""
    found = {}
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if not file.is_file() or path.startswith(
            (".dogent/history", ".dogent/dogent.json", ".dogent/.")
        ):
            continue
        try:
            found[path] = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            found[path] = f"[{file.stat().st_size} bytes]"
    return found


@asynccontextmanager
async def scripted(home: Path) -> AsyncIterator["Models"]:
    """Give scripted models behind the profile ``scripted`` of `home`."""
    async with ScriptedApi() as api:
        profile = {
            "ANTHROPIC_BASE_URL": api.base_url,
            "ANTHROPIC_AUTH_TOKEN": api.token,
            "ANTHROPIC_MODEL": MODEL,
        }
        (home / "claude.json").write_text(
            json.dumps({"profiles": {"scripted": profile}}), encoding="utf-8"
        )
        yield Models(api)


class Models:
    """Plays tasks with scripted models, which say what their script says, request after request."""

    def __init__(self, api: ScriptedApi) -> None:
        self._api = api

    async def play(self, task: Task, model: str, script: Script) -> Outcome:
        """Play `task` by `script`."""
        self.follow(script)
        return await play(task, "scripted", model)

    def follow(self, script: Script) -> None:
        """Answer by `script` from now on."""
        self._api.reset()
        steps = iter(script)

        def reply(request: MessagesRequest) -> tuple[ReplyText | ReplyToolUse, ...]:
            step = next(steps, None)
            if step is None:
                return (ReplyText("Done."),)
            if not step.calls:
                return (ReplyText(step.text),)
            root = _root_of(request)
            return tuple(
                ReplyToolUse(name, json.loads(json.dumps(values).replace(ROOT, root)))
                for name, values in step.calls
            )

        self._api.otherwise(reply)


def _root_of(request: MessagesRequest) -> str:
    """Return the workspace, which the system prompt names."""
    return request.system.partition("The workspace is ")[2].partition(". Write paths")[0]


__all__ = ["Models", "own_home", "play", "scripted"]
