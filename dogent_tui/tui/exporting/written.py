"""Which Markdown file a conversation wrote last: the one that a user most likely means. Plain state, without a screen."""

from collections.abc import Mapping

from dogent_tui.agent.events import Event, ToolResult, ToolUse
from dogent_tui.agent.tool_names import review_summary
from dogent_tui.tui.prompt.completion import MARKDOWN

_WRITING_TOOLS: Mapping[str, str] = {
    "Write": "file_path",
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "mcp__dogent__propose_document_change": "path",
}
"""The tools that write text, and the input that names the file."""


class WrittenDocuments:
    """Feed it every event of a conversation with `handle`. `last` is the path as the agent wrote it, empty for none."""

    def __init__(self) -> None:
        self.last = ""
        self._writing: dict[str, str] = {}

    def handle(self, event: Event) -> None:
        """Learn from `event`: what was refused or failed was not written."""
        match event:
            case ToolUse(name=name, tool_use_id=tool_use_id) if name in _WRITING_TOOLS:
                path = event.input.get(_WRITING_TOOLS[name])
                if isinstance(path, str) and is_markdown(path):
                    self._writing[tool_use_id] = path
            case ToolResult(tool_use_id=tool_use_id) if path := self._writing.pop(tool_use_id, ""):
                is_refused = event.is_error or review_summary(event.content).startswith("nothing")
                self.last = self.last if is_refused else path


def is_markdown(path: str) -> bool:
    """Whether the file at `path` is Markdown, by its name."""
    return path.lower().endswith(MARKDOWN)
