"""/sessions: the earlier conversations, found by a few words; one is opened, forked, renamed or
deleted.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.storage.sessions import SessionRecord
from dogent_tui.tui.dialog import ChoiceList, Dialog, DialogScreen
from dogent_tui.tui.screens.choice import choose
from dogent_tui.tui.sessions.model import SessionIndex, SessionList, SessionRequest


class SessionsScreen(DialogScreen[SessionRequest]):
    """Dismissed with what the user wants, or with nothing."""

    AUTO_FOCUS = "#sessions-words"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", tr("Close")),
        Binding("up", "step(-1)", tr("Up"), show=False),
        Binding("down", "step(1)", tr("Down"), show=False),
        Binding("pageup", "step(-10)", tr("Page up"), show=False),
        Binding("pagedown", "step(10)", tr("Page down"), show=False),
        # Before the line to type into, which knows some of these keys too.
        Binding("tab", "switch", tr("This folder or all"), priority=True),
        Binding("f2", "rename", tr("Rename"), priority=True),
        Binding("f3", "fork", tr("Fork"), priority=True),
        Binding("delete", "delete", tr("Delete"), priority=True),
    ]

    def __init__(self, index: SessionIndex, *, now: Callable[[], datetime] | None = None) -> None:
        """List what is on `index`. `now` tells the time, with a time zone."""
        super().__init__()
        self.list = SessionList(index)
        self._now = now or (lambda: datetime.now().astimezone())
        self._renaming: SessionRecord | None = None
        self._shown: list[SessionRecord] = []

    def compose(self) -> ComposeResult:
        """Lay out the line to type into and the list."""
        with Dialog(tr("Conversations"), {}, id="sessions", classes="-wide"):
            yield Input(placeholder=tr("Find a conversation"), compact=True, id="sessions-words")
            yield ChoiceList(id="sessions-list", markup=False, compact=True)
            yield Static("", id="sessions-nothing", classes="dialog-why", markup=False)

    async def on_mount(self) -> None:
        """Read which conversations there are."""
        self.query_one(OptionList).can_focus = False
        await self._read()

    # ── What is shown ─────────────────────────────────────────────────────────────────────────

    async def _read(self, chosen: int = 0) -> None:
        await asyncio.to_thread(self.list.read)
        self._show(chosen)

    def _show(self, chosen: int = 0) -> None:
        now = self._now()
        self._shown = self.list.shown
        options = self.query_one(OptionList)
        options.set_options(
            Content.assemble(
                self.list.title(record), (f"\n  {self.list.facts(record, now)}", "dim")
            )
            for record in self._shown
        )
        options.highlighted = min(chosen, len(self._shown) - 1) if self._shown else None
        options.display = bool(self._shown)
        nothing = self.query_one("#sessions-nothing", Static)
        nothing.display = not self._shown
        nothing.update(self.list.nothing())
        where = tr("all folders") if self.list.everywhere else tr("this folder")
        self.query_one(Dialog).name_it(tr("Conversations"), where)
        self._show_keys()

    def _show_keys(self) -> None:
        chosen = self._chosen
        read_only = chosen is not None and self.list.is_elsewhere(chosen)
        keys = {
            "enter": tr("Read") if read_only else tr("Open"),
            "f2": tr("Rename"),
            "f3": tr("Fork"),
            "delete": tr("Delete"),
            "tab": tr("This folder") if self.list.everywhere else tr("All folders"),
            "escape": tr("Close"),
        }
        if self._renaming:
            keys = {"enter": tr("Save the title"), "escape": tr("Cancel")}
        elif chosen is None:
            keys = {key: words for key, words in keys.items() if key in ("tab", "escape")}
        self.query_one(Dialog).keys.show(keys)

    @property
    def _chosen(self) -> SessionRecord | None:
        highlighted = self.query_one(OptionList).highlighted
        return (
            self._shown[highlighted]
            if highlighted is not None and highlighted < len(self._shown)
            else None
        )

    # ── Choosing ──────────────────────────────────────────────────────────────────────────────

    @on(Input.Changed)
    def _search(self, event: Input.Changed) -> None:
        event.stop()
        if self._renaming is None and event.value != self.list.words:
            self.list.words = event.value
            self._show()

    @on(Input.Submitted)
    async def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        if self._renaming is not None:
            await self._rename(self._renaming, event.value.strip())
        elif (record := self._chosen) is not None:
            self.dismiss(SessionRequest(record))

    @on(OptionList.OptionHighlighted)
    def _pointed_at(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show_keys()

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self._renaming is None:
            self.dismiss(SessionRequest(self._shown[event.option_index]))

    def action_step(self, step: int) -> None:
        """Move the highlight."""
        options = self.query_one(OptionList)
        if self._renaming is None and options.highlighted is not None:
            options.highlighted = max(0, min(options.highlighted + step, len(self._shown) - 1))

    async def action_switch(self) -> None:
        """List the conversations of all folders, or of this one only."""
        if self._renaming is None:
            self.list.everywhere = not self.list.everywhere
            await self._read()

    def action_fork(self) -> None:
        """Continue from the chosen conversation in another one."""
        if self._renaming is None and (record := self._chosen) is not None:
            self.dismiss(SessionRequest(record, fork=True))

    def action_back(self) -> None:
        """Leave the title as it is, or close the list."""
        if self._renaming is not None:
            self._end_renaming()
        else:
            self.dismiss(None)

    # ── Renaming and deleting ─────────────────────────────────────────────────────────────────

    def action_rename(self) -> None:
        """Have the chosen conversation's title typed again."""
        record = self._chosen
        if record is None or self._renaming is not None:
            return
        self._renaming = record
        line = self.query_one(Input)
        line.value = record.title
        line.select_all()  # a new title replaces the old one; a movement keeps it
        self._show_keys()

    def _end_renaming(self) -> None:
        self._renaming = None
        line = self.query_one(Input)
        line.value = self.list.words
        line.cursor_position = len(line.value)
        self._show_keys()

    async def _rename(self, record: SessionRecord, title: str) -> None:
        if title and title != record.title:
            try:
                await asyncio.to_thread(self.list.index.rename, record, one_line(title))
            except (OSError, DogentError) as error:
                self.notify(
                    tr("It could not be renamed: {error}").format(error=error),
                    severity="error",
                    markup=False,
                )
        await asyncio.to_thread(self.list.read)
        chosen = self.list.place_of(record.session_id)
        self._end_renaming()
        self._show(chosen)

    @work
    async def action_delete(self) -> None:
        """Delete the chosen conversation, after a question."""
        record = self._chosen
        if record is None:
            return
        if self._renaming is not None:
            self.query_one(Input).action_delete_right()
            return
        if record.session_id == self.list.index.on_screen:
            self.notify(
                tr(
                    "This conversation is open here. Open another one first, or start one with"
                    " /new."
                ),
                markup=False,
            )
            return
        if await asyncio.to_thread(self.list.index.is_elsewhere, record):
            self.notify(
                tr("Another window has this conversation open. Close it there first."), markup=False
            )
            return
        chosen = self.query_one(OptionList).highlighted or 0
        why = tr(
            "Its transcript and the agent's memory of it are deleted permanently. Documents already"
            " written are kept."
        )
        answers = (tr("Keep"), tr("Delete"))
        if (
            await choose(
                self.app,
                tr("Delete “{title}”?").format(title=self.list.title(record)),
                why,
                answers,
            )
            != 1
        ):
            return
        try:
            await asyncio.to_thread(self.list.index.delete, record)
        except (OSError, DogentError) as error:
            self.notify(
                tr("It could not be deleted: {error}").format(error=error),
                severity="error",
                markup=False,
            )
        await self._read(chosen)
