"""The commands about earlier conversations."""

from dogent_tui.language import tr
from dogent_tui.tui.commands.family import CommandFamily, command


class SessionCommands(CommandFamily):
    """The commands of `app` about the existing conversations."""

    @command(
        "export-session",
        tr("Export this conversation to a file"),
        "FILE.md|.html|.json",
        completes="file",
    )
    async def _export(self, path: str) -> str:
        from dogent_tui.tui.sessions.formats import export_session

        return await export_session(self.app, path)

    @command("rewind", tr("Rewind to before a prompt: the conversation, the files or both"))
    async def _rewind(self, _: str) -> None:
        from dogent_tui.tui.rewinding.controller import Rewinding

        await Rewinding(self.app).go_back()

    @command("sessions", tr("Find an earlier conversation to open, rename, fork or delete"))
    async def _sessions(self, wanted: str) -> str | None:
        from dogent_tui.tui.sessions.controller import SessionChooser

        chooser = SessionChooser(self.app)
        if wanted:
            return await chooser.open_named(wanted)
        await chooser.choose()
        return None

    _resume = command("resume", tr("Resume an earlier conversation"), "[ID]")(_sessions.method)
