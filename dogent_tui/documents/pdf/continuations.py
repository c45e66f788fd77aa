"""What continues on the next page, by the tags: a table, a list, a program. It is read as one."""

from itertools import islice

from dogent_tui.documents.pdf.model import (
    Box,
    Element,
    Line,
    Page,
    Run,
    TextBlock,
    blocks_in,
    changed,
)

PAGE_BREAK = "PageBreak"
"""The kind of an element that stands for where another page begins."""

_CONTINUED = frozenset({"Table", "L", "Code"})

_APART = 4
"""Pages by which the lines of a page are lower than those of the one before, where both are one."""

_MOST_IN_HEAD = 100
"""Texts of a table in which those of its head are looked for."""


def continued(page: Page, following: Page, number: int) -> Page | None:
    """Return `page` with `following`, the page `number`, where a table, a list or a program
    continues there. What comes after it is behind a `PAGE_BREAK`.
    """
    down = page.area.height * _APART * number

    def lowered(line: Line) -> Line:
        box = Box(line.box.x0, line.box.y0 + down, line.box.x1, line.box.y1 + down)
        return Line(box, line.runs, line.upright, line.base + down)

    nodes = _joined(page.nodes, tuple(changed(following.nodes, lowered)), number)
    if nodes is None:
        return None
    return Page(page.area, nodes, page.hidden + following.hidden, page.raw + following.raw)


_Nodes = tuple[Element | TextBlock, ...]


def _joined(above: _Nodes, below: _Nodes, number: int, outside: _Nodes = ()) -> _Nodes | None:
    """Return the kids of one element on two pages; None where its last kid does not continue.
    `outside` is what is above them and in no element.
    """
    real = [n for n, node in enumerate(above) if isinstance(node, Element) and not _is_break(node)]
    first = next((node for node in below if isinstance(node, Element)), None)
    cut = real[-1] + 1 if real else 0
    last, rest = above[:cut], above[cut:]
    if not last or first is None or (rest and not _is_break(rest[0])):
        return None
    one = last[-1]
    if not isinstance(one, Element) or (one.kind, one.index) != (first.kind, first.index):
        return None
    at = below.index(first)
    # what is above it, and no text of the page, is the head of a table once more
    head = "".join(block.text for block in islice(blocks_in([one]), _MOST_IN_HEAD)).split()
    outside += tuple(
        node for node in blocks_in(below[:at]) if "".join(node.text.split()) not in "".join(head)
    )
    if one.kind in _CONTINUED:
        kids = _continued(_marked(one, number).kids, first.kids)
        page_break = Element(PAGE_BREAK, one.index, (TextBlock(()),))
        whole = Element(one.kind, one.index, kids)
        return (*last[:-1], whole, *rest, page_break, *outside, *below[at + 1 :])
    inner = _joined(one.kids, first.kids, number, outside)
    whole = Element(one.kind, one.index, inner or ())
    return inner and (*last[:-1], whole, *rest, *below[at + 1 :])


def _continued(above: _Nodes, below: _Nodes) -> _Nodes:
    """Return the kids of an element on two pages without the head of a table that is repeated."""
    known = {node.index for node in above if isinstance(node, Element)}
    one = above[-1] if above else None
    last = one.index if isinstance(one, Element) else -1
    new = [
        at
        for at, node in enumerate(below)
        if isinstance(node, Element) and (node.index == last or node.index not in known)
    ]
    below = below[new[0] :] if new else below
    first = below[0] if below else None
    if (
        isinstance(one, Element)
        and isinstance(first, Element)
        and (one.kind, one.index) == (first.kind, first.index)
    ):
        whole = Element(one.kind, one.index, _continued(one.kids, first.kids))
        return (*above[:-1], whole, *below[1:])
    return (*above, *below)


def _marked(element: Element, number: int) -> Element:
    """Return `element` with the beginning of page `number` told at its end."""
    last = element.kids[-1]
    if element.kind == "Code":
        return element
    if isinstance(last, Element):
        return Element(element.kind, element.index, (*element.kids[:-1], _marked(last, number)))
    line = last.lines[-1]
    run = Run(f" <!-- page {number} -->", line.size, x0=line.box.x1, markdown=True)
    ended = TextBlock((*last.lines, Line(line.box, (run,), base=line.base)))
    return Element(element.kind, element.index, (*element.kids[:-1], ended))


def _is_break(node: Element | TextBlock) -> bool:
    return isinstance(node, Element) and node.kind == PAGE_BREAK
