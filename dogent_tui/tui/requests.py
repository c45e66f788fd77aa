"""What the agent asks on a screen of its own: opens it, keeps what was answered so far, and
sends the answers.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from textual.screen import Screen

from dogent_tui.agent.change_requests import ChangeRequest, read_request
from dogent_tui.agent.events import (
    Event,
    PermissionDecided,
    RunFinished,
    UiAnswer,
    UiRequested,
    UiSettled,
)
from dogent_tui.agent.ui_requests import Clarification, OutlineRequest
from dogent_tui.errors import AgentError, DogentError
from dogent_tui.language import tr
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.text_file import save_new
from dogent_tui.tui.draft_keeper import DraftKeeper
from dogent_tui.tui.prompt.completion import Completions
from dogent_tui.tui.questions.guard import TYPING_S
from dogent_tui.tui.request_banner import RequestBanner

if TYPE_CHECKING:  # imported when one is opened
    from dogent_tui.sources.quotes.marks import Checked
    from dogent_tui.tui.clarification.model import FormResult
    from dogent_tui.tui.outline.task import OutlineResult
    from dogent_tui.tui.review.task import ReviewResult
    from dogent_tui.tui.screens.clarification import ClarificationScreen
    from dogent_tui.tui.screens.outline import OutlineScreen
    from dogent_tui.tui.screens.review import ReviewScreen
    from dogent_tui.undo.undo_log import UndoLog


class RequestContext(msgspec.Struct, frozen=True):
    """What the controller needs of the conversation. `last_typed` is on the monotonic clock;
    `typed` takes stray letters; `checked` is what was found in the document of a name;
    `completions` is what may be cited.

    `reply` raises AgentError where the answer was not sent: the request is open then as before, or
    not any more.
    """

    reply: Callable[[str, UiAnswer], Awaitable[None]]
    last_typed: Callable[[], float]
    typed: Callable[[str], object]
    edits: DraftKeeper
    workspace: Workspace
    copies: Callable[[], "UndoLog"]
    checked: Callable[[str], "Checked | None"]
    completions: Completions


class RequestController:
    """The requests of one conversation, one screen after the other. What is open is known to the
    service, and here only shown.
    """

    def __init__(
        self, screen: Screen[None], banner: RequestBanner, context: RequestContext
    ) -> None:
        self.context = context
        self._screen = screen
        self._banner = banner
        self._open: list[UiRequested] = []
        self._shown: ClarificationScreen | OutlineScreen | ReviewScreen | None = None
        self._shown_for = ""
        self._opening = False
        self._due = False
        self._done = 0
        self._keeper = context.edits

    def handle(self, event: Event) -> None:
        """Show a request once its run has ended, or at once where the run waits for it; take
        away one that is settled.
        """
        match event:
            case UiRequested():
                self._open.append(event)
                self._banner.show(self._open)
                self._due = True
                if self._shown is not None:
                    self._shown.count(self._counter)
                elif event.in_run:
                    self.put()
            case RunFinished() | PermissionDecided():
                self.put()
            case UiSettled(request_id=request_id):
                self._settle(request_id)

    def restore(self, requests: Sequence[UiRequested]) -> None:
        """Show what an earlier session left open."""
        self._open = list(requests)
        self._banner.show(self._open)
        self._due = True
        self.put()

    def clear(self) -> None:
        """Forget what is open: the session that asked is left."""
        self._open, self._done = [], 0
        self._banner.show(())
        if self._shown is not None:
            self._shown.cancel()

    @property
    def _counter(self) -> str:
        """Which request of how many the first one is, counted from the last time that none was
        open; empty for a single one.
        """
        total = self._done + len(self._open)
        return (
            tr("{number} of {total}").format(number=self._done + 1, total=total)
            if total > 1
            else ""
        )

    def put(self) -> None:
        """Open the first request, where something came that was not seen yet, and nothing else
        is asked just now.
        """
        if self._due and self._screen.app.screen is self._screen:
            self.open()

    def open(self) -> bool:
        """Open the first request. Returns whether there is one."""
        if self._open and self._shown is None and not self._opening:
            self._opening = True
            self._screen.run_worker(self._show(self._open[0]), group="requests")
        return bool(self._open)

    async def _show(self, request: UiRequested) -> None:
        try:
            draft = await asyncio.to_thread(self._keeper.drafts.load, request.request_id)
        finally:
            self._opening = False
        if request not in self._open or self._screen.app.screen is not self._screen:
            return
        self._due, self._shown_for = False, request.request_id
        parsed = read_request(request.payload)
        if isinstance(parsed, Clarification):
            form = self._form(request, parsed, draft)
            self._shown = form
            self._screen.app.push_screen(
                form, lambda result: self._left(request, result and form_answer(result))
            )
        elif isinstance(parsed, ChangeRequest):
            try:
                review = await asyncio.to_thread(self._review, request, parsed, draft)
            except DogentError as error:
                self._screen.notify(str(error), severity="warning", markup=False)
                return
            self._shown = review
            self._screen.app.push_screen(
                review, lambda result: self._left(request, result and review_answer(result))
            )
        else:
            editor = await self._editor(request, parsed, draft)
            self._shown = editor
            self._screen.app.push_screen(
                editor, lambda result: self._left(request, result and outline_answer(result))
            )

    def _form(
        self, request: UiRequested, asked: Clarification, draft: Mapping[str, Any] | None
    ) -> "ClarificationScreen":
        from dogent_tui.tui.screens.clarification import ClarificationScreen

        return ClarificationScreen(
            asked,
            draft=draft,
            on_draft=lambda changed: self._keep(request, changed),
            typed=self.context.typed,
            typing=time.monotonic() - self.context.last_typed() < TYPING_S,
            counter=self._counter,
        )

    async def _editor(
        self, request: UiRequested, asked: OutlineRequest, draft: Mapping[str, Any] | None
    ) -> "OutlineScreen":
        from dogent_tui.tui.outline.task import OutlineTask
        from dogent_tui.tui.screens.outline import OutlineScreen

        kept = (draft or {}).get("outline")
        task = OutlineTask(
            title=asked.title,
            proposal=asked.outline_text,
            preface=asked.preface,
            draft=kept if isinstance(kept, str) else None,
            on_draft=lambda markdown: self._keep(request, {"outline": markdown}),
            save_as=lambda name, text: save_new(self.context.workspace, name, text),
        )
        return await asyncio.to_thread(
            OutlineScreen, task, self._counter
        )  # parsing a long outline takes a while

    def _review(
        self, request: UiRequested, asked: ChangeRequest, draft: Mapping[str, Any] | None
    ) -> "ReviewScreen":
        """Return the review of a change. Blocks. Raises DogentError where the document cannot be
        reviewed any more.
        """
        from dogent_tui.changes.applying import Reviewed
        from dogent_tui.tui.review.task import ReviewTask
        from dogent_tui.tui.screens.review import ReviewScreen

        reviewed = Reviewed.open(
            self.context.workspace,
            asked.path,
            asked.new_content,
            asked.summary,
            base=None if asked.base is None else asked.base.encode("utf-8"),
            approved=Path(asked.place) if asked.place else None,
        )
        is_restored = draft is not None and reviewed.change.restore(draft)
        is_other = reviewed.refresh()
        if draft is not None and not is_restored:  # decided over what the file held later
            is_restored = reviewed.change.restore(draft)
        notice = tr("Your earlier decisions were restored.") if is_restored else ""
        if is_other:
            notice = tr("The file changed after this was proposed; conflicts are marked (!).")
        if asked.is_unread:
            notice = tr(
                "The agent has not read all of this file: check what its text would replace."
            )
        task = ReviewTask(
            reviewed,
            self.context.copies(),
            notice,
            lambda decided: self._keep(request, decided),
            self.context.checked(asked.path),
            self.context.completions,
        )
        return ReviewScreen(task, self._counter)

    def _keep(self, request: UiRequested, draft: Mapping[str, Any]) -> None:
        """Keep what was answered so far; the last of it may come when the request is settled
        already.
        """
        if request in self._open:
            self._keeper.keep(request.request_id, draft)

    def _left(self, request: UiRequested, answer: UiAnswer | None) -> None:
        """Send the answer; None: the request stays open, or is not open any more."""
        self._shown = None
        if answer is None:
            self._screen.call_later(self.put)
        else:
            self._answer(request, answer)

    def _answer(self, request: UiRequested, answer: UiAnswer) -> None:
        self._screen.run_worker(self._reply(request, answer), group="answers")

    async def _reply(self, request: UiRequested, answer: UiAnswer) -> None:
        try:
            await self.context.reply(request.request_id, answer)
        except AgentError as error:
            self._screen.notify(str(error), severity="warning", markup=False)

    def _settle(self, request_id: str) -> None:
        self._open = [request for request in self._open if request.request_id != request_id]
        self._done = self._done + 1 if self._open else 0
        self._banner.show(self._open)
        self._keeper.keep(request_id, None)
        self._due = bool(self._open)
        if self._shown is not None and self._shown_for == request_id:
            self._shown.cancel()
        else:
            self._screen.call_later(self.put)

    async def close(self) -> None:
        """Wait until what was answered so far is saved."""
        await self._keeper.settle()


def form_answer(result: "FormResult") -> UiAnswer | None:
    """Return the answer of a form that was left, None where the questions stay open."""
    if result.outcome == "left":
        return None
    return UiAnswer(answers=result.answers) if result.outcome == "sent" else UiAnswer()


def outline_answer(result: "OutlineResult") -> UiAnswer | None:
    """Return the answer of an outline editor that was left, None where the outline stays open."""
    if result.outcome == "left":
        return None
    if result.outcome == "abandoned":
        return UiAnswer()
    return UiAnswer(outline=result.markdown, comment=result.comment, changes=result.changes)


def review_answer(result: "ReviewResult") -> UiAnswer | None:
    """Return the answer of a review that was left, None where it stays open."""
    return None if result.outcome == "left" else UiAnswer(review=result.text, over=result.over)
