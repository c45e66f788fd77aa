"""/doctor: which engines are here, which files are used, and what to do about what is missing."""

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from dogent_tui.tui import clipboard
from dogent_tui.tui.stylesheets import stylesheet


class DoctorScreen(ModalScreen[None]):
    """Shows what `examine` found, as `dogent-tui doctor` prints it."""

    CSS_PATH = stylesheet("doctor.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", "Close"),
        Binding("c", "copy", "Copy"),
    ]

    def __init__(self, examine: Callable[[], Awaitable[str]]) -> None:
        super().__init__()
        self._examine = examine
        self._found = ""
        self._page = Static("Looking…", id="doctor-found", markup=False)

    def compose(self) -> ComposeResult:
        """Lay out the page that scrolls."""
        with Vertical(id="doctor"):
            yield Static("What is here, and what is missing", id="doctor-title", markup=False)
            with VerticalScroll(id="doctor-page"):
                yield self._page
            yield Static("Esc closes · ↑ ↓ PgUp PgDn scroll · c copies it", id="doctor-keys", markup=False)

    def on_mount(self) -> None:
        """Look; programs are asked for their versions meanwhile."""
        self.query_one("#doctor-page").focus()
        self.run_worker(self._look())

    async def _look(self) -> None:
        self._found = await self._examine()
        self._page.update(self._found)

    async def action_copy(self) -> None:
        """Copy what was found, for a report."""
        if self._found:
            self.notify(await clipboard.copy(self.app, self._found), markup=False)
