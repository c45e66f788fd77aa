"""The commands about the application itself: appearance, permissions, engines, quitting."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from dogent_tui.agent.wall_status import wall_status_words
from dogent_tui.errors import AgentError, DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.sample import SAMPLE, copy_sample
from dogent_tui.storage.paths import Workspace, display_path
from dogent_tui.tui.commands.family import CommandFamily, action, command
from dogent_tui.tui.trust_question import ask_for_trust, trust_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dogent_tui.agent.conversation import ServerState


class ApplicationCommands(CommandFamily):
    """The commands about `app` itself."""

    _mouse_on = True

    _help = command("help", "Show all keys and commands", key="help")(action("app.help"))

    _setup = command("setup", "Choose a model: local, your own endpoint, or none", key="setup")(
        action("app.setup")
    )

    @command("theme", "Change the theme", "[name]")
    async def _theme(self, name: str) -> str | None:
        from dogent_tui.tui.theme_choice import choose_theme, offer_themes

        if not name:
            offer_themes(self.app)
            return None
        if name not in self.app.available_themes:
            return tr("There is no theme {name}. Use /theme to list them.", name=name)
        return await choose_theme(self.app, name)

    @command("permissions", "Show what the agent may do without asking, and revoke it")
    async def _permissions(self, _: str) -> None:
        from dogent_tui.tui.screens.permissions import PermissionsScreen

        opened = self._opened
        wall = await asyncio.to_thread(lambda: opened.authority.wall_status)
        notes = tuple(filter(None, (trust_words(opened), wall_status_words(wall))))
        self.app.push_screen(PermissionsScreen(opened.authority, notes))

    @command("trust", "Decide again whether to trust what came with this folder")
    async def _trust(self, _: str) -> str:
        opened = self._opened
        if not opened.trust.came:
            return tr(
                "Nothing that came with this folder would be used, so there is nothing to trust."
            )
        return trust_words(opened) if await ask_for_trust(self.app, opened) else ""

    @command("doctor", "Show the engines, and how to fix what is missing")
    async def _doctor(self, _: str) -> None:
        from dogent_tui.agent.doctor import as_text, examine
        from dogent_tui.tui.screens.page import PageScreen

        opened = self._opened

        async def found() -> Callable[[int], str]:
            servers: Sequence[ServerState] = ()
            if opened.service.begun:  # the doctor starts no agent
                with suppress(AgentError):
                    servers = await opened.service.servers()
            text = as_text(await examine(opened.workspace, servers))
            return lambda _: text

        self.app.push_screen(PageScreen(tr("What is installed, and what is missing"), found))

    @command("sample", "Open a folder of sample documents", "[FOLDER]")
    async def _sample(self, folder: str) -> None:
        path = self._opened.workspace.absolute(folder or SAMPLE)
        shown = one_line(display_path(path))
        if not await asyncio.to_thread(path.is_dir):
            title = tr("Put the sample documents into {folder}?", folder=shown)
            why = tr("/sample FOLDER takes another folder.")
            if await self._ask(title, why, (tr("No"), tr("Yes"))) != 1:
                return
        try:
            await asyncio.to_thread(copy_sample, path)
        except OSError as error:
            reason = error.strerror or error
            said = tr("{name} cannot be written: {reason}.", name=shown, reason=reason)
            raise DogentError(said) from None
        self.app.go_elsewhere(Workspace(path), "")

    @command("mouse", "Give the mouse to the terminal, or take it back")
    async def _mouse(self, _: str) -> str:
        self._mouse_on = not self._mouse_on
        switch = "_enable_mouse_support" if self._mouse_on else "_disable_mouse_support"
        getattr(self.app._driver, switch)()  # noqa: SLF001  (Textual offers this only at start)
        return (
            tr("The mouse works here again.")
            if self._mouse_on
            else tr("The terminal has the mouse now: you can select and copy.")
        )

    _exit = command("exit", "Leave", key="quit", at_once=True)(action("app.quit"))
