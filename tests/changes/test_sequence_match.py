"""What two texts have in common is found in order, whatever they hold, and in time that grows
with their length.
"""

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.changes import sequence_match
from dogent_tui.changes.hunks import hunks_between
from dogent_tui.changes.prose import inline_diff, pieces, sentences
from dogent_tui.changes.sequence_match import matched
from tests.changes.strategies import manuscript

ITEMS = st.lists(st.integers(0, 5), max_size=30)


def common(a, b) -> int:
    """The length of a longest common subsequence, by the book."""
    row = [0] * (len(b) + 1)
    for one in a:
        before = row[:]
        for j, other in enumerate(b, 1):
            row[j] = before[j - 1] + 1 if one == other else max(before[j], row[j - 1])
    return row[-1]


@given(ITEMS, ITEMS)
def test_matches_are_the_same_items_in_order(a, b):
    pairs = matched(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))
    assert matched(a, a) == [(place, place) for place in range(len(a))]


@given(
    st.lists(st.sampled_from("ab"), max_size=25).map(lambda x: x * 2),
    st.lists(st.sampled_from("ab"), max_size=25).map(lambda x: x * 2),
)
def test_where_nothing_is_unique_the_shortest_way_is_found(a, b):
    assert len(matched(a, b)) == common(a, b)


@given(ITEMS, ITEMS, st.integers(1, 12))
def test_a_small_budget_costs_only_matches(a, b, steps):
    before = sequence_match.MOST_PAIRS
    try:
        sequence_match.MOST_PAIRS = steps
        pairs = matched(a, b)
    finally:
        sequence_match.MOST_PAIRS = before
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))


def test_no_text_takes_quadratic_time():
    """Each of these would take minutes where time grew with the square: the test's time limit is
    the assertion.
    """
    chance = random.Random(3)
    many = ["x"] * 30_000
    hunks_between(many, [*many[:9_000], "y", *many[:20_000]])
    for letters in ("ab", "abcdefghijkl"):
        hunks_between(
            [chance.choice(letters) for _ in range(30_000)],
            [chance.choice(letters) for _ in range(30_000)],
        )
    numbers = [str(number) for number in range(50_000)]
    hunks_between(numbers, numbers[::-1])
    hunks_between(["word " * 200_000], ["word " * 200_000 + "end"])
    inline_diff("word " * 200_000, "word " * 200_000 + "end")
    sentences("." * 300_000)
    sentences(".'" * 300_000)
    pieces("'" * 300_000)
    pieces("a'" * 300_000)
    pieces("\u0300" * 300_000)


def test_scattered_edits_of_a_manuscript_are_a_hunk_each():
    base = manuscript()
    new = list(base)
    places = [place for place, line in enumerate(base) if line.endswith(".")][::30]
    for place in places:
        new[place] = base[place].replace("quick", "slow")
    hunks = hunks_between(base, new)
    assert [hunk.start for hunk in hunks] == places
    assert {len(hunk.heading) for hunk in hunks} == {1}
