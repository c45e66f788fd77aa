"""The strip above the prompt: what is queued until the agent is free."""

from textual import events
from textual.content import Content
from textual.message import Message

from dogent_tui.agent.events import QueuedPrompt
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.prompt.strip import PromptStrip
from dogent_tui.tui.widgets import bound, hidden, styled, told

MOST_ROWS = 4
"""The number of visible queued prompts."""

_SHOWN_CHARACTERS = 400


class QueueStrip(PromptStrip):
    """The queued prompts, one line each, in the order they will run."""

    COMPONENT_CLASSES = {"queue--mark", "queue--selected", "queue--more"}

    BINDINGS = [
        hidden("up", "move(-1)", "Up"),
        hidden("down", "move(1)", "Down"),
        bound("enter", "edit", "Edit"),
        bound("delete,backspace", "drop", "Discard"),
        bound("escape,tab", "leave", "Back"),
    ]

    @told
    class Edit(Message):
        """Take prompt `id` out of the queue and put its text back into the prompt
        (`PromptBox.put_back`).
        """

        id: str

    @told
    class Drop(Message):
        """Take prompt `id` out of the queue."""

        id: str

    def __init__(self) -> None:
        super().__init__("prompt-queue")
        self.prompts: tuple[QueuedPrompt, ...] = ()

    def show(self, prompts: tuple[QueuedPrompt, ...]) -> None:
        """Show `prompts`; without any, the strip is hidden."""
        selected = self.prompts[self._selected].id if self.prompts else ""
        ids = [prompt.id for prompt in prompts]
        self.prompts = prompts
        self.styles.height = min(len(prompts), MOST_ROWS) + (len(prompts) > MOST_ROWS)
        self._show(len(prompts), ids.index(selected) if selected in ids else self._selected)

    def take_focus(self) -> bool:
        """Focus the strip with its last prompt selected; returns False if nothing is queued."""
        if not self.prompts:
            return False
        self.focus()
        self._select(len(self.prompts))
        return True

    def action_move(self, step: int) -> None:
        """Select the previous or next prompt; after the last one, focus the editor."""
        if self._selected + step >= len(self.prompts):
            self.post_message(self.Left())
        super().action_move(step)

    def action_edit(self) -> None:
        """Request that the selected prompt be edited."""
        self.post_message(self.Edit(self.prompts[self._selected].id))

    def action_drop(self) -> None:
        """Request that the selected prompt be deleted."""
        self.post_message(self.Drop(self.prompts[self._selected].id))

    def on_click(self, event: events.Click) -> None:
        """Select the prompt under the mouse."""
        index = self._seen.start + event.y
        if index in self._seen:
            self._select(index)

    @property
    def _seen(self) -> range:
        wanted = self._selected - MOST_ROWS + 1 if self.has_focus else 0
        top = max(0, min(wanted, len(self.prompts) - MOST_ROWS))
        return range(top, min(top + MOST_ROWS, len(self.prompts)))

    def render(self) -> Content:
        """Draw the visible prompts, and the number of the others."""
        lines = [self._draw(index) for index in self._seen]
        if hidden := len(self.prompts) - len(self._seen):
            lines.append(styled(self, tr("     and {hidden} more", hidden=hidden), "queue--more"))
        return Content("\n").join(lines)

    def _draw(self, index: int) -> Content:
        selected = self.has_focus and index == self._selected
        text = one_line(self.prompts[index].prompt.text[:_SHOWN_CHARACTERS])
        mark = styled(self, f"{'›' if selected else ' '} ↳ {index + 1} ", "queue--mark")
        line = Content.assemble(mark, text).truncate(self.size.width, ellipsis=True)
        line = line.pad_right(max(0, self.size.width - line.cell_length))
        return (
            line.stylize_before(self.get_visual_style("queue--selected", partial=True))
            if selected
            else line
        )
