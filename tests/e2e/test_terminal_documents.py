"""Documents by hand in a real terminal: exported, replaced after the question, looked into, and
the engines listed.
"""

import docx
import pytest

from tests.e2e.terminal import DOGENT, ENTER, ESCAPE, Terminal, eventually, plain_environment

pytestmark = pytest.mark.slow

BACK_TAB = "\x1b[Z"


async def test_a_document_is_exported_replaced_and_looked_into(workspace, home):
    root = workspace.root
    (root / "report.md").write_text(
        "# Visits\n\n| Year | Guests |\n|---|---|\n| 2025 | 12 |\n", encoding="utf-8"
    )
    argv = [*DOGENT, "--profile", "offline", str(root)]
    async with Terminal.open(
        argv, size=(100, 30), env=plain_environment(home), cwd=root, prepared=True
    ) as terminal:
        await terminal.wait_for("offline engine · no AI model", "ready")
        terminal.type("/export rep")
        await terminal.wait_for("› report.md")
        terminal.type("\t docx")
        await terminal.wait_for("/export report.md docx")
        terminal.type(ENTER)
        await terminal.wait_for("Wrote report.docx", "by pandoc")
        before = (root / "report.docx").read_bytes()
        assert docx.Document(str(root / "report.docx")).tables[0].cell(1, 1).text == "12"

        terminal.type("/export report.md docx")
        await terminal.wait_for("/export report.md docx")
        terminal.type(ENTER)
        await terminal.wait_for("Replace report.docx", "You asked for this with /export")
        await terminal.press_until(ENTER, lambda: "is unchanged" in terminal.text(), "the denial")
        assert (root / "report.docx").read_bytes() == before

        terminal.type("/attach report.docx")
        await terminal.wait_for("/attach report.docx")
        terminal.type(ENTER)
        await terminal.wait_for("will be sent with the next prompt", "+ report.docx")
        terminal.type(BACK_TAB)
        await terminal.wait_for("Remove")
        terminal.type(ENTER)
        await terminal.wait_for("docx · ", "Year │ Guests", "c Copy")
        terminal.type(ESCAPE)
        await eventually(lambda: "c Copy" not in terminal.text(), "the conversation")
        terminal.type(ESCAPE)
        await eventually(lambda: "Remove" not in terminal.text(), "the prompt")

        terminal.type("/doctor")
        await terminal.wait_for("Show the engines")
        terminal.type(ENTER)
        await terminal.wait_for("✓ pandoc")
