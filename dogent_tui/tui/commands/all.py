"""All commands, family by family."""

from dogent_tui.tui.commands.application import ApplicationCommands
from dogent_tui.tui.commands.conversation import ConversationCommands
from dogent_tui.tui.commands.documents import DocumentCommands
from dogent_tui.tui.commands.history import HistoryCommands
from dogent_tui.tui.commands.settings import SettingsCommands
from dogent_tui.tui.commands.table import CommandTable
from dogent_tui.tui.commands.writing import WritingCommands
from dogent_tui.tui.ports import AppPort

_FAMILIES = (
    DocumentCommands,
    ConversationCommands,
    WritingCommands,
    SettingsCommands,
    ApplicationCommands,
    HistoryCommands,
)


def app_commands(app: AppPort) -> CommandTable:
    """Return the commands that act on `app`: the help, and then the families and their methods in
    the order a new user may need them.
    """
    commands = [command for family in _FAMILIES for command in family(app)]
    return CommandTable(*sorted(commands, key=lambda command: command.name != "help"))
