"""Which documents a conversation made: the one that is meant by an export, and those that the
sidebar lists.
"""

import pytest

from dogent_tui.agent.events import DocumentExported, ToolResult, ToolUse
from dogent_tui.tui.results.model import Result, Results

REVIEWED = "The user reviewed your change: "


@pytest.mark.parametrize(
    ("name", "key", "result", "is_error", "last"),
    [
        ("Write", "file_path", "File created", False, "new.md"),
        ("Write", "file_path", "Denied", True, "old.md"),
        ("Edit", "file_path", f"{REVIEWED}1 of 2 hunks written to new.md.", False, "new.md"),
        ("Edit", "file_path", f"{REVIEWED}nothing was written to new.md.", False, "old.md"),
        (
            "mcp__dogent__propose_document_change",
            "path",
            f"{REVIEWED}1 of 1 hunk written to new.md.",
            False,
            "new.md",
        ),
    ],
)
def test_what_was_refused_was_not_written(tmp_path, name, key, result, is_error, last):
    written = Results(tmp_path)
    written.handle(
        ToolUse(tool_use_id="s", name="Write", input={"file_path": str(tmp_path / "old.md")})
    )
    written.handle(ToolResult(tool_use_id="s", content="ok"))
    written.handle(ToolUse(tool_use_id="t", name=name, input={key: "new.md"}))
    written.handle(ToolResult(tool_use_id="t", content=result, is_error=is_error))
    assert written.last_markdown == last


def test_what_was_made_last_comes_first_and_once(tmp_path):
    results = Results(tmp_path)

    def call(name, content="ok", **given):
        results.handle(ToolUse(tool_use_id="t", name=name, input=given))
        return results.handle(ToolResult(tool_use_id="t", content=content))

    assert call("Write", file_path=f"{tmp_path}/report.md") == Result("report.md", "written")
    call("Write", file_path="data/sums.csv")
    exported = "Wrote out/report (final).pdf (Chromium 120, 3 pages).\nWarning: none"
    call("mcp__dogent__export_document", exported, md_path="report.md", format="pdf")
    call(
        "mcp__dogent__export_document", "Nothing was exported.", md_path="report.md", format="docx"
    )
    assert call("Read", file_path="notes.md") is None
    call("Edit", file_path="./report.md")
    results.handle(DocumentExported(path="report.docx"))
    assert [(result.path, result.kind) for result in results.entries] == [
        ("report.docx", "exported"),
        ("report.md", "written"),
        ("out/report (final).pdf", "exported"),
        ("data/sums.csv", "written"),
    ]
    results.gone = {"report.md"}
    assert results.written == "data/sums.csv"
    call("Write", file_path="report.md")
    assert results.written == "report.md"
