"""What the editors over the conversation share: the line that says how things are, keys that act
at once, and a draft that is kept soon after every change.
"""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual.binding import Binding
from textual.screen import Screen

from dogent_tui.agent.events import Reply
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.dialog import Words
from dogent_tui.tui.screens.withdrawable import Withdrawable

if TYPE_CHECKING:
    from textual.timer import Timer

    from dogent_tui.tui.screens.help import HelpSection

LEAVING_KEYS = (
    Binding("escape", "leave", tr("Back")),
    Binding("f1", "help", tr("Help")),
)
"""How an editor is left for a while, and what helps in it."""

DRAFT_DELAY_S = 0.03
"""Seconds after a change within which it is saved."""
DRAFT_SHARE = 20
"""Times what a draft cost to make, the wait before the next: those of long documents take a
twentieth of a core at most.
"""


class EditorScreen(Withdrawable[Reply], Screen[Reply]):
    """Dismissed with the answer, or with None where it stays open or was withdrawn.

    `counter`: see `count`. `on_draft` is given what `draft` returns soon after each change.
    """

    def __init__(self, counter: str, on_draft: Callable[[Any], object] | None, said: str) -> None:
        """`said` is the id of the line that says how things are."""
        super().__init__()
        self.counter = counter
        self._on_draft = on_draft
        self._heading = Words(classes="screen-title")
        self._said = Words(id=said)
        self._confirming = ""
        self._draft_timer: Timer | None = None
        self._draft_delay_s = DRAFT_DELAY_S

    @property
    def _title(self) -> str:
        raise NotImplementedError

    @property
    def _summary(self) -> str:
        """How much there is, and what was changed."""
        raise NotImplementedError

    def draft(self) -> Any:
        """Return what is not sent or saved yet."""
        raise NotImplementedError

    def offered(self) -> Sequence[Binding]:
        """Return the bindings of all there is to do here."""
        raise NotImplementedError

    def help_sections(self) -> "list[HelpSection]":
        """Return what F1 shows."""
        raise NotImplementedError

    def count(self, counter: str) -> None:
        """Say which of how many requests this is; empty for the only one."""
        self.counter = counter
        self._heading.update(self._title)

    def tell(self, words: str = "", *, warning: bool = False) -> None:
        """Say `words`, or else how things are."""
        self._said.set_class(warning, "-warning")
        self._said.update(one_line(words) or self._summary, layout=False)

    def confirmed(self, what: str, warning: str) -> bool:
        """Say `warning`, and whether it was said already when `what` was asked for before."""
        if self._confirming == what:
            return True
        self._confirming = what
        self.tell(warning, warning=True)
        return False

    # ── Keys ──────────────────────────────────────────────────────────────────────────────────

    async def press(self, key: str) -> bool:
        """Do what `key` means in the editor, and say whether that could be done now."""
        for binding in self.offered():
            if key in binding.key.split(","):
                return await self.perform(binding.action)
        return False

    async def perform(self, action: str) -> bool:
        """Run an action, and say whether that could be done now."""
        return await self.app.run_action(action, self)

    async def action_help(self) -> None:
        """Show all keys."""
        from dogent_tui.tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.help_sections()))

    # ── The draft ─────────────────────────────────────────────────────────────────────────────

    def on_unmount(self) -> None:
        """Give the draft away, whatever ends the editor."""
        self._give_draft()

    def _keep_soon(self) -> None:
        if self._draft_timer is None:
            self._draft_timer = self.set_timer(self._draft_delay_s, self._give_draft)

    def _stop_draft(self) -> bool:
        """Give no draft away but by a later change. Returns whether one was due."""
        timer, self._draft_timer = self._draft_timer, None
        if timer is not None:
            timer.stop()
        return timer is not None

    def _give_draft(self) -> None:
        if self._stop_draft() and self._on_draft is not None:
            began = time.monotonic()
            self._on_draft(self.draft())
            self._draft_delay_s = max(DRAFT_DELAY_S, DRAFT_SHARE * (time.monotonic() - began))
