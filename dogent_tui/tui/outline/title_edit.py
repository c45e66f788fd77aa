"""A title that is edited in its place, and what the key that ends it does in the outline."""

from collections.abc import Callable

from dogent_tui.outline.edit_session import OutlineEditing
from dogent_tui.tui.outline.inputs import TitleInput
from dogent_tui.tui.outline.view import EditRequest, OutlineView


class TitleEditing:
    """Lays the line over the row of `view` whose title is typed. `changed` is called when it was
    taken over or given up.
    """

    def __init__(
        self, editing: OutlineEditing, view: OutlineView, changed: Callable[[], None]
    ) -> None:
        self.line = TitleInput(self._left, id="outline-title-input")
        self._editing = editing
        self._view = view
        self._changed = changed
        self._id: int | None = None
        self._added: EditRequest | None = None

    @property
    def is_on(self) -> bool:
        """Whether a title is typed."""
        return self._id is not None

    def begin(self, request: EditRequest) -> None:
        """Have the title typed."""
        self._id, self._added = request.id, request if request.is_new else None
        self.line.begin(self._editing.outline.get(request.id).text)
        self.line.display = True
        self.place()
        self.line.screen.set_focus(self.line)

    def place(self) -> None:
        """Lay the line where the title is."""
        region = self._view.title_region(self._id) if self._id is not None else None
        if region is not None:
            self.line.styles.offset = (region.x, region.y)
            self.line.styles.width = region.width

    def _left(self, then: str) -> None:
        """Take the title over, and do what the key does in the outline. An empty new heading was
        never there.
        """
        id_, typed, added = self._id, self.line.typed, self._added
        if id_ is None:
            return
        self._id = None
        self._view.screen.set_focus(self._view)
        self.line.display = False
        outline, tree = self._editing.outline, self._editing.tree
        if added and (not typed.strip() or then == "back"):
            outline.forget_last()
            tree.show(added.origin)
            self._changed()
            return
        if then != "back":
            outline.rename(id_, typed, joined=added is not None)
        self._changed()
        self._then(then, id_)

    def _then(self, then: str, id_: int) -> None:
        view, outline = self._view, self._editing.outline
        if then == "sibling":
            view.add(lambda: outline.add_sibling(id_))
        elif then == "child":
            view.add(lambda: outline.add_child(id_))
        elif then in ("in", "out", "move_up", "move_down"):
            (view.action_shift if then in ("in", "out") else view.action_move)(
                1 if then in ("in", "move_down") else -1
            )
            view.edit(EditRequest(id_))
        elif then in ("up", "down"):
            view.action_go(1 if then == "down" else -1)
