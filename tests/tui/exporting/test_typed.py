"""What is typed after /export, and which document a conversation wrote last."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.agent.events import ToolResult, ToolUse
from dogent_tui.errors import UsageError
from dogent_tui.tui.exporting.controller import TypedExport, parse_export
from dogent_tui.tui.results.model import Results


@pytest.mark.parametrize(
    ("typed", "wish"),
    [
        ("", ("", "pdf", "")),
        ("docx", ("", "docx", "")),
        ("a.md", ("a.md", "pdf", "")),
        ("a.md DOCX", ("a.md", "docx", "")),
        ("a.md out/b.docx", ("a.md", "docx", "out/b.docx")),
        ("out/b.pdf a.md", ("a.md", "pdf", "out/b.pdf")),
        ("a.md pdf out/b.docx", ("a.md", "pdf", "out/b.docx")),
        ("a.md docx finished", ("a.md", "docx", "finished")),
        ('@"销售 2025.md" pdf "my out.pdf"', ("销售 2025.md", "pdf", "my out.pdf")),
        ("@notes.md", ("notes.md", "pdf", "")),
        ('"pdf.md"', ("pdf.md", "pdf", "")),
        ("NOTES", ("NOTES", "pdf", "")),
        ("a.md Checked docx", ("a.md", "docx", "", True)),
        ("a.md letter docx", ("a.md", "docx", "", False, "letter")),
        ("theme a.md", ("a.md", "pdf", "", False, "theme")),
    ],
)
def test_words_say_what_they_are(typed, wish):
    assert parse_export(typed) == TypedExport(*wish)


@pytest.mark.parametrize("typed", ["a.md b.md", "sales 2025.md", "a.md out.pdf more", "a b c"])
def test_what_is_not_clear_is_an_error(typed):
    with pytest.raises(UsageError, match="not recognized"):
        parse_export(typed)


@given(st.text(max_size=60))
def test_anything_may_be_typed(typed):
    try:
        assert parse_export(typed).kind in {"pdf", "docx"}
    except UsageError as error:
        assert error.remedy


def test_the_document_written_last():
    written = Results(Path("/w"))

    def write(number: int, path: str, *, name: str = "Write", is_error: bool = False) -> str:
        written.handle(
            ToolUse(run_id="1", tool_use_id=str(number), name=name, input={"file_path": path})
        )
        written.handle(
            ToolResult(run_id="1", tool_use_id=str(number), content="", is_error=is_error)
        )
        return written.last_markdown

    assert write(1, "/w/a.md") == "a.md"
    assert write(2, "/w/b.py") == "a.md"
    assert write(3, "/w/c.md", is_error=True) == "a.md"
    assert write(4, "/w/d.md", name="Read") == "a.md"
    assert write(5, "/w/E.Markdown", name="Edit") == "E.Markdown"
