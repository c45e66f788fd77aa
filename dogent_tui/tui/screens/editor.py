"""What the editors over the conversation share: a status line, and a draft saved shortly after
every change.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rich.cells import cell_len
from textual.binding import Binding
from textual.screen import Screen

from dogent_tui.agent.events import Reply
from dogent_tui.plain import one_line
from dogent_tui.tui.dialog import Words
from dogent_tui.tui.key_hints import key_names
from dogent_tui.tui.prompt.debounce import Debounce
from dogent_tui.tui.screens.offers import Offer
from dogent_tui.tui.screens.withdrawable import Withdrawable
from dogent_tui.tui.widgets import bound

LEAVING_KEYS = (
    bound("escape", "leave", "Back"),
    bound("f1", "app.help", "Help"),
)
"""The keys that leave an editor temporarily, and that show its help."""

DRAFT_DELAY_S = 0.03
"""Seconds after a change within which it is saved."""
DRAFT_SHARE = 20
"""The pause before the next draft as a multiple of the time the last one took: long documents use
at most a twentieth of a core.
"""


class EditorScreen(Withdrawable[Reply], Screen[Reply]):
    """Dismissed with the answer, or with None if it stays open or was withdrawn.

    `counter`: see `count`. `on_draft` receives what `draft` returns, shortly after each change.
    """

    def __init__(self, counter: str, on_draft: Callable[[Any], object], said: str) -> None:
        """`said` is the id of the status line."""
        super().__init__()
        self.counter = counter
        self._on_draft = on_draft
        self._heading = Words(classes="screen-title")
        self._said = Words(id=said)
        self._confirming = ""
        self._draft = Debounce(self, DRAFT_DELAY_S, self._give_draft, most=DRAFT_DELAY_S)

    @property
    def _title(self) -> str:
        raise NotImplementedError

    @property
    def _summary(self) -> str:
        """The size of the document, and what was changed."""
        raise NotImplementedError

    def draft(self) -> Any:
        """Return what is not sent or saved yet."""
        raise NotImplementedError

    def offered(self) -> Sequence[Binding]:
        """Return the bindings of all actions available here."""
        raise NotImplementedError

    def offers(self) -> list[Offer]:
        """Return what the palette offers here before the commands."""
        return [
            Offer(each.description, partial(self.perform, each.action), key_names(each.key))
            for each in self.offered()
        ]

    def count(self, counter: str) -> None:
        """Show the number of this request and the total; empty for a single one."""
        self.counter = counter
        self._heading.update(self._title)

    def tell(self, words: str = "", *, warning: bool = False) -> None:
        """Show `words`, or else the status."""
        words, room = one_line(words) or self._summary, self._said.content_size
        self._said.set_class(warning, "-warning")
        self._said.update(words, layout=room.height > 1 or cell_len(words) > room.width)

    def confirmed(self, what: str, warning: str) -> bool:
        """Show `warning`; return whether it was already shown for the previous request of
        `what`.
        """
        if self._confirming == what:
            return True
        self._confirming = what
        self.tell(warning, warning=True)
        return False

    async def perform(self, action: str) -> bool:
        """Run an action, and return whether that was possible."""
        return await self.app.run_action(action, self)

    # ── The draft ─────────────────────────────────────────────────────────────────────────────

    def on_unmount(self) -> None:
        """Save the draft, however the editor ends."""
        self._draft.flush()

    def _give_draft(self) -> None:
        began = time.monotonic()
        self._on_draft(self.draft())
        spent = time.monotonic() - began
        self._draft.delay = self._draft.most = max(DRAFT_DELAY_S, DRAFT_SHARE * spent)
