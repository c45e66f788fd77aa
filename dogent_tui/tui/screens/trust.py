"""The question before the first run in a folder that brought something along: may it be used? Working without it is first."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from dogent_tui.plain import one_line, revealed
from dogent_tui.tui.screens.permission import AnswerGuard
from dogent_tui.tui.stylesheets import stylesheet
from dogent_tui.workspace.came_with import Found

_MOST_TEXT = 300
"""Characters of the words of one thing."""
_USED = "Used once you trust this folder"
_UNUSED = "Never used by dogent-tui, whatever you answer"
_KEYS = "↑ ↓ choose · Enter answers · Esc goes back"


def found_lines(found: Sequence[Found]) -> Content:
    """Return what came, in two groups: what trusting uses, and what is there and never used."""
    groups = [(title, [one for one in found if one.used is used]) for title, used in ((_USED, True), (_UNUSED, False))]
    shown = [Content("\n").join([Content.styled(title, "dim"), *_lines(some)]) for title, some in groups if some]
    return Content("\n\n").join(shown) if shown else Content("There is nothing in it that dogent-tui would use.")


def _lines(found: Iterable[Found]) -> Iterable[Content]:
    for one in found:
        yield Content.assemble("  ", one.what, (f"  {_shown(one.place)}", "dim"))
        if one.text:
            text = _shown(one.text)
            yield Content(f"    {text[:_MOST_TEXT]}{'…' if len(text) > _MOST_TEXT else ''}")


def _shown(text: str) -> str:
    return one_line(revealed(text))


class TrustScreen(ModalScreen[bool]):
    """Asks whether to trust a folder. Dismissed with the answer, or with None where the person goes back without one."""

    CSS_PATH = stylesheet("trust.tcss")
    AUTO_FOCUS = "#trust-answers"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back")]

    def __init__(self, folder: str, came: Sequence[str], found: Sequence[Found]) -> None:
        """Ask about `folder`, as it is shown, into which the parts `came`."""
        super().__init__()
        self.guard = AnswerGuard()
        self._folder = folder
        self._came = came
        self._found = found

    def compose(self) -> ComposeResult:
        """Lay out the question, what came, and the answers."""
        with Vertical(id="trust"):
            yield Static("Do you trust what came with this folder?", id="trust-title", markup=False)
            came = " and ".join(self._came)
            words = f"{_shown(self._folder)} holds {came}, which you did not make here. It may speak to the agent in your name."
            yield Static(words, id="trust-why", markup=False)
            with VerticalScroll(id="trust-found", can_focus=False):
                yield Static(found_lines(self._found), markup=False)
            without, trust = Option("Work without them", id="without"), Option("Trust this folder", id="trust")
            yield OptionList(without, trust, id="trust-answers", markup=False, compact=True)
            yield Static(_KEYS, id="trust-keys", markup=False)

    def on_mount(self) -> None:
        """Count from the moment that the question can be seen: keys typed before were meant for the prompt."""
        self.query_one(OptionList).highlighted = 0
        self.call_after_refresh(self.guard.shown)

    def on_key(self, event: events.Key) -> None:
        """Take no key that was typed before the question could be read; scroll what came."""
        if not self.guard.open:
            event.stop()
            event.prevent_default()
        elif event.key in ("pageup", "pagedown"):
            found = self.query_one("#trust-found", VerticalScroll)
            (found.scroll_page_up if event.key == "pageup" else found.scroll_page_down)(animate=False)
            event.stop()
            event.prevent_default()

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.guard.open:
            self.dismiss(event.option.id == "trust")

    def action_back(self) -> None:
        """Go back without an answer."""
        self.dismiss(None)
