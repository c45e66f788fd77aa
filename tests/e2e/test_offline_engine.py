"""The offline engine behind the real CLI, on the requests of the sample workspace, in print
mode.
"""

import io
import json

import pytest

from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.print_mode import PrintRequest, run_print
from dogent_tui.sample import copy_sample
from dogent_tui.storage.paths import Workspace

pytestmark = pytest.mark.slow

README = """\
Write a two-page report for the committee from @meeting-notes.md, @interview-okafor.txt and @visits-2025.csv.
Begin with a recommendation. Save it as report.md."""  # noqa: E501


@pytest.fixture
def sample(home, tmp_path):
    return Workspace(copy_sample(tmp_path / "library"))


async def say(workspace: Workspace, text: str, **options: object) -> str:
    """Return the answer to one prompt in print mode."""
    stdout, stderr = io.StringIO(), io.StringIO()
    opened = open_session(workspace, SessionOptions(answered_by="nobody", **options))
    status = await run_print(opened, PrintRequest(text, output_format="json"), stdout, stderr)
    assert status == 0, stderr.getvalue()
    return json.loads(stdout.getvalue())["result"]


@pytest.mark.thorough
async def test_the_report_of_the_sample_is_written_and_then_added_to(sample):
    assert README.replace("\n", " ") in (sample.root / "README.md").read_text("utf-8").replace(
        "\n   > ", " "
    )
    said = await say(sample, README)
    report = (sample.root / "report.md").read_text("utf-8")
    assert "Offline engine, no AI model" in said
    assert (
        report.index("## Recommendation")
        < report.index("continue Sunday opening for two years")
        < report.index("61 percent")
    )
    assert "| 2025-11 | 5 | 7860 |" in report
    assert "[^1]: meeting-notes.md, “What we agreed”" in report

    said = await say(
        sample,
        "Add what readers said in @reader-feedback-zh.md, quoted in English.",
        continue_latest=True,
    )
    added = (sample.root / "report.md").read_text("utf-8")
    assert "Offline engine, no AI model" not in said  # once a conversation
    assert "27 of them ask the city" in added
    assert "二十七位" not in added
    assert all(line in added for line in report.splitlines())


@pytest.mark.thorough
async def test_two_papers_are_compared(sample):
    said = await say(
        sample,
        "Did Sunday bring new visitors, or only move them from Saturday? Compare"
        " @interview-okafor.txt with @visits-2025.csv.",
    )
    assert "61 percent" in said
    assert "| 2025-11 | 1485 |" in said


@pytest.mark.thorough
async def test_a_page_becomes_a_pdf_and_a_word_document(sample):
    said = await say(
        sample,
        "Write one page on what Sundays cost from @budget-2026.xlsx, @repair-offer.pdf and"
        " @staff-council.docx. Export it as PDF\nand as a Word document.",
    )
    page = sample.root / "drafts" / "what-sundays-cost.md"
    assert "| In all | 36,180 |" in page.read_text("utf-8")
    assert "repair-offer.pdf, page 1" in page.read_text("utf-8")
    assert page.with_suffix(".pdf").exists()
    assert page.with_suffix(".docx").exists()
    assert "what-sundays-cost.pdf" in said
