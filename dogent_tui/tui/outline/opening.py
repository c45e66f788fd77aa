"""``/outline FILE.md``: the outline editor on a document of the workspace."""

import asyncio
from typing import TYPE_CHECKING

from dogent_tui.errors import DogentError
from dogent_tui.plain import one_line
from dogent_tui.tui.outline.task import OutlineTask
from dogent_tui.tui.screens.outline import OutlineScreen
from dogent_tui.workspace.text_file import TextFile, save_new

if TYPE_CHECKING:
    from textual.app import App

    from dogent_tui.workspace.paths import Workspace


async def edit_document(app: "App[None]", workspace: "Workspace", typed: str) -> str:
    """Open the editor on the file that a person `typed`. Returns the sentence for what went wrong, or nothing."""
    name = typed.strip().removeprefix("@").strip("\"'")
    try:
        file = await asyncio.to_thread(TextFile.open, workspace, name)
    except DogentError as error:
        return str(error)
    task = OutlineTask(
        title=f"Outline of {one_line(file.name)}",
        proposal=file.text,
        save=file.save,
        save_as=lambda new, text: save_new(workspace, new, text),
    )
    app.push_screen(await asyncio.to_thread(OutlineScreen, task))  # parsing a long document takes a while
    return ""
