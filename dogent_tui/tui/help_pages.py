"""The content of the help: the keys of every screen, taken from the bindings, and the commands."""

from collections.abc import Iterable, Mapping, Sequence

from textual.app import App
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.widget import Widget

from dogent_tui.language import tr
from dogent_tui.tui.attachments.sidebar import AttachmentList, FileList, ResultList
from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.dialog import FinderScreen
from dogent_tui.tui.outline.inputs import TitleInput
from dogent_tui.tui.outline.view import OutlineView
from dogent_tui.tui.pane.pane import DocumentPane
from dogent_tui.tui.pane.view import PaneView
from dogent_tui.tui.prompt.editor import PromptEditor
from dogent_tui.tui.screens.clarification import ClarificationScreen
from dogent_tui.tui.screens.editor import EditorScreen
from dogent_tui.tui.screens.help import PROMPT_HELP, HelpSection, binding_section, command_section
from dogent_tui.tui.screens.outline import OutlineScreen
from dogent_tui.tui.screens.permission import PermissionScreen
from dogent_tui.tui.screens.permissions import PermissionsScreen
from dogent_tui.tui.screens.review import ReviewScreen
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


_PLACES: Sequence[tuple[str, type[Widget], *tuple[type[Widget], ...]]] = (
    (tr("Transcript"), Transcript, RowsView),
    (tr("Results"), ResultList, FileList),
    (tr("Attachments"), AttachmentList, FileList),
    (tr("Open document"), DocumentPane, PaneView, RowsView),
    (tr("Permission"), PermissionScreen),
    (tr("Permissions"), PermissionsScreen),
    (tr("Questions"), ClarificationScreen),
    (tr("Outline"), OutlineScreen, OutlineView),
    (tr("While typing a title"), TitleInput),
    (tr("Review"), ReviewScreen),
    (tr("Settings"), SettingsScreen, RowList),
    (tr("Profile"), ProfileScreen, RowList),
    (tr("Conversations"), SessionsScreen, FinderScreen),
    (tr("Rewind"), RewindPreviewScreen),
)
"""A title, the part of the interface that it is about, and the others with keys there."""


def help_sections(
    commands: Iterable[Command],
    everywhere: Iterable[BindingType],
    keys: Mapping[str, str],
    here: Iterable[DOMNode],
) -> Sequence[HelpSection]:
    """Return all sections, first those about `here`: what has the focus, and what it is in.
    `everywhere` are the bindings of the conversation; `keys` are the user's own keys by id.
    """
    sections = [
        PROMPT_HELP,
        binding_section(tr("Prompt editor"), PromptEditor.BINDINGS),
        command_section(commands),
        binding_section(tr("Everywhere"), _once([*everywhere, _PALETTE]), keys),
    ]
    nodes = {type(node): node for node in here}
    for title, owner, *others in _PLACES:
        node = nodes.get(owner)
        bindings = (
            node.offered()
            if isinstance(node, EditorScreen)
            else [*owner.BINDINGS, *(binding for one in others for binding in one.BINDINGS)]
        )
        section = binding_section(title, _once(bindings))
        sections.insert(len(sections) if node is None else 0, section)
    return sections


def _once(bindings: Iterable[BindingType]) -> Sequence[BindingType]:
    """Return `bindings` without those shadowed by an earlier one: the screen's come before the
    application's.
    """
    taken: dict[str, BindingType] = {}
    for binding in bindings:
        taken.setdefault(binding.key if isinstance(binding, Binding) else binding[0], binding)
    return list(taken.values())
