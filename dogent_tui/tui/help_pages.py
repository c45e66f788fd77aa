"""The content of the help: the keys of every screen, taken from the bindings, and the commands."""

from collections.abc import Iterable, Mapping, Sequence

from textual.app import App
from textual.binding import Binding, BindingType

from dogent_tui.tui.attachments.sidebar import AttachmentList, FileList, ResultList
from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.dialog import FinderScreen
from dogent_tui.tui.outline.view import OutlineView
from dogent_tui.tui.pane.pane import DocumentPane
from dogent_tui.tui.pane.view import PaneView
from dogent_tui.tui.prompt.editor import PromptEditor
from dogent_tui.tui.screens.clarification import ClarificationScreen
from dogent_tui.tui.screens.help import PROMPT_HELP, HelpSection, binding_section, command_section
from dogent_tui.tui.screens.outline import EDITOR_KEYS
from dogent_tui.tui.screens.permission import PermissionScreen
from dogent_tui.tui.screens.permissions import PermissionsScreen
from dogent_tui.tui.screens.review import REVIEW_KEYS
from dogent_tui.tui.screens.rewind_preview import RewindPreviewScreen
from dogent_tui.tui.screens.sessions import SessionsScreen
from dogent_tui.tui.screens.settings import ProfileScreen, RowList, SettingsScreen
from dogent_tui.tui.transcript.rows_view import RowsView
from dogent_tui.tui.transcript.view import Transcript
from dogent_tui.tui.widgets import bound

_PALETTE = bound(
    App.COMMAND_PALETTE_BINDING, "command_palette", "Command palette with all commands"
)
"""Textual binds it at start-up, without a class that could be asked for it."""


def help_sections(
    commands: Iterable[Command], everywhere: Iterable[BindingType], keys: Mapping[str, str]
) -> Sequence[HelpSection]:
    """Return all sections. `everywhere` are the bindings of the conversation; `keys` are the user's
    own keys by id.
    """
    return [
        PROMPT_HELP,
        binding_section("Prompt editor", PromptEditor.BINDINGS),
        command_section(commands),
        binding_section("Everywhere", _once([*everywhere, _PALETTE]), keys),
        binding_section("Transcript", _once([*Transcript.BINDINGS, *RowsView.BINDINGS])),
        binding_section("Results", [*ResultList.BINDINGS, *FileList.BINDINGS]),
        binding_section("Attachments", [*AttachmentList.BINDINGS, *FileList.BINDINGS]),
        binding_section(
            "Open document", [*RowsView.BINDINGS, *PaneView.BINDINGS, *DocumentPane.BINDINGS]
        ),
        binding_section("Permission", PermissionScreen.BINDINGS),
        binding_section("Permissions", PermissionsScreen.BINDINGS),
        binding_section("Questions", ClarificationScreen.BINDINGS),
        binding_section("Outline", [*OutlineView.BINDINGS, *EDITOR_KEYS]),
        binding_section("Review", REVIEW_KEYS),
        binding_section("Settings", [*RowList.BINDINGS, *SettingsScreen.BINDINGS]),
        binding_section("Profile", [*RowList.BINDINGS, *ProfileScreen.BINDINGS]),
        binding_section("Conversations", [*FinderScreen.BINDINGS, *SessionsScreen.BINDINGS]),
        binding_section("Rewind", RewindPreviewScreen.BINDINGS),
    ]


def _once(bindings: Iterable[BindingType]) -> Sequence[BindingType]:
    """Return `bindings` without those shadowed by an earlier one: the screen's come before the
    application's.
    """
    taken: dict[str, BindingType] = {}
    for binding in bindings:
        taken.setdefault(binding.key if isinstance(binding, Binding) else binding[0], binding)
    return list(taken.values())
