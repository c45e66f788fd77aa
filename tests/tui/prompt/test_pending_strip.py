"""The chips of what goes with the prompt."""

import pytest

from dogent_tui.agent.events import Attachment
from dogent_tui.tui.prompt.editor import ReferenceState
from dogent_tui.tui.prompt.pending_strip import pending_chips
from dogent_tui.tui.widgets import ActionRequested

NOTES = Attachment("notes.md", "notes.md", "md")
COSTS = Attachment("numbers.xlsx", "numbers.xlsx", "xlsx", "My costs")


def drawn(app) -> str:
    return str(app.box.pending.render())


def test_what_is_named_and_attached_is_one_chip() -> None:
    states = {
        ("./notes.md", None, None): ReferenceState(11, "", NOTES),
        ("gone.md", None, (2, 3)): ReferenceState(8, "No file gone.md here"),
    }
    chips = pending_chips(states, (NOTES, COSTS))
    assert [(chip.mark, chip.name) for chip in chips] == [
        ("@", "notes.md"),
        ("✗", "gone.md"),
        ("+", "numbers.xlsx"),
    ]
    assert chips[2].sheet == "My costs"
    assert chips[1].lines == "2-3"


@pytest.mark.parametrize("width", [40, 80, 200])
async def test_every_reference_is_seen_before_it_is_sent(make_app, width: int) -> None:
    app = make_app()
    async with app.run_test(size=(width, 15)) as pilot:
        assert not app.box.pending.display
        app.box.editor.insert('See @numbers.xlsx#"My costs" and @nots.md and @numbers.xlsx#Sums ')
        await app.until(pilot, lambda: len(app.box.pending.items) == 3)
        await app.until(pilot, lambda: app.box.pending.size.width)
        assert "@ numbers.xlsx #My costs" in drawn(app)
        if width == 200:
            assert "✗ nots.md not found" in drawn(app)
            assert "✗ numbers.xlsx #Sums no such sheet" in drawn(app)
            assert "Shift+Tab" in drawn(app)
        elif width == 40:
            assert "+2" in drawn(app)
        await pilot.press("enter")
        assert not app.box.pending.display


async def test_lines_of_a_text_are_a_chip_of_their_own(make_app, folder) -> None:
    (folder / "notes.md").write_text("one\ntwo\nthree\n", encoding="utf-8")
    app = make_app()
    async with app.run_test(size=(160, 15)) as pilot:
        app.box.editor.insert("Join @notes.md:1-2 and @notes.md:3, not @notes.md:4-9 ")
        await app.until(
            pilot, lambda: len(app.box.pending.items) == 3 and app.box.pending.size.width
        )
        assert "@ notes.md:1-2  @ notes.md:3  ✗ notes.md:4-9 no such lines" in drawn(app)
        await pilot.press("shift+tab", "right", "delete", "delete")  # without waiting: two chips
        assert [chip.lines for chip in app.box.pending.items] == ["1-2"]
        assert app.box.editor.value == "Join @notes.md:1-2 and , not "


def wanted(posted) -> set[tuple[str, str]]:
    """What was requested of which file that the text does not name, or that is to be opened."""
    return {
        (message.what, message.item.attachment.path)
        for message in posted
        if isinstance(message, ActionRequested)
        and not (message.what == "remove" and message.item.reference)
    }


async def test_the_keys_reach_every_chip(make_app) -> None:
    app = make_app()
    posted = []
    async with app.run_test(size=(40, 15), message_hook=posted.append) as pilot:
        app.box.set_attached((Attachment("docs", "docs", "folder"),))
        app.box.editor.insert("See @notes.md and @报告.md的内容 or @nots.md now")
        await app.until(pilot, lambda: len(app.box.pending.items) == 4)
        await pilot.press("shift+tab", "right", "delete")
        await app.until(pilot, lambda: len(app.box.pending.items) == 3)
        assert app.box.editor.value == "See @notes.md and 的内容 or @nots.md now"
        await pilot.press("right", "delete")  # the last of three: what was attached
        assert wanted(posted) == {("remove", "docs")}
        assert "docs folder" in drawn(app)
        await pilot.press("left", "left", "enter")
        assert ("open", "notes.md") in wanted(posted)


async def test_names_are_text(make_app) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        app.box.set_attached((Attachment("a[/b]\x1b[31m.md", "a[/b]\x1b[31m.md", "md", "[red]"),))
        await pilot.pause()
        assert "a[/b]␛[31m.md #[red]" in drawn(app)


async def test_a_command_and_a_shell_command_take_none_along(make_app) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        for text in ("!cat @notes.md", "/attach @notes.md"):
            app.box.editor.replace_all(text)
            await pilot.pause(0.3)
            assert not app.box.pending.display
