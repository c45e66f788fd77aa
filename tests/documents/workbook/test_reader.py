"""What is read of a workbook: each fault that other readers have is a test here."""

import re
from datetime import date, datetime, time, timedelta

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill

from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.workbook.reader import open_workbook
from dogent_tui.references.sheets import sheet_names
from tests.documents.workbook.made import (
    markdown,
    number,
    read,
    relations,
    row,
    sheet_xml,
    text,
    workbook,
)


def saved(path, fill):
    book = openpyxl.Workbook()
    fill(book, book.active)
    book.save(path)
    return path


def test_what_a_spreadsheet_program_shows_is_what_is_read(tmp_path):
    def fill(_book, sheet):
        sheet.append(["Day", "At", "Time", "Span", "Share", "Price", "Yes", "Count", "编号"])
        sheet.append(
            [
                date(2026, 1, 5),
                datetime(2026, 1, 5, 13, 45, 30),
                time(9, 30),
                timedelta(hours=27, minutes=15),
                0.256,
            ]
        )
        sheet.append(
            [datetime(1999, 12, 31), datetime(2000, 2, 29), time(0, 0), timedelta(minutes=5), 1]
        )
        for position, (price, yes, count, code) in enumerate(
            [(1234.5, True, 1000000, "00123"), (-0.5, False, 1e-7, "中文")], 2
        ):
            sheet.cell(position, 5).number_format = "0.0%"
            sheet.cell(position, 6, price).number_format = '"$"#,##0.00'
            sheet.cell(position, 7, yes)
            sheet.cell(position, 8, count)
            sheet.cell(position, 9, code)

    assert markdown(saved(tmp_path / "a.xlsx", fill)).splitlines() == [
        "| Day | At | Time | Span | Share | Price | Yes | Count | 编号 |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        (
            "| 2026-01-05 | 2026-01-05 13:45:30 | 09:30:00 | 27:15:00 | 25.6% | $1,234.50 | TRUE |"
            " 1000000 | 00123 |"
        ),
        (
            "| 1999-12-31 | 2000-02-29 | 00:00:00 | 0:05:00 | 100.0% | -$0.50 | FALSE | 0.0000001 |"
            " 中文 |"
        ),
    ]


def test_a_cell_stays_on_its_line_and_shows_its_own_characters(tmp_path):
    def fill(_book, sheet):
        sheet.append(["Kind", "Text"])
        sheet.append(["bar", "a|b"])
        sheet.append(["bar after backslash", "a\\|b"])
        sheet.append(["lines", "one\r\ntwo"])
        sheet.append(["markup", "<b>x</b> & *star* _u_ `c` snake_case [a](b) &lt;"])

    assert markdown(saved(tmp_path / "a.xlsx", fill)).splitlines()[2:] == [
        r"| bar | a\|b |",
        r"| bar after backslash | a\\&#124;b |",
        "| lines | one<br>two |",
        r"| markup | \<b>x\</b> & \*star\* \_u\_ \`c\` snake_case [a\](b) \&lt; |",
    ]


def test_terminal_controls_in_a_cell_are_shown_and_not_obeyed(tmp_path):
    path = workbook(
        tmp_path / "a.xlsx", {"S": row(1, text("A1", "x"), text("B1", "red _x001B_[31m _x005F_x"))}
    )
    assert "red ␛\\[31m" in markdown(path).replace("[31m", "\\[31m") and "\x1b" not in markdown(
        path
    )


def test_errors_are_kept_and_formulas_without_a_result_are_shown(tmp_path):
    cells = [
        '<c r="A2" t="e"><f>1/0</f><v>#DIV/0!</v></c>',
        '<c r="B2"><f>SUM(C1:C9)|1</f></c>',
        '<c r="C2"><f>1+1</f><v>2</v></c>',
        '<c r="D2" t="str"><f>T(A9)</f><v></v></c>',
        '<c r="E2" t="b"><f>TRUE()</f><v>1</v></c>',
        '<c r="F2"><f>_xlfn.XLOOKUP(1,A:A,B:B)</f><v/></c>',
    ]
    path = workbook(
        tmp_path / "a.xlsx",
        {"S": row(1, *(text(f"{letter}1", letter) for letter in "ABCDEF")) + row(2, *cells)},
    )
    assert (
        markdown(path).splitlines()[2]
        == "| #DIV/0! | `=SUM(C1:C9)\\|1` | 2 |  | TRUE | `=XLOOKUP(1,A:A,B:B)` |"
    )
    _blocks, opened = read(path)
    assert any(
        warning.startswith("2 formulas have no stored result") for warning in opened.warnings
    )


def test_a_shared_formula_without_results_reads_as_in_its_own_cell(tmp_path):
    rows = row(1, text("A1", "a"), text("B1", "b"))
    rows += row(2, number("A2", 1), '<c r="B2"><f t="shared" ref="B2:B3" si="0">A2*2</f></c>')
    rows += row(3, number("A3", 2), '<c r="B3"><f t="shared" si="0"/></c>')
    assert markdown(workbook(tmp_path / "a.xlsx", {"S": rows})).splitlines()[2:] == [
        "| 1 | `=A2*2` |",
        "| 2 | `=A3*2` |",
    ]


def test_dates_count_from_1904_where_the_workbook_says_so(tmp_path):
    rows = row(1, number("A1", 42735, 1), number("B1", 5))
    path = workbook(tmp_path / "a.xlsx", {"S": rows}, settings='<workbookPr date1904="1"/>')
    assert markdown(path).startswith("| 2021-01-01 | 5 |")


def test_rich_text_is_read_whole_and_without_its_reading(tmp_path):
    def fill(_book, sheet):
        sheet.append([CellRichText("plain ", TextBlock(InlineFont(b=True), "bold")), "x"])

    assert markdown(saved(tmp_path / "a.xlsx", fill)).startswith("| plain bold | x |")
    strings = [
        "<r><t>東</t></r><r><t>京</t></r><rPh sb='0' eb='2'><t>トウキョウ</t></rPh>",
        "<t>second</t>",
    ]
    rows = row(
        1,
        '<c r="A1" t="s"><v>1</v></c>',
        '<c r="B1" t="s"><v>0</v></c>',
        '<c r="C1" t="s"><v>99</v></c>',
    )
    assert markdown(workbook(tmp_path / "b.xlsx", {"S": rows}, strings=strings)).startswith(
        "| second | 東京 |\n"
    )


def test_the_first_visible_sheet_is_read_unless_another_is_named(tmp_path):
    sheets = {
        name: row(1, text("A1", f"in {name}")) for name in ("Secret", "Data", "data", "中文 表")
    }
    path = workbook(tmp_path / "a.xlsx", sheets, states={"Secret": "hidden"})
    _blocks, opened = read(path)
    assert opened.metadata["sheet"] == "Data"
    assert [(each["name"], each["state"]) for each in opened.metadata["sheets"]] == [
        ("Secret", "hidden"),
        ("Data", "visible"),
        ("data", "visible"),
        ("中文 表", "visible"),
    ]
    assert markdown(path, "data") == "in data"
    assert markdown(path, "DATA") == "in Data"
    assert markdown(path, "中文 表") == "in 中文 表"
    blocks, opened = read(path, "secret")
    assert blocks[0].source.sheet == "Secret"
    assert opened.warnings == ["The sheet “Secret” is hidden in the workbook."]


def test_an_unknown_sheet_is_answered_with_the_sheets_there_are(tmp_path):
    path = workbook(tmp_path / "a.xlsx", {"One": "", "Two": ""}, states={"Two": "veryHidden"})
    with pytest.raises(DocumentError) as caught:
        read(path, "Three")
    assert caught.value.code == "no_sheet"
    assert str(caught.value) == "a.xlsx has no sheet “Three”. It has: “One”, “Two” (hidden)."


def test_rows_and_columns_without_space_are_hidden(tmp_path):
    row = '<row r="%d" ht="%d"><c r="A%d"><v>1</v></c><c r="B%d"><v>2</v></c></row>'
    rows = "".join(row % (n, height, n, n) for n, height in ((1, 15), (2, 0)))
    part = sheet_xml(rows, before='<cols><col min="2" max="2" width="0"/></cols>')
    text = markdown(workbook(tmp_path / "a.xlsx", {"One": part}))
    assert text.split("\n\n") == [
        "1",
        "<!-- hidden column B, not visible in the workbook: B1 2 -->",
        "<!-- hidden row 2, not visible in the workbook: 1 | 2 -->",
    ]


def test_what_a_format_makes_invisible_is_marked_as_hidden(tmp_path):
    def fill(_book, sheet):
        for each in (["name", "n"], ["Ann", 1], ["Bob", 42.5]):
            sheet.append(each)
        sheet["C2"] = "a secret"
        sheet["C2"].number_format = sheet["B3"].number_format = ";;;"

    path = saved(tmp_path / "a.xlsx", fill)
    table, *hidden = markdown(path).split("\n\n")
    assert table.splitlines()[2:] == ["| Ann | 1 |", "| Bob |  |"]
    assert hidden == [
        "<!-- hidden cell C2, not visible in the workbook: a secret -->",
        "<!-- hidden cell B3, not visible in the workbook: 42.5 -->",
    ]
    _, opened = read(path)
    assert opened.warnings == ["Hidden in the workbook and marked as hidden here: cells C2, B3."]


def test_text_in_the_color_of_its_ground_is_marked_as_hidden(tmp_path):
    def fill(_book, sheet):
        for each in (["white", "navy", "seen"], ["a", "b", "c"]):
            sheet.append(each)
        sheet["A1"].font = sheet["C1"].font = Font(color="FFFFFFFF")
        sheet["B1"].font = Font(color="FF000080")
        sheet["B1"].fill = sheet["C1"].fill = PatternFill("solid", fgColor="FF000080")

    table, *hidden = markdown(saved(tmp_path / "a.xlsx", fill)).split("\n\n")
    assert table.splitlines()[0] == "|  |  | seen |"
    assert [comment.split(": ")[1] for comment in hidden] == ["white -->", "navy -->"]


def test_hidden_rows_and_columns_are_marked_and_named(tmp_path):
    def fill(_book, sheet):
        for position in range(1, 8):
            sheet.append([f"r{position}", f"secret {position}", position])
        sheet.row_dimensions[3].hidden = sheet.row_dimensions[4].hidden = True
        sheet.column_dimensions["B"].hidden = True

    path = saved(tmp_path / "a.xlsx", fill)
    seen, _, hidden = markdown(path).partition("\n\n")
    assert seen.splitlines()[2:] == ["| r2 | 2 |", "| r5 | 5 |", "| r6 | 6 |", "| r7 | 7 |"]
    column, *rows = hidden.split("\n\n")
    assert column.startswith(
        "<!-- hidden column B, not visible in the workbook: B1 secret 1 | B2 secret 2 | B5 secret 5"
    )
    assert rows == [
        f"<!-- hidden row {each}, not visible in the workbook: r{each} | secret {each} | {each} -->"
        for each in (3, 4)
    ]
    _blocks, opened = read(path)
    assert (opened.metadata["hidden_rows"], opened.metadata["hidden_columns"]) == (["3–4"], ["B"])
    assert (
        opened.warnings[0]
        == "Hidden in the workbook and marked as hidden here: rows 3–4 and column B."
    )


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("states_rows", [True, False])
def test_some_rows_of_a_large_sheet_come_alone_under_its_header(tmp_path, states_rows):
    cells = [
        row(each, number(f"A{each}", each), number(f"B{each}", -each)) for each in range(1, 9001)
    ]
    if not states_rows:
        cells = [f"<row><c><v>{each}</v></c><c><v>-{each}</v></c></row>" for each in range(1, 9001)]
    merged = '<mergeCells count="1"><mergeCell ref="A8000:B8000"/></mergeCells>'
    path = workbook(
        tmp_path / "a.xlsx",
        {"S": sheet_xml("".join(cells), after=merged), "My!A1": sheet_xml(cells[4])},
    )
    opened = open_workbook(path, ReadOptions(rows="8500-8502"), lambda *_: None)
    (block,) = opened.blocks
    assert block.markdown.splitlines() == [
        "| 1 | -1 |",
        "| --- | --- |",
        *(f"| {n} | -{n} |" for n in (8500, 8501, 8502)),
    ]
    assert block.source.cells == "A8500:B8502"
    assert opened.metadata["merged"] == ["A8000:B8000"]
    (block,) = open_workbook(path, ReadOptions(sheet="S!B2:B3"), lambda *_: None).blocks
    assert block.markdown.splitlines()[-2:] == ["| -2 |", "| -3 |"]
    assert list(open_workbook(path, ReadOptions(sheet="My!A1"), lambda *_: None).blocks)
    empty = open_workbook(path, ReadOptions(rows="9100-"), lambda *_: None)
    assert not list(empty.blocks)
    assert empty.warnings == ["There are no cells in this part of the sheet “S”."]


@pytest.mark.parametrize("rows", ["x", "0-3", "3-4-5", "-"])
def test_what_is_no_range_is_told(tmp_path, rows):
    path = saved(tmp_path / "a.xlsx", lambda _book, sheet: sheet.append([1]))
    with pytest.raises(DocumentError, match="is not a range"):
        open_workbook(path, ReadOptions(rows=rows), lambda *_: None)


def test_merged_cells_have_their_value_once_and_are_listed(tmp_path):
    def fill(_book, sheet):
        sheet.append(["Region", "Sales", None])
        sheet.append([None, "Q1", "Q2"])
        sheet.append(["North", 1, 2])
        sheet.append([None, 3, 4])
        sheet.merge_cells("B1:C1")
        sheet.merge_cells("A3:A4")

    path = saved(tmp_path / "a.xlsx", fill)
    assert markdown(path).splitlines()[2:] == [
        "|  | Q1 | Q2 |",
        "| North | 1 | 2 |",
        "|  | 3 | 4 |",
    ]
    assert read(path)[1].metadata["merged"] == ["B1:C1", "A3:A4"]


def test_comments_and_links_follow_the_table(tmp_path):
    def fill(_book, sheet):
        sheet.append(["site", "note"])
        sheet.append(["here", "there"])
        sheet["A2"].hyperlink = "https://example.org/x"
        sheet["B2"].comment = Comment("Ann:\nplease | check", "Ann")

    blocks, opened = read(saved(tmp_path / "a.xlsx", fill))
    assert blocks[-2].markdown == "Links:\n\n- A2: <https://example.org/x>"
    assert blocks[-1].markdown == "Comments:\n\n- B2 (Ann): please | check"
    assert blocks[-1].source.cells == "B2"
    assert opened.metadata["comments"] == 1


def test_a_comment_of_the_newer_kind_is_read_with_its_author(tmp_path):
    main = 'xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"'
    extra = {
        "xl/worksheets/_rels/sheet1.xml.rels": relations(
            [
                ("comments", "../comments1.xml"),
                ("threadedComment", "../threadedComments/threadedComment1.xml"),
            ]
        ),
        "xl/comments1.xml": (
            "<comments><authors><author>tc=1</author></authors><commentList><comment ref='A1'"
            " authorId='0'><text><t>[Threaded comment] for older"
            " programs</t></text></comment></commentList></comments>"
        ),
        "xl/threadedComments/threadedComment1.xml": (
            f"<ThreadedComments {main}><threadedComment ref='A1' personId='p'>"
            "<text>Really?</text></threadedComment></ThreadedComments>"
        ),
        "xl/persons/person.xml": (
            f"<personList {main}><person displayName='Bo Li' id='p'/></personList>"
        ),
    }
    path = workbook(tmp_path / "a.xlsx", {"S": row(1, text("A1", "x"))}, extra=extra)
    assert markdown(path) == "x\n\nComments:\n\n- A1 (Bo Li): Really?"


def test_charts_and_pictures_are_counted(tmp_path):
    drawing = (
        '<xdr:wsDr xmlns:xdr="urn:x" xmlns:a="urn:a"'
        ' xmlns:c="urn:c" xmlns:r="urn:r"><xdr:pic/><xdr:pic/>'
        "<xdr:graphicFrame><a:graphic><a:graphicData>"
        '<c:chart r:id="rId1"/>'
        "</a:graphicData></a:graphic></xdr:graphicFrame></xdr:wsDr>"
    )
    extra = {
        "xl/worksheets/_rels/sheet1.xml.rels": relations([("drawing", "../drawings/drawing1.xml")]),
        "xl/drawings/drawing1.xml": drawing,
    }
    _blocks, opened = read(
        workbook(tmp_path / "a.xlsx", {"S": row(1, text("A1", "x"))}, extra=extra)
    )
    assert opened.warnings == ["The sheet “S” has 2 images and 1 chart, not shown here."]


def test_a_chart_sheet_is_listed_and_has_no_cells(tmp_path):
    def fill(book, sheet):
        sheet.append(["x"])
        book.create_chartsheet("Chart", 0)

    path = saved(tmp_path / "a.xlsx", fill)
    assert markdown(path) == "x"
    assert sheet_names(path) == ["Chart", "Sheet"]
    blocks, opened = read(path, "Chart")
    assert not blocks
    assert opened.warnings == ["The sheet “Chart” is a chart: it has no cells."]


def test_an_empty_sheet_says_so(tmp_path):
    blocks, opened = read(
        workbook(tmp_path / "a.xlsx", {"S": row(1, '<c r="B2" s="1"/>', text("C1", "  "))})
    )
    assert not blocks
    assert opened.warnings == ["The sheet “S” is empty."]


def test_the_size_of_another_sheet_is_what_the_file_states_unless_that_cannot_be(tmp_path):
    rows = "".join(row(position, number(f"C{position}", 1)) for position in range(1, 31))
    sizes = []
    for stated in ("A1", "A1:XFD1048576", "A1:C30"):
        other = sheet_xml(rows, before=f'<dimension ref="{stated}"/>')
        path = workbook(tmp_path / "a.xlsx", {"First": "", "S": other})
        listed = read(path)[1].metadata["sheets"][1]
        sizes.append((listed.get("rows"), listed.get("columns")))
    assert sizes == [(None, None), (None, None), (30, 3)]


def test_rows_and_cells_need_not_say_where_they_are(tmp_path):
    path = workbook(
        tmp_path / "a.xlsx",
        {"S": "<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c><c><v>4</v></c></row>"},
    )
    blocks, _opened = read(path)
    assert (blocks[0].source.cells, blocks[0].markdown.splitlines()[2]) == ("A1:B2", "| 3 | 4 |")


def test_prefixed_names_and_unordered_cells_are_understood(tmp_path):
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = (
        f'<?xml version="1.0"?><x:worksheet xmlns:x="{main}"><x:sheetData><x:row r="1"><x:c'
        ' r="B1"><x:v>2</x:v></x:c><x:c r="A1"'
        ' t="inlineStr"><x:is><x:t>one</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>'
    )
    assert markdown(workbook(tmp_path / "a.xlsx", {"S": sheet})).startswith("| one | 2 |")


def test_a_package_may_be_laid_out_in_its_own_way(tmp_path):
    path = workbook(tmp_path / "a.xlsx", {"S": row(1, text("A1", "x"))})
    import zipfile

    other = tmp_path / "b.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            content = old.read(name).replace(b'"xl/workbook.xml"', b'"/workbook.xml"')
            new.writestr(name.removeprefix("xl/").replace("worksheets/", "Worksheets/"), content)
    assert markdown(other) == "x"
    assert sheet_names(other) == ["S"]


def test_title_and_author_are_known(tmp_path):
    def fill(book, sheet):
        sheet.append([1])
        book.properties.title, book.properties.creator = "Budget", "Ann"

    metadata = read(saved(tmp_path / "a.xlsm", fill))[1].metadata
    assert (metadata["title"], metadata["author"], metadata["format"]) == ("Budget", "Ann", "xlsm")


def test_progress_is_told_in_rows(tmp_path):
    rows = "".join(row(position, number(f"A{position}", position)) for position in range(1, 5001))
    told = []
    sheet = sheet_xml(rows, before='<dimension ref="A1:A5000"/>')
    path = workbook(tmp_path / "a.xlsx", {"S": sheet})
    list(open_workbook(path, ReadOptions(), lambda *how: told.append(how)).blocks)
    assert told == [(2000, 5000, "rows"), (4000, 5000, "rows")]


def test_every_row_comes_once_and_can_be_found_by_its_range(tmp_path):
    rows = row(1, text("A1", "n"), text("B1", "square"))
    rows += "".join(
        row(each, number(f"A{each}", each), number(f"B{each}", each * each))
        for each in range(2, 1001)
    )
    blocks, _opened = read(workbook(tmp_path / "a.xlsx", {"S": rows}))
    assert [block.tight for block in blocks] == [False] + [True] * (len(blocks) - 1)
    seen = []
    for block in blocks:
        first, last = map(int, re.fullmatch(r"A(\d+):B(\d+)", block.source.cells).groups())
        lines = [line for line in block.markdown.splitlines() if "---" not in line]
        assert len(lines) == last - first + 1
        seen += lines
    assert seen == ["| n | square |"] + [f"| {each} | {each * each} |" for each in range(2, 1001)]


def test_what_is_hidden_at_the_top_of_a_long_sheet_is_said_with_its_first_page(tmp_path):
    cells = [
        row(each, number(f"A{each}", each), number(f"B{each}", each)) for each in range(1, 2001)
    ]
    cells[2] = row(3, number("A3", 3), attributes='hidden="1"')
    cells[1500] = row(1501, number("A1501", 3), attributes='hidden="true"')
    sheet = sheet_xml("".join(cells), before='<cols><col min="2" max="2" hidden="1"/></cols>')
    opened = open_workbook(
        workbook(tmp_path / "a.xlsx", {"S": sheet}), ReadOptions(), lambda *_: None
    )
    assert opened.warnings[0].startswith(
        "Hidden in the workbook and marked as hidden here: row 3 and column B."
    )
    assert len(list(opened.blocks)) > 20
    assert opened.warnings[0].startswith(
        "Hidden in the workbook and marked as hidden here: rows 3, 1501 and column B."
    )
    assert len(opened.warnings) == 1


def test_the_size_of_a_large_sheet_that_does_not_state_it_is_known_when_it_is_read(tmp_path):
    rows = "".join(
        row(each, text(f"A{each}", "word " * 10), number(f"B{each}", each))
        for each in range(1, 10_001)
    )
    opened = open_workbook(
        workbook(tmp_path / "a.xlsx", {"S": rows}), ReadOptions(), lambda *_: None
    )
    assert opened.metadata["sheets"] == [{"name": "S", "state": "visible"}]
    assert len(list(opened.blocks)) > 100
    assert opened.metadata["sheets"] == [
        {"name": "S", "state": "visible", "rows": 10_000, "columns": 2}
    ]
    assert opened.metadata["cells"] == "A1:B10000"
