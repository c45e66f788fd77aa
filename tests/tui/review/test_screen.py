"""The review, key by key."""

import json
import threading
from contextlib import asynccontextmanager

import pytest

from dogent_tui.agent.document_review import written
from dogent_tui.references.file_index import FileIndex
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.prompt.picker import ReferencePicker
from dogent_tui.tui.prompt.references import WorkspaceReferences
from dogent_tui.tui.screens import review as screen
from dogent_tui.undo.restoring import undo
from tests.changes.strategies import manuscript
from tests.tui.review.host import BASE, NEW, ReviewHost

pytestmark = pytest.mark.slow


@pytest.fixture
def review(tmp_path):
    @asynccontextmanager
    async def opened(base: str | None = BASE, new: str = NEW, size=(100, 30)):
        app = ReviewHost(tmp_path, base, new)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield app, pilot

    return opened


def verdicts(app: ReviewHost) -> str:
    change = app.review.change
    return " ".join(change.decision(hunk.number).verdict[0] for hunk in change.hunks)


def said(app: ReviewHost) -> str:
    return str(app.review._said.content)


def drawn(app: ReviewHost) -> str:
    view = app.review._view
    return "\n".join(view.render_line(y).text.rstrip() for y in range(view.size.height))


async def test_hunks_are_decided_and_written(review):
    async with review() as (app, pilot):
        assert verdicts(app) == "o o o o o"
        await pilot.press("a", "r")
        assert verdicts(app) == "a r o o o"
        assert app.review.hunk.number == 3
        await pilot.press("A")
        assert verdicts(app) == "a r a a a", "what was rejected stays so"
        await pilot.press("A")
        assert "1 rejected: A again accepts these too." in said(app)
        await pilot.press("k", "A")
        assert verdicts(app) == "a r a a a", "another key came between"
        await pilot.press("A")
        assert verdicts(app) == "a a a a a"
        await pilot.press("a")
        assert verdicts(app) == "a o a a a", "the same key once more takes it back"
        await pilot.press("enter")
        assert "1 undecided" in said(app)
        assert app.path.read_text() == BASE
        await pilot.press("enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        text = app.path.read_text()
        assert "spring of 1998" in text
        assert "大多喝绿茶" in text
        (result,) = app.results
        assert "4 of 5 hunks written to tea.md" in result.review
        assert (
            "Hunk 2 (changed, under Report on tea 茶 > 市场与客户): left undecided" in result.review
        )
        undo(app.copies)
        assert app.path.read_text() == BASE


async def test_a_comment_and_an_edit_go_to_the_model(review):
    async with review() as (app, pilot):
        await pilot.press("c", *"toojkar", "enter", "j", "e")
        await pilot.press("home", "吧", "escape", "R", "k", "k")
        assert app.review.change.decision(1).comment == "toojkar"
        assert app.review.change.decision(2).edited is not None
        while not app.drafts:  # what was decided is kept
            await pilot.pause(0.01)
        await pilot.press("home", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        (result,) = app.results
        assert "Comment: toojkar" in result.review
        assert "Written instead: 吧今天来的" in result.review
        assert "吧今天来的客人几乎都喝绿茶" in app.path.read_text()


async def test_escape_leaves_it_open_and_an_edit_can_be_dropped(review):
    async with review() as (app, pilot):
        await pilot.press("e", *"xyz", "ctrl+x", "c", *"no", "escape", "p", "escape")
        assert verdicts(app) == "o o o o o"
        assert not app.results
        await pilot.press("escape")
        assert app.results == [None]
        assert app.path.read_text() == BASE


async def test_what_is_typed_is_kept_when_the_focus_goes_elsewhere(review):
    async with review() as (app, pilot):
        await pilot.press("e", *"xyz")
        while "xyz" not in str(app.drafts):  # also where it ends here
            await pilot.pause(0.01)
        await pilot.click("#review-list", offset=(3, 2))
        assert app.review.change.lines_of(app.review.hunk)[-1].endswith("xyz")
        await pilot.press("c", *"why")
        while "why" not in str(app.drafts):
            await pilot.pause(0.01)
        await pilot.press("tab")
        assert app.review.change.decision(1).comment == "why"
        await pilot.press("j", "escape")
        assert app.results == [None]


async def test_what_changed_meanwhile_is_never_overwritten(review):
    async with review(size=(80, 30)) as (app, pilot):
        app.path.write_text(
            BASE.replace("Tea rose.", "Tea rose a little.").replace("Two visits", "Three visits")
        )
        await pilot.press("A", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert not app.results
        assert "changed in the meantime" in said(app)
        assert "Someone else changed these lines" in drawn(app)
        assert "Three visits" in app.path.read_text()
        assert "A" not in verdicts(app)
        row = app.review._said.render_line
        assert "Check again, then press Enter." in f"{row(0).text.strip()} {row(1).text.strip()}", (
            "all of it, on two rows"
        )
        await pilot.press("R", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert "Tea rose a little." in app.path.read_text()
        assert [bool(result.review) for result in app.results] == [True]


async def test_no_hunk_is_edited_while_the_file_is_written(review, monkeypatch):
    ends = threading.Event()

    def slowly(*task):
        ends.wait(10)
        return written(*task)

    monkeypatch.setattr(screen, "written", slowly)
    async with review() as (app, pilot):
        app.path.write_text("New.\n\n" + BASE)
        await pilot.press("A", "enter", "e", "enter", "c", "escape")
        ends.set()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert not app.results
        assert "changed in the meantime" in said(app)
        assert not app.review._area.display
        assert verdicts(app) == "a a a a a"


async def test_a_new_file(review):
    async with review(None, "# Tea\n\nGreen.\n") as (app, pilot):
        assert "+ Green." in drawn(app)
        await pilot.press("a", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert app.path.read_text() == "# Tea\n\nGreen.\n"


async def test_a_proposal_that_changes_nothing(review):
    async with review(BASE, BASE) as (app, pilot):
        await pilot.press("a", "j", "n", "e", "c", "p", "p", "v")
        assert "matches the file" in said(app)
        await pilot.press("enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert [bool(result.review) for result in app.results] == [True]


async def test_a_hunk_is_as_wide_as_before_once_it_was_edited(review):
    async with review(size=(80, 30)) as (app, pilot):
        before = drawn(app)
        await pilot.press("e", "X", "escape")
        assert (
            drawn(app).replace("accepted, edited", "undecided").replace("notes[/b].X", "notes[/b].")
            == before
        )


async def test_both_views_and_the_preview(review):
    async with review(size=(200, 40)) as (app, pilot):
        assert " │ + The house serves" in drawn(app)
        await pilot.press("v")
        assert "\n- The house serves" in drawn(app)
        assert "\n+ The house serves" in drawn(app)
        await pilot.press("p")
        assert "since the spring" not in drawn(app)
        await pilot.press("a", "home")
        assert "since the spring" in drawn(app)
        await pilot.press("v")
        assert "\n- The house serves" in drawn(app), (
            "the preview has no sides: v leads back to the hunk"
        )


@pytest.mark.parametrize(
    ("above", "cup"),
    [
        ("```\n" + "line\n" * 9 + "```\n\n", "One cup of tea."),
        *(
            ("| No. | Cup |\n|---|---|\n" + "| 1 | hot |\n" * rows + "| 2 |", "2   │")
            for rows in range(8)
        ),
    ],
)
async def test_the_preview_of_what_is_in_or_after_a_code_block_or_table(review, above, cup):
    base = above + "One *cup* of tea.\n"
    async with review(base, base.replace("tea", "coffee")) as (app, pilot):
        await pilot.press("p")
        assert cup in drawn(app)


async def test_the_text_of_a_hunk_can_be_selected_with_the_mouse(review):
    async with review() as (app, pilot):
        view = app.review._view
        rows = drawn(app).split("\n")
        y, end = (
            next(y for y, row in enumerate(rows) if row.startswith(f"{sign} The")) for sign in "-+"
        )
        await pilot.mouse_down(view, offset=(0, y))
        await pilot.hover(view, offset=(10, end))
        await pilot.mouse_up(view, offset=(10, end))
        copied = app.screen.get_selected_text()
        assert copied == BASE.split("\n")[2] + "\nThe house"
        assert view.palette.styles["selection"].bgcolor in {
            segment.style.bgcolor for segment in view.render_line(y) if segment.style
        }


@pytest.mark.parametrize("size", [(40, 10), (40, 14), (80, 16)])
async def test_what_is_accepted_can_be_seen_on_a_low_screen(review, size):
    base = "".join(
        f"Line {number} of tea.\n\nKept as it is, and wrapped.\n\n" for number in range(20)
    )
    async with review(base, base.replace("tea", "coffee"), size=size) as (app, pilot):
        assert "- Line 0 of tea." in drawn(app)
        await pilot.press("a")
        assert "- Line 1 of tea." in drawn(app)


async def test_side_by_side_the_space_beside_a_changed_word_has_the_color_of_its_side(review):
    words = "tea and coffee in the house, " * 20
    async with review(words, words.replace("coffee", "COFFEE", 1), size=(200, 40)) as (app, _):
        view = app.review._view
        (row,) = (
            strip
            for strip in (view.render_line(y) for y in range(view.size.height))
            if "COFFEE" in strip.text
        )
        new = list(row)[[segment.text for segment in row].index(" │ ") + 1 : -1]
        behind = {segment.style.bgcolor for segment in new if segment.text.strip() != "COFFEE"}
        assert len(behind) == 1


async def test_markup_and_control_characters_are_shown(review):
    async with review("one\n", "[bold]two\x1b[31m\u202e 👩\u200d🚀 می\u200cخواهم a\u200d\n") as (
        app,
        _pilot,
    ):
        assert "+ [bold]two␛[31m⟦U+202E⟧ 👩\u200d🚀 می\u200cخواهم a⟦U+200D⟧" in drawn(app)


async def test_a_manuscript_scrolls_and_a_line_without_end_is_shown(review):
    base = manuscript(200_000)
    new = [
        line.replace("quick", "slow") if place % 8 == 0 else line for place, line in enumerate(base)
    ]
    async with review("\n".join(base), "\n".join(new) + "\n" + "word " * 100_000) as (app, pilot):
        await pilot.press("j", "j", "end", "space", "space", "b", "home", "A", "G")
        assert "o" not in verdicts(app)


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (200, 60)])
async def test_what_writes_is_the_first_key_and_the_way_out_the_last(review, size):
    async with review(size=size) as (app, _):
        bar = app.review.query_one("#review-keys")
        shown = str(bar.render())
        assert shown.startswith("⏎ Write")
        assert shown.endswith("Esc Back  F1 Help")
        assert bar.size.height == 1
        assert len(shown) <= bar.size.width


async def test_the_list_and_the_hunk_begin_in_the_same_row(review):
    async with review(size=(120, 40)) as (app, _):
        assert app.review._list.region.y == app.review._view.region.y


async def test_what_may_be_cited_is_offered_in_a_hunk(tmp_path):
    text = "Tea is served.\n"
    (tmp_path / ".dogent/sources").mkdir(parents=True)
    entries = [{"id": key, "title": title} for key, title in (("hale", "Tea"), ("oka", "Boats"))]
    (tmp_path / ".dogent/sources/sources.json").write_text(json.dumps(entries))
    references = WorkspaceReferences(Workspace(tmp_path), FileIndex(tmp_path))
    host = ReviewHost(
        tmp_path, text, text.replace("served", "sold"), completions=references.completions
    )
    async with host.run_test(size=(120, 40)) as pilot:
        await pilot.press("e", "backspace", *" [@boat")
        picker = host.screen.query_one(ReferencePicker)
        while picker.current is None:
            await pilot.pause(0.01)
        assert picker.region.bottom <= 40
        await pilot.press("enter", "]", ".", "escape", "enter")
        await pilot.pause()
    assert host.path.read_text() == "Tea is sold [@oka].\n"
