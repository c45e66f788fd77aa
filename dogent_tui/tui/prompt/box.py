"""The prompt as a whole: the queue strip, the chips of attached files, the picker, the editor and
the hint line.
"""

import asyncio
from collections.abc import Sequence
from pathlib import PurePath

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from dogent_tui.agent.events import Attachment
from dogent_tui.language import tr
from dogent_tui.references.lookup import Reference, find_references
from dogent_tui.tui.prompt.completion import Candidate, Completion
from dogent_tui.tui.prompt.debounce import Debounce
from dogent_tui.tui.prompt.editor import Mode, PromptEditor
from dogent_tui.tui.prompt.hints import Hint, Hints
from dogent_tui.tui.prompt.pending_strip import Chip, PendingStrip, pending_chips
from dogent_tui.tui.prompt.picker import ReferencePicker
from dogent_tui.tui.prompt.queue import QueueStrip
from dogent_tui.tui.prompt.references import WorkspaceReferences
from dogent_tui.tui.widgets import ActionRequested

CHECK_DELAY_S = 0.15
"""Seconds without a key before references are looked up on the disk."""

MARKS: dict[Mode, str] = {"prompt": "›", "shell": "!", "command": "/"}


class PromptBox(Vertical):
    """Everything a user types into. The messages of `PromptEditor` and `QueueStrip` bubble up
    from here.
    """

    class HintChanged(Message):
        """The text of the line below the prompt changed."""

    def __init__(self, references: WorkspaceReferences) -> None:
        """Create a prompt with `references` to complete and check."""
        super().__init__(id="prompt")
        self._references = references
        self.editor = PromptEditor(tr("What would you like to write?"))
        self.completions = references.completions
        self.picker = ReferencePicker(references.completions, id="prompt-picker")
        self.queue = QueueStrip()
        self.pending = PendingStrip()
        self._mark = Static(MARKS["prompt"], id="prompt-mark", markup=False)
        self._line = Horizontal(id="prompt-line")
        self._hint_line = Static("", id="prompt-hint", markup=False)
        self._check = Debounce(self, CHECK_DELAY_S, self._look_up)
        self._hints = Hints()
        self.shown_hint = Hint("", is_usual=True)
        """The line below the prompt."""
        self._noticed = ""
        self._attached: tuple[Attachment, ...] = ()
        self._completing = False
        self._requests: Sequence[str] = ()

    def compose(self) -> ComposeResult:
        """Lay the parts out from top to bottom; the picker floats above the editor."""
        yield self.queue
        yield self.pending
        yield self.picker
        with self._line:
            yield self._mark
            yield self.editor
        yield self._hint_line

    def on_mount(self) -> None:
        """Let the picker and the queue handle keys before the editor."""
        self.editor.key_filter = self._take_key
        self._show_hint()

    def on_resize(self) -> None:
        """Show as many keys as fit."""
        self._show_hint()

    # ── For the app ───────────────────────────────────────────────────────────────────────────────

    def focus_editor(self) -> None:
        """Focus the editor."""
        self.editor.focus()

    def begin_command(self, text: str) -> None:
        """Replace the text with the beginning of a command, and offer completions."""
        self.editor.replace_all(text)
        self.editor.completes = True
        self.editor.focus()
        self._request_completion()

    def set_attached(self, attachments: tuple[Attachment, ...]) -> None:
        """Show the `attachments` of the next prompt, besides those that its text names."""
        self._attached = attachments
        self._show_pending()

    def put_back(self, text: str) -> None:
        """Restore `text` for editing, before anything typed meanwhile."""
        typed = self.editor.raw
        self.editor.replace_all(f"{text}\n{typed}" if typed else text)
        self.editor.focus()

    def set_busy(self, busy: bool) -> None:
        """Show how to stop a run while there is one. As one begins or ends, the previous notice is
        removed, unless it was a warning.
        """
        if busy != self._hints.busy and not self._hints.warns:
            self._hints.notice = ""
        self._hints.busy = busy
        self._show_busy()

    def set_doing(self, what: str) -> None:
        """Show below the prompt that `what` was started by the user and how to stop it; empty if
        nothing is running.
        """
        if what and not self._hints.doing:
            self._hints.notice = ""
        self._hints.doing = what
        self._show_busy()

    def _show_busy(self) -> None:
        self.editor.busy = self._hints.busy or bool(self._hints.doing)
        self._show_hint()

    def notify_hint(self, sentence: str, *, warning: bool = False) -> None:
        """Show `sentence` below the prompt until the text changes or a run begins; `warning`:
        something was not done.
        """
        self._noticed = self.editor.raw
        self._hints.notice, self._hints.warns = sentence, warning
        self._show_hint()

    def offer(self, sentence: str) -> None:
        """Show `sentence` instead of the usual keys until something is typed."""
        self._hints.offer = sentence
        self._show_hint()

    def set_document(self, words: str) -> None:
        """Show, before the usual keys, how to see what was written last."""
        self._hints.document = words
        self._show_hint()

    def offer_requests(self, requests: Sequence[str]) -> None:
        """Let Tab put `requests` into an empty prompt, one after the other."""
        self._requests = requests

    def show_hints(self, *, shows: bool) -> None:
        """Show the line below the prompt, or leave its place to others."""
        self._hint_line.display = shows

    # ── Keys that the editor shares ───────────────────────────────────────────────────────────────

    def _take_key(self, key: str) -> bool:
        self._request_completion()
        self.picker.settle()
        if key == "escape" and self.picker.display:
            self.picker.dismiss()
            self._request_completion()
            return True
        if self.picker.current is not None:
            return self._take_picker_key(key)
        if key == "tab" and self._requests and self.editor.raw in ("", *self._requests):
            at = ("", *self._requests).index(self.editor.raw)
            self.editor.replace_all(self._requests[at % len(self._requests)])
            return True
        if key == "alt+up" or (key == "up" and self.editor.is_blank):
            return self.queue.take_focus()
        return False

    def _take_picker_key(self, key: str) -> bool:
        candidate = self.picker.current
        if key in ReferencePicker.STEPS:
            self.picker.move(ReferencePicker.STEPS[key])
        elif key == "enter" and self.editor.value.strip() == "/" and not self.picker.chosen:
            # run nothing that was not named exactly
            self.notify_hint(tr("Choose a command with ↑ ↓, or type its name."))
        elif candidate is not None and key in ("tab", "enter"):
            return self._accept(candidate, sends=key == "enter")
        return key != "alt+up"

    def _accept(self, candidate: Candidate, *, sends: bool) -> bool:
        """Insert `candidate` into the prompt. Returns False if the Enter key should continue and
        send.
        """
        completion = self.picker.completion
        if completion is None:
            return False
        named = self._token(completion).rstrip(".-")
        is_listed = completion.kind in ("file", "citation") and any(
            named == row.insert for row in self.picker.rows
        )
        # a path may be new to a command: with such a suffix nothing is left to complete
        suffix = PurePath(candidate.label).suffix if completion.kind in ("file", "word") else ""
        is_new = sends and completion.bare and suffix and named.endswith(suffix)
        if not self.picker.moved and (is_listed or is_new):
            self.picker.dismiss()  # a complete name followed by punctuation of the sentence
            return not sends
        continues = completion.kind == "command" and candidate.more
        changes = continues or self._token(completion) != candidate.insert
        send_now = sends and (not changes or candidate.runs)
        if changes:
            # a command's path ends the line
            space = continues or not (candidate.more or send_now or completion.bare)
            self.editor.complete(completion.start, completion.end, candidate.insert, space=space)
        if send_now:
            self.picker.dismiss()
        self._request_completion()
        return not send_now

    def _token(self, completion: Completion) -> str:
        row = self.editor.cursor_location[0]
        return self.editor.document.get_line(row)[completion.start : completion.end]

    def _request_completion(self) -> None:
        row, column = self.editor.cursor_location
        completion = None
        if self.editor.completes and self.editor.selection.is_empty and self.editor.mode != "shell":
            line = self.editor.document.get_line(row)
            completion = self.completions.at(line, column, first_line=row == 0)
        self.picker.request(completion, row)
        if self._completing != (self.picker.completion is not None):
            self._completing = not self._completing
            self._check.poke()  # a reference being completed is not reported as missing

    # ── What happens in the parts ─────────────────────────────────────────────────────────────────

    def _on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.editor.states and "@" not in self.editor.raw:  # sent or cleared: remove at once
            self.editor.set_states({})
            self._show_pending()
        if self.editor.raw != self._noticed:  # a change may be reported after the notice
            self._hints.notice = ""
        if self.editor.raw:
            self._hints.offer = ""
        self._request_completion()
        self._check.poke()
        self._show_mode()
        self._show_hint()

    def _on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
        self._request_completion()
        self._show_hint()

    def _on_reference_picker_clicked(self, event: ReferencePicker.Clicked) -> None:
        self._accept(event.candidate, sends=False)
        self.editor.focus()

    def _on_prompt_strip_left(self) -> None:
        self.focus_editor()

    def on_action_requested(self, event: ActionRequested) -> None:
        """Remove the reference that a chip stands for; the rest is up to the app."""
        if event.what == "remove" and isinstance(event.item, Chip) and event.item.reference:
            event.stop()
            self.editor.remove_reference(event.item.reference)
            self._show_pending()  # at once: the next key is for the next chip

    @work(group="paths")
    async def _on_prompt_editor_paths_pasted(self, event: PromptEditor.PathsPasted) -> None:
        written = await asyncio.to_thread(self._references.written, event.paths)
        if written is not None:
            self.editor.replace_pasted(event, written)

    def _on_prompt_editor_unfold_refused(self, event: PromptEditor.UnfoldRefused) -> None:
        self.notify_hint(
            tr(
                "These {characters:,} characters are too long to show here. Ctrl+G opens them in"
                " your editor.",
                characters=event.characters,
            ),
            warning=True,
        )

    def _on_prompt_editor_press_again(self, event: PromptEditor.PressAgain) -> None:
        self._hints.armed = event.what
        self._show_hint()

    # ── References, the mark and the hint ─────────────────────────────────────────────────────────

    @work(group="references", exclusive=True)
    async def _look_up(self) -> None:
        """Look up the references of the current text; a later check supersedes this one."""
        text = "" if self.editor.mode == "shell" else self.editor.raw
        states = (
            dict(await asyncio.to_thread(self._references.look_up, text)) if "@" in text else {}
        )
        for reference in self._being_completed():
            states.pop(reference.key, None)
        self.editor.set_states(states)
        self._show_pending()
        self._show_hint()

    def _show_pending(self) -> None:
        states = self.editor.states if self.editor.mode == "prompt" else {}
        self.pending.show(pending_chips(states, self._attached))

    def _being_completed(self) -> Sequence[Reference]:
        completion = self.picker.completion
        return (
            find_references(self._token(completion)) if completion and self.picker.current else ()
        )

    def _show_mode(self) -> None:
        mode = self.editor.mode
        if mode != self._hints.mode:
            for part in (self._line, self._mark):  # not the box: that would restyle the editor too
                part.set_class(mode == "shell", "-shell")
                part.set_class(mode == "command", "-command")
            self._hints.mode = mode
            self._mark.update(MARKS[mode])

    def _show_hint(self) -> None:
        hints, editor = self._hints, self.editor
        hints.problems = [one.problem for one in editor.states.values() if one.problem]
        hints.usage = self.completions.usage(editor.value) if editor.mode == "command" else ""
        hints.on_pasted_text = editor.placeholder_at_cursor is not None
        hints.width = self._hint_line.content_size.width
        found = hints.best()
        if found != self.shown_hint:
            self.shown_hint = found
            self._hint_line.set_class(found.warning, "-warning")
            self._hint_line.set_class(found.text == hints.notice, "-said")
            self._hint_line.update(Content(found.text))
            self.post_message(self.HintChanged())
