"""A page with tags: headings, lists, tables and code as the file's structure tree has them (ISO
32000-2, 14.7 and 14.8).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise, takewhile
from typing import Any

import msgspec

from dogent_tui.documents.pandoc.tree import Node, drawn_code, table_node
from dogent_tui.documents.pdf.continuations import PAGE_BREAK
from dogent_tui.documents.pdf.layout import nodes_of
from dogent_tui.documents.pdf.lists import BULLETS, Item, List, Mark, list_nodes, mark_of
from dogent_tui.documents.pdf.model import (
    Box,
    Element,
    Line,
    Page,
    Run,
    TextBlock,
    around,
    blocks_in,
    changed,
)
from dogent_tui.documents.pdf.structure import (
    code_block,
    heading,
    heading_level,
    is_code,
    paragraph,
    plain_text,
    rows_in_order,
)
from dogent_tui.documents.pdf.survey import Survey, letters
from dogent_tui.documents.pdf.text import BROKEN

_HEADINGS = {"H": 2, "Title": 1} | {f"H{level}": level for level in range(1, 7)}
_GROUPS = frozenset(
    {"Document", "DocumentFragment", "Part", "Art", "Sect", "Div", "Aside", "TOC", "Index"}
)
_BLOCKS = frozenset(
    {"P", "L", "LI", "Table", "BlockQuote", "Code", "Note", "FENote", "Figure", "Caption", "TOCI"}
    | {"PageBreak"}
)
_REFERENCES = frozenset({"Link", "Reference", "Lbl"})
_SPANS = frozenset({"Span", "Em", "Strong", "Link", "Code", "Quote", "Reference", "Lbl"})
_NOTES = frozenset({"Note", "FENote"})
_PICTURES = frozenset({"Figure", "Formula"})
_CELLS = frozenset({"TH", "TD"})
_LEAST_TAGGED = 0.6
"""The share of a page's text that is within elements, where these are believed."""

_MOST_BACK = 0.3
"""The share of elements that begin above the one before them in the same column, where their
order is believed.
"""

_LARGE = 1.2
"""What is larger than the text by this factor may be a heading that has no tag."""

_RAISED = 0.85
"""The size of a sign, in sizes of the text, that refers to a note."""

_SIGN = re.compile(r"\d{1,3}|[*†‡§]")
_MOST_COLUMNS = 100
_BACK_LINK = "\u21a9"
_MOST_SPAN = 1000
_FORMULA = re.compile(r"\$.+\$")
_MOST_KIDS = 100_000
_MOST_ELEMENTS = 20_000
"""Of a tree in which pictures are looked for: some 20 µs each."""


class StructureTree:
    """What the file says of its elements: their kinds and attributes. MuPDF tells where the text
    is, and not these.
    """

    def __init__(self, document: Any) -> None:
        self._document = document
        self._kids: dict[int, list[int]] = {}
        self._figures: dict[int, list[tuple[int, int, str]]] | None = None
        self.root = self._reference(document.pdf_catalog(), "StructTreeRoot")

    def kid(self, element: int, index: int) -> int:
        """Return the number of the object that is this kid of `element`; 0 where there is none,
        or content alone.
        """
        kids = self.kids(element)
        return kids[index] if 0 <= index < len(kids) else 0

    def kids(self, element: int) -> list[int]:
        """Return the numbers of the objects that are kids of `element`, 0 for its content."""
        if element not in self._kids:
            self._kids[element] = self._read_kids(element) if element else []
        return self._kids[element]

    def kind(self, element: int) -> str:
        """Return the kind of an element, as it is written."""
        return self._key(element, "S").lstrip("/")

    def text(self, element: int, name: str) -> str:
        """Return a text that is kept with the element: ``Alt``, ``ActualText``."""
        return re.sub(r"[ \t\r\n]+", " ", self._key(element, name)).strip(" ")

    def figures(self, page: int) -> list[tuple[int, int, str]]:
        """Return the pictures with an alternative text on the page of this object: whose kid
        each is, the how many, the text.
        """
        if self._figures is None:
            self._figures = {}
            waiting = [self.root]
            for element in waiting:  # grows while it is read
                for index, kid in enumerate(
                    self.kids(element) if len(waiting) < _MOST_ELEMENTS else ()
                ):
                    if (
                        kid
                        and self.kind(kid) in _PICTURES
                        and (alt := self.text(kid, "Alt")) not in {"", "null"}
                    ):
                        on = self._reference(kid, "Pg") or int(
                            (re.findall(r"/Pg (\d+)", self._key(kid, "K")) or [0])[0]
                        )
                        self._figures.setdefault(on, []).append((element, index, alt))
                    waiting += [kid] if kid and kid not in self._kids else []
        return self._figures.get(page, [])

    def spans(self, element: int) -> tuple[int, int]:
        """Return how many rows and columns a cell takes."""
        said = self._key(element, "A")
        if said.endswith(" 0 R"):
            said = self._document.xref_object(int(said.split()[0]), compressed=True)
        for number in re.findall(r"(\d+) 0 R", said) if said.startswith("[") else ():
            said += self._document.xref_object(int(number), compressed=True)
        found = {
            name: int(count) for name, count in re.findall(r"/(RowSpan|ColSpan) ?(\d{1,4})", said)
        }
        return min(_MOST_SPAN, found.get("RowSpan", 1)) or 1, min(
            _MOST_SPAN, found.get("ColSpan", 1)
        ) or 1

    def _read_kids(self, element: int) -> list[int]:
        said = re.sub(r"<<.*?>>", "0", self._key(element, "K"), flags=re.DOTALL)
        return [
            int(number or 0)
            for number, _ in re.findall(r"(?:(\d+) \d+ R)|(\d+)", said)[:_MOST_KIDS]
        ]

    def _reference(self, xref: int, key: str) -> int:
        said = self._key(xref, key)
        return int(said.split()[0]) if said.endswith(" R") else 0

    def _key(self, xref: int, key: str) -> str:
        try:
            return str(self._document.xref_get_key(xref, key)[1]) if xref else ""
        except BROKEN:
            return ""


def agrees(page: Page) -> bool:
    """Tell whether the tags of a page hold its text, and in an order in which it can be read."""
    elements = [node for node in page.nodes if isinstance(node, Element)]
    inside = sum(len(block.text) for block in blocks_in(elements))
    boxes = [around(block.box for block in blocks_in([leaf])) for leaf in _leaves(elements)]
    back = sum(
        1
        for one, other in pairwise(boxes)
        if other.y1 < one.y0 and other.x0 < one.x1 and one.x0 < other.x1
    )
    # MuPDF has what continues from the page before, at the top, outside of its element
    above = takewhile(lambda node: isinstance(node, TextBlock), page.nodes)
    from_before = sum(
        len(block.text) for block in blocks_in(above) if boxes and block.box.y1 < boxes[0].y1
    )
    everything = sum(len(block.text) for block in page.blocks) - from_before
    return inside >= _LEAST_TAGGED * everything > 0 and back <= _MOST_BACK * len(boxes)


def _leaves(elements: Iterable[Element]) -> Iterator[Element]:
    for element in elements:
        kids = [kid for kid in element.kids if isinstance(kid, Element)]
        if element.kind in _GROUPS or any(map(_is_block, kids)):
            yield from _leaves(kids)
        else:
            yield element


def _is_block(element: Element) -> bool:
    if element.kind in _BLOCKS or element.kind in _HEADINGS or element.kind in _GROUPS:
        return element.kind != "Code" or len(rows_in_order(list(_lines(element.kids)))) > 1
    return any(isinstance(kid, Element) and _is_block(kid) for kid in element.kids)


def _lines(nodes: Iterable[Element | TextBlock]) -> Iterator[Line]:
    for block in blocks_in(nodes):
        yield from block.lines


def tagged_nodes(
    page: Page, xrefs: Sequence[int], tree: StructureTree, known: Survey
) -> Iterator[Node]:
    """Yield what the tags of `page`, made of the objects `xrefs`, say that there is, in their
    order.
    """
    figures = [figure for xref in xrefs for figure in tree.figures(xref)]
    nodes = _with_figures(page.nodes, tree.root, tree, figures)
    tagged = _Tagged(page, tree, known)
    yield from tagged.nodes(nodes, tree.root)
    yield from tagged.notes
    for _, _, alt in figures:
        yield _figure(alt)


def _with_figures(
    nodes: Sequence[Element | TextBlock],
    parent: int,
    tree: StructureTree,
    figures: list[tuple[int, int, str]],
) -> list[Element | TextBlock]:
    """Return `nodes`, kids of `parent`, with pictures that hold no text, taken from `figures`,
    and formulas as TeX.
    """
    here = {index: alt for element, index, alt in figures if element == parent}
    figures[:] = [figure for figure in figures if figure[0] != parent]
    found: list[Element | TextBlock] = []
    for node in nodes:
        if isinstance(node, Element):
            own = tree.kid(parent, node.index)
            here.pop(node.index, None)
            if node.kind in _PICTURES and _FORMULA.fullmatch(alt := tree.text(own, "Alt")):
                node = _formula(alt, node.kids)
            else:
                node = Element(
                    node.kind, node.index, tuple(_with_figures(node.kids, own, tree, figures))
                )
        found.append(node)
    for index, alt in here.items():
        place = next(
            (
                at
                for at, node in enumerate(found)
                if isinstance(node, Element) and node.index > index
            ),
            len(found),
        )
        found.insert(
            place, _formula(alt, ()) if _FORMULA.fullmatch(alt) else Element("Figure", index, ())
        )
    return found


def _formula(alt: str, kids: Sequence[Element | TextBlock]) -> TextBlock:
    """Return a formula that the file has as TeX besides its signs."""
    first = next(_lines(kids), None)
    box = around(line.box for line in _lines(kids)) if first else Box(0, 0, 0, 0)
    run = Run(alt, first.size if first else 1.0, x0=box.x0, markdown=True)
    return TextBlock((Line(box, (run,), base=first.base if first else 0.0),))


def _figure(alt: str) -> Node:
    if code := drawn_code(alt):
        return code
    alt = " ".join(alt.split()).replace("[", "(").replace("]", ")")
    return {"t": "Para", "c": [{"t": "RawInline", "c": ["markdown", f"![{alt}]()"]}]}


class _Tagged:
    def __init__(self, page: Page, tree: StructureTree, known: Survey) -> None:
        self._tree = tree
        self._known = known
        self._headed = bool(known.kinds & _HEADINGS.keys())
        self._listed = "L" in known.kinds
        self._right = _right_edge(page)
        self._depth = 0
        self.notes: list[Node] = []
        self._notes: set[str] = set()
        self._find_notes(page.nodes)

    def _find_notes(self, nodes: Iterable[Element | TextBlock]) -> None:
        """Note the labels of foot notes: what is raised and has such a label refers to it."""
        for node in nodes:
            if not isinstance(node, Element):
                continue
            if node.kind in _NOTES or (node.kind == "LI" and _text(node).endswith(_BACK_LINK)):
                self._notes |= {_label(node)} - {""}
            else:
                self._find_notes(node.kids)

    def nodes(
        self, nodes: Sequence[Element | TextBlock], parent: int, *, apart: bool = True
    ) -> Iterator[Node]:
        """Yield what `nodes`, kids of `parent`, are. `apart`: each is one by itself, as are those
        of a division.
        """
        places = _paragraph_numbers(nodes)
        for kind, same in groupby(
            zip(places, nodes, strict=True), key=lambda numbered: self._sort(*numbered, apart=apart)
        ):
            group = [node for _, node in same]
            elements = [node for node in group if isinstance(node, Element)]
            if kind == "L":
                yield from self._list(
                    [(node, self._tree.kid(parent, node.index)) for node in elements]
                )
            elif kind == "block":
                for node in elements:
                    yield from self._block(node, self._tree.kid(parent, node.index))
            elif kind == "bare":
                yield from nodes_of(list(blocks_in(group)), self._known)
            else:
                yield from self._paragraph(group, inline=not apart)

    def _within(self, nodes: Sequence[Element | TextBlock], parent: int) -> list[Node]:
        """Return what `nodes` within a quotation, an item, a note or a cell are."""
        self._depth += 1
        found = list(self.nodes(nodes, parent, apart=False))
        self._depth -= 1
        return found

    def _sort(self, place: int, node: Element | TextBlock, *, apart: bool) -> str:
        if isinstance(node, TextBlock):
            return "bare" if apart else "inline"
        if node.kind == "L":
            return "L"
        return "block" if _is_block(node) else f"inline {place}" if apart else "inline"

    def _block(self, node: Element, xref: int) -> Iterator[Node]:
        kids = any(isinstance(kid, Element) and _is_block(kid) for kid in node.kids)
        if level := _HEADINGS.get(node.kind):
            yield heading(plain_text(list(_lines(node.kids))), level)
        elif node.kind == "Table":
            yield from self._table(node, xref)
        elif node.kind == "Code":
            yield code_block(list(_lines(node.kids)), self._right)
        elif node.kind == "BlockQuote":
            yield {"t": "BlockQuote", "c": self._within(node.kids, xref)}
        elif node.kind in _NOTES:
            kids_of = [
                kid for kid in node.kids if not isinstance(kid, Element) or kid.kind != "Lbl"
            ]
            self.notes.append(self._note(_label(node), kids_of, xref))
        elif node.kind == PAGE_BREAK:
            yield {"t": PAGE_BREAK}
        elif node.kind == "Figure":
            alt = self._tree.text(xref, "Alt")
            yield from [_figure(alt)] if alt not in {"", "null"} else []
            yield from self.nodes(node.kids, xref, apart=False)
        elif kids or node.kind in _GROUPS:
            yield from self.nodes(node.kids, xref, apart=node.kind in _GROUPS)
        else:
            yield from self._paragraph(node.kids, inline=_has_code(node.kids))

    def _paragraph(
        self, nodes: Sequence[Element | TextBlock], *, inline: bool = False
    ) -> Iterator[Node]:
        """Yield a paragraph. `inline`: one that is all of code is no block of it."""
        block = TextBlock(tuple(self._inline(nodes)))
        if not block.lines:
            return
        rows = rows_in_order(block.lines)
        mark = mark_of(rows[0])
        if not inline and is_code(block) and not self._known.typewritten:
            yield code_block(block.lines, self._right)
        elif not (self._headed or self._depth) and (level := self._level(block)):
            yield heading(block.text, level)
        elif not self._listed and mark is not None and mark.sign in BULLETS:
            yield from nodes_of([block], self._known)
        else:
            yield paragraph(rows)

    def _level(self, block: TextBlock) -> int:
        """Return the level of a paragraph that is a heading by its bookmark, its size or its weight
        in a file that has no tags for headings; else 0.
        """
        is_bold = all(line.bold for line in block.lines)
        is_large = block.lines[0].size >= _LARGE * self._known.body
        is_marked = letters(block.text) in self._known.titles
        return heading_level(block, self._known) if is_bold or is_large or is_marked else 0

    def _inline(
        self, nodes: Iterable[Element | TextBlock], *, refers: bool = False
    ) -> Iterator[Line]:
        """Yield the lines of a paragraph, with its references to notes as these are written."""
        for node in nodes:
            if isinstance(node, Element):
                yield from self._inline(node.kids, refers=refers or node.kind in _REFERENCES)
            else:
                for line in node.lines:
                    label = line.text.strip().strip("[]")
                    raised = (
                        _SIGN.fullmatch(label) is not None
                        and line.size < _RAISED * self._known.body
                        and line.runs[0].uri == "#"
                    )
                    if raised or (refers and label in self._notes):
                        run = Run(f"[^{label}]", line.size, x0=line.box.x0, markdown=True)
                        yield Line(line.box, (run,), base=line.base)
                    else:
                        yield line

    def _note(self, label: str, nodes: Sequence[Element | TextBlock], xref: int) -> Node:
        """Return a foot note, without its `label` before the text and the link back after it."""
        kept = list(changed(nodes, _without_back_link))
        text = "".join(line.text for line in _lines(kept)).lstrip()
        found = re.match(rf"\W{{0,4}}{re.escape(label)}[.)\]]?(?=\W)", text)
        kept = list(_without_sign(kept, len(found[0]) if found else 0))
        blocks = self._within(kept, xref)
        return {"t": "NoteText", "c": [label, blocks]} if label else {"t": "Div", "c": ["", blocks]}

    def _list(self, lists: Sequence[tuple[Element, int]]) -> Iterator[Node]:
        """Yield lists that follow each other. Some programs write those within others so: then
        their marks are further in.
        """
        found = [
            (item, self._tree.kid(xref, item.index))
            for node, xref in lists
            for item in node.kids
            if isinstance(item, Element)
        ]
        if all(_text(item).endswith(_BACK_LINK) for item, _ in found):
            for item, xref in found:
                kids = [kid for kid in item.kids if not _is_label(kid)]
                yield self._note(_label(item), kids, xref)
            return
        items = [item for node, xref in lists for item in self._items(node, xref, 0)]
        if len(lists) > 1 and not any(item.depth for item in items):
            placed = List()
            for each in items:
                placed.add(each.mark, each.blocks)
            items = placed.items
        yield from list_nodes(items)

    def _items(self, node: Element, xref: int, depth: int) -> Iterator[Item]:
        for kid in node.kids:
            if not isinstance(kid, Element):
                yield from self._item([kid], xref, depth)
            elif kid.kind == "L":
                yield from self._items(kid, self._tree.kid(xref, kid.index), depth + 1)
            else:
                yield from self._item(kid.kids, self._tree.kid(xref, kid.index), depth)

    def _item(self, kids: Sequence[Element | TextBlock], xref: int, depth: int) -> Iterator[Item]:
        signs = list(_lines(kid for kid in kids if _is_label(kid)))
        parts: list[tuple[list[Element | TextBlock], int]] = []
        for kid in kids:  # the body's kids are the item's
            if isinstance(kid, Element) and kid.kind == "LBody":
                parts.append((list(kid.kids), self._tree.kid(xref, kid.index)))
            elif not _is_label(kid):
                parts += [] if parts and parts[-1][1] == xref else [([], xref)]
                parts[-1][0].append(kid)
        lines = [line for nodes, _ in parts for line in _lines(nodes)]
        own = mark_of(rows_in_order(lines)[0]) if lines and not signs else None
        blocks: list[Node] = []
        for place, (nodes, parent) in enumerate(parts):
            if own and not place:
                nodes = list(_without_sign(nodes, own.length))
            blocks += self._within(nodes, parent)
        yield Item(own or _mark(signs, lines), depth, blocks)

    def _table(self, node: Element, xref: int) -> Iterator[Node]:
        rows: list[list[_Cell]] = []
        for kid in node.kids:
            inner = self._tree.kid(xref, kid.index) if isinstance(kid, Element) else 0
            if isinstance(kid, Element) and kid.kind == "TR":
                rows.append(list(self._row(kid, inner)))
            elif isinstance(kid, Element) and kid.kind in {"THead", "TBody", "TFoot"}:
                rows += [
                    list(self._row(row, self._tree.kid(inner, row.index)))
                    for row in kid.kids
                    if isinstance(row, Element) and row.kind == "TR"
                ]
            else:
                yield from self.nodes([kid], xref, apart=False)
        if rows := [row for row in rows if row]:
            heads = next(
                (at for at, row in enumerate(rows) if any(cell.kind == "TD" for cell in row)), 0
            )
            placed = _in_columns(rows)
            yield table_node(
                [[(cell.rows, cell.columns, cell.blocks) for cell in row] for row in placed],
                heads=heads,
            )

    def _row(self, node: Element, xref: int) -> Iterator["_Cell"]:
        """Yield the cells of a row."""
        there = {kid.index: kid for kid in node.kids if isinstance(kid, Element)}
        kids = self._tree.kids(xref) or [0] * (max(there, default=-1) + 1)
        for index, kid in enumerate(kids):
            cell = there.get(index)
            kind = cell.kind if cell is not None else self._tree.kind(kid)
            if kind in _CELLS:
                down, across = self._tree.spans(kid)
                if cell is None:
                    yield _Cell(kind, down, across, [], None)
                    continue
                blocks = self._within(cell.kids, kid)
                box = around(line.box for line in _lines(cell.kids))
                yield _Cell(kind, down, across, blocks, box)


class _Cell(msgspec.Struct, frozen=True):
    """A cell of a table. `box`: where its text is, None where it has none."""

    kind: str
    rows: int
    columns: int
    blocks: list[Node]
    box: Box | None


def _in_columns(rows: list[list[_Cell]]) -> list[list[_Cell]]:
    """Return `rows` with the empty cells that have no tags: those that are there are in the
    columns in which the rows that lack none have theirs.
    """
    width = max(sum(cell.columns for cell in row) for row in rows)
    if width > _MOST_COLUMNS:
        return rows
    from_above = [0] * width  # rows that a cell further up takes of each column
    starts: dict[int, tuple[float, float]] = {}
    found: list[list[_Cell]] = []
    short = []
    for row in rows:
        free = [column for column in range(width) if not from_above[column]]
        columns = [free] if sum(cell.columns for cell in row) >= len(free) else []
        from_above = [max(0, left - 1) for left in from_above]
        column = 0
        at = []
        for cell in row if columns else ():
            while column < width and column not in free:
                column += 1
            at.append(column)
            if cell.rows > 1:
                from_above[column : column + cell.columns] = [cell.rows - 1] * len(
                    from_above[column : column + cell.columns]
                )
            if cell.box is not None and cell.columns == 1:
                start = starts.get(column, (cell.box.x0, cell.box.x1))
                starts[column] = min(start[0], cell.box.x0), max(start[1], cell.box.x1)
            column += cell.columns
        if not columns:
            short.append((len(found), free))
        found.append(row)
    for place, free in short:
        found[place] = _spread(found[place], free, starts)
    return found


def _spread(
    row: list[_Cell], free: list[int], starts: dict[int, tuple[float, float]]
) -> list[_Cell]:
    """Return a row with an empty cell in each of its `free` columns that no cell is nearest to."""
    spread: list[_Cell] = []
    kind = row[0].kind
    left = sum(cell.columns for cell in row)
    at = 0
    for cell in row:
        choice = range(at, len(free) - left + 1)
        best = (
            at if cell.box is None else min(choice, key=lambda n: _away(free[n], cell.box, starts))
        )
        spread += [_Cell(kind, 1, 1, [], None)] * (best - at) + [cell]
        box = cell.box
        if box is not None:
            starts.setdefault(free[best], (box.x0, box.x1 if cell.columns == 1 else box.x0))
        at, left = best + cell.columns, left - cell.columns
    return spread + [_Cell(kind, 1, 1, [], None)] * (len(free) - at)


def _away(column: int, box: Box | None, starts: dict[int, tuple[float, float]]) -> float:
    """Return how far a text is from a column, which is between its neighbours where it has no
    text of its own.
    """
    if box is None:
        return 0.0
    before = max((end for at, (_, end) in starts.items() if at < column), default=float("-inf"))
    after = min((start for at, (start, _) in starts.items() if at > column), default=float("inf"))
    start, end = starts.get(column, (before, after))
    return max(0.0, start - box.x1, box.x0 - end)


def _paragraph_numbers(nodes: Sequence[Element | TextBlock]) -> list[int]:
    """Return a number for each of `nodes`, the same for spans that are in one row."""
    numbers: list[int] = []
    for place in range(len(nodes)):
        pair = nodes[place - 1 : place + 1] if place else ()
        if pair and all(isinstance(each, Element) and each.kind in _SPANS for each in pair):
            above, below = (list(_lines([each])) for each in pair)
            if above and below and above[-1].box.beside(below[0].box):
                numbers.append(numbers[-1])
                continue
        numbers.append(place)
    return numbers


def _right_edge(page: Page) -> float:
    """Return where the text of a page ends at the right: as far from its edge as at the left, or
    further.
    """
    boxes = [line.box for block in page.blocks for line in block.lines]
    left = min((box.x0 for box in boxes), default=0.0)
    ends = [box.x1 for box in boxes if box.x1 < page.area.x1 - (left - page.area.x0) / 2]
    return max([page.area.x0 + page.area.x1 - left, *ends])


def _has_code(nodes: Iterable[Element | TextBlock]) -> bool:
    return any(
        isinstance(node, Element) and (node.kind == "Code" or _has_code(node.kids))
        for node in nodes
    )


def _is_label(node: Element | TextBlock) -> bool:
    return isinstance(node, Element) and node.kind == "Lbl"


def _text(element: Element) -> str:
    return "".join(line.text for line in _lines(element.kids)).strip().rstrip("\ufe0e\ufe0f")


def _mark(signs: Sequence[Line], lines: Sequence[Line]) -> Mark:
    text = "".join(line.text for line in signs).strip()
    first = next(iter([*lines, *signs]), None)  # of some marks there is no text
    x0, size = (first.box.x0, first.size) if first else (0.0, 10.0)
    label = re.search(r"\w+", text)
    return Mark(text, label[0] if label and text != "o" else "", x0, size)


def _label(note: Element) -> str:
    """Return the number or sign of a foot note."""
    labels = [kid for kid in note.kids if isinstance(kid, Element) and kid.kind == "Lbl"]
    found = re.match(r"\W*(\d{1,3}|\w)|\W", _text(labels[0] if labels else note))
    return (found[1] or found[0]) if found else ""


def _without_back_link(line: Line) -> Line | None:
    kept = tuple(
        msgspec.structs.replace(run, text=text)
        for run in line.runs
        if (text := re.sub(rf"\s*{_BACK_LINK}[\ufe0e\ufe0f]?\s*$", "", run.text))
    )
    return msgspec.structs.replace(line, runs=kept) if kept else None


def _without_sign(
    nodes: Iterable[Element | TextBlock], length: int
) -> Iterator[Element | TextBlock]:
    """Yield `nodes` without their first `length` signs and the blanks around these."""
    left = length

    def shortened(line: Line) -> Line | None:
        nonlocal left
        runs = []
        for run in line.runs:
            text = run.text
            if left >= 0 and length:
                text = text.lstrip()
                cut = min(left, len(text))
                text, left = text[cut:], left - cut
                if not left and text.strip():
                    text, left = text.lstrip(), -1
            if text:
                runs.append(msgspec.structs.replace(run, text=text))
        return msgspec.structs.replace(line, runs=tuple(runs)) if runs else None

    yield from changed(nodes, shortened)
