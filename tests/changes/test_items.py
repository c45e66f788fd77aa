"""Each item of a list is a change of its own; what an item continues with belongs to it."""

import pytest

from dogent_tui.changes.hunks import hunks_between


def pairs(old, new):
    return [(hunk.old, hunk.new) for hunk in hunks_between(old, new)]


@pytest.mark.parametrize("mark", ["-", "*", "1.", "  -"])
def test_two_neighbouring_items_are_two_hunks(mark):
    old = ["# Tea", "", f"{mark} The cup is hot", f"{mark} The tea is green", f"{mark} x"]
    new = ["# Tea", "", f"{mark} The cup is very hot", f"{mark} The tea is black", f"{mark} x"]
    assert pairs(old, new) == [((old[2],), (new[2],)), ((old[3],), (new[3],))]


def test_items_that_say_something_else_are_told_apart_too():
    assert pairs(["- a", "- b", "- c"], ["- one", "- two", "- c"]) == [
        (("- a",), ("- one",)),
        (("- b",), ("- two",)),
    ]


def test_an_item_that_was_wrapped_anew_is_one_hunk():
    old = ["- The cup is hot and the tea", "  is green", "- x"]
    new = ["- The cup is hot and the", "  tea is quite green", "- x"]
    assert len(pairs(old, new)) == 1
