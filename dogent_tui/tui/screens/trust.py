"""The question before the first run in a folder that brought something along: may it be used?
Working without it is first.
"""

from collections.abc import Iterable, Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from dogent_tui.language import listing, tr
from dogent_tui.plain import one_line, revealed
from dogent_tui.settings.trust_inventory import Found
from dogent_tui.tui.dialog import ChoiceList, Dialog
from dogent_tui.tui.screens.answering_screen import AnsweringScreen
from dogent_tui.tui.stylesheets import stylesheet

_MOST_TEXT = 300
"""Characters of the words of one thing."""
_OTHER_ROWS = 14
"""Rows of the frame, the question, the answers and the keys."""
_LEAST_ROWS = 2
_USED = tr("Used once you trust this folder")
_UNUSED = tr("Never used by dogent-tui, whatever you answer")


def _found_parts(found: Sequence[Found]) -> Iterable[Static]:
    """Return what came as lines, in two groups: what trusting uses, and what is there and never
    used.
    """
    if not found:
        yield Static(tr("It contains nothing dogent-tui would use."), markup=False)
    for title, used in ((_USED, True), (_UNUSED, False)):
        some = [one for one in found if one.used is used]
        if some:
            yield Static(
                title,
                classes="trust-group" if used or len(some) == len(found) else "trust-group -later",
                markup=False,
            )
        for one in some:
            yield Static(
                Content.assemble(one.what, (f"  {_shown(one.place)}", "dim")),
                classes="trust-what",
                markup=False,
            )
            if one.text:
                text = _shown(one.text)
                shown = f"{text[:_MOST_TEXT]}{'…' if len(text) > _MOST_TEXT else ''}"
                yield Static(shown, classes="trust-text", markup=False)


def _listed(places: Iterable[str]) -> str:
    """Return the first places for a sentence; the list below it has all."""
    first, *others = [*places] or [""]
    if len(others) > 1:
        return tr("{first} and {count} more").format(first=first, count=len(others))
    return listing([first, *others])


def _shown(text: str) -> str:
    return one_line(revealed(text))


class TrustScreen(AnsweringScreen[bool]):
    """Asks whether to trust a folder. Dismissed with the answer, or with None where the user
    goes back without one.
    """

    CSS_PATH = stylesheet("trust.tcss")
    AUTO_FOCUS = "#trust-answers"

    def __init__(self, folder: str, came: Sequence[str], found: Sequence[Found]) -> None:
        """Ask about `folder`, as it is shown, into which the parts `came`."""
        super().__init__()
        self._folder = folder
        self._came = came
        self._found = found

    def compose(self) -> ComposeResult:
        """Lay out the question, what came, and the answers."""
        keys = {
            "enter": tr("Answer"),
            "up,down": tr("Choose"),
            "pageup,pagedown": tr("Scroll"),
            "escape": tr("Back"),
        }
        title = tr("Do you trust what came with this folder?")
        with Dialog(title, keys, about=_shown(self._folder), id="trust", classes="-wide -warning"):
            came = _listed(dict.fromkeys(one.place for one in self._found if one.used)) or listing(
                self._came
            )
            where = tr(
                "{came} came with {folder}: they are someone else's words until you trust them."
            ).format(folder=_shown(self._folder), came=_shown(came))
            yield Static(where, id="trust-why", classes="dialog-why", markup=False)
            with VerticalScroll(id="trust-found", can_focus=False):
                yield from _found_parts(self._found)
            without, trust = (
                Option(tr("Work without them"), id="without"),
                Option(tr("Trust this folder"), id="trust"),
            )
            yield ChoiceList(without, trust, id="trust-answers", markup=False, compact=True)

    def on_resize(self, event: events.Resize) -> None:
        """Leave the answers their rows, however much came."""
        self.query_one("#trust-found").styles.max_height = max(
            _LEAST_ROWS, event.size.height - _OTHER_ROWS
        )

    def on_key(self, event: events.Key) -> None:
        """Scroll what came."""
        if self.guard.open and event.key in ("pageup", "pagedown"):
            found = self.query_one("#trust-found", VerticalScroll)
            (found.scroll_page_up if event.key == "pageup" else found.scroll_page_down)(
                animate=False
            )
            event.stop()
            event.prevent_default()

    def answer(self, picked: OptionList.OptionSelected) -> bool:
        """Return whether the folder is trusted."""
        return picked.option.id == "trust"
