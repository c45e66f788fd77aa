"""What lies on a page, in points from its upper left corner."""

from collections.abc import Iterable

import msgspec


class Box(msgspec.Struct, frozen=True):
    """A rectangle on a page."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.y1 - self.y0

    @property
    def middle(self) -> tuple[float, float]:
        """Its center."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def holds(self, point: tuple[float, float], slack: float = 0.0) -> bool:
        """Tell whether `point` lies inside, or no more than `slack` outside."""
        x, y = point
        return self.x0 - slack <= x <= self.x1 + slack and self.y0 - slack <= y <= self.y1 + slack

    def beside(self, other: "Box") -> bool:
        """Tell whether both stand in one row: they share more than half of the lower one's height."""
        shared = min(self.y1, other.y1) - max(self.y0, other.y0)
        return shared > 0.5 * min(self.height, other.height)


def around(boxes: Iterable[Box]) -> Box:
    """Return the smallest box that holds all `boxes`, of which there is one at least."""
    found = list(boxes)
    return Box(min(b.x0 for b in found), min(b.y0 for b in found), max(b.x1 for b in found), max(b.y1 for b in found))


def reads_leftward(text: str) -> bool:
    """Tell whether most letters of `text` are of a script that runs from right to left (Hebrew to Arabic Extended)."""
    letters = [c for c in text if c.isalpha()]
    return sum(1 for c in letters if "\u0590" <= c <= "\u08ff") > len(letters) / 2


class Run(msgspec.Struct, frozen=True):
    """Characters of one look. `size` in points; `uri` where they are a link out of the document."""

    text: str
    size: float
    bold: bool = False
    italic: bool = False
    mono: bool = False
    raised: bool = False
    uri: str = ""


class Line(msgspec.Struct, frozen=True):
    """Characters on one baseline without a wide gap between them; `upright` unless the text runs up, down or aslant."""

    box: Box
    runs: tuple[Run, ...]
    upright: bool = True

    @property
    def text(self) -> str:
        """The characters alone."""
        return "".join(run.text for run in self.runs)

    @property
    def size(self) -> float:
        """The size of most of its characters."""
        sizes: dict[float, int] = {}
        for run in self.runs:
            sizes[run.size] = sizes.get(run.size, 0) + len(run.text.strip())
        return max(sizes, key=lambda size: (sizes[size], size))

    @property
    def right_to_left(self) -> bool:
        """Whether most of its letters are Hebrew, Arabic and the like."""
        return reads_leftward(self.text)

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(run.bold for run in self.runs if run.text.strip())

    @property
    def mono(self) -> bool:
        """Whether all of it is set in a typewriter's font."""
        return all(run.mono for run in self.runs if run.text.strip())


class TextBlock(msgspec.Struct, frozen=True):
    """Lines that belong together by their distance: a paragraph, a heading, items of a list."""

    lines: tuple[Line, ...]

    @property
    def box(self) -> Box:
        """What they cover."""
        return around(line.box for line in self.lines)

    @property
    def text(self) -> str:
        """The characters of all lines."""
        return " ".join(line.text.strip() for line in self.lines)


class Table(msgspec.Struct, frozen=True):
    """Rows of cells, each row as long as the others."""

    box: Box
    rows: tuple[tuple[str, ...], ...]
