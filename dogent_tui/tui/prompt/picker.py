"""The popup above the prompt that offers files, sheets and commands while they are typed."""

import asyncio
import contextlib
from itertools import accumulate

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from dogent_tui.language import phrases, tr
from dogent_tui.plain import visible
from dogent_tui.tui.prompt.completion import Candidate, Candidates, Completion, Completions
from dogent_tui.tui.widgets import message_fields

MOST_ROWS = 8
"""Visible candidates in a window of 24 lines; in a higher one a third of the lines."""
_MOST_ROWS_EVER = 16
_LEAST_LABEL, _AROUND_LABEL = 16, 6
"""Columns of the labels: what follows them is aligned, and mostly keeps its position during
typing.
"""

FOUND_LIMIT = 50
"""The maximum number of candidates."""

INDEXING_POLL_S = 0.2
"""Seconds between two searches of an index that is still being built."""

_FAINT = "$foreground 60%"


class ReferencePicker(Widget):
    """A list of candidates for what is typed. It never has the focus: the prompt passes keys to it.

    `request` starts a search in a thread; an older result never replaces a newer one. `settle`
    updates the rows immediately.
    """

    COMPONENT_CLASSES = {"picker--highlighted"}

    STEPS = {
        "up": -1,
        "ctrl+p": -1,
        "down": 1,
        "ctrl+n": 1,
        "pageup": -MOST_ROWS,
        "pagedown": MOST_ROWS,
    }

    @message_fields
    class Clicked(Message):
        """A candidate was chosen with the mouse."""

        candidate: Candidate

    def __init__(self, completions: Completions, id: str | None = None) -> None:  # noqa: A002
        """Search `completions`."""
        super().__init__(id=id)
        self._completions = completions
        self.completion: Completion | None = None
        """What is being completed."""
        self._shown_for: Completion | None = None
        self._token: tuple[int, int] | None = None  # row and column where it starts
        self._dismissed: tuple[int, int] | None = None
        self._searching = False
        self._changed = asyncio.Event()
        self._indexing = False
        self.rows: tuple[Candidate, ...] = ()
        """The candidates, best first."""
        self.highlighted = self._top = 0
        self.moved = False
        """Whether keys moved the highlight."""
        self._most_rows = MOST_ROWS
        self._second_column = 0
        self.display = False

    @property
    def current(self) -> Candidate | None:
        """The highlighted candidate."""
        return self.rows[self.highlighted] if self.rows else None

    @property
    def seen(self) -> range:
        """The indexes of the visible candidates."""
        return range(self._top, min(self._top + self._most_rows, len(self.rows)))

    @property
    def chosen(self) -> bool:
        """Whether the highlighted candidate was chosen, by keys or by what was typed."""
        return self.moved or bool(self.completion is not None and self.completion.query)

    def request(self, completion: Completion | None, row: int) -> None:
        """Complete `completion` in line `row`; None closes the popup."""
        token = (row, completion.start) if completion else None
        if token != self._dismissed:
            self._dismissed = None
        if completion is not None and self._dismissed is not None:
            completion = None
        if completion == self.completion:
            return
        self.completion = completion
        self._token = token
        if completion is None:
            self._close()
            return
        self.search_again()

    def search_again(self) -> None:
        """Search for what is being completed, whose candidates may be others now."""
        self._changed.set()
        if not self._searching:
            self._searching = True
            self.run_worker(self._search(), group="picker", exit_on_error=True)

    def settle(self) -> None:
        """Update the rows now, for a key that arrived before the search finished."""
        if self.completion is not None and self._shown_for != self.completion:
            self._show(self.completion, self._completions.search(self.completion, FOUND_LIMIT))

    def dismiss(self) -> None:
        """Close the popup until another token is typed."""
        self._dismissed = self._token
        self.completion = None
        self._close()

    def move(self, step: int) -> None:
        """Move the highlight by `step`. A single step wraps around at the ends, a longer one stops
        there.
        """
        if self.rows:
            self.moved = True
            target, count = self.highlighted + step, len(self.rows)
            self.highlighted = target % count if abs(step) == 1 else max(0, min(target, count - 1))
            self._top = max(
                self.highlighted - self._most_rows + 1, min(self._top, self.highlighted)
            )
            self.refresh()

    def offer(self, rows: tuple[Candidate, ...]) -> None:
        """Offer `rows`, with the first one highlighted."""
        self.rows, self.moved = rows, False
        self.highlighted = self._top = 0

    async def _search(self) -> None:
        try:
            while (wanted := self.completion) is not None:
                self._changed.clear()
                found = await asyncio.to_thread(self._completions.search, wanted, FOUND_LIMIT)
                if wanted == self.completion:
                    self._show(wanted, found)
                if not self._changed.is_set():
                    if not found.indexing:
                        return
                    with contextlib.suppress(TimeoutError):  # a new request, or a longer index
                        await asyncio.wait_for(self._changed.wait(), INDEXING_POLL_S)
        finally:
            self._searching = False

    def _show(self, completion: Completion, found: Candidates) -> None:
        highlighted = self.current if completion == self._shown_for else None
        self._shown_for = completion
        self._indexing = found.indexing
        self._most_rows = max(MOST_ROWS, min(_MOST_ROWS_EVER, self.screen.size.height // 3))
        self.offer(found.rows)
        self._second_column = _AROUND_LABEL + max(
            (len(row.label) for row in found.rows if row.detail), default=0
        )
        if highlighted in found.rows:  # the index grew: keep the same candidate highlighted
            self.move(found.rows.index(highlighted))
        height = len(self.seen) + 1
        if self.styles.height is None or self.styles.height.value != height:
            self.styles.height = height
        self.display = bool(found.rows) or found.indexing
        self.refresh()

    def _close(self) -> None:
        self._shown_for = None
        self.offer(())
        self.display = False

    # ── Drawing and the mouse ─────────────────────────────────────────────────────────────────────

    def render(self) -> Content:
        """Draw the visible candidates, and a line that tells how to choose one."""
        lines = [self._draw(self.rows[index], index == self.highlighted) for index in self.seen]
        return Content("\n").join([*lines, self._draw_footer()])

    def _draw(self, candidate: Candidate, highlighted: bool) -> Content:
        width = self.size.width
        label = self._draw_label(candidate)
        line = Content.assemble("  › " if highlighted else "    ", _cut_left(label, width - 5))
        room = width - line.cell_length - 4
        if candidate.detail and room > 8:
            column = max(_LEAST_LABEL + _AROUND_LABEL, min(self._second_column, width * 2 // 5))
            gap = max(2, column - line.cell_length)
            line = Content.assemble(line, " " * gap, self._draw_detail(candidate, room - gap + 2))
        line = line.pad_right(max(0, width - line.cell_length))
        return (
            line.stylize_before(self.get_visual_style("picker--highlighted", partial=True))
            if highlighted
            else line
        )

    def _draw_label(self, candidate: Candidate) -> Content:
        pieces = [" " if each.isspace() else visible(each) for each in candidate.label]
        starts = [0, *accumulate(map(len, pieces))]
        label = Content("".join(pieces))
        if not candidate.label.startswith("/"):
            folder = candidate.label.rstrip("/").rfind("/") + 1
            label = label.stylize(_FAINT, 0, starts[folder])
        for at in candidate.positions:
            label = label.stylize("bold $text-accent", starts[at], starts[at + 1])
        return label

    def _draw_detail(self, candidate: Candidate, room: int) -> Content:
        detail = Content(visible(candidate.detail))
        after = phrases(visible(candidate.argument), candidate.key)
        argument = Content(f"  {after}" if after else "")
        if detail.cell_length + argument.cell_length <= room:
            detail += argument  # otherwise the line below the prompt shows it once it is typed
        return detail.truncate(max(0, room), ellipsis=True).stylize(_FAINT)

    def _draw_footer(self) -> Content:
        if self._indexing:
            text = tr("    indexing the workspace…")
        else:
            text = tr(
                "    {number} of {rows} · Tab selects · Esc closes",
                number=self.highlighted + 1,
                rows=len(self.rows),
            )
        return Content.styled(text, _FAINT)

    def on_click(self, event: events.Click) -> None:
        """Choose the candidate under the mouse."""
        event.stop()
        index = self.seen.start + event.y
        if index in self.seen:
            self.post_message(self.Clicked(self.rows[index]))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Highlight the next candidate."""
        event.stop()
        self.move(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Highlight the previous candidate."""
        event.stop()
        self.move(-1)


def _cut_left(label: Content, width: int) -> Content:
    """Return `label` shortened at its beginning if it is wider than `width` cells: the name matters
    more than the folder.
    """
    if label.cell_length <= width:
        return label
    cut = 0
    while cut < len(label.plain) and label[cut:].cell_length > width - 1:
        cut += 1
    return Content.assemble("…", label[cut:])
