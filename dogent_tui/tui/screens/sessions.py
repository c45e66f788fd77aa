"""/sessions: the earlier conversations, searchable; they can be opened, forked, renamed or
deleted.
"""

import asyncio

from textual import work
from textual.content import Content

from dogent_tui.agent.cli_transcripts import delete_transcript
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.sources.ledger import forget
from dogent_tui.storage.sessions import SessionRecord, delete_session, rename_session
from dogent_tui.tui.dialog import FinderScreen, Words
from dogent_tui.tui.screens.choice import choose
from dogent_tui.tui.sessions.model import SessionList, SessionRequest, local_now
from dogent_tui.tui.widgets import bound


class SessionsScreen(FinderScreen[SessionRecord, SessionRequest]):
    """Dismissed with what the user wants to open, or with nothing."""

    BINDINGS = [
        bound("escape", "back", "Close"),
        # Before the input line, which binds some of these keys too.
        bound("tab", "switch", "This folder or all", priority=True),
        bound("f2", "rename", "Rename", priority=True),
        bound("f3", "fork", "Fork", priority=True),
        bound("delete", "delete", "Delete", priority=True),
    ]

    def __init__(self, sessions: SessionList) -> None:
        self.sessions = sessions
        self._renaming: SessionRecord | None = None
        self._nothing = Words("", classes="dialog-why")
        title, placeholder = tr("Conversations"), tr("Find a conversation")
        super().__init__(title, placeholder, self._nothing, id="sessions")

    async def on_mount(self) -> None:
        """Read the list of conversations."""
        await self._read()

    # ── What is shown ─────────────────────────────────────────────────────────────────────────

    async def _read(self, at: int = 0) -> None:
        await asyncio.to_thread(self.sessions.read)
        self._show(at)

    def find(self, words: str) -> None:
        """List the conversations matching these words, unless they are a new title."""
        if self._renaming is None and words != self.sessions.words:
            self.sessions.words = words
            self._show()

    def _show(self, at: int = 0) -> None:
        now, sessions = local_now(), self.sessions
        found = sessions.shown
        self.list.show(
            found,
            (
                Content.assemble(
                    sessions.title(record), (f"\n  {sessions.facts(record, now)}", "dim")
                )
                for record in found
            ),
            at,
        )
        self._nothing.display = not found
        self._nothing.update(sessions.nothing())
        where = tr("all folders") if sessions.everywhere else tr("this folder")
        self.dialog.name_it(tr("Conversations"), where)
        self._show_keys()

    def _show_keys(self) -> None:
        chosen = self.list.chosen
        keys = {
            "tab": tr("This folder") if self.sessions.everywhere else tr("All folders"),
            "escape": tr("Close"),
        }
        if self._renaming:
            keys = {"enter": tr("Save the title"), "escape": tr("Cancel")}
        elif chosen is not None:
            keys = {
                "enter": tr("Read") if chosen in self.sessions.elsewhere else tr("Open"),
                "f2": tr("Rename"),
                "f3": tr("Fork"),
                "delete": tr("Delete"),
            } | keys
        self.dialog.keys.show(keys)

    def _on_option_list_option_highlighted(self) -> None:
        self._show_keys()

    # ── Choosing ──────────────────────────────────────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the other actions while a title is typed."""
        del parameters
        return self._renaming is None or action not in ("step", "switch", "rename", "fork")

    async def take(self, item: SessionRecord) -> None:
        """Open the conversation, or apply the typed title."""
        if self._renaming is None:
            self.leave(SessionRequest(item))
        else:
            await self._rename(self._renaming, self.line.value.strip())

    async def action_switch(self) -> None:
        """List the conversations of all folders, or of this one only."""
        self.sessions.everywhere = not self.sessions.everywhere
        await self._read()

    def action_fork(self) -> None:
        """Fork the selected conversation."""
        if (record := self.list.chosen) is not None:
            self.leave(SessionRequest(record, fork=True))

    def action_back(self) -> None:
        """Cancel renaming, or close the list."""
        if self._renaming is not None:
            self._end_renaming()
        else:
            self.leave(None)

    # ── Renaming and deleting ─────────────────────────────────────────────────────────────────

    def action_rename(self) -> None:
        """Rename the selected conversation."""
        if (record := self.list.chosen) is not None:
            self._renaming = record
            self.line.value = record.title
            self.line.select_all()  # typing replaces the old title; moving the cursor keeps it
            self._show_keys()

    def _end_renaming(self) -> None:
        self._renaming = None
        self.line.value = self.sessions.words
        self.line.cursor_position = len(self.line.value)
        self._show_keys()

    async def _rename(self, record: SessionRecord, title: str) -> None:
        if title and title != record.title:
            try:
                await asyncio.to_thread(rename_session, record, one_line(title))
            except (OSError, DogentError) as error:
                self.warn(tr("It could not be renamed: {error}", error=error))
        await asyncio.to_thread(self.sessions.read)
        at = self.sessions.place_of(record.session_id)
        self._end_renaming()
        self._show(at)

    @work
    async def action_delete(self) -> None:
        """Delete the selected conversation after asking."""
        record = self.list.chosen
        if self._renaming is not None:
            self.line.action_delete_right()
        elif record is None:
            return
        elif record.session_id == self.sessions.on_screen:
            self.notify(
                tr(
                    "This conversation is open here. Open another one first, or start one with"
                    " /new."
                ),
            )
        elif await asyncio.to_thread(self.sessions.is_taken, record):
            self.notify(tr("Another window has this conversation open. Close it there first."))
        elif await self._is_to_go(record):
            try:
                await asyncio.to_thread(_delete, record)
            except (OSError, DogentError) as error:
                self.warn(tr("It could not be deleted: {error}", error=error))
            await self._read(self.list.highlighted or 0)

    async def _is_to_go(self, record: SessionRecord) -> bool:
        title = tr("Delete “{title}”?", title=self.sessions.title(record))
        why = tr(
            "Its transcript and the agent's memory of it are deleted permanently. Documents already"
            " written are kept."
        )
        return await choose(self.app, title, why, (tr("Keep"), tr("Delete"))) == 1


def _delete(record: SessionRecord) -> None:
    """Delete a conversation and the agent's memory of it."""
    delete_session(record)
    for session_id in (record.session_id, *record.before):
        delete_transcript(session_id)
        forget(session_id)
