"""The tools of the CLI over a real folder, worded as the CLI and our own tools word them: a run
takes milliseconds.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dogent_tui.documents.bibliography import key_of
from dogent_tui.documents.library import DocumentLibrary, ReadResult
from dogent_tui.documents.model import ReadOptions
from dogent_tui.errors import DogentError
from dogent_tui.offline.conversation import EXPORT, PROPOSE, READ_DOCUMENT
from dogent_tui.offline.engine import reply
from dogent_tui.offline.messages_api import ReplyText, ReplyToolUse, parse_request
from dogent_tui.references.file_walk import changed_files
from dogent_tui.references.lookup import find_references, resolve
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.documents import as_text

TOOLS = ("Read", "Write", "Edit", "Glob", "Grep", "TodoWrite", READ_DOCUMENT, EXPORT, PROPOSE)
REMINDER = (
    "<system-reminder>\n<total_tokens>14999985 tokens left</total_tokens>\n</system-reminder>"
)


@dataclass
class Turn:
    """What a prompt led to: the closing text, the calls, and the files created or changed, by
    relative path.
    """

    said: str
    calls: list[tuple[str, Mapping[str, Any]]]
    written: dict[str, str]


@dataclass
class Conversation:
    """A conversation with the engine in `root`. Every proposal is accepted unless `accepts` is
    false.
    """

    root: Path
    tools: tuple[str, ...] = TOOLS
    accepts: bool = True
    system: str = ""
    messages: list[dict[str, Any]] = field(default_factory=list)
    seen: dict[str, float] = field(default_factory=dict)
    was_read: set[str] = field(default_factory=set)

    def ask(self, typed: str, after: str = "") -> Turn:
        """Send a prompt, run the calls that it leads to, and return what came of it."""
        workspace = Workspace(self.root)
        found = (resolve(reference, workspace) for reference in find_references(typed))
        array = [
            {
                "path": one.path,
                "name": one.name,
                "type": one.type,
                **({"sheet": one.sheet} if one.sheet else {}),
            }
            for one in found
            if one.exists
        ]
        environment = (
            "<system-reminder>\n# Environment\n - Primary working directory:"
            f" {self.root}\n</system-reminder>"
        )
        prompt = f"{typed}\n\n<attachments>\n{json.dumps(array)}\n</attachments>{after}"
        blocks = ([] if self.messages else [environment]) + [f"{REMINDER}\n", prompt]
        self.messages.append(
            {"role": "user", "content": [{"type": "text", "text": text} for text in blocks]}
        )
        before = _texts(self.root)
        calls: list[tuple[str, Mapping[str, Any]]] = []
        for _turn in range(30):
            tools = [{"name": name} for name in self.tools]
            body = {"model": "m", "system": self.system, "messages": self.messages, "tools": tools}
            made = reply(
                parse_request(json.dumps(body)), lambda: changed_files(self.root), self.seen
            )
            called = [block for block in made if isinstance(block, ReplyToolUse)]
            if not called:
                said = "\n\n".join(block.text for block in made if isinstance(block, ReplyText))
                self.messages.append(
                    {"role": "assistant", "content": [{"type": "text", "text": said}]}
                )
                after_it = _texts(self.root)
                written = {
                    path: text for path, text in after_it.items() if before.get(path) != text
                }
                return Turn(said, calls, written)
            calls += [(block.name, block.input) for block in called]
            self._run(called)
        raise AssertionError("The engine does not come to an end")

    def _run(self, called: list[ReplyToolUse]) -> None:
        uses, results = [], []
        for block in called:
            assert block.name in self.tools, f"{block.name} is not offered"
            identity = f"toolu_{len(self.messages)}_{len(uses)}"
            uses.append(
                {"type": "tool_use", "id": identity, "name": block.name, "input": dict(block.input)}
            )
            text, failed = self._result(block.name, block.input)
            results.append(
                {
                    "type": "tool_result",
                    "tool_use_id": identity,
                    "content": text,
                    "is_error": failed,
                }
            )
        # The CLI trims the last result before it puts a reminder after it, and sends results in an
        # order of its own.
        results[-1]["content"] = f"{results[-1]['content'].rstrip()}\n\n{REMINDER}"
        self.messages += [
            {"role": "assistant", "content": uses},
            {"role": "user", "content": results[::-1]},
        ]

    def _result(self, name: str, given: Mapping[str, Any]) -> tuple[str, bool]:
        path = Path(str(given.get("file_path") or given.get("md_path") or given.get("path")))
        relative = str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)
        match name:
            case "Read":
                if not path.exists():
                    return (
                        (
                            "File does not exist. Note: your current working directory is"
                            f" {self.root}."
                        ),
                        True,
                    )
                self.was_read.add(relative)
                lines = path.read_text(encoding="utf-8").split("\n")
                if sum(map(len, lines)) > 256 * 1024:
                    return (
                        (
                            "File content (488.3KB) exceeds maximum allowed size (256KB). Use"
                            " offset and limit."
                        ),
                        True,
                    )
                return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1)), False
            case "Write":
                if path.exists() and relative not in self.was_read:
                    return (
                        (
                            "<tool_use_error>File has not been read yet. Read it"
                            " first.</tool_use_error>"
                        ),
                        True,
                    )
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(str(given["content"]), encoding="utf-8")
                self.was_read.add(relative)
                return f"File created successfully at: {path}", False
            case _ if name == PROPOSE and not self.accepts:
                return (
                    (
                        f"The user reviewed your change: nothing was written to {relative}.\nHunk"
                        " 1: rejected."
                    ),
                    False,
                )
            case _ if name == PROPOSE:
                path.write_text(str(given["new_content"]), encoding="utf-8")
                return (
                    (
                        f"The user reviewed your change: 1 of 1 hunk written to {relative}.\nHunk"
                        " 1: accepted."
                    ),
                    False,
                )
            case _ if name == EXPORT:
                target = Path(
                    str(given.get("output_path") or path.with_suffix(f".{given['format']}"))
                )
                target.write_text(f"an export of {relative}", encoding="utf-8")
                return f"Wrote {target.name} (engine 1.0, 2 pages).", False
            case _:
                try:
                    options = (
                        str(given.get("sheet", "")),
                        int(given.get("max_chars", 20_000)),
                        int(given.get("offset", 0)),
                    )
                    key = key_of(path, self.root)
                    return as_text(relative, _read(path, *options), key), False
                except DogentError as error:
                    return str(error), True


def _texts(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_text("utf-8", "replace")
        for path in root.rglob("*")
        if path.is_file()
    }


_READ: dict[tuple[object, ...], ReadResult] = {}


def _read(path: Path, sheet: str, most: int, offset: int) -> ReadResult:
    async def read() -> ReadResult:
        library = DocumentLibrary(full_page_s=60)
        try:
            return await library.read(path, ReadOptions(sheet=sheet), max_chars=most, offset=offset)
        finally:
            await library.close()

    key = (path.name, path.read_bytes(), sheet, most, offset)
    if key not in _READ:
        _READ[key] = asyncio.run(read())
    return _READ[key]
