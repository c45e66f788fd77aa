"""Ctrl+R: every prompt and command of this workspace, found by a few letters of it."""

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.dialog import ChoiceList, Dialog, DialogScreen

_MOST_SHOWN = 100


def matching(prompts: Sequence[str], letters: str) -> list[str]:
    """Return those of `prompts` that `letters` are found in, the best first; all, in their
    order, where there are none.
    """
    if not letters.strip():
        return list(prompts[:_MOST_SHOWN])
    from frizbee import Matcher

    found = Matcher(letters.strip(), max_typos=0).match_list(prompts)
    return [prompts[match.index] for match in found[:_MOST_SHOWN]]


class HistoryScreen(DialogScreen[str]):
    """Dismissed with the prompt that was chosen, or with nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", tr("Close")),
        Binding("up", "step(-1)", tr("Up"), show=False),
        Binding("down,ctrl+r", "step(1)", tr("Down"), show=False),
    ]

    def __init__(self, *loads: Callable[[], Sequence[str]]) -> None:
        """Search what `loads` return, newest first, each more than the one before; they read the
        disk, in a thread.
        """
        super().__init__()
        self._loads = loads
        self._prompts: Sequence[str] = ()
        self._shown: list[str] = []

    def compose(self) -> ComposeResult:
        """Lay out the line to type into and the list."""
        keys = {"enter": tr("Copy to the prompt"), "up,down": tr("Choose"), "escape": tr("Close")}
        with Dialog(
            tr("Earlier prompts"), keys, about=tr("this folder"), id="history", classes="-wide"
        ):
            yield Input(
                placeholder=tr("Find an earlier prompt"), compact=True, id="history-letters"
            )
            yield ChoiceList(id="history-list", markup=False, compact=True)

    def on_mount(self) -> None:
        """Read the history in a thread."""
        self.query_one(OptionList).can_focus = False
        self.run_worker(self._read())

    async def _read(self) -> None:
        for load in self._loads:
            prompts = await asyncio.to_thread(load)
            if len(prompts) > len(self._prompts) and self.is_running:
                self._prompts = prompts
                self._show(self.query_one(OptionList).highlighted or 0)

    def _show(self, chosen: int = 0) -> None:
        self._shown = matching(self._prompts, self.query_one(Input).value)
        options = self.query_one(OptionList)
        options.set_options(Content(one_line(prompt)) for prompt in self._shown)
        options.highlighted = min(chosen, len(self._shown) - 1) if self._shown else None

    def action_step(self, step: int) -> None:
        """Move the highlight."""
        options = self.query_one(OptionList)
        (options.action_cursor_down if step > 0 else options.action_cursor_up)()

    @on(Input.Changed)
    def _search(self, event: Input.Changed) -> None:
        event.stop()
        self._show()

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        event.stop()
        highlighted = self.query_one(OptionList).highlighted
        self.dismiss(self._shown[highlighted] if highlighted is not None else None)

    @on(OptionList.OptionSelected)
    def _take_clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._shown[event.option_index])
