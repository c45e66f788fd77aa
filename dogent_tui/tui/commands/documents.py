"""The commands about the documents of the workspace."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dogent_tui.tui.commands.table import Command

if TYPE_CHECKING:
    from dogent_tui.tui.app import DogentApp


class DocumentCommands:
    """The commands about documents, which open over what `app` shows."""

    def __init__(self, app: "DogentApp") -> None:
        self._app = app

    def __iter__(self) -> Iterator[Command]:
        yield Command("outline", "Rearrange the sections of a Markdown file", self._outline, "FILE.md")

    async def _outline(self, path: str) -> str:
        if not path:
            return "Name a Markdown file: /outline FILE.md."
        from dogent_tui.tui.outline.opening import edit_document

        return await edit_document(self._app, self._app.opened.workspace, self._app.edits, path)
