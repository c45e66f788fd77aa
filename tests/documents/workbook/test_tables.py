"""How rows become tables."""

from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.documents.workbook.tables import Row, sheet_blocks


def rows_of(*lines):
    """Rows from texts: cells by `|`, numbers as numbers; an empty line is an empty row."""
    made = []
    for position, line in enumerate(lines, 1):
        texts = {at: text for at, each in enumerate(line.split("|"), 1) if (text := each.strip())}
        if texts:
            made.append(Row(position, texts, [at for at in texts if texts[at].isdigit()]))
    return made


def shown(*lines):
    return [
        (block.source.cells, block.markdown.splitlines())
        for block in sheet_blocks(rows_of(*lines), "S")
    ]


def test_tables_between_empty_rows_have_their_own_headers():
    assert shown("Item|Units", "1|1000", "", "Person|Age|Town", "Ann|30|Bonn") == [
        ("A1:B2", ["| Item | Units |", "| --- | --- |", "| 1 | 1000 |"]),
        ("A4:C5", ["| Person | Age | Town |", "| --- | --- | --- |", "| Ann | 30 | Bonn |"]),
    ]


def test_a_total_below_an_empty_row_stays_in_its_table():
    (cells, lines), *others = shown("Item|Units", "a|1", "", "Total|1")
    assert not others
    assert (cells, lines[2:]) == ("A1:B4", ["| a | 1 |", "|  |  |", "| Total | 1 |"])


def test_a_text_alone_is_a_paragraph_above_a_table_or_between():
    assert shown("Reading List", "Title|Year", "x|1902", "", "1. as of today") == [
        ("A1", ["Reading List"]),
        ("A2:B3", ["| Title | Year |", "| --- | --- |", "| x | 1902 |"]),
        ("A5", ["1\\. as of today"]),
    ]


def test_a_column_of_texts_is_a_table():
    assert shown("Name", "Ann", "Bo")[0][1] == ["| Name |", "| --- |", "| Ann |", "| Bo |"]


def test_many_empty_columns_are_one_that_names_them():
    rows = [
        Row(1, {1: "a", 16384: "z"}),
        Row(2, {1: "1", 16384: "2"}, [1, 16384]),
    ]
    (block,) = sheet_blocks(rows, "S")
    assert block.source.cells == "A1:XFD2"
    assert block.markdown.splitlines() == [
        "| a | (B:XFC empty) | z |",
        "| --- | --- | --- |",
        "| 1 |  | 2 |",
    ]


def test_a_row_with_more_columns_begins_a_wider_table_under_the_same_header():
    rows = [Row(1, {1: "a", 2: "b"})]
    rows += [Row(number, {1: str(number), 2: "x"}, [1]) for number in range(2, 300)]
    rows += [Row(300, {1: "300", 2: "x", 3: "more"}, [1])]
    last = list(sheet_blocks(rows, "S"))[-1]
    assert not last.tight
    assert (last.source.cells, last.markdown.splitlines()) == (
        "A300:C300",
        ["| a | b |  |", "| --- | --- | --- |", "| 300 | x | more |"],
    )


def test_tables_beside_each_other_come_one_after_the_other():
    assert shown("a|b||f|g", "x|1||u|7", "y|2||v|8", "|||w|9", "", "Note") == [
        ("A1:B3", ["| a | b |", "| --- | --- |", "| x | 1 |", "| y | 2 |"]),
        ("D1:E4", ["| f | g |", "| --- | --- |", "| u | 7 |", "| v | 8 |", "| w | 9 |"]),
        ("A6", ["Note"]),
    ]
    # an empty column within a table
    assert shown("a|b||f|g", "x|1||u|7", "y|2||v|8")[0][1][1] == "| --- | --- | --- | --- | --- |"
    assert shown("a|b||f|g", "x|1||6|7", "y|2")[0][1][2] == "| x | 1 |  | 6 | 7 |"


def test_a_far_cell_costs_nothing():
    rows = [Row(1, {1: "a"}), Row(1_048_576, {16384: "far"})]
    assert [(block.source.cells, block.markdown) for block in sheet_blocks(rows, "S")] == [
        ("A1", "a"),
        ("XFD1048576", "far"),
    ]


def test_blocks_come_while_rows_are_read():
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield Row(taken, {1: str(taken), 2: "x"}, [1])

    blocks = sheet_blocks(endless(), "S")
    next(blocks)
    assert taken < 500


@given(
    st.lists(
        st.dictionaries(st.integers(1, 30), st.sampled_from(["7", "text", "a|b"]), max_size=4),
        max_size=40,
    )
)
def test_every_cell_comes_exactly_once(lines):
    rows, count = [], 0
    for position, line in enumerate(lines, 1):
        texts = {}
        for column in sorted(line):
            count += 1
            texts[column] = f"{line[column]} ({count})"
        if texts:
            rows.append(Row(position, texts, [at for at in texts if line[at] == "7"]))
    blocks = list(sheet_blocks(rows, "S"))
    text = "\n".join(block.markdown for block in blocks)
    headers = {
        line for block in blocks if not block.tight for line in block.markdown.splitlines()[:1]
    }
    for each in range(1, count + 1):
        times = text.count(f"({each})")
        assert times == 1 or (times > 1 and any(f"({each})" in line for line in headers))
    widths = set()
    for block in blocks:
        if block.markdown.startswith("|"):
            widths = widths if block.tight else set()
            widths |= {line.replace("\\|", "").count("|") for line in block.markdown.splitlines()}
            assert len(widths) == 1
