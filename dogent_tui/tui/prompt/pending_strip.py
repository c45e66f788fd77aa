"""The chips above the prompt: the files sent with it, and the references that lead nowhere."""

from collections.abc import Mapping

from textual.content import Content

from dogent_tui.agent.events import Attachment
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import Record
from dogent_tui.references.lookup import ReferenceKey, format_lines
from dogent_tui.tui.prompt.editor import ReferenceState
from dogent_tui.tui.prompt.strip import PromptStrip
from dogent_tui.tui.widgets import bound, hidden

_GAP = 2
_LEFT_OUT = len("+99") + _GAP
"""Cells reserved for the number of chips not shown."""
_KEY = "Shift+Tab"
"""The key that focuses the chips, shown at the end of the line."""


class Chip(Record):
    """A file sent with the prompt. `reference`: how the prompt names it, None if it was attached.

    `problem`: why the reference does not lead to a file, empty if it does.
    """

    name: str
    type: str = ""
    sheet: str = ""
    lines: str = ""
    problem: str = ""
    reference: ReferenceKey | None = None
    attachment: Attachment | None = None

    @property
    def mark(self) -> str:
        """Its origin, or that it has a problem; readable without colors too."""
        return "✗" if self.problem else "@" if self.reference is not None else "+"


def pending_chips(
    states: Mapping[ReferenceKey, ReferenceState], attached: tuple[Attachment, ...]
) -> tuple[Chip, ...]:
    """Return the chips for the references of a prompt, in order, then for its attachments, without
    duplicates.
    """
    chips: dict[object, Chip] = {}
    for key, state in states.items():
        found = state.attachment
        if found is None:
            lines = format_lines(key[2]) if key[2] else ""
            chips[key] = Chip(key[0], tr("not found"), key[1] or "", lines, state.problem, key)
        else:
            chips[found] = _chip_of(found, state.problem, key)
    for file in attached:
        chips.setdefault(file, _chip_of(file))
    return tuple(chips.values())


def _chip_of(file: Attachment, problem: str = "", key: ReferenceKey | None = None) -> Chip:
    return Chip(file.name, file.type, file.sheet or "", file.lines or "", problem, key, file)


class PendingStrip(PromptStrip[Chip]):
    """One line of chips."""

    BINDINGS = [
        hidden("left", "move(-1)", "Left"),
        hidden("right", "move(1)", "Right"),
        bound("delete,backspace", "want('remove')", "Remove"),
        bound("enter", "want('open')", "Open"),
        bound("escape,tab,down", "leave", "Back"),
    ]

    def __init__(self) -> None:
        super().__init__("prompt-pending")

    # ── Drawing ───────────────────────────────────────────────────────────────────────────────────

    def render(self) -> Content:
        """Draw the chips that fit, including the selected one, and the number of the others."""
        width = self.content_size.width
        room = width if len(self.items) == 1 else width - 2 * _LEFT_OUT
        drawn = [
            self._marked(at, _drawn(chip)).truncate(max(1, room), ellipsis=True)
            for at, chip in enumerate(self.items)
        ]
        first, last = _window(
            [chip.cell_length for chip in drawn], self._selected if self.has_focus else 0, width
        )
        parts = [_more(f"‹{first}")] if first else []
        parts += drawn[first:last]
        parts += [_more(f"+{len(drawn) - last}")] if last < len(drawn) else []
        line = Content(" " * _GAP).join(parts)
        free = width - line.cell_length
        return (
            Content.assemble(line, " " * (free - len(_KEY)), _more(_KEY))
            if free > len(_KEY) + _GAP
            else line
        )


def _more(text: str) -> Content:
    return Content.styled(text, "$foreground 45%")


def _drawn(chip: Chip) -> Content:
    part = f" #{one_line(chip.sheet)}" if chip.sheet else ""
    part += f":{chip.lines}" if chip.lines else ""
    said = _amiss(chip) or chip.type
    if chip.name.lower().endswith(f".{said}"):  # the name tells it
        said = ""
    style = "underline $text-error" if chip.problem else "$text-accent"
    return Content.assemble(
        (f"{chip.mark} {one_line(chip.name)}", style),
        (f"{part} {said}".rstrip(), "$foreground 60%"),
    )


def _amiss(chip: Chip) -> str:
    """Return what a reference asks for that its existing file does not contain."""
    if not chip.problem or chip.attachment is None:
        return ""
    return tr("no such lines") if chip.lines else tr("no such sheet")


def _window(widths: list[int], selected: int, room: int) -> tuple[int, int]:
    """Return the range of chips to draw (end exclusive), which includes `selected`."""
    first = 0
    while True:
        last, used = first, _LEFT_OUT if first else 0
        while last < len(widths):
            left_out = _LEFT_OUT if last + 1 < len(widths) else 0
            if last > first and used + widths[last] + left_out > room:
                break
            used += widths[last] + _GAP
            last += 1
        if selected < last or first >= selected:
            return first, last
        first += 1
