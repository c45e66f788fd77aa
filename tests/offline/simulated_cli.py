"""The CLI's file tools over files in memory, with results worded as those of the real CLI: a run takes milliseconds."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dogent_tui.documents.export.model import ExportResult
from dogent_tui.documents.library import ReadResult
from dogent_tui.documents.model import Source
from dogent_tui.documents.spool import Shown
from dogent_tui.offline.conversation import EXPORT_DOCUMENT, PROPOSE, UI_REQUEST
from dogent_tui.offline.documents import READ_DOCUMENT
from dogent_tui.offline.messages_api import ReplyText, ReplyToolUse, parse_request
from dogent_tui.offline.rules import reply
from dogent_tui.tools import documents, exporting

TOOLS = ("Read", "Write", "Edit", "Glob", "Grep", "TodoWrite")
WITH_DOCUMENTS = (*TOOLS, READ_DOCUMENT, EXPORT_DOCUMENT)
CWD = "/home/someone/work"
REMINDER = "<system-reminder>\n<total_tokens>14999985 tokens left</total_tokens>\n</system-reminder>"


@dataclass
class Conversation:
    """A conversation of the engine with `files`. `errors` maps (tool, path) to the error that the call returns.

    `ignored` are the paths, of files and folders, that git ignores. `system` is the system prompt. A file named like a document
    holds the Markdown that it reads as; one named like a workbook that of its sheets, each after a line ``# NAME``. `warnings`
    come with every export.
    """

    files: dict[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = TOOLS
    errors: Mapping[tuple[str, str], str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    system: str = ""
    messages: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    warnings: tuple[str, ...] = ()

    def ask(self, typed: str, *paths: str, kind: str = "", after: str = "", **part: str) -> str:
        """Send a prompt that references `paths` (`part`: a sheet or lines), run the calls, and return the closing text.

        `after` follows the attachments.
        """
        array = [{"path": path, "name": path.rpartition("/")[2], "type": kind or path.rpartition(".")[2]} for path in paths]
        array = [{**item, **part} for item in array]
        environment = (
            f"<system-reminder>\n# Environment\n - Primary working directory: {CWD}\n - Platform: linux\n</system-reminder>"
        )
        prompt = f"{typed}\n\n<attachments>\n{json.dumps(array)}\n</attachments>\n\n{after}".rstrip()
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
        given = tool_input.get("file_path") or tool_input.get("md_path") or tool_input.get("path") or ""
        path = str(given).removeprefix(f"{CWD}/")
        error = self.errors.get((name, path)) or self.errors.get((name, "*"))
        if error:
            return error, True
        tools: dict[str, Callable[[str, Mapping[str, Any]], tuple[str, bool]]] = {
            "Read": self._read,
            "Write": self._write,
            "Edit": self._edit,
            "Glob": self._glob,
            "Grep": self._grep,
            READ_DOCUMENT: self._document,
            EXPORT_DOCUMENT: self._export,
            PROPOSE: self._propose,
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
        first = tool_input.get("offset") or 1
        chosen = lines[first - 1 :][: tool_input.get("limit")]
        return "\n".join(f"{number}\t{line}" for number, line in enumerate(chosen, first)), False

    def _document(self, path: str, tool_input: Mapping[str, Any]) -> tuple[str, bool]:
        text, metadata, kind = self.files[path], {}, path.rpartition(".")[2]
        sheet = ""
        if kind == "xlsx":
            sheets = dict(part.split("\n", 1) for part in re.split(r"^# ", text, flags=re.MULTILINE) if part.strip())
            sheet = str(tool_input.get("sheet") or next(iter(sheets)))
            text = sheets[sheet].strip()
            metadata = {"sheet": sheet, "sheets": [{"name": name, "state": "visible"} for name in sheets]}
        start, room = int(tool_input.get("offset", 0)), int(tool_input["max_chars"])
        part, end = text[start : start + room], min(len(text), start + room)
        pages = [int(page) for page in re.findall(r"<!-- page (\d+)", text[:end])]
        before = [int(page) for page in re.findall(r"<!-- page (\d+)", text[: start + 1])]
        spots = [Source(page=page, sheet=sheet) for page in ([*before[-1:], *pages[-1:]] or [0])]
        shown = tuple(Shown(0, 0, spot) for spot in spots)
        found = ReadResult(part, kind, metadata, start, end if end < len(text) else None, len(text), shown, ())
        return documents.as_text(path, found), False

    def _export(self, path: str, tool_input: Mapping[str, Any]) -> tuple[str, bool]:
        kind = str(tool_input["format"])
        target = str(tool_input.get("output_path") or f"{path.rpartition('.')[0]}.{kind}").removeprefix(f"{CWD}/")
        self.files[target] = self.files[path]
        made = ExportResult(path=Path(target), engine="engine 1.0", pages=2, warnings=self.warnings)
        return exporting.as_text(target, made), False

    def _propose(self, path: str, _tool_input: Mapping[str, Any]) -> tuple[str, bool]:
        return f"The user reviewed your change: 1 of 2 hunks written to {path}.\nHunk 2 (changed): rejected.", False

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
