"""Texts, source code and csv as Markdown."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.text.lines import open_code, open_markdown, open_text
from dogent_tui.documents.text.table import open_table


def read(path, opener, **options):
    opened = opener(path, ReadOptions(**options), lambda *_: None)
    blocks = list(opened.blocks)
    parts = [
        ("" if first else "\n" if block.tight else "\n\n") + block.markdown
        for first, block in zip(firsts(), blocks, strict=False)
    ]
    return "".join(parts), opened, blocks


def firsts():
    return itertools.chain([True], itertools.repeat(False))


@pytest.fixture
def written(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("texts")


@given(text=st.text(st.sampled_from("ab#`~ \n\t中"), max_size=80), markdown=st.booleans())
def test_a_text_comes_back_as_it_is_but_for_the_white_space_at_its_end(folder, text, markdown):
    (folder / "a.md").write_text(text, encoding="utf-8", newline="")
    found, _, _ = read(folder / "a.md", open_markdown if markdown else open_text)
    assert found.rstrip() == text.rstrip()


def test_blocks_of_markdown_know_their_headings_and_lines(written):
    text = "# A\n\none\n\n## B ##\n\n```\n# no heading\n\nstill code\n```\n\n# C\nthree\n"
    _, opened, blocks = read(written("a.md", text), open_markdown)
    assert [
        (block.markdown.split("\n")[0], block.source.headings, block.source.line)
        for block in blocks
    ] == [
        ("# A", ("A",), 1),
        ("one", ("A",), 3),
        ("## B ##", ("A", "B"), 5),
        ("```", ("A", "B"), 7),
        ("# C", ("C",), 13),
    ]
    assert opened.metadata == {"encoding": "utf-8", "lines": 14}


def test_line_ends_of_every_kind_and_bytes_that_are_no_text(written):
    assert read(written("a.txt", "a\r\nb\rc\n"), open_text)[0] == "a\nb\nc"
    text, opened, _ = read(written("b.txt", "ä".encode() * 200_000 + b"\xff" + b"end"), open_text)
    assert text.endswith("\ufffdend")
    assert "1 character is not valid" in opened.warnings[0]
    assert read(written("c.txt", ""), open_text)[1].warnings == ["The file is empty."]
    with pytest.raises(DocumentError, match="not text"):
        read(written("d.txt", bytes(1000)), open_text)


def test_code_is_one_fence_that_nothing_in_it_ends(written):
    text, opened, _ = read(written("a.py", 'x = """\n```\n"""\n'), open_code)
    assert text == '````python\nx = """\n```\n"""\n````'
    assert opened.metadata["language"] == "python"
    many = "".join(f"line {number}\n" for number in range(2000))
    text, _, blocks = read(written("b.rs", many), open_code)
    assert text == f"```rust\n{many}```"
    assert len(blocks) > 3
    assert blocks[1].source.line == blocks[0].markdown.count("\n") + 1


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.csv", "a,b\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("a.csv", "a;b\n1,5;2\n2,5;3\n", "| a | b |\n| --- | --- |\n| 1,5 | 2 |\n| 2,5 | 3 |"),
        ("a.csv", "sep=|\na|b\n1|2", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("a.tsv", "a, x\tb\n1\t2\n", "| a, x | b |\n| --- | --- |\n| 1 | 2 |"),
        ("a.csv", 'a,b\n"x|y","one\ntwo"\n', "| a | b |\n| --- | --- |\n| x\\|y | one<br>two |"),
        (
            "a.csv",
            "a,b\n1\n\n1,2,3\n",
            "| a | b |  |\n| --- | --- | --- |\n| 1 |  |  |\n| 1 | 2 | 3 |",
        ),
        (
            "a.csv",
            "Preis;Menge\n1,50;2,5\n3,75;1,0\n",
            "| Preis | Menge |\n| --- | --- |\n| 1,50 | 2,5 |\n| 3,75 | 1,0 |",
        ),
        ("a.csv", "alone\n1\n", "| alone |\n| --- |\n| 1 |"),
        ("a.csv", "", ""),
    ],
)
def test_tables(written, name, text, expected):
    assert read(written(name, text), open_table)[0] == expected


def test_a_long_table_is_one_table_in_blocks_that_know_their_cells(written):
    rows = [f"{number},name {number}" for number in range(1000)]
    text, opened, blocks = read(
        written("a.csv", "\n".join(["id,name", *rows, "x,y,z"])), open_table
    )
    table, wider = text.split("\n\n")
    assert table.count("---") == 2
    assert [block.source.cells for block in blocks[:2]] == ["A1:B49", "A50:B99"]
    assert opened.metadata["rows"] == 1002
    assert wider == "| id | name |  |\n| --- | --- | --- |\n| x | y | z |"


def test_a_title_above_a_table_is_a_paragraph_and_what_looks_like_markup_stays_text(written):
    path = written("a.csv", "Sales of *May*\nid,name\n1,a*b*\n")
    assert read(path, open_table)[0] == (
        "Sales of \\*May\\*\n\n| id | name |\n| --- | --- |\n| 1 | a\\*b\\* |"
    )


def test_a_quotation_mark_that_is_never_closed_is_told(written):
    with pytest.raises(DocumentError, match="quotation mark is probably missing"):
        read(written("a.csv", 'a,b\n"1,2\n' + "x,y\n" * 400_000), open_table)


def test_some_rows_of_a_table_come_alone_under_its_header(written):
    path = written(
        "a.csv", "id,name\n" + "".join(f"{number},n{number}\n" for number in range(2, 5001))
    )
    _, _, (block,) = read(path, open_table, rows="4000-4001")
    assert block.markdown == "| id | name |\n| --- | --- |\n| 4000 | n4000 |\n| 4001 | n4001 |"
    assert block.source.cells == "A4000:B4001"


def test_how_many_rows_a_table_has_is_known_where_a_part_of_it_is_read(written):
    path = written("a.csv", b"a,b\n1,2\n3,4\n")
    opened = open_table(path, ReadOptions(rows="7-9"), lambda *_: None)
    assert opened.metadata["columns"] == 2
    assert list(opened.blocks) == []
    assert opened.metadata["rows"] == 3
    assert opened.warnings == ["There are no rows in this part: the table has 3."]


def test_some_rows_of_a_single_column_come_under_its_header(written):
    path = written("a.csv", "name\n" + "".join(f"n{number}\n" for number in range(2, 5001)))
    _, _, (block,) = read(path, open_table, rows="4000-4001")
    assert block.markdown == "| name |\n| --- |\n| n4000 |\n| n4001 |"


def test_the_encoding_that_somebody_names_is_taken(written):
    path = written("a.csv", "Имя,Город\nПётр,Казань\n".encode("cp866"))
    assert "Казань" in read(path, open_table, encoding="cp866")[0]
    with pytest.raises(DocumentError, match="no encoding “klingon”"):
        read(path, open_text, encoding="klingon")


def test_an_encoding_that_is_a_guess_is_told(written):
    _, opened, _ = read(written("a.csv", "Ime,Grad\nŽeljko,Šibenik\n".encode("cp1250")), open_table)
    assert opened.warnings[0].startswith("The encoding is a guess: cp1250; it may be mac-roman.")


def test_a_single_column_is_said_to_be_parted_by_commas(written):
    _, opened, _ = read(written("a.csv", "name\nAnn\nBob\n"), open_table)
    assert (opened.metadata["delimiter"], opened.metadata["columns"]) == (",", 1)
