"""Whether text on a page is visible. Invisible text is marked as hidden, because it is how
instructions are slipped in, and how blacked-out words come back.

If text may be invisible, the page is drawn with and without its text: what makes no difference is
invisible, whether it is pale, covered, transparent, clipped or in a layer that is off.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeAlias

import pymupdf
from msgspec.structs import astuple
from pymupdf import mupdf

from dogent_tui.documents.pdf.model import Box, around

_SMALLEST = 1.5
"""The smallest readable size in points."""

_DRAWN = 0x10 | 0x20
"""The flags of characters whose shapes are filled or stroked; those with neither are drawn in mode
3, that is, invisible.
"""

_ALIKE = 24
"""The minimum change (of 255, in one color channel) that visible text makes to the drawn page."""

_PALE = 190
"""Text at least this light (of 255, in all channels) may be invisible on paper."""

_PIXELS = 1.5
"""Pixels per point of the drawn page, limited to `_MOST_PIXELS` along an edge."""

_MOST_PIXELS = 2_000
_MARGIN = 0.15
"""The share of a text's height at its top and bottom that borders and other lines may enter."""

_FAINT = 0.2
"""The opacity below which something may be invisible."""
_MOST_STATES = 100
_MOST_LAYERS = 1_000

_MOST_PAINTED = 2_000
"""The number of painted areas checked individually; on a page with more, all of its text is."""


Found: TypeAlias = dict[str, Any]
"""What PyMuPDF says about a block, a line, a span or a character."""


class Sight:
    """Determines what is visible on a page. `doubtful`: some of its text is clipped, or in a layer
    that is off.
    """

    def __init__(self, page: Any, *, doubtful: bool) -> None:
        self._page = page
        self._doubts_all = doubtful
        self.area = Box(*(page.rect * page.derotation_matrix).normalize())
        self._scale = min(_PIXELS, _MOST_PIXELS / max(self.area.width, self.area.height, 1))

    def parts(self, span: Found) -> Iterator[tuple[Found, bool | None]]:
        """Yield the PyMuPDF span, or its words if only some of them are visible, each with whether
        it is visible: drawn, large enough, and different from its surroundings; None if that
        depends on the text beside it, because it contains no words.
        """
        whole = self._sees(span)
        words = list(_words(span)) if whole and self._covers_part_of(span) else []
        seen = [self._sees(word) for word in words]
        yield from zip(words, seen, strict=True) if False in seen else [(span, whole)]

    def _covers_part_of(self, span: Found) -> bool:
        """Return whether a painted area starts or ends within the span."""
        box, size = Box(*span["bbox"]), span["size"]
        return len(self._painted) <= _MOST_PAINTED and any(
            box.x0 + size < edge < box.x1 - size and there.y0 < box.middle[1] < there.y1
            for there in self._painted
            for edge in (there.x0, there.x1)
        )

    def _sees(self, span: Found) -> bool | None:
        if span["alpha"] == 0 or not span["char_flags"] & _DRAWN:
            return self._is_scan
        box, page = Box(*span["bbox"]), self.area
        is_on = box.x0 < page.x1 and box.x1 > page.x0 and box.y0 < page.y1 and box.y1 > page.y0
        if span["size"] < _SMALLEST or not is_on:
            return False
        if not any(char["c"].isalnum() for char in span["chars"]):
            return None  # blanks, and characters much smaller than their box
        color = [span["color"] >> shift & 255 for shift in (16, 8, 0)]
        is_pale = min(color) >= _PALE
        if not is_pale and not self._is_doubtful(box):
            return True
        beyond = max(0.0, span["size"] - box.width) / 2  # a character may be wider than stated
        around_it = Box(box.x0 - beyond, box.y0, box.x1 + beyond, box.y1)
        return self._changes(around_it, color if is_pale else None)

    def _is_doubtful(self, box: Box) -> bool:
        """Return whether text may be invisible at this position."""
        return (
            self._doubts_all
            or self._fades
            or len(self._painted) > _MOST_PAINTED
            or any(there.holds(box.middle) for there in self._painted)
        )

    def _changes(self, box: Box, color: list[int] | None) -> bool:
        """Return whether text changes what is drawn in `box`: towards its `color`, if that is pale
        and the change may be caused by other text.
        """
        with_text, without = self._pictures
        area, inset = self.area, _MARGIN * box.height
        left, right = (round((x - area.x0) * self._scale) for x in (box.x0, box.x1))
        top, bottom = (round((y - area.y0) * self._scale) for y in (box.y0 + inset, box.y1 - inset))
        width, height = with_text.width, with_text.height
        columns = slice(3 * max(0, left), 3 * min(width, max(left + 1, right)))
        for row in range(max(0, top), min(height, max(top + 1, bottom))):
            start = row * with_text.stride
            one, other = (
                bytes(picture.samples_mv[start : start + with_text.stride][columns])
                for picture in (with_text, without)
            )
            if one != other and any(
                abs(new - old) > _ALIKE
                and (color is None or abs(new - color[at % 3]) < abs(old - color[at % 3]))
                for at, (new, old) in enumerate(zip(one, other, strict=True))
            ):
                return True
        return False

    @cached_property
    def _pictures(self) -> tuple[Any, Any]:
        """The page as drawn, with and without its text."""
        scale = pymupdf.Matrix(self._scale, self._scale)
        page, rotation = self._page, self._page.rotation
        copy = pymupdf.open()
        number = page.number
        copy.insert_pdf(page.parent, from_page=number, to_page=number, links=False, annots=False)
        bare = copy[0]
        bare.set_rotation(0)
        bare.add_redact_annot(bare.rect)
        bare.apply_redactions(images=0, graphics=0, text=0)
        try:
            page.set_rotation(0)
            seen = page.get_pixmap(matrix=scale, alpha=False, annots=False)
        finally:
            page.set_rotation(rotation)
        return seen, bare.get_pixmap(matrix=scale, alpha=False, annots=False)

    @cached_property
    def _fades(self) -> bool:
        """Whether the page draws something so transparent that it may be invisible."""
        document, states = self._page.parent, "Resources/ExtGState"
        said = str(document.xref_get_key(self._page.xref, states)[1])
        for _ in range(2):  # they may be objects of their own, as may each of them
            numbers = re.findall(r"(\d+) 0 R", said)[:_MOST_STATES]
            said += "".join(
                document.xref_object(int(number), compressed=True) for number in numbers
            )
        return any(float(alpha) < _FAINT for alpha in re.findall(r"/ca ?(\d*\.?\d+)", said))

    @cached_property
    def _log(self) -> list[tuple[str, Box]]:
        return [(kind, Box(*box)) for kind, box, *_ in self._page.get_bboxlog()]

    @cached_property
    def _painted(self) -> list[Box]:
        """The painted areas, including pictures, without duplicates."""
        kinds = ("fill-path", "fill-image", "fill-shade", "fill-imgmask")
        return list(dict.fromkeys(box for kind, box in self._log if kind in kinds))

    @cached_property
    def _is_scan(self) -> bool:
        """Whether pictures cover the page and none of its text is drawn: then it is the result of
        text recognition.
        """
        drawn = any(kind in {"fill-text", "stroke-text"} for kind, _ in self._log)
        covered = max(
            (box.width * box.height for kind, box in self._log if kind == "fill-image"), default=0.0
        )
        return not drawn and covered > 0.5 * self.area.width * self.area.height


def part_of(span: Found, chars: list[Found], inked: list[Found]) -> Found:
    """Return the part of a span with these `chars`, where the `inked` ones are."""
    box = around(Box(*char["bbox"]) for char in inked)
    return {**span, "bbox": astuple(box), "origin": chars[0]["origin"], "chars": chars}


def _words(span: Found) -> Iterator[Found]:
    """Yield the words of a span, each with the blanks after it."""
    word: list[Found] = []
    for char in [*span["chars"], None]:
        if word and (char is None or (word[-1]["c"].isspace() and not char["c"].isspace())):
            inked = [each for each in word if not each["c"].isspace()] or word
            yield part_of(span, word, inked)
            word = []
        if char is not None:
            word.append(char)


@contextmanager
def all_layers(document: Any) -> Iterator[bool]:
    """Show all layers of a pymupdf document temporarily. Yields whether any are off."""
    pdf = mupdf.pdf_document_from_fz_document(document.this)
    count = min(_MOST_LAYERS, mupdf.pdf_count_layers(pdf))
    off = [number for number in range(count) if not mupdf.pdf_layer_is_enabled(pdf, number)]
    for number in off:
        mupdf.pdf_enable_layer(pdf, number, 1)
    try:
        yield bool(off)
    finally:
        for number in off:
            mupdf.pdf_enable_layer(pdf, number, 0)
