"""The model makes a finished document, through the real CLI and the gate."""

import docx
import pymupdf
import pytest

from dogent_tui.agent.events import (
    PermissionAnswer,
    PermissionRequested,
    Prompt,
    RunFinished,
    ToolResult,
)
from tests.e2e.conftest import IN_ONE_LOOP

pytestmark = IN_ONE_LOOP

EXPORT = "mcp__dogent__export_document"
REPORT = (
    "---\ntitle: Visits\n---\n\n## Numbers\n\n| Year | Visits |\n|---|---|\n| 2025 | 12"
    " |\n\n![gone](gone.png)\n"
)


@pytest.mark.thorough
async def test_a_report_is_written_exported_and_replaced_only_after_the_question(api, agent):
    path = agent.root / "report.docx"
    api.call("Write", {"file_path": str(agent.root / "report.md"), "content": REPORT})
    api.call(EXPORT, {"md_path": "report.md", "format": "docx"})
    api.call(EXPORT, {"md_path": "report.md", "format": "pdf", "output_path": "out/visits.pdf"})
    api.say("There they are.")
    finished = await agent.run("Write a report as docx and pdf")
    assert (finished.status, agent.of(PermissionRequested)) == ("completed", [])
    document = docx.Document(str(path))
    texts = [paragraph.text for paragraph in document.paragraphs if paragraph.text]
    assert texts[:2] == ["Visits", "Numbers"]
    assert document.tables[0].cell(1, 1).text == "12"
    results = [result.content for result in agent.of(ToolResult)]
    assert "Wrote report.docx" in results[1]
    assert "Left out: Image gone.png" in results[1]
    assert "Left out: Image gone.png" in str(api.requests[2].messages[-1])
    with pymupdf.open(agent.root / "out" / "visits.pdf") as pdf:
        assert "Numbers" in pdf[0].get_text()

    before = path.read_bytes()
    api.call(EXPORT, {"md_path": "report.md", "format": "docx"})
    await agent.service.submit(Prompt("And again"))
    question = await agent.heard(PermissionRequested)
    assert path.read_bytes() == before
    assert "report.docx" in question.sentence
    await agent.service.reply(question.request_id, PermissionAnswer("deny"))
    assert (await agent.heard(RunFinished, 2)).status == "aborted"
    assert path.read_bytes() == before
