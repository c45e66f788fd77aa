"""What a check found, in a text that changed since, and in a change to it."""

from dogent_tui.sources.quotes.marks import CheckedDraft
from dogent_tui.sources.quotes.verdicts import check
from tests.sources.quotes.test_verdicts import source

DRAFT = """\
# Notes

They write that “the ferry leaves the small
harbour at seven” (log.md), and that “nobody ever saw a whale here”.

Nothing is quoted here.

> and it does not wait for
> late passengers
"""
SOURCES = (
    source(
        "log.md",
        "The ferry leaves the small harbour at seven, and it does not wait for late passengers.",
    ),
)


def checked():
    return CheckedDraft(DRAFT.split("\n"), check("draft.md", DRAFT, SOURCES, {}).findings)


def test_each_line_has_its_worst_verdict_wherever_it_is_now():
    assert checked().verdicts(DRAFT.split("\n")) == {
        2: "verbatim", 3: "not_found", 7: "verbatim", 8: "verbatim",
    }  # fmt: skip
    moved = ("A line before.\n" + DRAFT.replace("late", "any")).split("\n")
    assert checked().verdicts(moved) == {3: "verbatim", 4: "not_found", 8: "verbatim"}


def test_a_change_within_a_verbatim_quotation_is_known_and_one_beside_it_is_not():
    base = DRAFT.split("\n")
    assert checked().loses_quote(base, 2, 3, ["They write that “the ferry left the small"])
    assert checked().loses_quote(base, 7, 9, ["> and it waits"])
    assert not checked().loses_quote(base, 2, 3, ["They say that “the ferry leaves the small"])
    assert not checked().loses_quote(base, 5, 6, ["Something else is."])
    wrapped = ["They write that “the ferry", "leaves the small harbour at seven” (log.md)."]
    assert not checked().loses_quote(base, 2, 4, wrapped)
