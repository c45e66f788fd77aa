"""The commands about what was asked and learnt before: shown, and forgotten."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from dogent_tui.agent.events import Attachment
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.commands.table import Command, Run
from dogent_tui.tui.prompt.model import Recall
from dogent_tui.workspace.forgetting import FORGETTABLE, Forgettable, forget, is_there

if TYPE_CHECKING:
    from dogent_tui.tui.app import DogentApp


def _with_words(name: str, help: str, run: Run, *words: str) -> Command:  # noqa: A002
    return Command(name, help, run, "|".join(words), "word", words)


class HistoryCommands:
    """The commands of `app` about the history of its workspace."""

    def __init__(self, app: "DogentApp") -> None:
        self._app = app

    def __iter__(self) -> Iterator[Command]:
        yield _with_words("clean", tr("Delete this folder's history, lessons or memory"), self._clean, *FORGETTABLE, "all")
        yield _with_words("show", tr("Show this folder's history or lessons"), self._show, "history", "lessons")

    async def _show(self, what: str) -> str:
        if what == "lessons":
            return self._show_lessons()
        if what != "history":
            return tr("Usage: /show history or /show lessons.")
        from dogent_tui.tui.screens.history_table import HistoryTableScreen

        self._app.push_screen(HistoryTableScreen(self._app.history.entries), self._app.take_earlier)
        return ""

    def _show_lessons(self) -> str:
        workspace = self._app.opened.workspace
        file = workspace.lessons_file
        if not file.is_file():
            return tr("There are no lessons for this folder yet. Use /learn to note one.")
        self._app.conversation.attaching.preview(Attachment(workspace.relative(file), file.name, "md"))
        return ""

    async def _clean(self, what: str) -> str:
        meant = FORGETTABLE if what == "all" else tuple(name for name in FORGETTABLE if name == what)
        if not meant:
            return tr("Usage: /clean history, lessons, memory or all.")
        self._app.run_worker(self._forget(meant), group="command")  # it asks, and the palette must not wait for it
        return ""

    async def _forget(self, what: Sequence[Forgettable]) -> None:
        from dogent_tui.tui.screens.choice import choose

        say = self._app.conversation.prompt.notify_hint
        workspace = self._app.opened.workspace
        if not await asyncio.to_thread(lambda: any(is_there(workspace, name) for name in what)):
            say(tr("This folder has nothing of that kind."))
            return
        title = tr("Delete {what}?").format(what=_ALL if len(what) > 1 else _MEANT[what[0]])
        if await choose(self._app, title, tr("Conversations are kept: /sessions."), (tr("Keep"), tr("Delete"))) != 1:
            say(tr("Nothing was deleted."))
            return
        try:
            await asyncio.to_thread(forget, workspace, what)
        except (OSError, DogentError) as error:
            say(one_line(tr("Not everything was deleted: {error}").format(error=error)))
            return
        if "history" in what:
            self._app.conversation.prompt.editor.recall = Recall()
        say(tr("Deleted: {join}.").format(join=", ".join(what)))


_MEANT: Mapping[Forgettable, str] = {
    "history": tr("this folder's history"),
    "lessons": tr("this folder's lessons"),
    "memory": tr("the agent's own notes"),
}
_ALL = tr("this folder's history and lessons, and the agent's own notes")
