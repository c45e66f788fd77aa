"""The review of a change that the agent proposed: hunk by hunk, and nothing is written before
the user says so.
"""

import asyncio
import time
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal
from textual.screen import Screen
from textual.widgets import Static

from dogent_tui.agent.document_review import written
from dogent_tui.agent.events import Reply
from dogent_tui.changes.model import DocumentChange, Verdict
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line, visible
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.prompt.literal import carry, release
from dogent_tui.tui.prompt.picker import ReferencePicker
from dogent_tui.tui.review.inputs import CommentInput, HunkArea
from dogent_tui.tui.review.keys import REVIEW_KEYS
from dogent_tui.tui.review.rows import hunk_lines, preview_text
from dogent_tui.tui.review.task import ReviewTask
from dogent_tui.tui.review.view import HunkList, HunkView
from dogent_tui.tui.screens.withdrawable import Withdrawable
from dogent_tui.tui.stylesheets import stylesheet
from dogent_tui.tui.transcript.markdown import markdown_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.timer import Timer

    from dogent_tui.changes.hunks import Hunk
    from dogent_tui.tui.transcript.lines import Line

WIDE = 110
"""Columns from which the list stands beside the hunk."""
BY_SIDE = 120
"""Columns of the hunk from which what goes stands beside what comes."""
DRAFT_DELAY_S = 0.03
"""Seconds after a change within which it is saved."""

DRAFT_SHARE = 20
"""Times what a draft cost to make, the wait before the next: those of long documents take a
twentieth of a core at most.
"""


class ReviewScreen(Withdrawable[Reply], Screen[Reply]):
    """Reviews the change of `task`. Dismissed with what was decided, None where it stays open
    or was withdrawn. `counter`: see `count`.
    """

    CSS_PATH = stylesheet("review.tcss")
    AUTO_FOCUS = "#review-list"

    BINDINGS: ClassVar[list[BindingType]] = [*REVIEW_KEYS]

    def __init__(self, task: ReviewTask, counter: str = "") -> None:
        super().__init__()
        self.request = task
        self.counter = counter
        self._list = HunkList(
            self.change, self._press, self._choose, self._loses_quote, id="review-list"
        )
        self._view = HunkView(id="review-hunk")
        self._area = HunkArea(id="review-edit", soft_wrap=True, tab_behavior="focus", compact=True)
        if task.completions is not None:
            self._area.picker = ReferencePicker(task.completions, id="review-picker")
        self._line = CommentInput(compact=True, id="review-comment")
        self._said = Static(id="review-said", markup=False)
        self._by_side: bool | None = None
        self._previewing = False
        self._typing = ""
        self._confirming = ""
        self._writing = False
        self._draft_timer: Timer | None = None
        self._draft_delay_s = DRAFT_DELAY_S

    @property
    def change(self) -> DocumentChange:
        """The change under review: another one where the file changed meanwhile."""
        return self.request.reviewed.change

    @property
    def hunk(self) -> "Hunk | None":
        """The hunk under the cursor."""
        hunks = self.change.hunks
        return hunks[self._list.cursor] if hunks else None

    def compose(self) -> ComposeResult:
        """Lay out the list, the hunk, and what is shown around them."""
        self._fit(
            self.app.size.width
        )  # before anything is laid out, which would be done again for it
        yield Static(self._title, id="review-title", classes="screen-title", markup=False)
        summary = Static(visible(self.change.summary.strip()), id="review-summary", markup=False)
        summary.display = bool(self.change.summary.strip())
        yield summary
        with Container(id="review-body"):
            yield self._list
            with Container(id="review-pane"):
                yield self._view
                yield self._area
                if self._area.picker is not None:
                    yield self._area.picker
        with Container(
            id="review-line"
        ):  # one row for both: what is above it need not be laid out again
            with Horizontal(id="review-ask"):
                yield Static(tr("Comment"), id="review-question", markup=False)
                yield self._line
            yield self._said
        yield KeyHints(id="review-keys", first=("apply",), last=("leave", "help"))

    def on_mount(self) -> None:
        """Show the first hunk."""
        self._tell(self.request.notice, warning=bool(self.request.notice))
        self._show()

    def on_resize(self) -> None:
        """Put the list beside the hunk where there is room for both."""
        self._fit(self.size.width)

    def _fit(self, width: int) -> None:
        self.set_class(width >= WIDE, "-wide")
        self._list.styles.height = (
            None if self.has_class("-wide") else max(1, min(6, len(self.change.hunks)))
        )

    def on_unmount(self) -> None:
        """Give the draft away, whatever ends the review."""
        self._give_draft()

    @property
    def _title(self) -> str:
        counter = f"{self.counter} · " if self.counter else ""
        new = tr(" (a new file)") if self.change.is_new else ""
        return tr("{counter}Review of {name}{new}").format(
            counter=counter, name=one_line(self.change.name), new=new
        )

    def count(self, counter: str) -> None:
        """Say which of how many requests this is; empty for the only one."""
        if counter != self.counter:
            self.counter = counter
            self.query_one("#review-title", Static).update(self._title)

    # ── What is shown and said ────────────────────────────────────────────────────────────────────

    def _tell(self, words: str = "", *, warning: bool = False) -> None:
        """Say `words`, or else how much is decided; on two rows where one is too short."""
        text = one_line(words) if words else self._summary
        self._said.set_class(warning, "-warning")
        self.query_one("#review-line").set_class(cell_len(text) > self.app.size.width - 2, "-long")
        self._said.update(text, layout=False)

    @property
    def _summary(self) -> str:
        change = self.change
        if not change.hunks:
            return tr("The proposal matches the file. Enter closes.")
        parts = [
            (change.count("accepted"), tr("{count} accepted")),
            (change.count("rejected"), tr("{count} rejected")),
            (change.count("open"), tr("{count} undecided")),
        ]
        said = tr(", ").join(what.format(count=count) for count, what in parts if count)
        return (
            tr("{said} · preview of the result, p goes back").format(said=said)
            if self._previewing
            else said
        )

    def _show(self, *, is_new: bool = True) -> None:
        """Draw the hunk under the cursor, or the preview of what is around it."""
        self._list.refresh()
        self._view.show(self._lines, is_new=is_new)

    def _lines(self, width: int) -> "Sequence[Line]":
        hunk = self.hunk
        if hunk is None:
            return []
        if self._previewing:
            return markdown_lines(preview_text(self.change, hunk), max(20, width))
        return hunk_lines(
            self.change,
            hunk,
            max(20, width),
            by_side=self._is_by_side,
            loses_quote=self._loses_quote(hunk),
        )

    def _loses_quote(self, hunk: "Hunk") -> bool:
        checked, base = self.request.checked, self.change.base.lines
        return checked is not None and checked.loses_quote(
            base, hunk.start, hunk.end, self.change.lines_of(hunk)
        )

    @property
    def _is_by_side(self) -> bool:
        return self._view.size.width >= BY_SIDE if self._by_side is None else self._by_side

    async def _press(self, key: str) -> bool:
        """Do what `key` means in the list."""
        for binding in REVIEW_KEYS:
            if key in binding.key.split(","):
                return await self.app.run_action(binding.action, self)
        return False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Offer nothing of the list while something is typed."""
        listed = {binding.action.partition("(")[0] for binding in REVIEW_KEYS} - {"help"}
        return not (self._typing and action in listed)

    async def action_help(self) -> None:
        """Show all keys."""
        from dogent_tui.tui.screens.help import HelpScreen, binding_section

        self.app.push_screen(HelpScreen([binding_section(tr("Review"), REVIEW_KEYS)]))

    # ── Going about ───────────────────────────────────────────────────────────────────────────────

    def action_go(self, step: int) -> None:
        """Some hunks down or up."""
        self._choose(max(0, min(self._list.cursor + step, len(self.change.hunks) - 1)))

    def action_next_open(self) -> None:
        """To the next hunk that is undecided, from the start again behind the last."""
        self._go_to_open()

    def _go_to_open(self) -> bool:
        """Go to the next hunk that is undecided. Returns whether there is one."""
        count, cursor = len(self.change.hunks), self._list.cursor
        for step in range(1, count + 1):
            place = (cursor + step) % count
            if self.change.decision(self.change.hunks[place].number).verdict == "open":
                self._choose(place)
                return True
        return False

    def action_scroll(self, pages: int) -> None:
        """A page of the hunk down or up."""
        self._view.roll(pages * max(1, self._view.size.height - 2))

    def _choose(self, place: int) -> None:
        if not self._typing:
            self._list.cursor = max(0, place)
            self._confirming = ""
            self._tell()
            self._show()

    def action_sides(self) -> None:
        """What goes beside what comes, or above it. Out of the preview, which has no sides, back
        to the hunk.
        """
        if self._previewing:
            self.action_preview()
            return
        self._by_side = not self._is_by_side
        self._show()

    def action_preview(self) -> None:
        """What would be written, as it reads, or the hunk again."""
        self._previewing = not self._previewing
        self._tell()
        self._show()

    # ── Deciding ──────────────────────────────────────────────────────────────────────────────────

    def action_decide(self, verdict: Verdict) -> None:
        """Accept or reject the hunk and go to the next that is undecided; the same once more
        takes that back.
        """
        if (hunk := self.hunk) is None:
            return
        again = self.change.decision(hunk.number).verdict == verdict
        self.change.decide(hunk.number, "open" if again else verdict)
        self._keep_soon()
        if again or not self._go_to_open():
            self._changed()

    def action_decide_all(self, verdict: Verdict) -> None:
        """Accept or reject all hunks."""
        self.change.decide_all(verdict)
        self._changed()
        if verdict == "accepted" and self.change.count("open"):
            self._tell(tr("Accept conflicts (!) one by one."), warning=True)

    def _changed(self) -> None:
        self._confirming = ""
        self._tell()
        self._show(is_new=False)
        self._keep_soon()

    def _keep_soon(self) -> None:
        if self._draft_timer is None:
            self._draft_timer = self.set_timer(self._draft_delay_s, self._give_draft)

    def _give_draft(self) -> None:
        timer, self._draft_timer = self._draft_timer, None
        if timer is not None:
            timer.stop()
            if self.request.on_draft is not None:
                began = time.monotonic()
                self.request.on_draft(self.change.draft())
                self._draft_delay_s = max(DRAFT_DELAY_S, DRAFT_SHARE * (time.monotonic() - began))

    # ── Typing ────────────────────────────────────────────────────────────────────────────────────

    def action_edit(self) -> None:
        """Edit what would be written for the hunk."""
        if (hunk := self.hunk) is None:
            return
        self._typing = "edit"
        self._area.border_title = tr("Your version of this hunk")
        self._area.load_text(carry("\n".join(self.change.lines_of(hunk))))
        self._area.move_cursor(self._area.document.end)
        self._swap(self._area, self._view)
        self._tell(tr("Esc keeps and accepts this · Ctrl+X restores it"))

    def action_keep_edit(self) -> None:
        """Take what was typed, and accept it."""
        if (hunk := self.hunk) is not None and self._typing == "edit":
            text = release(self._area.text)
            if text != "\n".join(self.change.lines_of(hunk)):
                self.change.edit(hunk.number, text)
        self.action_drop_edit()
        self._changed()

    def action_drop_edit(self) -> None:
        """Back to the list."""
        self._typing = ""
        self._swap(self._view, self._area)
        self._tell()

    def _swap(self, shown: "HunkArea | HunkView", hidden: "HunkArea | HunkView") -> None:
        shown.display, hidden.display = True, False
        self.set_focus(self._area if shown is self._area else self._list)
        self.refresh_bindings()

    def action_comment(self) -> None:
        """Say something about the hunk to the agent."""
        if (hunk := self.hunk) is None:
            return
        self._typing = "comment"
        self._line.value = carry(self.change.decision(hunk.number).comment)
        self._line.cursor_position = len(self._line.value)
        self._line.placeholder = tr("what the agent should know about this hunk")
        self.query_one("#review-ask").display, self._said.display = True, False
        self.set_focus(self._line)
        self.refresh_bindings()

    def action_keep_comment(self) -> None:
        """Take the comment."""
        if (hunk := self.hunk) is not None and self._typing == "comment":
            self.change.comment(hunk.number, release(self._line.value))
        self.action_leave_comment()
        self._changed()

    def action_leave_comment(self) -> None:
        """Back to the list."""
        self._typing = ""
        self.query_one("#review-ask").display, self._said.display = False, True
        self.set_focus(self._list)
        self.refresh_bindings()

    # ── The end ───────────────────────────────────────────────────────────────────────────────────

    def action_apply(self) -> None:
        """Write what is accepted. Where something is undecided, on the second press."""
        undecided = self.change.count("open")
        if undecided and self._confirming != "apply":
            self._confirming = "apply"
            taken = self.change.count("accepted")
            what = (
                tr("writes the {taken} accepted").format(taken=taken)
                if taken
                else tr("writes nothing")
            )
            self._tell(
                tr("{undecided} undecided: Enter again {what} and leaves these out.").format(
                    undecided=undecided, what=what
                ),
                warning=True,
            )
        elif not self._writing:
            self._writing = True
            self.run_worker(self._apply(), group="review")

    async def _apply(self) -> None:
        try:
            answer = await asyncio.to_thread(written, self.request.reviewed, self.request.copies)
        except DogentError as error:
            self._tell(str(error), warning=True)
            return
        finally:
            self._writing = False
        if answer is not None:
            self._draft_timer = None
            self.leave(answer)
        else:
            self._taken_over()

    def _taken_over(self) -> None:
        """Show the review over what the file holds now."""
        self._list.change = self.change
        self._list.cursor = next(
            (place for place, hunk in enumerate(self.change.hunks) if hunk.is_conflict), 0
        )
        self.on_resize()
        self._changed()
        conflicts = sum(hunk.is_conflict for hunk in self.change.hunks)
        what = (
            tr("{conflicts} in conflict (!)").format(conflicts=conflicts)
            if conflicts
            else tr("no conflicts")
        )
        self._tell(
            tr(
                "The file changed in the meantime, so nothing was written: {what}. Check again,"
                " then press Enter."
            ).format(what=what),
            warning=True,
        )

    def action_leave(self) -> None:
        """Leave the review open."""
        if self._previewing:
            self.action_preview()
        else:
            self.leave(None)
