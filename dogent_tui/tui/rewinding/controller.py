"""/rewind: lets the user choose a prompt and what to restore, shows a preview, and carries it
out.
"""

import asyncio
from functools import partial

from dogent_tui.language import ngettext, sentences, tr
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.rewinding.model import Preview, RewindPoint, Scope, rewind_points
from dogent_tui.tui.screens.choice import choose
from dogent_tui.tui.screens.offers import Offer, OffersScreen
from dogent_tui.tui.screens.rewind_preview import RewindPreviewScreen
from dogent_tui.tui.screens.withdrawable import answer_of
from dogent_tui.tui.sessions.model import local_now
from dogent_tui.undo.restoring import changed_places, plan
from dogent_tui.undo.undo_log import Undone

_SCOPES: tuple[Scope, ...] = ("both", "conversation", "files")


async def rewind(app: AppPort) -> str:
    """Let the user choose a prompt, and return to the state before it. Esc goes back one step at a
    time. Returns a message.

    Must not be awaited in a message handler. Raises DogentError.
    """
    opened = app.opened
    changed = await asyncio.to_thread(changed_places, opened.copies())
    points = rewind_points(app.conversation.transcript.model.entries, changed)
    if not points:
        return tr("There is no prompt to rewind to yet.")
    now, root, at = local_now(), str(opened.workspace.root), 0
    offers = [
        Offer(point.title, partial(_settled, app, point), f"\n  {point.facts(now, root)}")
        for point in points
    ]
    title, placeholder = tr("Rewind to before which prompt?"), tr("Find an earlier prompt")
    while chosen := await answer_of(app, OffersScreen(title, placeholder, offers, at=at)):
        if (said := await chosen.run()) is not None:
            return str(said)
        at = offers.index(chosen)
    return ""


async def _settled(app: AppPort, point: RewindPoint) -> str | None:
    """Let the user decide what to restore, and do it. Returns a message, None if they return to the
    list.
    """
    opened = app.opened
    while (scope := await _scope(app, point)) is not None:
        copies = opened.copies()
        places = (
            []
            if scope == "conversation"
            else await asyncio.to_thread(plan, copies, point.runs, point.changed)
        )
        preview = Preview(point, scope, places, str(opened.workspace.root))
        if await answer_of(app, RewindPreviewScreen(preview, copies)):
            return await _carry_out(app, preview) if app.opened is opened else ""
        if not point.changed:
            break
    return None


async def _scope(app: AppPort, point: RewindPoint) -> Scope | None:
    if not point.changed:
        return "conversation"
    answers = (tr("Conversation and files"), tr("Conversation only"), tr("Files only"))
    why = tr("You'll see a preview before anything changes.")
    chosen = await choose(app, tr("What should be restored?"), why, answers)
    return None if chosen is None else _SCOPES[chosen]


async def _carry_out(app: AppPort, preview: Preview) -> str:
    screen, service, said = app.conversation, app.opened.service, []
    if preview.scope != "files":
        await service.rewind(preview.point.run_id)  # where it fails, what is queued stays so
        waiting = [service.take_back(queued.id) for queued in service.queued]
        texts = [preview.point.text, *(prompt.text for prompt in waiting if prompt is not None)]
        screen.prompt.put_back("\n\n".join(texts))
        screen.attaching.attach_again(preview.point.attached)
        said.append(tr("The agent forgot the rest."))
    if preview.chosen:
        undone = await asyncio.to_thread(preview.carry_out, app.opened.copies())
        service.tell_undone(undone.restored, undone.removed)
        said.append(_told(undone, typed=not screen.prompt.editor.is_blank))
        screen.refresh_files()
    return sentences(*said)


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
    left = len(undone.left)
    more = ngettext(
        "{count} could not be restored.", "{count} could not be restored.", left, count=left
    )
    return sentences(said, more if left else "")
