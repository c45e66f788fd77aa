"""All keys and commands, generated from the bindings, so that the page is always correct."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content

from dogent_tui.language import tr
from dogent_tui.records import Record
from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.dialog import Dialog, DialogScreen, WrappedText
from dogent_tui.tui.key_hints import key_names
from dogent_tui.tui.text_line import TextLine
from dogent_tui.tui.widgets import bound

_KEY_COLUMN = 24


class HelpSection(Record):
    """A heading, and lines with a key or command and its effect."""

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


def binding_section(
    title: str, bindings: Iterable[BindingType], keys: Mapping[str, str] = MappingProxyType({})
) -> HelpSection:
    """Return the section for `bindings`, each with its description. `keys` are the user's own keys,
    by id.
    """
    lines = [
        (_shown_keys(binding, keys), binding.description)
        for binding in bindings
        if isinstance(binding, Binding) and binding.description
    ]
    return HelpSection(title, tuple(lines))


def _shown_keys(binding: Binding, keys: Mapping[str, str]) -> str:
    changed = keys.get(binding.id or "")
    if binding.key_display and not binding.show:  # where it is shown, it also names other keys
        return binding.key_display
    return key_names(changed or binding.key)


def command_section(commands: Iterable[Command]) -> HelpSection:
    """Return the section for the commands."""
    return HelpSection(tr("Commands"), tuple((command.usage, command.help) for command in commands))


def help_text(section: HelpSection, width: int) -> Content:
    """Return the lines of `section` in `width` columns. A key too long for its column has a line of
    its own, as has every key if two columns do not fit.
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


def matching(section: HelpSection, looked_for: str) -> HelpSection:
    """Return the lines of `section` that contain all words of `looked_for`, or all lines if its
    title does.
    """

    def has_all(text: str) -> bool:
        return all(word in text.casefold() for word in looked_for.casefold().split())

    lines = section.lines
    if not has_all(section.title):
        lines = tuple(line for line in lines if has_all(" ".join(line)))
    return HelpSection(section.title, lines)


class HelpScreen(DialogScreen[None]):
    """Shows sections of help on a scrolling page, filtered by a search."""

    BINDINGS = [bound("escape,f1", "dismiss", "Close", priority=True)]

    def __init__(self, sections: Sequence[HelpSection]) -> None:
        self.found = self._sections = sections
        self._text = WrappedText(self._laid_out, id="help-text")
        self._page = VerticalScroll(
            self._text, id="help-page", classes="dialog-page", can_focus=False
        )
        keys = {"up,down": tr("Scroll"), "pageup,pagedown": tr("Page"), "escape": tr("Close")}
        line = TextLine(placeholder=tr("Type to search"), id="help-search")
        title = tr("Keys and commands")
        parts = (line, self._page)
        super().__init__(
            Dialog(title, keys, *parts, id="help", classes="-wide -tall"), scrolled=self._page
        )

    def _laid_out(self, width: int) -> Content:
        if not self.found:
            return Content.styled(tr("No match."), "$text-muted")
        lines = []
        for section in self.found:
            title = Content.styled(section.title, "bold $text-primary")
            lines += [title, help_text(section, width), Content("")]
        return Content("\n").join(lines)

    def _on_input_changed(self, event: TextLine.Changed) -> None:
        found = (matching(section, event.value) for section in self._sections)
        self.found = [section for section in found if section.lines]
        self._text.show(self._laid_out)
        self._page.scroll_home(animate=False)
