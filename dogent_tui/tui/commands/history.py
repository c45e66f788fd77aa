"""The commands that show and delete what was asked and learned before."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.storage.archive import anything_to_archive, archive, asides
from dogent_tui.storage.clean import FORGETTABLE, Forgettable, forget, is_there, place
from dogent_tui.tui.commands.family import CommandFamily, command
from dogent_tui.tui.prompt.model import Recall


class HistoryCommands(CommandFamily):
    """The commands of `app` about the history of its workspace."""

    @command(
        "show",
        "Show this folder's history, lessons or memory",
        "|".join(FORGETTABLE),
        completes="word",
        words=FORGETTABLE,
    )
    async def _show(self, what: str) -> str:
        if what in ("lessons", "memory"):
            return await self._show_file(what)
        if what != "history":
            return tr("Usage: /show history, lessons or memory.")
        from dogent_tui.tui.screens.history import show_history

        return await show_history(self.app)

    async def _show_file(self, what: str) -> str:
        workspace = self._opened.workspace
        file = workspace.memory_file if what == "memory" else workspace.lessons_file
        if not file.is_file() and what == "memory":
            return tr(
                "The agent has no notes for this folder. It keeps some in .dogent/memory.md during"
                " a long text."
            )
        if not file.is_file():
            return tr("There are no lessons for this folder yet. Use /learn to note one.")
        documents = await self._screen.load_documents()
        return await documents.open(workspace.relative(file))

    @command(
        "clean",
        "Delete this folder's history, lessons or memory",
        "|".join((*FORGETTABLE, "all")),
        completes="word",
        words=(*FORGETTABLE, "all"),
        forgets=True,
    )
    async def _clean(self, typed: str) -> str:
        what = (
            FORGETTABLE if typed == "all" else tuple(name for name in FORGETTABLE if name == typed)
        )
        if not what:
            return tr("Usage: /clean history, lessons, memory or all.")
        workspace = self._opened.workspace
        if not await asyncio.to_thread(lambda: any(is_there(workspace, name) for name in what)):
            return tr("This folder has nothing of that kind.")
        title = tr("Delete {what}?", what=_ALL if len(what) > 1 else _MEANT[what[0]])
        why = tr("Conversations are kept: /sessions. /undo restores what is deleted.")
        if await self._ask(title, why, (tr("Keep"), tr("Delete"))) != 1:
            return tr("Nothing was deleted.")
        try:
            await asyncio.to_thread(self._forget_kept, what)
        except (OSError, DogentError) as error:
            return tr("Not everything was deleted: {error}", error=error)
        if "history" in what:
            self._screen.prompt.editor.recall = Recall()
        return tr("Deleted: {join}. /undo restores it.", join=", ".join(what))

    def _forget_kept(self, what: Sequence[Forgettable]) -> None:
        opened = self._opened
        files = [place(opened.workspace, name) for name in what]
        opened.copies().keep(
            f"/clean {' '.join(what)}", [file for file in files if not file.is_symlink()], own=True
        )
        forget(opened.workspace, what)

    @command("archive", "Archive history and lessons, and start fresh", forgets=True)
    async def _archive(self, _: str) -> str:
        workspace = self._opened.workspace
        if not await asyncio.to_thread(anything_to_archive, workspace):
            return tr("There is no history and no lesson to archive.")
        title = tr("Archive history and lessons?")
        why = tr("They move to .dogent/archives. /undo takes this back.")
        if await self._ask(title, why, (tr("Keep them here"), tr("Archive them"))) != 1:
            return tr("Nothing was archived.")
        try:
            kept = await asyncio.to_thread(self._archive_kept, f"{datetime.now():%Y-%m-%d-%H%M%S}")
        except (OSError, DogentError) as error:
            return tr("Not all was archived: {error}", error=error)
        self._screen.prompt.editor.recall = Recall()
        names = ", ".join(workspace.relative(path) for path in kept)
        return tr("Archived: {names}. /undo takes that back.", names=names)

    def _archive_kept(self, stamp: str) -> list[Path]:
        opened = self._opened
        moved = asides(opened.workspace, stamp)
        opened.copies().keep("/archive", (*moved, *moved.values()), own=True)
        return archive(opened.workspace, stamp)


_MEANT: Mapping[Forgettable, str] = {
    "history": tr("this folder's history"),
    "lessons": tr("this folder's lessons"),
    "memory": tr("the agent's own notes"),
}
_ALL = tr("this folder's history and lessons, and the agent's own notes")
