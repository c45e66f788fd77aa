"""The displayed state of the outline: folds, cursor, selection. None of this is content."""

from collections.abc import Sequence

from dogent_tui.outline.model import Outline, subtree_end


class OutlineTree:
    """The visible rows of an `outline`. `anchor` is where a selection began. Operations act on the
    selection, and keep the cursor visible.
    """

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.folded: set[int] = set()
        self._cursor: int | None = None
        self.anchor: int | None = None
        self._rows: list[int] = []
        self._row_of: dict[int, int] = {}
        self._refolded = 0
        self._seen = (-1, 0)

    # ── Rows ──────────────────────────────────────────────────────────────────────────────────────

    @property
    def rows(self) -> Sequence[int]:
        """The positions of the visible headings."""
        self._look()
        return self._rows

    def _look(self) -> None:
        now = (self.outline.revision, self._refolded)
        if now == self._seen:
            return
        self._seen = now
        row = self._row_of.get(self._cursor or 0, 0)
        headings = self.outline.headings
        self._rows = []
        place = 0
        while place < len(headings):
            self._rows.append(place)
            place = subtree_end(headings, place) if headings[place].id in self.folded else place + 1
        self._row_of = {headings[place].id: row for row, place in enumerate(self._rows)}
        if self._cursor is None or self._cursor not in self.outline:
            self._cursor = self.id_at(min(row, len(self._rows) - 1)) if self._rows else None

    def row(self, id_: int | None) -> int | None:
        """Return the row of the heading, None if it is not visible."""
        self._look()
        return self._row_of.get(id_) if id_ is not None else None

    def id_at(self, row: int) -> int:
        """Return the heading in `row`."""
        return self.outline.headings[self.rows[row]].id

    @property
    def cursor(self) -> int | None:
        """The id of the heading under the cursor, None if there is none. When that goes, the
        cursor moves to what takes its place.
        """
        self._look()
        return self._cursor

    @cursor.setter
    def cursor(self, id_: int | None) -> None:
        self._cursor = id_

    @property
    def cursor_row(self) -> int:
        """The row of the cursor, 0 without one."""
        return self.row(self.cursor) or 0

    def has_children(self, place: int) -> bool:
        """Return whether the heading at `place` has children."""
        headings = self.outline.headings
        return place + 1 < len(headings) and headings[place + 1].level > headings[place].level

    # ── Cursor and selection ──────────────────────────────────────────────────────────────────────

    @property
    def selected(self) -> list[int]:
        """The ids of the selected headings: those in the rows from the anchor to the cursor."""
        if self.cursor is None:
            return []
        there = self.row(self.anchor)
        if there is None:
            return [self.cursor]
        first, last = sorted((there, self.cursor_row))
        return [self.id_at(row) for row in range(first, last + 1)]

    @property
    def selection(self) -> tuple[int, int]:
        """The range of positions that an operation would affect; empty if nothing is selected."""
        return (
            self.outline.block(self.selected)
            if self.anchor is not None and self.cursor is not None
            else (0, 0)
        )

    def go(self, row: int, *, selecting: bool = False) -> None:
        """Move the cursor to `row`, or the nearest existing one; `selecting` keeps the anchor."""
        if not self.rows:
            self.cursor = self.anchor = None
            return
        self.anchor = (self.cursor if self.anchor is None else self.anchor) if selecting else None
        self.cursor = self.id_at(max(0, min(row, len(self.rows) - 1)))

    def show(self, id_: int | None) -> None:
        """Move the cursor to the heading, unfolding what hides it."""
        self.anchor = None
        if id_ is None or id_ not in self.outline:
            self.go(self.cursor_row)
            return
        place: int | None = self.outline.place(id_)
        while place is not None and (place := self.outline.parent(place)) is not None:
            self._set_folded(self.outline.headings[place].id, False)
        self.cursor = id_

    # ── Folds ─────────────────────────────────────────────────────────────────────────────────────

    def fold(self, id_: int, folded: bool | None = None) -> bool:
        """Fold or unfold the heading, or toggle it. Return whether anything changed."""
        if not self.has_children(self.outline.place(id_)):
            return False
        wanted = id_ not in self.folded if folded is None else folded
        if wanted == (id_ in self.folded):
            return False
        self._set_folded(id_, wanted)
        return True

    def _set_folded(self, id_: int, folded: bool) -> None:
        (self.folded.add if folded else self.folded.discard)(id_)
        self._refolded += 1

    def fold_all(self) -> None:
        """Fold everything or, if something is folded, unfold everything."""
        headings = self.outline.headings
        parents = {heading.id for place, heading in enumerate(headings) if self.has_children(place)}
        self.folded = set() if self.folded else parents
        self._refolded += 1
        place = self.outline.place(self.cursor) if self.cursor is not None else None
        while place is not None and self.row(headings[place].id) is None:
            place = self.outline.parent(place)
        self.anchor = None
        self.cursor = headings[place].id if place is not None else self.cursor

    def left(self) -> None:
        """Fold the heading at the cursor, or move to its parent."""
        if self.cursor is None or self.fold(self.cursor, True):
            return
        parent = self.outline.parent(self.outline.place(self.cursor))
        if parent is not None:
            self.show(self.outline.headings[parent].id)

    def right(self) -> None:
        """Unfold the heading at the cursor, or move to its first child."""
        if self.cursor is None or self.fold(self.cursor, False):
            return
        if self.has_children(self.outline.place(self.cursor)):
            self.go(self.cursor_row + 1)

    # ── Operations ────────────────────────────────────────────────────────────────────────────────

    def move(self, step: int) -> bool:
        """Move the selection up or down."""
        return bool(self.selected) and self._kept(self.outline.move(self.selected, step))

    def shift(self, step: int) -> bool:
        """Demote or promote the selection."""
        return bool(self.selected) and self._kept(self.outline.shift(self.selected, step))

    def drop(self, row: int, level: int) -> bool:
        """Move the selection before `row`, to the nearest possible level to `level`."""
        if not self.selected:
            return False
        headings = self.outline.headings
        before = self.rows[row] if row < len(self.rows) else len(headings)
        first, end = self.outline.block(self.selected)
        if first <= before <= end:
            before = first
        above = headings[before - 1] if before else None
        after = end if before == first else before
        below = headings[after] if after < len(headings) else None
        highest = above.level + 1 if above else 1
        lowest = min(below.level, highest) if below else 1
        return self._kept(
            self.outline.move_to(
                self.selected, before, max(lowest, min(level, highest, self.outline.deepest))
            )
        )

    def delete(self) -> bool:
        """Delete the selection; the cursor moves to what takes its place."""
        if not self.selected:
            return False
        row = min(self.row(id_) or 0 for id_ in self.selected)
        self.outline.delete(self.selected)
        self.anchor = None
        self.go(row)
        return True

    def duplicate(self) -> bool:
        """Duplicate the selection; the cursor moves to the copy."""
        if not self.selected:
            return False
        self.show(self.outline.duplicate(self.selected)[0])
        return True

    def _kept(self, changed: bool) -> bool:
        """Keep cursor and selection visible after a change."""
        if changed and self.cursor is not None:
            anchor = self.anchor
            self.show(self.cursor)
            self.anchor = anchor
        return changed
