"""The commands of the application: what each does, and the one line that says so."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dogent_tui.agent.sandbox import sandbox_words
from dogent_tui.agent.tool_names import relative
from dogent_tui.plain import one_line
from dogent_tui.tui.commands import Command, CommandTable
from dogent_tui.tui.trusting import ask_for_trust, trust_words

if TYPE_CHECKING:
    from dogent_tui.tui.app import DogentApp
    from dogent_tui.workspace.copies import Undone

_MOST_NAMED = 3
"""Files that a line names."""


def app_commands(app: "DogentApp") -> CommandTable:
    """Return the commands that act on `app`."""
    return CommandTable(*_Commands(app).all())


class _Commands:
    """The commands of one application. Each takes what was typed after its name."""

    def __init__(self, app: "DogentApp") -> None:
        self._app = app
        self._mouse_on = True

    def all(self) -> Iterator[Command]:
        yield Command("attach", "Have a file go with the next prompt", self.attach, "PATH")
        yield Command("copy", "Copy the last reply", self.copy)
        yield Command("find", "Search the transcript", self.find)
        yield Command("help", "Show all keys and commands", self.help)
        yield Command("mouse", "Give the mouse to the terminal, or take it back", self.mouse)
        yield Command("new", "Start a new conversation", self.new)
        yield Command("outline", "Rearrange the sections of a Markdown file", self.outline, "FILE.md")
        yield Command("permissions", "Show what the agent may do unasked, and take it back", self.permissions)
        yield Command("restart", "Start the agent again after it was lost", self.restart)
        yield Command("theme", "Change the colors", self.theme, "[name]")
        yield Command("trust", "Say again whether what came with this folder is used", self.trust)
        yield Command("undo", "Bring back what the agent changed or deleted last", self.undo)
        yield Command("exit", "Leave", self.exit)

    async def attach(self, path: str) -> str:
        return await self._app.conversation.attaching.attach(path) if path else "Name a file: /attach PATH."

    async def copy(self, _: str) -> str:
        screen = self._app.conversation
        text = screen.transcript.last_reply()
        if not text:
            return "There is no reply to copy yet."
        await screen.copy(text)
        return ""

    async def find(self, _: str) -> str:
        await self._app.conversation.action_find()
        return ""

    async def help(self, _: str) -> str:
        self._app.action_help()
        return ""

    async def mouse(self, _: str) -> str:
        self._mouse_on = not self._mouse_on
        switch_mouse(self._app, on=self._mouse_on)
        return (
            "The mouse works here again." if self._mouse_on else "The mouse belongs to the terminal now: it can select and copy."
        )

    async def new(self, _: str) -> str:
        await self._app.start_anew()
        return "A new conversation."

    async def outline(self, path: str) -> str:
        if not path:
            return "Name a Markdown file: /outline FILE.md."
        from dogent_tui.tui.outline.opening import edit_document

        return await edit_document(self._app, self._app.opened.workspace, self._app.edits, path)

    async def permissions(self, _: str) -> str:
        from dogent_tui.tui.screens.permissions import PermissionsScreen

        opened = self._app.opened
        standing = tuple(filter(None, (trust_words(opened), sandbox_words(opened.sandbox))))
        self._app.push_screen(PermissionsScreen(opened.authority, standing))
        return ""

    async def undo(self, _: str) -> str:
        opened = self._app.opened
        if opened.service.state == "running":
            return "The agent is at work. Stop it with Esc first, or wait."
        return undone_words(await asyncio.to_thread(opened.copies().undo), str(opened.workspace.root))

    async def restart(self, _: str) -> str:
        service = self._app.opened.service
        if service.state != "lost":
            return "The agent is running."
        await service.restart()
        return "The agent did not start." if service.state == "lost" else "The agent runs again."

    async def theme(self, name: str) -> str:
        if not name:
            self._app.search_themes()
            return ""
        if name not in self._app.available_themes:
            return f"There is no theme {name}. /theme alone lists them."
        from dogent_tui.tui.theme_choice import choose_theme

        return await choose_theme(self._app, name)

    async def trust(self, _: str) -> str:
        if not self._app.opened.trust.came:
            return "Nothing came with this folder: what is in .dogent was made here."
        self._app.run_worker(self._ask_for_trust(), group="command")  # the palette must not wait for the answer
        return ""

    async def _ask_for_trust(self) -> None:
        opened, begun = self._app.opened, self._app.opened.service.begun
        if await ask_for_trust(self._app, opened):
            later = " It counts from the next conversation on: /new." if begun else ""
            self._app.conversation.prompt.notify_hint(f"{trust_words(opened)}{later}")

    async def exit(self, _: str) -> str:
        self._app.exit()
        return ""


def undone_words(undone: "Undone | None", root: str) -> str:
    """Return the line that says what an undo did."""
    if undone is None:
        return "There is no change of the agent left to undo in this conversation."
    did = {"Brought back": undone.restored, "Took away": undone.removed, "Left as it is": undone.left}
    parts = [f"{words}: {_listed(paths, root)}" for words, paths in did.items() if paths]
    return one_line(f"{'. '.join(parts)}. That was: {undone.label}")


def _listed(paths: Sequence[str], root: str) -> str:
    named = ", ".join(relative(path, root) for path in paths[:_MOST_NAMED])
    return f"{named} and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else named


def switch_mouse(app: "DogentApp", *, on: bool) -> None:
    """Take or release the mouse while the application runs. Textual offers this only at start: a test names the two methods."""
    driver = app._driver  # noqa: SLF001
    if driver is not None:
        getattr(driver, "_enable_mouse_support" if on else "_disable_mouse_support")()
