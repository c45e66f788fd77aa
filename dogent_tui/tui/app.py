"""The application: sessions, commands, the screen, and the way of events from the service to the screen."""

import asyncio
import logging
import signal
from collections.abc import Iterable
from contextlib import suppress
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from dogent_tui.agent.events import Event, Notice, from_json
from dogent_tui.agent.recorder import Recorder
from dogent_tui.agent.session import OpenedSession, SessionOptions, open_session
from dogent_tui.tui.attachments.sidebar import AttachmentList
from dogent_tui.tui.commands import Command, CommandTable
from dogent_tui.tui.prompt.editor import PromptEditor
from dogent_tui.tui.prompt.model import Recall
from dogent_tui.tui.screens.conversation import ConversationScreen
from dogent_tui.tui.screens.help import HelpScreen, binding_section, command_section
from dogent_tui.tui.terminal import own_terminal
from dogent_tui.tui.themes import DEFAULT_THEME, THEMES
from dogent_tui.tui.transcript.view import Transcript
from dogent_tui.workspace.drafts import Drafts
from dogent_tui.workspace.history import History, HistoryEntry, utc_now
from dogent_tui.workspace.paths import log_dir
from dogent_tui.workspace.sessions import read_lines


class DogentApp(App[None]):
    """The application in one workspace."""

    TITLE = "dogent-tui"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", priority=True),
        Binding("f1", "help", "Help", show=False),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False, priority=True),
    ]

    def __init__(self, opened: OpenedSession) -> None:
        super().__init__()
        self.opened = opened
        self.drafts = Drafts(opened.workspace)
        self.history = History(opened.workspace.history_file)
        self.commands = CommandTable(*self._commands())
        self.conversation: ConversationScreen | None = None
        self._following: list[asyncio.Task[None]] = []
        self._mouse_on = True
        for theme in THEMES:
            self.register_theme(theme)
        wanted = opened.settings.theme
        self.theme = wanted if wanted in self.available_themes else DEFAULT_THEME

    # ── Life ──────────────────────────────────────────────────────────────────────────────────

    async def on_mount(self) -> None:
        """Show the prompt first; everything else begins once it can be seen."""
        self.conversation = ConversationScreen(self.opened, self.commands, draft=self._draft())
        await self.push_screen(self.conversation)
        self._listen_to_signals()
        self.call_after_refresh(self._begin)

    async def on_unmount(self) -> None:
        """End the session and its process."""
        await self._end()
        self.drafts.close()

    def _draft(self) -> str:
        with suppress(OSError):
            return self.drafts.load()
        return ""

    def _begin(self) -> None:
        self.run_worker(self._start(), name="session")

    async def _start(self) -> None:
        """Start the service and follow it; read what the screen can do without at first."""
        screen = self.conversation
        assert screen is not None
        service = self.opened.service
        await service.__aenter__()
        self._following = [
            asyncio.create_task(self._follow(screen)),
            asyncio.create_task(Recorder(self.opened.workspace).record(service.events())),
        ]
        for warning in self.opened.warnings:
            screen.handle(Notice(level="warning", message=warning.message, remedy=warning.remedy, code=warning.code))
        screen.prompt.editor.recall = Recall(await asyncio.to_thread(self._recallable))
        if self.opened.earlier_log is not None:
            screen.replay(await asyncio.to_thread(lambda: list(_earlier_events(self.opened))))
        await screen.refresh_index()

    async def _follow(self, screen: ConversationScreen) -> None:
        async for event in self.opened.service.events():
            screen.handle(event)

    async def _end(self) -> None:
        await self.opened.service.close()
        if self._following:
            await asyncio.wait(self._following, timeout=1.0)

    def _recallable(self) -> list[str]:
        with suppress(OSError):
            return self.history.recall()
        return []

    def _listen_to_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            with suppress(NotImplementedError, AttributeError, ValueError):  # not on every platform, nor in a thread
                loop.add_signal_handler(getattr(signal, name), self.exit)

    # ── What the screen asks of the application ───────────────────────────────────────────────

    def save_draft(self, text: str) -> None:
        """Keep `text`, so that a crash does not lose it."""
        self.run_worker(asyncio.to_thread(self._save_draft, text), group="draft")

    def _save_draft(self, text: str) -> None:
        try:
            self.drafts.save(text)
        except OSError as error:
            logging.getLogger(__name__).warning("The draft could not be saved: %s", error)

    async def record_command(self, text: str) -> None:
        """Put a command that was run into the history, so that it can be recalled."""
        with suppress(OSError):
            await asyncio.to_thread(self.history.append, HistoryEntry(utc_now(), "command", text))

    # ── Commands ──────────────────────────────────────────────────────────────────────────────

    def _commands(self) -> Iterable[Command]:
        yield Command("attach", "Have a file go with the next prompt", self._attach, "PATH")
        yield Command("copy", "Copy the last reply", self._copy)
        yield Command("find", "Search the transcript", self._find)
        yield Command("help", "Show all keys and commands", self._help)
        yield Command("mouse", "Give the mouse to the terminal, or take it back", self._mouse)
        yield Command("new", "Start a new conversation", self._new)
        yield Command("restart", "Start the agent again after it was lost", self._restart)
        yield Command("theme", "Change the colors", self._theme, "[name]")
        yield Command("exit", "Leave", self._exit)

    async def _attach(self, argument: str) -> str:
        if self.conversation is None or not argument:
            return "Name a file: /attach PATH."
        return await self.conversation.attach(argument)

    async def _copy(self, argument: str) -> str:
        del argument
        screen = self.conversation
        text = screen.transcript.last_reply() if screen is not None else ""
        if screen is None or not text:
            return "There is no reply to copy yet."
        await screen.copy(text)
        return ""

    async def _find(self, argument: str) -> str:
        del argument
        if self.conversation is not None:
            self.conversation.action_find()
        return ""

    async def _help(self, argument: str) -> str:
        del argument
        self.action_help()
        return ""

    async def _mouse(self, argument: str) -> str:
        del argument
        self._mouse_on = not self._mouse_on
        switch_mouse(self, on=self._mouse_on)
        return (
            "The mouse works here again." if self._mouse_on else "The mouse belongs to the terminal now: it can select and copy."
        )

    async def _new(self, argument: str) -> str:
        del argument
        await self._end()
        self.opened = open_session(self.opened.workspace, SessionOptions(self.opened.profile))
        self.conversation = ConversationScreen(self.opened, self.commands)
        await self.switch_screen(self.conversation)
        self._begin()
        return "A new conversation."

    async def _restart(self, argument: str) -> str:
        del argument
        if self.opened.service.state != "lost":
            return "The agent is running."
        await self.opened.service.restart()
        return "The agent runs again." if self.opened.service.state != "lost" else ""

    async def _theme(self, argument: str) -> str:
        if not argument:
            self.search_themes()
            return ""
        if argument not in self.available_themes:
            return f"There is no theme {argument}. /theme alone lists them."
        self.theme = argument
        return f"The theme is {argument}."

    async def _exit(self, argument: str) -> str:
        del argument
        self.exit()
        return ""

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer every command in the palette too."""
        del screen
        for command in self.commands:
            yield SystemCommand(command.usage, command.help, self._palette_action(command))

    def _palette_action(self, command: Command):  # type: ignore[no-untyped-def]  # noqa: ANN202
        async def run() -> None:
            conversation = self.conversation
            if conversation is None:
                return
            if command.argument and not command.argument.startswith("["):
                conversation.prompt.editor.replace_all(f"/{command.name} ")
                conversation.prompt.focus_editor()
            else:
                await conversation.run_command(command, "", f"/{command.name}")

        return run

    def action_help(self) -> None:
        """Show all keys and commands."""
        sections = [
            binding_section("Prompt", PromptEditor.BINDINGS),
            command_section(self.commands),
            binding_section("Everywhere", [*ConversationScreen.BINDINGS, *DogentApp.BINDINGS]),
            binding_section("Transcript", Transcript.BINDINGS),
            binding_section("Attachments", AttachmentList.BINDINGS),
        ]
        self.push_screen(HelpScreen(sections))


def switch_mouse(app: App[None], *, on: bool) -> None:
    """Take or release the mouse while the application runs. Textual offers this only at start: a test names the two methods."""
    driver = app._driver  # noqa: SLF001
    if driver is not None:
        getattr(driver, "_enable_mouse_support" if on else "_disable_mouse_support")()


def _earlier_events(opened: OpenedSession) -> Iterable[Event]:
    if opened.earlier_log is not None:
        for line in read_lines(opened.earlier_log):
            with suppress(ValueError):
                yield from_json(line)


def run_app(opened: OpenedSession) -> int:
    """Run the application until the person leaves, and say how to come back. Returns the exit status."""
    log_file = log_dir() / "dogent-tui.log"
    with own_terminal(log_file):
        logging.basicConfig(filename=log_file, level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
        app = DogentApp(opened)
        app.run()
    return app.return_code or 0
