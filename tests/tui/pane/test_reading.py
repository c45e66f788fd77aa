"""Documents for the pane: read with the real readers, part by part."""

import openpyxl
import pytest

from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.tui.pane.reading import DocumentReading, facts

pytestmark = pytest.mark.slow


def unheard(*_: object) -> None:
    pass


def book(path, rows=3):
    workbook = openpyxl.Workbook()
    first = workbook.active
    first.title = "Visits"
    first.append(["Year", "Guests [b]"])
    for number in range(rows):
        first.append([2000 + number, f"{number} guests of the house"])
    costs = workbook.create_sheet("My costs")
    costs.append(["Item", "Price"])
    costs.append(["Tea", 3])
    hidden = workbook.create_sheet("Old")
    hidden.sheet_state = "hidden"
    hidden.append(["secret"])
    workbook.save(path)
    return path


async def test_parts_of_a_table_read_one_by_one_hold_every_row(tmp_path):
    async with DocumentLibrary(tmp_path / "kept", full_page_s=60) as library:
        reading = DocumentReading(library, book(tmp_path / "book.xlsx", rows=500))
        parts = []
        while reading.has_more:
            parts.append((await reading.more(unheard)).text)
    assert len(parts) > 2
    assert all(part.startswith("| Year | Guests ") for part in parts)
    assert [row for row in range(500) if f"| {row} guests of" not in "\n".join(reading.lines)] == []
    assert reading.note.startswith("xlsx · 3 sheets · 501 rows × 2 columns")


async def test_a_csv_is_a_table(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("year,visits\n2025,12\n", encoding="utf-8")
    async with DocumentLibrary(tmp_path / "kept", full_page_s=60) as library:
        reading = DocumentReading(library, path)
        assert "| 2025 | 12 |" in (await reading.more(unheard)).text
    assert not reading.has_more


def test_facts_are_said_as_far_as_they_are_known():
    assert facts("pdf", {"pages": 1, "title": "A [b]", "author": ""}, 0) == [
        "pdf",
        "1 page",
        "“A [b]”",
    ]
    assert facts("docx", {"words": 1_234, "author": "Ann\nB"}, 2_000)[:3] == [
        "docx",
        "1,234 words",
        "2.0 KB",
    ]
    assert facts("text", {"pages": None, "sheets": []}, 0) == ["text"]
