"""The outline editor, key by key."""

import json
import re
from contextlib import asynccontextmanager

import pytest
from textual import events

from dogent_tui.agent.events import UiAnswer
from dogent_tui.errors import DogentError
from dogent_tui.outline.markdown import render
from dogent_tui.references.file_index import FileIndex
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.outline import inputs
from dogent_tui.tui.outline.view import OutlineView
from dogent_tui.tui.prompt.picker import ReferencePicker
from dogent_tui.tui.prompt.references import WorkspaceReferences
from dogent_tui.tui.screens.clarification import ClarificationScreen
from dogent_tui.tui.screens.help import HelpScreen
from dogent_tui.tui.screens.outline import EDITOR_KEYS, OutlineTask
from tests.tui import idle
from tests.tui.outline.host import OutlineHost

pytestmark = pytest.mark.slow

TEXT = """# Report 茶

## Background

Why [b]tea[/b].

### Guests

### Market

## Method

## Results
"""


class QuestionContext:
    """The editor, and what can be seen of it."""

    def __init__(self, app: OutlineHost, pilot) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def editing(self):
        return self.app.editor.editing

    @property
    def tree(self) -> str:
        """The visible rows: ``2Method<`` is a heading of level 2 under the cursor."""
        tree = self.editing.tree
        headings = [tree.outline.headings[place] for place in tree.rows]
        return " ".join(
            f"{heading.level}{heading.text}{'<' if heading.id == tree.cursor else ''}"
            for heading in headings
        )

    @property
    def said(self) -> str:
        return str(self.app.editor._said.content)

    async def press(self, *keys: str) -> str:
        """Press `keys`, and return the tree."""
        await self.pilot.press(*keys)
        await self.pilot.pause()
        return self.tree

    async def type(self, text: str) -> None:
        await self.pilot.press(*("space" if sign == " " else sign for sign in text))
        await self.pilot.pause()


@pytest.fixture
def context():
    @asynccontextmanager
    async def opened(text=TEXT, size=(100, 30), **options):
        app = OutlineHost(OutlineTask("An outline", text, **options))
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield QuestionContext(app, pilot)

    return opened


async def test_moving_and_folding(context):
    async with context() as editor:
        assert editor.tree == "1Report 茶< 2Background 3Guests 3Market 2Method 2Results"
        assert "2Method<" in await editor.press("down", "down", "down", "down")
        assert "2Results<" in await editor.press("end")
        assert "1Report 茶<" in await editor.press("home")
        assert "2Results<" in await editor.press("pagedown")
        assert "1Report 茶<" in await editor.press("pageup")
        assert await editor.press("down", "space") == "1Report 茶 2Background< 2Method 2Results"
        assert "3Guests" in await editor.press("right")
        assert "3Guests<" in await editor.press("right")
        assert "2Background<" in await editor.press("left")
        assert await editor.press("z") == "1Report 茶<"
        assert "3Market" in await editor.press("z")
        assert not editor.editing.is_changed


async def test_titles_are_edited_in_place_and_enter_continues(context):
    async with context() as editor:
        await editor.press("end", "enter")
        await editor.type(" 2025")
        await editor.press("enter")
        await editor.type("Sources")
        await editor.press("enter")
        assert (
            await editor.press("enter")
            == "1Report 茶 2Background 3Guests 3Market 2Method 2Results 2025 2Sources<"
        )
        assert (
            await editor.press("ctrl+z")
            == "1Report 茶 2Background 3Guests 3Market 2Method 2Results 2025<"
        )
        assert "2Results<" in await editor.press("ctrl+z")
        assert "Nothing to undo" in (await editor.press("ctrl+z"), editor.said)[1]
        assert "2Sources<" in await editor.press("ctrl+y", "ctrl+y")


async def test_the_keys_of_the_outline_work_while_a_title_is_typed(context):
    async with context() as editor:
        await editor.press("end", "enter", "tab")
        await editor.type("!")
        await editor.press("alt+up")
        assert (
            await editor.press("escape")
            == "1Report 茶 2Background 3Guests 3Market 3Results!< 2Method"
        )
        await editor.press("enter", "shift+tab", "escape")
        assert "2Results!<" in editor.tree
        await editor.press("enter", "x", "ctrl+z")
        assert "2Results!<" in editor.tree
        await editor.press("enter", "x", "up")
        assert "3Market<" in editor.tree
        assert "2Results!x" in editor.tree


@pytest.mark.parametrize("key", ["ctrl+j", "ctrl+enter"])
async def test_a_child(context, key):
    async with context() as editor:
        await editor.press("down", key)
        await editor.type("Costs")
        assert (
            await editor.press("escape")
            == "1Report 茶 2Background 3Guests 3Market 3Costs< 2Method 2Results"
        )
        assert "### Market\n\n### Costs\n" in editor.editing.markdown


async def test_restructuring(context):
    async with context() as editor:
        await editor.press("down")
        assert (
            await editor.press("alt+down")
            == "1Report 茶 2Method 2Background< 3Guests 3Market 2Results"
        )
        assert (
            await editor.press("tab") == "1Report 茶 2Method 3Background< 4Guests 4Market 2Results"
        )
        assert (
            await editor.press("shift+tab")
            == "1Report 茶 2Method 2Background< 3Guests 3Market 2Results"
        )
        await editor.press("alt+up")
        assert "↕" not in editor.said
        assert not editor.editing.is_changed
        await editor.press("alt+up")
        assert editor.said == "It can't move further that way."
        assert (
            await editor.press("ctrl+d", "delete", "backspace")
            == "1Report 茶 2Background 3Guests 3Market 2Results<"
        )
        assert "1 − deleted" in editor.said


async def test_what_is_renamed_and_moved_is_marked_and_counted_as_both(context):
    async with context() as editor:
        await editor.press("end", "alt+up", "enter", "s", "escape")
        assert editor.said == "6 headings · 1 ~ changed · 1 ↕ moved"
        view = editor.app.editor._view
        rows = [strip.text for strip in view.render_lines(view.size.region)]
        assert rows[4].startswith("❯~↕  · Resultss")
        await editor.press("ctrl+s")
        assert editor.app.results[0].changes == (
            "Renamed “Results” to “Resultss”.",
            "Moved “Resultss” after “Background” under “Report 茶”.",
        )


async def test_several_at_once(context):
    async with context() as editor:
        await editor.press("down", "down", "down", "shift+down")
        assert (
            await editor.press("alt+down")
            == "1Report 茶 2Results 2Background 3Guests 3Market 2Method<"
        )
        await editor.press("escape")
        assert (
            await editor.press("alt+up", "alt+up")
            == "1Report 茶 2Method< 2Results 2Background 3Guests 3Market"
        )


async def test_find(context):
    async with context() as editor:
        await editor.press("slash")
        await editor.type("me")
        assert "2Method<" in editor.tree
        assert editor.said == "1 of 1"
        await editor.press("ctrl+u")
        await editor.type("re")
        assert "2Results<" in editor.tree
        assert "1Report 茶<" in await editor.press("down")
        await editor.type("zz")
        assert editor.said == "No matches."
        await editor.press("escape")
        assert "1Report 茶 2Background<" in await editor.press("down")


async def test_what_is_typed_ahead_comes_in_order(context):
    async with context() as editor:
        for key in (
            "down",
            "enter",
            "x",
            "enter",
            "N",
            "e",
            "w",
            "enter",
            "O",
            "escape",
            "slash",
            "m",
            "e",
            "t",
        ):
            editor.app.post_message(events.Key(key, key if len(key) == 1 else None))
        tree = "1Report 茶 2Backgroundx 3Guests 3Market 2New 2O 2Method< 2Results"
        await until(editor, lambda: editor.tree == tree)


async def test_so_it_does_in_the_markdown_and_in_a_note(context):
    async with context() as editor:
        keys = (
            "ctrl+t",
            "down",
            "down",
            "end",
            "left",
            "s",
            "ctrl+t",
            "n",
            "left",
            "y",
            "escape",
            "down",
            "enter",
            "backspace",
            "z",
            "escape",
        )
        for key in keys:
            editor.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(editor, lambda: "3Guestz" in editor.tree)
        assert "2Backgrounsd 3Guestz<" in editor.tree
        assert editor.editing.outline.headings[1].note == "Why [b]tea[/b]y."


async def test_a_note(context):
    async with context() as editor:
        await editor.press("down", "n")
        await editor.type("#x")
        await editor.press("escape")
        assert editor.editing.outline.headings[1].note == "Why [b]tea[/b].#x"
        await editor.press("ctrl+z")
        assert not editor.editing.is_changed


@pytest.mark.parametrize("is_clicked", [True, False])
async def test_what_is_typed_is_kept_when_the_focus_goes_elsewhere(context, is_clicked):
    async with context() as editor:

        async def leave() -> None:
            if is_clicked:
                await editor.pilot.click(OutlineView, offset=(30, 1))
            else:
                await editor.press("tab")

        await editor.press("down", "n", "!")
        await leave()
        assert editor.editing.outline.headings[1].note == "Why [b]tea[/b].!"
        await editor.press("slash", "x")
        await leave()
        await editor.press("end", "enter", "!")
        if is_clicked:
            await leave()
            assert editor.tree.endswith("2Results!")
            await editor.press("enter", "enter")
            await leave()  # a new heading without a title goes again
            assert editor.tree == "1Report 茶 2Background< 3Guests 3Market 2Method 2Results!"
        await editor.press("escape", "escape")
        assert editor.app.results, "Esc leaves the editor"


async def test_a_document_can_lose_all_its_headings_in_the_markdown(context):
    async with context(size=(180, 30)) as editor:
        await editor.press("end", "ctrl+t", "f7", "delete")
        await until(editor, lambda: editor.tree == "")
        await editor.press("escape", "left", "n", "ctrl+t", "escape", "enter")
        await editor.type("New")
        assert await editor.press("escape") == "1New<"
        assert "2Results" in await editor.press("ctrl+z", "ctrl+z")


async def test_on_a_low_screen_a_note_leaves_room_for_the_keys_that_end_it(context):
    async with context(size=(40, 10)) as editor:
        await editor.press("down", "n")
        note = editor.app.screen.query_one("#outline-note")
        keys = editor.app.screen.query_one("KeyHints")
        assert note.content_size.height >= 2
        assert note.region.bottom <= keys.region.y < 10


async def test_a_target_length(context):
    async with context() as editor:
        await editor.press("down", "w")
        await editor.type("many")
        await editor.press("enter")
        assert "is not a length" in editor.said
        await editor.press("ctrl+u")
        await editor.type("300")
        await editor.press("enter")
        assert "## Background (300 words)\n" in editor.editing.markdown


async def test_markdown_and_back(context):
    async with context() as editor:
        await editor.press("end", "ctrl+t")
        await editor.type("#")
        assert (
            await editor.press("ctrl+t")
            == "1Report 茶 2Background 3Guests 3Market 2Method 3Results<"
        )
        assert (
            await editor.press("ctrl+z")
            == "1Report 茶 2Background 3Guests 3Market 2Method 2Results<"
        )
        await editor.press("ctrl+t", "x", "ctrl+z", "escape")
        assert not editor.app.editor.has_class("-raw")
        assert editor.app.editor.focused is editor.app.editor._view
        assert not editor.editing.is_changed


def shown(editor: QuestionContext) -> str:
    """What is on the screen."""
    return "\n".join(
        "".join(cell.text for cell in strip)
        for strip in editor.app.screen._compositor.render_strips()
    )


async def until(editor: QuestionContext, seen) -> None:
    """Let the editor work until `seen` is true."""
    await idle.until(editor.pilot, seen)


@pytest.mark.parametrize("threshold", [0, 20_000])
async def test_tree_and_preview_follow_the_markdown_while_it_is_typed(
    context, monkeypatch, threshold
):
    monkeypatch.setattr(inputs, "_QUICK_CHARACTERS", threshold)
    async with context(size=(180, 30)) as editor:
        await editor.press("end", "ctrl+t", "end")
        await editor.type("X")
        assert "^T Tree  Esc Back" in str(editor.app.editor.query_one("#outline-keys").render())
        # in the tree, the text and the preview
        await until(editor, lambda: shown(editor).count("ResultsX") == 3)
        assert "6 headings · 1 ~ changed" in shown(editor)
        assert editor.tree.endswith("2ResultsX<")
        await editor.press(*["up"] * 30)
        await until(editor, lambda: editor.tree.startswith("1Report 茶<"))
        view = editor.app.editor._view
        await editor.pilot.click(view, offset=(9, 4))
        assert "## Method" in editor.app.editor._raw_area.document.get_line(
            editor.app.editor._raw_area.cursor_location[0]
        )
        assert editor.app.editor.focused is editor.app.editor._raw_area
        await editor.press("ctrl+t")
        assert "2Method<" in editor.tree
        assert "1Report" in await editor.press("ctrl+z")
        assert not editor.editing.is_changed


async def test_the_markdown_is_highlighted_and_code_is_no_heading(context):
    async with context(text="# A\n\n```\n# no\n```\n\n- b\n", size=(80, 20)) as editor:
        await editor.press("ctrl+t")
        area = editor.app.editor._raw_area
        looks = [{str(span.style) for span in area.get_line(line).spans} for line in range(7)]
        heading, code, mark = looks[0], looks[3], looks[6]
        assert heading
        assert code
        assert mark
        assert heading != code
        assert looks[2] == looks[4] == code
        assert not looks[1]
        await editor.press(*["down"] * 4, "end", "backspace", "backspace", "backspace")
        # no end: all of it is code
        await until(editor, lambda: {str(span.style) for span in area.get_line(6).spans} == code)


async def test_accept(context):
    async with context() as editor:
        await editor.press("end", "delete", "a")
        assert "You changed it" in editor.said
        await editor.press("ctrl+z", "a")
        assert editor.app.results == [UiAnswer(outline=TEXT)]


async def test_send_the_changed_outline(context):
    drafts = []
    async with context(on_draft=drafts.append) as editor:
        await editor.press("end", "delete", "ctrl+s")
        [result] = editor.app.results
        text = TEXT.replace("\n## Results\n", "")
        assert result == UiAnswer(outline=text, changes=("Deleted “Results”.",))
        assert drafts == [text]


async def test_send_with_a_comment(context):
    async with context() as editor:
        await editor.press("c")
        await editor.type("More tea")
        await editor.press("enter")
        assert editor.app.results == [UiAnswer(outline=TEXT, comment="More tea")]


async def test_what_is_half_typed_is_in_the_draft(context):
    drafts = [""]
    async with context(on_draft=drafts.append) as editor:
        for keys, typed, kept in (
            (("down", "enter"), " half", " half\n"),
            (("enter",), "New", "## New\n"),
            (("escape", "n"), "a note", "## New\n\na note\n"),
        ):
            await editor.press(*keys)
            await editor.type(typed)
            await until(editor, lambda: kept in drafts[-1])  # noqa: B023


async def test_a_draft_continues_where_it_was(context):
    draft = TEXT.replace("## Method", "## How")
    async with context(draft=draft) as editor:
        assert "2How" in editor.tree
        assert "1 ~ changed" in editor.said
        assert "2Method" in await editor.press("ctrl+z")
        await editor.press("ctrl+y", "escape")
        assert editor.app.results == [None]


async def test_abandoning_takes_two_presses(context):
    async with context() as editor:
        await editor.press("x", "down", "x")
        assert not editor.app.results
        await editor.press("x")
        assert editor.app.results == [UiAnswer()]


async def test_dragging(context):
    async with context() as editor:
        view = editor.app.editor._view
        await editor.pilot.mouse_down(view, offset=(12, 4))
        await editor.pilot.hover(view, offset=(5, 1))
        await editor.pilot.mouse_up(view, offset=(5, 1))
        await editor.pilot.pause()
        assert editor.tree == "1Report 茶 2Method< 2Background 3Guests 3Market 2Results"
        await editor.pilot.click(view, offset=(5, 2))
        assert editor.tree == "1Report 茶 2Method 2Background< 2Results"
        await editor.pilot.click(view, offset=(10, 1), times=2)
        await editor.type("s")
        assert "2Methods" in await editor.press("escape")


async def test_it_closes_where_nobody_has_to_answer_any_more_also_under_another_screen(context):
    async with context() as editor:
        await editor.app.push_screen(HelpScreen([]))
        editor.app.editor.leave(None)
        await editor.press("escape")
        assert editor.app.results == [None]
    async with context() as editor:
        editor.app.editor.leave(None)
        editor.app.editor.action_accept()
        await editor.pilot.pause()
        assert editor.app.results == [None]


async def test_all_can_be_deleted_and_begun_anew(context):
    async with context() as editor:
        await editor.press("shift+end", "delete")
        assert editor.tree == ""
        await editor.press("enter")
        await editor.type("New")
        assert await editor.press("escape") == "1New<"
        assert editor.editing.markdown == "# New\n"


async def test_control_characters_and_markup_are_text(context):
    async with context(text="# [b]Tea[/b] \x1b[31m\n\n## B\n") as editor:
        lines = "\n".join(
            strip.text
            for strip in editor.app.editor._view.render_lines(editor.app.editor._view.size.region)
        )
        assert "[b]Tea[/b] ␛[31m" in lines
        await editor.press("enter", "x", "escape")
        assert editor.editing.outline.headings[0].text == "[b]Tea[/b] \x1b[31mx"
        await editor.press("n", "escape", "ctrl+t", "escape")
        assert editor.editing.outline.headings[0].text == "[b]Tea[/b] \x1b[31mx"


async def test_the_palette_has_every_action(context):
    async with context(save_as=lambda name, text: name) as editor:
        offered = {offer.name for offer in editor.app.editor.offers()}
        assert {
            "Send",
            "Accept",
            "Find",
            "Demote",
            "Duplicate",
            "Abandon",
            "Save as",
            "Note",
        } <= offered
        await editor.press("down", "ctrl+p")
        await editor.type("Demote")
        await editor.pilot.pause(0.3)
        await editor.press("enter")
        await editor.pilot.pause(0.2)
        assert "2Background<" in editor.tree


EVERY_TERMINAL = re.compile(
    r"\w|ctrl\+([a-z]|underscore)|f\d+|up|down|left|right|home|end|pageup|pagedown|tab|shift\+tab|enter|escape|space|slash|delete|backspace"
)
"""Keys that need neither the kitty keyboard protocol nor a modifier that some terminals keep for
themselves.
"""


@pytest.mark.parametrize(
    "keys",
    [OutlineView.BINDINGS, EDITOR_KEYS, ClarificationScreen.BINDINGS],
    ids=["tree", "editor", "form"],
)
def test_every_action_has_a_key_that_every_terminal_sends(keys):
    sent = {}
    for binding in keys:
        sent[binding.action] = sent.get(binding.action, False) or any(
            map(EVERY_TERMINAL.fullmatch, binding.key.split(","))
        )
    lacking = {action for action, has_key in sent.items() if not has_key}
    # v and V go there
    assert lacking <= {f"go({to}, True)" for to in (-1_000_000, 1_000_000)} | {
        "page(-1, True)",
        "page(1, True)",
    }


async def test_letters_move_and_select_where_a_terminal_keeps_alt_and_shift_to_itself(context):
    async with context() as editor:
        assert (
            await editor.press("down", "J")
            == "1Report 茶 2Method 2Background< 3Guests 3Market 2Results"
        )
        assert await editor.press("K") == "1Report 茶 2Background< 3Guests 3Market 2Method 2Results"
        await editor.press("end", "V", "delete")
        assert editor.tree == "1Report 茶 2Background 3Guests 3Market<"


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (200, 60)])
async def test_the_next_key_is_first_and_the_way_out_last(context, size):
    async with context(size=size, save_as=lambda name, text: name) as editor:
        bar = editor.app.editor.query_one("#outline-keys")
        shown = str(bar.render())
        assert shown.startswith("^S Send")
        assert shown.endswith("Esc Back  F1 Help")
        assert "\n" not in shown
        assert bar.size.height == 1
        assert len(shown) <= bar.size.width


async def test_a_document_is_saved_and_asks_before_it_is_left(context):
    saved = []
    async with context(save=saved.append) as editor:
        await editor.press("down", "alt+down", "w", "a", "x", "c")
        assert not editor.app.results
        await editor.press("escape")
        assert "Not saved yet" in editor.said
        await editor.press("ctrl+s")
        assert saved == [render(editor.editing.outline)]
        assert "Why [b]tea[/b].\n\n### Guests" in saved[0]
        await editor.press("escape")
        assert editor.app.results == [None]


async def test_the_sections_of_a_document_show_their_words(context):
    text = "# Tea\n\nTwo words.\n\n## Hot (300 words)\n\n茶很热.\n\n## Cold\n"

    def rows(editor):
        view = editor.app.editor.query_one(OutlineView)
        return [view.render_line(y).text.rstrip() for y in range(3)]

    async with context(text=text, save=list[str]().append) as editor:
        tea, hot, cold = rows(editor)
        assert tea.endswith("  5")
        assert hot.endswith("  3 / 300 words")
        assert "3 headings · 5 words" in editor.said
        assert cold.endswith("Cold")
        await editor.press("end", "alt+up", "shift+tab")
        tea, cold, hot = rows(editor)
        assert tea.endswith("  2")
        assert cold.endswith("  3")
        assert hot.endswith("  3 / 300 words")
    async with context(text=text) as editor:
        assert rows(editor)[0].endswith("Two words."), "those of a note do not count"


async def test_what_cannot_be_saved_is_said(context):
    def refuse(text):
        raise DogentError("It was changed by somebody else.", "Look.")

    async with context(text="# A\n\n# B\n\n```\nx\n", save=refuse) as editor:
        await editor.press("ctrl+s")
        assert editor.said == "It was changed by somebody else. Look."
        await editor.press("end", "alt+up", "ctrl+s")
        assert "swallow" in editor.said


async def test_saving_a_copy(context):
    saved = {}

    def save_as(name, text):
        saved[name] = text
        return name

    async with context(save_as=save_as) as editor:
        await editor.press("s")
        await editor.type("o.md")
        await editor.press("enter")
        await editor.pilot.pause()
        assert saved == {"o.md": TEXT}
        assert editor.said == "Saved as o.md."


@pytest.mark.parametrize("area", ["note", "raw"])
async def test_what_may_be_cited_is_offered_in_a_note_and_in_the_markdown(tmp_path, area):
    (tmp_path / ".dogent/sources").mkdir(parents=True)
    entries = [{"id": key, "title": title} for key, title in (("hale", "Tea"), ("oka", "Boats"))]
    (tmp_path / ".dogent/sources/sources.json").write_text(json.dumps(entries))
    completions = WorkspaceReferences(Workspace(tmp_path), FileIndex(tmp_path)).completions
    host = OutlineHost(OutlineTask("Plan", "# Plan\n\nTea.", completions=completions))
    async with host.run_test(size=(80, 24)) as pilot:
        await pilot.press(*(("n",) if area == "note" else ("ctrl+t", "down", "down", "end")))
        await pilot.press(*" [@boat")
        picker = host.screen.query_one(ReferencePicker)
        while picker.current is None:
            await pilot.pause(0.01)
        assert picker.region.bottom <= 24
        await pilot.press("enter", "]", "escape" if area == "note" else "ctrl+t")
        await pilot.pause()
        assert host.editor.editing.markdown.strip() == "# Plan\n\nTea. [@oka]"
