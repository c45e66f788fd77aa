"""The outline editor: a proposal of the agent, or a document of the workspace, as a tree that
the keyboard rearranges.
"""

import asyncio
import time
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.screen import Screen
from textual.widgets import Static, TextArea

from dogent_tui.agent.events import Reply, UiAnswer
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.outline.edit_session import STEPS, OutlineEditing
from dogent_tui.outline.markdown import same_sections
from dogent_tui.plain import one_line, visible
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.outline.inputs import (
    QUESTIONS,
    Asked,
    LineInput,
    NoteArea,
    RawMarkdown,
    TitleInput,
)
from dogent_tui.tui.outline.keys import EDITOR_KEYS
from dogent_tui.tui.outline.palette import OutlineCommands
from dogent_tui.tui.outline.preview import OutlinePreview
from dogent_tui.tui.outline.raw_mode import RawMode
from dogent_tui.tui.outline.task import OutlineTask
from dogent_tui.tui.outline.title_edit import TitleEditing
from dogent_tui.tui.outline.view import EditRequest, OutlineView
from dogent_tui.tui.prompt.literal import carry, release
from dogent_tui.tui.prompt.picker import ReferencePicker
from dogent_tui.tui.screens.withdrawable import Withdrawable
from dogent_tui.tui.stylesheets import stylesheet

if TYPE_CHECKING:
    from textual.timer import Timer


WIDE = 120
"""Columns from which the preview stands beside the tree."""
WIDEST = 160
"""Columns from which the tree stays in sight beside the Markdown as well."""

DRAFT_DELAY_S = 0.03
"""Seconds after a change within which it is saved."""

DRAFT_SHARE = 20
"""Times what a draft cost to make, the wait before the next: those of long documents take a
twentieth of a core at most.
"""
PREVIEW_DELAY_S = 0.12
"""Seconds until the preview is laid out: while a key is held down nothing waits for it."""


class OutlineScreen(Withdrawable[Reply], Screen[Reply]):
    """Edits the outline of `task`. Dismissed with the answer, or with None where it stays
    open or was withdrawn.

    `counter`: see `count`. `owns_undo` tells the application that Ctrl+Z means something here.
    """

    CSS_PATH = stylesheet("outline.tcss")
    COMMANDS: ClassVar = {OutlineCommands}
    AUTO_FOCUS = "#outline-tree"
    owns_undo = True

    BINDINGS: ClassVar[list[BindingType]] = [*EDITOR_KEYS]

    def __init__(self, task: OutlineTask, counter: str = "") -> None:
        super().__init__()
        self.request = task
        self.counter = counter
        self.editing = OutlineEditing(task.proposal, task.draft, is_document=task.save is not None)
        self._view = OutlineView(
            self.editing.tree, self._press, self._edit_title, id="outline-tree"
        )
        self._titling = TitleEditing(self.editing, self._view, self._changed)
        self._preview = OutlinePreview(self.editing.tree, id="outline-preview")
        self._line = LineInput(compact=True, id="outline-line")
        self._note = NoteArea(id="outline-note", soft_wrap=True, tab_behavior="focus", compact=True)
        self._raw_area = RawMarkdown(id="outline-raw")
        self._picker = (
            ReferencePicker(task.completions, id="outline-picker") if task.completions else None
        )
        self._note.picker = self._raw_area.picker = self._picker
        self.raw = RawMode(self.editing, self._raw_area, self._raw_followed)
        self._said = Static(id="outline-said", markup=False)
        self._noted: int | None = None
        self._asked: Asked | None = None
        self._confirming = ""
        self._draft_timer: Timer | None = None
        self._draft_delay_s = DRAFT_DELAY_S
        self._preview_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the tree and everything that is shown around it."""
        yield Static(self._title, id="outline-title", classes="screen-title", markup=False)
        preface = Static(visible(self.request.preface.strip()), id="outline-preface", markup=False)
        preface.display = bool(self.request.preface.strip())
        yield preface
        with Horizontal(id="outline-body"):
            with Container(id="outline-pane"):
                yield self._view
                yield self._titling.line
            yield self._raw_area
            yield self._preview
        yield self._note
        if self._picker is not None:
            yield self._picker
        with Horizontal(id="outline-ask"):
            yield Static(id="outline-question", markup=False)
            yield self._line
        yield self._said
        yield KeyHints(
            id="outline-keys", first=("send", "save", "edit", "accept"), last=("leave", "help")
        )

    def on_mount(self) -> None:
        """Show how the draft differs from the proposal."""
        self._view.marks = self.editing.changes.marks
        self._tell(self.request.notice, warning=bool(self.request.notice))
        self.watch(self._view, "scroll_y", self._titling.place, init=False)

    def on_resize(self) -> None:
        """Show the preview where there is room for it."""
        width = self.size.width
        self.set_class(width >= WIDE, "-wide")
        self.set_class(width >= WIDEST, "-widest")
        self._schedule_preview()
        self.call_after_refresh(self._titling.place)

    def on_unmount(self) -> None:
        """Give the draft away, whatever ends the editor."""
        self._give_draft()

    @property
    def _title(self) -> str:
        counter = f"{self.counter} · " if self.counter else ""
        return f"{counter}{one_line(self.request.title)}"

    def count(self, counter: str) -> None:
        """Say which of how many requests this is; empty for the only one."""
        if counter != self.counter:
            self.counter = counter
            self.query_one("#outline-title", Static).update(self._title)

    # ── What is said and offered ──────────────────────────────────────────────────────────────────

    def _tell(self, words: str = "", *, warning: bool = False) -> None:
        """Say `words` below the outline, or else how much there is and what was changed."""
        self._said.set_class(warning, "-warning")
        self._said.update(
            one_line(words) if words else self._summary, layout=False
        )  # it has one line, whatever it says

    @property
    def _summary(self) -> str:
        return (
            tr("{summary} · Ctrl+T or Esc: tree").format(summary=self.editing.summary)
            if self.has_class("-raw")
            else self.editing.summary
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer in each mode what it has."""
        name = f"{action}('{parameters[0]}')" if action == "ask" and parameters else action
        if not self.request.offers(name):
            return False
        if self._asked or self._titling.is_on or self._noted is not None:
            return action not in {binding.action.partition("(")[0] for binding in EDITOR_KEYS} - {
                "help"
            }
        if self.has_class("-raw"):
            return action not in ("ask", "note", "undo", "redo", "accept", "abandon")
        return True

    def offered(self) -> list[Binding]:
        """Return the bindings of all there is to do here."""
        own = [binding for binding in EDITOR_KEYS if self.request.offers(binding.action)]
        return own + [binding for binding in OutlineView.BINDINGS if isinstance(binding, Binding)]

    async def perform(self, action: str) -> bool:
        """Run an action of the editor or of its tree, and say whether that could be done now."""
        is_own = hasattr(self, f"action_{action.partition('(')[0]}")
        return await self.app.run_action(action, self if is_own else self._view)

    async def _press(self, key: str) -> bool:
        """Do what `key` does in the tree."""
        actions = (binding.action for binding in self.offered() if key in binding.key.split(","))
        action = next(actions, None)
        return action is not None and await self.perform(action)

    async def action_help(self) -> None:
        """Show all keys."""
        from dogent_tui.tui.screens.help import HelpScreen, binding_section

        sections = [
            binding_section(tr("Outline"), OutlineView.BINDINGS),
            binding_section(tr("While typing a title"), TitleInput.BINDINGS),
            binding_section(
                tr("Editor"), [b for b in EDITOR_KEYS if self.request.offers(b.action)]
            ),
        ]
        self.app.push_screen(HelpScreen(sections))

    # ── What changes ──────────────────────────────────────────────────────────────────────────────

    def _edit_title(self, request: EditRequest) -> None:
        self._titling.begin(request)
        self._tell(tr("Enter: next heading · Tab: deeper · Esc: done"))

    @on(OutlineView.Moved)
    def _moved(self) -> None:
        self._confirming = ""
        if self._view.is_fixed:
            self.raw.show_cursor()
        self._tell()
        self._schedule_preview()

    @on(OutlineView.Refused)
    def _refused(self, event: OutlineView.Refused) -> None:
        self._tell(event.why, warning=True)

    @on(OutlineView.Changed)
    def _changed(self) -> None:
        self._confirming = ""
        self._view.marks = self.editing.changes.marks
        self._view.show_cursor()
        self._tell()
        self._schedule_preview()
        if self._draft_timer is None:
            self._draft_timer = self.set_timer(self._draft_delay_s, self._give_draft)

    def _give_draft(self) -> None:
        if self._stop_draft() and self.request.on_draft is not None:
            began = time.monotonic()
            self.request.on_draft(
                self.raw.text if self.has_class("-raw") else self.editing.markdown
            )
            self._draft_delay_s = max(DRAFT_DELAY_S, DRAFT_SHARE * (time.monotonic() - began))

    def _stop_draft(self) -> bool:
        """Give no draft away but by a later change. Returns whether one was due."""
        timer, self._draft_timer = self._draft_timer, None
        if timer is not None:
            timer.stop()
        return timer is not None

    def _schedule_preview(self) -> None:
        if self._preview_timer is not None:
            self._preview_timer.reset()
        elif self.has_class("-wide"):
            self._preview_timer = self.set_timer(PREVIEW_DELAY_S, self._show_preview)

    def _show_preview(self) -> None:
        self._preview_timer = None
        self._preview.show()

    def action_undo(self) -> None:
        """Take the last change back."""
        self._undone(self.editing.outline.undo(), tr("Undone"), tr("Nothing to undo."))

    def action_redo(self) -> None:
        """Make the change that was taken back again."""
        self._undone(self.editing.outline.redo(), tr("Redone"), tr("Nothing to redo."))

    def _undone(self, done: tuple[str, int | None] | None, said: str, nothing: str) -> None:
        if done is None:
            self._tell(nothing, warning=True)
            return
        self.editing.tree.show(done[1])
        self._changed()
        self._tell(
            tr("{said}: {step}. {summary}").format(
                said=said, step=STEPS[done[0]], summary=self._summary
            )
        )

    # ── A note ────────────────────────────────────────────────────────────────────────────────────

    def action_note(self) -> None:
        """Edit the note of the heading under the cursor."""
        cursor = self.editing.tree.cursor
        if cursor is None:
            return
        self._noted = cursor
        heading = self.editing.outline.get(cursor)
        what = tr("Text of") if self.editing.is_document else tr("Note:")
        self._note.border_title = f"{what} {one_line(heading.text)}".replace("[", "\\[")
        self._note.load_text(carry(heading.note))
        self._note.move_cursor(self._note.document.end)
        self._note.display = True
        self.set_focus(self._note)
        self._tell(tr("Esc keeps the note · Ctrl+Z in the outline undoes it"))
        self.refresh_bindings()

    def action_keep_note(self) -> None:
        """Take the note over."""
        if self._noted is not None and self.editing.outline.set_note(
            self._noted, release(self._note.text)
        ):
            self._changed()
        self._noted = None
        self.set_focus(self._view)
        self._note.display = False
        self._tell()

    # ── One line ──────────────────────────────────────────────────────────────────────────────────

    def action_ask(self, what: Asked) -> None:
        """Ask for one line below the outline."""
        cursor = self.editing.tree.cursor
        if what == "length" and cursor is None:
            return
        self._asked = what
        question, hint = QUESTIONS[what]
        self.query_one("#outline-question", Static).update(question)
        self._line.placeholder = hint
        self._line.value = (
            self.editing.outline.get(cursor).target
            if what == "length" and cursor is not None
            else ""
        )
        self.query_one("#outline-ask").display = True
        self.set_focus(self._line)
        self.refresh_bindings()

    def action_leave_line(self) -> None:
        """Go back to the outline from the line below it."""
        self._asked = None
        self._view.found = ""
        self.set_focus(self._view)
        self.query_one("#outline-ask").display = False
        self._view.refresh()
        self._tell()

    @on(LineInput.Changed, "#outline-line")
    def _line_changed(self) -> None:
        if self._asked == "find":
            self._find(0)

    def action_find_next(self, step: int) -> None:
        """Go to the match below or above."""
        if self._asked == "find":
            self._find(step)

    def _find(self, step: int) -> None:
        words = release(self._line.value).strip()
        number, count = self.editing.find(words, step)
        self._view.found = words
        self._view.show_cursor()
        self._schedule_preview()
        self._tell(
            (
                tr("{number} of {count}").format(number=number, count=count)
                if count
                else tr("No matches.")
                if words
                else ""
            ),
            warning=bool(words and not count),
        )

    @on(LineInput.Submitted, "#outline-line")
    async def _line_submitted(self) -> None:
        asked, typed = self._asked, release(self._line.value).strip()
        if asked == "length" and not self._set_length(typed):
            return
        self.action_leave_line()
        if asked == "comment":
            self._send(typed)
        elif asked == "save":
            await self._save_as(typed)

    def _set_length(self, typed: str) -> bool:
        cursor = self.editing.tree.cursor
        try:
            if cursor is not None and self.editing.outline.set_target(cursor, typed):
                self._changed()
        except ValueError:
            self._tell(
                tr("“{typed}” is not a length: use 300, 300 words, 2 pages or 500字.").format(
                    typed=typed
                ),
                warning=True,
            )
            return False
        return True

    async def _save_as(self, name: str) -> None:
        assert self.request.save_as is not None
        try:
            saved = await asyncio.to_thread(self.request.save_as, name, self.editing.markdown)
        except DogentError as error:
            self._tell(str(error), warning=True)
        else:
            self._tell(tr("Saved as {saved}.").format(saved=saved))

    # ── Raw Markdown ──────────────────────────────────────────────────────────────────────────────

    def action_raw(self) -> None:
        """Show the Markdown of the outline to be edited, or go back to the tree, which has
        followed.
        """
        if self.has_class("-raw"):
            self._leave_raw()
            return
        self.add_class("-raw")
        self.raw.begin()
        self.set_focus(self._raw_area)  # at once: what is typed next belongs there
        self._view.can_focus, self._view.is_fixed = False, True
        self._tell()
        self.refresh_bindings()

    def _leave_raw(self) -> None:
        self.raw.end()
        self.remove_class("-raw")
        self._view.can_focus, self._view.is_fixed = True, False
        self.set_focus(self._view)
        self._changed()
        self.refresh_bindings()

    @on(TextArea.Changed, "#outline-raw")
    def _raw_changed(self) -> None:
        if self.has_class("-raw"):
            self.raw.touch()
            if self._draft_timer is None:
                self._draft_timer = self.set_timer(self._draft_delay_s, self._give_draft)

    @on(TextArea.SelectionChanged, "#outline-raw")
    def _raw_cursor_moved(self) -> None:
        self.raw.touch()

    def _raw_followed(self) -> None:
        """Show beside the Markdown what it says."""
        self._view.marks = self.editing.changes.marks
        self._view.show_cursor()
        self._tell()
        self._schedule_preview()

    # ── The end ───────────────────────────────────────────────────────────────────────────────────

    def action_accept(self) -> None:
        """Accept the proposal as it is."""
        if self.editing.is_changed:
            self._tell(
                tr(
                    "You changed it: Ctrl+S sends your outline. To accept the proposal, undo"
                    " everything."
                ),
                warning=True,
            )
        else:
            self.leave(UiAnswer(outline=self.request.proposal))

    def action_send(self) -> None:
        """Send the outline as it is now."""
        self.raw.settle()
        self._send("")

    def _send(self, comment: str) -> None:
        if self.editing.is_changed or comment:
            self.leave(
                UiAnswer(
                    outline=self.editing.markdown,
                    comment=comment,
                    changes=self.editing.changes.sentences,
                )
            )
        else:
            self.leave(UiAnswer(outline=self.request.proposal))

    async def action_save(self) -> None:
        """Write the document."""
        assert self.request.save is not None
        self.raw.settle()
        text, headings = self.editing.markdown, self.editing.outline.headings
        if not await asyncio.to_thread(same_sections, headings, text):
            self._tell(
                tr(
                    "Not saved: an unclosed code block would swallow the sections after it. Close"
                    " it (Ctrl+T)."
                ),
                warning=True,
            )
            return
        try:
            await asyncio.to_thread(self.request.save, text)
        except DogentError as error:
            self._tell(str(error), warning=True)
            return
        self.editing.saved()
        self._changed()
        self._tell(tr("Saved. {summary}").format(summary=self._summary))

    def action_abandon(self) -> None:
        """End the request, on the second press."""
        if self._confirmed(
            "abandon", tr("Press x again to abandon this outline and stop the run.")
        ):
            self.leave(UiAnswer())

    async def action_leave(self) -> None:
        """Back: out of the Markdown, out of a selection, and out of the editor. A document that
        is not saved asks first.
        """
        if self.has_class("-raw"):
            self._leave_raw()
        elif self.editing.tree.anchor is not None:
            self.editing.tree.anchor = None
            self._view.show_cursor()
        elif not self.editing.is_document or not self.editing.is_changed:
            self.leave(None)
        elif self._confirmed(
            "leave", tr("Not saved yet: Ctrl+S saves, Esc again leaves without saving.")
        ):
            self._stop_draft()
            self.leave(None)

    def _confirmed(self, what: str, warning: str) -> bool:
        if self._confirming == what:
            return True
        self._confirming = what
        self._tell(warning, warning=True)
        return False
