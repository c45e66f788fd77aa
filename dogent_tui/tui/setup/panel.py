"""The panel above the prompt that lists who could answer. The prompt keeps the focus: F5 goes to
the panel, Esc closes it.
"""

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from dogent_tui.language import tr
from dogent_tui.tui.dialog import ChoiceList
from dogent_tui.tui.setup.model import Choice
from dogent_tui.tui.widgets import bound

_LOW = 20
"""Window height in rows up to which the panel is one line unless it has the focus."""
_KEY = "bold $text-accent"
_NOTE = "$text-muted"


class SetupPanel(ChoiceList[Choice]):
    """Lists `choices` between a title and the keys. `choose` receives the user's choice, `leave`
    is called if they do not want to choose now; it does not close itself.
    """

    BINDINGS = [bound("enter", "select", "Choose"), bound("escape", "leave", "Not now")]

    def __init__(
        self,
        choices: Sequence[Choice],
        now: str,
        key: str,
        choose: Callable[[Choice], object],
        leave: Callable[[], object],
    ) -> None:
        """Offer `choices`; `now` is who answers until one is made, and `key` focuses the panel."""
        super().__init__(id="setup")
        self._key = key
        self._now = now
        self.choices = choices
        self._chosen = choose
        self.action_leave = leave

    # ── Keys and mouse ────────────────────────────────────────────────────────────────────────────

    def on_key(self, event: events.Key) -> None:
        """Choose by number; anything else that is typed goes to the prompt, as everywhere."""
        if event.key in "0123456789":
            event.stop()
            self._choose(int(event.key))

    def _on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._choose(event.option_index)

    def _choose(self, number: int) -> None:
        if 0 < number <= len(self.choices):
            self._chosen(self.choices[number - 1])

    # ── What is seen ──────────────────────────────────────────────────────────────────────────────

    def on_mount(self) -> None:
        """Show the choices."""
        self.place(self.screen.size.height)

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show or hide the mark."""
        super().watch_has_focus(has_focus)
        if self.is_attached:
            self.place(self.screen.size.height)

    def place(self, height: int) -> None:
        """Adapt to a window of `height` rows; must be called when that changes."""
        title = Content.styled(tr("Choose a model"), "bold")
        keys = Content.assemble((self._key, _KEY), (tr(" chooses · "), _NOTE))
        if self.has_focus:
            enter = [(tr(" or a number, "), _NOTE), (tr("Enter"), _KEY), (tr(" chooses · "), _NOTE)]
            keys = Content.assemble(("↑ ↓", _KEY), *enter)
        keys = Content.assemble(keys, ("Esc", _KEY), (tr(" not now"), _NOTE))
        if height < _LOW and not self.has_focus:
            self.set_options([Option(Content.assemble(title, " ", keys), disabled=True)])
            return
        title = Content.assemble(title, (f"  {self._now}", _NOTE))
        keys = Content.assemble(keys, (tr(" · any time with "), _NOTE), ("/setup", _KEY))
        room = 2 + max(cell_len(one.label) for one in self.choices)
        rows = [
            Content.assemble(
                (f"{number}  ", _KEY),
                one.label,
                (" " * (room - cell_len(one.label)) + one.note, _NOTE),
            )
            for number, one in enumerate(self.choices, 1)
        ]
        at = self.highlighted or 1
        self.set_options([Option(title, disabled=True), *rows, Option(keys, disabled=True)])
        self.highlighted = at if self.has_focus else None
