"""Drawn lines and the lines of the file that they come from."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.tui.pane.rows import DocumentRows
from dogent_tui.tui.pane.text import MarkdownText
from dogent_tui.tui.transcript.matches import Matches

BLOCKS = st.sampled_from(
    [
        "# Heading",
        "A paragraph\nof two lines " + "and many words " * 20,
        "- one\n- two\n\n  more of it\n  1. inner",
        "> quoted\n\n> again",
        "```py\nx = 1\n\ny = 2\n```",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "---",
        "<div>\nx\n</div>",
        "See [it][x].",
        "[x]: https://example.org",
        "茶是一种饮料。" * 30,
        "    indented code",
    ]
)


def rows_of(text, width=40):
    markdown, rows = MarkdownText(text), DocumentRows()
    rows.resize(width)
    rows.show(markdown.parts, markdown.definitions)
    return markdown, rows


def units_of(rows):
    found = []
    place = rows.place_of(0)
    unit = rows.unit_at(place) if place else None
    while unit is not None:
        found.append(unit)
        unit = rows.unit_beside(unit, 1)
    return found


def test_a_search_counts_what_is_still_there_when_the_document_changes():
    _, rows = rows_of("Tea.\n\n" * 600)
    matches = Matches(rows)
    matches.search("tea", 0, backward=False)
    matches.read(lambda: False)
    assert (matches.count, matches.is_complete) == (600, True)
    shorter = MarkdownText("Tea.\n\n" * 300)
    rows.show(shorter.parts, {})
    matches.read(lambda: False)
    assert (matches.count, matches.is_complete) == (300, True)
    other = MarkdownText("Milk.\n\n" * 900 + "Tea now.\n\n" * 900)
    rows.show(other.parts, {})
    assert len(rows.rows) > 2
    matches.read(lambda: False)
    assert (matches.number, matches.count) == (1, 900)  # the first one
    rows.resize(30)
    assert not matches.is_complete
    matches.read(lambda: False)
    assert (matches.number, matches.count) == (1, 900)


@given(st.lists(BLOCKS, max_size=30))
def test_one_walks_through_all_that_is_drawn_and_back(blocks):
    markdown, rows = rows_of("\n\n".join(blocks))
    units = units_of(rows)
    assert units == sorted(units)
    assert all(0 <= first < end <= len(markdown.lines) for first, end in units)
    assert all(before[1] <= after[0] for before, after in pairwise(units))
    back = units[-1:]
    while back and (unit := rows.unit_beside(back[-1], -1)) is not None:
        back.append(unit)
    assert back[::-1] == units
    covered = {number for first, end in units for number in range(first, end)}
    drawn_nowhere = ("[x]: https://example.org", "```", "```py", ">", "---", "")
    assert all(
        number in covered or line in drawn_nowhere for number, line in enumerate(markdown.lines)
    )


def test_what_is_chosen_together():
    _, rows = rows_of("# One\n\nTwo\nthree\n\n- four\n- five\n\n```\nsix\n\nseven\n```\n")
    assert units_of(rows) == [(0, 1), (2, 4), (5, 6), (6, 7), (9, 10), (10, 11), (11, 12)]
    place = rows.place_of(6)
    assert rows.lines(place.row)[place.line].text == "• five"
    assert rows.y_of(rows.place_of(0)) == 0


def test_links_are_known_from_the_whole_document():
    text = (
        f"See [it][x].\n\n{'A sentence. ' * 300}\n\n{'Words. ' * 300}\n\n[x]: https://example.org\n"
    )
    markdown, rows = rows_of(text)
    assert len(markdown.parts) > 1
    (line,) = rows.lines(rows.rows[0])[:1]
    assert any(span.link == "https://example.org" for span in line.spans)
    assert line.source == (0, 1)
