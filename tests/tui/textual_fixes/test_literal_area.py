"""Text with control characters in an editor, however it got there."""

from textual.app import App
from textual.events import Paste
from textual.widgets import Input

from dogent_tui.tui.textual_fixes.literal_area import LiteralArea

ESCAPES = "one \x1b[31mtwo\u202e three"


async def test_nothing_in_an_editor_is_obeyed_by_the_terminal_and_all_of_it_is_kept():
    app = App()
    async with app.run_test() as pilot:
        areas = [LiteralArea(ESCAPES), LiteralArea(), LiteralArea()]
        await app.mount_all(areas)
        areas[1].load_text(ESCAPES)
        areas[2].focus()
        await pilot.pause()
        app.screen.post_message(Paste(ESCAPES))
        await pilot.pause()
        for area in areas:
            assert area.raw == ESCAPES
            assert area.get_line(0).plain == "one ␛[31mtwo� three"
        await pilot.press("ctrl+z", "ctrl+y")
        assert areas[2].raw == ESCAPES


async def test_what_is_pasted_into_an_input_line_is_not_obeyed_by_the_terminal(stage):
    async with stage() as s:
        await s.pilot.press("ctrl+r")
        await s.until(lambda: isinstance(s.app.focused, Input))
        s.app.focused.post_message(Paste(ESCAPES))
        await s.until(lambda: s.app.focused.value == ESCAPES)
        await s.pilot.pause()
        strips = s.app.screen._compositor.render_strips()
        drawn = "".join(segment.text for strip in strips for segment in strip)
        assert "one [31mtwo" in drawn
        assert "\x1b" not in drawn
