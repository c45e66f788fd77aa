"""The outline editor: a proposal of the agent, or a document of the workspace, as a tree edited
with the keyboard.
"""

import asyncio
from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Horizontal
from textual.widgets import TextArea

from dogent_tui.agent.events import UiAnswer
from dogent_tui.errors import DogentError
from dogent_tui.language import phrases, tr
from dogent_tui.outline.edit_session import OutlineEditing
from dogent_tui.outline.markdown import same_sections
from dogent_tui.plain import one_line, visible
from dogent_tui.records import Record
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.dialog import Words
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.outline.inputs import (
    QUESTIONS,
    Asked,
    LineInput,
    NoteArea,
    RawMarkdown,
    TitleInput,
)
from dogent_tui.tui.outline.view import EditRequest, OutlinePreview, OutlineView
from dogent_tui.tui.prompt.completion import Completions
from dogent_tui.tui.prompt.debounce import Debounce
from dogent_tui.tui.prompt.picker import ReferencePicker
from dogent_tui.tui.screens.editor import LEAVING_KEYS, EditorScreen
from dogent_tui.tui.widgets import bound

PREVIEW_DELAY_S = 0.12
"""Seconds until the preview is laid out, so that it never delays a key that is held down."""

EDITOR_KEYS = (
    bound("ctrl+s", "send", "Send"),
    bound("ctrl+s", "save", "Save"),
    bound("a", "accept", "Accept"),
    bound("c", "ask('comment')", "Comment"),
    bound("ctrl+z,ctrl+underscore", "undo", "Undo"),
    bound("ctrl+y,ctrl+shift+z", "redo", "Redo"),
    bound("n", "note", "Note"),
    bound("w", "ask('length')", "Length"),
    bound("slash,ctrl+f", "ask('find')", "Find"),
    bound("ctrl+t", "raw", "Markdown"),
    bound("s", "ask('save')", "Save as"),
    bound("x", "abandon", "Abandon"),
    *LEAVING_KEYS,
)
"""The actions of the editor; `OutlineView` defines those of its tree. Every terminal can send the
first key of each.
"""


class OutlineTask(Record):
    """The task for which the editor is opened.

    `draft`: the user's earlier edit of `proposal`. `on_draft` is called with the text shortly after
    each change. `notice` is shown first. `save_as(name, text)` writes a new file and returns its
    name; `save(text)` makes this the editor of a document. Both are called in a thread and raise
    DogentError. `completions`: what may be cited in it.
    """

    title: str
    proposal: str
    preface: str = ""
    draft: str | None = None
    notice: str = ""
    on_draft: Callable[[str], object] = lambda _: None
    save_as: Callable[[str, str], str] | None = None
    save: Callable[[str], None] | None = None
    completions: Completions | None = None

    def offers(self, action: str) -> bool:
        """Return whether the editor has this action: a document is saved, an outline of the agent
        is answered.
        """
        if action in ("send", "accept", "abandon", "ask('comment')", "ask('length')"):
            return self.save is None
        if action == "save":
            return self.save is not None
        return action != "ask('save')" or self.save_as is not None


class OutlineScreen(EditorScreen):
    """Edits the outline of `task`. Dismissed with the answer, or with None if it stays open or was
    withdrawn. `owns_undo` tells the application that Ctrl+Z has a meaning here.
    """

    CSS_PATH = shipped("outline.tcss")
    AUTO_FOCUS = "#outline-tree"
    # the preview beside the tree, and the tree beside the Markdown
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide"), (160, "-widest")]
    owns_undo = True

    BINDINGS = [*EDITOR_KEYS]

    def __init__(self, task: OutlineTask, counter: str = "") -> None:
        super().__init__(counter, task.on_draft, "outline-said")
        self.request = task
        self.editing = OutlineEditing(task.proposal, task.draft, is_document=task.save is not None)
        self._view = OutlineView(self.editing.tree, self._edit_title, self.editing.words)
        self._titling = TitleInput(self.editing, self._view, self._changed)
        self._preview = OutlinePreview(self.editing.tree)
        self._preview_soon = Debounce(self, PREVIEW_DELAY_S, self._preview.show)
        self._line = LineInput(id="outline-line")
        self._question = Words(id="outline-question")
        self._ask = Horizontal(self._question, self._line, id="outline-ask")
        self._note = NoteArea(id="outline-note")
        self._raw_area = RawMarkdown(self.editing, self._raw_followed)
        if task.completions is not None:
            picker = ReferencePicker(task.completions, id="outline-picker")
            self._note.picker = self._raw_area.picker = picker
        self._noted: int | None = None
        self._asked: Asked | None = None

    def compose(self) -> ComposeResult:
        """Lay out the tree and everything around it."""
        self.count(self.counter)
        yield self._heading
        preface = Words(visible(self.request.preface.strip()), id="outline-preface")
        preface.display = bool(self.request.preface.strip())
        yield preface
        pane = Container(self._view, self._titling, id="outline-pane")
        yield Horizontal(pane, self._raw_area, self._preview, id="outline-body")
        yield self._note
        if self._note.picker is not None:
            yield self._note.picker
        yield self._ask
        yield self._said
        yield KeyHints(
            id="outline-keys", first=("send", "save", "edit", "accept"), last=("leave", "app.help")
        )

    def on_mount(self) -> None:
        """Show how the draft differs from the proposal."""
        self._view.marks = self.editing.changes.marks
        self.tell(self.request.notice, warning=bool(self.request.notice))
        self.watch(self._view, "scroll_y", self._titling.place, init=False)

    def on_resize(self) -> None:
        """Show the preview if it fits."""
        self._preview_soon.poke()
        self.call_after_refresh(self._titling.place)

    @property
    def _title(self) -> str:
        return phrases(self.counter, one_line(self.request.title))

    @property
    def _summary(self) -> str:
        summary = self.editing.summary
        return tr("{summary} · Ctrl+T or Esc: tree", summary=summary) if self._is_raw else summary

    def draft(self) -> str:
        """Return the outline as currently typed."""
        if self._is_raw:
            return self._raw_area.raw
        if (noted := self._noted) is not None:
            return self.editing.markdown_after(lambda it: it.set_note(noted, self._note.raw))
        return (
            self.editing.markdown_after(self._titling.apply)
            if self._titling.is_on
            else self.editing.markdown
        )

    # ── What is offered ───────────────────────────────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the actions of the current mode."""
        name = f"{action}('{parameters[0]}')" if action == "ask" and parameters else action
        if not self.request.offers(name):
            return False
        if self._asked or self._titling.is_on or self._noted is not None:
            own = {binding.action.partition("(")[0] for binding in EDITOR_KEYS}
            return action not in own
        return not (self._is_raw and action in ("ask", "note", "undo", "redo", "accept", "abandon"))

    def offered(self) -> Sequence[Binding]:
        """Return the bindings of all actions available here."""
        own = [binding for binding in EDITOR_KEYS if self.request.offers(binding.action)]
        return own + [binding for binding in OutlineView.BINDINGS if isinstance(binding, Binding)]

    async def perform(self, action: str) -> bool:
        """Run an action of the editor or of its tree, and return whether that was possible."""
        is_own = hasattr(self, f"action_{action.partition('(')[0]}")
        return await self.app.run_action(action, self if is_own else self._view)

    # ── What changes ──────────────────────────────────────────────────────────────────────────────

    @on(TextArea.Changed)
    @on(TitleInput.Changed)
    def _typed(self) -> None:
        self._draft.poke()

    def on_descendant_focus(self) -> None:
        """Leave what is being typed, as with Esc, after a click elsewhere or Tab."""
        if self._titling.is_on and self.focused is not self._titling:
            self._titling.action_leave("")
        if self._noted is not None and self.focused is not self._note:
            self.action_keep_note()
        if self._asked and self.focused is not self._line:
            self.action_leave_line()

    def _edit_title(self, request: EditRequest) -> None:
        self._titling.begin(request)
        self.tell(tr("Enter: next heading · Tab: deeper · Esc: done"))

    def _on_outline_view_moved(self) -> None:
        self._confirming = ""
        if self._view.is_fixed:
            self._raw_area.go_to_heading()
        self.tell()
        self._preview_soon.poke()

    def _on_outline_view_refused(self, event: OutlineView.Refused) -> None:
        self.tell(event.why, warning=True)

    @on(OutlineView.Changed)
    def _changed(self) -> None:
        self._confirming = ""
        self._raw_followed()
        self._draft.poke()

    def action_undo(self) -> None:
        """Undo the last change."""
        self._undone(self.editing.outline.undo(), tr("Undone"), tr("Nothing to undo."))

    def action_redo(self) -> None:
        """Redo the change that was undone."""
        self._undone(self.editing.outline.redo(), tr("Redone"), tr("Nothing to redo."))

    def _undone(self, done: tuple[str, int | None] | None, said: str, nothing: str) -> None:
        if done is None:
            self.tell(nothing, warning=True)
            return
        step, heading = done
        self.editing.tree.show(heading)
        self._changed()
        words = tr("{said}: {step}. {summary}", said=said, step=step, summary=self._summary)
        self.tell(words)

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
        self._note.load_text(heading.note)
        self._note.move_cursor(self._note.document.end)
        self._note.display = True
        self.set_focus(self._note)
        self.tell(tr("Esc keeps the note · Ctrl+Z in the outline undoes it"))
        self.refresh_bindings()

    def action_keep_note(self) -> None:
        """Apply the note."""
        noted, self._noted = self._noted, None
        if noted is not None and self.editing.outline.set_note(noted, self._note.raw):
            self._changed()
        self.set_focus(self._view)
        self._note.display = False
        self.tell()

    # ── One line ──────────────────────────────────────────────────────────────────────────────────

    def action_ask(self, what: Asked) -> None:
        """Ask for one line below the outline."""
        cursor = self.editing.tree.cursor if what == "length" else None
        if what == "length" and cursor is None:
            return
        self._asked = what
        question, self._line.placeholder = QUESTIONS[what]
        self._question.update(question)
        self._line.value = "" if cursor is None else self.editing.outline.get(cursor).target
        self._ask.display = True
        self.set_focus(self._line)
        self.refresh_bindings()

    def action_leave_line(self) -> None:
        """Return from the input line to the outline."""
        self._asked = None
        self._view.found = ""
        self.set_focus(self._view)
        self._ask.display = False
        self._view.refresh()
        self.tell()

    @on(LineInput.Changed, "#outline-line")
    def _line_changed(self) -> None:
        self.action_find_next(0)

    def action_find_next(self, step: int) -> None:
        """Go to the next or previous match; with 0, to the first."""
        if self._asked != "find":
            return
        words = self._line.value.strip()
        number, count = self.editing.find(words, step)
        self._view.found = words
        self._view.show_cursor()
        self._preview_soon.poke()
        if words and not count:
            self.tell(tr("No matches."), warning=True)
        else:
            self.tell(tr("{number} of {count}", number=number, count=count) if count else "")

    @on(LineInput.Submitted, "#outline-line")
    async def _line_submitted(self) -> None:
        asked, typed = self._asked, self._line.value.strip()
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
            words = tr(
                "“{typed}” is not a length: use 300, 300 words, 2 pages or 500字.", typed=typed
            )
            self.tell(words, warning=True)
            return False
        return True

    async def _save_as(self, name: str) -> None:
        assert self.request.save_as is not None
        try:
            saved = await asyncio.to_thread(self.request.save_as, name, self.editing.markdown)
        except DogentError as error:
            self.tell(str(error), warning=True)
        else:
            self.tell(tr("Saved as {saved}.", saved=saved))

    # ── Raw Markdown ──────────────────────────────────────────────────────────────────────────────

    @property
    def _is_raw(self) -> bool:
        return self.has_class("-raw")

    def action_raw(self) -> None:
        """Show the Markdown of the outline for editing, or return to the tree, which has
        followed.
        """
        is_raw = not self._is_raw
        self.set_class(is_raw, "-raw")
        self._view.can_focus, self._view.is_fixed = not is_raw, is_raw
        if is_raw:
            self._raw_area.begin()
            self.set_focus(self._raw_area)  # at once: subsequent typing belongs there
            self.tell()
        else:
            self._raw_area.end()
            self.set_focus(self._view)
            self._changed()
        self.refresh_bindings()

    def _raw_followed(self) -> None:
        """Update everything to the current outline."""
        self._view.marks = self.editing.changes.marks
        self._view.show_cursor()
        self.tell()
        self._preview_soon.poke()

    # ── The end ───────────────────────────────────────────────────────────────────────────────────

    def action_accept(self) -> None:
        """Accept the proposal unchanged."""
        if self.editing.is_changed:
            words = tr(
                "You changed it: Ctrl+S sends your outline. To accept the proposal, undo"
                " everything."
            )
            self.tell(words, warning=True)
        else:
            self.leave(UiAnswer(outline=self.request.proposal))

    def action_send(self) -> None:
        """Send the current outline."""
        self._raw_area.settle()
        self._send("")

    def _send(self, comment: str) -> None:
        editing = self.editing
        if editing.is_changed or comment:
            changes = editing.changes.sentences
            self.leave(UiAnswer(outline=editing.markdown, comment=comment, changes=changes))
        else:
            self.leave(UiAnswer(outline=self.request.proposal))

    async def action_save(self) -> None:
        """Write the document."""
        assert self.request.save is not None
        self._raw_area.settle()
        text, headings = self.editing.markdown, self.editing.outline.headings
        if not await asyncio.to_thread(same_sections, headings, text):
            words = tr(
                "Not saved: an unclosed code block or comment would swallow the sections after it."
                " Close it (Ctrl+T)."
            )
            self.tell(words, warning=True)
            return
        try:
            await asyncio.to_thread(self.request.save, text)
        except DogentError as error:
            self.tell(str(error), warning=True)
            return
        self.editing.saved()
        self._changed()
        self.tell(tr("Saved. {summary}", summary=self._summary))

    def action_abandon(self) -> None:
        """End the request, on the second press."""
        if self.confirmed("abandon", tr("Press x again to abandon this outline and stop the run.")):
            self.leave(UiAnswer())

    async def action_leave(self) -> None:
        """Leave the Markdown, the selection or the editor. An unsaved document asks first."""
        unsaved = tr("Not saved yet: Ctrl+S saves, Esc again leaves without saving.")
        if self._is_raw:
            self.action_raw()
        elif self.editing.tree.anchor is not None:
            self.editing.tree.anchor = None
            self._view.show_cursor()
        elif not self.editing.is_document or not self.editing.is_changed:
            self.leave(None)
        elif self.confirmed("leave", unsaved):
            self._draft.stop()
            self.leave(None)
