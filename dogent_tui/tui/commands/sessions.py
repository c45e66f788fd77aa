"""The commands about earlier conversations."""

from collections.abc import Iterator

from dogent_tui.language import tr
from dogent_tui.tui.commands.family import CommandFamily
from dogent_tui.tui.commands.table import Command


class SessionCommands(CommandFamily):
    """The commands of `app` about the conversations that there are."""

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
        yield Command("resume", tr("Resume an earlier conversation"), self._sessions, "[ID]")
        yield Command(
            "rewind",
            tr("Rewind to before a prompt: the conversation, the files or both"),
            self._rewind,
        )

    async def _export(self, path: str) -> str:
        from dogent_tui.tui.sessions.export_command import export_session

        return await export_session(self._app, path)

    async def _rewind(self, _: str) -> None:
        from dogent_tui.tui.rewinding.controller import Rewinding

        await Rewinding(self._app).go_back()

    async def _sessions(self, wanted: str) -> str | None:
        from dogent_tui.tui.sessions.controller import SessionChooser

        chooser = SessionChooser(self._app)
        if wanted:
            return await chooser.open_named(wanted)
        await chooser.choose()
        return None
