"""All keys and commands, made from the bindings themselves, so that the page is never wrong."""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import msgspec
from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.keys import format_key
from textual.widget import Widget
from textual.widgets import Input, Static

from dogent_tui.language import tr
from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.dialog import Dialog, DialogScreen
from dogent_tui.tui.stylesheets import stylesheet

_KEY_COLUMN = 24

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


_SCROLLS: Mapping[str, str] = {
    "up": "up",
    "down": "down",
    "pageup": "page_up",
    "pagedown": "page_down",
    "ctrl+home": "home",
    "ctrl+end": "end",
}


class HelpSection(msgspec.Struct, frozen=True):
    """A heading, and lines of a key or command and what it does."""

    title: str
    lines: tuple[tuple[str, str], ...]


PROMPT_HELP = HelpSection(
    tr("What you type"),
    (
        ("@", tr("Refer to a file or folder; Tab or Enter selects it")),
        ("@book.xlsx#", tr("Refer to one of its sheets")),
        ("/", tr("Run a command")),
        ("!", tr("Run a shell command; the agent sees its output next")),
        ("?", tr("This page, from an empty prompt")),
        ("\\ Enter", tr("New line, if the terminal has no other key for it")),
        (tr("↑ ↓ at the edges"), tr("Earlier prompts and commands")),
        (tr("Alt+↑, or ↑ when empty"), tr("Queued prompts: Enter edits, Delete discards")),
        ("Shift+Tab", tr("Attached files: Enter previews, Delete removes")),
    ),
)


def key_name(key: str) -> str:
    """Return what is printed on the keyboard for Textual's name of a key: ``ctrl+pageup`` gives
    ``Ctrl+PgUp``.
    """
    parts = key.split("+")
    if parts == [key] and len(key) == 1:
        return key  # n is not N
    return "+".join(
        _KEY_NAMES.get(part) or (format_key(part) if len(part) > 1 else part).upper()
        for part in parts
    )


def spelled_out(display: str) -> str:
    """Return the short name of a key in the last line of a screen as this page names keys:
    ``^Z`` gives ``Ctrl+Z``.
    """
    return (
        re.sub(r"\^(?=[A-Z])", "Ctrl+", display)
        .replace("⇧", "Shift+")
        .replace("⏎", "Enter")
        .replace("⇥", "Tab")
    )


def binding_section(
    title: str, bindings: Iterable[BindingType], keys: Mapping[str, str] = MappingProxyType({})
) -> HelpSection:
    """Return the section for `bindings`, each with its description. `keys` are those that the
    user changed, by id.
    """
    lines = [
        (_shown_keys(binding, keys), binding.description)
        for binding in bindings
        if isinstance(binding, Binding) and binding.description
    ]
    return HelpSection(title, tuple(lines))


def _shown_keys(binding: Binding, keys: Mapping[str, str]) -> str:
    changed = keys.get(binding.id or "")
    if binding.key_display and not changed:
        return spelled_out(binding.key_display)
    return ", ".join(key_name(key) for key in (changed or binding.key).split(","))


def command_section(commands: Iterable[Command]) -> HelpSection:
    """Return the section for the commands."""
    return HelpSection(tr("Commands"), tuple((command.usage, command.help) for command in commands))


class HelpLines(Widget):
    """The lines of a section: keys in a column, what they do beside them, wrapped there."""

    def __init__(self, section: HelpSection, *, classes: str) -> None:
        super().__init__(classes=classes)
        self._section = section

    @property
    def section(self) -> HelpSection:
        """What is shown."""
        return self._section

    @section.setter
    def section(self, section: HelpSection) -> None:
        self._section = section
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the rows that the section takes in `width` columns."""
        del container, viewport
        return help_text(self._section, width).plain.count("\n") + 1

    def render(self) -> Content:
        """Wrap for the width there is."""
        return help_text(self._section, self.size.width)


def help_text(section: HelpSection, width: int) -> Content:
    """Return the lines of `section` in `width` columns; a key too long for its column has a line
    of its own, as has each where there is no room for two columns.
    """
    column = _KEY_COLUMN if width >= 2 * _KEY_COLUMN else 2
    rows = []
    for key, words in section.lines:
        lines = [line.plain.rstrip() for line in Content(words).wrap(max(10, width - column))]
        first, *more = lines or [""]
        missing = column - cell_len(key)
        beside = missing > 0 and column == _KEY_COLUMN
        rows += [f"{key}{' ' * missing}{first}"] if beside else [key, f"{'':<{column}}{first}"]
        rows += [f"{'':<{column}}{line}" for line in more]
    return Content("\n".join(rows))


class HelpPart(Vertical):
    """A section, with those of its lines that are looked for."""

    def __init__(self, section: HelpSection) -> None:
        super().__init__(classes="help-part")
        self._section = section
        self._lines = HelpLines(section, classes="help-lines")

    def compose(self) -> ComposeResult:
        """Lay the heading over the lines."""
        yield Static(self._section.title, classes="help-heading", markup=False)
        yield self._lines

    def show(self, looked_for: str) -> bool:
        """Show the lines with all words of `looked_for`, or everything where the heading has
        them; tell whether there are any.
        """
        words = looked_for.casefold().split()
        section = self._section
        if not all(word in section.title.casefold() for word in words):
            lines = tuple(
                line
                for line in section.lines
                if all(word in " ".join(line).casefold() for word in words)
            )
            section = msgspec.structs.replace(section, lines=lines)
        self.display = bool(section.lines)
        self._lines.section = section
        return bool(section.lines)


class HelpScreen(DialogScreen[None]):
    """Shows sections of help in a page that scrolls, or what of them is looked for."""

    CSS_PATH = stylesheet("help.tcss")
    AUTO_FOCUS = "#help-search"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1", "dismiss", tr("Close"), priority=True),
        *(
            Binding(key, f"scroll('{how}')", tr("Scroll"), show=False, priority=True)
            for key, how in _SCROLLS.items()
        ),
    ]

    def __init__(self, sections: Sequence[HelpSection]) -> None:
        super().__init__()
        self._sections = sections

    def compose(self) -> ComposeResult:
        """Lay the sections out below each other."""
        keys = {"up,down": tr("Scroll"), "pageup,pagedown": tr("Page"), "escape": tr("Close")}
        with Dialog(tr("Keys and commands"), keys, id="help", classes="-wide -tall"):
            yield Input(placeholder=tr("Type to search"), id="help-search", compact=True)
            with VerticalScroll(id="help-page", classes="dialog-page", can_focus=False):
                for section in self._sections:
                    yield HelpPart(section)
                yield Static(tr("No match."), id="help-nothing", markup=False)

    def on_mount(self) -> None:
        """Begin with everything."""
        self._show("")

    @on(Input.Changed)
    def _searched(self, event: Input.Changed) -> None:
        event.stop()
        self._show(event.value)

    def _show(self, looked_for: str) -> None:
        found = [part.show(looked_for) for part in self.query(HelpPart)]
        self.query_one("#help-nothing").display = not any(found)
        self.query_one("#help-page").scroll_home(animate=False)

    def action_scroll(self, how: str) -> None:
        """Scroll the page, while the keys go to the search."""
        page = self.query_one("#help-page")
        {
            "up": page.scroll_up,
            "down": page.scroll_down,
            "page_up": page.scroll_page_up,
            "page_down": page.scroll_page_down,
            "home": page.scroll_home,
            "end": page.scroll_end,
        }[how](animate=False)
