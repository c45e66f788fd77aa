"""A docx as whoever opens it sees it: read back by python-docx and by pandoc, made by the real
pandoc.
"""

import asyncio
import io
import json
import re
import subprocess
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import docx
import pytest
from docx.enum.section import WD_ORIENT
from docx.oxml.ns import qn
from docx.shared import Mm, Pt
from PIL import Image

from dogent_tui.documents.export.docx_reference import built_in
from dogent_tui.documents.export.model import ExportRequest
from dogent_tui.documents.export.themes import DEFAULT, theme
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.program import pandoc_path
from tests.documents.export.conftest import export_docx

pytestmark = pytest.mark.slow

RICH = """\
---
title: The City Library & its <readers>
subtitle: An annual report
author: [Ada Okafor, 李雷]
date: 2026-11-20
lang: zh-CN
keywords: [library, 图书馆]
subject: Libraries
description: What we found.
toc: true
---

# Results 结果

本报告说明了图书馆的发展情况。 With *emphasis*, `code`, ~~old~~, H<sub>2</sub>O and a note[^1].

[^1]: The note, with a [link](https://example.org/note).

## Numbers

| Year | Visitors | Remark |
|:-----|---------:|--------|
| 2024 | 12,345   | a longer remark that needs more room than the others do, by far, so that its column has to be wide |
| 2025 | 13,456   | short  |

The paragraph after the table: $x^2$ is a formula, and so is

$$\\int_0^1 x\\,dx$$

- [ ] to do
- [x] done

Term
: Its definition

```python
def greet(name): return f"Hello {name}"
```

> [!WARNING]
> Take care.

\\newpage

## After the break

See [the results](#results-结果) and write to [us](mailto:us@example.org).

### Too deep for some

Text.
"""  # noqa: E501


class Made:
    """An exported document, opened."""

    def __init__(self, path: Path, result):
        self.path = path
        self.result = result
        self.document = docx.Document(str(path))
        self.package = zipfile.ZipFile(path)

    def part(self, name: str) -> str:
        return self.package.read(name).decode()

    def styles_of(self, style: str) -> list[str]:
        return [
            paragraph.text
            for paragraph in self.document.paragraphs
            if paragraph.style.name == style
        ]

    def read_back(self, *arguments: str) -> str:
        command = [
            str(pandoc_path()),
            "-f",
            "docx",
            "--wrap=none",
            *(arguments or ("-t", "gfm")),
            str(self.path),
        ]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def export(tmp_path):
    """Export a Markdown text as the file report.md of a workspace."""
    root = tmp_path / "workspace"
    root.mkdir()

    def run(text: str, **wanted) -> Made:
        (root / "report.md").write_text(text, encoding="utf-8")
        target = root / "report.docx"
        request = ExportRequest(
            kind="docx",
            markdown=root / "report.md",
            target=target,
            root=root,
            home=tmp_path / "home",
            **wanted,
        )
        return Made(target, asyncio.run(export_docx(request)))

    run.root, run.home = root, tmp_path / "home"
    return run


def picture(path: Path, size=(640, 320), **options) -> bytes:
    Image.new("RGB", size, "#4477aa").save(path, **options)
    return path.read_bytes()


# The text


def test_a_document_comes_back_as_it_was_written(export):
    made = export(RICH)
    assert made.result.engine.startswith("pandoc ")
    assert (made.result.warnings, made.result.left_out) == ((), ())
    text = made.read_back()
    for words in (
        "# Results 结果",
        "本报告说明了图书馆的发展情况。",
        "*emphasis*",
        "`code`",
        "~~old~~",
        "H<sub>2</sub>O",
    ):
        assert words in text
    assert "[^1]: The note" in text
    assert "| 2024 | 12,345" in text
    assert "[us](mailto:us@example.org)" in text
    assert "$`x^{2}`$" in text
    assert made.styles_of("Title") == ["The City Library & its <readers>"]
    assert made.styles_of("Subtitle") == ["An annual report"]
    assert made.styles_of("Author") == ["Ada Okafor", "李雷"]
    assert made.styles_of("Definition Term") == ["Term"]
    warning = made.document.tables[-1]
    assert warning.style.name == "Callout Warning"
    assert [row.cells[0].text for row in warning.rows] == ["警告", "Take care."]
    assert "KeywordTok" in made.part("word/document.xml")


def test_properties_are_those_of_the_front_matter(export, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    properties = export(RICH).document.core_properties
    assert properties.title == "The City Library & its <readers>"
    assert properties.author == "Ada Okafor; 李雷"
    assert (properties.subject, properties.keywords, properties.comments) == (
        "Libraries",
        "library, 图书馆",
        "What we found.",
    )
    assert properties.language == "zh-CN"
    assert properties.created == datetime(2026, 11, 20, tzinfo=UTC)
    assert properties.modified == datetime.fromtimestamp(1800000000, UTC)


def test_without_front_matter_the_first_heading_names_the_document(export):
    made = export("# The first\n\nText.\n")
    assert made.document.core_properties.title == "The first"
    assert made.styles_of("Title") == []
    assert export("Text.\n").document.core_properties.title == "report"


def test_the_abstract_has_a_style_of_its_own(export):
    made = export("---\ntitle: A\nabstract: We prove it.\n---\n\nText\n")
    assert made.styles_of("Abstract") == ["We prove it."]


def test_the_line_below_the_title_is_that_of_its_styles(export):
    made = export("---\ntitle: A\nauthor: [B, C]\n---\n\nText\n")
    assert [paragraph.text for paragraph in made.document.paragraphs] == ["A", "B", "C", "Text"]
    for name in ("Title", "Author"):
        assert made.document.styles[name].element.pPr.find(qn("w:pBdr")) is not None
    after = [p.paragraph_format.space_after for p in made.document.paragraphs]
    assert [space and space.pt for space in after] == [None, None, 20, None]


def test_a_call_out_is_not_broken_across_pages_and_a_quotation_may_be(export):
    made = export("> [!TIP]\n> Words.\n\n> Words\n>\n> ```\n> code\n> ```\n")
    tip, quotation = made.document.tables
    broken = [row._tr.trPr is None for table in (tip, quotation) for row in table.rows]
    assert broken == [False, False, True]


def test_a_heading_that_repeats_the_title_stands_there_once(export):
    made = export("---\ntitle: The report\n---\n\n# The report\n\n## Part\n")
    assert (made.styles_of("Title"), made.styles_of("Heading 1"), made.styles_of("Heading 2")) == (
        ["The report"],
        [],
        ["Part"],
    )


def test_the_table_of_contents_is_there_before_any_program_fills_it(export):
    made = export(RICH)
    assert made.styles_of("TOC Heading") == []  # python-docx sees no content controls
    document = made.part("word/document.xml")
    block = document[document.index("<w:sdt>") : document.index("</w:sdt>")]
    titles = ["目录", "Results 结果", "Numbers", "After the break", "Too deep for some"]
    entries = [re.findall(r"<w:t[^>]*>([^<]*)</w:t>", entry) for entry in block.split("</w:p>")]
    assert ["".join(entry) for entry in entries if entry] == titles
    assert re.findall(r'<w:pStyle w:val="(TOC\d)"', block) == ["TOC1", "TOC2", "TOC2", "TOC3"]
    anchors = re.findall(r'w:anchor="([^"]*)"', block)
    assert all(f'w:name="{anchor}"' in document for anchor in anchors)
    assert re.findall(r'w:fldCharType="(\w+)"', block) == ["begin", "separate", "end"]
    assert r"TOC \o &quot;1-3&quot;" in block or r'TOC \o "1-3"' in block
    settings = made.part("word/settings.xml")
    assert block.count('w:dirty="true"') == 1  # the pages are not known yet
    assert settings.index("<w:compat>") < settings.index("<w:themeFontLang")


def test_the_contents_stand_where_the_text_wants_them_and_only_where_they_are_wanted(export):
    text = "# Only title\n\nBefore.\n\n[TOC]\n\n## One\n\n### Two\n"
    document = export(text).part("word/document.xml")
    block = document[document.index("<w:sdt>") : document.index("</w:sdt>")]
    assert (
        document.index("Before.")
        < document.index("<w:sdt>")
        < document.index(">One</w:t></w:r></w:p>")
    )
    assert re.findall(r"<w:t[^>]*>([^<]*)</w:t>", block) == ["Contents", "One", "Two"]
    assert "dogent-toc" not in document
    without = export(text, toc=False).part("word/document.xml")
    assert "<w:sdt>" not in without
    assert "dogent-toc" not in without
    assert "<w:sdt>" not in export("# A\n").part("word/document.xml")
    assert "<w:sdt>" in export("# A\n\n# B\n", toc=True).part("word/document.xml")


def test_a_page_breaks_before_the_paragraph_and_leaves_no_empty_line(export):
    made = export(
        "One.\n\n\\newpage\n\n# Two\n\n<!-- pagebreak -->\n\nThree.\n\n\\pagebreak\n\n| a"
        " |\n|---|\n| 1 |\n"
    )
    breaks = {p.text: p.paragraph_format.page_break_before for p in made.document.paragraphs}
    assert (breaks["One."], breaks["Two"], breaks["Three."]) == (None, True, True)
    # a table cannot take it
    assert made.part("word/document.xml").count('<w:br w:type="page"') == 1


def test_tables_have_borders_a_heading_that_repeats_and_columns_that_fit(export):
    made = export(RICH)
    table = made.document.tables[0]
    assert table.style.name == "Table"
    borders = table.style.element.find(f"{qn('w:tblPr')}/{qn('w:tblBorders')}")
    sides = ("top", "bottom", "insideH")
    assert {border.tag for border in borders} == {qn(f"w:{side}") for side in sides}
    assert table.rows[0]._tr.trPr.find(qn("w:tblHeader")) is not None
    assert all(row._tr.trPr.find(qn("w:cantSplit")) is not None for row in table.rows)
    widths = [column.width.twips for column in table.columns]
    assert sum(widths) == pytest.approx(9184, abs=5)
    assert widths[2] > 3 * widths[0]
    assert [cell.paragraphs[0].alignment for cell in table.rows[1].cells][1].name == "RIGHT"


def test_each_cell_has_the_width_of_its_columns(export):
    made = export(
        "<table><tr><th>Long words in it</th><th colspan=2>b</th></tr>"
        "<tr><td>1</td><td>2</td><td>three</td></tr></table>\n"
    )
    (table,) = made.document.tables
    grid = [int(column.get(qn("w:w"))) for column in table._tbl.tblGrid]
    rows = [[cell.width.twips for cell in row._tr.tc_lst] for row in table.rows]
    assert rows == [[grid[0], grid[1] + grid[2]], grid]


def test_cells_of_several_columns_and_lists_have_room_for_their_words(export):
    cells = "<td>a</td><td>b</td>"
    table = (
        f'<table><tr><td colspan="2"><ul><li>watched</li></ul></td></tr><tr>{cells}</tr></table>'
    )
    widths = re.findall(r'<w:gridCol w:w="(\d+)"', export(f"{table}\n").part("word/document.xml"))
    assert sum(map(int, widths)) > 20 * (36 + 5.6 * len("watched"))


def test_paragraphs_of_an_item_begin_where_its_text_does(export):
    numbering = export("1. one\n\n   ```\n   code\n   ```\n").part("word/numbering.xml")
    (unmarked,) = re.findall(
        r'(?s)<w:abstractNum w:abstractNumId="990">.*?</w:abstractNum>', numbering
    )
    assert set(re.findall(r"w:hanging=.(\d+)", unmarked)) == {"0"}
    assert unmarked.count("<w:suff ") == 9


def test_images_of_a_group_have_the_sizes_that_were_asked_for(export):
    images = "![A](a.png){width=30%}\n\n![B](a.png){width=90%}\n\nBoth\n"
    picture(export.root / "a.png")
    found = export(f"::: {{#fig:g}}\n{images}:::\n").part("word/document.xml")
    first, second = (int(size) / 12700 for size in re.findall(r'wp:extent cx="(\d+)"', found))
    assert first == pytest.approx(0.3 * 459, rel=0.05)
    assert second == pytest.approx(0.5 * 459, rel=0.05)


def test_a_wide_table_has_its_heading_with_it_and_no_page_is_empty(export):
    wide = "|" + " a long heading |" * 12 + "\n" + "|---" * 12 + "|\n"
    made = export(f"# First\n\nText\n\n\\newpage\n\n## The table\n\n{wide}")
    sections = [section.orientation for section in made.document.sections]
    assert sections == [WD_ORIENT.PORTRAIT, WD_ORIENT.LANDSCAPE]
    assert [s.different_first_page_header_footer for s in made.document.sections] == [True, False]
    body = [part for part in made.document.element.body if part.tag == qn("w:p")]
    ends = next(at for at, part in enumerate(body) if part.find(f".//{qn('w:sectPr')}") is not None)
    styles = [part.style for part in body]
    assert (styles.index("Heading1") < ends, styles.index("Heading2") > ends) == (True, True)
    xml = made.document.element.xml
    assert ("w:br " in xml, "w:pageBreakBefore" in xml) == (False, False)


def test_what_is_read_from_right_to_left_is_so_in_word(export):
    made = export("שלום עולם `code`\n\n| א | ב |\n|---|---|\n| 1 | 2 |\n\n```\nprint(1)\n```\n")
    first, code = made.document.paragraphs[0], made.document.paragraphs[-1]
    assert first._p.pPr.find(qn("w:bidi")) is not None
    assert [run.font.rtl for run in first.runs if "code" in run.text] == [None]
    assert (code.text, code._p.pPr.find(qn("w:bidi"))) == ("print(1)", None)
    assert made.document.tables[0]._tbl.tblPr.find(qn("w:bidiVisual")) is not None


def test_a_long_cell_leaves_its_neighbors_room_for_a_whole_word(export):
    made = export(f"| Month | Remark |\n|---|---|\n| November | {'a long remark ' * 20} |\n")
    (table,) = made.document.tables
    # the word has 46 points, bold 50, and the cell margins of 13
    assert table.columns[0].width.pt > 60


def test_what_follows_a_tight_list_keeps_off_it(export):
    made = export("- one\n- two\n\n| a |\n|---|\n| b |\n\n1. first\n2. last\n\nText.\n")
    spaces = {
        paragraph.text: paragraph.paragraph_format.space_after
        for paragraph in made.document.paragraphs
    }
    assert spaces["one"] == spaces["first"] is None
    assert spaces["two"].pt == spaces["last"].pt == 7


def test_fonts_are_set_for_the_east_asian_language(export):
    def font(text):
        made = export(text)
        fonts = made.document.styles.element.find(f".//{qn('w:docDefaults')}//{qn('w:rFonts')}")
        return fonts.get(qn("w:eastAsia"))

    assert font("---\nlang: zh-CN\n---\n\n中文\n") == "Microsoft YaHei"
    assert font("---\nlang: zh-Hant\n---\n\n中文\n") == "Microsoft JhengHei"
    assert font("日本語のテキストです。\n") == "Yu Gothic"
    assert font("한국어 문서입니다.\n") == "Malgun Gothic"
    assert font("English only.\n") == "Microsoft YaHei"


@pytest.mark.parametrize(
    ("lang", "latin", "east_asian"),
    [("de-AT", "de-AT", "zh-CN"), ("ja", "en-US", "ja"), ("", "en-US", "zh-CN")],
)
def test_the_language_for_spelling_is_that_of_the_document(export, lang, latin, east_asian):
    made = export(f"---\nlang: {lang}\n---\n\nText.\n")
    language = made.document.styles.element.find(f".//{qn('w:docDefaults')}//{qn('w:lang')}")
    assert (language.get(qn("w:val")), language.get(qn("w:eastAsia"))) == (latin, east_asian)


# Images


def test_images_have_the_sizes_that_were_asked_for(export):
    png = picture(export.root / "pic.png")
    jpeg = picture(export.root / "photo of us.jpg", (200, 100), dpi=(200, 200))
    made = export(
        "![own](pic.png)\n\n![half](pic.png){width=50%}\n\n![cm](pic.png){height=2cm}\n\n"
        "Inline ![px](<photo of us.jpg>){width=96px} and ![dpi](photo%20of%20us.jpg).\n"
    )
    sizes = [
        (round(shape.width.pt), round(shape.height.pt)) for shape in made.document.inline_shapes
    ]
    assert sizes == [(459, 230), (230, 115), (113, 57), (72, 36), (72, 36)]
    media = {
        name: made.package.read(name)
        for name in made.package.namelist()
        if name.startswith("word/media/")
    }
    assert sorted(media.values(), key=len) == sorted([png, jpeg], key=len)  # each once, as it was
    assert "base64" not in made.part("word/document.xml")
    descriptions = [shape._inline.docPr.get("descr") for shape in made.document.inline_shapes]
    assert descriptions == ["own", "half", "cm", "px", "dpi"]


def test_an_image_never_leaves_the_page(export):
    picture(export.root / "tall.png", (100, 4000))
    (shape,) = export("![tall](tall.png)\n").document.inline_shapes
    assert shape.height.pt <= 701
    assert shape.height / shape.width == pytest.approx(40, rel=0.02)
    picture(export.root / "wide.png", (900, 300))
    made = export("| A | B |\n|---|---|\n| ![](wide.png) | ![](wide.png) |\n")
    cells = made.document.tables[0].rows[1].cells
    for cell, shape in zip(cells, made.document.inline_shapes, strict=True):
        assert 150 < shape.width.pt < cell.width.pt
        assert shape.width / shape.height == pytest.approx(3, rel=0.02)


def test_a_photograph_stands_upright(export):
    exif = Image.Exif()
    exif[0x0112] = 6  # held on its side
    picture(export.root / "photo.jpg", (200, 100), exif=exif)
    made = export("![photo](photo.jpg)\n")
    (shape,) = made.document.inline_shapes
    assert (round(shape.width.pt), round(shape.height.pt)) == (75, 150)
    (name,) = [name for name in made.package.namelist() if name.startswith("word/media/")]
    seen = Image.open(io.BytesIO(made.package.read(name)))
    assert (seen.size, seen.getexif().get(0x0112, 1)) == ((100, 200), 1)


def test_a_figure_has_its_title_as_caption(export):
    picture(export.root / "pic.png")
    made = export('![what is seen](pic.png "Figure 1: the *library*")\n\n![no caption](pic.png)\n')
    assert made.styles_of("Image Caption") == ["Figure 1: the *library*"]


def test_a_drawing_is_there_twice_for_programs_that_draw_no_svg(export):
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="80"><rect width="200"'
        ' height="80" fill="red"/></svg>'
    )
    (export.root / "d.svg").write_text(svg, encoding="utf-8")
    made = export(
        "![drawing](d.svg)\n\nAnd a note[^1].\n\n[^1]: With it: ![again](d.svg){width=30px}\n"
    )
    media = [name for name in made.package.namelist() if name.startswith("word/media/")]
    assert sorted(Path(name).suffix for name in media) == [".png", ".svg"]
    raster = Image.open(
        io.BytesIO(made.package.read(next(name for name in media if name.endswith(".png"))))
    )
    assert raster.getpixel((raster.width // 2, raster.height // 2))[:3] == (255, 0, 0)
    assert made.part("word/document.xml").count("svgBlip") == 1
    assert made.part("word/footnotes.xml").count("svgBlip") == 1
    assert "base64" not in made.part("word/footnotes.xml")
    relations = made.part("word/_rels/footnotes.xml.rels")
    assert all(
        f"word/{target}" in made.package.namelist()
        for target in re.findall(r'Target="(media/[^"]*)"', relations)
    )


# Styles


def test_the_reference_document_of_the_workspace_comes_before_that_of_the_home(export):
    def reference(folder: Path, size: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        parts = zipfile.ZipFile(io.BytesIO(built_in(theme(DEFAULT))))
        with zipfile.ZipFile(folder / "reference.docx", "w") as package:
            for name in parts.namelist():
                content = parts.read(name)
                package.writestr(
                    name, content.replace(b'<w:sz w:val="40"/>', f'<w:sz w:val="{size}"/>'.encode())
                )

    def heading_size() -> float:
        return export("# Heading\n").document.styles["Heading 1"].font.size.pt

    assert heading_size() == 20
    reference(export.home, "36")
    assert heading_size() == 18
    reference(export.root / ".dogent", "60")
    assert heading_size() == 30


def test_a_reference_document_that_cannot_be_used_is_told_and_passed_over(export, tmp_path):
    dot = export.root / ".dogent"
    dot.mkdir()
    (dot / "reference.docx").write_bytes(b"PK\x03\x04 no zip")
    (warning,) = export("# A\n").result.warnings
    assert ".dogent/reference.docx were not used" in warning
    (dot / "reference.docx").unlink()
    (tmp_path / "elsewhere.docx").write_bytes(built_in(theme(DEFAULT)))
    (dot / "reference.docx").symlink_to(tmp_path / "elsewhere.docx")
    (warning,) = export("# A\n").result.warnings
    assert "outside the workspace" in warning


def test_a_reference_document_with_damaged_xml_is_passed_over(export):
    dot = export.root / ".dogent"
    dot.mkdir()
    parts = zipfile.ZipFile(io.BytesIO(built_in(theme(DEFAULT))))
    with zipfile.ZipFile(dot / "reference.docx", "w") as package:
        for name in parts.namelist():
            package.writestr(name, b"<w:styles" if name == "word/styles.xml" else parts.read(name))
    made = export("# A\n")
    assert "its XML cannot be parsed" in made.result.warnings[0]
    assert made.styles_of("Heading 1") == ["A"]


def test_a_reference_document_of_a_word_in_another_language_has_its_headings_in_the_contents(
    export,
):
    dot = export.root / ".dogent"
    dot.mkdir()
    parts = zipfile.ZipFile(io.BytesIO(built_in(theme(DEFAULT))))
    with zipfile.ZipFile(dot / "reference.docx", "w") as package:
        for name in parts.namelist():
            german = (
                parts.read(name)
                .replace(b'"Heading1"', b'"berschrift1"')
                .replace(b'"TOC1"', b'"Verzeichnis1"')
            )
            package.writestr(name, german)
    document = export("# Erstes\n\n# Zweites\n", toc=True).part("word/document.xml")
    block = document[document.index("<w:sdt>") : document.index("</w:sdt>")]
    assert re.findall(r'"(Verzeichnis1)"', block) == ["Verzeichnis1"] * 2
    assert ">Erstes<" in block


@pytest.mark.parametrize(
    ("part", "kind", "is_taken"),
    [("footer1", "image", False), ("footnotes", "hyperlink", True)],
    ids=["fetches", "pandoc's own"],
)
def test_a_part_that_would_fetch_something_is_not_taken_over(export, part, kind, is_taken):
    dot = export.root / ".dogent"
    dot.mkdir()
    parts = zipfile.ZipFile(io.BytesIO(built_in(theme(DEFAULT))))
    remote = (
        f'<Relationship Id="r1" Type="http://x/{kind}" Target="http://127.0.0.1:9/x.png"'
        ' TargetMode="External"/>'
    )
    with zipfile.ZipFile(dot / "reference.docx", "w") as package:
        for name in parts.namelist():
            package.writestr(name, parts.read(name))
        package.writestr(f"word/_rels/{part}.xml.rels", f"<Relationships>{remote}</Relationships>")
    made = export("# A\n")
    assert ["header or footer" in told for told in made.result.warnings] == [True] * (not is_taken)
    assert is_taken or not any(
        "127.0.0.1" in made.part(name)
        for name in made.package.namelist()
        if name.endswith((".xml", ".rels"))
    )


def test_the_built_in_styles_open_as_a_document(tmp_path):
    path = tmp_path / "reference.docx"
    path.write_bytes(built_in(theme(DEFAULT), "ja-JP"))
    document = docx.Document(str(path))
    assert {"Heading 1", "Source Code", "Callout", "Table"} <= {
        style.name for style in document.styles
    }
    assert document.sections[0].page_width.mm == pytest.approx(210, abs=0.5)


# What can go wrong


def test_nothing_half_written_and_no_temporary_files_when_it_fails(export):
    (export.root / "report.docx").write_bytes(b"the old one")
    for text in ("> " * 2000 + "deep\n", "<div>" * 3000 + "\n"):
        with pytest.raises(DocumentError):
            export(text)
    assert (export.root / "report.docx").read_bytes() == b"the old one"
    assert sorted(path.name for path in export.root.iterdir()) == ["report.docx", "report.md"]


def test_who_gives_up_waits_for_nothing_and_nothing_is_written(export):
    async def gives_up() -> None:
        text = "# Heading\n\n" + "word *word* " * 200_000
        (export.root / "report.md").write_text(text, encoding="utf-8")
        request = ExportRequest(
            kind="docx",
            markdown=export.root / "report.md",
            target=export.root / "report.docx",
            root=export.root,
            home=export.home,
        )
        started = asyncio.Event()
        exporting = asyncio.create_task(export_docx(request, lambda _: started.set()))
        await started.wait()
        await asyncio.sleep(0)  # so that it waits for the thread
        exporting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await exporting

    asyncio.run(gives_up())  # it ends only when the threads have ended
    assert not (export.root / "report.docx").exists()


def test_a_file_that_is_not_there_is_a_sentence(tmp_path):
    request = ExportRequest(
        kind="docx",
        markdown=tmp_path / "no.md",
        target=tmp_path / "no.docx",
        root=tmp_path,
        home=tmp_path,
    )
    with pytest.raises(DocumentError, match=r"no\.md does not exist"):
        asyncio.run(export_docx(request))


def test_a_formula_that_cannot_be_set_is_told(export):
    made = export("$\\nosuchcommand{x}{y}_$ and text\n")
    assert any("TeX" in warning for warning in made.result.warnings)


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "---\ntitle: T\n---\n",
        "\\newpage\n",
        "[TOC]\n",
        "***\n",
        "<!-- a comment -->\n",
        "| a |\n|-|\n",
    ],
)
def test_what_has_hardly_a_text_is_a_document_still(export, text):
    assert export(text, toc=True).document is not None


def test_json_of_pandoc_is_understood(export):
    """What `tree` walks is what this pandoc writes: a new version with another tree would show
    here.
    """
    tree = json.loads(
        subprocess.run(
            [str(pandoc_path()), "-t", "json"],
            input="![a](b)",
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    assert tree["blocks"][0]["c"]
    assert set(tree) == {"pandoc-api-version", "meta", "blocks"}


def test_what_other_programs_take_for_wrong_is_not_written(export):
    made = export("$\\sum_i (x_i)^2$\n")
    text = made.part("word/document.xml")
    assert text.count("<m:lit/>") == 2  # LibreOffice shows a mark of an error without it
    assert 'w:name="compatibilityMode"' in made.part("word/settings.xml")  # Word: “Compatibility”


def test_code_and_notes_look_like_what_they_are_with_any_reference_document(export):
    path = export.root / ".dogent" / "reference.docx"
    path.parent.mkdir()
    plain = docx.Document()
    plain.styles["Body Text"].font.size = Pt(15)
    plain.sections[0].page_width = Mm(210)
    plain.save(path)
    made = export("---\npapersize: A5\n---\nSome `code`.[^1]\n\n```\nmore\n```\n\n[^1]: Note.\n")
    assert made.document.styles["Verbatim Char"].font.name
    assert made.document.styles["footnote reference"].font.superscript
    assert made.document.styles["Body Text"].font.size == Pt(15)
    (warning,) = made.result.warnings
    assert "papersize" in warning and ".dogent/reference.docx" in warning
    assert export("---\npapersize: a4\n---\nText.\n").result.warnings == ()


def test_styles_of_tables_come_with_any_reference_document(export):
    path = export.root / ".dogent" / "reference.docx"
    path.parent.mkdir()
    with (
        zipfile.ZipFile(io.BytesIO(built_in(theme(DEFAULT)))) as ours,
        zipfile.ZipFile(path, "w") as package,
    ):
        for name in ours.namelist():
            text = ours.read(name).decode()
            package.writestr(name, re.sub(r"(Callout|Quotation)", "Other", text))
    made = export("> [!TIP]\n> Text.\n\n> quoted\n>\n> ```\n> code\n> ```\n")
    assert made.result.warnings == ()
    assert [table.style.name for table in made.document.tables] == ["Callout Tip", "Quotation"]
