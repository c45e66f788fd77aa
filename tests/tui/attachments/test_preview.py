"""Documents in the preview: read with the real readers, part by part."""

from collections.abc import Callable
from contextlib import asynccontextmanager

import docx
import openpyxl
import pymupdf
import pytest
from textual.app import App
from textual.widgets import Static

from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.tui.attachments.document_facts import DocumentReading, Sheet, facts
from dogent_tui.tui.attachments.preview import PreviewScreen, sheet_line
from tests.tui.idle import ROUNDS

pytestmark = pytest.mark.slow


def unheard(*_: object) -> None:
    pass


class Preview:
    """A preview that is open."""

    def __init__(self, app, pilot) -> None:
        self.app, self.pilot = app, pilot

    @property
    def screen(self) -> PreviewScreen:
        return self.app.screen

    @property
    def note(self) -> str:
        return str(self.screen.query_one("#preview-note", Static).content)

    def drawn(self) -> str:
        return "\n".join(
            "".join(segment.text for segment in line)
            for line in self.screen._compositor.render_strips()
        )

    async def until(self, seen: Callable[[], object]) -> None:
        for _ in range(ROUNDS):
            if seen():
                return
            await self.pilot.pause(0.01)
        raise AssertionError(f"It never came:\n{self.drawn()}")


@pytest.fixture
def previewing(tmp_path):
    @asynccontextmanager
    async def opened(path, *, sheet="", size=(100, 30)):
        app = App()
        async with DocumentLibrary(tmp_path / "kept") as library, app.run_test(size=size) as pilot:
            await app.push_screen(PreviewScreen(path, library, sheet=sheet))
            yield Preview(app, pilot)

    return opened


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


async def test_a_workbook_with_its_sheets(previewing, tmp_path):
    async with previewing(book(tmp_path / "book.xlsx"), sheet="My costs") as preview:
        await preview.until(lambda: "Tea" in preview.drawn())
        assert preview.note.startswith("xlsx · 3 sheets · 2 rows × 2 columns")
        await preview.pilot.press("left")
        await preview.until(lambda: "0 guests of the house" in preview.drawn())
        assert "Guests [b]" in preview.drawn()
        assert "Tea" not in preview.drawn()
        await preview.pilot.press("left")
        await preview.until(lambda: "secret" in preview.drawn())
        assert "Old (hidden)" in preview.drawn()
        await preview.pilot.press("escape")
        assert not isinstance(preview.app.screen, PreviewScreen)


async def test_a_long_sheet_is_read_on_and_each_part_has_the_head(previewing, tmp_path):
    async with previewing(book(tmp_path / "book.xlsx", rows=3_000)) as preview:
        await preview.until(lambda: "n Read on" in preview.drawn())
        view = preview.screen.query_one("#preview-document")
        before = view.virtual_size.height
        assert before < 1_000
        await preview.pilot.press("n")
        await preview.until(
            lambda: view.virtual_size.height > before and view.scroll_offset.y >= before - 1
        )
        await preview.until(lambda: "Guests [b]" in preview.drawn())
        seen = view.virtual_size.height
        await preview.pilot.press("end")
        await preview.until(lambda: view.virtual_size.height > seen)
        assert "characters" in preview.note


async def test_a_pdf_and_a_docx_with_what_is_known_of_them(previewing, tmp_path):
    with pymupdf.open() as pdf:
        for number in range(2):
            pdf.new_page().insert_text((72, 72), f"This is page {number + 1} of the minutes.")
        pdf.set_metadata({"title": "Minutes \x1b[31m", "author": "Ann"})
        pdf.save(tmp_path / "minutes.pdf")
    async with previewing(tmp_path / "minutes.pdf") as preview:
        await preview.until(lambda: "page 2 of the minutes" in preview.drawn())
        assert "— page 2 —" in preview.drawn()
        assert "<!--" not in preview.drawn()
        assert preview.note.startswith("pdf · 2 pages · ")
        assert "by Ann" in preview.note
        assert "\x1b" not in preview.note

    document = docx.Document()
    document.add_heading("Plan of the house", 1)
    document.add_paragraph("We open in May.")
    document.save(str(tmp_path / "plan.docx"))
    async with previewing(tmp_path / "plan.docx") as preview:
        await preview.until(lambda: "We open in May." in preview.drawn())
        assert "8 words" in preview.note


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("broken.docx", b"PK\x03\x04 broken", "is a damaged Word document"),
        (
            "picture.png",
            b"\x89PNG\r\n\x1a\n" + b"\0" * 64,
            "png · 72 B\nThe terminal can't show it.",
        ),
        ("gone.pdf", None, "There is no file"),
    ],
)
async def test_what_cannot_be_read_is_a_sentence(previewing, tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    async with previewing(tmp_path / name) as preview:
        await preview.until(lambda: said in preview.note)


async def test_it_fits_into_another_window(previewing, tmp_path):
    async with previewing(book(tmp_path / "book.xlsx", rows=30)) as preview:
        await preview.until(
            lambda: (
                "29 guests" in preview.screen._reading.text
                and "0 guests of the house" in preview.drawn()
            )
        )
        await preview.pilot.resize_terminal(40, 20)
        view = preview.screen.query_one("#preview-document")
        await preview.until(lambda: view.size.width < 40 and "guests" in preview.drawn())


async def test_parts_of_a_table_read_one_by_one_hold_every_row(tmp_path):
    async with DocumentLibrary(tmp_path / "kept") as library:
        reading = DocumentReading(library, book(tmp_path / "book.xlsx", rows=500))
        parts = []
        while reading.has_more:
            parts.append((await reading.more(unheard)).text)
    assert len(parts) > 2
    assert all(part.startswith("| Year | Guests ") for part in parts)
    assert [row for row in range(500) if f"| {row} guests of" not in reading.text] == []
    assert reading.note.startswith("xlsx · 3 sheets · 501 rows × 2 columns")


async def test_a_csv_is_a_table(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("year,visits\n2025,12\n", encoding="utf-8")
    async with DocumentLibrary(tmp_path / "kept") as library:
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


def test_the_shown_sheet_is_always_seen():
    sheets = [Sheet(f"Sheet number {number}") for number in range(30)]
    for width in (20, 60, 200):
        for shown in (0, 7, 29):
            line = sheet_line(sheets, sheets[shown].name, width)
            assert line.cell_length <= width
            assert f"Sheet number {shown}" in line.plain
