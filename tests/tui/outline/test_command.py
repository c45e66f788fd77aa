"""/outline FILE.md in the application."""

from dogent_tui.tui.screens.outline import OutlineScreen


async def test_a_document_is_rearranged_and_saved(stage, workspace):
    path = workspace.root / "notes.md"
    path.write_text("# Notes\n\n## Tea\n\nHot.\n\n```\n# no heading\n```\n\n## Coffee\n\nBlack.\n", encoding="utf-8")
    async with stage(size=(130, 40)) as scene:
        await scene.type("/outline notes.md")
        await scene.pilot.press("escape", "enter")
        await scene.until(lambda: isinstance(scene.app.screen, OutlineScreen))
        screen = scene.app.screen
        await scene.pilot.press("down", "alt+down")
        assert screen.editing.is_changed
        await scene.pilot.press("ctrl+z")  # suspends the application elsewhere
        assert not screen.editing.is_changed
        await scene.pilot.press("ctrl+y", "ctrl+s")
        text = "# Notes\n\n## Coffee\n\nBlack.\n\n## Tea\n\nHot.\n\n```\n# no heading\n```\n"
        await scene.until(lambda: path.read_text(encoding="utf-8") == text)
        path.write_text("# Mine\n", encoding="utf-8")
        await scene.pilot.press("delete", "ctrl+s")
        await scene.until(lambda: "changed by somebody else" in str(screen._said.content))
        assert path.read_text(encoding="utf-8") == "# Mine\n"
        await scene.pilot.press("escape", "escape")
        await scene.until(lambda: scene.app.screen is scene.app.conversation)


async def test_what_is_no_file_is_said(stage):
    async with stage() as scene:
        await scene.type("/outline missing.md")
        await scene.pilot.press("escape", "enter")
        await scene.until(lambda: "There is no file missing.md" in scene.app.conversation.prompt._notice)
        assert scene.app.screen is scene.app.conversation
