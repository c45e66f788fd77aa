"""The application: sessions, commands, the screen, and the way of events from the service to the screen."""

import asyncio
import gc
import logging
import shlex
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TextIO

import msgspec
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import Screen

from dogent_tui.agent.events import Event, Notice, RunStarted, SessionStarted
from dogent_tui.agent.recorder import Recorder
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.session import OpenedSession, open_session
from dogent_tui.errors import AgentError, DogentError
from dogent_tui.tui.colorless import Colorless
from dogent_tui.tui.commands.all import app_commands
from dogent_tui.tui.commands.custom import offer_custom_commands
from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.garbage import COLLECT_EVERY_S, collect_young, hold_back
from dogent_tui.tui.keeping import DraftKeeper
from dogent_tui.tui.keymap import Keymap, prompt_bindings
from dogent_tui.tui.prompt.editor import PromptEditor
from dogent_tui.tui.prompt.model import Recall
from dogent_tui.tui.screens.conversation import ConversationScreen
from dogent_tui.tui.stylesheets import stylesheet
from dogent_tui.tui.terminal import own_terminal
from dogent_tui.tui.themed_styles import ThemedStylesheet
from dogent_tui.tui.themes import DEFAULT_THEME, LIGHT_THEME, THEMES, theme_colors
from dogent_tui.tui.trusting import settle_trust
from dogent_tui.workspace.answer_drafts import AnswerDrafts
from dogent_tui.workspace.drafts import Drafts
from dogent_tui.workspace.history import History, HistoryEntry, utc_now
from dogent_tui.workspace.paths import log_dir
from dogent_tui.workspace.sessions import latest_session
from dogent_tui.workspace.trust import make_own_folder

if TYPE_CHECKING:  # imported when they are wanted, after the first paint
    from dogent_tui.tui.driver import BackgroundTold
    from dogent_tui.tui.setup.controller import Setup
    from dogent_tui.tui.setup.panel import SetupPanel

_LOG = logging.getLogger(__name__)

_LIGHT = 0.5
"""A background that is lighter than this is a light one."""

MOST_SEARCHED = 100_000
"""So many earlier prompts are searched at the most."""


class DogentApp(App[None]):
    """The application in one workspace."""

    TITLE = "dogent-tui"
    # With the styles of the first screen: those that a screen brings along cost a second parsing of all.
    CSS_PATH: ClassVar = [stylesheet(f"{name}.tcss") for name in ("app", "conversation", "prompt", "attachments")]
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", priority=True, id="quit"),
        Binding("f1", "help", "Help", show=False),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False, priority=True),
    ]

    def __init__(self, opened: OpenedSession, *, offers_setup: bool = False) -> None:
        """Open `opened`. `offers_setup`: once it runs, ask who shall answer, where nobody is chosen yet."""
        super().__init__()
        self._offers_setup = offers_setup
        self.stylesheet: ThemedStylesheet = ThemedStylesheet(variables=self.get_css_variables())
        self.opened = opened
        self.drafts = Drafts(opened.workspace)
        self.edits = DraftKeeper(AnswerDrafts(opened.workspace))
        self.history = History(opened.workspace.history_file)
        self.commands = app_commands(self)
        self._saving_draft = asyncio.Lock()
        self._draft_taken = False
        self.conversation = ConversationScreen(opened, self.commands)
        self._following: list[asyncio.Task[None]] = []
        self._colorless = (Colorless(),)
        for theme in THEMES:
            self.register_theme(theme)
        self.show_theme(opened.settings.theme)
        self.keys = _keymap(opened.own.keys)

    def get_driver_class(self) -> type[Driver]:
        """Read the terminal with a reader of our own where there is one for the platform."""
        chosen = super().get_driver_class()
        if chosen.__module__ != "textual.drivers.linux_driver":
            return chosen
        from dogent_tui.tui.driver import TerminalDriver  # not importable on Windows

        return TerminalDriver

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Draw without colors where NO_COLOR says so."""
        return self._colorless if self.no_color else super().get_line_filters()

    def get_default_screen(self) -> Screen[None]:
        """Begin on the screen where one writes: an empty one beneath it would be laid out and styled for nothing."""
        return self.conversation

    # ── Life ──────────────────────────────────────────────────────────────────────────────────

    def on_mount(self) -> None:
        """Show the prompt first; everything else begins once it can be seen."""
        self._listen_to_signals()
        self.set_keymap(self.keys.keys)
        self.set_interval(COLLECT_EVERY_S, collect_young)
        if not self.opened.settings.theme and (ask := getattr(self._driver, "ask_background", None)) is not None:
            ask()  # an answer takes a moment, or never comes
        self.app_resume_signal.subscribe(self, lambda _: self.refresh())  # a terminal forgets the screen while we are suspended
        self.call_after_refresh(self._begin)

    async def on_unmount(self) -> None:
        """End the session and its process."""
        self.conversation.index.stop()
        unsent = [queued.prompt.text for queued in self.opened.service.queued]
        await self._save_draft("\n\n".join(filter(None, [*unsent, self.conversation.prompt.editor.value])))
        await _close(self.opened.service, self._following)
        await self.conversation.keep_answers()
        await self.edits.close()
        await asyncio.to_thread(self.drafts.close)

    def on_background_told(self, message: "BackgroundTold") -> None:
        """Be light where the terminal is, until a theme is chosen."""
        message.stop()
        if not self.opened.settings.theme and self.theme == DEFAULT_THEME and message.lightness > _LIGHT:
            self.theme = LIGHT_THEME

    def _begin(self) -> None:
        self.run_worker(self._start(), name="session")

    async def _start(self) -> None:
        """Start the service and follow it; read what the screen can do without at first."""
        screen = self.conversation
        await screen.furniture.bring()
        if draft := await asyncio.to_thread(self._unsent):
            screen.prompt.put_back(draft)
        if self.opened.earlier_log is not None:  # before the agent: importing what it needs would slow this down threefold
            earlier = await asyncio.to_thread(self._earlier, self.opened.earlier_log)
            await screen.replay(earlier)
            self.opened.service.restore(earlier, send=not self.opened.trust.must_ask)
        service = self.opened.service
        self._following = [  # before the service starts: a prompt may wait already, and its run begins at once
            asyncio.create_task(self._follow(service, screen, service.events())),
            asyncio.create_task(self._record(service, screen, service.events())),
        ]
        if service.requests:
            screen.requests.restore(service.requests)
        await service.__aenter__()
        for warning in (*self.opened.warnings, *self.keys.warnings):
            screen.handle(Notice(level="warning", message=warning.message, remedy=warning.remedy, code=warning.code))
        screen.prompt.editor.recall = Recall(await asyncio.to_thread(self._recallable))
        await offer_custom_commands(self)
        await screen.typed.refresh_index()
        if service.has_unsent_answers:  # what came with the folder is asked about before anything is sent
            with suppress(AgentError):
                await settle_trust(self, self.opened)
                service.send_answers()
        if self._offers_setup:
            self._offers_setup = False
            await self.setup.offer()

    async def _record(self, service: AgentService, screen: ConversationScreen, events: AsyncIterator[Event]) -> None:
        recorder = Recorder(self.opened.workspace, service.session_id, secrets=self.opened.endpoint.secrets, notify=screen.handle)
        await recorder.record(events)

    async def _follow(self, service: AgentService, screen: ConversationScreen, events: AsyncIterator[Event]) -> None:
        async for event in events:
            if isinstance(event, SessionStarted):
                gc.freeze()  # the SDK's modules are there for good: no collection has to look at them again
            if screen.service is service:  # the last words of a session that was left are for its log only
                screen.handle(event)
            if isinstance(event, RunStarted):
                self.dismiss_setup()

    def _unsent(self) -> str:
        """Return what was typed and not sent when the application ended the last time, once."""
        if self._draft_taken:
            return ""
        self._draft_taken = True
        with suppress(OSError):
            return self.drafts.load()
        return ""

    def _earlier(self, log: Path) -> list[Event]:
        from dogent_tui.agent.replay import earlier_events

        with suppress(OSError):
            return list(earlier_events(log))
        return []

    def _recallable(self) -> list[str]:
        with suppress(OSError):
            return self.history.recall()
        return []

    def _listen_to_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            with suppress(NotImplementedError, AttributeError, ValueError):  # not on every platform, nor in a thread
                loop.add_signal_handler(getattr(signal, name), self.exit)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Ctrl+Z to a screen where it means undo."""
        del parameters
        return not (action == "suspend_process" and getattr(self.screen, "owns_undo", False))

    # ── What the screen asks of the application ───────────────────────────────────────────────

    def save_draft(self, text: str) -> None:
        """Keep `text`, so that a crash does not lose it."""
        self.run_worker(self._save_draft(text), group="draft")

    async def _save_draft(self, text: str) -> None:
        async with self._saving_draft:  # what was typed last is saved last
            try:
                await asyncio.to_thread(self.drafts.save, text)
            except OSError as error:
                _LOG.warning("The draft could not be saved: %s", error)

    async def record_command(self, text: str) -> None:
        """Put a command that was run into the history, so that it can be recalled."""
        try:
            await asyncio.to_thread(make_own_folder, self.opened.workspace)
            await asyncio.to_thread(self.history.append, HistoryEntry(utc_now(), "command", text))
        except (OSError, DogentError) as error:
            _LOG.warning("The command was not recorded: %s", error)

    # ── Commands ──────────────────────────────────────────────────────────────────────────────

    def show_theme(self, name: str) -> None:
        """Have the theme `name` hold, or our own where there is none of that name."""
        self.theme = name if name in self.available_themes else DEFAULT_THEME

    def use_keys(self, wanted: Mapping[str, str]) -> None:
        """Have the keys that the person wants do what they do from now on."""
        self.keys = _keymap(wanted)
        self.set_keymap(self.keys.keys)

    def action_settings(self) -> None:
        """Show the settings."""
        self.run_worker(self._open_settings(), group="settings", exclusive=True)

    async def _open_settings(self) -> None:
        from dogent_tui.tui.settings.saving import open_settings

        await open_settings(self)

    async def change_profile(self, name: str) -> None:
        """Go on with the profile `name`, empty for what the folder says: in the same conversation, if there is one."""
        before, following = self.opened, self._following
        goes_on = before.service.begun or before.earlier_log is not None
        options = msgspec.structs.replace(before.options, profile=name, continue_latest=goes_on)
        await _close(before.service, following)  # the process behind it holds the conversation
        self.opened = await asyncio.to_thread(open_session, before.workspace, options)
        await self.conversation.show_session(self.opened)
        self._begin()

    async def start_anew(self) -> None:
        """Begin a new session, in the same workspace and with the same profile; the one before ends behind it."""
        service, following = self.opened.service, self._following
        options = msgspec.structs.replace(self.opened.options, continue_latest=False)
        self.opened = await asyncio.to_thread(open_session, self.opened.workspace, options)
        await self.conversation.show_session(self.opened)
        self._begin()
        await _close(service, following)

    # ── Who shall answer ──────────────────────────────────────────────────────────────────────

    @cached_property
    def setup(self) -> "Setup":
        """The choice of who answers, at the first start and by /setup."""
        from dogent_tui.tui.setup.controller import Setup

        return Setup(self)

    def dismiss_setup(self) -> bool:
        """Take the set-up away for good, where it is shown. Returns whether it was."""
        shown = "setup" in self.__dict__ and self.setup.panel is not None
        if shown:
            self.run_worker(self.setup.dismiss(), group="setup")
        return shown

    def action_setup(self) -> None:
        """Go to the set-up, or show it."""
        shown = self.setup.panel
        if shown is not None:
            shown.focus()
        else:
            self.run_worker(self.setup.open(), group="setup", exclusive=True)

    def on_setup_panel_chosen(self, event: "SetupPanel.Chosen") -> None:
        """See to what was chosen."""
        self.run_worker(self.setup.choose(event.choice), group="setup", exclusive=True)

    def on_setup_panel_dismissed(self) -> None:
        """Take it away for good."""
        self.dismiss_setup()

    def on_setup_panel_typed(self, event: "SetupPanel.Typed") -> None:
        """Go on with the prompt."""
        self.conversation.prompt.focus_editor()
        self.conversation.prompt.editor.insert(event.character)

    def prepare_theme(self, name: str) -> None:
        """Get ready to show the theme `name`, if there is one, so that choosing it is quick."""
        if theme := self.get_theme(name):
            self.stylesheet.prepare(theme_colors(theme, self.get_theme_variable_defaults()))

    def search_themes(self) -> None:
        """List the themes to choose from."""
        from textual.command import CommandPalette

        from dogent_tui.tui.theme_choice import ThemeList

        self.push_screen(CommandPalette(providers=[ThemeList], placeholder="Search for themes…"))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer every command in the palette too."""
        del screen
        for command in self.commands:
            yield SystemCommand(command.usage, command.help, self._palette_action(command))

    def _palette_action(self, command: Command) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            conversation = self.conversation
            if command.needs_argument:
                conversation.prompt.editor.replace_all(f"/{command.name} ")
                conversation.prompt.focus_editor()
            else:
                await conversation.typed.run(command, "", f"/{command.name}")

        return run

    def action_history(self) -> None:
        """Find an earlier prompt, and take it into the prompt; what was typed there can be undone back."""
        from dogent_tui.tui.screens.history import HistoryScreen

        self.push_screen(HistoryScreen(self._all_prompts), self._take_earlier)

    def _all_prompts(self) -> list[str]:
        with suppress(OSError):
            return list(dict.fromkeys(reversed(self.history.recall(MOST_SEARCHED))))
        return []

    def _take_earlier(self, prompt: str | None) -> None:
        if prompt is not None:
            self.conversation.prompt.editor.replace_all(prompt)
            self.conversation.prompt.focus_editor()

    def action_help(self) -> None:
        """Show all keys and commands."""
        from dogent_tui.tui.attachments.sidebar import AttachmentList
        from dogent_tui.tui.screens.clarification import ClarificationScreen
        from dogent_tui.tui.screens.help import PROMPT_HELP, HelpScreen, binding_section, command_section
        from dogent_tui.tui.screens.permission import PermissionScreen
        from dogent_tui.tui.transcript.view import Transcript

        sections = [
            PROMPT_HELP,
            binding_section("Keys of the prompt", PromptEditor.BINDINGS),
            command_section(self.commands),
            binding_section("Everywhere", [*ConversationScreen.BINDINGS, *DogentApp.BINDINGS], self.keys.keys),
            binding_section("Transcript", Transcript.BINDINGS),
            binding_section("Attachments", AttachmentList.BINDINGS),
            binding_section("A permission", PermissionScreen.BINDINGS),
            binding_section("Questions of the agent", ClarificationScreen.BINDINGS),
        ]
        self.push_screen(HelpScreen(sections))


def _keymap(wanted: Mapping[str, str]) -> Keymap:
    return Keymap([*ConversationScreen.BINDINGS, *DogentApp.BINDINGS, *prompt_bindings()], wanted)


async def _close(service: AgentService, following: list[asyncio.Task[None]]) -> None:
    """Close `service`, and let those who follow it take in its end."""
    await service.close()
    if following:
        await asyncio.wait(following, timeout=1.0)


def _log_stream() -> TextIO:
    return open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)


def run_app(opened: OpenedSession) -> int:
    """Run the application until the person leaves, and say how to come back. Returns the exit status."""
    log_file = log_dir() / "dogent-tui.log"
    with own_terminal(log_file):
        # To stderr, which is the log file now, where there can be one.
        logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s", stream=_log_stream())
        app = DogentApp(opened, offers_setup=True)
        hold_back()
        app.run()
    if latest_session(opened.workspace) is not None:
        print(f"Go on with:  dogent-tui --continue {shlex.quote(str(opened.workspace.root))}")
    return app.return_code or 0
