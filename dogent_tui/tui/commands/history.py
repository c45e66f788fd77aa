"""The commands about what was asked and learnt before: shown, and forgotten."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dogent_tui.agent.events import Attachment
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.storage.archive import anything_to_archive, archive, asides
from dogent_tui.storage.clean import FORGETTABLE, Forgettable, forget, is_there, place
from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.prompt.model import Recall

if TYPE_CHECKING:
    from dogent_tui.tui.ports import AppPort


class HistoryCommands:
    """The commands of `app` about the history of its workspace."""

    def __init__(self, app: "AppPort") -> None:
        self._app = app

    def __iter__(self) -> Iterator[Command]:
        shown, cleaned = FORGETTABLE, (*FORGETTABLE, "all")
        shows = tr("Show this folder's history, lessons or memory")
        yield Command("show", shows, self._show, "|".join(shown), "word", shown)
        forgets = tr("Delete this folder's history, lessons or memory")
        yield Command(
            "clean", forgets, self._clean, "|".join(cleaned), "word", cleaned, forgets=True
        )
        archives = tr("Archive history and lessons, and start fresh")
        yield Command("archive", archives, self._archive, forgets=True)

    async def _show(self, what: str) -> str:
        if what in ("lessons", "memory"):
            return self._show_file(what)
        if what != "history":
            return tr("Usage: /show history, lessons or memory.")
        from dogent_tui.tui.screens.history_table import HistoryTableScreen

        self._app.push_screen(HistoryTableScreen(self._app.history.entries), self._app.take_earlier)
        return ""

    def _show_file(self, what: str) -> str:
        workspace = self._app.opened.workspace
        file = workspace.memory_file if what == "memory" else workspace.lessons_file
        if not file.is_file() and what == "memory":
            return tr(
                "The agent has no notes for this folder. It keeps some in .dogent/memory.md during"
                " a long text."
            )
        if not file.is_file():
            return tr("There are no lessons for this folder yet. Use /learn to note one.")
        self._app.conversation.attaching.preview(
            Attachment(workspace.relative(file), file.name, "md")
        )
        return ""

    async def _clean(self, what: str) -> str:
        meant = (
            FORGETTABLE if what == "all" else tuple(name for name in FORGETTABLE if name == what)
        )
        if not meant:
            return tr("Usage: /clean history, lessons, memory or all.")
        self._app.run_worker(
            self._forget(meant), group="command"
        )  # it asks, and the palette must not wait for it
        return ""

    async def _forget(self, what: Sequence[Forgettable]) -> None:
        from dogent_tui.tui.screens.choice import choose

        say = self._app.conversation.prompt.notify_hint
        workspace = self._app.opened.workspace
        if not await asyncio.to_thread(lambda: any(is_there(workspace, name) for name in what)):
            say(tr("This folder has nothing of that kind."))
            return
        title = tr("Delete {what}?").format(what=_ALL if len(what) > 1 else _MEANT[what[0]])
        if (
            await choose(
                self._app,
                title,
                tr("Conversations are kept: /sessions. /undo restores what is deleted."),
                (tr("Keep"), tr("Delete")),
            )
            != 1
        ):
            say(tr("Nothing was deleted."))
            return
        try:
            await asyncio.to_thread(self._forget_kept, what)
        except (OSError, DogentError) as error:
            say(one_line(tr("Not everything was deleted: {error}").format(error=error)))
            return
        if "history" in what:
            self._app.conversation.prompt.editor.recall = Recall()
        say(tr("Deleted: {join}. /undo restores it.").format(join=", ".join(what)))

    def _forget_kept(self, what: Sequence[Forgettable]) -> None:
        opened = self._app.opened
        files = [place(opened.workspace, name) for name in what]
        opened.copies().keep(
            f"/clean {' '.join(what)}", [file for file in files if not file.is_symlink()], own=True
        )
        forget(opened.workspace, what)

    async def _archive(self, _: str) -> str:
        self._app.run_worker(
            self._put_aside(), group="command"
        )  # it asks, and the palette must not wait for it
        return ""

    async def _put_aside(self) -> None:
        from dogent_tui.tui.screens.choice import choose

        say = self._app.conversation.prompt.notify_hint
        workspace = self._app.opened.workspace
        if not await asyncio.to_thread(anything_to_archive, workspace):
            say(tr("There is no history and no lesson to archive."))
            return
        title, why = (
            tr("Archive history and lessons?"),
            tr("They move to .dogent/archives. /undo takes this back."),
        )
        if await choose(self._app, title, why, (tr("Keep them here"), tr("Archive them"))) != 1:
            say(tr("Nothing was archived."))
            return
        try:
            kept = await asyncio.to_thread(self._archive_kept, f"{datetime.now():%Y-%m-%d-%H%M%S}")
        except (OSError, DogentError) as error:
            say(one_line(tr("Not all was archived: {error}").format(error=error)))
            return
        self._app.conversation.prompt.editor.recall = Recall()
        names = ", ".join(workspace.relative(path) for path in kept)
        say(tr("Archived: {names}. /undo takes that back.").format(names=names))

    def _archive_kept(self, stamp: str) -> list[Path]:
        opened = self._app.opened
        moved = asides(opened.workspace, stamp)
        opened.copies().keep("/archive", list(moved), list(moved.values()), own=True)
        return archive(opened.workspace, stamp)


_MEANT: Mapping[Forgettable, str] = {
    "history": tr("this folder's history"),
    "lessons": tr("this folder's lessons"),
    "memory": tr("the agent's own notes"),
}
_ALL = tr("this folder's history and lessons, and the agent's own notes")
