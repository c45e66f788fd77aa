"""A file that changed while its review was open: what both did is merged, and nothing is lost
without being seen.
"""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.changes.model import propose
from dogent_tui.changes.rebase import rebased
from tests.changes.strategies import versions

BASE = "# Tea\n\nGreen tea. It is mild.\n\nBlack tea.\n\nWhite tea.\n"


def change_of(new: str, base: str = BASE):
    change = propose("tea.md", base.encode(), new)
    change.decide_all("accepted")
    return change


@given(versions(3), st.data())
def test_nothing_is_dropped_silently(texts, data):
    base, new, now = ("".join(f"{line}\n" for line in lines) for lines in texts)
    change = propose("tea.md", base.encode(), new)
    for hunk in change.hunks:
        change.decide(hunk.number, data.draw(st.sampled_from(["accepted", "rejected", "open"])))
    merged = rebased(change, now.encode())
    for hunk in merged.hunks:
        assert hunk.old == merged.base.lines[hunk.start : hunk.end], (
            "every hunk shows what it replaces"
        )
        assert not (hunk.is_conflict and merged.decision(hunk.number).verdict == "accepted"), (
            "a conflict is never taken unseen"
        )
    places = [(hunk.start, hunk.end) for hunk in merged.hunks]
    assert all(one[1] <= other[0] for one, other in pairwise(places))
    theirs = Counter(merged.base.lines) - Counter(change.base.lines)
    assert not theirs - Counter(merged.result.lines), "what somebody else wrote stays"
    wanted = {
        line
        for hunk in change.hunks
        if change.decision(hunk.number).verdict == "accepted"
        for line in hunk.new
    }
    seen = {line for hunk in merged.hunks for line in hunk.new} | {*merged.base.lines}
    for line in wanted - seen:
        assert any(line in "\n".join(hunk.new) or hunk.is_conflict for hunk in merged.hunks), (
            "what was accepted is there, or in a conflict"
        )
    merged.decide_all("rejected", "accepted")
    assert merged.result.content == now.encode()


@given(versions(2), st.data())
def test_over_the_same_file_nothing_changes(texts, data):
    base, new = ("".join(f"{line}\n" for line in lines) for lines in texts)
    change = propose("tea.md", base.encode(), new)
    for hunk in change.hunks:
        change.decide(hunk.number, data.draw(st.sampled_from(["accepted", "rejected", "open"])))
    again = rebased(change, base.encode())
    assert again.hunks == change.hunks
    assert again.result == change.result


def test_changes_of_different_paragraphs_are_merged():
    change = change_of(BASE.replace("Black tea.", "Black tea, strong."))
    merged = rebased(
        change, ("Preface.\n\n" + BASE.replace("White tea.", "White tea, rare.")).encode()
    )
    assert [hunk.is_conflict for hunk in merged.hunks] == [False]
    assert "Preface." in merged.result.text
    assert "Black tea, strong." in merged.result.text
    assert "White tea, rare." in merged.result.text


def test_the_same_paragraph_is_a_conflict_that_shows_what_is_there_now():
    change = change_of(BASE.replace("Black tea.", "Coffee."))
    merged = rebased(change, BASE.replace("Black tea.", "Red tea.").encode())
    (hunk,) = merged.hunks
    assert (hunk.is_conflict, hunk.ours, hunk.old, hunk.new) == (
        True,
        ("Black tea.",),
        ("Red tea.",),
        ("Coffee.",),
    )
    assert "Red tea." in merged.result.text
    merged.decide_all("accepted")
    assert "Red tea." in merged.result.text, "“all” takes no conflict"
    merged.decide(hunk.number, "accepted")
    assert "Coffee." in merged.result.text


def test_different_sentences_of_a_paragraph_are_offered_together():
    change = change_of(BASE.replace("It is mild.", "It is very mild."))
    merged = rebased(change, BASE.replace("Green tea.", "Green tea from Uji.").encode())
    (hunk,) = merged.hunks
    assert hunk.is_conflict
    assert hunk.new == ("Green tea from Uji. It is very mild.",)


def test_what_is_there_already_is_no_hunk():
    change = change_of(BASE.replace("Black", "Red").replace("White", "Grey"))
    merged = rebased(change, BASE.replace("Black", "Red").encode())
    assert [hunk.new for hunk in merged.hunks] == [("Grey tea.",)]


def test_edits_and_comments_come_along():
    change = change_of(BASE.replace("Black", "Red").replace("White", "Grey"))
    change.edit(1, "Oolong.")
    change.decide(2, "rejected")
    change.comment(2, "No.")
    merged = rebased(change, ("Preface.\n\n" + BASE).encode())
    assert merged.result.text == "Preface.\n\n" + BASE.replace("Black tea.", "Oolong.")
    assert (merged.decision(2).verdict, merged.decision(2).comment) == ("rejected", "No.")


def test_a_file_that_is_gone_is_offered_as_a_whole():
    change = change_of(BASE.replace("Black", "Red"))
    merged = rebased(change, None)
    assert merged.is_new
    assert merged.result.content == b""
    (hunk,) = merged.hunks
    assert hunk.is_conflict
    merged.decide(1, "accepted")
    assert merged.result.text == BASE.replace("Black", "Red")


def test_a_file_that_came_meanwhile_is_not_overwritten():
    change = propose("tea.md", None, "Tea.\n")
    change.decide_all("accepted")
    merged = rebased(change, b"Coffee.\n")
    assert [hunk.is_conflict for hunk in merged.hunks] == [True]
    assert merged.result.content == b"Coffee.\n"
