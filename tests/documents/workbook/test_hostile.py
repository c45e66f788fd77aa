"""Workbooks that would cost a careless reader its memory or its time, and damaged ones: each
ends as a sentence.
"""

import resource
import zipfile

import pytest

from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.workbook import rows as rows_module
from dogent_tui.documents.workbook.reader import open_workbook
from tests.documents.workbook.made import (
    NAMESPACES,
    markdown,
    number,
    read,
    relations,
    row,
    sheet_xml,
    text,
    workbook,
)


def refused(path):
    with pytest.raises(DocumentError) as caught:
        read(path)
    assert path.name in caught.value.message
    return caught.value.code


def test_entities_are_not_unfolded(tmp_path):
    lines = "".join(f'<!ENTITY e{each} "{f"&e{each - 1};" * 10}">' for each in range(1, 10))
    doctype = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "lol">{lines}]>'
    bomb = doctype + sheet_xml(row(1, text("A1", "&e9;"))).split("\n", 1)[1]
    assert refused(workbook(tmp_path / "a.xlsx", {"S": bomb})) == "hostile"
    # beyond what is looked at before
    late = f"<?xml version='1.0'?><!--{'x' * 70_000}-->{bomb.split('?>', 1)[1]}"
    assert refused(workbook(tmp_path / "b.xlsx", {"S": late})) in {"hostile", "damaged"}


def test_elements_nested_without_end_are_refused(tmp_path):
    for tag in ("x", "is", "row", "v", "t", "rPh", "c"):
        deep = f"<{tag}>" * 20_000 + f"</{tag}>" * 20_000
        assert (
            refused(workbook(tmp_path / "a.xlsx", {"S": row(1, f'<c r="A1">{deep}</c>')}))
            == "hostile"
        )


def test_a_row_with_more_cells_than_a_sheet_has_columns_is_refused(tmp_path):
    assert (
        refused(workbook(tmp_path / "a.xlsx", {"S": f"<row>{'<c/>' * 20_000}</row>"})) == "hostile"
    )


def test_far_cells_and_countless_merged_ranges_are_read(tmp_path):
    merged = '<mergeCell ref="A1:XFD1048576"/>' * 30_000 + "".join(
        f'<mergeCell ref="A{each}:B{each}"/>' for each in range(30_000)
    )
    rows = row(1, text("A1", "near")) + row(1048576, text("XFD1048576", "far"))
    path = workbook(
        tmp_path / "a.xlsx", {"S": sheet_xml(rows, after=f"<mergeCells>{merged}</mergeCells>")}
    )
    blocks, opened = read(path)
    assert [(block.markdown, block.source.cells) for block in blocks] == [
        ("near", "A1"),
        ("far", "XFD1048576"),
    ]
    assert opened.metadata["merged_count"] == 60_000
    assert len(opened.metadata["merged"]) <= 1000


def test_more_rows_than_a_sheet_may_have_are_damage(tmp_path):
    far = row(1048576, number("A1048576", 1)) + row(1048577, number("A1", 2))
    assert refused(workbook(tmp_path / "a.xlsx", {"S": far})) == "damaged"


def test_an_endless_text_is_cut(tmp_path):
    noise = "".join(map(str, range(60_000)))
    strings = [f"<t>{noise}</t>"]
    path = workbook(
        tmp_path / "a.xlsx",
        {"S": row(1, '<c r="A1" t="s"><v>0</v></c>', text("B1", noise))},
        strings=strings,
    )
    blocks, opened = read(path)
    assert len(blocks[0].markdown) < 70_000
    assert opened.warnings[-1].startswith("2 texts were cut")


def test_a_zip_bomb_is_refused(tmp_path):
    assert (
        refused(
            workbook(tmp_path / "a.xlsx", {"S": sheet_xml(row(1, text("A1", "A" * 30_000_000)))})
        )
        == "hostile"
    )


@pytest.mark.parametrize(
    "part",
    [
        "xl/workbook.xml",
        "xl/worksheets/sheet1.xml",
        "xl/_rels/workbook.xml.rels",
        "xl/sharedStrings.xml",
    ],
)
@pytest.mark.parametrize(
    "content",
    [
        "",
        "<a><b></a>",
        "<a x=1>",
        "\x00\x01",
        "<worksheet><sheetData><row r='x'/></sheetData></worksheet>",
    ],
)
def test_damage_is_a_sentence(tmp_path, part, content):
    path = workbook(
        tmp_path / "a.xlsx",
        {"S": row(1, '<c r="A1" t="s"><v>0</v></c>')},
        strings=["<t>x</t>"],
        extra={part: content},
    )
    try:
        read(path)
    except DocumentError as error:
        assert error.code in {"damaged", "hostile"}
    else:
        assert part == "xl/sharedStrings.xml" or content.startswith("<worksheet>")


def test_half_a_file_and_no_file_are_damaged_or_missing(tmp_path):
    path = workbook(tmp_path / "a.xlsx", {"S": row(1, number("A1", 1))})
    path.write_bytes(path.read_bytes()[:-200])
    assert refused(path) == "damaged"
    path.write_bytes(b"PK\x03\x04 nothing")
    assert refused(path) == "damaged"
    assert refused(tmp_path / "none.xlsx") == "not_found"


def test_bytes_that_rot_in_the_middle_of_a_sheet_are_said_when_they_are_reached(tmp_path):
    rows = "".join(
        row(each, text(f"A{each}", f"{each * 7919 % 104729} words"), number(f"B{each}", each))
        for each in range(1, 30_000)
    )
    path = workbook(tmp_path / "a.xlsx", {"S": rows})
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("xl/worksheets/sheet1.xml")
    data = bytearray(path.read_bytes())
    middle = info.header_offset + info.compress_size // 2
    data[middle : middle + 2000] = b"\xff" * 2000
    path.write_bytes(data)
    blocks = open_workbook(path, ReadOptions(), lambda *_: None).blocks
    assert "| 7919 words | 1 |" in next(blocks).markdown
    with pytest.raises(DocumentError, match="damaged"):
        list(blocks)


def test_damage_in_another_sheet_does_not_matter(tmp_path):
    path = workbook(
        tmp_path / "a.xlsx",
        {"S": row(1, text("A1", "x")), "T": "<?xml version='1.0'?><worksheet><oops"},
    )
    assert markdown(path) == "x"
    with pytest.raises(DocumentError, match="damaged"):
        read(path, "T")


def test_damage_around_the_cells_leaves_the_cells(tmp_path):
    extra = {
        "xl/worksheets/_rels/sheet1.xml.rels": relations([("drawing", "../drawings/drawing1.xml")]),
        "xl/drawings/drawing1.xml": "<wsDr><pic></wsDr>",
    }
    blocks, opened = read(
        workbook(tmp_path / "a.xlsx", {"S": row(1, text("A1", "x"))}, extra=extra)
    )
    assert blocks[0].markdown == "x"
    assert opened.warnings == [
        "The comments or drawings of the sheet “S” are damaged and were left out."
    ]


def _counted(each):
    item = f'<c r="A{each}" t="inlineStr"><is><t>item {each}</t></is></c>'
    return f'<row r="{each}">{item}<c r="B{each}"><v>{each}</v></c></row>'


@pytest.mark.thorough
@pytest.mark.slow
def test_a_large_sheet_gives_its_first_rows_at_once_in_little_memory(tmp_path):
    path = workbook(tmp_path / "a.xlsx", {"S": ""})
    count = 200_000
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with zipfile.ZipFile(workbook(tmp_path / "b.xlsx", {"S": ""})) as empty:
            for name in empty.namelist():
                if "sheet1" not in name:
                    archive.writestr(name, empty.read(name))
        with archive.open("xl/worksheets/sheet1.xml", "w") as part:
            part.write(f"<worksheet {NAMESPACES}><sheetData>".encode())
            for first in range(1, count + 1, 1000):
                part.write("".join(_counted(each) for each in range(first, first + 1000)).encode())
            part.write(b"</sheetData></worksheet>")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    blocks = open_workbook(path, ReadOptions(), lambda *_: None).blocks
    assert next(blocks).source.cells == "A1:B49"
    rows = sum(block.markdown.count("item ") for block in blocks)
    assert rows == count - 49
    # KB, of a sheet of 20 MB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000


def test_a_million_empty_cells_keep_nobody_waiting(tmp_path, monkeypatch):
    blank = "".join(
        f'<row r="{each}" spans="1:2"><c r="A{each}" s="1"/><c r="B{each}"></c></row>'
        for each in range(2, 50_000)
    )
    near, far = row(1, text("A1", "near")), row(60_000, text("A60000", "far"))
    path = workbook(tmp_path / "a.xlsx", {"S": near + blank + far})
    blocks = open_workbook(path, ReadOptions(), lambda *_: None).blocks
    monkeypatch.setattr(
        zipfile.ZipExtFile,
        "read",
        lambda *_: pytest.fail("waited for what comes after the empty cells"),
    )
    assert next(blocks).markdown == "near"
    monkeypatch.undo()
    assert [block.source.cells for block in blocks] == ["A60000"]
    monkeypatch.setattr(rows_module, "_MOST_SILENT_CHUNKS", 20)
    blocks, opened = read(path)
    assert len(blocks) == 1
    assert opened.warnings == [
        (
            "After row 1 there are hundreds of megabytes without content: the rest of the sheet was not"  # noqa: E501
            " read."
        )
    ]


def test_what_looks_like_an_empty_cell_within_a_text_stays(tmp_path):
    cell = '<c r="A1" t="inlineStr"><is><t><![CDATA[see <c r="A1"/>]]></t></is></c>'
    assert markdown(workbook(tmp_path / "a.xlsx", {"S": row(1, cell)})) == 'see \\<c r="A1"/>'
