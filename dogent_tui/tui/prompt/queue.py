"""The strip above the prompt: what is queued until the agent is free."""

from collections.abc import Sequence

from textual import events
from textual.content import Content

from dogent_tui.agent.events import QueuedPrompt
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.prompt.strip import PromptStrip
from dogent_tui.tui.widgets import bound, hidden

MOST_ROWS = 4
"""The number of visible queued prompts."""

_SHOWN_CHARACTERS = 400


class QueueStrip(PromptStrip[QueuedPrompt]):
    """The queued prompts, one line each, in the order they will run."""

    BINDINGS = [
        hidden("up", "move(-1)", "Up"),
        hidden("down", "move(1)", "Down"),
        bound("enter", "want('edit')", "Edit"),
        bound("delete,backspace", "want('drop')", "Discard"),
        bound("escape,tab", "leave", "Back"),
    ]

    def __init__(self) -> None:
        super().__init__("prompt-queue")

    def show(self, items: Sequence[QueuedPrompt]) -> None:
        """Show `items`, keeping the selected one; without any, the strip is hidden."""
        selected = [prompt.id for prompt in self.items][self._selected :][:1]
        self._selected = next(
            (at for at, prompt in enumerate(items) if prompt.id in selected), self._selected
        )
        self.styles.height = min(len(items), MOST_ROWS) + (len(items) > MOST_ROWS)
        super().show(items)

    def take_focus(self) -> bool:
        """Focus the strip with its last prompt selected; returns False if nothing is queued."""
        if not self.items:
            return False
        self.focus()
        self._select(len(self.items))
        return True

    def action_move(self, step: int) -> None:
        """Select the previous or next prompt; after the last one, focus the editor."""
        if self._selected + step >= len(self.items):
            self.post_message(self.Left())
        super().action_move(step)

    def on_click(self, event: events.Click) -> None:
        """Select the prompt under the mouse."""
        index = self._seen.start + event.y
        if index in self._seen:
            self._select(index)

    @property
    def _seen(self) -> range:
        wanted = self._selected - MOST_ROWS + 1 if self.has_focus else 0
        top = max(0, min(wanted, len(self.items) - MOST_ROWS))
        return range(top, min(top + MOST_ROWS, len(self.items)))

    def render(self) -> Content:
        """Draw the visible prompts, and the number of the others."""
        lines = [self._draw(index) for index in self._seen]
        if hidden := len(self.items) - len(self._seen):
            more = tr("     and {hidden} more", hidden=hidden)
            lines.append(Content.styled(more, "$foreground 45%"))
        return Content("\n").join(lines)

    def _draw(self, index: int) -> Content:
        selected = self.has_focus and index == self._selected
        text = one_line(self.items[index].prompt.text[:_SHOWN_CHARACTERS])
        mark = f"{'›' if selected else ' '} ↳ {index + 1} "
        line = Content.assemble((mark, "$secondary"), text).truncate(self.size.width, ellipsis=True)
        return self._marked(index, line.pad_right(max(0, self.size.width - line.cell_length)))
