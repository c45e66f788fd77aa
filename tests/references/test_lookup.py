import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.agent.session import as_attachment
from dogent_tui.references.lookup import (
    Reference,
    find_references,
    format_reference,
    resolve,
)
from dogent_tui.references.sheets import sheet_names

paths = st.text(min_size=1)


def names(text):
    return [(r.path, r.sheet) for r in find_references(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@a.md", [("a.md", None)]),
        ("see @docs/plan.md, and @notes.txt.", [("docs/plan.md", None), ("notes.txt", None)]),
        ("(@a/b.md)", [("a/b.md", None)]),
        ("`@a_b-c.md`", [("a_b-c.md", None)]),
        ("@a/b.md...", [("a/b.md", None)]),
        ("@docs/", [("docs/", None)]),
        (
            "@~/x.md @/etc/hosts @../y.md @./z.md",
            [("~/x.md", None), ("/etc/hosts", None), ("../y.md", None), ("./z.md", None)],
        ),
        ("@.. @../..", [("../..", None)]),
        ("@data.xlsx#Q1 and @data.xlsx#Q2.", [("data.xlsx", "Q1"), ("data.xlsx", "Q2")]),
        (
            "@data.xlsx#Q1!A1:F200, @data.xlsx#Q2!B:D!",
            [("data.xlsx", "Q1!A1:F200"), ("data.xlsx", "Q2!B:D")],
        ),
        ("@data.xlsx#Q1! Great", [("data.xlsx", "Q1")]),
        ("@data.xlsx# x", [("data.xlsx", None)]),
        ('@"a b.docx"#"My sheet"', [("a b.docx", "My sheet")]),
        ('@"a b.docx"#Q1', [("a b.docx", "Q1")]),
        ('@data.xlsx#"My sheet"!', [("data.xlsx", "My sheet")]),
        (r'@"a \"b\" \\ \n \d"', [('a "b" \\ \n \\d', None)]),
        ("@“年度 报告.docx”#“第一 页”", [("年度 报告.docx", "第一 页")]),
        ("请看@报告.md，还有@资料/甲.txt。", [("报告.md", None), ("资料/甲.txt", None)]),
        (
            "参考（@报告.md）、@乙.md；@丙.md？",
            [("报告.md", None), ("乙.md", None), ("丙.md", None)],
        ),
        ("@人々・〇.md", [("人々・〇.md", None)]),
        ("...@a.md", [("a.md", None)]),
    ],
)
def test_what_is_a_reference(text, expected):
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@",
        "@ a",
        "a@b.c",
        "mail me@home.example",
        "é@b.c",
        "@@letter",
        "@@built-in:letter",
        "@@@x",
        '@""',
        '@"open',
        '@"a\nb"',
        "@.",
        "@#x",
        "https://example.org/@user",
        "@,",
        "@，",
    ],
)
def test_what_is_none(text):
    assert find_references(text) == []


def test_an_address_does_not_hide_what_follows():
    assert names("a@b.c @d.md @@t @e.md") == [("d.md", None), ("e.md", None)]


def test_where_it_stands():
    text = 'x @a.md, @"b c"#"d e".'
    assert [text[r.start : r.end] for r in find_references(text)] == ["@a.md", '@"b c"#"d e"']
    assert [r.quoted for r in find_references(text)] == [False, True]


@pytest.mark.parametrize(
    ("text", "path", "lines"),
    [
        ("@a.md:10-40", "a.md", (10, 40)),
        ("@a.md:7.", "a.md", (7, 7)),
        ('@"a b.md":9-3', "a b.md", (3, 9)),
        ("@a.md: 10", "a.md", None),
        ("@a.md:10x", "a.md", None),
        ("@a.md:10-", "a.md", (10, 10)),
    ],
)
def test_lines(text, path, lines):
    (reference,) = find_references(text)
    assert (reference.path, reference.lines) == (path, lines)


line_ranges = st.tuples(st.integers(1, 999), st.integers(0, 999)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)


@given(paths, st.none() | paths, st.none() | line_ranges)
def test_a_formatted_reference_is_found_again(path, sheet, lines):
    text = format_reference(path, sheet, lines)
    assert [(r.start, r.end, r.path, r.sheet, r.lines) for r in find_references(text)] == [
        (0, len(text), path, sheet, lines)
    ]


@given(st.lists(paths, max_size=4))
def test_several_in_a_sentence_are_found_in_order(several):
    text = "看 " + " and ".join(format_reference(path) for path in several) + " ."
    assert [r.path for r in find_references(text)] == several


@given(st.text(alphabet=st.sampled_from('@@@"“”#:\\ab/.-1 ，的\n')))
def test_any_text_gives_ordered_references_that_do_not_overlap(text):
    end = 0
    for reference in find_references(text):
        assert end <= reference.start < reference.end <= len(text)
        assert text[reference.start] == "@"
        assert reference.path
        end = reference.end


def test_plain_names_are_not_quoted():
    assert format_reference("docs/报告-2.md") == "@docs/报告-2.md"
    assert format_reference("a b.xlsx", "Q1") == '@"a b.xlsx"#Q1'


def make(workspace, *files):
    for name in files:
        file = workspace.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("12345")


def resolved(text, workspace):
    return [resolve(reference, workspace) for reference in find_references(text)]


def test_what_a_reference_points_to(workspace, tmp_path):
    make(workspace, "docs/Plan.MD", "LICENSE", ".env", "../out.txt")
    plan, folder, plain, hidden, outside, none, root = resolved(
        "@docs/Plan.MD @docs/ @LICENSE @.env @../out.txt @none.Pdf @./", workspace
    )
    assert (plan.path, plan.name, plan.type, plan.size, plan.exists) == (
        "docs/Plan.MD",
        "Plan.MD",
        "md",
        5,
        True,
    )
    assert plan.absolute == workspace.root / "docs" / "Plan.MD"
    assert (folder.path, folder.name, folder.type, folder.size) == ("docs", "docs", "folder", None)
    assert (plain.type, hidden.type) == ("file", "file")
    assert outside.path == str(tmp_path / "out.txt")
    assert (none.path, none.type, none.exists, none.size) == ("none.Pdf", "pdf", False, None)
    assert (root.path, root.type, root.name) == (".", "folder", "ws")


def test_the_home_folder(workspace):
    Path("~").expanduser().mkdir()
    Path("~/x.md").expanduser().write_text("x")
    (found,) = resolved("@~/x.md", workspace)
    assert found.exists
    assert found.path == str(Path.home() / "x.md")


@pytest.mark.parametrize(
    ("text", "path", "rest"),
    [
        ("@报告.md的内容", "报告.md", "的内容"),
        ("@报告的内容.md", "报告的内容.md", ""),
        ("@资料/甲.txt里的数字", "资料/甲.txt", "里的数字"),
        ("@资料里的文件", "资料", "里的文件"),
        ("@报告.md...的", "报告.md", "...的"),
        ("@报告.md--and", "报告.md", "--and"),
        ("@README.md을", "README.md", "을"),
    ],
)
def test_text_may_follow_without_a_blank(workspace, text, path, rest):
    make(workspace, "报告.md", "报告的内容.md", "资料/甲.txt", "README.md")
    (found,) = resolved(text, workspace)
    assert (found.exists, found.path) == (True, path)
    assert text[found.reference.end :] == rest


@pytest.mark.parametrize(
    "text",
    [
        "@资料/没有.md",
        "@资料没有.md",
        "@README.mdx",
        "@README.md.bak",
        "@README.md/x",
        '@"README.md的"',
        "@没有",
    ],
)
def test_what_is_not_there_is_not_taken_for_something_near(workspace, text):
    make(workspace, "README.md", "资料/甲.txt")
    (found,) = resolved(text, workspace)
    assert not found.exists
    assert found.reference.end == len(text)


def test_a_hash_may_belong_to_the_name(workspace):
    make(workspace, "C#notes.md", "data.xlsx")
    notes, data = resolved("@C#notes.md @data.xlsx#Q1", workspace)
    assert (notes.path, notes.sheet, notes.type) == ("C#notes.md", None, "md")
    assert (data.path, data.sheet) == ("data.xlsx", "Q1")


def test_lines_may_belong_to_the_name(workspace):
    make(workspace, "log:10-40", "log", "at 9:30", "a.md")
    named, lines, quoted = resolved('@log:10-40 @log:40-10 @"at 9:30"', workspace)
    assert (named.path, named.reference.lines) == ("log:10-40", None)
    assert (lines.path, lines.reference.lines) == ("log", (10, 40))
    assert (quoted.path, quoted.reference.lines) == ("at 9:30", None)
    make(workspace, "log:40-10")
    assert resolved("@log:40-10", workspace)[0].path == "log:40-10"


def test_a_folder_has_no_lines(workspace):
    make(workspace, "docs/a.md")
    (found,) = resolved("@docs:3-4", workspace)
    assert as_attachment(found).lines is None
    assert as_attachment(resolved("@docs/a.md:3-4", workspace)[0]).lines == "3-4"


ABSURD = {
    "zero byte": "a\0b",
    "zero byte outside": "../a\0b",
    "long name": "x" * 5000,
    "deep": "a/" * 3000,
    "dots": "a" + "." * 50_000 + "b",
    "prose": "的" * 50_000,
    "surrogate": "\ud800",
}


@pytest.mark.parametrize("path", ABSURD.values(), ids=ABSURD)
def test_absurd_paths_do_not_resolve(workspace, path):
    # Quadratic work would be minutes, and end in the time limit of the run.
    assert not resolve(Reference(0, len(path) + 1, path), workspace).exists


def workbook(path, xml, name="xl/workbook.xml"):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, xml)
    return path


MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def test_sheets_of_a_workbook(tmp_path):
    sheets = '<sheet name="Q1 &amp; Q2"/><sheet name="数据" state="hidden"/>'
    xml = f'<?xml version="1.0"?><workbook {MAIN}><sheets>{sheets}</sheets></workbook>'
    assert sheet_names(workbook(tmp_path / "a.xlsx", xml)) == ["Q1 & Q2", "数据"]
    prefixed = (
        '<x:workbook xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheet'
        ' name="A"/></x:workbook>'
    )
    assert sheet_names(workbook(tmp_path / "b.xlsx", prefixed)) == ["A"]


def test_what_is_no_workbook_has_no_sheets(tmp_path):
    bomb = f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]><workbook {MAIN}><sheet name="&a;"/></workbook>'
    assert sheet_names(workbook(tmp_path / "bomb.xlsx", bomb)) == []
    assert sheet_names(workbook(tmp_path / "cut.xlsx", "<workbook><sheet name='a'/>")) == []
    assert (
        sheet_names(
            workbook(
                tmp_path / "huge.xlsx", f"<workbook><sheet name='a'/>{' ' * (1 << 22)}</workbook>"
            )
        )
        == []
    )
    assert sheet_names(workbook(tmp_path / "other.xlsx", "<x/>", name="word/document.xml")) == []
    whole = workbook(
        tmp_path / "whole.xlsx", "<workbook>" + "<sheet name='b'/>" * 50 + "</workbook>"
    ).read_bytes()
    for cut in range(0, len(whole), 7):
        damaged = tmp_path / "damaged.xlsx"
        damaged.write_bytes(whole[:cut] + b"\xff" + whole[cut + 1 :])
        assert isinstance(sheet_names(damaged), list)
    (tmp_path / "text.xlsx").write_text("no zip")
    assert (
        sheet_names(tmp_path / "text.xlsx")
        == sheet_names(tmp_path / "none.xlsx")
        == sheet_names(tmp_path)
        == []
    )
