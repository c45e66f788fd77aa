"""The commands about the conversation on the screen, and about beginning another."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dogent_tui.agent.tool_names import relative
from dogent_tui.language import and_more, tr
from dogent_tui.plain import one_line
from dogent_tui.tui.commands.family import CommandFamily, action, command

if TYPE_CHECKING:
    from dogent_tui.undo.undo_log import Undone

_MOST_NAMED = 3
"""Files that a line names."""


class ConversationCommands(CommandFamily):
    """The commands about the conversation that `app` shows."""

    _find = command("find", tr("Search the transcript"), key="find")(action("find"))

    @command("attach", tr("Send a file with the next prompt"), "PATH", completes="file")
    async def _attach(self, path: str) -> str:
        return (
            await self._screen.attaching.attach(path)
            if path
            else tr("Specify a file: /attach PATH.")
        )

    @command("copy", tr("Copy the last reply"))
    async def _copy(self, _: str) -> str | None:
        text = self._screen.transcript.last_reply()
        if not text:
            return tr("There is no reply to copy yet.")
        await self._screen.copy(text)
        return None

    @command("new", tr("Start a new conversation"), at_once=True)
    async def _new(self, _: str) -> str:
        await self.app.session.open()
        return tr("New conversation.")

    @command("restart", tr("Restart the agent after it was lost"))
    async def _restart(self, _: str) -> str:
        await self._need_writable()
        service = self._opened.service
        if service.state != "lost":
            return tr("The agent is running.")
        await service.restart()
        return (
            tr("The agent did not start.")
            if service.state == "lost"
            else tr("The agent runs again.")
        )

    @command("review", tr("Turn review of every file change on or off"))
    async def _review(self, _: str) -> str:
        mode = self._opened.review_mode
        mode.on = not mode.on
        self._screen.status_bar.refresh()
        return (
            tr("You now review every file change before it is written. Use /review again to stop.")
            if mode.on
            else tr(
                "The agent writes files itself again; you still review the changes it proposes."
            )
        )

    @command("undo", tr("Bring back what the agent, /archive or /clean changed last"), at_once=True)
    async def _undo(self, _: str) -> str:
        await self._need_writable()
        opened = self._opened
        self._need_idle()
        since = await asyncio.to_thread(self.app.history.entries)
        undone = await asyncio.to_thread(opened.copies().undo)
        if undone is not None and str(self.app.history.file) in undone.restored:
            await asyncio.to_thread(lambda: [self.app.history.append(entry) for entry in since])
            await self.app.load_recall()
        if undone is not None:
            opened.service.tell_taken_back(undone.restored, undone.removed)
            self._screen.look_again()
        return undone_words(undone, str(opened.workspace.root))


def undone_words(undone: "Undone | None", root: str) -> str:
    """Return the line that says what an undo did."""
    if undone is None:
        return tr("There are no more changes by the agent to undo in this conversation.")
    did = ((tr("restored {files}"), undone.restored), (tr("deleted {files}"), undone.removed))
    done = tr("; ").join(words.format(files=_listed(paths, root)) for words, paths in did if paths)
    parts = [tr("Undone: {done}", done=done)] if done else []
    if undone.left:
        parts.append(tr("Left unchanged: {files}", files=_listed(undone.left, root)))
    return one_line(
        tr("{join}. The change was: {label}", join=". ".join(parts), label=undone.label)
    )


def _listed(paths: Sequence[str], root: str) -> str:
    return and_more([relative(path, root) for path in paths], _MOST_NAMED)
