"""The commands about earlier conversations."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dogent_tui.language import tr
from dogent_tui.tui.commands.table import Command

if TYPE_CHECKING:
    from dogent_tui.tui.ports import AppPort


class SessionCommands:
    """The commands of `app` about the conversations that there are."""

    def __init__(self, app: "AppPort") -> None:
        self._app = app

    def __iter__(self) -> Iterator[Command]:
        yield Command(
            "sessions",
            tr("Find an earlier conversation to open, rename, fork or delete"),
            self._sessions,
        )
        yield Command(
            "export-session",
            tr("Export this conversation to a file"),
            self._export,
            "FILE.md|.html|.json",
            "file",
        )
        yield Command("resume", tr("Resume an earlier conversation"), self._resume, "[ID]")
        yield Command(
            "rewind",
            tr("Rewind to before a prompt: the conversation, the files or both"),
            self._rewind,
        )

    async def _export(self, path: str) -> str:
        self._app.run_worker(
            self._export_to(path), group="export"
        )  # it may ask, and the palette must not wait for it
        return ""

    async def _export_to(self, path: str) -> None:
        from dogent_tui.tui.sessions.formats import export_session

        self._app.conversation.prompt.notify_hint(await export_session(self._app, path))

    async def _rewind(self, _: str) -> str:
        from dogent_tui.tui.rewinding.controller import Rewinding

        self._app.run_worker(
            Rewinding(self._app).go_back(), group="command"
        )  # the palette must not wait for the answer
        return ""

    async def _sessions(self, _: str) -> str:
        from dogent_tui.tui.sessions.controller import SessionChooser

        self._app.run_worker(
            SessionChooser(self._app).choose(), group="command"
        )  # the palette must not wait for the answer
        return ""

    async def _resume(self, wanted: str) -> str:
        from dogent_tui.tui.sessions.controller import SessionChooser

        if not wanted:
            return await self._sessions("")
        return await SessionChooser(self._app).open_named(wanted)
