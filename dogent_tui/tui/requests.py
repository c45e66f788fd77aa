"""Shows requests to the user on screens, one at a time, saves drafts of the answers, and sends the
answers.
"""

import asyncio
import os
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

from dogent_tui.agent.events import (
    Event,
    PermissionAnswer,
    PermissionDecided,
    PermissionRequested,
    Reply,
    Request,
    RunFinished,
    UiAnswer,
    UiRequested,
    UiSettled,
)
from dogent_tui.agent.ui_requests import ChangeRequest, Clarification, OutlineRequest, read_request
from dogent_tui.errors import AgentError, DogentError
from dogent_tui.language import tr
from dogent_tui.records import Json
from dogent_tui.storage.text_file import save_new
from dogent_tui.tui.questions.guard import TYPING_S
from dogent_tui.tui.questions.model import Question
from dogent_tui.tui.screens.permission import PermissionScreen, make_room
from dogent_tui.tui.trust_question import settle_trust

if TYPE_CHECKING:
    from dogent_tui.tui.ports import ConversationPort
    from dogent_tui.tui.screens.clarification import ClarificationScreen
    from dogent_tui.tui.screens.outline import OutlineScreen
    from dogent_tui.tui.screens.review import ReviewScreen

Kind = TypeVar("Kind", bound=Request)


_RequestScreen: TypeAlias = "PermissionScreen | ClarificationScreen | OutlineScreen | ReviewScreen"


class RequestQueue(Generic[Kind]):
    """A queue of requests, with a counter for those that arrived together. `shown` is the screen of
    the current one, None if it is not shown.
    """

    def __init__(self, words: str) -> None:
        """`words` is the text of the counter, with ``{number}`` and ``{total}``."""
        self.waiting: tuple[Kind, ...] = ()
        self.shown: _RequestScreen | None = None
        self._words = words
        self._done = 0

    @property
    def current(self) -> Kind | None:
        """The current request."""
        return self.waiting[0] if self.waiting else None

    @property
    def counter(self) -> str:
        """The number of this request and the total since the queue was last empty; empty for a
        single one.
        """
        total = self._done + len(self.waiting)
        return (
            self._words.format(number=self._done + 1, total=total)
            if self.waiting and total > 1
            else ""
        )

    def add(self, request: Kind) -> None:
        """Append `request`."""
        self.waiting = (*self.waiting, request)
        if self.shown is not None:
            self.shown.count(self.counter)

    def settle(self, request_id: str) -> bool:
        """Remove a request that was answered or is obsolete, also from the screen. Returns whether
        the screen is free for another.

        One that was never shown reduces the total; the current one counts as done.
        """
        left = tuple(each for each in self.waiting if each.request_id != request_id)
        if left == self.waiting:
            return False
        is_current = left == self.waiting[1:]
        self.waiting, self._done = left, self._done + is_current if left else 0
        if self.shown is None:
            return True
        if is_current:
            self.shown.leave(None)
        else:
            self.shown.count(self.counter)
        return False

    def clear(self) -> None:
        """Remove all of them."""
        self.waiting, self._done = (), 0
        if self.shown is not None:
            self.shown.leave(None)


class RequestController:
    """The requests of one conversation. The service knows what is open; this class only shows it.

    `questions` ask for permission: one is shown immediately, over whatever is there. The agent's
    requests on `screens` wait until its run has ended or waits for them, and no question is open.
    """

    def __init__(self, screen: "ConversationPort") -> None:
        self.questions = RequestQueue[PermissionRequested](tr("question {number} of {total}"))
        self.screens = RequestQueue[UiRequested](tr("{number} of {total}"))
        self._screen = screen
        self._editor = screen.prompt.editor
        self._workspace = screen.opened.workspace
        self.root = str(self._workspace.root)
        self._own: dict[str, asyncio.Future[Any]] = {}
        self._opening = False
        self._due = False
        self._keeper = screen.app.edits

    def handle(self, event: Event) -> None:
        """Queue what arrived, and remove what is settled."""
        match event:
            case PermissionRequested():
                self.questions.add(event)
                self._ask_next()
            case UiRequested():
                self.screens.add(event)
                self._screens_changed()
                if event.in_run:
                    self.put()
            case PermissionDecided(request_id=request_id):
                self._settle(request_id)
            case UiSettled(request_id=request_id):
                self._settle(request_id)
                self._keeper.keep(request_id, None)
                self._screens_changed()
            case RunFinished():
                self.put()

    async def ask(self, request: PermissionRequested) -> PermissionAnswer | None:
        """Queue a question of the application itself. Returns the answer, None if the session was
        closed.
        """
        answer = asyncio.get_running_loop().create_future()
        self._own[request.request_id] = answer
        self.handle(request)
        try:
            return cast("PermissionAnswer | None", await answer)
        finally:
            self._own.pop(request.request_id, None)
            self._settle(request.request_id)

    def restore(self, requests: Sequence[UiRequested]) -> None:
        """Show what an earlier session left undecided."""
        for request in requests:
            self.screens.add(request)
        self._screens_changed()
        self.put()

    def clear(self) -> None:
        """Remove everything open: the session that asked was closed."""
        for answer in self._own.values():
            if not answer.done():
                answer.set_result(None)
        self.questions.clear()
        self.screens.clear()
        self._screens_changed()

    def put(self) -> None:
        """Open the first screen if it is new, nothing is asked, and the user does not type."""
        if self._due and self._editor.text and self._is_typing:
            self._screen.set_timer(TYPING_S, self.put)
        elif self._due and self._screen.app.screen is self._screen:
            self.open()

    def open(self) -> bool:
        """Open the first screen. Returns whether there is one."""
        request = self.screens.current
        if request is not None and self.screens.shown is None and not self._opening:
            self._opening = True
            self._screen.run_worker(self._show(request), group="requests")
        return request is not None

    # ── Screens ───────────────────────────────────────────────────────────────────────────────────

    def _ask_next(self) -> None:
        request = self.questions.current
        if request is None:
            make_room(self._screen, 0)
        elif self.questions.shown is None:
            question = Question(request, self.root)
            screen = PermissionScreen(
                question, self._screen, typing=self._is_typing, counter=self.questions.counter
            )
            self._push(self.questions, request, screen)

    async def _show(self, request: UiRequested) -> None:
        try:
            screen = await asyncio.to_thread(self._made, request)  # a long outline takes a while
        except DogentError as error:
            self._due = False
            self._screen.notify(str(error), severity="warning")
            return
        finally:
            self._opening = False
        if request in self.screens.waiting and self._screen.app.screen is self._screen:
            self._due = False
            self._push(self.screens, request, screen)

    def _push(self, queue: RequestQueue[Any], request: Request, screen: _RequestScreen) -> None:
        queue.shown = screen
        self._screen.app.push_screen(screen, lambda answer: self._left(queue, request, answer))

    def _left(self, queue: RequestQueue[Any], request: Request, answer: Reply | None) -> None:
        """Send the answer; None: the request stays open, or is no longer open."""
        queue.shown = None
        own = self._own.get(request.request_id)
        if own is not None and not own.done():
            own.set_result(answer)
        elif answer is not None:
            self._screen.run_worker(self._reply(request, answer), group="answers")
        else:
            self._go_on(queue)

    def _go_on(self, queue: RequestQueue[Any]) -> None:
        if queue is self.questions:
            self._ask_next()
        self._screen.call_later(self.put)

    async def _reply(self, request: Request, answer: Reply) -> None:
        """Send an answer. In a resumed conversation it may start the first run here: trust is asked
        about before.
        """
        try:
            if isinstance(answer, UiAnswer) and not answer.is_empty:
                await settle_trust(self._screen.app, self._screen.opened)
            await self._screen.service.reply(request.request_id, answer)
        except AgentError as error:
            self._screen.notify(str(error), severity="warning")
            if isinstance(answer, PermissionAnswer):
                self._settle(request.request_id)

    def _settle(self, request_id: str) -> None:
        for queue in (self.questions, self.screens):
            if queue.settle(request_id):
                self._go_on(queue)

    def _screens_changed(self) -> None:
        self._due = bool(self.screens.waiting)
        self._screen.asked.show(self.screens.waiting)

    @property
    def _is_typing(self) -> bool:
        return time.monotonic() - self._editor.last_typed < TYPING_S

    def _made(self, request: UiRequested) -> _RequestScreen:
        """Return the screen for `request`. Blocks. Raises DogentError if a document can no longer
        be reviewed.
        """
        draft = self._keeper.drafts.load(request.request_id)
        match read_request(request.payload):
            case Clarification() as asked:
                return self._form(request, asked, draft)
            case ChangeRequest() as asked:
                return self._review(request, asked, draft)
            case asked:
                return self._outline(request, asked, draft)

    def _form(
        self, request: UiRequested, asked: Clarification, draft: Json | None
    ) -> "ClarificationScreen":
        from dogent_tui.tui.screens.clarification import ClarificationScreen

        return ClarificationScreen(
            asked,
            draft=draft,
            on_draft=partial(self._keep, request),
            typed=self._editor.insert,
            counter=self.screens.counter,
        )

    def _outline(
        self, request: UiRequested, asked: OutlineRequest, draft: Json | None
    ) -> "OutlineScreen":
        from dogent_tui.tui.screens.outline import OutlineScreen, OutlineTask

        kept = (draft or {}).get("outline")
        task = OutlineTask(
            title=asked.title,
            proposal=asked.outline_text,
            preface=asked.preface,
            draft=kept if isinstance(kept, str) else None,
            on_draft=lambda markdown: self._keep(request, {"outline": markdown}),
            save_as=lambda name, text: save_new(self._workspace, name, text),
            completions=self._screen.prompt.completions,
        )
        return OutlineScreen(task, self.screens.counter)

    def _review(
        self, request: UiRequested, asked: ChangeRequest, draft: Json | None
    ) -> "ReviewScreen":
        from dogent_tui.agent.document_review import review_of
        from dogent_tui.tui.screens.review import ReviewScreen, ReviewTask

        reviewed = review_of(self._workspace, asked)
        is_restored = draft is not None and reviewed.change.restore(draft)
        is_other = reviewed.refresh()
        if draft is not None and not is_restored:  # decided against a later content of the file
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
            self._screen.opened.copies(),
            notice,
            partial(self._keep, request),
            self._screen.opened.libraries.checked.get(
                Path(os.path.realpath(self._workspace.absolute(asked.path)))
            ),
            self._screen.prompt.completions,
        )
        return ReviewScreen(task, self.screens.counter)

    def _keep(self, request: UiRequested, draft: Json) -> None:
        """Save the draft of an answer; the last one may arrive after the request was settled."""
        if request in self.screens.waiting:
            self._keeper.keep(request.request_id, draft)
