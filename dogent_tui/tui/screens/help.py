"""All keys and commands, made from the bindings themselves, so that the page is never wrong."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.keys import format_key
from textual.screen import ModalScreen
from textual.widgets import Static

from dogent_tui.tui.commands import Command
from dogent_tui.tui.stylesheets import stylesheet

_KEY_COLUMN = 30

_KEY_NAMES: Mapping[str, str] = {
    "alt": "Alt",
    "backspace": "Backspace",
    "ctrl": "Ctrl",
    "delete": "Delete",
    "down": "↓",
    "end": "End",
    "enter": "Enter",
    "escape": "Esc",
    "home": "Home",
    "left": "←",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "right": "→",
    "shift": "Shift",
    "space": "Space",
    "super": "Cmd",
    "tab": "Tab",
    "up": "↑",
}


@dataclass(frozen=True, slots=True)
class HelpSection:
    """A heading, and lines of a key or command and what it does."""

    title: str
    lines: tuple[tuple[str, str], ...]


PROMPT_HELP = HelpSection(
    "What you type",
    (
        ("@", "Refer to a file or folder; Tab or Enter takes it"),
        ("@book.xlsx#", "Refer to a sheet of it"),
        ("/", "Run a command"),
        ("!", "Run a shell command; the agent sees its output next"),
        ("?", "This page, from an empty prompt"),
        ("\\ at the end, then Enter", "New line"),
        ("↑ ↓ at the edges", "Earlier prompts and commands"),
        ("Alt+↑, ↑ when empty", "The prompts that wait: Enter edits, Delete drops"),
    ),
)


def key_name(key: str) -> str:
    """Return what is printed on the keyboard for Textual's name of a key: ``ctrl+pageup`` gives ``Ctrl+PgUp``."""
    parts = key.split("+")
    if parts == [key] and len(key) == 1:
        return key  # n is not N
    return "+".join(_KEY_NAMES.get(part) or (format_key(part) if len(part) > 1 else part).upper() for part in parts)


def binding_section(title: str, bindings: Iterable[BindingType]) -> HelpSection:
    """Return the section for `bindings`, each with its description."""
    lines = [
        (binding.key_display or ", ".join(key_name(key) for key in binding.key.split(",")), binding.description)
        for binding in bindings
        if isinstance(binding, Binding) and binding.description
    ]
    return HelpSection(title, tuple(lines))


def command_section(commands: Iterable[Command]) -> HelpSection:
    """Return the section for the commands."""
    return HelpSection("Commands", tuple((command.usage, command.help) for command in commands))


class HelpScreen(ModalScreen[None]):
    """Shows sections of help in a page that scrolls."""

    CSS_PATH = stylesheet("help.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,f1,question_mark", "dismiss", "Close")]

    def __init__(self, sections: Sequence[HelpSection]) -> None:
        super().__init__()
        self._sections = sections

    def compose(self) -> ComposeResult:
        """Lay the sections out below each other."""
        with Vertical(id="help"):
            yield Static("Keys and commands", id="help-title", markup=False)
            with VerticalScroll(id="help-page"):
                for section in self._sections:
                    yield Static(section.title, classes="help-heading", markup=False)
                    yield Static(self._lines(section), classes="help-lines", markup=False)
            yield Static("Esc closes · ↑ ↓ PgUp PgDn scroll", id="help-keys", markup=False)

    def on_mount(self) -> None:
        """Let the page take the keys that scroll."""
        self.query_one("#help-page").focus()

    def _lines(self, section: HelpSection) -> Content:
        rows = [f"{key.ljust(_KEY_COLUMN)}  {words}" for key, words in section.lines]
        return Content("\n".join(rows))
