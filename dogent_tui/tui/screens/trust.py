"""The question before the first run in a folder that contains agent configuration: may it be used?
Working without it is the first answer.
"""

from collections.abc import Iterable, Sequence

from textual import events
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from dogent_tui.language import listing, tr
from dogent_tui.plain import revealed_line
from dogent_tui.settings.trust_inventory import Found
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.dialog import ChoiceList, Dialog, Words
from dogent_tui.tui.screens.choice import AnsweringScreen
from dogent_tui.tui.widgets import hidden

_MOST_TEXT = 300
"""The number of characters shown of one item's text."""
_OTHER_ROWS = 14
"""Rows of the frame, the question, the answers and the keys."""
_LEAST_ROWS = 2
_USED = tr("Used once you trust this folder")
_UNUSED = tr("Never used by dogent-tui, whatever you answer")


def _found_parts(found: Sequence[Found]) -> Iterable[Static]:
    """Return what the folder contains as lines, in two groups: what trust would enable, and what is
    never used.
    """
    if not found:
        yield Words(tr("It contains nothing dogent-tui would use."))
    for title, used in ((_USED, True), (_UNUSED, False)):
        some = [one for one in found if one.used is used]
        if some:
            yield Words(
                title,
                classes="trust-group" if used or len(some) == len(found) else "trust-group -later",
            )
        for one in some:
            yield Words(
                Content.assemble(one.what, (f"  {revealed_line(one.place)}", "dim")),
                classes="trust-what",
            )
            if one.text:
                text = revealed_line(one.text)
                shown = f"{text[:_MOST_TEXT]}{'…' if len(text) > _MOST_TEXT else ''}"
                yield Words(shown, classes="trust-text")


def _listed(places: Iterable[str]) -> str:
    """Return the first places for a sentence; the list below it is complete."""
    first, *others = [*places] or [""]
    if len(others) > 1:
        return tr("{first} and {count} more", first=first, count=len(others))
    return listing([first, *others])


class TrustScreen(AnsweringScreen[bool]):
    """Asks whether to trust a folder. Dismissed with the answer, or with None if the user goes
    back.
    """

    CSS_PATH = shipped("trust.tcss")
    BINDINGS = [  # before the list of answers, which has no pages
        hidden(f"page{way}", f"scroll('page_{way}')", "Scroll", priority=True)
        for way in ("up", "down")
    ]

    def __init__(self, folder: str, came: Sequence[str], found: Sequence[Found]) -> None:
        """Ask about `folder` (as displayed), which contains the parts `came`."""
        keys = {
            "enter": tr("Answer"),
            "up,down": tr("Choose"),
            "pageup,pagedown": tr("Scroll"),
            "escape": tr("Back"),
        }
        used = _listed(dict.fromkeys(one.place for one in found if one.used)) or listing(came)
        where = tr(
            "{came} came with {folder}: they are someone else's words until you trust them.",
            folder=revealed_line(folder),
            came=revealed_line(used),
        )
        choices = ChoiceList[bool](id="trust-answers")
        self._found = VerticalScroll(*_found_parts(found), id="trust-found", can_focus=False)
        dialog = Dialog(
            tr("Do you trust what came with this folder?"),
            keys,
            Words(where, id="trust-why", classes="dialog-why"),
            self._found,
            choices,
            about=revealed_line(folder),
            id="trust",
            classes="-wide -warning",
        )
        answers = (Content(tr("Work without them")), Content(tr("Trust this folder")))
        super().__init__(dialog, choices, (False, True), answers)
        self._scrolled = self._found

    def on_resize(self, event: events.Resize) -> None:
        """Keep the rows of the answers, however long the list is."""
        self._found.styles.max_height = max(_LEAST_ROWS, event.size.height - _OTHER_ROWS)
