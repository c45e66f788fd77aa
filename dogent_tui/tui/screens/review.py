"""The review of a change that the agent proposed, hunk by hunk; nothing is written without the
user's consent.
"""

import asyncio
from collections.abc import Callable, Sequence

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Horizontal
from textual.widget import Widget
from textual.widgets import TextArea

from dogent_tui.agent.document_review import written
from dogent_tui.changes.hunks import Hunk
from dogent_tui.changes.model import DocumentChange, Verdict
from dogent_tui.changes.reviewed import Reviewed
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line, visible
from dogent_tui.records import Json, Record
from dogent_tui.sources.quotes.marks import CheckedDraft
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.dialog import Words
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.prompt.citing_area import CitingArea
from dogent_tui.tui.prompt.completion import Completions
from dogent_tui.tui.prompt.picker import ReferencePicker
from dogent_tui.tui.review.rows import hunk_lines, preview_text
from dogent_tui.tui.review.view import HunkList, HunkView
from dogent_tui.tui.screens.editor import LEAVING_KEYS, EditorScreen
from dogent_tui.tui.text_line import TextLine
from dogent_tui.tui.transcript.lines import Lines
from dogent_tui.tui.transcript.markdown import markdown_lines
from dogent_tui.tui.widgets import bound, hidden
from dogent_tui.undo.undo_log import UndoLog

WIDE = 110
"""Columns from which the list is shown beside the hunk."""
BY_SIDE = 120
"""Columns of the hunk from which deleted and inserted text are shown side by side."""

REVIEW_KEYS = (
    bound("enter", "apply", "Write"),
    bound("a", "decide('accepted')", "Accept"),
    bound("r", "decide('rejected')", "Reject"),
    bound("A", "decide_all('accepted')", "Accept all"),
    bound("R", "decide_all('rejected')", "Reject all"),
    bound("e", "edit", "Edit"),
    bound("c", "comment", "Comment"),
    bound("v", "sides", "Columns"),
    bound("p", "preview", "Preview"),
    hidden("pagedown,space", "scroll(1)", "Scroll down"),
    hidden("pageup,b", "scroll(-1)", "Scroll up"),
    bound("j,down", "go(1)", "Next", key_display="j k"),
    hidden("k,up", "go(-1)", "Previous"),
    bound("n", "next_open", "Undecided"),
    hidden("home,g", "go(-1000000)", "First"),
    hidden("end,G", "go(1000000)", "Last"),
    *LEAVING_KEYS,
)
"""They act on the hunk under the cursor, or on all hunks."""


class ReviewTask(Record):
    """The task for which the review is opened.

    `copies` stores what `/undo` restores. `on_draft` is called with the decisions shortly after
    each change. `checked` are the findings of the last check of the document; `completions` what
    may be cited in it.
    """

    reviewed: Reviewed
    copies: UndoLog | None = None
    notice: str = ""
    on_draft: Callable[[Json], object] = lambda _: None
    checked: CheckedDraft | None = None
    completions: Completions | None = None


class HunkArea(CitingArea):
    """The text of a hunk, to be written instead of what was proposed."""

    BINDINGS = [
        bound("escape,ctrl+s", "screen.keep", "Keep and accept"),
        bound("ctrl+x", "screen.back_to_list", "Revert"),
    ]


class CommentInput(TextLine):
    """A comment on a hunk for the agent."""

    BINDINGS = [
        bound("enter", "screen.keep", "Keep"),
        bound("escape", "screen.back_to_list", "Back"),
    ]


class ReviewScreen(EditorScreen):
    """Reviews the change of `task`. Dismissed with the decisions, None if it stays open or was
    withdrawn.
    """

    CSS_PATH = shipped("review.tcss")
    AUTO_FOCUS = "#review-list"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (12, "-medium")]

    BINDINGS = [*REVIEW_KEYS]

    def __init__(self, task: ReviewTask, counter: str = "") -> None:
        super().__init__(counter, task.on_draft, "review-said")
        self.request = task
        self._list = HunkList(self.change, self._choose, self._loses_quote)
        self._view = HunkView()
        self._area = HunkArea(id="review-edit")
        if task.completions is not None:
            self._area.picker = ReferencePicker(task.completions, id="review-picker")
        self._line = CommentInput(
            id="review-comment",
            placeholder=tr("what the agent should know about this hunk"),
        )
        question = Words(tr("Comment"), id="review-question")
        self._ask = Horizontal(question, self._line, id="review-ask")
        # One row for both, so that what is above it need not be laid out again.
        self._bottom = Container(self._ask, self._said, id="review-line")
        self._by_side: bool | None = None
        self._previewing = False
        self._typing: Widget | None = None
        self._writing = False

    @property
    def change(self) -> DocumentChange:
        """The change under review, recomputed if the file changed in the meantime."""
        return self.request.reviewed.change

    @property
    def hunk(self) -> Hunk | None:
        """The hunk under the cursor."""
        hunks = self.change.hunks
        return hunks[self._list.cursor] if hunks else None

    def compose(self) -> ComposeResult:
        """Lay out the list, the hunk, and what surrounds them."""
        # Before anything is laid out, which would have to be repeated.
        self._fit(*self.app.size)
        self.count(self.counter)
        yield self._heading
        summary = Words(visible(self.change.summary.strip()), id="review-summary")
        summary.display = bool(self.change.summary.strip())
        yield summary
        picker = [self._area.picker] if self._area.picker is not None else []
        pane = Container(self._view, self._area, *picker, id="review-pane")
        yield Container(self._list, pane, id="review-body")
        yield self._bottom
        yield KeyHints(id="review-keys", first=("apply",), last=("leave", "app.help"))

    def on_mount(self) -> None:
        """Show the first hunk."""
        self.tell(self.request.notice, warning=bool(self.request.notice))
        self._show()

    def on_resize(self) -> None:
        """Put the list beside the hunk if both fit."""
        self._fit(*self.size)

    def _fit(self, width: int, height: int) -> None:
        is_wide = width >= WIDE
        self.set_class(is_wide, "-wide")
        most = min(6, (height - 6) // 3, len(self.change.hunks))
        self._list.styles.height = None if is_wide else max(1, most)

    @property
    def _title(self) -> str:
        counter = f"{self.counter} · " if self.counter else ""
        new = tr(" (a new file)") if self.change.is_new else ""
        name = one_line(self.change.name)
        return tr("{counter}Review of {name}{new}", counter=counter, name=name, new=new)

    # ── What is shown and said ────────────────────────────────────────────────────────────────────

    def tell(self, words: str = "", *, warning: bool = False) -> None:
        """Show `words`, or else the number of decisions; on two rows if one is too short."""
        is_long = cell_len(one_line(words) or self._summary) > self.app.size.width - 2
        self._bottom.set_class(is_long, "-long")
        super().tell(words, warning=warning)

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
        if self._previewing:
            return tr("{said} · preview of the result, p goes back", said=said)
        return said

    def _show(self, *, is_new: bool = True) -> None:
        """Draw the hunk under the cursor, or the preview around it."""
        self._list.refresh()
        self._view.show(self._lines, is_new=is_new)

    def _lines(self, width: int) -> Lines:
        hunk, width = self.hunk, max(20, width)
        if hunk is None:
            return []
        if self._previewing:
            return markdown_lines(preview_text(self.change, hunk), width)
        by_side, loses_quote = self._is_by_side, self._loses_quote(hunk)
        return hunk_lines(self.change, hunk, width, by_side=by_side, loses_quote=loses_quote)

    def _loses_quote(self, hunk: Hunk) -> bool:
        checked, base = self.request.checked, self.change.base.lines
        return checked is not None and checked.loses_quote(
            base, hunk.start, hunk.end, self.change.lines_of(hunk)
        )

    @property
    def _is_by_side(self) -> bool:
        return self._view.size.width >= BY_SIDE if self._by_side is None else self._by_side

    def offered(self) -> Sequence[Binding]:
        """Return the bindings of all actions available here."""
        return REVIEW_KEYS

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Disable the keys of the list while something is typed or written."""
        listed = {binding.action.partition("(")[0] for binding in REVIEW_KEYS}
        return action not in listed or (self._typing is None and not self._writing)

    # ── Going about ───────────────────────────────────────────────────────────────────────────────

    def action_go(self, step: int) -> None:
        """Move by hunks."""
        self._choose(max(0, min(self._list.cursor + step, len(self.change.hunks) - 1)))

    def action_next_open(self) -> bool:
        """Go to the next undecided hunk, wrapping around. Returns whether there is one."""
        count, cursor = len(self.change.hunks), self._list.cursor
        for step in range(1, count + 1):
            place = (cursor + step) % count
            if self.change.decision(self.change.hunks[place].number).verdict == "open":
                self._choose(place)
                return True
        return False

    def action_scroll(self, pages: int) -> None:
        """Scroll the hunk by a page."""
        self._view.scroll_by(pages * max(1, self._view.size.height - 2))

    def _choose(self, place: int) -> None:
        if self._typing is None:
            self._list.cursor = place
            self._confirming = ""
            self.tell()
            self._show()

    def action_sides(self) -> None:
        """Toggle deleted and inserted text side by side. From the preview, which has no sides,
        return to the hunk.
        """
        if self._previewing:
            self.action_preview()
        else:
            self._by_side = not self._is_by_side
            self._show()

    def action_preview(self) -> None:
        """Toggle a preview of the result."""
        self._previewing = not self._previewing
        self.tell()
        self._show()

    # ── Deciding ──────────────────────────────────────────────────────────────────────────────────

    def action_decide(self, verdict: Verdict) -> None:
        """Accept or reject the hunk and go to the next undecided one; repeating the key reverts the
        decision.
        """
        if (hunk := self.hunk) is None:
            return
        again = self.change.decision(hunk.number).verdict == verdict
        self.change.decide(hunk.number, "open" if again else verdict)
        self._draft.poke()
        if again or not self.action_next_open():
            self._changed()

    def action_decide_all(self, verdict: Verdict) -> None:
        """Accept or reject what is undecided; where nothing is, all on the second press."""
        other: Verdict = "rejected" if verdict == "accepted" else "accepted"
        key, kept = verdict[0].upper(), self.change.count(other)
        if not self.change.decide_all(verdict) and kept:
            warning = (
                tr("{kept} rejected: {key} again accepts these too.", kept=kept, key=key)
                if verdict == "accepted"
                else tr("{kept} accepted: {key} again rejects these too.", kept=kept, key=key)
            )
            if not self.confirmed(key, warning):
                return
            self.change.decide_all(verdict, other)
        self._changed()
        if verdict == "accepted" and self.change.count("open"):
            self.tell(tr("Accept conflicts (!) one by one."), warning=True)

    def _changed(self) -> None:
        self._confirming = ""
        self.tell()
        self._show(is_new=False)
        self._draft.poke()

    def draft(self) -> Json:
        """Return the decisions, with what is being typed."""
        if self._typing is None or (hunk := self.hunk) is None:
            return self.change.draft()
        decided = self.change.decision(hunk.number)
        self._take_typed(hunk)
        draft = self.change.draft()
        self.change.put(hunk.number, decided)
        return draft

    # ── Typing ────────────────────────────────────────────────────────────────────────────────────

    def on_descendant_focus(self) -> None:
        """Keep what is being typed after a click elsewhere or Tab."""
        if self._typing is not None and self.focused is not self._typing:
            self.action_keep()

    @on(TextArea.Changed)
    @on(TextLine.Changed)
    def _typed(self) -> None:
        self._draft.poke()

    def action_edit(self) -> None:
        """Edit the text to be written for the hunk."""
        if (hunk := self.hunk) is not None:
            self._area.border_title = tr("Your version of this hunk")
            self._area.load_text("\n".join(self.change.lines_of(hunk)))
            self._area.move_cursor(self._area.document.end)
            self._type_in(self._area)
            self.tell(tr("Esc keeps and accepts this · Ctrl+X restores it"))

    def action_comment(self) -> None:
        """Comment on the hunk for the agent."""
        if (hunk := self.hunk) is not None:
            self._line.value = self.change.decision(hunk.number).comment
            self._line.cursor_position = len(self._line.value)
            self._type_in(self._line)

    def action_keep(self) -> None:
        """Keep what is typed: the comment, or the text of the hunk, which accepts it."""
        if (hunk := self.hunk) is not None:
            self._take_typed(hunk)
        self.action_back_to_list()
        self._changed()

    def _take_typed(self, hunk: Hunk) -> None:
        text = self._area.raw
        if self._typing is self._line:
            self.change.comment(hunk.number, self._line.value)
        elif text != "\n".join(self.change.lines_of(hunk)):
            self.change.edit(hunk.number, text)

    def action_back_to_list(self) -> None:
        """Discard what is typed, and return to the list."""
        self._type_in(None)
        self.tell()
        self._draft.poke()

    def _type_in(self, field: Widget | None) -> None:
        self._typing = field
        self._area.display, self._view.display = field is self._area, field is not self._area
        self._ask.display, self._said.display = field is self._line, field is not self._line
        self.set_focus(field or self._list)
        self.refresh_bindings()

    # ── The end ───────────────────────────────────────────────────────────────────────────────────

    def action_apply(self) -> None:
        """Write what is accepted. If something is undecided, on the second press."""
        undecided, taken = self.change.count("open"), self.change.count("accepted")
        what = tr("writes the {taken} accepted", taken=taken) if taken else tr("writes nothing")
        warning = tr(
            "{undecided} undecided: Enter again {what} and leaves these out.",
            undecided=undecided,
            what=what,
        )
        if not undecided or self.confirmed("apply", warning):
            self._writing = True
            self.run_worker(self._apply(), group="review")

    async def _apply(self) -> None:
        try:
            answer = await asyncio.to_thread(written, self.request.reviewed, self.request.copies)
        except DogentError as error:
            self.tell(str(error), warning=True)
            return
        finally:
            self._writing = False
        if answer is not None:
            self._draft.stop()
            self.leave(answer)
        else:
            self._taken_over()

    def _taken_over(self) -> None:
        """Show the review against the current content of the file."""
        self._list.change = self.change
        conflicts = [place for place, hunk in enumerate(self.change.hunks) if hunk.is_conflict]
        self._list.cursor = next(iter(conflicts), 0)
        self.on_resize()
        self._changed()
        what = (
            tr("{conflicts} in conflict (!)", conflicts=len(conflicts))
            if conflicts
            else tr("no conflicts")
        )
        words = tr(
            "The file changed in the meantime, so nothing was written: {what}. Check again,"
            " then press Enter.",
            what=what,
        )
        self.tell(words, warning=True)

    def action_leave(self) -> None:
        """Leave the review open."""
        if self._previewing:
            self.action_preview()
        else:
            self.leave(None)
