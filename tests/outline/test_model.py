"""Every operation keeps every heading and note, and can be undone."""

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.outline.changes import Baseline
from dogent_tui.outline.edit_session import OutlineEditing
from dogent_tui.outline.markdown import parse, parse_file, render, same_sections, titles
from dogent_tui.outline.model import Outline, RawEdit

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = """# Tea

## Green

About green.

### Sencha

## Black

# Coffee

## Filter
"""


@pytest.fixture
def outline() -> Outline:
    return parse(TEXT)


def tree(outline: Outline) -> str:
    return " ".join(f"{heading.level}{heading.text}" for heading in outline.headings)


def ids(outline: Outline, *titles: str) -> list[int]:
    return [
        next(heading.id for heading in outline.headings if heading.text == title)
        for title in titles
    ]


def test_rename(outline):
    assert outline.rename(*ids(outline, "Black"), "  Black\ntea (200 words) ")
    assert "## Black tea (200 words)\n" in render(outline)
    assert not outline.rename(*ids(outline, "Black tea"), "Black tea")


def test_a_sibling_comes_after_all_that_belongs_to_the_heading(outline):
    outline.add_sibling(*ids(outline, "Green"), text="White")
    assert tree(outline) == "1Tea 2Green 3Sencha 2White 2Black 1Coffee 2Filter"
    assert "### Sencha\n\n## White\n\n## Black" in render(outline)


def test_a_child_comes_last(outline):
    outline.add_child(*ids(outline, "Tea"), text="White")
    assert tree(outline) == "1Tea 2Green 3Sencha 2Black 2White 1Coffee 2Filter"


def test_headings_end_at_six_levels():
    outline = parse("# A\n\n###### F\n\n###### G\n")
    assert outline.add_child(outline.headings[1].id) is None
    assert not outline.shift([outline.headings[2].id], 1)


def test_a_heading_moves_with_all_that_belongs_to_it(outline):
    assert outline.move(ids(outline, "Green"), 1)
    assert tree(outline) == "1Tea 2Black 2Green 3Sencha 1Coffee 2Filter"
    assert outline.move(ids(outline, "Green"), 1)
    assert tree(outline) == "1Tea 2Black 1Coffee 2Green 3Sencha 2Filter"
    assert outline.move(ids(outline, "Green"), 1)
    assert not outline.move(ids(outline, "Green"), 1)
    assert outline.move(ids(outline, "Green"), -1)
    assert outline.move(ids(outline, "Green"), -1)
    assert tree(outline) == "1Tea 2Black 2Green 3Sencha 1Coffee 2Filter"
    assert "## Green\n\nAbout green.\n\n### Sencha" in render(outline)


def test_several_move_together(outline):
    assert outline.move(ids(outline, "Sencha", "Black"), 1)
    assert tree(outline) == "1Tea 1Coffee 2Green 3Sencha 2Black 2Filter"


def test_demote_and_promote(outline):
    assert outline.shift(ids(outline, "Black"), 1)
    assert tree(outline) == "1Tea 2Green 3Sencha 3Black 1Coffee 2Filter"
    assert outline.shift(ids(outline, "Black"), -1)
    assert not outline.shift(ids(outline, "Green"), 1)
    assert not outline.shift(ids(outline, "Tea"), -1)
    assert outline.shift(ids(outline, "Coffee"), 1)
    assert tree(outline) == "1Tea 2Green 3Sencha 2Black 2Coffee 3Filter"


def test_duplicate(outline):
    copies = outline.duplicate(ids(outline, "Green"))
    assert tree(outline) == "1Tea 2Green 3Sencha 2Green 3Sencha 2Black 1Coffee 2Filter"
    assert outline.get(copies[0]).note == "About green."


def test_a_note_that_looks_like_a_heading_stays_a_note(outline):
    outline.set_note(*ids(outline, "Black"), "# Say\nthis\n===\n```\n# in code")
    again = parse(render(outline))
    assert tree(again) == tree(outline)
    assert again.get(*ids(again, "Black")).note == "\\# Say\nthis\n\\===\n```\n# in code\n```"


def test_a_note_that_ends_in_a_list_swallows_no_indented_heading():
    outline = parse_file("# Tea\n\n  # Coffee\n")
    outline.set_note(*ids(outline, "Tea"), "- green\n\n  \\# black")
    assert tree(parse_file(render(outline))) == "1Tea 1Coffee"


@pytest.mark.parametrize(
    ("target", "written"),
    [
        ("300", "## Black (300 words)"),
        ("about 2 pages", "## Black (about 2 pages)"),
        ("300 字", "## Black（300 字）"),
        ("", "## Black"),
    ],
)
def test_target_lengths(outline, target, written):
    outline.set_target(*ids(outline, "Black"), target)
    assert f"{written}\n" in render(outline)


def test_what_is_no_length_is_refused(outline):
    with pytest.raises(ValueError, match="a lot"):
        outline.set_target(*ids(outline, "Black"), "a lot")


def test_adding_and_naming_are_one_step(outline):
    added = outline.add_sibling(*ids(outline, "Green"))
    outline.rename(added, "White", joined=True)
    outline.undo()
    assert render(outline) == TEXT
    outline.redo()
    assert tree(outline) == "1Tea 2Green 3Sencha 2White 2Black 1Coffee 2Filter"


def test_an_underlined_heading_stays_one_when_it_moves():
    outline = parse_file("A\n===\ntext\n# C\nB\n===\nmore")
    outline.move([outline.headings[2].id], -1)
    text = render(outline)
    assert tree(parse_file(text)) == "1A 1B 1C"
    assert "# B\nmore\n" in text


def test_an_open_fence_that_would_swallow_headings_is_seen():
    outline = parse_file("# A\n\n# B\n\n```\ncode\n")
    outline.move([outline.headings[1].id], -1)
    assert not same_sections(outline.headings, render(outline))


def test_rewriting_keeps_what_is_still_there(outline):
    green = ids(outline, "Green")
    before = outline.headings
    outline.rewrite(render(outline).replace("## Black", "## Dark").replace("# Coffee\n\n", ""))
    assert outline.get(*green).text == "Green"
    said = Baseline(before).changes(outline.headings)
    assert "Deleted “Coffee”." in said.sentences
    outline.undo()
    assert render(outline) == TEXT


def test_changes_in_words(outline):
    before = outline.headings
    assert not Baseline(before).changes(outline.headings)
    outline.rename(*ids(outline, "Tea"), "Teas")
    outline.move(ids(outline, "Black"), -1)
    outline.add_child(*ids(outline, "Coffee"), text="Espresso")
    outline.set_target(*ids(outline, "Filter"), "200")
    outline.set_note(*ids(outline, "Green"), "")
    outline.delete(ids(outline, "Sencha"))
    said = Baseline(before).changes(outline.headings)
    assert said.sentences == (
        "Renamed “Tea” to “Teas”.",
        "Moved “Black” first under “Teas”.",
        "Removed the note from “Green”.",
        "Set the target length of “Filter” to 200 words.",
        "Added “Espresso” after “Filter” under “Coffee”.",
        "Deleted “Sencha”.",
    )
    assert [said.count(change) for change in ("added", "edited", "moved")] == [1, 3, 1]


def test_a_heading_that_was_renamed_and_moved_counts_as_both(outline):
    before = outline.headings
    (tea,) = ids(outline, "Tea")
    outline.rename(tea, "Teas")
    outline.move([tea], 1)
    said = Baseline(before).changes(outline.headings, outline.carried)
    assert said.sentences == ("Renamed “Tea” to “Teas”.", "Moved “Teas” after “Coffee”.")
    assert said.marks == {tea: ("edited", "moved")}
    assert (said.count("edited"), said.count("moved")) == (1, 1)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "before\n\n# A\n\nB\n===\n\n```\n# no\n```\n## C",
        "Title\n\n1. A\n   - b\n     note\n2. C\n",
        "",
    ],
)
def test_the_cursor_finds_its_line_and_back(text):
    editing = OutlineEditing(text)
    lines = editing.markdown.split("\n")
    for heading in editing.outline.headings:
        editing.tree.show(heading.id)
        line = editing.line_of_cursor()
        assert heading.text in lines[line]
        editing.tree.cursor = editing.outline.headings[0].id
        editing.go_to_line(line)
        assert editing.tree.cursor == heading.id
    editing.go_to_line(10_000)


def test_all_that_is_typed_as_markdown_is_one_step(outline):
    start = render(outline)
    tea, green, *_ = (heading.id for heading in outline.headings)
    edit = RawEdit(outline, start)
    assert not edit.take(start)
    for text in (
        start.replace("Green", "Gree"),
        start.replace("Green", "Gre"),
        start.replace("Green", "Grey"),
    ):
        assert edit.take(text)
        assert render(outline) == text
    assert (outline.headings[0].id, outline.headings[1].id) == (tea, green)
    assert outline.undo()
    assert render(outline) == start
    assert outline.undo() is None
    assert outline.redo()
    assert render(outline).count("Grey") == 1


def test_what_is_typed_and_taken_back_is_no_step(outline):
    start = render(outline)
    edit = RawEdit(outline, start)
    assert edit.take(start + "x")
    assert edit.take(start)
    assert render(outline) == start
    assert outline.undo() is None


WORDS = st.sampled_from(
    ["Tea", "# x", "C #", "1. a", "茶", "", "a (20 words)", "- b", "`", "x\ny", "===", "I. b", "#"]
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "rename",
                "note",
                "length",
                "sibling",
                "child",
                "up",
                "down",
                "in",
                "out",
                "copy",
                "delete",
                "to",
                "undo",
                "redo",
            ]
        ),
        st.integers(0, 50),
        st.integers(0, 3),
        WORDS,
    ),
    max_size=12,
)
STARTS = st.sampled_from(
    [
        TEXT,
        "1. A\n   - b\n   - c\n     note\n2. B\n",
        "A\n===\nx\n# C\nB\n===\nmore",
        "一、甲\n（一）乙\n二、丙\n",
        "",
    ]
)


def perform(outline: Outline, step: str, where: int, span: int, words: str) -> None:
    if not outline.headings:
        outline.add_sibling(None, words)
        return
    place = where % len(outline.headings)
    here = outline.headings[place].id
    chosen = [heading.id for heading in outline.headings[place : place + 1 + span]]
    before = where * 7 % (len(outline.headings) + 1)
    first, end = outline.block(chosen)
    before = first if first <= before <= end else before
    highest = outline.headings[before - 1].level + 1 if before else 1
    operations: dict[str, Callable[[], object]] = {
        "rename": lambda: outline.rename(here, words),
        "note": lambda: outline.set_note(here, words),
        "length": lambda: outline.set_target(here, "300"),
        "sibling": lambda: outline.add_sibling(here, words),
        "child": lambda: outline.add_child(here, words),
        "up": lambda: outline.move(chosen, -1),
        "down": lambda: outline.move(chosen, 1),
        "in": lambda: outline.shift(chosen, 1),
        "out": lambda: outline.shift(chosen, -1),
        "copy": lambda: outline.duplicate(chosen),
        "delete": lambda: outline.delete(chosen),
        "to": lambda: outline.move_to(chosen, before, min(6, highest)),
    }
    operations[step]()


CARRIES = ("up", "down", "in", "out", "to")


@given(STARTS, STEPS)
def test_nothing_is_lost_and_all_can_be_undone(start, steps):
    outline = parse(start)
    began = render(outline), outline.headings
    for step, where, span, words in steps:
        before = {
            heading.id: (heading.text, heading.note, heading.length) for heading in outline.headings
        }
        if step == "undo":
            outline.undo()
        elif step == "redo":
            outline.redo()
        else:
            perform(outline, step, where, span, words)
            after = {
                heading.id: (heading.text, heading.note, heading.length)
                for heading in outline.headings
            }
            assert len(after) == len(outline.headings)
            if step in CARRIES and before:
                assert after == before
            elif step != "delete":
                assert before.keys() <= after.keys()
        text = render(outline)
        if outline.headings:
            assert render(parse(text)) == text
        Baseline(began[1]).changes(outline.headings)
    end = outline.headings
    while outline.undo():
        pass
    assert (render(outline), outline.headings) == began
    while outline.redo():
        pass
    if all(step != "undo" for step, *_ in steps):
        assert outline.headings == end


@given(
    st.sampled_from([TEXT, "A\n===\nx\n# C\nB\n===\nmore\n", "# T\n\n## 1. A\n\n## 2. B\n\ny\n"]),
    STEPS,
)
def test_a_changed_document_is_read_as_it_looks(start, steps):
    outline = parse_file(start)
    for step, where, span, words in steps:
        if step not in ("undo", "redo") and outline.headings:
            perform(outline, step, where, span, words)
    if outline.headings:
        assert same_sections(outline.headings, render(outline))


SECTIONS = st.sampled_from(
    [
        "# A", "## B", "### C ##", "  # indented", "Under\n===", "two\nlines\n---", "# C \\#", "#",
        "## 1. One", "## 2. Two (30 words)", "# Tea {#tea}", "# A", "text", "lazy\nline",
        "- a\n  - b",
        "- # listed\n\n  more", "> # quoted", "```\n# code\n```", "<div>\n# in\n</div>",
        "    # code",
        "<!--\n# c\n-->", "| a |\n|---|\n| 茶 |", "[^1]: note\n\n    more", "[a]: b", "***", "a\r",
    ]
)  # fmt: skip
DOCUMENTS = st.builds(
    lambda start, sections, end: start + "\n\n".join(sections) + end,
    st.sampled_from(["", "---\ntitle: Tea\n---\n"]),
    st.lists(SECTIONS, max_size=10),
    st.sampled_from(["", "\n", "\n\n", "\n \n"]),
)


@given(DOCUMENTS, STEPS)
def test_any_document_keeps_its_lines_and_is_read_again_as_it_looks(start, steps):
    outline = parse_file(start)
    for step, where, span, words in steps:
        before = bodies(outline)
        if step in ("undo", "redo"):
            getattr(outline, step)()
        else:
            perform(outline, step, where, span, words)
            assert before == bodies(outline) or not before or step not in CARRIES
        again = parse_file(render(outline))
        assert shown(again) == shown(outline)
    while outline.undo():
        pass
    assert render(outline) == start


def bodies(outline: Outline) -> dict[int, str]:
    """The text below each heading."""
    return {heading.id: heading.body for heading in outline.headings}


def shown(outline: Outline) -> list[tuple[int, str, str, str]]:
    """What the editor shows of each heading."""
    return [
        (heading.level, f"{number}{heading.text}".strip(), heading.length, heading.note)
        for number, heading in zip(titles(outline), outline.headings, strict=True)
    ]
