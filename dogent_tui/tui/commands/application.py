"""The commands about the application itself: how it looks, what it may do, how it ends."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dogent_tui.agent.wall_status import standing_words
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.sample import SAMPLE, copy_sample
from dogent_tui.storage.paths import Workspace, display_path
from dogent_tui.tui.commands.table import Command, shown_key
from dogent_tui.tui.trust_question import ask_for_trust, trust_words

if TYPE_CHECKING:
    from dogent_tui.tui.ports import AppPort


class ApplicationCommands:
    """The commands of `app` about itself."""

    def __init__(self, app: "AppPort") -> None:
        self._app = app
        self._mouse_on = True

    def __iter__(self) -> Iterator[Command]:
        yield Command(
            "help", tr("Show all keys and commands"), self._help, key=shown_key(self._app, "help")
        )
        yield Command("mouse", tr("Give the mouse to the terminal, or take it back"), self._mouse)
        yield Command(
            "permissions",
            tr("Show what the agent may do without asking, and revoke it"),
            self._permissions,
        )
        yield Command("sample", tr("Open a folder of sample documents"), self._sample, "[FOLDER]")
        setup = tr("Choose a model: local, your own endpoint, or none")
        yield Command("setup", setup, self._setup, key=shown_key(self._app, "setup"))
        yield Command(
            "theme", tr("Change the theme"), self._theme, "[name]", prepare=self._app.prepare_theme
        )
        yield Command(
            "trust", tr("Decide again whether to trust what came with this folder"), self._trust
        )
        yield Command(
            "exit", tr("Leave"), self._exit, key=shown_key(self._app, "quit"), at_once=True
        )

    async def _help(self, _: str) -> str:
        self._app.action_help()
        return ""

    async def _mouse(self, _: str) -> str:
        self._mouse_on = not self._mouse_on
        switch_mouse(self._app, on=self._mouse_on)
        return (
            tr("The mouse works here again.")
            if self._mouse_on
            else tr("The terminal has the mouse now: you can select and copy.")
        )

    async def _permissions(self, _: str) -> str:
        from dogent_tui.tui.screens.permissions import PermissionsScreen

        opened = self._app.opened
        wall = await asyncio.to_thread(lambda: opened.authority.standing)
        standing = tuple(filter(None, (trust_words(opened), standing_words(wall))))
        self._app.push_screen(PermissionsScreen(opened.authority, standing))
        return ""

    async def _setup(self, _: str) -> str:
        self._app.action_setup()
        return ""

    async def _sample(self, folder: str) -> str:
        self._app.run_worker(
            self._open_sample(folder or SAMPLE), group="command"
        )  # the palette must not wait for the answer
        return ""

    async def _open_sample(self, folder: str) -> None:
        from dogent_tui.tui.screens.choice import choose

        path = self._app.opened.workspace.absolute(folder)
        shown = one_line(display_path(path))
        if not await asyncio.to_thread(path.is_dir):
            title = tr("Put the sample documents into {folder}?").format(folder=shown)
            if (
                await choose(
                    self._app,
                    title,
                    tr("/sample FOLDER takes another folder."),
                    (tr("No"), tr("Yes")),
                )
                != 1
            ):
                return
        try:
            await asyncio.to_thread(copy_sample, path)
        except OSError as error:
            said = tr("{name} cannot be written: {reason}.").format(
                name=shown, reason=error.strerror or error
            )
            self._app.conversation.prompt.notify_hint(said, warning=True)
            return
        self._app.go_elsewhere(Workspace(path), "")

    async def _theme(self, name: str) -> str:
        if not name:
            self._app.search_themes()
            return ""
        if name not in self._app.available_themes:
            return tr("There is no theme {name}. Use /theme to list them.").format(name=name)
        from dogent_tui.tui.theme_choice import choose_theme

        return await choose_theme(self._app, name)

    async def _trust(self, _: str) -> str:
        if not self._app.opened.trust.came:
            return tr(
                "Nothing that came with this folder would be used, so there is nothing to trust."
            )
        self._app.run_worker(
            self._ask_for_trust(), group="command"
        )  # the palette must not wait for the answer
        return ""

    async def _ask_for_trust(self) -> None:
        opened = self._app.opened
        if await ask_for_trust(self._app, opened):
            self._app.conversation.prompt.notify_hint(trust_words(opened))

    async def _exit(self, _: str) -> str:
        self._app.exit()
        return ""


def switch_mouse(app: "AppPort", *, on: bool) -> None:
    """Take or release the mouse while the application runs. Textual offers this only at start: a
    test names the two methods.
    """
    driver = app._driver  # noqa: SLF001
    if driver is not None:
        getattr(driver, "_enable_mouse_support" if on else "_disable_mouse_support")()
