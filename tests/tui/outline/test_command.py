"""/outline FILE.md in the application."""

from dogent_tui.storage.answer_drafts import AnswerDrafts
from dogent_tui.tui.outline.view import OutlineView
from dogent_tui.tui.screens.outline import OutlineScreen


async def test_a_document_is_rearranged_and_saved(stage, workspace):
    path = workspace.root / "notes.md"
    path.write_text(
        "# Notes\n\n## Tea\n\nHot.\n\n```\n# no heading\n```\n\n## Coffee\n\nBlack.\n",
        encoding="utf-8",
    )
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
        await scene.until(lambda: "changed by someone else" in str(screen._said.content))
        assert path.read_text(encoding="utf-8") == "# Mine\n"
        await scene.pilot.press("escape", "escape")
        await scene.until(lambda: scene.app.screen is scene.app.conversation)


async def test_what_is_no_file_is_said(stage):
    async with stage() as scene:
        await scene.type("/outline missing.md")
        await scene.pilot.press("escape", "enter")
        await scene.until(lambda: "There is no file missing.md" in scene.hint)
        assert scene.app.screen is scene.app.conversation


async def opened(scene, text="/outline notes.md"):
    """Open the editor with the command, and return it."""
    await scene.type(text)
    await scene.pilot.press("escape", "enter")
    await scene.until(
        lambda: isinstance(scene.app.screen, OutlineScreen) and scene.app.screen.editing is not None
    )
    await scene.pilot.pause()
    return scene.app.screen


def kept(workspace):
    """The drafts on the disk."""
    folder = AnswerDrafts(workspace)._folder
    return list(folder.glob("document-*.json")) if folder.exists() else []


async def test_an_edit_that_was_not_saved_is_there_again(stage, workspace):
    path = workspace.root / "notes.md"
    path.write_text("# Notes\n\n## Tea\n\nHot.\n\n## Coffee\n\nBlack.\n", encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    async with stage() as scene:  # and ends with the editor open, as a kill after the pause would
        await opened(scene)
        await scene.pilot.press("end", "delete")
        await scene.until(lambda: kept(workspace))
        await scene.pilot.press("up", "enter", "s", "escape")
    async with stage() as scene:
        screen = await opened(scene)
        assert screen.editing.markdown == "# Notess\n\n## Tea\n\nHot.\n"
        assert "unsaved edit was restored" in str(screen._said.content)
        assert path.read_text(encoding="utf-8") == before
        await scene.pilot.press("ctrl+z")
        assert screen.editing.markdown == before
        await scene.pilot.press("ctrl+y", "ctrl+s")
        await scene.until(lambda: not kept(workspace))
        assert path.read_text(encoding="utf-8") == "# Notess\n\n## Tea\n\nHot.\n"


async def test_one_that_is_left_without_is_not_there_again(stage, workspace):
    async with stage() as scene:
        screen = await opened(scene)
        await scene.pilot.press("enter", "x", "escape")
        await scene.until(lambda: kept(workspace))
        await scene.pilot.press("enter", "x", "escape", "escape", "escape")
        await scene.until(lambda: scene.app.screen is scene.app.conversation)
        await scene.until(lambda: not kept(workspace))
        screen = await opened(scene)
        assert not screen.editing.is_changed


async def test_one_of_a_file_that_has_changed_is_kept_aside(stage, workspace):
    path = workspace.root / "notes.md"
    async with stage() as scene:
        await opened(scene)
        await scene.pilot.press("enter", "x", "escape")
        await scene.until(lambda: kept(workspace))
    path.write_text("# Mine\n", encoding="utf-8")
    async with stage(size=(200, 50)) as scene:
        screen = await opened(scene)
        assert screen.editing.markdown == "# Mine\n"
        said = str(screen._said.content)
        assert "The file has changed since your unsaved edit" in said
        (aside,) = AnswerDrafts(workspace)._folder.glob("*.md")
        assert aside.name in said
        assert aside.read_text(encoding="utf-8") == "# Notesx\n\nTea is hot.\n"
        assert not kept(workspace)


async def test_a_narrow_window_shows_the_whole_warning_and_no_second_bar(stage, workspace):
    path = workspace.root / "notes.md"
    path.write_text("".join(f"## Heading {n}\n\nText.\n\n" for n in range(40)), encoding="utf-8")
    async with stage(size=(80, 24)) as scene:
        screen = await opened(scene)
        assert not screen.query_one(OutlineView).show_horizontal_scrollbar
        path.write_text("# Mine\n", encoding="utf-8")
        await scene.pilot.press("delete", "ctrl+s")
        await scene.until(lambda: screen._said.size.height > 1)
        assert "or save it under another name." in " ".join(
            "".join(part.text for part in screen._said.render_line(y)).strip()
            for y in range(screen._said.size.height)
        )
        await scene.pilot.press("ctrl+z")
        await scene.until(lambda: screen._said.size.height == 1)
