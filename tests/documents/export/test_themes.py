"""Themes: one small file each, and both formats look like it."""

import asyncio

import docx
import pymupdf
import pytest

from dogent_tui.documents.export.model import ExportRequest
from dogent_tui.documents.export.themes import theme, theme_names
from dogent_tui.documents.exporter import plan_export
from dogent_tui.storage.paths import Workspace
from tests.documents.export.conftest import export_docx

TEXT = """---
title: Lease of the workshop
author: [Ada Okafor, 12 Mill Lane]
to: [Jonas Weber, 3 High Street]
date: 23 November 2026
THEME
---

Dear Mr Weber,

# A heading

We have enclosed a draft. It would help us to have your answer by the end of the month.

A second paragraph.
"""


def request(folder, name, kind, **given):
    source = folder / "text.md"
    source.write_text(TEXT.replace("THEME", f"theme: {name}"), "utf-8")
    target = folder / f"text.{kind}"
    return ExportRequest(
        kind=kind, markdown=source, target=target, root=folder, home=folder, **given
    )


@pytest.mark.thorough_after(2)
@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", theme_names())
@pytest.mark.parametrize("engine", ["browser", "typst"])
async def test_a_pdf_has_the_sizes_and_margins_of_the_theme(
    name, engine, tmp_path, exporter, typesetter
):
    look = theme(name)
    printer = {"browser": exporter, "typst": typesetter}[engine]
    result = await printer.export(request(tmp_path, name, "pdf"))
    assert result.left_out == ()
    pdf = pymupdf.open(result.path)
    spans = [
        (page.number, span)
        for page in pdf
        for block in page.get_text("dict")["blocks"]
        for line in block.get("lines", ())
        for span in line["spans"]
    ]

    def found(words):
        hits = [(page, span) for page, span in spans if words in span["text"]]
        return max(hits, key=lambda hit: hit[1]["size"])  # not the contents, nor a running head

    page, body = found("We have enclosed")
    assert body["size"] == pytest.approx(look.size, abs=0.2)
    assert body["bbox"][0] == pytest.approx(look.margins[1] * 72 / 25.4, abs=1.5)
    assert found("A heading")[1]["size"] == pytest.approx(look.heading_sizes[0], abs=0.2)
    title = next(part for part in look.title if part.part == "title")
    first, span = found("Lease of the")
    assert (first, span["size"]) == (0, pytest.approx(title.size, abs=0.2))
    assert (page > 0) == (look.cover or look.chapters)
    text = pdf[0].get_text()
    assert ("1 / " in text) == look.first_number
    assert ("Jonas Weber" in text) == any(part.part == "to" for part in look.title)
    assert (found("A second")[1]["bbox"][0] > body["bbox"][0] + 20) == bool(look.indent)


@pytest.mark.parametrize("name", theme_names())
def test_a_docx_has_the_sizes_and_margins_of_the_theme(name, tmp_path):
    look = theme(name)
    result = asyncio.run(export_docx(request(tmp_path, name, "docx")))
    document = docx.Document(str(result.path))
    section = document.sections[0]
    assert section.left_margin.mm == pytest.approx(look.margins[1], abs=0.1)
    assert section.top_margin.mm == pytest.approx(look.margins[0], abs=0.1)
    assert document.styles["Heading 1"].font.size.pt == look.heading_sizes[0]
    (title,) = [p for p in document.paragraphs if p.style.name == "Title"]
    part = next(part for part in look.title if part.part == "title")
    assert title.style.font.size.pt == part.size
    assert title.style.font.bold is (True if part.bold else None)
    assert document.element.xml.count('w:br w:type="page"') == look.cover


def test_the_first_that_asks_chooses(tmp_path):
    def size(**given):
        made = asyncio.run(export_docx(request(tmp_path, "minutes", "docx", **given)))
        return docx.Document(str(made.path)).styles["Title"].font.size.pt

    assert size() == size(usual_theme="letter") == 18
    assert size(theme="report") == 34


def test_a_theme_that_is_none_is_told(tmp_path):
    wanted = request(tmp_path, "fancy", "docx", usual_theme="letter")
    (warning,) = asyncio.run(export_docx(wanted)).warnings
    assert "no theme fancy" in warning


def test_the_setting_of_the_folder_is_asked_last(tmp_path):
    (tmp_path / ".dogent").mkdir()
    (tmp_path / ".dogent" / "dogent.json").write_text('{"export_theme": "letter"}')
    assert plan_export(Workspace(tmp_path), "text.md", "pdf").usual_theme == "letter"
