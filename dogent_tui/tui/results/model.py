"""The documents a conversation produced. Plain state, independent of the screen."""

import os.path
import posixpath
import re
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Literal

from dogent_tui.agent.events import DocumentExported, Event, ToolResult, ToolUse
from dogent_tui.agent.tool_names import path_in, review_summary, tool_kind
from dogent_tui.markdown_search.model import is_markdown
from dogent_tui.records import Record
from dogent_tui.tui.attachments.model import place_in

_EXPORT = "mcp__dogent__export_document"
_EXPORTED = re.compile(r"Wrote (.+) \(")
"""The beginning of an export's result (`dogent_tui.tools.export_document`)."""


class Result(Record):
    """A document that was produced. `path` is relative to the workspace if it is inside."""

    path: str
    kind: Literal["written", "exported"]

    @property
    def name(self) -> str:
        """The name of the file."""
        return posixpath.basename(self.path)


class Results:
    """The documents a conversation produced. Pass every event to `handle`; replaying a log gives
    the same list.
    """

    def __init__(self, root: Path) -> None:
        """Resolve relative paths against the workspace at `root`."""
        self._root = os.path.realpath(root)
        self._entries: dict[str, Result] = {}
        self._writing: dict[str, str] = {}
        self.gone: Set[str] = frozenset()
        """The paths of those that no longer exist."""

    @property
    def entries(self) -> tuple[Result, ...]:
        """All of them, most recent first."""
        return tuple(reversed(self._entries.values()))

    @property
    def written(self) -> str:
        """The path of the text written last, empty if there is none."""
        return next(self._written(), "")

    @property
    def last_markdown(self) -> str:
        """The path of the Markdown file written last, the one most likely meant; empty if there is
        none.
        """
        return next(filter(is_markdown, self._written()), "")

    def _written(self) -> Iterator[str]:
        return (
            one.path for one in self.entries if one.kind == "written" and one.path not in self.gone
        )

    def handle(self, event: Event) -> Result | None:
        """Update from `event`, and return what it produced, if anything; refused and failed calls
        produce nothing.
        """
        match event:
            case ToolUse(name=name, tool_use_id=tool_use_id) if tool_kind(name) == "edit":
                self._writing[tool_use_id] = "" if name == _EXPORT else path_in(event.input)
            case ToolResult(tool_use_id=tool_use_id) if tool_use_id in self._writing:
                path = self._writing.pop(tool_use_id)
                if event.is_error or review_summary(event.content).startswith("nothing"):
                    return None
                if path:
                    return self._made(path, "written")
                if exported := _EXPORTED.match(event.content):
                    return self._made(exported[1], "exported")
            case DocumentExported(path=path):
                return self._made(path, "exported")
        return None

    def place(self, path: str) -> str:
        """Return `path` relative to the workspace if it is inside, without accessing the disk."""
        return place_in(self._root, path).removeprefix(f"{self._root}/")

    def _made(self, path: str, kind: Literal["written", "exported"]) -> Result:
        place = self.place(path)
        self.gone -= {place}
        self._entries.pop(place, None)
        self._entries[place] = result = Result(place, kind)
        return result
