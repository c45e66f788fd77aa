"""Documents in, a finished document out, without an account: the offline engine through the real CLI and the real engines."""

import io
import json

import docx
import openpyxl
import pymupdf
import pytest

from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.offline.draft import quotation
from dogent_tui.print_mode import PrintRequest, run_print
from dogent_tui.workspace.trust import make_own_folder
from tests.e2e.terminal import CTRL_B, DOGENT, ENTER, Terminal, eventually, plain_environment

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
        "Write a report on batteries from @plan.docx, @sales.xlsx, @safety.pdf and @scan.pdf, as PDF and as a Word document"
    )
    assert "- `scan.pdf`: Unsupported PDF: no extractable text (scanned PDF not supported)." in said
    assert "`drafts/batteries.pdf`" in said
    assert "`drafts/batteries.docx`" in said
    markdown = (papers / "drafts" / "batteries.md").read_text(encoding="utf-8")
    quotes = [line for line in markdown.splitlines() if quotation(line)]
    for quote in (
        "- Battery transport by air needs a safety label. (safety.pdf, page 2)",
        "- Product: Battery; Sold: 1204 (sales.xlsx, sheet Sales)",
        "- The battery plan starts in May. (plan.docx)",
    ):
        assert quote in quotes
    with pymupdf.open(papers / "drafts" / "batteries.pdf") as pdf:
        text = " ".join(" ".join(page.get_text().split()) for page in pdf)
        assert pdf.get_toc()[0][1] == "Batteries"
    written = docx.Document(papers / "drafts" / "batteries.docx")
    paragraphs = [paragraph.text for paragraph in written.paragraphs]
    for quote in quotes:
        assert quote.removeprefix("- ") in text
        assert quote.removeprefix("- ") in paragraphs
    assert any(paragraph.style.name.startswith(("Heading", "Title")) for paragraph in written.paragraphs)

    said = await run("Write a report on labels from @safety.pdf")  # as the workspace wishes
    assert (papers / "drafts" / "labels.docx").exists()
    assert not (papers / "drafts" / "labels.pdf").exists()
    assert "- Word: `drafts/labels.docx`" in said


async def test_an_attached_document_is_read_and_exported_in_the_application(workspace, papers, home):
    argv = [*DOGENT, str(workspace.root)]
    async with Terminal.open(argv, size=(140, 48), env=plain_environment(home), cwd=workspace.root, prepared=True) as terminal:
        await terminal.wait_for("offline engine · no AI model", "ready")
        terminal.type("/attach safety.pdf")
        terminal.type(ENTER)
        await terminal.wait_for("will be sent with the next prompt")
        terminal.type("Write a short report on batteries for everyone as a Word document")
        terminal.type(ENTER)
        await terminal.wait_for("Outline of the draft", "safety")
        await eventually(lambda: _accepted(terminal), "the draft")
        await terminal.wait_for("done in", "Read document", "Export document", "Word: drafts/batteries.docx")
        await terminal.wait_for("▏  Batteries", "F3 shows batteries.md")  # the draft beside the conversation
        terminal.type(CTRL_B)
        await terminal.wait_for("Results 2", "exported · ", "written · ", "read ✓ · pdf")
    assert any(
        "(safety.pdf, page 1)" in paragraph.text for paragraph in docx.Document(papers / "drafts/batteries.docx").paragraphs
    )


def _accepted(terminal):
    """Press the key that accepts the outline for as long as it is there: a form takes no keys in its first half second."""
    if "headings · as proposed" in terminal.text():
        terminal.type("a")
    return "done in" in terminal.text()
