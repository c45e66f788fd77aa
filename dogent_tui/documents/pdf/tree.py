"""The elements of the structure tree: types, attributes, and pictures. MuPDF reports where their
text is, but not these.
"""

import re
from collections import defaultdict
from functools import cached_property
from typing import Any

from pymupdf import mupdf

BROKEN = (mupdf.FzErrorBase, RuntimeError, ValueError, IndexError, KeyError)
"""What MuPDF, and PyMuPDF around it, raise for a damaged object."""

PICTURES = frozenset({"Figure", "Formula"})
_MOST_SPAN = 1000
_MOST_KIDS = 100_000
_ARTIFACT = re.compile(
    rb"\bBT\b(?:(?!\bBT\b|\bET\b).)*|(/Artifact\b(?:(?!/Layout|/Artifact)[^()]){0,500}?\bB[DM]C\b)",
    re.DOTALL,
)
"""The beginning of marked content that is in no element. Not what belongs to a text, such as the
dots that lead to a page number, or what Chromium marks so within right-to-left lines.
"""

_MARKED = re.compile(rb"(/\w+ ?<<[^<>]*/MCID[^<>]*>> ?BDC\b|\bEMC\b)")
_PLACED = re.compile(rb"(\S+) Tm\b")
"""The height at which a text begins."""

_MOST_ELEMENTS = 20_000
"""The maximum number of elements searched for pictures: about 20 µs each."""


class StructureTree:
    """The elements of a pymupdf document by object number; 0 stands for none."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._kids: dict[int, list[int]] = {}
        self.root = self._reference(document.pdf_catalog(), "StructTreeRoot")
        self._outside = 0

    def locate(self, page: Any) -> None:
        """Make MuPDF tell exactly what is in the elements on a pymupdf page. It overlooks what is
        listed with its page, because its element began on another, and takes artifacts, and what
        follows the last element, for a part of the one before: an empty one ends that.
        """
        document, name = self._document, mupdf.pdf_new_name("K")
        kind, number = document.xref_get_key(page.xref, "StructParents")
        if kind != "int" or not self.root:
            return
        pdf = mupdf.pdf_document_from_fz_document(document.this)
        tree = mupdf.pdf_new_indirect(pdf, self.root, 0)
        elements = mupdf.pdf_lookup_number(
            mupdf.pdf_dict_get(tree, mupdf.pdf_new_name("ParentTree")), int(number)
        )
        here = min(mupdf.pdf_array_len(elements), _MOST_KIDS)
        if not here:
            return
        for mark in range(here):
            element = mupdf.pdf_array_get(elements, mark)
            kids = mupdf.pdf_dict_get(element, name)
            if mupdf.pdf_is_array(kids):
                mupdf.pdf_array_push_int(kids, mark)
            elif mupdf.pdf_is_dict(kids):
                mupdf.pdf_dict_put_int(element, name, mark)
        if not self._outside:
            self._outside = document.get_new_xref()
        document.update_object(self._outside, f"<</S/Outside/P {self.root} 0 R/K {here}>>")
        mupdf.pdf_array_put(elements, here, mupdf.pdf_new_indirect(pdf, self._outside, 0))
        empty = b" /Outside <</MCID %d>> BDC EMC " % here
        begin, end, behind = page.read_contents().rpartition(b"EMC")
        content = _ARTIFACT.sub(
            lambda found: found[0] + empty * bool(found[1]), _with_generated(begin)
        )
        xref = document.get_new_xref()
        document.update_object(xref, "<<>>")
        document.update_stream(xref, content + end + empty + behind)
        page.set_contents(xref)

    def kids(self, element: int) -> list[int]:
        """Return the children of `element`, 0 for content."""
        if element not in self._kids:
            said = re.sub(r"<<.*?>>", " 0 ", self._key(element, "K"), flags=re.DOTALL)
            found = re.findall(r"(\d+) \d+ R|\d+", said)
            self._kids[element] = [int(number or 0) for number in found[:_MOST_KIDS]]
        return self._kids[element]

    def kid(self, element: int, index: int) -> int:
        """Return this child of `element`."""
        kids = self.kids(element)
        return kids[index] if 0 <= index < len(kids) else 0

    def kind(self, element: int) -> str:
        """Return the type of an element as written."""
        return self._key(element, "S").lstrip("/")

    def alternative(self, element: int) -> str:
        """Return the alternative text of an element, empty if it has none."""
        said = re.sub(r"[ \t\r\n]+", " ", self._key(element, "Alt")).strip(" ")
        return "" if said == "null" else said

    def title(self, element: int) -> str:
        """Return the title of an element, which is not its text, empty if it has none."""
        said = self._key(element, "T")
        return "" if said == "null" else said

    def spans(self, element: int) -> tuple[int, int]:
        """Return the number of rows and columns a cell spans."""
        said = self._key(element, "A")
        for number in re.findall(r"(\d+) 0 R", said):
            said += self._document.xref_object(int(number), compressed=True)
        found = dict(re.findall(r"/(RowSpan|ColSpan) ?(\d{1,4})", said))
        down, across = (int(found.get(name, 1)) for name in ("RowSpan", "ColSpan"))
        return max(1, min(_MOST_SPAN, down)), max(1, min(_MOST_SPAN, across))

    def pictures(self, page: int) -> set[int]:
        """Return the pictures with an alternative text on the page with this object number, and
        what they are in.
        """
        return self._pictures[page]

    @cached_property
    def _pictures(self) -> dict[int, set[int]]:
        above = {0: 0, self.root: 0}
        waiting = [self.root]
        for element in waiting:  # grows while it is read
            for kid in self.kids(element) if len(waiting) < _MOST_ELEMENTS else ():
                if kid not in above:
                    above[kid] = element
                    waiting.append(kid)
        found: dict[int, set[int]] = defaultdict(set)
        for element in waiting[1:]:
            if self.kind(element) in PICTURES and self.alternative(element):
                at, places = element, found[self._reference(element, "Pg")]
                while at:
                    places.add(at)
                    at = above[at]
        return found

    def _reference(self, xref: int, key: str) -> int:
        said = self._key(xref, key)
        return int(said.split()[0]) if said.endswith(" R") else 0

    def _key(self, xref: int, key: str) -> str:
        try:
            return str(self._document.xref_get_key(xref, key)[1]) if xref else ""
        except BROKEN:
            return ""


def _with_generated(content: bytes) -> bytes:
    """Return the content of a page with marked text beginning at what is written before it in its
    line, but is not marked, such as the numbers that a style sheet makes. MuPDF takes that for a
    part of the text above.
    """
    parts = _MARKED.split(content)
    for at in range(3, len(parts), 2):
        above, between, below = (_PLACED.findall(parts[n]) for n in (at - 3, at - 1, at + 1))
        is_before = between and set(between) == set(below[:1]) != set(above[-1:])
        if is_before and parts[at] != b"EMC":
            parts[at - 1 : at + 1] = parts[at], parts[at - 1]
    return b"".join(parts)
