"""The other kinds of documents that pandoc reads; pandoc itself makes them here."""

import json
import re
import shutil
import subprocess
import zipfile

import pytest

from dogent_tui.documents.html.reader import open_html
from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.pandoc.program import pandoc_path
from dogent_tui.documents.pandoc.reader import open_document
from tests.documents.pandoc.made_docx import PNG

MARKDOWN = """---
title: The title
author: Ann
---

# One

Words with *stress* and a note.[^1] 汉字

[^1]: The note.

- a
- b

## Two

| x | y |
|---|---|
| 1 | 2 |

![A picture](picture.png)
"""

FORMULAS = "The area $a^2 + b$ of it:\n\n$$\\frac{a}{b}$$\n"

BODY = "Words with *stress* and a note.[^1] 汉字"


def read(path, **options):
    open_it = open_html if path.suffix == ".html" else open_document
    opened = open_it(path, ReadOptions(**options), lambda *_: None)
    blocks = list(opened.blocks)
    return (
        "".join(("\n" if block.tight else "\n\n") + block.markdown for block in blocks).strip("\n"),
        opened,
        blocks,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    (folder / "picture.png").write_bytes(PNG)
    for kind in ("odt", "rtf", "epub", "html", "pptx", "ipynb"):
        command = [
            pandoc_path(),
            "--from",
            "markdown-implicit_figures",
            "--standalone",
            "--output",
            f"made.{kind}",
        ]
        subprocess.run(
            command, input=MARKDOWN.encode(), cwd=folder, check=True, capture_output=True
        )
    return folder


@pytest.mark.parametrize("kind", ["odt", "rtf", "epub", "html", "pptx", "ipynb"])
def test_words_headings_lists_and_tables_arrive(folder, kind):
    text, opened, blocks = read(folder / f"made.{kind}")
    assert opened.format == opened.metadata["format"] == kind
    for part in ("One", "Two", "汉字", "stress", "| 1 | 2 |", ".png)"):
        assert part in text
    table = next(block for block in blocks if "| 1 | 2 |" in block.markdown)
    assert table.source.headings
    if kind != "pptx":  # pandoc sees no list in slides
        assert "- a\n- b" in text
        assert table.source.headings[-1] == "Two"


def test_slides_are_counted_and_their_charts_missed(folder, tmp_path):
    with zipfile.ZipFile(folder / "made.pptx") as archive:
        slides = [name for name in archive.namelist() if name.startswith("ppt/slides/slide")]
    assert read(folder / "made.pptx")[1].metadata["slides"] == len(slides)
    shutil.copy(folder / "made.pptx", tmp_path / "a.pptx")
    with zipfile.ZipFile(tmp_path / "a.pptx", "a") as archive:
        archive.writestr("ppt/charts/chart1.xml", "<chart/>")
    assert "1 chart, diagram or" in read(tmp_path / "a.pptx")[1].warnings[0]


@pytest.fixture(scope="module")
def formulas(folder):
    command = [pandoc_path(), "--from", "markdown", "--output", "formulas.odt"]
    subprocess.run(command, input=FORMULAS.encode(), cwd=folder, check=True, capture_output=True)
    return folder / "formulas.odt"


@pytest.mark.parametrize("href", ["{}/", "./{}", "{}"])
def test_formulas_of_an_odt_arrive_however_they_are_addressed(formulas, tmp_path, href):
    path = copied(
        formulas,
        tmp_path / "made.odt",
        lambda name: re.sub(r"(Formula-\d)/", lambda found: href.format(found[1]), name),
    )
    text, opened, _ = read(path)
    assert text == "The area $a^{2} + b$ of it:\n\n$$\\frac{a}{b}$$"
    assert opened.warnings == []


def test_a_formula_that_cannot_be_read_is_told(formulas, tmp_path):
    with zipfile.ZipFile(formulas) as source:
        broken = next(
            name for name in source.namelist() if re.fullmatch(r"Formula-\d/content.xml", name)
        )
    path = copied(
        formulas,
        tmp_path / "made.odt",
        lambda content: content,
        {broken: '<math xmlns="http://www.w3.org/1998/Math/MathML">'},
    )
    text, opened, _ = read(path)
    assert "$" in text
    assert opened.warnings == ["Formulas left out because they could not be read: 1."]


def copied(odt, target, change, parts=()):
    """Copy `odt` with `change` applied to its content, and with other `parts`."""
    with zipfile.ZipFile(odt) as source, zipfile.ZipFile(target, "w") as made:
        for name in source.namelist():
            data = dict(parts).get(name) or source.read(name)
            made.writestr(name, change(data.decode()) if name == "content.xml" else data)
    return target


@pytest.mark.parametrize(
    "begin", [r"{\footnote", r"{\*\footnote", "{\\*\n\\footnote", r"{\*\footnote\ftnalt"]
)
def test_footnotes_of_an_rtf_arrive_however_they_are_marked(tmp_path, begin):
    (tmp_path / "a.rtf").write_bytes(
        b"{\\rtf1 Words{\\super\\chftn}" + begin.encode() + b"\\pard The note.\\par}.\\par}"
    )
    text, opened, _ = read(tmp_path / "a.rtf")
    assert text == "Words[^1].\n\n[^1]: The note."
    assert opened.metadata["footnotes"] == 1


@pytest.mark.parametrize("kind", ["odt", "epub", "html"])
def test_notes_and_the_title_arrive(folder, kind):
    text, opened, _ = read(folder / f"made.{kind}")
    assert opened.metadata["title"] == "The title"
    assert "The note." in text
    assert "*stress*" in text


@pytest.mark.parametrize("kind", ["odt", "rtf", "epub", "pptx"])
def test_images_are_written_on_request(folder, kind, tmp_path):
    text, opened, _ = read(folder / f"made.{kind}", images_dir=str(tmp_path))
    (image,) = (file for file in tmp_path.rglob("*") if file.is_file())
    assert image.read_bytes() == PNG
    assert f"({image.relative_to(tmp_path)})" in text
    assert opened.metadata["images"] == 1


def test_the_content_tells_the_kind_rather_than_the_name(folder, tmp_path):
    for kind in ("odt", "rtf", "epub", "html", "pptx"):
        renamed = tmp_path / f"{kind}.docx"
        renamed.write_bytes((folder / f"made.{kind}").read_bytes())
        if kind != "html":
            assert open_document(renamed, ReadOptions(), lambda *_: None).format == kind


def test_a_web_page_gets_nothing_from_here_or_from_the_network(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret", encoding="utf-8")
    page = tmp_path / "page.html"
    page.write_text(
        f"""<p>Text</p><iframe src="file://{secret}"></iframe>
        <object data="{secret}"></object><embed src="{secret}"><link rel="stylesheet" href="{secret}">
        <img src="{secret}" alt="local"><img src="http://127.0.0.1:9/x.png" alt="remote">
        <img src="data:image/png;base64,AAAA" alt="in">
        <script>document.write("scripted")</script><style>p {{}}</style>""",  # noqa: E501
        encoding="utf-8",
    )
    images = tmp_path / "images"
    images.mkdir()
    text, _, _ = read(page, images_dir=str(images))
    assert "the secret" not in text
    assert "scripted" not in text
    assert "![remote](http://127.0.0.1:9/x.png)" in text
    assert all(
        b"the secret" not in file.read_bytes() for file in images.rglob("*") if file.is_file()
    )


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [("gb18030", "gb2312"), ("utf-16", ""), ("utf-8-sig", ""), ("shift-jis", "shift_jis")],
)
def test_web_pages_in_any_encoding(tmp_path, encoding, declared):
    page = tmp_path / "page.html"
    head = f'<meta charset="{declared}">' if declared else ""
    page.write_bytes(
        f"<html><head>{head}</head><body><p>日本文字</p></body></html>".encode(encoding)
    )
    assert read(page)[0] == "日本文字"


def test_a_notebook_shows_code_and_what_came_of_it(tmp_path):
    cells = [
        {
            "cell_type": "markdown",
            "id": "a",
            "metadata": {},
            "source": ["# Title\n", "H<sup>2</sup>"],
        },
        {
            "cell_type": "code",
            "id": "b",
            "metadata": {},
            "execution_count": 1,
            "source": ["print(1)"],
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
                {
                    "output_type": "execute_result",
                    "execution_count": 1,
                    "metadata": {},
                    "data": {"text/html": ["<table><tr><td>x</td><td>y</td></tr></table>"]},
                },
            ],
        },
    ]
    path = tmp_path / "book.ipynb"
    path.write_text(
        json.dumps(
            {
                "nbformat": 4,
                "nbformat_minor": 5,
                "metadata": {"language_info": {"name": "python"}},
                "cells": cells,
            }
        ),
        encoding="utf-8",
    )
    text, _, _ = read(path)
    assert text.split("\n\n") == [
        "# Title",
        "H<sup>2</sup>",
        "```python\nprint(1)\n```",
        "```\n1\n```",
        "| x | y |\n| --- | --- |",
    ]


def test_pages_that_nest_without_end_are_a_sentence(tmp_path):
    page = tmp_path / "deep.html"
    page.write_text("<blockquote>" * 3000 + "x" + "</blockquote>" * 3000, encoding="utf-8")
    with pytest.raises(DocumentError) as refused:
        read(page)
    assert refused.value.code in ("hostile", "timeout", "too_large")


@pytest.mark.parametrize("name", ["made.odt", "made.epub", "made.pptx"])
def test_half_a_file_is_a_sentence(folder, tmp_path, name):
    content = (folder / name).read_bytes()
    half = tmp_path / name
    half.write_bytes(content[: len(content) // 2])
    with pytest.raises(DocumentError) as refused:
        read(half)
    assert refused.value.code == "damaged"


def test_what_no_reader_knows_is_a_sentence(tmp_path):
    path = tmp_path / "x.bin"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(DocumentError) as refused:
        read(path)
    assert refused.value.code == "unsupported"


ODT = """<?xml version="1.0" encoding="UTF-8"?><office:document-content office:version="1.3"
 xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0">
<office:automatic-styles><style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>
<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style>
<style:style style:name="T2" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>
<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>
</office:automatic-styles><office:body><office:text><text:p text:style-name="P1">The Report</text:p>
<text:list text:style-name="L1"><text:list-item><text:h text:outline-level="1">Scope</text:h></text:list-item></text:list>
<text:p>Seen. <text:span text:style-name="T1">slipped <text:span text:style-name="T2">in</text:span></text:span></text:p>
<text:list text:style-name="L1"><text:list-item><text:list><text:list-item><text:h text:outline-level="2">Terms</text:h>
</text:list-item></text:list></text:list-item></text:list>
<text:list text:style-name="L1"><text:list-item><text:p>one</text:p></text:list-item></text:list>
<text:list text:style-name="L1"><text:list-item><text:h text:outline-level="1">2 Typed</text:h></text:list-item></text:list>
<text:p text:style-name="Heading_20_2">Styled</text:p>
</office:text></office:body></office:document-content>"""  # noqa: E501


_OFFICE = "urn:oasis:names:tc:opendocument:xmlns"
_STYLES = (
    f'<office:document-styles xmlns:office="{_OFFICE}:office:1.0" xmlns:style="{_OFFICE}:style:1.0"'
    f' xmlns:text="{_OFFICE}:text:1.0" office:version="1.3"><office:styles>%s</office:styles>'
    "</office:document-styles>"
)


def written_odt(path, content, styles=""):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", content)
        archive.writestr("styles.xml", _STYLES % styles)
        manifest = f'<manifest:manifest xmlns:manifest="{_OFFICE}:manifest:1.0"/>'
        archive.writestr("META-INF/manifest.xml", manifest)
    return path


def test_an_odt_of_an_office_program_has_its_title_and_numbers_once(tmp_path):
    assert read(written_odt(tmp_path / "a.odt", ODT))[0].split("\n\n") == [
        "# The Report",
        "# 1 Scope",
        "Seen.",
        "<!-- hidden text, not visible in the document: slipped in -->",
        "## 1.1 Terms",
        "1. one",
        "# 2 Typed",
        "## Styled",
    ]


def test_an_odt_keeps_numbers_fields_boxes_and_comments(tmp_path):
    body = """<text:h text:outline-level="1">Scope</text:h><text:h text:outline-level="2">Terms</text:h>
<text:h text:outline-level="1" text:is-list-header="true">Annex</text:h>
<text:p>Page <text:page-number>4</text:page-number> of <text:ruby><text:ruby-base>東</text:ruby-base><text:ruby-text>とう</text:ruby-text></text:ruby>.<draw:frame><draw:text-box><text:p>In a box.</text:p></draw:text-box></draw:frame></text:p>
<text:p>Said<office:annotation><dc:creator>Bo</dc:creator><text:p>Why?</text:p></office:annotation> so.</text:p>
<text:section text:name="s" text:display="none"><text:p>slipped in</text:p></text:section>"""  # noqa: E501
    content = (
        f'<office:document-content xmlns:office="{_OFFICE}:office:1.0"'
        f' xmlns:text="{_OFFICE}:text:1.0" xmlns:draw="{_OFFICE}:drawing:1.0"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.3">'
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    outline = (
        '<text:outline-style style:name="Outline"><text:outline-level-style text:level="1"'
        ' style:num-format="I" style:num-prefix="Part " style:num-suffix=":" text:start-value="3"/>'
        '<text:outline-level-style text:level="2" style:num-format="a" text:display-levels="2"/>'
        "</text:outline-style>"
    )
    text, opened, _ = read(written_odt(tmp_path / "a.odt", content, outline))
    assert text.split("\n\n") == [
        "# Part III: Scope",
        "## III.a Terms",
        "# Annex",
        "Page 4 of 東(とう).",
        "In a box.",
        "Said so.",
        "<!-- hidden text, not visible in the document: slipped in -->",
    ]
    assert opened.metadata["comment_texts"] == ["Bo: Why?"]


def test_lists_of_an_odt_begin_where_their_items_say(tmp_path):
    def listed(*starts):
        items = (
            f'<text:list-item text:start-value="{start}"><text:p>no {start}</text:p>'
            "</text:list-item><text:list-item><text:p>next</text:p></text:list-item>"
            for start in starts
        )
        return f'<text:list text:style-name="L1">{"".join(items)}</text:list>'

    styles = (
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1"'
        ' style:num-format="1" style:num-suffix="."/></text:list-style>'
    )
    content = (
        f'<office:document-content xmlns:office="{_OFFICE}:office:1.0"'
        f' xmlns:text="{_OFFICE}:text:1.0" xmlns:style="{_OFFICE}:style:1.0"'
        f' office:version="1.3"><office:automatic-styles>{styles}</office:automatic-styles>'
        f"<office:body><office:text>{listed(4)}<text:p>Then</text:p>{listed(7, 12)}"
        "</office:text></office:body></office:document-content>"
    )
    text = read(written_odt(tmp_path / "a.odt", content, ""))[0]
    assert text == "4. no 4\n5. next\n\nThen\n\n7. no 7\n8. next\n\n12) no 12\n13) next"


def test_a_list_in_a_note_of_an_odt_is_kept(tmp_path):
    item = "<text:list-item><text:p>%s</text:p></text:list-item>"
    content = (
        f'<office:document-content xmlns:office="{_OFFICE}:office:1.0"'
        f' xmlns:text="{_OFFICE}:text:1.0" office:version="1.3"><office:body><office:text><text:p>'
        "Said<text:note text:note-class='footnote'><text:note-body><text:p>Of:</text:p><text:list>"
        f"{item % 'one'}{item % 'two'}</text:list></text:note-body></text:note>.</text:p>"
        "</office:text></office:body></office:document-content>"
    )
    text = read(written_odt(tmp_path / "a.odt", content))[0]
    assert text == "Said[^1].\n\n[^1]: Of:\n\n    1. one\n    2. two"


def test_an_odt_keeps_code_indexes_columns_and_lists_in_pieces(tmp_path):
    styles = (
        '<style:style style:name="P1"><style:text-properties style:font-name="Courier New"/>'
        '</style:style><style:style style:name="P2" style:list-style-name=""/>'
        '<style:style style:name="T1"><style:text-properties fo:color="#ffffff"/></style:style>'
        '<style:style style:name="C1"><style:table-cell-properties fo:background-color="#102030"/>'
        '</style:style><text:list-style style:name="L1"><text:list-level-style-number'
        ' text:level="1" style:num-format="A" loext:num-list-format="§ %1%."/></text:list-style>'
    )
    in_list = '<text:list text:style-name="L1"%s><text:list-item>%s</text:list-item></text:list>'
    on = ' text:continue-numbering="true"'
    deep = f"<text:list{on}><text:list-item><text:p>two</text:p></text:list-item></text:list>"
    again = "<text:p>four</text:p></text:list-item><text:list-item text:start-value='1'><text:p>one"
    again += "</text:p>"
    body = (
        "<text:table-of-content><text:index-body><text:index-title><text:p>Contents</text:p>"
        "</text:index-title><text:p>Scope<text:tab/>1</text:p></text:index-body>"
        "</text:table-of-content>"
        + in_list
        % ("", '<text:h text:outline-level="1">§ areas</text:h>')
        + '<text:h text:outline-level="1" text:style-name="P2">Annex</text:h>'
        '<text:p text:style-name="P1">if x:<text:line-break/><text:s text:c="3"/> "y"</text:p>'
        '<text:p/><text:p text:style-name="P1"><text:tab/>z</text:p>'
        "<text:p><loext:content-control>☒</loext:content-control> agreed</text:p>"
        + in_list % ("", "<text:p>one</text:p>")
        + in_list % (on, deep)
        + in_list % (on, "<text:p>three</text:p>")
        + "<text:p><text:a xlink:href='#x'>Scope<text:tab/>1</text:a></text:p>"
        + in_list % (on, again)
        + '<table:table><table:table-row><table:table-cell table:style-name="C1"'
        ' table:number-columns-spanned="2"><text:p><text:span text:style-name="T1">on dark'
        "</text:span></text:p></table:table-cell><table:covered-table-cell/></table:table-row>"
        "<table:table-row><table:covered-table-cell/><table:table-cell"
        ' table:number-columns-spanned="2"><text:h>wide</text:h></table:table-cell>'
        "<table:covered-table-cell/><table:table-cell><text:p>last</text:p><table:table>"
        "<table:table-row><table:table-cell><text:p>within</text:p></table:table-cell>"
        "</table:table-row></table:table></table:table-cell></table:table-row></table:table>"
    )
    content = (
        f'<office:document-content xmlns:office="{_OFFICE}:office:1.0" xmlns:table="{_OFFICE}:'
        f'table:1.0" xmlns:text="{_OFFICE}:text:1.0" xmlns:style="{_OFFICE}:style:1.0"'
        f' xmlns:fo="{_OFFICE}:xsl-fo-compatible:1.0" office:version="1.3"'
        ' xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"<office:automatic-styles>{styles}</office:automatic-styles><office:body><office:text>"
        f"{body}</office:text></office:body></office:document-content>"
    )
    text = read(written_odt(tmp_path / "a.odt", content))[0]
    assert text.split("\n\n", 5)[:5] == [
        "Contents",
        "Scope 1",
        "# § A. § areas",
        "# Annex",
        '```\nif x:\n    "y"',
    ]
    assert "\n\n\tz\n```\n\n☒ agreed\n\n" in text
    assert "one\n   1. two\n2. three\n\nScope 1\n\n3. four\n\n1) one" in text
    assert 'colspan="2">wide</td>' in text
    assert 'colspan="2">on dark</td>' in text
    assert "<td>last<table><tr><td>within</td></tr></table></td>" in text
    assert "hidden" not in text


def test_text_of_an_rtf_that_nobody_sees_is_marked_and_what_was_deleted_goes(tmp_path):
    path = tmp_path / "a.rtf"
    path.write_text(
        r"{\rtf1\ansi{\colortbl;\red255\green255\blue255;\red0\green0\blue0;}"
        r"\pard {\cf1 white}\par\pard\v whole\v0  seen\par\pard {\deleted gone}{\fs2 tiny}"
        r"\par\pard {\cf1\chcbpat2 on black}\par"
        r"\trowd\clcbpat2\cellx9\pard\plain\intbl{\cf1 in a dark cell}\cell\row}"
    )
    text = read(path)[0]
    for words in ("white", "whole", "tiny"):
        assert f"hidden text, not visible in the document: {words} -->" in text
    assert "\n\nseen\n\n" in text
    assert "gone" not in text
    assert "\n\non black\n\n| in a dark cell |\n" in text


def test_binary_pictures_of_an_rtf_hide_nothing_and_cells_keep_what_is_in_them(tmp_path):
    path = tmp_path / "a.rtf"
    path.write_bytes(
        b"{\\rtf1 {\\pict\\pngblip\\bin5 {\\v x}seen {\\v slipped in}\\par\\trowd\\cellx9"
        b"\\pard\\intbl\\itap2 a\\nestcell b\\nestcell{\\*\\nesttableprops\\trowd\\cellx4\\nestrow}"
        b"\\pard\\intbl\\itap1 c\\cell\\row\\trowd\\cellx9\\pard"
        b"\\intbl{\\listtext *\\tab}\\ls1 d\\cell\\row"
        b"\\pard Said{{\\*\\atnauthor Ann}{\\*\\annotation\\pard Caf\\'e9?\\par Why}}.\\par}"
    )
    text, opened, _ = read(path)
    assert "seen" in text
    assert "hidden text, not visible in the document: slipped in" in text
    assert "| a b<br>c |\n| --- |\n| \\* d |\n\nSaid." in text
    assert opened.metadata["comment_texts"] == ["Ann: Café?Why"]


def test_headings_of_an_rtf_are_told_by_their_style_or_level_and_keep_their_number(tmp_path):
    path = tmp_path / "a.rtf"
    path.write_text(
        r"{\rtf1\ansi{\fonttbl{\f0 Times;}}{\stylesheet{\s0 Normal;}{\s1\b\fs32 Heading 1;}"
        r"{\s2\outlinelevel1 Own;}{\*\cs3\ul Link;}}{\*\listtable{\list\listid5}}"
        r"{\*\listoverridetable{\listoverride\listid5\ls1}}"
        r"\pard\plain\s1{\listtext\pard\plain 2.\tab}\ilvl0\ls1 {Scope}\par"
        r"{\listtext\pard\plain 2.1\tab}\pard\plain\s2\ls1 Parts{\footnote\pard Note.\par}\par"
        r"\pard\plain\outlinelevel2 Deep\par\pard\plain{\listtext\pard\plain a)\tab}\ls1 Item\par}"
    )
    text = read(path)[0]
    assert text.startswith("# 2. Scope\n\n## 2.1 Parts[^1]\n\n[^1]: Note.\n\n### Deep\n\n")
    assert text.endswith(" Item")


def test_lists_of_an_rtf_have_their_numbers_and_depth_and_hidden_text_is_none_of_them(tmp_path):
    def item(level, sign, words):
        mark = rf"{{\listtext\pard\plain {sign}\tab}}"
        return rf"\pard\plain {mark}\ls1\ilvl{level}\fi-360 {{\b {words}}}\par"

    items = [(0, "1.", "a"), (1, r"\u8226\'3f", "b"), (1, "c)", "c"), (0, "2.", "d")]
    path = tmp_path / "a.rtf"
    path.write_text(
        r"{\rtf1\ansi " + "".join(item(*one) for one in items) + r"\pard\plain Between.\par"
        rf" {item(0, '3.', 'e')}\pard {{\v f}}\par \u-7996?x\u-7996?1.\u-7996?Own.\par}}"
    )
    assert read(path)[0].split("\n\n") == [
        "1. **a**\n   - **b**\n   1. c) **c**\n2. **d**",
        "Between.",
        "3. **e**",
        "<!-- hidden text, not visible in the document: f -->",
        "\ue0c4x\ue0c41.\ue0c4Own.",
    ]


def test_text_of_an_rtf_is_in_the_encoding_of_its_font(tmp_path):
    path = tmp_path / "a.rtf"
    fonts = r"{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset134 SimSun;}{\f2\fcharset161 Greek;}}"
    path.write_bytes(
        rb"{\rtf1\ansi\ansicpg1251%s\pard\f0\'cf\'f0\'e8 %s\u8211\'97\'e8\f1\'d6\'d0\f2\'e1\par}"
        % (fonts.encode(), "и".encode("cp1251"))
    )
    text, opened, _ = read(path)
    assert (text, opened.warnings) == ("При и\u2013и中α", [])


@pytest.mark.parametrize(
    "said, words",
    [
        (r"caf\u233?s a\u8226-b \u8211\'96c", "caf\u00e9s a\u2022b \u2013c"),
        (r"\uc0 \u8226 ?x \uc2\u8226\'e2?y \uc2\u8226??z", "\u2022?x \u2022y \u2022z"),
        (
            r"a\u160\~b \u55357?\u56832?c {\uc0\u55357 \u56832 d}",
            "a\u00a0b \U0001f600c \U0001f600d",
        ),
        ("\\u8226\r\n?x \\u55357?y", "\u2022x \ufffdy"),
    ],
)
def test_characters_of_an_rtf_are_whole_and_without_what_is_shown_in_their_place(
    tmp_path, said, words
):
    path = tmp_path / "a.rtf"
    remark = rf"{{{{\*\atnauthor Ann}}{{\*\annotation {said}}}}}"
    path.write_bytes(rb"{\rtf1\ansi\pard %s\par End%s.\par}" % (said.encode(), remark.encode()))
    text, opened, _ = read(path)
    assert text == f"{words}\n\nEnd."
    assert opened.metadata["comment_texts"] == [f"Ann: {words}"]


def test_an_rtf_joins_no_words_over_pages_and_shows_no_entries_of_indexes(tmp_path):
    path = tmp_path / "a.rtf"
    path.write_text(
        r"{\rtf1\ansi\pard One\page two\column three\softline four{\xe\v in}{\tc out}\sect five"
        r"{\mmath{\*\moMath{\mr x}}}\par}"
    )
    text, opened, _ = read(path)
    assert text == "One\n\ntwo\n\nthree\\\nfour\n\nfive"
    assert opened.warnings == ["Formulas left out because they could not be read: 1."]


def test_a_line_break_behind_a_backslash_ends_a_paragraph_of_an_rtf(tmp_path):
    path = tmp_path / "a.rtf"
    path.write_bytes(b"{\\rtf1\\cocoartf2639\\pard One\\\nTwo \\\\\nmore\\\n\\\nThree}")
    assert read(path)[0] == "One\n\nTwo \\more\n\nThree"


def test_a_list_of_an_rtf_stays_above_the_table_behind_it(tmp_path):
    item = r"\par\pard\plain {\listtext\pard\plain \u8226\'3f\tab}\ls1 \ilvl0\li720\fi-360{%s}"
    levels = (
        r"{\*\listtable{\list\listtemplateid1{\listlevel\levelnfc23{\leveltext \'01\u8226"
        r" ?;}{\levelnumbers;}}\listid1}}"
    )
    over = r"{\listoverridetable{\listoverride\listid1\listoverridecount0\ls1}}"
    row = r"\trowd\cellx3000\cellx6000\pard\plain \intbl{%s}\cell\pard\plain \intbl{%s}\cell\row"
    body = (
        rf"\pard\plain Before. {{\v slipped in}}{item % 'one'}{item % 'two'}\par"
        rf" {row % ('A', 'B')}{row % ('1', '2')}"
    )
    path = tmp_path / "a.rtf"
    path.write_text(rf"{{\rtf1\ansi {levels}{over}\sectd{body}\pard\plain After.\par}}")
    assert read(path)[0].split("\n\n") == [
        "Before.",
        "<!-- hidden text, not visible in the document: slipped in -->",
        "- one\n- two",
        "| A | B |\n| --- | --- |\n| 1 | 2 |",
        "After.",
    ]


def test_headings_among_the_items_of_an_odt_end_its_list_and_pictures_are_described(tmp_path):
    def item(*content):
        return f"<text:list-item>{''.join(content)}</text:list-item>"

    deep = f"<text:list>{item('<text:p>one</text:p>')}{item('<text:p>two</text:p>')}</text:list>"
    heading = '<text:h text:outline-level="1">%s</text:h>'
    items = item(heading % "Rules", deep) + item(heading % "Costs", deep)
    styles = (
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1"'
        ' style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2"'
        ' style:num-format="1"/></text:list-style>'
    )
    picture = (
        '<draw:frame><draw:image xlink:href="Pictures/a.png"/><svg:desc>A mill</svg:desc>'
        "</draw:frame>"
    )
    boxed = f"<draw:frame><draw:text-box><text:p>{picture} Fig. 1</text:p></draw:text-box>"
    content = (
        f'<office:document-content xmlns:office="{_OFFICE}:office:1.0"'
        f' xmlns:text="{_OFFICE}:text:1.0" xmlns:style="{_OFFICE}:style:1.0"'
        f' xmlns:draw="{_OFFICE}:drawing:1.0" xmlns:svg="{_OFFICE}:svg-compatible:1.0"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.3">'
        f"<office:automatic-styles>{styles}</office:automatic-styles><office:body><office:text>"
        f'<text:list text:style-name="L1">{items}</text:list><text:p>{boxed}</draw:frame></text:p>'
        "</office:text></office:body></office:document-content>"
    )
    assert read(written_odt(tmp_path / "a.odt", content))[0].split("\n\n") == [
        "# 1. Rules",
        "1. one\n2. two",
        "# 2. Costs",
        "1. one\n2. two",
        "![A mill](Pictures/a.png) Fig. 1",
    ]


def read_rtf(path, body):
    head = (
        r"{\rtf1\ansi{\fonttbl{\f0 Times;}{\f1\fmodern Courier New;}{\f2\fmodern MS Mincho;}}"
        r"{\stylesheet{\s1 heading 1;}{\s9\sbasedon1\snext9 Chapter;}}"
    )
    path.write_text(f"{head}{body}}}")
    return read(path)[0]


def test_merged_cells_of_an_rtf_keep_their_extent(tmp_path):
    def row(widths, *texts):
        cells = "".join(rf"{text}\cell " for text in texts)
        return rf"\trowd{widths}\pard\intbl {cells}\row"

    body = (
        row(r"\clvmgf\cellx2000\cellx6000", "Region", "Sales")
        + row(r"\clvmrg\cellx2010\cellx4000\cellx6000", "", "2025", "2026")
        + row(r"\clmgf\cellx2000\clmrg\cellx4000\cellx6000", "Both", "", "3")
    )
    assert read_rtf(tmp_path / "a.rtf", rf"{body}\pard After.\par").split("\n") == [
        "<table>",
        '<tr><td rowspan="2">Region</td><td colspan="2">Sales</td></tr>',
        "<tr><td>2025</td><td>2026</td></tr>",
        '<tr><td colspan="2">Both</td><td>3</td></tr>',
        "</table>",
        "",
        "After.",
    ]
    # what rows say of their cells may be wrong, or missing
    merged = row(r"\clvmgf\cellx2000\cellx6000", "one", "two")
    found = read_rtf(tmp_path / "b.rtf", merged + row(r"\clvmrg\cellx2000\cellx6000", "three", "4"))
    assert '<td rowspan="2">one<br>three</td>' in found
    found = read_rtf(tmp_path / "c.rtf", row(r"\clmgf\cellx2000\clmrg\cellx6000", "one", "two"))
    assert "one<br>two" in found
    found = read_rtf(tmp_path / "d.rtf", row(r"\clmgf\cellx2000\clmrg\cellx6000", "a", "", "b"))
    assert found == "| a |  | b |\n| --- | --- | --- |"
    found = read_rtf(tmp_path / "e.rtf", row("", "one", "two"))
    assert found == "| one | two |\n| --- | --- |"


def test_code_of_an_rtf_is_told_by_its_font(tmp_path):
    text = read_rtf(
        tmp_path / "a.rtf",
        r"\pard {\f2 Words before the code, long enough to be most of the text.}\par"
        r"\pard\plain\f1 if x:\par\pard\plain\par\pard\plain\f1\tab \u233?\par\pard\plain\par"
        r"\pard After.\par",
    )
    assert text.split("\n\n", 1)[1] == "```\nif x:\n\n\t\u00e9\n```\n\nAfter."


def test_an_rtf_all_in_one_font_is_no_code(tmp_path):
    body = r"\pard\f1 A letter.\par\par Typed at home.\par"
    assert read_rtf(tmp_path / "a.rtf", body) == "A letter.\n\nTyped at home."


def test_an_rtf_keeps_what_newer_and_older_programs_say(tmp_path):
    text = read_rtf(
        tmp_path / "a.rtf",
        r"\pard\s9 Title\par\pard\plain {\upr{Old ?}{\*\ud{New \u379?}}}.\par"
        r"\pard{\pntext 1.\tab}{\*\pn\pndec}first\par{\pntext 2.\tab}second\par\pard "
        r'{\field{\*\fldinst HYPERLINK "https://x.org/a"}{\fldrslt Part\tab 2}}\par',
    )
    assert text.split("\n\n") == [
        "# Title",
        "New \u017b.",
        "1. first\n2. second",
        "[Part 2](https://x.org/a)",
    ]
