"""Every kind of document through the one way in: the library, its worker, and the reader for the
kind.
"""

import json
import zipfile

import psutil
import pytest

from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.workers import Limits, Workers

pytestmark = pytest.mark.slow


@pytest.fixture
async def library(tmp_path):
    async with DocumentLibrary(tmp_path / "kept", full_page_s=60) as library:
        yield library


async def test_office_files_pdf_and_notebooks(library, tmp_path):
    import docx
    import openpyxl

    document = docx.Document()
    document.add_heading("Visits", 1)
    document.add_paragraph("They rose in May.")
    document.save(tmp_path / "a.docx")
    workbook = openpyxl.Workbook()
    workbook.active.title = "May"
    workbook.active.append(["day", "visits"])
    workbook.active.append([1, 1204])
    workbook.create_sheet("June").append(["nothing"])
    workbook.save(tmp_path / "a.xlsx")
    (tmp_path / "a.html").write_text(
        "<html><body><h1>Visits</h1><p>They rose.</p></body></html>", encoding="utf-8"
    )
    (tmp_path / "a.rtf").write_text(r"{\rtf1 They rose.\par}", encoding="ascii")
    notebook = {
        "cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# Visits"]}],
        "metadata": {},
        "nbformat": 4,
    }
    (tmp_path / "a.ipynb").write_text(
        json.dumps({**notebook, "nbformat_minor": 5}), encoding="utf-8"
    )

    word = await library.read(tmp_path / "a.docx")
    assert word.text == "# Visits\n\nThey rose in May."
    assert word.sources[-1].source.headings == ("Visits",)
    sheet = await library.read(tmp_path / "a.xlsx")
    assert "| 1 | 1204 |" in sheet.text
    assert (sheet.sources[0].source.sheet, sheet.sources[0].source.cells) == ("May", "A1:B2")
    assert "nothing" in (await library.read(tmp_path / "a.xlsx", ReadOptions(sheet="june"))).text
    with pytest.raises(DocumentError, match="May") as raised:
        await library.read(tmp_path / "a.xlsx", ReadOptions(sheet="July"))
    assert raised.value.code == "no_sheet"
    assert "# Visits" in (await library.read(tmp_path / "a.html")).text
    assert (await library.read(tmp_path / "a.rtf")).text == "They rose."
    assert "# Visits" in (await library.read(tmp_path / "a.ipynb")).text


async def test_hostile_files_of_the_corpus_end_in_bounds_with_a_sentence(
    library, shared_documents, tmp_path
):
    """That they also end within ten seconds and 600 MB is what the limits of `Workers` see to;
    see test_library.py.
    """
    entries = json.loads((shared_documents / "manifest.json").read_text(encoding="utf-8"))[
        "entries"
    ]
    bounded = [entry for entry in entries if entry["expected"].get("type") == "bounded"]
    assert bounded
    for entry in bounded:
        try:
            assert (await library.read(shared_documents / entry["path"])).text
        except DocumentError as error:
            assert error.code in {"hostile", "timeout", "too_large"}
            assert error.remedy


async def test_pandoc_is_watched_too_and_ends_with_what_started_it(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{NAMESPACE}"><w:body>{PARAGRAPH * 1500}</w:body></w:document>',
        )
    async with DocumentLibrary(
        tmp_path / "kept", Workers(Limits(memory_bytes=90 << 20)), full_page_s=60
    ) as library:
        with pytest.raises(DocumentError) as raised:
            await library.read(tmp_path / "a.docx")
    assert raised.value.code == "hostile"
    assert not [
        process
        for process in psutil.Process().children(recursive=True)
        if "pandoc" in process.name()
    ]


NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PARAGRAPH = "<w:p><w:r><w:t>Some words of a paragraph.</w:t></w:r></w:p>"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = (
    f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels"'
    ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1"'
    f' Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
)
