"""Documents in, a finished document out, without an account: the offline engine through the real
CLI and the real engines.
"""

import io
import json

import docx
import openpyxl
import pymupdf
import pytest

from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.print_mode import PrintRequest, run_print
from dogent_tui.settings.trust import make_own_folder
from tests.e2e.terminal import DOGENT, ENTER, Terminal, plain_environment

pytestmark = pytest.mark.slow


@pytest.fixture
def papers(workspace):
    """A pdf of two pages, one without text, a docx and a workbook in the workspace."""
    with pymupdf.open() as pdf:
        for text in (
            "Batteries must be stored at half charge. Damaged batteries can catch fire.",
            "Battery transport by air needs a safety label.",
        ):
            pdf.new_page().insert_text((72, 72), text)
        pdf.save(workspace.root / "safety.pdf")
    with pymupdf.open() as pdf:
        pdf.new_page()
        pdf.save(workspace.root / "scan.pdf")
    plan = docx.Document()
    plan.add_heading("Plan", 1)
    plan.add_paragraph("The battery plan starts in May.")
    plan.save(workspace.root / "plan.docx")
    book = openpyxl.Workbook()
    book.active.title = "Visits"
    book.active.append(["Month", "Visits"])
    sales = book.create_sheet("Sales")
    sales.append(["Product", "Sold"])
    sales.append(["Battery", 1204])
    book.save(workspace.root / "sales.xlsx")
    return workspace.root


@pytest.mark.thorough
async def test_attached_documents_become_a_pdf_and_a_word_document_in_print_mode(workspace, papers):
    make_own_folder(workspace)
    workspace.constraints_file.write_text("# Wishes\n\n- Output Format: docx\n", encoding="utf-8")

    async def run(text):
        stdout, stderr = io.StringIO(), io.StringIO()
        opened = open_session(workspace, SessionOptions(answered_by="nobody"))
        status = await run_print(opened, PrintRequest(text, output_format="json"), stdout, stderr)
        assert status == 0, stderr.getvalue()
        return json.loads(stdout.getvalue())["result"]

    said = await run(
        "Write a report on batteries from @plan.docx, @sales.xlsx, @safety.pdf and @scan.pdf."
        " Export it as PDF and as Word"
    )
    assert "`scan.pdf` (Unsupported PDF: no extractable text (scanned PDF not supported)." in said
    assert "drafts/batteries.pdf" in said
    assert "drafts/batteries.docx" in said
    markdown = (papers / "drafts" / "batteries.md").read_text(encoding="utf-8")
    quotes = (
        "Battery transport by air needs a safety label.",
        "The battery plan starts in May.",
    )
    assert all(quote in markdown for quote in quotes)
    assert "| Battery | 1204 |" in markdown
    for source in ("safety.pdf, page 2", "sales.xlsx, sheet Sales", "plan.docx"):
        assert f"]: {source}" in markdown
    with pymupdf.open(papers / "drafts" / "batteries.pdf") as pdf:
        text = " ".join(" ".join(page.get_text().split()) for page in pdf)
        assert pdf.get_toc()[0][1] == "Batteries"
    written = docx.Document(papers / "drafts" / "batteries.docx")
    paragraphs = [paragraph.text for paragraph in written.paragraphs]
    for quote in quotes:
        assert quote in text
        assert any(quote in paragraph for paragraph in paragraphs)
    assert any(
        paragraph.style.name.startswith(("Heading", "Title")) for paragraph in written.paragraphs
    )

    said = await run("Write a report on labels from @safety.pdf")  # as the workspace wishes
    assert (papers / "drafts" / "labels.docx").exists()
    assert not (papers / "drafts" / "labels.pdf").exists()
    assert "drafts/labels.docx" in said


async def test_an_attached_document_is_read_and_exported_in_the_application(
    workspace, papers, home
):
    argv = [*DOGENT, str(workspace.root)]
    async with Terminal.open(
        argv, size=(140, 48), env=plain_environment(home), cwd=workspace.root, prepared=True
    ) as terminal:
        await terminal.wait_for("offline engine · no AI model", "ready")
        terminal.type("/attach safety.pdf")
        terminal.type(ENTER)
        await terminal.wait_for("will be sent with the next prompt")
        terminal.type("Write a short report on batteries. Export it as a Word document")
        terminal.type(ENTER)
        await terminal.wait_for(
            "done in", "Read document", "Export document", "drafts/batteries.docx"
        )
    paragraphs = docx.Document(papers / "drafts/batteries.docx").paragraphs
    assert any("needs a safety label" in paragraph.text for paragraph in paragraphs)
