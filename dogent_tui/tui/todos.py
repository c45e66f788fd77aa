"""The agent's plan above the prompt, shown and hidden with Ctrl+T."""

from collections.abc import Callable, Mapping

from textual.content import Content
from textual.widget import Widget

from dogent_tui.agent.events import Event, Rewound, Todo, TodosChanged, TodoStatus
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.widgets import styled

MOST_ROWS = 8
"""Visible lines of the plan if the window is high enough."""

_LOOKS: Mapping[TodoStatus, tuple[str, str]] = {
    "completed": ("✓", "todos--done"),
    "in_progress": ("▶", "todos--now"),
    "pending": ("○", "todos--open"),
}
"""The mark and the style of what is done, in progress and still to do."""


def shown(todos: tuple[Todo, ...], rows: int) -> range:
    """Return which of `todos` are visible in `rows` lines: the one in progress, one before it, and
    those that follow.
    """
    first_open = next(
        (at for at, todo in enumerate(todos) if todo.status != "completed"), len(todos)
    )
    first = max(0, min(first_open - 1, len(todos) - rows))
    return range(first, min(first + rows, len(todos)))


class TodoPanel(Widget):
    """The current plan. Hidden until requested."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {
        "todos--title",
        "todos--done",
        "todos--now",
        "todos--open",
    }

    def __init__(self, key: Callable[[], str]) -> None:
        """Start without a plan. `key` is what hides it."""
        super().__init__(id="todos")
        self._key = key
        self.todos: tuple[Todo, ...] = ()
        self._wanted = False
        self.display = False

    def handle(self, event: Event) -> None:
        """Update from `event`."""
        if isinstance(event, TodosChanged):
            self.todos = event.todos
            self.place()
        elif isinstance(event, Rewound):  # the plan belonged to what is forgotten
            self.forget()

    def forget(self) -> None:
        """Reset for another session."""
        self.todos = ()
        self.place()

    def toggle(self) -> bool:
        """Show or hide the plan. Returns whether there is one."""
        # Without a plan, the next one will be shown.
        self._wanted = not (self.todos and self._wanted)
        self.place()
        return bool(self.todos)

    def place(self) -> None:
        """Use as many rows as the window allows; must be called when the window changes its
        size.
        """
        self.display = self._wanted and bool(self.todos)
        if not self.is_attached:
            return
        rows = 1
        if not all(todo.status == "completed" for todo in self.todos):
            rows += min(len(self.todos), MOST_ROWS, max(1, self.screen.size.height // 4))
        self.styles.height = rows
        self.refresh()

    def render(self) -> Content:
        """Draw the title and the lines that are seen."""
        rows = shown(self.todos, self.size.height - 1) if self.size.height > 1 else ()
        done = sum(todo.status == "completed" for todo in self.todos)
        words = tr(
            "Plan · {done} of {todos} done · {key} hides",
            done=done,
            todos=len(self.todos),
            key=self._key(),
        )
        width = self.content_size.width
        lines = [self._line(self.todos[at]).truncate(width, ellipsis=True) for at in rows]
        return Content("\n").join([styled(self, words, "todos--title"), *lines])

    def _line(self, todo: Todo) -> Content:
        mark, style = _LOOKS[todo.status]
        return styled(self, f"{mark} {one_line(todo.content)}", style)
