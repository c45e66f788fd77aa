"""The CLI's file tools over files in memory, with results worded as those of the real CLI: a run takes milliseconds."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dogent_tui.offline.conversation import UI_REQUEST
from dogent_tui.offline.messages_api import ReplyText, ReplyToolUse, parse_request
from dogent_tui.offline.rules import reply

TOOLS = ("Read", "Write", "Edit", "Glob", "Grep", "TodoWrite")
CWD = "/home/someone/work"
REMINDER = "<system-reminder>\n<total_tokens>14999985 tokens left</total_tokens>\n</system-reminder>"


@dataclass
class Conversation:
    """A conversation of the engine with `files`. `errors` maps (tool, path) to the error that the call returns.

    `ignored` are the paths, of files and folders, that git ignores. `system` is the system prompt.
    """

    files: dict[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = TOOLS
    errors: Mapping[tuple[str, str], str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    system: str = ""
    messages: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def ask(self, typed: str, *paths: str, kind: str = "") -> str:
        """Send a prompt that references `paths`, run the calls of every reply, and return the closing text."""
        array = [{"path": path, "name": path.rpartition("/")[2], "type": kind or path.rpartition(".")[2]} for path in paths]
        environment = (
            f"<system-reminder>\n# Environment\n - Primary working directory: {CWD}\n - Platform: linux\n</system-reminder>"
        )
        prompt = f"{typed}\n\n<attachments>\n{json.dumps(array)}\n</attachments>"
        blocks = ([] if self.messages else [environment]) + [f"{REMINDER}\n", prompt]
        self.messages.append({"role": "user", "content": [{"type": "text", "text": text} for text in blocks]})
        self.calls.clear()
        for _turn in range(12):
            body = json.dumps(
                {
                    "model": "m",
                    "stream": True,
                    "system": self.system,
                    "messages": self.messages,
                    "tools": [{"name": t} for t in self.tools],
                }
            )
            made = reply(parse_request(body), lambda paths: set(paths) & set(self.ignored))
            called = [block for block in made if isinstance(block, ReplyToolUse)]
            if not called:
                return "\n\n".join(block.text for block in made if isinstance(block, ReplyText))
            self._run(called)
            if called[-1].name == UI_REQUEST:  # the turn ends with it
                return ""
        raise AssertionError("The engine does not come to an end")

    def called(self, *names: str) -> list[dict[str, Any]]:
        """Return the inputs of the calls to the tools `names` since the last prompt."""
        return [tool_input for name, tool_input in self.calls if name in names]

    def _run(self, called: list[ReplyToolUse]) -> None:
        uses, results = [], []
        for block in called:
            assert block.name in self.tools, f"{block.name} is not offered"
            self.calls.append((block.name, dict(block.input)))
            identity = f"toolu_{len(self.messages)}_{len(uses)}"
            uses.append({"type": "tool_use", "id": identity, "name": block.name, "input": dict(block.input)})
            text, failed = self._result(block.name, block.input)
            results.append({"type": "tool_result", "tool_use_id": identity, "content": text, "is_error": failed})
        # The CLI trims the last result before it puts a reminder after it, and sends results in an order of its own.
        results[-1]["content"] = f"{results[-1]['content'].rstrip()}\n\n{REMINDER}"
        self.messages += [{"role": "assistant", "content": uses}, {"role": "user", "content": results[::-1]}]

    def _result(self, name: str, tool_input: Mapping[str, Any]) -> tuple[str, bool]:
        path = str(tool_input.get("file_path", "")).removeprefix(f"{CWD}/")
        error = self.errors.get((name, path)) or self.errors.get((name, "*"))
        if error:
            return error, True
        tools: dict[str, Callable[[str, Mapping[str, Any]], tuple[str, bool]]] = {
            "Read": self._read,
            "Write": self._write,
            "Edit": self._edit,
            "Glob": self._glob,
            "Grep": self._grep,
        }
        return tools[name](path, tool_input) if name in tools else ("Todos have been modified successfully.", False)

    def _read(self, path: str, tool_input: Mapping[str, Any]) -> tuple[str, bool]:
        if path not in self.files:
            return f"File does not exist. Note: your current working directory is {CWD}.", True
        self.seen.add(path)
        lines = self.files[path].split("\n")
        if sum(map(len, lines)) > 256 * 1024 and "limit" not in tool_input:
            return "File content (488.3KB) exceeds maximum allowed size (256KB). Use offset and limit parameters.", True
        if not self.files[path]:
            return "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>", False
        return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines[: tool_input.get("limit")], 1)), False

    def _write(self, path: str, tool_input: Mapping[str, Any]) -> tuple[str, bool]:
        if path in self.files and path not in self.seen:
            return "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", True
        self.files[path] = str(tool_input["content"])
        self.seen.add(path)
        return f"File created successfully at: {CWD}/{path}", False

    def _edit(self, path: str, tool_input: Mapping[str, Any]) -> tuple[str, bool]:
        old = str(tool_input["old_string"])
        if self.files[path].count(old) != 1:
            return f"<tool_use_error>String to replace not found in file.\nString: {old}</tool_use_error>", True
        self.files[path] = self.files[path].replace(old, str(tool_input["new_string"]))
        return f"The file {CWD}/{path} has been updated successfully.", False

    def _glob(self, _path: str, tool_input: Mapping[str, Any]) -> tuple[str, bool]:
        folder = str(tool_input.get("path", CWD)).removeprefix(CWD).strip("/")
        pattern = str(tool_input["pattern"]).removeprefix("**/")
        endings = tuple(pattern[3:-1].split(",")) if "{" in pattern else (pattern.removeprefix("*."),)
        inside = [path for path in self.files if path.startswith(f"{folder}/" if folder else "")]
        found = [path for path in inside if path.rpartition(".")[2] in endings]
        note = (
            f"(Showing 100 of {len(found)} matching files; {len(found) - 100} more are not listed. Narrow the pattern or path.)"
        )
        return "\n".join([*found[:100], *([note] if len(found) > 100 else [])]) or "No files found", False

    def _grep(self, _path: str, tool_input: Mapping[str, Any]) -> tuple[str, bool]:
        pattern = re.compile(str(tool_input["pattern"]), re.IGNORECASE if tool_input.get("-i") else 0)
        endings = re.findall(r"\w+", str(tool_input.get("glob", "")))
        hits = [path for path, text in self.files.items() if pattern.search(text)]
        hits = [path for path in hits if not endings or path.rpartition(".")[2] in endings]
        return (f"Found {len(hits)} files\n" + "\n".join(hits)) if hits else "No files found", False
