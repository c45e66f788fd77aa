"""Long paragraphs in the review: what did not change is left out, what did is not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dogent_tui.changes.model import propose
from dogent_tui.changes.prose import inline_diff
from dogent_tui.sources.quotes.marks import CheckedDraft
from dogent_tui.sources.quotes.verdicts import Finding
from dogent_tui.tui.review.rows import folded, hunk_lines, list_row, seams
from dogent_tui.tui.transcript.lines import Line, Span
from tests.changes.strategies import versions
from tests.tui.review.host import ReviewHost

LONG = " ".join(
    f"Sentence {number} says something of the harbor, and nothing else." for number in range(60)
)


def drawn(old: str, new: str, *, by_side: bool = False) -> list[str]:
    change = propose("tea.md", old.encode(), new)
    width = 120 if by_side else 60
    return [line.text for line in hunk_lines(change, change.hunks[0], width, by_side=by_side)]


@pytest.mark.parametrize("by_side", [False, True])
def test_a_change_within_a_long_paragraph_is_in_sight(by_side):
    old, new = f"{LONG}\n", f"{LONG}\n".replace("Sentence 30 says", "Sentence 30 tells")
    rows = drawn(old, new, by_side=by_side)
    assert len(rows) < 16
    told = "\n".join(rows)
    assert "Sentence 30 says" in told
    assert "Sentence 30 tells" in told
    assert told.count("⋯") == 4
    assert "Sentence 2 " not in told


def test_where_words_only_went_the_place_is_shown_in_what_stays():
    rows = drawn(
        f"{LONG}\n",
        f"{LONG}\n".replace("Sentence 30 says something of the harbor, and nothing else. ", ""),
    )
    added = [row for row in rows if row.startswith("+ ")]
    assert any("Sentence 29" in row or "Sentence 31" in row for row in added)
    assert len(rows) < 16


def test_what_is_all_new_is_shown_whole():
    rows = drawn("Before.\n", f"Before.\n\n{LONG}\n")
    assert not any("⋯" in row for row in rows)
    assert sum("Sentence" in row for row in rows) > 30


@pytest.mark.parametrize("by_side", [False, True])
def test_what_is_replaced_as_a_whole_is_shown_whole(by_side):
    rows = drawn(f"{LONG}\n", "Short now.\n", by_side=by_side)
    assert not any("⋯" in row for row in rows)
    assert sum("Sentence" in row for row in rows) > 30


def test_side_by_side_what_is_left_out_of_both_is_on_one_row_and_so_is_what_follows():
    new = LONG.replace("Sentence 10 says", "New words come. " * 30 + "Sentence 10 tells")
    new = new.replace("Sentence 30 says something of the harbor, and nothing else. ", "")
    rows = drawn(f"{LONG}\n", f"{new}\n".replace("50 says", "50 tells"), by_side=True)
    halves = [row.partition(" │ ") for row in rows if "│" in row]
    left_out = [old.strip() for old, _, new in halves if new.strip() == "+ ⋯"]
    assert left_out == ["- ⋯"] * 4
    assert any("Sentence 29" in old and "Sentence 29" in new for old, _, new in halves)


def test_the_list_shows_the_words_that_are_others():
    def row(old: str, new: str) -> str:
        change = propose("tea.md", old.encode(), new)
        return "".join(
            span.text for span in list_row(change, change.hunks[0], 60, is_cursor=False)
        ).strip()

    assert row(
        f"{LONG}\n", f"{LONG}\n".replace("Sentence 30 says", "Sentence 30 tells")
    ).startswith("~ …Sentence 30 tells something")
    assert row("One two three.\n", "One two four.\n") == "~ One two four."
    assert row("猫在屋里睡觉。" * 9 + "\n", "猫在屋里睡觉。" * 8 + "猫在屋外睡觉。\n").startswith(
        "~ …"
    )
    assert row("One.\n\nTwo.\n", "One.\n") == "- Two."


def test_a_long_paragraph_beside_the_change_does_not_push_it_out_of_sight():
    rows = drawn(f"{LONG}\n\n## Night\n\n{LONG}\n", f"{LONG}\n\n## Dawn\n\n{LONG}\n")
    assert len(rows) < 12
    assert rows[2].startswith("… ")
    assert rows[-1].startswith("… ")
    assert "+ ## Dawn" in rows


@given(
    st.lists(st.sampled_from([*"abcdefg"]), max_size=60),
    st.lists(st.sampled_from([*"abcdefg"]), max_size=60),
)
def test_no_row_with_a_change_is_left_out(before, after):
    parts = inline_diff(" ".join(before), " ".join(after))
    rows = [Line((Span(part.text, "x-part" if part.changed else "x"),)) for part in parts.new]
    left = folded(rows, "x-part", seams(parts.old))
    assert [row for row in rows if row.spans[0].style == "x-part"] == [
        row for row in left if row.spans[0].style == "x-part"
    ]


@given(versions(2), st.booleans())
@example(texts=[["", ""], ["## Green", *[""] * 7, "# Tea"]], by_side=False)
def test_both_views_show_every_changed_word(texts, by_side):
    base, new = ("\n".join(lines) for lines in texts)
    change = propose("tea.md", base.encode(), new)
    for hunk in change.hunks:
        rows = hunk_lines(change, hunk, 140, by_side=by_side)
        told = "\n".join(row.text for row in rows)
        for word in " ".join((*hunk.old, *hunk.new)).split():
            assert word in told or not word.isalnum()


async def test_a_hunk_that_changes_a_verbatim_quotation_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    text = "They say “tea is served here all day long”.\n\nIt is true.\n"
    finding = Finding(
        "verbatim",
        kind="quote",
        text="tea is served here all day long",
        line=1,
        column=11,
        end_line=1,
        end_column=42,
    )
    host = ReviewHost(
        tmp_path,
        text,
        text.replace("all day", "all week").replace("true", "so"),
        CheckedDraft(text.split("\n"), [finding]),
    )
    async with host.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        strips = host.screen._compositor.render_strips()
        rows = ["".join(part.text for part in strip) for strip in strips]
        assert sum("≠”" in row for row in rows) == 1
        assert any("changes a verbatim quote" in row for row in rows)
