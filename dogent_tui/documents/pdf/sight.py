"""Whether text on a page can be seen: what cannot is marked as hidden, since that is how
instructions are slipped in.
"""

from typing import Any

from dogent_tui.documents.pdf.model import Box

_SMALLEST = 1.5
"""Points: nobody reads what is smaller."""

_DRAWN = 0x10 | 0x20
"""The flags of characters whose shapes are filled or stroked; those with neither are drawn in
mode 3, that is, not at all.
"""

_ALIKE = 24
"""Of 255, by which text has to differ from what is behind it in one of its colors."""

_PALE = 190
"""Of 255: only text that is as light as this, in all of its colors, is compared with the page's
white.
"""

_MOST_SHAPES = 4_000
_Color = tuple[int, int, int]


class Sight:
    """What is seen on a page. Looks at its drawings only once text is as pale as the paper,
    which costs as much as reading it.
    """

    def __init__(self, page: Any) -> None:
        self._page = page
        self._area = Box(*page.rect)
        self._behind: list[tuple[Box, _Color | None]] | None = None
        self._recognised: bool | None = None

    def sees(self, span: dict[str, Any]) -> bool:
        """Tell whether the span of PyMuPDF can be seen: it is drawn, large enough, and not as
        pale as the paper.
        """
        box = Box(*span["bbox"])
        if span["alpha"] == 0 or not span["char_flags"] & _DRAWN:
            return self._is_scan()
        return span["size"] >= _SMALLEST and self._differs(box, span["color"])

    def _differs(self, box: Box, color: int) -> bool:
        own = (color >> 16 & 255, color >> 8 & 255, color & 255)
        if min(own) < _PALE:
            return True
        if self._behind is None:
            self._behind = list(self._shapes())
        behind: _Color | None = (255, 255, 255)
        for shape, fill in self._behind:
            if shape.holds(box.middle):
                behind = fill
        return behind is None or any(
            abs(one - other) > _ALIKE for one, other in zip(own, behind, strict=True)
        )

    def _shapes(self) -> Any:
        """Yield what is painted, in its order, with its color; None for pictures and shades,
        which have many.
        """
        drawings = [
            drawing for drawing in self._page.get_cdrawings() if drawing.get("fill") is not None
        ]
        for drawing in drawings[:_MOST_SHAPES]:
            red, green, blue = (round(255 * part) for part in drawing["fill"])
            if drawing.get("fill_opacity", 1) > 0.5:
                yield Box(*drawing["rect"]), (red, green, blue)
        for kind, box, *_ in self._page.get_bboxlog():
            if kind in {"fill-image", "fill-shade"}:
                yield Box(*box), None

    def _is_scan(self) -> bool:
        """Tell whether pictures cover the page and none of its text is drawn: then the text was
        recognised from them.
        """
        if self._recognised is None:
            log = self._page.get_bboxlog()
            drawn = any(kind in {"fill-text", "stroke-text"} for kind, *_ in log)
            covered = max(
                (
                    Box(*box).width * Box(*box).height
                    for kind, box, *_ in log
                    if kind == "fill-image"
                ),
                default=0.0,
            )
            self._recognised = not drawn and covered > 0.5 * self._area.width * self._area.height
        return self._recognised
