"""/sources in the application: a source is typed in, offered after ``[@``, and opened."""

import json

import pytest

from dogent_tui.tui.screens.choice import ChoiceScreen
from dogent_tui.tui.screens.source import SourceScreen
from tests.tui.checking.test_command import typed

pytestmark = pytest.mark.slow


async def test_a_source_is_typed_in_and_offered(stage, workspace):
    (workspace.root / "letters.pdf").touch()
    async with stage(size=(120, 40)) as scene:
        scene.app.opened.libraries.keeps_sources = lambda: True
        await typed(scene, "/sources add")
        await scene.until(lambda: isinstance(scene.app.screen, SourceScreen))
        words = scene.app.screen.query_one("#source-words")
        for line, wrong in (
            ("Ada Okafor", ""),
            ("", "It needs a title."),
            ("Letters home", ""),
            ("last May", "Write the date as 2024, 2024-03 or 2024-03-05."),
            ("1999", ""),
            ("example.org", "Write the whole address, such as https://example.org/page."),
            ("", ""),
            ("gone.pdf", "There is no file gone.pdf here."),
        ):
            await scene.pilot.press("ctrl+u", *line, "enter")
            assert words.render().plain == wrong
        await scene.pilot.press("ctrl+u", *"letters.pdf", "enter")
        await scene.until(lambda: "Cite it as [@okafor-1999]." in scene.hint)
        (entry,) = json.loads((workspace.root / ".dogent/sources/sources.json").read_text())
        assert entry["file"] == "../../letters.pdf"

        await scene.pilot.press(*"As [@letters")
        picker = scene.app.conversation.prompt.picker
        await scene.until(lambda: picker.current is not None)
        assert picker.current.detail == "Ada Okafor · 1999 · Letters home"
        await scene.pilot.press("tab")
        assert scene.app.conversation.prompt.editor.value == "As [@okafor-1999"
        await scene.pilot.press("ctrl+c")

        await typed(scene, "/sources remove")
        await scene.until(lambda: "/sources remove KEY" in scene.hint)
        await typed(scene, "/sources")
        await scene.until(lambda: isinstance(scene.app.screen, ChoiceScreen))
        await scene.pilot.press("escape")


async def test_what_is_wrong_is_seen_with_its_line_in_a_small_window(stage) -> None:
    async with stage(size=(40, 10)) as scene:
        await typed(scene, "/sources add")
        await scene.until(lambda: isinstance(scene.app.screen, SourceScreen))
        await scene.settle()
        assert scene.app.screen.query("Label").first().region.y == 1, "the first label is seen"
        await scene.pilot.press("enter", "enter")
        await scene.settle()
        line, words = scene.app.screen.focused, scene.app.screen.query_one("#source-words")
        assert words.render().plain == "It needs a title."
        assert 0 < line.region.y < words.region.y < 9
        assert not line.cursor_blink, "the line with the cursor can always be told"
