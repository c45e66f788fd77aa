"""The commands about the current conversation, its cost, and other conversations."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from dogent_tui.agent.tool_names import relative
from dogent_tui.language import and_more, tr
from dogent_tui.plain import one_line
from dogent_tui.storage.paths import display_path
from dogent_tui.tui.clipboard import copy
from dogent_tui.tui.commands.family import CommandFamily, action, command

if TYPE_CHECKING:
    from dogent_tui.undo.undo_log import Undone

_MOST_NAMED = 3
"""The maximum number of files named in one line."""


class ConversationCommands(CommandFamily):
    """The commands about the conversation shown by `app`."""

    @command("attach", "Send a file with the next prompt", "PATH", completes="file")
    async def _attach(self, path: str) -> str:
        return (
            await self._screen.attaching.attach(path)
            if path
            else tr("Specify a file: /attach PATH.")
        )

    @command("review", "Turn review of every file change on or off")
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

    @command("undo", "Bring back what the agent, /archive or /clean changed last", at_once=True)
    async def _undo(self, _: str) -> str:
        from dogent_tui.undo.restoring import undo

        await self._need_writable()
        opened = self._opened
        self._need_idle()
        since = await asyncio.to_thread(self.app.history.entries)
        undone = await asyncio.to_thread(undo, opened.copies())
        if undone is not None and str(self.app.history.file) in undone.restored:
            await asyncio.to_thread(lambda: [self.app.history.append(entry) for entry in since])
            await self.app.load_recall()
        if undone is not None:
            opened.service.tell_undone(undone.restored, undone.removed)
            self._screen.refresh_files()
        return undone_words(undone, str(opened.workspace.root))

    @command("rewind", "Rewind to before a prompt: the conversation, the files or both")
    async def _rewind(self, _: str) -> str:
        from dogent_tui.tui.rewinding.controller import rewind

        await self._need_writable()
        self._need_idle()
        return await rewind(self.app)

    _find = command("find", "Search the conversation or the open document", key="find")(
        action("find")
    )

    @command("copy", "Copy the last reply")
    async def _copy(self, _: str) -> str | None:
        text = self._screen.transcript.model.last_reply()
        if not text:
            return tr("There is no reply to copy yet.")
        await copy(self.app, text)
        return None

    # ── What the agent remembers, and what that costs ─────────────────────────────────────────────

    @command("compact", "Replace what was said by a summary, to make room", "[FOCUS]")
    async def _compact(self, focus: str) -> str | None:
        from dogent_tui.agent.events import Prompt

        opened = self._opened
        if opened.endpoint.kind == "offline":
            return tr(
                "The built-in engine keeps no conversation to compact. /setup connects an AI model."
            )
        await self._need_writable()
        if not opened.service.said:
            return tr("There is nothing to compact yet.")
        await opened.service.submit(Prompt(f"/compact {focus}".rstrip(), compacts=True))
        self._screen.action_follow()
        return None

    @command("context", "Show what fills the context of the agent")
    async def _context(self, _: str) -> None:
        from dogent_tui.tui.context_page import context_page
        from dogent_tui.tui.screens.page import PageScreen

        await self._need_writable()
        service = self._opened.service

        async def found() -> Callable[[int], str]:
            return partial(context_page, await service.context())

        title = tr("What fills the context")
        about = self._screen.status_bar.status.endpoint
        self.app.push_screen(PageScreen(title, found, about=about))

    @command("usage", "Show tokens and cost, and set a budget", "[DOLLARS|off]")
    async def _usage(self, typed: str) -> str | None:
        if typed:
            return await self._set_budget(typed)
        from dogent_tui.storage.usage import usage_since
        from dogent_tui.tui.screens.page import PageScreen
        from dogent_tui.tui.usage_page import DAYS, usage_page

        opened, prompts = self._opened, self._screen.transcript.model.prompts()

        async def found() -> Callable[[int], str]:
            now = datetime.now()
            midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
            entries = await asyncio.to_thread(usage_since, midnight - timedelta(days=DAYS - 1), now)
            service = opened.service
            return partial(usage_page, entries, service.session_id, prompts, service.budget, now)

        self.app.push_screen(PageScreen(tr("Usage"), found))
        return None

    async def _set_budget(self, typed: str) -> str:
        from dogent_tui.tui.budget import dollars

        service, limit = self._opened.service, dollars(typed)
        if limit is None:
            return tr("Specify an amount in dollars: /usage 2.50, or /usage off.")
        if self._opened.endpoint.kind != "anthropic":
            return tr(
                "Only Anthropic's own endpoint says what a run costs; a budget cannot be kept here."
            )
        await self._need_writable()
        await service.set_budget(limit)
        if not limit:
            return tr("This conversation has no budget.")
        return tr("This conversation may cost ${limit:.2f}; then you are asked.", limit=limit)

    # ── This conversation, and others ─────────────────────────────────────────────────────────────

    @command("new", "Start a new conversation", at_once=True)
    async def _new(self, _: str) -> str:
        await self.app.session.open()
        return tr("New conversation.")

    @command("sessions", "Find an earlier conversation to open, rename, fork or delete")
    async def _sessions(self, wanted: str) -> str | None:
        from dogent_tui.tui.sessions.controller import choose_session, open_named

        if wanted:
            return await open_named(self.app, wanted)
        await choose_session(self.app)
        return None

    _resume = command("resume", "Resume an earlier conversation", "[ID]")(_sessions.method)

    @command(
        "export-session",
        "Export this conversation to a file",
        "FILE.md|.html|.json",
    )
    async def _export(self, path: str) -> str:
        from dogent_tui.tui.sessions.formats import export_session

        return await export_session(self.app, path)

    @command("restart", "Restart the agent after it was lost")
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


def undone_words(undone: "Undone | None", root: str) -> str:
    """Return a line about the result of an undo."""
    if undone is None:
        return tr("There are no more changes by the agent to undo in this conversation.")
    did = ((tr("restored {files}"), undone.restored), (tr("deleted {files}"), undone.removed))
    done = tr("; ").join(words.format(files=_listed(paths, root)) for words, paths in did if paths)
    parts = [tr("Undone: {done}", done=done)] if done else []
    if undone.left:
        parts.append(tr("Left unchanged: {files}", files=_listed(undone.left, root)))
    if undone.aside:
        kept = and_more([display_path(path) for path in undone.aside], _MOST_NAMED)
        parts.append(
            tr("Someone else changed it since; its earlier content is in {files}", files=kept)
        )
    return one_line(
        tr("{join}. The change was: {label}", join=". ".join(parts), label=undone.label)
    )


def _listed(paths: Sequence[str], root: str) -> str:
    return and_more([relative(path, root) for path in paths], _MOST_NAMED)
