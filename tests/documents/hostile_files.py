"""Files that would hurt whoever reads them without a care: each function writes one, from next to
nothing.

`HOSTILE` names them all; `make bench` reads every one through ``dogent-tui read`` and watches its
process tree, and `test_hostile_files.py` reads those that are refused quickly.
"""

import io
import os
import random
import socket
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from tests.documents.hostile_pdf import HOSTILE_PDF

_CONTENT_TYPES = (
    '<?xml version="1.0"?><Types'
    ' xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default'
    ' Extension="rels"'
    ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default'
    ' Extension="xml" ContentType="application/xml"/><Override PartName="{part}"'
    ' ContentType="application/vnd.openxmlformats-officedocument.{kind}.main+xml"/></Types>'
)
_RELATIONS = (
    '<?xml version="1.0"?><Relationships'
    ' xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1"'
    ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"'
    ' Target="{part}"/></Relationships>'
)
_WORD = (
    "<w:document"
    ' xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}</w:body></w:document>'
)
_PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
_SHEET = (
    "<worksheet"
    ' xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData>{}</worksheet>'
)
_ODT = "application/vnd.oasis.opendocument.text"


def _zip(path: Path, parts: Mapping[str, str | bytes], *, stored: Iterable[str] = ()) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(
                name, content, zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            )


def _docx(
    path: Path, body: str, more: Mapping[str, str | bytes] | None = None, document: str = _WORD
) -> None:
    parts = {
        "[Content_Types].xml": _CONTENT_TYPES.format(
            part="/word/document.xml", kind="wordprocessingml.document"
        ),
        "_rels/.rels": _RELATIONS.format(part="word/document.xml", kind="officeDocument"),
        "word/document.xml": document.format(body),
    }
    _zip(path, {**parts, **(more or {})})


def _xlsx(
    path: Path, rows: str, after: str = "", more: Mapping[str, str | bytes] | None = None
) -> None:
    parts = {
        "[Content_Types].xml": _CONTENT_TYPES.format(
            part="/xl/workbook.xml", kind="spreadsheetml.sheet"
        ),
        "_rels/.rels": _RELATIONS.format(part="xl/workbook.xml", kind="officeDocument"),
        "xl/workbook.xml": (
            '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
            ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet'
            ' name="S" sheetId="1" r:id="r1"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": _RELATIONS.format(
            part="worksheets/sheet1.xml", kind="worksheet"
        ),
        "xl/worksheets/sheet1.xml": _SHEET.format(rows, after),
    }
    _zip(path, {**parts, **(more or {})})


def _odt(path: Path, content: str) -> None:
    styles = (
        '<office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>'
    )
    _zip(
        path, {"mimetype": _ODT, "content.xml": content, "styles.xml": styles}, stored=("mimetype",)
    )


# Word and its relatives


def docx_nested_bomb(path: Path) -> None:
    """A part that unpacks to a thousand times its size, and one in a zip in the docx that does
    so too.
    """
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big", bytes(30 << 20))
    _docx(
        path,
        _PARAGRAPH.format("x"),
        {"word/embeddings/inner.zip": inner.getvalue(), "word/media/image1.png": bytes(40 << 20)},
    )


def docx_lying_sizes(path: Path) -> None:
    """Its directory says that the main part is small."""
    _docx(path, _PARAGRAPH.format("word " * 40_000_000))
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("word/document.xml").file_size.to_bytes(4, "little")
    path.write_bytes(bytes(data).replace(size, (90_000).to_bytes(4, "little")))


def docx_overlapping(path: Path) -> None:
    """A thousand parts share the same bytes, as in the bombs that need no nesting."""
    _docx(
        path, _PARAGRAPH.format("x"), {"word/media/a.bin": random.Random(1).randbytes(1 << 20) * 20}
    )
    data = path.read_bytes()
    at = data.rfind(b"PK\x05\x06")
    directory = data[int.from_bytes(data[at + 16 : at + 20], "little") : at]
    one = directory[directory.rfind(b"PK\x01\x02") :]
    entries = [one.replace(b"a.bin", b"%05d" % number) for number in range(1000)]
    whole = directory + b"".join(entries)
    count = (int.from_bytes(data[at + 8 : at + 10], "little") + 1000).to_bytes(2, "little")
    end = data[at : at + 8] + count + count + len(whole).to_bytes(4, "little") + data[at + 16 :]
    path.write_bytes(data[: int.from_bytes(data[at + 16 : at + 20], "little")] + whole + end)


def docx_million_paragraphs(path: Path) -> None:
    """Eighty megabytes of words: nothing about it is wrong but its size."""
    words = random.Random(2)
    _docx(path, "".join(_PARAGRAPH.format(f"{words.random():.12f}") for _ in range(1_000_000)))


def docx_one_paragraph(path: Path) -> None:
    """Half a million runs in one paragraph, each with looks of its own."""
    run = "<w:r><w:rPr><w:b/><w:i/></w:rPr><w:t>{}</w:t></w:r><w:r><w:t>{}</w:t></w:r>"
    words = random.Random(3)
    _docx(
        path,
        "<w:p>"
        + "".join(run.format(words.random(), number) for number in range(250_000))
        + "</w:p>",
    )


def docx_deep_tables(path: Path) -> None:
    """Tables in tables, two hundred deep."""
    depth = 200
    inside = (
        "<w:tbl><w:tr><w:tc>" * depth
        + _PARAGRAPH.format("deep")
        + (_PARAGRAPH.format("") + "</w:tc></w:tr></w:tbl>") * depth
    )
    _docx(path, inside)


def docx_allowed_tables(path: Path) -> None:
    """Tables in tables as deep as the check lets pass, two in each cell: the text doubles with
    each level.
    """
    inside = _PARAGRAPH.format("x")
    for _ in range(16):
        inside = f"<w:tbl><w:tr><w:tc>{inside}</w:tc><w:tc>{inside}</w:tc></w:tr></w:tbl>{_PARAGRAPH.format('')}"  # noqa: E501
    _docx(path, inside)


def docx_wide_spans(path: Path) -> None:
    """Cells that say that they are a hundred million columns wide, and a row that skips as many."""
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="100000000"/></w:tcPr>{_PARAGRAPH.format("x")}</w:tc>'
    skip = '<w:trPr><w:gridBefore w:val="100000000"/></w:trPr>'
    _docx(path, f"<w:tbl><w:tr>{cell}{cell}</w:tr><w:tr>{skip}{cell}</w:tr></w:tbl>")


def docx_wide(path: Path) -> None:
    """Twenty thousand runs in a paragraph, two of which would be one in a document of Word's."""
    run = "<w:r><w:rPr>{}</w:rPr><w:t>x </w:t></w:r>"
    _docx(path, f"<w:p>{(run.format('') + run.format('<w:noProof/>')) * 10_000}</w:p>")


def docx_entities(path: Path) -> None:
    """Entities that multiply, in the main part of a docx."""
    _docx(path, _PARAGRAPH.format("&e9;"), document=_BOMB + _WORD)


def docx_outside(path: Path) -> None:
    """Parts that want to lie outside, and an image that is a file of the computer."""
    _docx(path, _PARAGRAPH.format("x"), {"../../../../tmp/dogent-outside": "x"})


_BOMB = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "ha">'
    + "".join(f'<!ENTITY e{number} "{f"&e{number - 1};" * 10}">' for number in range(1, 10))
    + ' <!ENTITY file SYSTEM "file:///etc/hostname">]>'
)
_ODT_BODY = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body><office:text>{}</office:text></office:body>'
    "</office:document-content>"
)


def odt_entities(path: Path) -> None:
    """The billion laughs."""
    _odt(path, _BOMB + _ODT_BODY.format("<text:p>&e9;&file;</text:p>"))


def odt_repeated(path: Path) -> None:
    """Spaces, cells and rows that are said to be repeated a hundred million times."""
    cell = (
        '<table:table-cell table:number-columns-repeated="100000000"><text:p>x<text:s'
        ' text:c="100000000"/></text:p>'
    )
    row = (
        "<table:table-row"
        f' table:number-rows-repeated="100000000">{cell}</table:table-cell></table:table-row>'
    )
    _odt(path, _ODT_BODY.format(f"<table:table>{row}</table:table>"))


def odt_deep_lists(path: Path) -> None:
    """Lists in lists, a hundred thousand deep."""
    depth = 100_000
    _odt(
        path,
        _ODT_BODY.format(
            "<text:list><text:list-item>" * depth + "</text:list-item></text:list>" * depth
        ),
    )


def epub_many_files(path: Path) -> None:
    """A hundred thousand chapters."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        for number in range(100_000):
            archive.writestr(f"OEBPS/{number}.xhtml", "<html><body><p>x</p></body></html>")


def epub_self_including(path: Path) -> None:
    """A spine that names the same chapter fifty thousand times."""
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"'
        ' version="1.0"><rootfiles><rootfile full-path="a.opf"'
        ' media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    spine = '<itemref idref="c"/>' * 50_000
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>'
        '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
        f"<spine>{spine}</spine></package>"
    )
    chapter = "<html><body>" + "<p>words and words</p>" * 2000 + "</body></html>"
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "a.opf": package,
        "c.xhtml": chapter,
    }
    _zip(path, parts, stored=("mimetype",))


def rtf_deep(path: Path) -> None:
    """Groups in groups, a million deep."""
    path.write_bytes(b"{\\rtf1 " + b"{\\b " * 1_000_000 + b"x" + b"}" * 1_000_001)


def rtf_huge_binary(path: Path) -> None:
    """A picture of a declared two gigabytes."""
    path.write_bytes(b"{\\rtf1 {\\pict\\pngblip\\bin2147483647 x}" + b"\\tx1" * 1_000_000 + b"}")


def html_deep(path: Path) -> None:
    """Fifty megabytes of nested divisions."""
    path.write_bytes(b"<html><body>" + b"<div>" * 10_000_000)


def html_unclosed(path: Path) -> None:
    """A megabyte of comments, attributes and tags that nothing closes."""
    path.write_bytes(b"<html><body>" + b'<a href="<!--<b <![CDATA[' * 40_000)


def html_spans(path: Path) -> None:
    """A table of a few bytes that is ten thousand million million cells large."""
    path.write_bytes(
        b"<html><table>"
        + b'<tr><td colspan="100000000" rowspan="100000000">x</td></tr>' * 3
        + b"</table></html>"
    )


def ipynb_deep(path: Path) -> None:
    """A notebook whose output nests a million deep."""
    path.write_bytes(
        b'{"cells": [{"cell_type": "code", "outputs": '
        + b"[" * 1_000_000
        + b"]" * 1_000_000
        + b"}]}"
    )


def ipynb_many(path: Path) -> None:
    """A notebook of half a million cells."""
    cell = b'{"cell_type": "markdown", "metadata": {}, "source": ["* a *b* [c](d)\\n"]},'
    path.write_bytes(
        b'{"cells": ['
        + (cell * 500_000)[:-1]
        + b'], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )


def pptx_entities(path: Path) -> None:
    """The billion laughs, in a slide show."""
    parts = {
        "[Content_Types].xml": _CONTENT_TYPES.format(
            part="/ppt/presentation.xml", kind="presentationml.presentation"
        ),
        "_rels/.rels": _RELATIONS.format(part="ppt/presentation.xml", kind="officeDocument"),
        "ppt/presentation.xml": _BOMB + "<p>&e9;</p>",
    }
    _zip(path, parts)


# Workbooks and tables


def xlsx_far_cell(path: Path) -> None:
    """One cell in the first and one in the last corner that a sheet has."""
    _xlsx(
        path,
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c'
        ' r="XFD1048576"><v>2</v></c></row>',
    )


def xlsx_beyond(path: Path) -> None:
    """A cell in a row and a column that no sheet has."""
    _xlsx(path, '<row r="4000000000"><c r="ZZZZZZ4000000000"><v>3</v></c></row>')


def xlsx_merges(path: Path) -> None:
    """Fifty thousand merged ranges, each of most of the sheet."""
    pen = random.Random(8)
    merges = "".join(
        f'<mergeCell ref="A{pen.randrange(1, 1 << 20)}:XFD1048576"/>' for _ in range(50_000)
    )
    _xlsx(path, '<row r="1"><c r="A1"><v>1</v></c></row>', f"<mergeCells>{merges}</mergeCells>")


def xlsx_long_text(path: Path) -> None:
    """A shared text of ninety megabytes, which every cell shows."""
    text = "".join(
        f"{value:.9f} "
        for value in map(random.Random(4).uniform, range(6_000_000), range(6_000_000))
    )
    strings = (
        "<sst"
        f' xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>{text[: 90 << 20]}</t></si></sst>'  # noqa: E501
    )
    cells = "".join(
        f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(1, 1001)
    )
    relation = _RELATIONS.format(part="worksheets/sheet1.xml", kind="worksheet").replace(
        "</Relationships>",
        '<Relationship Id="r2"'
        ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"'
        ' Target="sharedStrings.xml"/></Relationships>',
    )
    _xlsx(
        path, cells, more={"xl/sharedStrings.xml": strings, "xl/_rels/workbook.xml.rels": relation}
    )


def xlsx_wide_rows(path: Path) -> None:
    """Two hundred rows with a cell in each of 16,384 columns."""
    words = random.Random(5)
    row = "".join(f"<c><v>{words.random():.9f}</v></c>" for _ in range(16_384))
    _xlsx(path, "".join(f'<row r="{number}">{row}</row>' for number in range(1, 201)))


def xlsx_entities(path: Path) -> None:
    """The billion laughs, as the shared texts of a workbook."""
    sheet = _BOMB + _SHEET.format(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>&e9;</t></is></c></row>', ""
    )
    _xlsx(path, "", more={"xl/worksheets/sheet1.xml": sheet})


def csv_one_line(path: Path) -> None:
    """A line of a gigabyte, which takes no room on the disk."""
    with path.open("wb") as file:
        file.write(b"a,b,c\n1,")
        file.truncate(1 << 30)


def csv_one_cell(path: Path) -> None:
    """A quote that is opened and not closed for a hundred megabytes."""
    with path.open("wb") as file:
        file.write(b'a,b,c\n1,"')
        for _ in range(100):
            file.write(b"words, and words\n" * (1_000_000 // 17))


def csv_wide(path: Path) -> None:
    """A million columns."""
    line = b"x," * 1_000_000 + b"\n"
    path.write_bytes(line * 20)


def text_one_line(path: Path) -> None:
    """Two hundred megabytes of letters without an end of a line."""
    with path.open("wb") as file:
        for _ in range(200):
            file.write(b"word " * 200_000)


def markdown_fences(path: Path) -> None:
    """Twenty megabytes of what a parser of Markdown may take for the beginning of something."""
    path.write_bytes(b"[" * 10_000_000 + b"\n" + b"> " * 5_000_000 + b"\n```" + b"`" * 1_000_000)


def json_deep(path: Path) -> None:
    """A file of source code that is one million brackets."""
    path.write_bytes(b"[" * 1_000_000)


# What is no file, or no longer the same


def fifo(path: Path) -> None:
    """A pipe into which nobody ever writes."""
    os.mkfifo(path)


def device(path: Path) -> None:
    """A link to a device that never ends."""
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    """A folder with the name of a document."""
    path.mkdir()


def unix_socket(path: Path) -> None:
    """A socket, whose address has to be short."""
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as made:
        os.chdir(path.parent)
        try:
            made.bind(path.name)
        finally:
            os.chdir(here)


def link_loop(path: Path) -> None:
    """A link that leads to itself."""
    path.symlink_to(path.name)


HOSTILE: Mapping[str, Callable[[Path], None]] = {
    "nested bomb.docx": docx_nested_bomb,
    "lying sizes.docx": docx_lying_sizes,
    "overlapping.docx": docx_overlapping,
    "million paragraphs.docx": docx_million_paragraphs,
    "one paragraph.docx": docx_one_paragraph,
    "deep tables.docx": docx_deep_tables,
    "doubling tables.docx": docx_allowed_tables,
    "wide spans.docx": docx_wide_spans,
    "wide.docx": docx_wide,
    "entities.docx": docx_entities,
    "outside.docx": docx_outside,
    "entities.odt": odt_entities,
    "repeated.odt": odt_repeated,
    "deep lists.odt": odt_deep_lists,
    "many files.epub": epub_many_files,
    "one chapter.epub": epub_self_including,
    "deep.rtf": rtf_deep,
    "huge binary.rtf": rtf_huge_binary,
    "deep.html": html_deep,
    "unclosed.html": html_unclosed,
    "spans.html": html_spans,
    "deep.ipynb": ipynb_deep,
    "many.ipynb": ipynb_many,
    "entities.pptx": pptx_entities,
    "far cell.xlsx": xlsx_far_cell,
    "beyond.xlsx": xlsx_beyond,
    "merges.xlsx": xlsx_merges,
    "long text.xlsx": xlsx_long_text,
    "wide rows.xlsx": xlsx_wide_rows,
    "entities.xlsx": xlsx_entities,
    "one line.csv": csv_one_line,
    "one cell.csv": csv_one_cell,
    "wide.csv": csv_wide,
    "one line.txt": text_one_line,
    "fences.md": markdown_fences,
    "deep.json": json_deep,
    **HOSTILE_PDF,
    "pipe.pdf": fifo,
    "device.docx": device,
    "folder.pdf": folder,
    "socket.txt": unix_socket,
    "loop.md": link_loop,
}
"""By the names of the files that they write."""
