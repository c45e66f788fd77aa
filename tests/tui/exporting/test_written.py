"""Which file was written last, as a user would say."""

import pytest

from dogent_tui.agent.events import ToolResult, ToolUse
from dogent_tui.tui.exporting.written import WrittenDocuments

REVIEWED = "The user reviewed your change: "


@pytest.mark.parametrize(
    ("name", "key", "result", "is_error", "last"),
    [
        ("Write", "file_path", "File created", False, "new.md"),
        ("Write", "file_path", "Denied", True, "old.md"),
        ("Edit", "file_path", f"{REVIEWED}1 of 2 hunks written to new.md.", False, "new.md"),
        ("Edit", "file_path", f"{REVIEWED}nothing was written to new.md.", False, "old.md"),
        ("mcp__dogent__propose_document_change", "path", f"{REVIEWED}1 of 1 hunk written to new.md.", False, "new.md"),
    ],
)
def test_what_was_refused_was_not_written(name, key, result, is_error, last):
    written = WrittenDocuments()
    written.last = "old.md"
    written.handle(ToolUse(tool_use_id="t", name=name, input={key: "new.md"}))
    written.handle(ToolResult(tool_use_id="t", content=result, is_error=is_error))
    assert written.last == last
