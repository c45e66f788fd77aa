"""The editor of the prompt: a text area that sends, recalls, folds long pastes and marks
references.
"""

import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Literal

from rich.text import Text
from textual import events
from textual.actions import SkipAction
from textual.document._document import EditResult, Location, Selection
from textual.document._edit import Edit
from textual.geometry import Size
from textual.message import Message

from dogent_tui.agent.events import Attachment
from dogent_tui.plain import newlines
from dogent_tui.records import Record
from dogent_tui.references.lookup import Reference, ReferenceKey, find_references
from dogent_tui.tui.prompt.debounce import Debounce
from dogent_tui.tui.prompt.dropped import dropped_paths
from dogent_tui.tui.prompt.folding_area import FoldingArea
from dogent_tui.tui.prompt.literal import carry
from dogent_tui.tui.prompt.model import Recall
from dogent_tui.tui.textual_fixes.terminal_keys import NEWLINE_KEYS, teach_newline_keys
from dogent_tui.tui.widgets import bound, hidden, message_fields

teach_newline_keys()

Mode = Literal["prompt", "shell", "command"]

SecondPress = Literal["", "quit", "clear"]
"""The effect of pressing the last key a second time: Ctrl+C quits, Esc clears."""

_SECOND_KEYS = {"ctrl+c": "quit", "escape": "clear"}

DRAFT_DELAY_S = 0.02
"""Seconds without a key before the draft is saved."""

DRAFT_MOST_S = 0.04
"""Seconds after which it is saved even while the user keeps typing."""

MOST_ROWS = 12
"""The maximum height of the editor in rows."""

_CLOSING_MARKS = frozenset("#,.;:!?)，。；：！？）、")


class ReferenceState(Record):
    """The file that a reference leads to. `problem`: why it leads nowhere, empty if it does;
    `attachment`: the file.

    `length`: the number of its characters that belong to the reference. Text may follow a name
    without a blank, as in ``@报告.md的内容``.
    """

    length: int
    problem: str = ""
    attachment: Attachment | None = None


class PromptEditor(FoldingArea):
    """The text area of the prompt.

    `completes` is whether the last action was typing: recalled or pasted text and cursor movement
    do not trigger completion. `key_filter` receives keys that a popup may handle before the editor,
    and returns whether it did.
    """

    COMPONENT_CLASSES = {
        "prompt--reference",
        "prompt--unresolved",
        "prompt--pasted",
        "prompt--command",
    }

    BINDINGS = [
        bound("enter", "submit", "Send"),
        hidden(
            ",".join(sorted(NEWLINE_KEYS)),
            "newline",
            "New line",
            key_display="Ctrl+J, Shift+Enter, Alt+Enter",
        ),
        hidden("escape", "escape", "Interrupt; when idle, press twice to clear"),
        hidden("ctrl+c", "copy_or_clear", "Copy, clear, quit"),
        hidden("ctrl+underscore,super+z", "undo", "Undo"),
        hidden("super+c", "copy", "Copy"),
        hidden("ctrl+g", "external_editor", "Open in $EDITOR"),
        hidden("ctrl+o", "unfold", "Expand the pasted text"),
    ]

    SECOND_PRESS_S = 2.0
    """Seconds within which a second Ctrl+C quits, and a second Esc clears."""

    FILTERED_KEYS = frozenset(
        {"up", "down", "pageup", "pagedown", "tab", "enter", "escape", "alt+up", "ctrl+p", "ctrl+n"}
    )

    @message_fields
    class Submitted(Message):
        """The user sends `text` (placeholders expanded). `references`: those typed, in order;
        pasted text is not searched.
        """

        text: str
        references: tuple[Reference, ...]

    @message_fields
    class DraftChanged(Message):
        """A pause in typing: `text` should be saved in case of a crash."""

        text: str

    @message_fields
    class PathsPasted(Message):
        """`paths` were pasted or dropped. They occupy `start` to `end` as `inserted` until
        `replace_pasted` is called.
        """

        paths: list[str]
        start: Location
        end: Location
        inserted: str

    @message_fields
    class UnfoldRefused(Message):
        """The pasted text, `characters` long, is too long for the prompt."""

        characters: int

    @message_fields
    class ExternalEditorRequested(Message):
        """Ctrl+G: open `text` in an external editor, then call `replace_all`."""

        text: str

    @message_fields
    class PressAgain(Message):
        """A key was pressed whose second press does `what`; None once the time for it has
        passed.
        """

        what: SecondPress

    class InterruptRequested(Message):
        """Esc was pressed with no popup open and nothing selected."""

    def __init__(self, placeholder: str) -> None:
        """Edit a prompt."""
        self.recall = Recall()
        self.key_filter: Callable[[str], bool] = lambda _: False
        self.completes = False
        self._references_of_line = lru_cache(maxsize=64)(find_references)
        self.states: Mapping[ReferenceKey, ReferenceState] = {}
        self._loose_space: Location | None = None
        self._armed: SecondPress = ""
        self.busy = False
        """Whether the agent is working: Esc then only interrupts, however often it is pressed."""
        self.last_typed = 0.0
        """The time of the last change, on the monotonic clock."""
        super().__init__(placeholder=placeholder, id="prompt-editor", highlight_cursor_line=False)
        self._draft = Debounce(
            self,
            DRAFT_DELAY_S,
            lambda: self.post_message(self.DraftChanged(self.value)),
            most=DRAFT_MOST_S,
        )
        self._disarm = Debounce(self, self.SECOND_PRESS_S, lambda: self._arm(""))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of rows of the text, at most `MOST_ROWS` and two fifths of the
        screen.
        """
        most = max(3, min(MOST_ROWS, viewport.height * 2 // 5))
        return max(1, min(most, super().get_content_height(container, viewport, width)))

    def on_resize(self) -> None:
        """Move the terminal's own cursor along: input methods open their windows there."""
        self.call_after_refresh(self._place_terminal_cursor)

    def _place_terminal_cursor(self) -> None:
        if self.has_focus:
            self.app.cursor_position = self.cursor_screen_offset
            self.refresh()

    # ── What the prompt holds ─────────────────────────────────────────────────────────────────────

    @property
    def is_blank(self) -> bool:
        """Whether the prompt is empty."""
        return self.document.end == (0, 0)

    @property
    def mode(self) -> Mode:
        """What Enter would do: send a prompt, run a shell command (``!``), or run a command
        (``/``).
        """
        first = self.document.get_line(0)[:1]
        return "shell" if first == "!" else "command" if first == "/" else "prompt"

    def show(self, text: str, *, at_end: bool = True) -> None:
        """Replace the text with `text` for reading; completion is not triggered."""
        super().show(text, at_end=at_end)
        self.completes = False

    def replace_all(self, text: str) -> None:
        """Replace everything with `text` as one undoable step."""
        super().replace_all(text)
        self.completes = False

    def edit(self, edit: Edit) -> EditResult:
        """Perform `edit` as typing: a pending second press, which was meant for the previous text,
        is cancelled.
        """
        self.completes = True
        self._arm("")
        return super().edit(edit)

    def on_text_area_changed(self) -> None:
        """Save the draft at the next pause."""
        self.last_typed = time.monotonic()
        self._draft.poke()

    # ── Keys ──────────────────────────────────────────────────────────────────────────────────────

    async def on_key(self, event: events.Key) -> None:
        """Give a key to the popup, or to the help; characters are left to the text area."""
        if _SECOND_KEYS.get(event.key) != self._armed:
            self._arm("")
        if event.key in self.FILTERED_KEYS and self.key_filter(event.key):
            event.stop()
            event.prevent_default()
        elif event.character == "?" and self.is_blank:
            event.stop()
            event.prevent_default()
            await self.app.run_action("help")
        elif event.is_printable and event.character:
            self._close_up(event.character)
        else:
            self.completes = False
            event.prevent_default()  # Enter sends

    def _close_up(self, character: str) -> None:
        """Remove the space inserted by a completion if the user types one, or punctuation that
        belongs to the word before it.
        """
        if self._loose_space == self.cursor_location and (
            character == " " or character in _CLOSING_MARKS
        ):
            row, column = self.cursor_location
            self.delete((row, column - 1), (row, column), maintain_selection_offset=False)
        self._loose_space = None

    def action_submit(self) -> None:
        """Send the prompt; after a backslash at the end of a line, insert a line break instead."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        if self.selection.is_empty and column == len(line) and line.endswith("\\"):
            self.replace("\n", (row, column - 1), (row, column), maintain_selection_offset=False)
            return
        text = self.value.rstrip()
        if not text.strip():
            return
        references = tuple(find_references(self.raw)) if self.mode != "shell" else ()
        self.recall.remember(text)
        self.load_text("")
        self.pasted.clear()
        self.post_message(self.Submitted(text, references))
        self._draft.poke()
        self._draft.flush()  # save the empty draft at once: a crash must not restore what was sent

    def action_newline(self) -> None:
        """Insert a line break."""
        self.replace("\n", *self.selection, maintain_selection_offset=False)

    def action_escape(self) -> None:
        """Clear the selection, or request an interrupt; if nothing is running, the second press
        clears the text.
        """
        if not self.selection.is_empty:
            self.selection = Selection.cursor(self.cursor_location)
        elif self._armed == "clear":
            self._arm("")
            self._clear_for_now()
        else:
            if not self.busy and not self.is_blank:
                self._arm("clear")
            self.post_message(self.InterruptRequested())

    async def action_copy_or_clear(self) -> None:
        """Copy the selected text of the prompt; otherwise end the selection in the conversation;
        otherwise clear the text; otherwise quit at the second press.
        """
        if not self.selection.is_empty:
            self.action_copy()
        elif self.screen.get_selected_text():
            self.screen.clear_selection()  # copied as it was selected
        elif self._armed == "quit":
            self._arm("")
            await self.app.run_action("quit")
        else:
            self._clear_for_now()
            self._arm("quit")

    def _clear_for_now(self) -> None:
        if not self.is_blank:
            self.recall.remember(self.value)
            self.clear()  # an edit, so that undo restores the text

    def _arm(self, what: SecondPress) -> None:
        """Let the next press of the same key do `what`, for a while."""
        self._disarm.stop()
        if what:
            self._disarm.poke()
        if what != self._armed:
            self._armed = what
            self.post_message(self.PressAgain(what))

    def action_cut(self) -> None:
        """Cut the selection, or the line, to the clipboard."""
        if self.selection.is_empty:
            self.select_line(self.cursor_location[0])
        text = self.selected_text
        self.replace("", *self.selection, maintain_selection_offset=False)
        self.app.copy_to_clipboard(self.pasted.expand(text))

    def action_external_editor(self) -> None:
        """Request opening the text in ``$EDITOR``."""
        self.post_message(self.ExternalEditorRequested(self.value))

    def action_cursor_up(self, select: bool = False) -> None:
        """Move up; from the first row, show the previous prompt."""
        if not select and self.navigator.is_first_wrapped_line(self.cursor_location):
            text = self.recall.step(-1, self.raw)
            if text is not None:
                self.show(text, at_end=False)
                return
        super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        """Move down; from the last row, show the next prompt, and finally the unsent text."""
        if (
            not select
            and self.recall.walking
            and self.navigator.is_last_wrapped_line(self.cursor_location)
        ):
            text = self.recall.step(1, self.raw)
            if text is not None:
                self.show(text)
                return
        super().action_cursor_down(select)

    # ── Pasting ───────────────────────────────────────────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the keys of pages to the transcript where all rows are visible."""
        del parameters
        is_page = action in ("cursor_page_up", "cursor_page_down")
        return not is_page or self.wrapped_document.height > self.content_size.height

    def on_paste(self, event: events.Paste) -> None:
        """Insert what the terminal pasted."""
        event.stop()
        event.prevent_default()
        self.paste_text(event.text)

    def action_paste(self) -> None:
        """Insert the content of the application's own clipboard."""
        self.paste_text(self.app.clipboard)

    def paste_text(self, text: str) -> None:
        """Insert `text` literally: folded if it is long, and offered as references if it consists
        of paths.
        """
        text = newlines(text)
        inserted = self.pasted.fold(text) if self.pasted.folds(text) else carry(text)
        start = min(self.selection)
        result = self.replace(inserted, *self.selection, maintain_selection_offset=False)
        self.completes = False
        if self.mode != "shell" and (paths := dropped_paths(text)):
            self.post_message(self.PathsPasted(paths, start, result.end_location, inserted))

    def replace_pasted(self, pasted: PathsPasted, references: str) -> bool:
        """Replace what was pasted with `references`; returns False if it is no longer there."""
        if self.document.get_text_range(pasted.start, pasted.end) != pasted.inserted:
            return False
        self.replace(references, pasted.start, pasted.end)
        return True

    def action_unfold(self) -> None:
        """Unfold the pasted text at the cursor."""
        found = self.placeholder_at_cursor
        if found is None:
            raise SkipAction
        if not self.unfold(found):
            self.post_message(self.UnfoldRefused(len(found.text)))

    # ── Completion and references ─────────────────────────────────────────────────────────────────

    def complete(self, start: int, end: int, text: str, *, space: bool) -> None:
        """Replace columns `start` to `end` of the cursor's line with `text`, followed by a space if
        `space` is set.
        """
        row = self.cursor_location[0]
        follows = self.document.get_line(row)[end : end + 1]
        add_space = space and follows != " "
        result = self.replace(
            text + " " * add_space, (row, start), (row, end), maintain_selection_offset=False
        )
        if add_space:
            self._loose_space = result.end_location

    def set_states(self, states: Mapping[ReferenceKey, ReferenceState]) -> None:
        """Mark the references according to `states`; others stay unmarked."""
        if states != self.states:
            self.states = states
            self.notify_style_update()  # drawn lines are cached
            self.refresh()

    def remove_reference(self, key: ReferenceKey) -> None:
        """Delete every reference spelled `key`, and the blank after it."""
        for row in reversed(range(self.document.line_count)):
            line = self.document.get_line(row)
            for reference in reversed(find_references(line) if "@" in line else ()):
                if reference.key == key:
                    state = self.states.get(key)
                    end = reference.start + (
                        state.length if state else reference.end - reference.start
                    )
                    end += line[end : end + 1] == " "
                    self.replace("", (row, reference.start), (row, end))
        self.completes = False
        self.set_states({other: state for other, state in self.states.items() if other != key})

    def get_line(self, line_index: int) -> Text:
        """Return the line to draw, with its references, placeholders and command highlighted."""
        line = super().get_line(line_index)
        mode = self.mode
        text = self.document.get_line(line_index)
        if mode != "shell":
            self._mark_references(line, text)
        if line_index == 0 and mode != "prompt":
            word = len(text) if mode == "shell" else len(text.split(maxsplit=1)[0])
            line.stylize(self.get_component_rich_style("prompt--command"), 0, word)
        for found in self.pasted.find(text):
            line.stylize(self.get_component_rich_style("prompt--pasted"), found.start, found.end)
        return line

    def _mark_references(self, line: Text, text: str) -> None:
        if "@" not in text:
            return
        for reference in self._references_of_line(text):
            if state := self.states.get(reference.key):
                style = self.get_component_rich_style(
                    "prompt--unresolved" if state.problem else "prompt--reference"
                )
                line.stylize(style, reference.start, reference.start + state.length)
