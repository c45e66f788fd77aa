"""The application: it connects sessions, commands and the screen, and routes events from the
service to the screen.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import Screen

from dogent_tui.agent.events import Notice
from dogent_tui.agent.session import OpenedSession, SessionOptions
from dogent_tui.errors import AgentError, DogentError, disk_trouble
from dogent_tui.language import phrases, tr
from dogent_tui.plain import one_line
from dogent_tui.settings.known_secrets import known_secrets
from dogent_tui.settings.secrets import redact
from dogent_tui.settings.trust import make_own_folder
from dogent_tui.storage.answer_drafts import AnswerDrafts
from dogent_tui.storage.drafts import Drafts
from dogent_tui.storage.history import RECALLED, History, HistoryEntry, utc_now
from dogent_tui.storage.paths import Workspace, shipped
from dogent_tui.tui.clipboard import copy
from dogent_tui.tui.commands.all import app_commands
from dogent_tui.tui.commands.custom import offer_custom_commands
from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.draft_keeper import DraftKeeper, PromptDraft
from dogent_tui.tui.garbage import (
    COLLECT_EVERY_S,
    collect_young,
)
from dogent_tui.tui.keymap import Keymap, prompt_bindings
from dogent_tui.tui.legible import HIGH, Legible
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.prompt.model import Recall
from dogent_tui.tui.screens.conversation import ConversationScreen
from dogent_tui.tui.sessions.current import CurrentSession
from dogent_tui.tui.textual_fixes.colorless import Colorless
from dogent_tui.tui.textual_fixes.harmless import Harmless
from dogent_tui.tui.themes import CONTRAST, DEFAULT_THEME, LIGHT_THEME, THEMES
from dogent_tui.tui.trust_question import settle_trust
from dogent_tui.tui.widgets import bound, hidden

if TYPE_CHECKING:  # imported on first use, after the first paint
    from dogent_tui.tui.setup.controller import Setup
    from dogent_tui.tui.textual_fixes.driver import BackgroundReported

_LOG = logging.getLogger(__name__)
_LIGHT = 0.5
"""A background with a luminance above this is light."""


class DogentApp(AppPort):
    """The application for one workspace."""

    session: CurrentSession
    conversation: ConversationScreen

    TITLE = "dogent-tui"
    # Includes the styles of the first screen: if a screen brought them along, all styles would be
    # parsed a second time.
    CSS_PATH = [
        shipped(f"{name}.tcss") for name in ("app", "conversation", "prompt", "attachments")
    ]
    ENABLE_COMMAND_PALETTE = True
    BINDINGS = [
        bound("ctrl+q", "quit", "Quit", priority=True, id="quit"),
        hidden("f1", "help", "Help"),
        hidden("ctrl+z", "suspend_process", "Suspend", priority=True),
    ]

    def __init__(
        self, opened: OpenedSession, *, choose: bool = False, offers_setup: bool = False
    ) -> None:
        """Show the opened session.

        Args:
            opened: The session to show.
            choose: Whether the user first chooses an earlier conversation.
            offers_setup: Whether to ask who should answer if no provider has been chosen yet.
        """
        super().__init__()
        self._offers_setup = offers_setup
        self.session = CurrentSession(self, opened, self._started)
        self.elsewhere: tuple[Workspace, SessionOptions] | None = None
        """What to open in another workspace after this one is closed."""
        self._choose = choose
        self.draft = DraftKeeper(
            PromptDraft(Drafts(opened.workspace)), partial(self._sign, "draft_not_kept")
        )
        self.edits = DraftKeeper(
            AnswerDrafts(opened.workspace), partial(self._sign, "answers_not_kept")
        )
        self._has_draft = False
        self.history = History(opened.workspace.history_file)
        self.commands = app_commands(self)
        self.conversation = ConversationScreen(opened, self.commands)
        self._harmless, self._colorless = Harmless(), Colorless()
        self._legible, self._high_contrast = Legible(), Legible(HIGH)
        for theme in THEMES:
            self.register_theme(theme)
        self.show_theme(opened.settings.theme)
        self.keys = _keymap(opened.own.keys)
        self.notify_by = opened.own.notify
        """How to notify a user who is looking at another window: with a message (empty), a
        ``bell``, or not at all (``off``).
        """

    def get_driver_class(self) -> type[Driver]:
        """Use our own reader of the terminal where the platform has one."""
        chosen = super().get_driver_class()
        if chosen.__module__ != "textual.drivers.linux_driver":
            return chosen
        from dogent_tui.tui.textual_fixes.driver import TerminalDriver  # not importable on Windows

        return TerminalDriver

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Draw without colors if NO_COLOR is set, otherwise with readable contrast."""
        if self.no_color:
            return self._harmless, self._colorless
        return (
            *super().get_line_filters(),
            self._harmless,
            self._high_contrast if self.theme == CONTRAST.name else self._legible,
        )

    def get_default_screen(self) -> Screen[None]:
        """Start with the conversation screen: an empty screen below it would be laid out and styled
        for nothing.
        """
        return self.conversation

    # ── Life ──────────────────────────────────────────────────────────────────────────────────

    def on_mount(self) -> None:
        """Show the prompt first; everything else starts after it has been painted."""
        self._listen_to_signals()
        self.set_keymap(self.keys.keys)
        self.set_interval(COLLECT_EVERY_S, collect_young)
        if (
            not self.opened.settings.theme
            and (ask := getattr(self._driver, "ask_background", None)) is not None
        ):
            ask()  # the terminal's answer takes a moment, or never arrives
        # the terminal forgets the screen while the application is suspended
        self.app_resume_signal.subscribe(self, lambda _: self.refresh())
        self.call_after_refresh(lambda: self.run_worker(self._begin(), name="begin"))

    async def on_unmount(self) -> None:
        """End the session and its process."""
        self.conversation.index.stop()
        unsent = [queued.prompt.text for queued in self.opened.service.queued]
        if not self._has_draft:  # the user was faster
            unsent.append(await asyncio.to_thread(self.draft.drafts.load))
        self.save_draft("\n\n".join(filter(None, [*unsent, self.conversation.prompt.editor.value])))
        await self.draft.close()
        await self.session.close()
        await self.edits.close()
        await asyncio.to_thread(self.draft.drafts.close)

    def on_background_reported(self, message: "BackgroundReported") -> None:
        """Use a light theme if the terminal is light, until a theme is chosen."""
        message.stop()
        if (
            not self.opened.settings.theme
            and self.theme == DEFAULT_THEME
            and message.lightness > _LIGHT
        ):
            self.theme = LIGHT_THEME

    def _handle_exception(self, error: Exception) -> None:
        """End with a report, unless the application is closing: then the last keys and events may
        find that their widgets are gone.
        """
        if self._exit or (self._is_mounted and not self._running):
            _LOG.warning("While closing:", exc_info=error)
        else:
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Report only where an unexpected error occurred; Textual's report shows the values of
        variables, including keys.
        """
        from dogent_tui.tui.keyless_logs import crash_report

        error = sys.exc_info()[1] or self._exception
        self.panic(Text(crash_report(error) if error is not None else ""))

    async def _begin(self) -> None:
        if draft := await asyncio.to_thread(self.draft.drafts.load):
            self.conversation.prompt.put_back(draft)
        self._has_draft = True
        self.session.begin(choose=self._choose)

    async def _started(self) -> None:
        """Load what the screen does not need at first."""
        screen, opened = self.conversation, self.opened
        for warning in (*opened.warnings, *self.keys.warnings):
            message, remedy, code = warning.message, warning.remedy, warning.code
            screen.handle(Notice(message=message, remedy=remedy, code=code))
        if unusable := opened.unusable_profile:
            said = tr(
                "{unusable} can't be used, so the offline engine is. Change this with /profile.",
                unusable=unusable,
            )
            screen.prompt.notify_hint(one_line(said), warning=True)
        self.commands.used(await self.load_recall())
        screen.offer_requests()
        await offer_custom_commands(self)
        await screen.typed.refresh_index()
        screen.index.follow()
        # files that came with the folder are asked about before anything is sent
        if opened.service.has_unsent_answers:
            with suppress(AgentError):
                await settle_trust(self, opened)
                opened.service.send_answers()
        if self._offers_setup:
            self._offers_setup = False
            await self.setup.offer()

    async def load_recall(self) -> list[str]:
        """Give the prompt the latest prompts and commands to recall, and return them."""
        recalled = await asyncio.to_thread(self.recall, RECALLED)
        self.conversation.prompt.editor.recall = Recall(recalled)
        return recalled

    def _listen_to_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            # not available on every platform, nor in a thread
            with suppress(NotImplementedError, AttributeError, ValueError):
                loop.add_signal_handler(getattr(signal, name), self.exit)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Ctrl+Z to screens where it means undo."""
        del parameters
        return not (action == "suspend_process" and getattr(self.screen, "owns_undo", False))

    # ── What the screen asks of the application ───────────────────────────────────────────────

    def notify(self, message: str, **options: Any) -> None:
        """Show `message` literally: it may contain text written by others."""
        super().notify(message, **options | {"markup": False})

    def call_back(self, words: str) -> None:
        """Notify a user who is looking at another window: ring the bell and have the terminal show
        `words`, as configured.
        """
        from dogent_tui.tui.notifications import notification

        if self.notify_by == "off":
            return
        self.bell()
        sequence = notification(words, os.environ) if self.notify_by != "bell" else ""
        if sequence and self._driver is not None:
            self._driver.write(sequence)
            self._driver.flush()

    def save_draft(self, text: str) -> None:
        """Save `text` so that a crash does not lose it."""
        self.draft.keep("", text)

    def _sign(self, code: str, why: str) -> None:
        """Show in the status bar what is not being saved and why, or that saving works again."""
        if self.conversation.is_mounted:
            code = code if why else f"{code}_over"
            self.conversation.status_bar.handle(Notice(code=code, message="", why=why))

    async def record_command(self, text: str) -> None:
        """Add a command to the history so that it can be recalled."""
        try:
            await asyncio.to_thread(make_own_folder, self.opened.workspace)
            await asyncio.to_thread(
                lambda: self.history.append(
                    HistoryEntry(utc_now(), "command", redact(text, known_secrets()))
                )
            )
        except (OSError, DogentError) as error:
            _LOG.warning("The command was not recorded: %s", error)
            self._sign("history_not_kept", disk_trouble(error))
        else:
            self._sign("history_not_kept", "")

    # ── Commands ──────────────────────────────────────────────────────────────────────────────

    def show_theme(self, name: str) -> None:
        """Apply the theme `name`, or the default theme if there is none of that name."""
        self.theme = name if name in self.available_themes else DEFAULT_THEME

    def use_keys(self, wanted: Mapping[str, str]) -> None:
        """Apply the key bindings from the settings."""
        self.keys = _keymap(wanted)
        self.set_keymap(self.keys.keys)
        self.conversation.todos.refresh()  # its title names a key

    def action_settings(self) -> None:
        """Show the settings."""
        from dogent_tui.tui.settings.save import open_settings

        self.run_command(open_settings(self))

    def go_elsewhere(self, workspace: Workspace, session_id: str, *, fork: bool = False) -> None:
        """Leave this workspace for a conversation in another one."""
        profile = self.opened.options.profile
        self.elsewhere = workspace, SessionOptions(profile, resume=session_id, fork=fork)
        self.exit()

    # ── Who should answer ──────────────────────────────────────────────────────────────────────

    @cached_property
    def setup(self) -> "Setup":
        """The setup screen, shown at the first start and by /setup."""
        from dogent_tui.tui.setup.controller import Setup

        return Setup(self)

    def dismiss_setup(self) -> bool:
        """Close the setup screen for good. Returns whether it was open."""
        shown = "setup" in self.__dict__ and self.setup.panel is not None
        if shown:
            self.run_worker(self.setup.dismiss(), group="setup")
        return shown

    def action_setup(self) -> None:
        """Focus the setup screen, or open it."""
        shown = self.setup.panel
        if shown is not None:
            shown.focus()
        else:
            self.run_worker(self.setup.open(), group="setup", exclusive=True)

    def choose_command(self, command: Command) -> None:
        """Run `command` as the command palette does."""
        conversation, typed = self.conversation, f"/{command.name}"
        if command.needs_argument:
            conversation.prompt.begin_command(f"{typed} ")
        else:
            self.run_command(conversation.typed.run(command, "", typed))

    def action_history(self) -> None:
        """Search earlier prompts and put the chosen one into the prompt; undo restores what was
        there.
        """
        from dogent_tui.tui.screens.history import search_prompts

        search_prompts(self)

    def action_help(self) -> None:
        """Show all keys and commands, first those of what has the focus."""
        from dogent_tui.tui.help_pages import help_sections
        from dogent_tui.tui.screens.help import HelpScreen

        everywhere = [*ConversationScreen.BINDINGS, *DogentApp.BINDINGS]
        here = (self.focused or self.screen).ancestors_with_self
        sections = help_sections(self.commands, everywhere, self.keys.keys, here)
        self.push_screen(HelpScreen(sections))

    def action_command_palette(self) -> None:
        """Search the commands."""
        from dogent_tui.tui.screens.editor import EditorScreen
        from dogent_tui.tui.screens.offers import Offer, show_offers

        offers = self.screen.offers() if isinstance(self.screen, EditorScreen) else []
        offers += [
            Offer(
                f"/{command.name}",
                partial(self.choose_command, command),
                phrases(command.help, command.argument, command.key()),
                command.forgets,
            )
            for command in self.commands
        ]
        show_offers(self, tr("Commands"), tr("Type to search"), offers)

    def on_text_selected(self) -> None:
        """Copy what was selected with the mouse."""
        if text := self.screen.get_selected_text():
            self.run_worker(copy(self, text), group="copy")

    def action_help_quit(self) -> None:
        """Handle Ctrl+C without a selection (Textual binds the key): in the prompt as the prompt
        does, on other screens by saying how to leave.
        """
        if self.screen is self.conversation:
            self.call_next(self.conversation.prompt.editor.action_copy_or_clear)
            return
        self.notify(tr("Esc back · {quits} quit", quits=self.keys.shown("quit")))


def _keymap(wanted: Mapping[str, str]) -> Keymap:
    return Keymap([*ConversationScreen.BINDINGS, *DogentApp.BINDINGS, *prompt_bindings()], wanted)
