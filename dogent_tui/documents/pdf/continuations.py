"""What continues on the next page, by the tags: a table, a list, a program. It is read as one."""

from itertools import takewhile

import msgspec

from dogent_tui.documents.pdf.model import (
    Box,
    Element,
    Line,
    Nodes,
    Page,
    Run,
    TextBlock,
    blocks_in,
    changed,
    lines_in,
)

PAGE_BREAK = "PageBreak"
"""The kind of an element that stands for where another page begins."""

_CONTINUED = frozenset({"Table", "L", "Code"})

_APART = 4
"""Pages by which the lines of a page are lower than those of the one before, where both are one."""


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


def _joined(above: Nodes, below: Nodes, number: int, outside: Nodes = ()) -> Nodes | None:
    """Return the kids of one element on two pages; None where its last kid does not continue.
    `outside` is what is above them and in no element.
    """
    breaks = tuple(takewhile(_is_break, reversed(above)))
    kept = above[: len(above) - len(breaks)]
    one = kept[-1] if kept else None
    first = next((node for node in below if isinstance(node, Element)), None)
    if not isinstance(one, Element) or first is None or not one.xref == first.xref != 0:
        return None
    at = below.index(first)
    # what is above it, and no text of the page, is the head of a table once more
    head = "".join(block.text for block in blocks_in([one])).replace(" ", "")
    outside += tuple(
        node for node in blocks_in(below[:at]) if node.text.replace(" ", "") not in head
    )
    if one.kind in _CONTINUED:
        page_break = Element(PAGE_BREAK, 0, one.index, (TextBlock(()),))
        whole = _whole(_marked(one, number), first)
        return (*kept[:-1], whole, *breaks, page_break, *outside, *below[at + 1 :])
    inner = _joined(one.kids, first.kids, number, outside)
    if inner is None:
        return None
    whole = msgspec.structs.replace(one, kids=inner)
    return (*kept[:-1], whole, *breaks, *below[at + 1 :])


def _whole(above: Element, below: Element) -> Element:
    """Return an element on two pages as one, without the head of a table that is repeated."""
    known = {kid.xref for kid in above.kids[:-1] if isinstance(kid, Element)}
    new = [kid for kid in below.kids if not isinstance(kid, Element) or kid.xref not in known]
    kept, last, first = above.kids[:-1], above.kids[-1], new[0] if new else None
    if isinstance(last, Element) and isinstance(first, Element) and last.xref == first.xref:
        last, new = _whole(last, first), new[1:]
    return msgspec.structs.replace(above, kids=(*kept, last, *new))


def _marked(element: Element, number: int) -> Element:
    """Return `element` with the beginning of page `number` told at its end; a program as it is."""
    last = lines_in([element])[-1]
    run = Run(f" <!-- page {number} -->", last.size, x0=last.box.x1, markdown=True)
    ended = msgspec.structs.replace(last, runs=(*last.runs, run))
    kids = changed(element.kids, lambda line: ended if line is last else line)
    return element if element.kind == "Code" else msgspec.structs.replace(element, kids=tuple(kids))


def _is_break(node: Element | TextBlock) -> bool:
    return isinstance(node, Element) and node.kind == PAGE_BREAK
