"""Files with tags, as typst writes them: what they say is believed, over the end of a page too."""

import pymupdf
import pytest
import typst

from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.pdf.reader import open_pdf

_SMALL = "#set page(width: 200pt, height: 160pt, margin: 20pt, numbering: none)\n"


@pytest.fixture
def written(tmp_path):
    def write(source):
        (tmp_path / "made.typ").write_text(source, encoding="utf-8")
        # with the fonts in its wheel, since those of a machine may not name what they draw
        typst.Compiler(tmp_path / "made.typ", ignore_system_fonts=True).compile(
            output=tmp_path / "made.pdf"
        )
        return open_pdf(tmp_path / "made.pdf", ReadOptions(), lambda *_: None)

    return write


def texts(opened):
    return [block.markdown for block in opened.blocks]


def test_a_paragraph_by_its_tag_is_no_heading_however_it_is_set(written):
    found = texts(written("Plain words.\n\n#text(22pt)[Large words]\n\n*Bold words*\n\n`code`"))
    assert found == [
        "<!-- page 1 -->",
        "Plain words.",
        "Large words",
        "Bold words",
        "`code`",
    ]


def test_a_table_continues_over_pages_with_its_head_once(written):
    rows = ", ".join(f"[row {n}], [{n}]" for n in range(1, 25))
    opened = written(f"{_SMALL}#table(columns: 2, table.header([Name], [Count]), {rows})\n\nEnd.")
    found = list(opened.blocks)
    tables = [block for block in found if block.markdown.startswith("| Name")]
    assert len(tables) == 1
    lines = tables[0].markdown.split("\n")
    assert len(lines) == 26
    assert lines[-1] == "| row 24 | 24 |"
    assert sum("<!-- page 2 -->" in line for line in lines) == 1
    assert (found[-1].markdown, found[-1].source.page) == ("End.", 5)
    assert opened.metadata["running_titles"][-1] == {"text": "Name Count", "pages": "2-5"}


def test_a_running_title_is_no_part_of_the_table_above_it(written):
    looks = _SMALL.replace("numbering: none", "footer: [Draft of May]")
    opened = written(f"{looks}#table(columns: 2, [Name], [Count], [North harbour], [24])")
    assert texts(opened)[1:] == ["| Name | Count |\n| --- | --- |\n| North harbour | 24 |"]
    assert opened.metadata["running_titles"] == [{"text": "Draft of May", "pages": "1"}]


def test_a_short_page_below_a_long_running_title_is_read_by_its_tags(written):
    title = "Harbours, ferries and tides"
    looks = _SMALL.replace("20pt, numbering: none", f"30pt, header: [{title}]")
    opened = written(f"{looks}#v(9pt)\n+ Now\n+ Then")
    assert texts(opened)[1:] == ["1. Now\n2. Then"]
    assert opened.metadata["running_titles"] == [{"text": title, "pages": "1"}]


def test_pages_that_are_all_of_a_table_are_not_called_empty(written):
    rows = ", ".join(f"[row {n}]" for n in range(1, 25))
    opened = written(f"{_SMALL}#table(columns: 1, table.header([Name]), {rows})")
    found = texts(opened)
    assert [text for text in found if text.startswith("<!--")] == [
        f"<!-- page {number} -->" for number in (1, 2, 3, 4, 5)
    ]
    assert not opened.warnings


def test_a_list_continues_over_pages(written):
    items = "\n".join(
        f"+ item {n}" + (f"\n  - below {n}" if n % 3 == 0 else "") for n in range(1, 25)
    )
    found = texts(written(f"{_SMALL}{items}"))
    lists = [text for text in found if text.startswith("1.")]
    assert len(lists) == 1
    assert "24. item 24\n    - below 24" in lists[0]
    assert lists[0].count("<!-- page") == 3


def test_a_program_continues_over_pages(written):
    code = "\n".join(f"line{n} = {n}" for n in range(1, 31))
    found = texts(written(f"{_SMALL}```\n{code}\n```"))
    assert f"```\n{code}\n```" in found


def test_a_program_of_one_line_too_long_for_the_page_is_one_line(written):
    code = "run " + " ".join(f"--option-{'x' * (7 * n % 23)}" for n in range(20))
    assert texts(written(f"```\n{code}\n```"))[1] == f"```\n{code}\n```"


def test_paragraphs_set_like_code_or_items_are_that_without_tags_of_their_own(written):
    code = "\n\n".join(
        f'#text(font: "DejaVu Sans Mono")[{line}]' for line in ("def total(rows):", "~~~~return 1")
    )
    words = "The words of a paragraph that is longer than all of the code and the list below."
    found = texts(written(f"{words}\n\n{code}\n\n{words}\n\n• one\n\n• two\n\n{words}"))
    listing = "```\ndef total(rows):\n    return 1\n```"
    assert found == ["<!-- page 1 -->", words, listing, words, "- one\n- two", words]


@pytest.mark.parametrize("code", [["def total(rows):", "    return 1"], ["total(rows)"]])
def test_code_in_an_element_without_a_meaning_is_a_listing(tmp_path, code):
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 90), code, fontname="cour")
    page.insert_text((72, 150), "§")  # by a style sheet, and in no element
    page.insert_text((90, 150), "The words below it, which are longer than the code.")
    first, _, third = page.get_contents()[-3:]
    for mark, stream in enumerate((first, third)):
        begin = b"/NonStruct <</MCID %d>> BDC " % mark
        document.update_stream(stream, begin + document.xref_stream(stream) + b" EMC")
    root, whole, inner, *parts = (document.get_new_xref() for _ in range(5))
    kids = "[{} 0 R {} 0 R]".format(*parts)
    nums = f"<</Nums [0 {kids}]>>"
    document.update_object(root, f"<</Type/StructTreeRoot/K {whole} 0 R/ParentTree {nums}>>")
    document.update_object(whole, f"<</S/Document/P {root} 0 R/K {kids}>>")
    for mark, part in enumerate(parts):
        facts = f"<</S/NonStruct/P {whole} 0 R/K {mark}/Pg {page.xref} 0 R>>"
        document.update_object(part, facts)
    if len(code) == 1:  # a browser's listing has an element for the code
        facts = document.xref_object(parts[0]).replace("/NonStruct", "/Code")
        document.update_object(inner, facts.replace(f"/P {whole} 0", f"/P {parts[0]} 0"))
        document.xref_set_key(parts[0], "K", f"{inner} 0 R")
        document.xref_set_key(root, "ParentTree", nums.replace(f"{parts[0]} 0", f"{inner} 0"))
    else:
        document.update_object(inner, "<<>>")
    document.xref_set_key(page.xref, "StructParents", "0")
    document.xref_set_key(document.pdf_catalog(), "StructTreeRoot", f"{root} 0 R")
    document.save(tmp_path / "made.pdf")
    found = texts(open_pdf(tmp_path / "made.pdf", ReadOptions(), lambda *_: None))
    assert found[1] == "```\n" + "\n".join(code) + "\n```"
    assert found[2].startswith("§ The words")


def test_lists_in_cells_and_merged_cells_are_kept(written):
    found = texts(
        written(
            "#table(columns: 2, table.header([A], [B]), [- one\n- two], [x],"
            " table.cell(colspan: 2)[both])"
        )
    )
    assert found[1] == (
        "<table>\n<tr><th>A</th><th>B</th></tr>\n"
        "<tr><td><ul><li>one</li><li>two</li></ul></td><td>x</td></tr>\n"
        '<tr><td colspan="2">both</td></tr>\n</table>'
    )


def test_a_line_of_a_column_that_ends_with_a_style_is_no_line_of_its_own(written):
    words = " ".join("the *harbour* council met in *March* again" for _ in range(130))
    found = texts(written(f"#set page(columns: 2)\n#set par(justify: true)\n= Minutes\n{words}."))
    assert found[2].endswith("again.")
    assert "\\\n" not in found[2]


def test_boxes_of_tasks_stay_at_every_depth(written):
    looks = '#set text(font: "DejaVu Sans")\n#set list(marker: none)\n'
    source = f"{looks}- ☐ first\n  - ☑ second\n    - ☐ third\n      + one\n"
    assert texts(written(source))[1].split("\n") == [
        "- [ ] first",
        "  - [x] second",
        "    - [ ] third",
        "      1. one",
    ]


def test_a_heading_keeps_the_sign_of_a_note_and_a_formula(written):
    sign = "#super(typographic: false)[#link(<there>)[7]]"
    formula = '#math.equation($r$, alt: "$r$")'
    words = "It is wide, as all of them are. <there>"
    found = texts(written(f"#heading[The yard{sign} of {formula}]\n{words}"))
    assert found[1] == "# The yard[^7] of $r$"


def test_a_picture_without_text_stands_in_its_place(written, tmp_path):
    pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 40, 20)).save(tmp_path / "grey.png")
    found = texts(
        written(
            'Above.\n\n#image("grey.png", alt: "A field")\n\nBelow.\n\n'
            '#table(columns: 2, [#image("grey.png", alt: "In a cell")], [x])\n\nThe end.'
        )
    )
    assert found[1:] == [
        "Above.",
        "![A field]()",
        "Below.",
        "| ![In a cell]() | x |\n| --- | --- |",
        "The end.",
    ]


def test_a_table_that_a_browser_does_not_tag_as_one_is_a_table(written, tmp_path):
    written("= Places\n#table(columns: 3, [Weir], [12], [open], [Race], [7], [shut])")
    document = pymupdf.open(tmp_path / "made.pdf")
    for xref in range(1, document.xref_length()):
        if document.xref_get_key(xref, "S")[1] in ("/Table", "/TR", "/TD"):
            document.xref_set_key(xref, "S", "/NonStruct")
    document.save(tmp_path / "bare.pdf")
    found = texts(open_pdf(tmp_path / "bare.pdf", ReadOptions(), lambda *_: None))
    assert found[1:] == [
        "# Places",
        "| Weir | 12 | open |\n| --- | --- | --- |\n| Race | 7 | shut |",
    ]
