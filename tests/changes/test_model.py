"""A proposal is cut into hunks; what is written is what was accepted, and nothing else of the
file changes by a byte.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.changes.model import DocumentChange, propose
from dogent_tui.changes.outcome import outcome_text
from dogent_tui.errors import DogentError
from tests.changes.strategies import versions

ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])


def change_of(base: str, new: str) -> DocumentChange:
    return propose("tea.md", base.encode(), new, "A summary")


@given(versions(2), ENDINGS, st.booleans(), st.booleans(), st.data())
def test_any_choice_of_hunks_gives_lines_of_the_two(texts, ending, is_ended, has_bom, data):
    base, new = texts
    text = ("\ufeff" if has_bom else "") + ending.join(base) + (ending if is_ended else "")
    content = text.encode()
    change = propose("tea.md", content, "\n".join(new))
    assert change.result.content == content, "nothing is decided: nothing changes"
    change.decide_all("accepted")
    assert change.result == change.new
    assert [line for line in change.result.lines if line] == [
        line for line in change.new.lines if line
    ]
    for hunk in change.hunks:
        assert hunk.old == change.base.lines[hunk.start : hunk.end]
        assert hunk.old != hunk.new
        change.decide(hunk.number, data.draw(st.sampled_from(["accepted", "rejected", "open"])))
    known = {*change.base.lines, *change.new.lines}
    assert known.issuperset(change.result.lines)
    assert change.result.has_bom == change.base.has_bom
    if len(change.base.lines) > 1:
        assert set(change.result.endings[:-1]) <= {ending}
        assert (
            change.result.endings[-1:] in ((), (change.base.endings[-1],))
            or not change.result.lines[-1]
        )
    change.decide_all("rejected")
    assert not change.count("open")
    change.decide_all("rejected", "accepted")
    assert change.result.content == content


@given(
    st.text(st.sampled_from("a\r\n"), max_size=12), st.text(st.sampled_from("a\r\nb"), max_size=12)
)
def test_mixed_line_endings_stay_where_the_lines_stay(base, new):
    change = change_of(base, new)
    assert change.result.content == base.encode()
    change.decide_all("accepted")
    assert change.result.lines == change.new.lines
    again = change_of(change.result.text, new)
    assert not again.hunks, "what was written is what was proposed"


def test_line_endings_of_the_file_are_taken_not_those_of_the_proposal():
    change = change_of("\ufeffone\r\ntwo\r\nthree", "one\n2\ntwo\nthree\nfour\n")
    change.decide_all("accepted")
    assert change.result.content == "\ufeffone\r\n2\r\ntwo\r\nthree\r\nfour".encode()
    mixed = change_of("one\r\ntwo\nthree\r\n", "one\nTWO\nthree\n")
    mixed.decide_all("accepted")
    assert mixed.result.content == b"one\r\nTWO\nthree\r\n"


def test_the_end_of_the_last_line_is_no_change():
    assert not change_of("tea\n", "tea").hunks
    assert not change_of("tea", "tea\n").hunks


def test_a_new_file_is_all_added_and_written_as_proposed():
    change = propose("tea.md", None, "# Tea\r\n\r\nGreen")
    assert [(hunk.kind, hunk.new) for hunk in change.hunks] == [("added", ("# Tea", "", "Green"))]
    assert change.is_new
    change.decide_all("accepted")
    assert change.result.content == b"# Tea\r\n\r\nGreen"


def test_all_can_be_deleted():
    change = change_of("# Tea\n\nGreen.\n", "")
    assert [hunk.kind for hunk in change.hunks] == ["deleted"]
    change.decide_all("accepted")
    assert change.result.content == b""


def test_each_rewritten_paragraph_is_a_hunk_under_its_heading():
    base = (
        "# Tea\n\nIt comes from China.\n\n## Green 绿茶\n\nIt is not roasted much.\n\n```\n# no"
        " heading\n```\n\nEnd.\n"
    )
    new = (
        base.replace("China.", "southern China.")
        .replace("much", "at all")
        .replace("End.", "The end.")
    )
    change = change_of(base, new)
    assert [(hunk.old, hunk.heading) for hunk in change.hunks] == [
        (("It comes from China.",), ("Tea",)),
        (("It is not roasted much.",), ("Tea", "Green 绿茶")),
        (("End.",), ("Tea", "Green 绿茶")),
    ]


def test_a_paragraph_that_goes_does_not_shift_its_neighbours():
    base = (
        "The first paragraph is about tea.\n\nThe second one is about coffee.\n\nThe third is about"
        " water and milk.\n"
    )
    new = (
        "The second one is about strong coffee.\n\nThe third is about water and oat milk.\n\nA"
        " fourth was added.\n"
    )
    change = change_of(base, new)
    assert [(hunk.kind, hunk.new[-1:]) for hunk in change.hunks] == [
        ("deleted", ()),
        ("changed", ("The second one is about strong coffee.",)),
        ("changed", ("The third is about water and oat milk.",)),
        ("added", ("A fourth was added.",)),
    ]


def test_a_paragraph_that_was_wrapped_anew_is_one_hunk():
    base = "one two three\nfour five six\nseven eight nine\nten\n\nother\n"
    new = "zero one two three\nfour five six\nseven and eight nine\nten\n\nother\n"
    assert [hunk.old for hunk in change_of(base, new).hunks] == [
        ("one two three", "four five six", "seven eight nine")
    ]
    rows = change_of("- one\n- two\n- three\n", "- 1\n- two\n- 3\n")
    assert [hunk.old for hunk in rows.hunks] == [("- one",), ("- three",)]


def test_what_the_user_writes_instead_is_written():
    change = change_of("one\ntwo\nthree\n", "one\n2\nthree\n")
    change.edit(1, "two and\nmore\n")
    assert change.result.text == "one\ntwo and\nmore\nthree\n"
    change.edit(1, "")
    assert change.result.text == "one\nthree\n"
    change.edit(1, "2")
    assert change.decision(1).edited is None, "it is what was proposed"
    change.decide(1, "rejected")
    assert change.result.text == "one\ntwo\nthree\n"


def test_the_model_reads_what_became_of_each_hunk():
    change = change_of("# Tea\n\na\n\nb\n\nc\n\nd\n", "# Tea\n\nA!\n\nB!\n\nC!\n\nD!\n")
    change.decide(1, "accepted")
    change.edit(2, "Bee")
    change.decide(3, "rejected")
    change.comment(3, "Too loud.\nSay it calmly.")
    text = outcome_text(change, written=True)
    assert [line.rpartition(": ")[2] for line in text.split("\n") if line.startswith("Hunk ")] == [
        "accepted.",
        "accepted, edited by the user.",
        "rejected.",
        "left undecided, not written.",
    ]
    assert "2 of 4 hunks written to tea.md" in text
    assert (
        "Hunk 3 (changed, under Tea): rejected.\n  You proposed: C!\n  Comment: Too loud.\n    Say"
        " it calmly." in text
    )
    assert "Written instead: Bee" in text


def test_hundreds_of_hunks_are_told_in_short_and_what_was_said_of_them_whole():
    paragraphs = [
        text
        for part in range(10)
        for text in (
            f"# Part {part}",
            *(f"{part}.{place} " + "old words " * 20 for place in range(40)),
        )
    ]
    base = "\n\n".join(paragraphs) + "\n"
    change = change_of(base, base.replace("old", "new"))
    assert len(change.hunks) == 400
    change.decide_all("rejected")
    change.comment(45, "Only this one is good.")
    change.edit(46, "My own words.")
    text = outcome_text(change, written=True)
    assert len(text) < 50_000
    assert "Hunks 1 to 40 (under Part 0): rejected." in text
    assert "Hunks 41 to 44 (under Part 1): rejected." in text
    assert "Hunk 45 (changed, under Part 1): rejected.\n  You proposed: 1.4 new words" in text
    assert "Comment: Only this one is good." in text
    assert "Written instead: My own words." in text
    assert "Hunks 47 to 80 (under Part 1): rejected." in text
    for number in range(1, 400, 2):
        change.decide(number, "accepted")
    assert len(outcome_text(change, written=True)) < 50_000


def test_decisions_are_kept_until_the_file_is_another():
    change = change_of("a\n\nb\n", "A\n\nB\n")
    change.edit(1, "ah")
    change.comment(2, "No.")
    kept = json.loads(json.dumps(change.draft()))
    again = change_of("a\n\nb\n", "A\n\nB\n")
    assert again.restore(kept)
    assert again.result.text == "ah\n\nb\n"
    assert again.decision(2).comment == "No."
    assert not change_of("a\n\nc\n", "A\n\nB\n").restore(kept)
    assert not again.restore({"base": 3})


def test_what_is_no_text_is_refused():
    with pytest.raises(DogentError, match="not UTF-8 text"):
        propose("tea.md", b"\xff\xfe", "tea")
    with pytest.raises(DogentError, match="lone surrogate"):
        propose("tea.md", b"", "tea \ud800")
    with pytest.raises(DogentError, match="too large"):
        propose("tea.md", b"", "x" * (5 << 20))
