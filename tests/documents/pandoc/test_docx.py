"""What becomes of a docx: its words, its structure, its tracked changes."""

import re
import subprocess
import zipfile

import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt, RGBColor, Twips

from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.pandoc import docx, program
from dogent_tui.documents.pandoc.program import pandoc_path
from dogent_tui.documents.pandoc.reader import open_document
from tests.documents.pandoc.made_docx import (
    NAMESPACES,
    PNG,
    RELATIONSHIPS,
    comment,
    commented,
    deleted,
    footnote,
    ins,
    make_docx,
    note,
    p,
    picture,
    r,
    text_box,
)

pytestmark = pytest.mark.slow


def read(path, **options):
    opened = open_document(path, ReadOptions(**options), lambda *_: None)
    blocks = list(opened.blocks)
    text = "".join(("\n" if block.tight else "\n\n") + block.markdown for block in blocks).strip(
        "\n"
    )
    return text, opened, blocks


@pytest.fixture
def revised(tmp_path):
    return make_docx(
        tmp_path / "revised.docx",
        p(r("We meet on "), deleted("Monday"), ins("Tuesday"), r(".")),
        p(commented("The budget"), r(" is open.")),
        comments=comment(0, "Cid", "How much?"),
    )


def test_changes_are_accepted_and_counted(revised):
    text, opened, _ = read(revised)
    assert text == "We meet on Tuesday.\n\nThe budget is open."
    wanted = {"insertions": 1, "deletions": 1, "comments": 1, "changes": "accept"}
    assert {name: opened.metadata[name] for name in wanted} == wanted


def test_comments_are_told_beside_the_text(revised):
    assert read(revised)[1].metadata["comment_texts"] == ["Cid: How much?"]


def test_changes_are_rejected(revised):
    assert read(revised, changes="reject")[0] == "We meet on Monday.\n\nThe budget is open."


def test_all_changes_are_marked_with_who_and_when(revised):
    assert (
        read(revised, changes="all")[0]
        == "We meet on {--Monday--}{>>Bob, 2026-01-05<<}{++Tuesday++}{>>Ann, 2026-01-04<<}.\n\n"
        "{==The budget==}{>>Cid, 2026-01-06: How much?<<} is open."
    )


def test_a_change_without_an_id_is_one(tmp_path):
    path = make_docx(tmp_path / "a.docx", p(r("One"), f"<w:ins>{r(' two')}</w:ins>"))
    assert read(path)[0] == "One two"


def test_inserted_documents_charts_and_diagrams_are_shown_or_missed(tmp_path):
    chart = (
        "<c xmlns:a='a'><title><a:t>Sales</a:t></title><ser><tx><pt><v>North</v></pt></tx>"
        "<cat><pt idx='0'><v>May</v></pt></cat><val><pt idx='0'><v>4|2</v></pt></val></ser></c>"
    )
    parts = {
        "a": ("page.html", "<h2>Head</h2>Words<sup><a href=#n>1</a></sup><ol><li id=n>Note</ol>"),
        "b": ("chart.xml", chart),
        "c": ("data.xml", "<d><pt><t>Plan</t></pt><pt><t>Do</t></pt></d>"),
        "d": ("missing.rtf", ""),
    }
    listed = "".join(f'<Relationship Id="{key}" Target="{to}"/>' for key, (to, _) in parts.items())
    relations = f'<Relationships xmlns="{RELATIONSHIPS}">{listed}</Relationships>'
    more = {f"word/{name}": text.encode() for name, text in parts.values() if text}
    drawings = '<c:chart xmlns:c="c" r:id="b"/><d:relIds xmlns:d="d" r:dm="c"/>'
    path = make_docx(
        tmp_path / "a.docx",
        p(r("One")),
        '<w:altChunk r:id="a"/>',
        p(r("Two"), f"<w:r><w:drawing>{drawings}</w:drawing></w:r>"),
        '<w:altChunk r:id="d"/>',
        p(r("\U000f0c107:")),  # names no part
        more={**more, "word/_rels/document.xml.rels": relations.encode()},
    )
    text, opened, _ = read(path)
    assert text.split("\n\n") == [
        *("One", "## Head", "Words[^1.1]", "[^1.1]: Note", "Two", "- Plan\n- Do", "Sales"),
        "|  | North |\n| --- | --- |\n| May | 4\\|2 |",
        "\U000f0c107:",
    ]
    assert "1 chart, diagram or inserted document cannot be read" in opened.warnings[0]


def test_a_comment_over_several_paragraphs_stands_where_it_begins(tmp_path):
    first = '<w:commentRangeStart w:id="0"/>' + r("One")
    last = r("Two") + '<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>'
    path = make_docx(tmp_path / "long.docx", p(first), p(last), comments=comment(0, "Cid", "Both."))
    assert read(path, changes="all")[0] == "{>>Cid, 2026-01-06: Both.<<}One\n\nTwo"


def test_a_paragraph_that_was_split_is_one_change(tmp_path):
    mark = (
        '<w:pPr><w:rPr><w:ins w:id="1" w:author="Ann"'
        ' w:date="2026-01-04T10:00:00Z"/></w:rPr></w:pPr>'
    )
    path = make_docx(tmp_path / "split.docx", f"<w:p>{mark}{r('One')}</w:p>", p(r("Two")))
    text, opened, _ = read(path, changes="all")
    assert text == "One{++¶++}{>>Ann, 2026-01-04<<}\n\nTwo"
    assert opened.metadata["insertions"] == 1
    assert "deletions" not in opened.metadata


def test_words_that_look_like_marks_are_not(tmp_path):
    path = make_docx(tmp_path / "braces.docx", p(r("{++no++}"), ins(" yes")))
    assert read(path, changes="all")[0] == r"\{++no++} {++yes++}{>>Ann, 2026-01-04<<}"
    assert read(path)[0] == "{++no++} yes"


def test_headings_are_known_to_what_stands_below_them(tmp_path):
    path = make_docx(
        tmp_path / "titles.docx",
        p(r("Before")),
        p(r("One"), style="Heading1"),
        p(r("Two"), style="Heading2"),
        p(r("Deep")),
        p(r("Three"), style="Heading1"),
        p(r("End")),
    )
    _, _, blocks = read(path)
    assert [(block.markdown, block.source.headings) for block in blocks] == [
        ("Before", ()),
        ("# One", ("One",)),
        ("## Two", ("One", "Two")),
        ("Deep", ("One", "Two")),
        ("# Three", ("Three",)),
        ("End", ("Three",)),
    ]


def test_a_footnote_follows_its_paragraph(tmp_path):
    path = make_docx(
        tmp_path / "notes.docx",
        p(r("Claim"), footnote(2), r(".")),
        p(r("After"), footnote(3)),
        footnotes=note(2, "Source A") + note(3, "Source B"),
    )
    text, opened, _ = read(path)
    assert text == "Claim[^1].\n\n[^1]: Source A\n\nAfter[^2]\n\n[^2]: Source B"
    assert opened.metadata["footnotes"] == 2


def test_text_boxes_come_after_their_paragraph_once(tmp_path):
    box = text_box(p(r("Boxed")), p(picture("image", "Chart")))
    path = make_docx(tmp_path / "box.docx", p(r("Here "), box, r("there")), p(r("After")))
    assert read(path)[0] == "Here there\n\nBoxed\n\n![Chart](media/image1.png)\n\nAfter"


def test_a_main_part_in_another_encoding_is_read_as_it_is(tmp_path):
    body = p(r("Here "), text_box(p(r("Boxed"))), ins("new"))
    main = (
        '<?xml version="1.0" encoding="UTF-16"?><w:document'
        f" {NAMESPACES}><w:body>{body}</w:body></w:document>"
    )
    path = make_docx(tmp_path / "wide.docx", more={"word/document.xml": main.encode("utf-16")})
    try:
        assert "Here" in read(path)[0]
    except DocumentError as refused:  # pandoc reads UTF-8 alone
        assert refused.code == "damaged"


def test_page_headers_are_in_the_metadata(tmp_path):
    path = make_docx(tmp_path / "head.docx", p(r("Body")), header="Draft 3")
    text, opened, _ = read(path)
    assert text == "Body"
    assert opened.metadata["headers"] == ["Draft 3"]


def test_images_are_named_and_written_only_on_request(tmp_path):
    path = make_docx(tmp_path / "image.docx", p(picture("image", "A chart [draft]")))
    text, opened, _ = read(path)
    assert text == "![A chart [draft]](media/image1.png)"
    assert opened.metadata["images"] == 1
    folder = tmp_path / "images"
    folder.mkdir()
    text, opened, _ = read(path, images_dir=str(folder))
    assert text == "![A chart [draft]](media/image1.png)"
    assert (folder / "media" / "image1.png").read_bytes() == PNG
    assert [file for file in folder.rglob("*") if file.is_file()] == [
        folder / "media" / "image1.png"
    ]


def test_no_image_replaces_a_file_or_follows_a_link(tmp_path):
    path = make_docx(tmp_path / "image.docx", p(picture("image", "x")))
    folder, outside = tmp_path / "images", tmp_path / "outside"
    (folder / "media").mkdir(parents=True)
    (folder / "media" / "image1.png").write_bytes(b"mine")
    assert read(path, images_dir=str(folder))[0] == "![x](media/image1-2.png)"
    assert (folder / "media" / "image1.png").read_bytes() == b"mine"
    linked = tmp_path / "linked"
    linked.mkdir()
    outside.mkdir()
    (linked / "media").symlink_to(outside)
    _, opened, _ = read(path, images_dir=str(linked))
    assert list(outside.iterdir()) == []
    assert len(opened.warnings) == 1


def test_properties(tmp_path):
    document = Document()
    document.core_properties.title = "Annual report"
    document.core_properties.author = "Ann Writer"
    document.add_paragraph("Three words here. 汉字")
    path = tmp_path / "report.docx"
    document.save(path)
    _, opened, _ = read(path)
    assert opened.format == opened.metadata["format"] == "docx"
    assert opened.metadata["title"] == "Annual report"
    assert opened.metadata["author"] == "Ann Writer"
    assert opened.metadata["created"].startswith("20")
    assert opened.metadata["words"] == 5


def test_a_title_paragraph_is_not_lost(tmp_path):
    document = Document()
    document.add_heading("The Title", 0)
    document.add_paragraph("Text")
    document.save(tmp_path / "titled.docx")
    text, _, _ = read(tmp_path / "titled.docx")
    assert text == "# The Title\n\nText"


def test_nested_lists(tmp_path):
    markdown = (
        "- Fruit\n  - Apple\n  - Pear\n- Bread\n\n<!-- -->\n\n1. First\n2. Second\n   1. Inner"
    )
    path = tmp_path / "lists.docx"
    subprocess.run([pandoc_path(), "--output", path], input=markdown.encode(), check=True)
    assert (
        read(path)[0] == "- Fruit\n  - Apple\n  - Pear\n- Bread\n\n1. First\n2. Second\n   1. Inner"
    )


def test_tables(tmp_path):
    document = Document()
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        [*table.rows[0].cells, *table.rows[1].cells],
        ("Name", "a|b", "汉字", "two\nlines"),
        strict=True,
    ):
        cell.text = text
    document.save(tmp_path / "table.docx")
    assert (
        read(tmp_path / "table.docx")[0]
        == "| Name | a\\|b |\n| --- | --- |\n| 汉字 | two<br>lines |"
    )


def test_merged_cells_keep_their_extent(tmp_path):
    document = Document()
    table = document.add_table(rows=3, cols=3)
    for row in range(3):
        for column in range(3):
            table.cell(row, column).text = f"{row}{column}"
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide <b>"
    table.cell(1, 2).merge(table.cell(2, 2)).text = "tall"
    document.save(tmp_path / "merged.docx")
    assert read(tmp_path / "merged.docx")[0].split("\n")[1:-1] == [
        '<tr><th colspan="2">wide &lt;b&gt;</th><th>02</th></tr>',
        '<tr><td>10</td><td>11</td><td rowspan="2">tall</td></tr>',
        "<tr><td>20</td><td>21</td></tr>",
    ]


def test_a_long_table_is_several_blocks_that_join_to_one(tmp_path):
    document = Document()
    table = document.add_table(rows=300, cols=2)
    for number, row in enumerate(table.rows):
        row.cells[0].text, row.cells[1].text = f"Row {number}", "some words to fill a line"
    document.save(tmp_path / "long.docx")
    text, _, blocks = read(tmp_path / "long.docx")
    assert len(blocks) > 1
    assert all(block.tight for block in blocks[1:])
    lines = text.split("\n")
    assert len(lines) == 301
    assert lines[300] == "| Row 299 | some words to fill a line |"


def test_equations_are_tex(tmp_path):
    math = (
        "<m:oMath"
        ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e>'
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    )
    path = make_docx(tmp_path / "math.docx", p(r("So "), math, r(" costs $5.")))
    assert read(path)[0] == "So $x^{2}$ costs $5."


def numbering(levels, *, lists=1):
    """The numbering part with some lists that are counted together."""
    made = "".join(
        f'<w:lvl w:ilvl="{at}"><w:numFmt w:val="{level.split(maxsplit=1)[0]}"/>'
        f'<w:lvlText w:val="{level.split(maxsplit=1)[1]}"/></w:lvl>'
        for at, level in enumerate(levels)
    )
    numbers = "".join(
        f'<w:num w:numId="{at}"><w:abstractNumId w:val="1"/></w:num>' for at in range(1, lists + 1)
    )
    abstract = f'<w:abstractNum w:abstractNumId="1">{made}</w:abstractNum>'
    part = f"<w:numbering {NAMESPACES}>{abstract}{numbers}</w:numbering>"
    return {"word/numbering.xml": part.encode()}


def item(text, level, number=1, *, mark="", style=""):
    """A numbered paragraph."""
    made = p(text if text.startswith("<") else r(text), style=style or "Normal")
    place = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    return made.replace("</w:pPr>", f"{place}<w:rPr>{mark}</w:rPr></w:pPr>")


def table(*rows):
    """A table with a paragraph, or what else is given, in each cell."""
    made = (f"<w:tr>{''.join(f'<w:tc>{cell}</w:tc>' for cell in row)}</w:tr>" for row in rows)
    return f"<w:tbl><w:tblGrid/>{''.join(made)}</w:tbl>"


def test_numbers_that_say_more_than_a_list_are_words(tmp_path):
    body = [
        item("Terms", 0, style="Heading1"),
        *(item("Words mean things.", 1), item("the buyer", 2), item("the seller", 2)),
        item("Duration", 0, style="Heading1"),
        *(item("See 1.1.", 1), item("Ends in May.", 3), item("Or in June.", 3)),
        p(r("Steps:")),
        *(item("Open", 0), item("the door", 1)),
    ]
    levels = ["decimal %1.", "decimal %1.%2", "lowerLetter (%3)", "chineseCounting 第%4条"]
    text, _, _ = read(make_docx(tmp_path / "a.docx", *body, more=numbering(levels)))
    assert text == (
        "# 1. Terms\n\n1.1 Words mean things.\n\n1. the buyer\n2. the seller\n\n# 2. Duration\n\n"
        "2.1 See 1.1.\n\n第一条 Ends in May.\n\n第二条 Or in June.\n\nSteps:\n\n3. Open\n"
        "   1. the door"
    )


def test_lists_and_columns_have_the_numbers_that_word_counts(tmp_path):
    body = [
        *(item("one", 0), item("two", 0), p(r("Then"))),
        *(item("three", 0, 2), p(r("And"))),
        table([p(r("No.")), p(r("Fruit"))], [item("<w:r/>", 0), p(r("fig"))]),
        *(p(r("But")), table([item("five", 0) + item("six", 0, 2), p(r("both"))])),
    ]
    more = numbering(["decimal %1."], lists=2)
    text, _, _ = read(make_docx(tmp_path / "a.docx", *body, more=more))
    assert text.split("\n\n")[:4] == ["1. one\n2. two", "Then", "3. three", "And"]
    assert "| No. | Fruit |\n| --- | --- |\n| 4. | fig |" in text
    assert '<ol start="5"><li>five</li></ol><ol start="6"><li>six</li></ol>' in text


def test_deleted_items_are_gone_and_not_counted(tmp_path):
    gone = '<w:del w:id="7" w:author="Bob"/>'
    body = [
        item("one", 0),
        *(item(deleted("old"), 0, mark=gone), item(deleted("older"), 0, mark=gone)),
        *(item("two", 0), item(ins("three"), 0, mark=gone.replace("del", "ins"))),
    ]
    path = make_docx(tmp_path / "a.docx", *body, more=numbering(["decimal %1."]))
    assert read(path)[0] == "1. one\n2. two\n3. three"
    assert read(path, changes="reject")[0].startswith("1. one\n2. old\n3. older\n4. two")


def test_what_is_deleted_before_a_table_or_with_a_box_is_gone(tmp_path):
    gone = '<w:del w:id="7" w:author="Bob"/>'
    old = item(deleted("old"), 0, mark=gone)
    body = [
        *(item("one", 0), old, '<w:bookmarkEnd w:id="3"/>', item("two", 0), old),
        table([item("three", 0) + item("four", 0) + old, p(r("both"))]),
        *(item("stays", 0, mark=gone), table([p(r("cell"))]), item("six", 0)),
        p(r("Words"), f'<w:del w:id="2" w:author="Bob">{text_box(p(r("In the box")))}</w:del>'),
    ]
    text = read(make_docx(tmp_path / "a.docx", *body, more=numbering(["decimal %1."])))[0]
    one, cells, *others = text.split("\n\n")
    assert one == "1. one\n2. two"
    assert '<td><ol start="3"><li>three</li><li>four</li></ol></td>' in cells
    assert others == ["5. stays", "| cell |\n| --- |", "6. six", "Words"]


def test_a_list_in_a_note_is_one(tmp_path):
    inside = p(r("See:")) + item("one", 0) + item("in it", 1) + item("two", 0)
    notes = f'<w:footnote w:id="2">{inside}</w:footnote>{note(3, "Words")}'
    more = numbering(["decimal %1.", "lowerLetter %2)"])
    body = p(r("Text"), footnote(2), footnote(3))
    text = read(make_docx(tmp_path / "a.docx", body, footnotes=notes, more=more))[0]
    assert text == (
        "Text[^1][^2]\n\n[^1]: See:\n\n    1. one\n       1) in it\n    2. two\n\n[^2]: Words"
    )


def test_a_deleted_part_of_a_formula_is_gone(tmp_path):
    math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    runs = "<m:r><m:t>a</m:t></m:r><w:del><m:r><m:t>b</m:t></m:r></w:del>"
    path = make_docx(tmp_path / "a.docx", p(r("So "), f"<m:oMath {math}>{runs}</m:oMath>"))
    assert read(path)[0] == "So $a$"
    assert read(path, changes="reject")[0] == "So $ab$"


def test_a_document_in_the_strict_format_has_its_hidden_text_marked(tmp_path):
    path = make_docx(tmp_path / "a.docx", p(r("Seen. "), r("Unseen.", "<w:vanish/>")))
    with zipfile.ZipFile(path) as made, zipfile.ZipFile(tmp_path / "b.docx", "w") as strict:
        for name in made.namelist():
            names = rb"http://schemas\.openxmlformats\.org/(wordprocessingml|officeDocument)/2006/"
            part = re.sub(names, rb"http://purl.oclc.org/ooxml/\1/", made.read(name))
            strict.writestr(name, part)
    assert read(tmp_path / "b.docx")[0].split("\n\n")[0] == "Seen."


def test_a_text_indented_by_points_continues_an_item(tmp_path):
    indent = '<w:ind w:start="36.5pt"/>'
    more = numbering(["decimal %1."])
    part = more["word/numbering.xml"].decode()
    part = part.replace("</w:lvl>", f"<w:pPr>{indent}</w:pPr></w:lvl>")
    said = f"<w:p><w:pPr>{indent}</w:pPr>{r('more')}</w:p>"
    path = make_docx(
        tmp_path / "a.docx",
        *(item("one", 0), said, item("two", 0)),
        more={"word/numbering.xml": part.encode()},
    )
    assert read(path)[0] == "1. one\n\n   more\n\n2. two"


def test_black_text_under_a_black_pen_is_hidden(tmp_path):
    pen = '<w:highlight w:val="black"/>'
    path = make_docx(
        tmp_path / "a.docx",
        p(r("Seen "), r("blacked out", f'<w:color w:val="000000"/>{pen}')),
        p(r("white", f'<w:color w:val="FFFFFF"/>{pen}')),
    )
    text = read(path)[0]
    assert text.split("\n\n")[::2] == ["Seen", "white"]
    assert "hidden" in text.split("\n\n")[1]


def test_code_in_a_frame_is_code(tmp_path):
    typewriter = '<w:rFonts w:ascii="Courier New"/>'
    lines = p(r("if open:", typewriter)) + p(r("    shut()", typewriter))
    path = make_docx(tmp_path / "a.docx", p(r("The program for doors:")), table([lines]), p())
    assert read(path)[0] == "The program for doors:\n\n```\nif open:\n    shut()\n```"


def test_a_long_document_arrives_whole_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(docx, "_WHOLE_BYTES", 50_000)
    monkeypatch.setattr(docx, "_PART_BYTES", 20_000)
    filler = "".join(p(r(f"Paragraph {number} " + "lorem ipsum ")) for number in range(150))
    chapters = [
        p(r(f"Chapter {number}"), style="Heading1") + filler + item("A step", 0)
        for number in range(16)
    ]
    path = make_docx(tmp_path / "novel.docx", *chapters, more=numbering(["decimal %1."]))
    seen = []
    opened = open_document(
        path, ReadOptions(), lambda done, total, what: seen.append((done, total, what))
    )
    blocks = list(opened.blocks)
    assert [block.markdown for block in blocks if block.markdown.startswith("#")] == [
        f"# Chapter {n}" for n in range(16)
    ]
    assert len(blocks) == 16 * 152
    assert blocks[-1].source.headings == ("Chapter 15",)
    assert blocks[-1].markdown == "16. A step"
    assert seen[-1][0] == seen[-1][1] > 1
    assert not opened.warnings


@pytest.mark.parametrize("grid", ["", "<w:tblGrid/>", "<w:tblGrid><w:gridCol/></w:tblGrid>"])
def test_a_table_that_does_not_declare_its_columns_keeps_all_cells(tmp_path, grid):
    wide = f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{p(r("wide"))}</w:tc>'
    cells = [f"<w:tc>{p(r(text))}</w:tc>" for text in ("beside", "a", "b", "c")]
    cells[0] = f"<w:sdt><w:sdtPr/><w:sdtContent>{cells[0]}</w:sdtContent></w:sdt>"
    rows = f"<w:tr>{wide}{cells[0]}</w:tr><w:tr>{''.join(cells[1:])}</w:tr>"
    made = make_docx(tmp_path / "a.docx", f"<w:tbl>{grid}{rows}</w:tbl>", p())
    text = read(made)[0]
    assert '<td colspan="2">wide</td><td>beside</td>' in text
    assert "<td>a</td><td>b</td><td>c</td>" in text


@pytest.mark.parametrize(
    ("sides", "shown"), [(["bottom"], "\n\n---\n\n"), (["top", "bottom"], "\n\n"), ([], "\n\n")]
)
def test_an_empty_paragraph_with_one_border_is_a_rule(tmp_path, sides, shown):
    drawn = "".join(
        f'<w:{side} w:val="{"single" if side in sides else "nil"}"/>'
        for side in ("top", "left", "bottom", "right")
    )
    empty = f"<w:p><w:pPr><w:pBdr>{drawn}</w:pBdr><w:spacing/></w:pPr></w:p>"
    made = make_docx(tmp_path / "a.docx", p(r("Above.")), empty, p(r("Below.")))
    assert read(made)[0] == f"Above.{shown}Below."


def test_styles_with_the_same_id_that_are_based_on_each_other_end(tmp_path):
    one = '<w:style w:type="paragraph" w:styleId="{}"><w:name w:val="{}"/>{}</w:style>'
    based = '<w:basedOn w:val="{}"/>'
    styles = [
        one.format("A", "A", ""),
        one.format("B", "B", based.format("A")),
        one.format("A", "A", based.format("B")),
    ]
    part = f"<w:styles {NAMESPACES}>{''.join(styles)}</w:styles>".encode()
    made = make_docx(tmp_path / "a.docx", p(r("Words"), style="A"), more={"word/styles.xml": part})
    assert read(made)[0] == "Words"


def test_what_nests_without_end_is_refused(tmp_path):
    deep = "<w:tbl><w:tr><w:tc>" * 200 + p(r("x")) + "</w:tc></w:tr></w:tbl>" * 200
    with pytest.raises(DocumentError) as refused:
        read(make_docx(tmp_path / "deep.docx", deep))
    assert refused.value.code == "hostile"


def test_what_pandoc_never_ends_with_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(program, "LIMIT_S", 0.5)
    note_in_itself = f'<w:footnote w:id="2">{p(r("Again"), footnote(2))}</w:footnote>'
    with pytest.raises(DocumentError) as refused:
        read(make_docx(tmp_path / "circle.docx", p(r("x"), footnote(2)), footnotes=note_in_itself))
    assert refused.value.code in ("timeout", "too_large")


def test_tables_in_tables_up_to_the_limit_are_read_or_refused(tmp_path):
    deep = "<w:tbl><w:tr><w:tc>" * 80 + p(r("x")) + "</w:tc></w:tr></w:tbl>" * 80
    try:
        assert "x" in read(make_docx(tmp_path / "deep.docx", deep))[0]
    except DocumentError as refused:
        assert refused.code == "hostile"


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), b"not a document"]
)
def test_what_is_no_docx_is_a_sentence(tmp_path, content):
    path = tmp_path / "broken.docx"
    path.write_bytes(content)
    with pytest.raises(DocumentError) as refused:
        read(path)
    assert refused.value.code == "damaged"
    assert "broken.docx" in str(refused.value)
    assert refused.value.remedy


def test_a_docx_with_half_of_its_xml_is_a_sentence(tmp_path):
    path = make_docx(
        tmp_path / "half.docx", p(r("x")), more={"word/document.xml": b"<w:document><w:body><w:p>"}
    )
    with pytest.raises(DocumentError) as refused:
        read(path)
    assert refused.value.code == "damaged"


def test_an_encoding_that_nobody_knows_is_a_sentence(tmp_path):
    main = (
        '<?xml version="1.0" encoding="UTFh8"?><w:document'
        f" {NAMESPACES}><w:body>{p(r('x'))}</w:body></w:document>"
    )
    core = '<?xml version="1.0" encoding="UTFh8"?><coreProperties/>'
    with pytest.raises(DocumentError) as refused:
        read(
            make_docx(
                tmp_path / "odd.docx",
                more={"word/document.xml": main.encode(), "docProps/core.xml": core.encode()},
            )
        )
    assert refused.value.code == "damaged"


def test_what_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(DocumentError) as refused:
        read(tmp_path / "none.docx")
    assert refused.value.code == "not_found"


def test_a_part_that_is_not_whole_is_a_sentence(tmp_path):
    path = make_docx(tmp_path / "torn.docx", p(r("x" * 500)))
    content = path.read_bytes()
    at = content.index(b"word/document.xml") + 30
    path.write_bytes(content[:at] + bytes(20) + content[at + 20 :])
    with pytest.raises(DocumentError) as refused:
        read(path)
    assert refused.value.code == "damaged"


def test_the_numbers_that_word_counts_stand_before_headings(tmp_path):
    document = Document()
    levels = [
        ("decimal", "Heading1", "%1", 1),
        ("decimal", "Heading2", "§ %1.%2", 1),
        ("chineseCounting", "Heading3", "第%3章", 11),
    ]
    written = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/><w:pStyle'
        f' w:val="{style}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for at, (form, style, text, start) in enumerate(levels)
    )
    numbering = document.part.numbering_part.element
    numbering.insert(
        0,
        parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="77">{written}</w:abstractNum>'),
    )
    numbering.append(
        parse_xml(f'<w:num {nsdecls("w")} w:numId="77"><w:abstractNumId w:val="77"/></w:num>')
    )
    for style in ("Heading 1", "Heading 2", "Heading 3"):
        properties = document.styles[style].element.get_or_add_pPr()
        properties.append(parse_xml(f'<w:numPr {nsdecls("w")}><w:numId w:val="77"/></w:numPr>'))
    for level, title in (
        (1, "Scope"),
        (2, "Terms"),
        (3, "One"),
        (3, "Two"),
        (2, "Payment"),
        (1, "End"),
        (2, "Notice"),
    ):
        document.add_heading(title, level)
    bare = document.add_heading("Annex", 1)
    bare._p.get_or_add_pPr().append(
        parse_xml(f'<w:numPr {nsdecls("w")}><w:numId w:val="0"/></w:numPr>')
    )
    document.save(tmp_path / "a.docx")
    text, _, blocks = read(tmp_path / "a.docx")
    assert text.split("\n\n") == [
        "# 1 Scope",
        "## § 1.1 Terms",
        "### 第十一章 One",
        "### 第十二章 Two",
        "## § 1.2 Payment",
        "# 2 End",
        "## § 2.1 Notice",
        "# Annex",
    ]
    assert blocks[1].source.headings == ("1 Scope", "§ 1.1 Terms")


def test_what_continues_an_item_is_none_and_a_paragraph_of_a_typewriter_is_code(tmp_path):
    level = '<w:lvl w:ilvl="{}"><w:numFmt w:val="bullet"/><w:lvlText w:val="{}"/></w:lvl>'
    lists = "".join(
        f'<w:abstractNum w:abstractNumId="{at}">{level.format(0, sign)}{level.format(1, sign)}'
        "</w:abstractNum>"
        for at, sign in enumerate("• ")
    )
    numbers = "".join(
        f'<w:num w:numId="{at + 1}"><w:abstractNumId w:val="{at}"/></w:num>' for at in (0, 1)
    )

    def item(text, number, level=0):
        place = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
        return f"<w:p><w:pPr>{place}</w:pPr>{r(text)}</w:p>"

    typewriter = '<w:rFonts w:ascii="Courier New"/>'
    sign = '<w:rStyle w:val="Sign"/>'
    body = [
        *(item("Doors", 1), item("both of them", 2), item("the front one", 1, 1)),
        *(item("Windows", 1), p(r("None is left.")), item("no item", 2)),
        p(r("for each in doors:", typewriter)),
        "<w:p/>",
        p(r("    shut(each)", typewriter)),
        p(r("All are shut"), "<w:r><w:cr/><w:t>by now.</w:t></w:r>"),
        p(r("x = 1", sign)).replace("<w:p>", '<w:p><w:pPr><w:pStyle w:val="Pre"/></w:pPr>'),
        p(r("A sign", sign)),
        p(r("Arial", '<w:rFonts w:ascii="Arial Unicode MS"/>')),
    ]
    part = f"<w:numbering {NAMESPACES}>{lists}{numbers}</w:numbering>"
    look = f"<w:rPr>{typewriter}</w:rPr></w:style>"
    named = '<w:style w:type="{}" w:styleId="{}"><w:name w:val="own"/>'.format
    both = f"{named('paragraph', 'Pre')}{look}{named('character', 'Sign')}{look}"
    styles = f"<w:styles {NAMESPACES}>{both}</w:styles>"
    more = {"word/numbering.xml": part.encode(), "word/styles.xml": styles.encode()}
    text, _, _ = read(make_docx(tmp_path / "a.docx", *body, more=more))
    assert text.split("\n\n") == [
        "- Doors",
        "  both of them",
        "  - the front one",
        "- Windows",
        "None is left.",
        "no item",
        "```\nfor each in doors:",
        "    shut(each)\n```",
        "All are shut\\\nby now.",
        "```\nx = 1\n```",
        "A sign",
        "Arial",
    ]


def test_what_a_field_shows_is_text(tmp_path):
    made = make_docx(
        tmp_path / "a.docx",
        p(
            r("See "),
            f'<w:fldSimple w:instr="IF 2 &gt; 1 REF">{r("Table 7")}</w:fldSimple>',
            r("."),
        ),
        p(
            '<w:fldSimple w:instr="HYPERLINK'
            f' &quot;https://example.org/&quot;">{r("here")}</w:fldSimple>'
        ),
        p(r("none:"), '<w:fldSimple w:instr="DATE"/>'),
    )
    assert read(made)[0] == "See Table 7.\n\n[here](https://example.org/)\n\nnone:"


def field(code, shown, more=""):
    def part(kind):
        return (
            f'<w:r><w:fldChar w:fldCharType="{kind}">{more * (kind == "begin")}</w:fldChar></w:r>'
        )

    inside = code if code.startswith("<") else f"<w:r><w:instrText>{code}</w:instrText></w:r>"
    return part("begin") + inside + part("separate") + shown + part("end")


def test_fields_within_fields_show_what_the_outer_one_shows(tmp_path):
    question = "<w:r><w:instrText>IF </w:instrText></w:r>" + field("MERGEFIELD x", r("m"))
    made = make_docx(
        tmp_path / "a.docx",
        p(r("Dear "), field(question, r("Mr")), r(" Miller.")),
        p(field(' HYPERLINK "https://example.org/"', r("page ") + field("PAGEREF a", r("9")))),
    )
    assert read(made)[0] == "Dear Mr Miller.\n\n[page 9](https://example.org/)"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("eq \\o\\ac(○,1)", "○1"),
        ("EQ \\f(1,2)", "1/2"),
        ('EQ \\* jc2 \\* "Font:宋体" \\* hps10 \\o\\ad(\\s\\up 9(hàn),汉)', "hàn汉"),
        ("MACROBUTTON NoMacro [Your name]", "[Your name]"),
        ("XE words", ""),
        ("", ""),
    ],
)
def test_fields_without_a_result_show_what_word_draws(tmp_path, code, shown):
    bare = field(code, "").replace(
        '<w:r><w:fldChar w:fldCharType="separate"></w:fldChar></w:r>', ""
    )
    assert read(make_docx(tmp_path / "a.docx", p(r("Sign:"), bare)))[0] == f"Sign:{shown}"


def test_fields_of_forms_show_their_state(tmp_path):
    def box(more):
        data = f"<w:ffData><w:checkBox>{more}</w:checkBox></w:ffData>"
        return field("FORMCHECKBOX", "", data)

    choice = '<w:listEntry w:val="red"/><w:listEntry w:val="green"/>'
    data = f'<w:ffData><w:ddList><w:result w:val="1"/>{choice}</w:ddList></w:ffData>'
    made = make_docx(
        tmp_path / "a.docx",
        p(box("<w:checked/>"), r(" yes, "), box('<w:default w:val="0"/>'), r(" no")),
        p(r("Color: "), field("FORMDROPDOWN", "", data)),
    )
    assert read(made)[0] == "☒ yes, ☐ no\n\nColor: green"


def test_words_in_elements_that_pandoc_does_not_know_are_kept(tmp_path):
    sounds = f"<w:rt>{r('とう')}</w:rt><w:rubyBase>{r('東')}</w:rubyBase>"
    choice = f'<mc:Choice Requires="w14">{r("new")}</mc:Choice>'
    made = make_docx(
        tmp_path / "a.docx",
        p(f"<w:customXml>{r('one ')}</w:customXml>", f'<w:dir w:val="rtl">{r("two ")}</w:dir>'),
        p(f"<w:r><w:ruby>{sounds}</w:ruby></w:r>"),
        p(
            "<mc:AlternateContent"
            ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
            f"{choice}<mc:Fallback>{r('old')}</mc:Fallback></mc:AlternateContent>"
        ),
    )
    assert read(made)[0] == "one two\n\n東(とう)\n\nnew"


@pytest.mark.parametrize(
    ("rise", "shown"), [("8", "10<sup>3</sup>"), ("-8", "10<sub>3</sub>"), ("2", "103")]
)
def test_text_far_off_the_line_is_raised_or_lowered(tmp_path, rise, shown):
    moved = f'<w:r><w:rPr><w:position w:val="{rise}"/><w:sz w:val="19"/></w:rPr><w:t>3</w:t></w:r>'
    assert read(make_docx(tmp_path / "a.docx", p(r("10"), moved)))[0] == shown


def test_rows_that_were_deleted_go_and_cells_that_are_left_out_are_empty(tmp_path):
    def row(properties, *cells):
        inside = "".join(f"<w:tc><w:tcPr/>{p(cell)}</w:tc>" for cell in cells)
        return f"<w:tr><w:trPr>{properties}</w:trPr>{inside}</w:tr>"

    grid = '<w:tblGrid><w:gridCol w:w="9"/><w:gridCol w:w="9"/></w:tblGrid>'
    rows = [
        row("", r("a"), r("b")),
        row('<w:del w:id="1" w:author="Ann"/>', deleted("c"), deleted("d")),
        row('<w:gridBefore w:val="1"/>', r("e")),
    ]
    made = make_docx(tmp_path / "a.docx", f"<w:tbl>{grid}{''.join(rows)}</w:tbl>", p())
    assert read(made)[0] == "| a | b |\n| --- | --- |\n|  | e |"


def test_lists_of_word_s_styles_are_in_one_another_by_their_indents(tmp_path):
    document = Document()
    for style, text in [
        ("List Number", "one"), ("List Bullet 2", "a"), ("List Bullet 2", "b"),
        ("List Bullet 3", "deep"), ("List Number", "two"), ("List Number 2", "x"),
        ("Normal", "Then."), ("List Bullet", "c"), ("Normal", "as far in"),
        ("List Number", "three"),
    ]:  # fmt: skip
        paragraph = document.add_paragraph(text, style=style)
        paragraph.paragraph_format.left_indent = Twips(360) if text == "as far in" else None
    document.save(tmp_path / "lists.docx")
    assert read(tmp_path / "lists.docx")[0] == (
        "1. one\n   - a\n   - b\n     - deep\n2. two\n   1. x\n\nThen.\n\n- c\n\n  as far in\n\n"
        "3. three"
    )


def test_what_word_has_in_its_outline_is_a_heading(tmp_path):
    document = Document()
    style = document.styles.add_style("Chapter", 1)
    style.element.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {nsdecls("w")} w:val="1"/>'))
    document.add_paragraph("Opening", style="Chapter")
    document.add_paragraph("Text.")
    document.save(tmp_path / "a.docx")
    assert read(tmp_path / "a.docx")[0] == "## Opening\n\nText."


def test_a_hidden_heading_is_none_and_hidden_rows_are_marked(tmp_path):
    ghost = p("<w:r><w:rPr><w:vanish/></w:rPr><w:t>Ghost</w:t></w:r>", style="Heading1")
    row = f"<w:tr><w:trPr><w:hidden/></w:trPr><w:tc>{p(r('secret'))}</w:tc></w:tr>"
    grid = '<w:tblGrid><w:gridCol w:w="9"/></w:tblGrid>'
    made = make_docx(tmp_path / "a.docx", ghost, f"<w:tbl>{grid}{row}</w:tbl>", p(r("Seen.")))
    text = read(made)[0]
    assert "#" not in text
    assert text.count("<!-- hidden text") == 2


def test_text_that_nobody_sees_is_marked_as_hidden(tmp_path):
    document = Document()
    paragraph = document.add_paragraph("Seen. ")
    paragraph.add_run("by a run").font.hidden = True
    document.styles.add_style("Ghost", 2).font.hidden = True
    document.add_paragraph().add_run("by a style", style="Ghost")
    shown = document.add_paragraph().add_run("not hidden after all", style="Ghost")
    shown.font.hidden = False
    document.add_paragraph().add_run("by its size").font.size = Pt(1)
    white = RGBColor(255, 255, 255)
    document.add_paragraph().add_run("by its color").font.color.rgb = white
    table = document.add_table(1, 1, style="Medium Shading 1 Accent 1")
    table.cell(0, 0).paragraphs[0].add_run("white on blue").font.color.rgb = white
    dark = document.add_table(1, 1).cell(0, 0)
    dark._tc.get_or_add_tcPr().append(
        parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:fill="102030"/>')
    )
    dark.paragraphs[0].add_run("white on black").font.color.rgb = white
    document.save(tmp_path / "a.docx")
    text, opened, _ = read(tmp_path / "a.docx")
    hidden = [line for line in text.splitlines() if "hidden text" in line]
    assert [line.partition(": ")[2].removesuffix(" -->") for line in hidden] == [
        "by a run",
        "by a style",
        "by its size",
        "by its color",
    ]
    for seen in ("Seen.", "not hidden after all", "white on blue", "white on black"):
        assert any(seen in line for line in text.splitlines() if line not in hidden)
    assert opened.warnings == ["Text that cannot be seen in the document is marked as hidden."]


def test_hidden_text_is_marked_in_notes_text_boxes_and_changes_too(tmp_path):
    secret = r("secret", "<w:vanish/>")
    made = make_docx(
        tmp_path / "a.docx",
        p(r("Words"), footnote(2), text_box(p(r("In the box "), secret))),
        p(f'<w:ins w:id="1" w:author="A" w:date="2026-01-04T10:00:00Z">{secret}</w:ins>'),
        footnotes=f'<w:footnote w:id="2">{p(r("The note. "), secret)}</w:footnote>',
    )
    text = read(made)[0]
    assert (
        text.count("secret")
        == text.count("<!-- hidden text, not visible in the document: secret")
        == 3
    )
    assert "[^1]: The note." in text
    assert "In the box" in text


def test_numbering_that_no_program_writes_costs_nothing(tmp_path):
    number = '<w:numPr><w:ilvl w:val="999999999"/><w:numId w:val="1"/></w:numPr>'
    heading = f'<w:p><w:pPr><w:pStyle w:val="Heading1"/>{number}</w:pPr>{r("End")}</w:p>'
    level = (
        '<w:lvl w:ilvl="8"><w:start w:val="99999999999"/><w:numFmt w:val="upperRoman"/><w:lvlText'
        ' w:val="%9"/></w:lvl>'
    )
    part = (
        f'<w:numbering {NAMESPACES}><w:abstractNum w:abstractNumId="0">{level}<w:lvl'
        ' w:ilvl="x"/></w:abstractNum><w:num w:numId="1"><w:abstractNumId'
        ' w:val="0"/></w:num></w:numbering>'
    )
    made = make_docx(tmp_path / "a.docx", heading, more={"word/numbering.xml": part.encode()})
    assert read(made)[0] == "# 999999 End"


@pytest.mark.parametrize(
    ("changes", "shown"), [("accept", "| a | new |"), ("reject", "| a | old |")]
)
def test_cells_are_deleted_and_inserted_like_words(tmp_path, changes, shown):
    def cell(text, change=""):
        mark = f'<w:{change} w:id="1" w:author="Ann"/>' if change else ""
        return f"<w:tc><w:tcPr>{mark}</w:tcPr>{p(r(text))}</w:tc>"

    row = f"<w:tr>{cell('a')}{cell('old', 'cellDel')}{cell('new', 'cellIns')}</w:tr>"
    text, opened = read(make_docx(tmp_path / "a.docx", f"<w:tbl>{row}</w:tbl>"), changes=changes)[
        :2
    ]
    assert text.split("\n")[0] == shown
    assert (opened.metadata["insertions"], opened.metadata["deletions"]) == (1, 1)


def test_words_drawn_along_a_path_are_text(tmp_path):
    drawn = '<w:r><w:pict><v:shape><v:textpath string="Grand opening"/></v:shape></w:pict></w:r>'
    path = make_docx(tmp_path / "a.docx", p(drawn), p(r("Words.")))
    assert read(path)[0] == "Grand opening\n\nWords."
