"""The demanding report of `docs/`, in each format, as a reader of it would look at it."""

import re
from pathlib import Path

import docx
import pymupdf
import pytest
from docx.enum.section import WD_ORIENT

from dogent_tui.documents.export.model import ExportRequest, ExportResult
from dogent_tui.documents.exporter import Exporter
from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.pdf.reader import open_pdf
from tests.documents.export.conftest import export_docx

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

REPORT = Path(__file__).parents[3] / "docs" / "sample-report.md"
TITLE = "River levels in the Larkrise catchment"
HEADINGS = [
    found[2].split(" {")[0]
    for found in re.finditer(r"^(#+) (.+)$", REPORT.read_text("utf-8"), re.MULTILINE)
]


def request(target: Path) -> ExportRequest:
    return ExportRequest(
        kind=target.suffix[1:],
        markdown=REPORT,
        target=target,
        root=REPORT.parent,
        home=target.parent,
    )


async def printed(exporter: Exporter, folder: Path) -> tuple[ExportResult, pymupdf.Document]:
    result = await exporter.export(request(folder / "report.pdf"))
    return result, pymupdf.open(result.path)


def headings_of(pdf: Path) -> list[str]:
    found = [block.markdown for block in open_pdf(pdf, ReadOptions(), lambda *_: None).blocks]
    return [text.lstrip("#").strip() for text in found if text.startswith("#")]


def unnumbered(headings: list[str]) -> list[str]:
    return [re.sub(r"^[\d.]+\s", "", text) for text in headings]


@pytest.mark.thorough
async def test_the_pdf(exporter, tmp_path):
    result, document = await printed(exporter, tmp_path)
    assert (result.warnings, result.left_out) == ((), ())
    assert 23 <= result.pages <= 27  # other fonts have other widths
    pages = [" ".join(page.get_text().split()) for page in document]
    assert not pages[0].startswith(TITLE + " 2")
    assert all(
        TITLE in text and f"{number} / {result.pages}" in text
        for number, text in enumerate(pages[1:], 2)
    )
    assert [text for _, text, _ in document.get_toc()][1:4] == [
        "2 The network",
        "2.1 Where the gauges are",
        "2.2 What is new",
    ]
    assert unnumbered(headings_of(result.path)) == HEADINGS
    (turned,) = [page for page in document if page.rect.width > page.rect.height]
    words = {word[4] for word in turned.get_text("words")}
    assert {"Commissioned", "Transmission", "Measurements", "Clearwater"} <= words
    daily = [text for text in pages if "Highest (m)" in text]
    assert len(daily) > 8  # the head of the table is on each of its pages
    assert all("Rain (mm)" in text for text in daily)
    for page in document:
        right = page.rect.width - 24 / 25.4 * 72 + 2
        assert all(word[2] <= right for word in page.get_text("words"))
    everything = " ".join(pages)
    for mark in ("@", "{#", "[!", "\\newpage", "<kbd>", "]("):
        assert mark not in everything.replace("office@larkrise.example", "")
    contents = pages[0]
    for level, text, page in document.get_toc():
        if level <= 2:
            assert f"{text} {page}" in contents.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.thorough
async def test_the_pdf_without_a_browser(typesetter, tmp_path):
    result, document = await printed(typesetter, tmp_path)
    assert (len(result.warnings), result.left_out) == (1, ())
    assert unnumbered(headings_of(result.path)) == HEADINGS
    # a note at the foot of its page
    assert "The peak is the highest mean" in document[0].get_text()
    assert len([page for page in document if page.rect.width > page.rect.height]) == 1
    everything = " ".join(" ".join(page.get_text().split()) for page in document)
    assert "Table 1: Availability in per cent" in everything
    assert "Chow, Ven Te. 1959." in everything
    for mark in ("{#", "[!", "\\newpage", "]("):
        assert mark not in everything


@pytest.mark.thorough
async def test_the_docx(tmp_path):
    result = await export_docx(request(tmp_path / "report.docx"))
    assert (result.warnings, result.left_out) == ((), ())
    document = docx.Document(str(result.path))
    styles = {
        style: [p.text for p in document.paragraphs if p.style.name == style]
        for style in ("Title", "Image Caption")
    }
    assert styles["Title"] == [TITLE]
    assert [
        text.replace("\N{NO-BREAK SPACE}", " ").split(":")[0] for text in styles["Image Caption"]
    ] == ["Figure 1", "Figure 2"]
    found = [p.text for p in document.paragraphs if p.style.name.startswith("Heading")]
    assert unnumbered([text.replace("\N{NO-BREAK SPACE}", " ") for text in found]) == HEADINGS
    assert [section.orientation for section in document.sections] == [
        WD_ORIENT.PORTRAIT, WD_ORIENT.LANDSCAPE, WD_ORIENT.PORTRAIT,
    ]  # fmt: skip
    assert document.sections[0].header.paragraphs[0].text == TITLE
    merged = next(table for table in document.tables if table.style.name == "Table")
    assert [cell.text for cell in merged.rows[1].cells] == [
        "Station",
        "1",
        "2",
        "3",
        "4",
        "found",
        "kept",
    ]
    text = "\n".join(p.text for p in document.paragraphs)
    assert "Manning, Robert. 1891." in text
    for mark in ("@fig", "{#", "[!", "\\newpage"):
        assert mark not in text
