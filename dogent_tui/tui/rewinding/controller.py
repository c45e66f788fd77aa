"""/rewind: lets the user choose a prompt and what to restore, shows a preview, and carries it
out.
"""

import asyncio
from functools import partial

from dogent_tui.agent.session import OpenedSession
from dogent_tui.errors import DogentError
from dogent_tui.language import ngettext, sentences, tr
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.prompt.controller import READ_ONLY
from dogent_tui.tui.rewinding.model import Preview, RewindPoint, Scope, rewind_points
from dogent_tui.tui.screens.choice import choose
from dogent_tui.tui.screens.offers import Offer, OffersScreen
from dogent_tui.tui.screens.rewind_preview import RewindPreviewScreen
from dogent_tui.tui.screens.withdrawable import answer_of
from dogent_tui.tui.sessions.controller import AT_WORK
from dogent_tui.tui.sessions.model import local_now
from dogent_tui.undo.restoring import changed_places, plan
from dogent_tui.undo.undo_log import Undone

_SCOPES: tuple[Scope, ...] = ("both", "conversation", "files")


class Rewinding:
    """Rewinds the conversation shown by `app`. Its methods must not be awaited in a message
    handler.
    """

    def __init__(self, app: AppPort) -> None:
        self._app = app
        self._root = str(app.opened.workspace.root)

    async def go_back(self) -> None:
        """Let the user choose a prompt, and return to the state before it. Esc goes back one step
        at a time.
        """
        if not await self._app.session.ensure_writable():
            self._say(READ_ONLY)
            return
        opened = self._app.opened
        if opened.service.state == "running":
            self._say(AT_WORK)
            return
        changed = await asyncio.to_thread(changed_places, opened.copies())
        points = rewind_points(self._app.conversation.transcript.model.entries, changed)
        if not points:
            self._say(tr("There is no prompt to rewind to yet."))
            return
        now, at = local_now(), 0
        offers = [
            Offer(
                point.title,
                partial(self._settled, opened, point),
                f"\n  {point.facts(now, self._root)}",
            )
            for point in points
        ]
        title, placeholder = tr("Rewind to before which prompt?"), tr("Find an earlier prompt")
        while True:
            screen = OffersScreen(title, placeholder, offers, at=at)
            chosen = await answer_of(self._app, screen)
            if chosen is None or await chosen.run():
                return
            at = offers.index(chosen)

    async def _settled(self, opened: OpenedSession, point: RewindPoint) -> bool:
        """Let the user decide what to restore. False if they return to the list."""
        while (scope := await self._scope(point)) is not None:
            copies = opened.copies()
            places = (
                []
                if scope == "conversation"
                else await asyncio.to_thread(plan, copies, point.runs, point.changed)
            )
            preview = Preview(point, scope, places, self._root)
            if await answer_of(self._app, RewindPreviewScreen(preview, copies)):
                if self._app.opened is opened:
                    await self._carry_out(opened, preview)
                return True
            if not point.changed:
                return False
        return False

    async def _scope(self, point: RewindPoint) -> Scope | None:
        if not point.changed:
            return "conversation"
        answers = (tr("Conversation and files"), tr("Conversation only"), tr("Files only"))
        why = tr("You'll see a preview before anything changes.")
        chosen = await choose(self._app, tr("What should be restored?"), why, answers)
        return None if chosen is None else _SCOPES[chosen]

    async def _carry_out(self, opened: OpenedSession, preview: Preview) -> None:
        screen, service = self._app.conversation, opened.service
        said = []
        if preview.scope != "files":
            waiting = [service.take_back(queued.id) for queued in service.queued]
            try:
                await service.rewind(preview.point.run_id)
            except DogentError as error:
                self._say(str(error))
                return
            texts = [preview.point.text, *(prompt.text for prompt in waiting if prompt is not None)]
            screen.prompt.put_back("\n\n".join(texts))
            screen.attaching.attach_again(preview.point.attached)
            said.append(tr("The agent forgot the rest."))
        if preview.chosen:
            undone = await asyncio.to_thread(preview.carry_out, opened.copies())
            service.tell_taken_back(undone.restored, undone.removed)
            said.append(_told(undone, typed=not screen.prompt.editor.is_blank))
            screen.look_again()
        self._say(sentences(*said))

    def _say(self, words: str) -> None:
        self._app.conversation.prompt.notify_hint(words)


def _told(undone: Undone, *, typed: bool) -> str:
    """Return a line about what happened to the files. `typed`: the prompt contains text, after
    which no command is recognized.
    """
    done = len(undone.restored) + len(undone.removed)
    said = ngettext(
        "{count} file is as it was; {how} takes that back.",
        "{count} files are as they were; {how} takes that back.",
        done,
        count=done,
        how=tr("Ctrl+P /undo") if typed else "/undo",
    )
    if undone.left:
        left = ngettext(
            "{count} could not be restored.", "{count} could not be restored.", len(undone.left)
        )
        said = f"{said} {left.format(count=len(undone.left))}"
    return said
