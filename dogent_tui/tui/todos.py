"""The agent's plan above the prompt, for who wants to have it in sight: Ctrl+T."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from textual.content import Content
from textual.widget import Widget

from dogent_tui.agent.events import Event, Rewound, Todo, TodosChanged, TodoStatus
from dogent_tui.language import tr
from dogent_tui.plain import one_line

MOST_ROWS = 8
"""Lines of the plan seen at once, where the window is high enough."""

_MARKS: Mapping[TodoStatus, tuple[str, str]] = {
    "completed": ("✓", "done"),
    "in_progress": ("▶", "now"),
    "pending": ("○", "open"),
}
"""What stands before a line, and how it is drawn."""


def shown(todos: tuple[Todo, ...], rows: int) -> range:
    """Return which of `todos` are seen in `rows` lines: what is under way, a line of what was
    before it, and what follows.
    """
    first_open = next(
        (at for at, todo in enumerate(todos) if todo.status != "completed"), len(todos)
    )
    first = max(0, min(first_open - 1, len(todos) - rows))
    return range(first, min(first + rows, len(todos)))


class TodoPanel(Widget):
    """The plan as it is now. Hidden until it is asked for."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "todos--title",
        "todos--done",
        "todos--now",
        "todos--open",
    }

    def __init__(self, key: Callable[[], str]) -> None:
        """Show no plan yet. `key` is what the user presses to hide it."""
        super().__init__(id="todos")
        self._key = key
        self.todos: tuple[Todo, ...] = ()
        self._wanted = False
        self.display = False

    def handle(self, event: Event) -> None:
        """Learn from `event`."""
        if isinstance(event, TodosChanged):
            self.todos = event.todos
            self.place()
        elif isinstance(event, Rewound):  # it was a plan for what is forgotten
            self.forget()

    def forget(self) -> None:
        """Begin again, with another session."""
        self.todos = ()
        self.place()

    def toggle(self) -> bool:
        """Show the plan, or hide it. Returns whether there is one."""
        # Where there is none, the next one will be shown.
        self._wanted = not (self._wanted and self.todos)
        self.place()
        return bool(self.todos)

    def place(self) -> None:
        """Take as many rows as the window has to give: call it when the window changes its size."""
        self.display = self._wanted and bool(self.todos)
        finished = all(todo.status == "completed" for todo in self.todos)
        if self.is_attached:
            rows = min(len(self.todos), MOST_ROWS, max(1, self.screen.size.height // 4))
            self.styles.height = 1 if finished else 1 + rows
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
        title = Content(words).stylize(self.get_visual_style("todos--title", partial=True))
        width = self.content_size.width
        return Content("\n").join(
            [title, *(self._line(self.todos[at]).truncate(width, ellipsis=True) for at in rows)]
        )

    def _line(self, todo: Todo) -> Content:
        mark, name = _MARKS[todo.status]
        words = (todo.active_form if name == "now" else "") or todo.content
        style = self.get_visual_style(f"todos--{name}", partial=True)
        return Content.styled(f"{mark} {one_line(words)}", style)
