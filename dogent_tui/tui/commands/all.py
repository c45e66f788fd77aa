"""All commands, family by family."""

from dogent_tui.tui.commands.application import ApplicationCommands
from dogent_tui.tui.commands.conversation import ConversationCommands
from dogent_tui.tui.commands.documents import DocumentCommands
from dogent_tui.tui.commands.history import HistoryCommands
from dogent_tui.tui.commands.settings import SettingsCommands
from dogent_tui.tui.commands.table import CommandTable
from dogent_tui.tui.commands.writing import WritingCommands
from dogent_tui.tui.ports import AppPort

_EVERYDAY = (
    "help",
    "open",
    "export",
    "check",
    "outline",
    "attach",
    "review",
    "undo",
    "rewind",
    "find",
    "copy",
    "compact",
    "context",
    "usage",
    "new",
    "sessions",
    "resume",
    "init",
    "learn",
    "show",
    "profile",
    "model",
    "settings",
    "setup",
    "theme",
    "sources",
    "edit",
    "permissions",
    "mcp",
    "trust",
    "doctor",
    "export-session",
    "restart",
    "mouse",
    "exit",
)
"""The order until the user's own usage is known."""


def app_commands(app: AppPort) -> CommandTable:
    """Return the commands that act on `app`, in the order a new user may need them."""
    families = (
        ApplicationCommands(app),
        ConversationCommands(app),
        DocumentCommands(app),
        HistoryCommands(app),
        SettingsCommands(app),
        WritingCommands(app),
    )
    places = {name: place for place, name in enumerate(_EVERYDAY)}
    commands = [command for family in families for command in family]
    commands.sort(key=lambda command: places.get(command.name, len(places)))
    return CommandTable(*commands)
