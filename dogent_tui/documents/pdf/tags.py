"""A tagged page: headings, lists, tables and code according to the file's structure tree (ISO
32000-2, 14.7 and 14.8).
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain, count, groupby, pairwise, product

import msgspec
from msgspec.structs import replace

from dogent_tui.documents.pandoc.tree import RULE, Node, drawn_code, table_node
from dogent_tui.documents.pdf.layout import List, nodes_of
from dogent_tui.documents.pdf.line_ends import SOFT
from dogent_tui.documents.pdf.lists import BULLETS, Item, Mark, list_nodes, mark_of
from dogent_tui.documents.pdf.model import (
    NOTHING,
    Box,
    Element,
    Line,
    Lines,
    Nodes,
    Part,
    Run,
    Table,
    TextBlock,
    area_of,
    around,
    blocks_in,
    changed,
    elements_in,
    lines_in,
    rows_in_order,
    text_of,
    without,
    without_start,
)
from dogent_tui.documents.pdf.order import columns_of
from dogent_tui.documents.pdf.structure import (
    BREAK,
    code_block,
    heading,
    heading_level,
    is_code,
    paragraph,
)
from dogent_tui.documents.pdf.survey import Survey
from dogent_tui.documents.pdf.tables import aligned_tables
from dogent_tui.documents.pdf.tree import PICTURES, StructureTree
from dogent_tui.documents.terms import own_title

_HEADINGS = {"H": 2, "Title": 1} | {f"H{level}": level for level in range(1, 7)}
_GROUPS = frozenset(
    {"Document", "DocumentFragment", "Part", "Art", "Sect", "Div", "Aside", "TOC", "Index"}
)
_NOTES = frozenset({"Note", "FENote"})
_BLOCKS = (
    _GROUPS
    | _NOTES
    | _HEADINGS.keys()
    | {"P", "L", "LI", "Table", "BlockQuote", "Code", "Figure", "Caption", "TOCI"}
)
_REFERENCES = frozenset({"Link", "Reference", "Lbl"})
_SPANS = frozenset({"Span", "Em", "Strong", "Link", "Code", "Quote", "Reference", "Lbl"})
_ROW_GROUPS = frozenset({"THead", "TBody", "TFoot"})
_CELLS = frozenset({"TH", "TD"})
_LEAST_TAGGED = 0.6
"""The share of a page's text that must be inside elements for these to be used."""

_MOST_BACK = 0.3
"""The share of texts above the previous one in the same column up to which the order of the
elements is used.
"""

_RAISED = 0.85
"""The maximum size of a note reference relative to the text."""

_SIGN = re.compile(r"\d{1,3}|[*†‡§]")
_SIGN_OF_CALLOUT = re.compile(r"\[!(\w+)\]")
_EARLY = 0.2
"""The share of a line from which it ends early on purpose."""
_MOST_COLUMNS = 100
_BACK_LINK = re.compile("\\s*\u21a9[\ufe0e\ufe0f]?\\s*$")
_FORMULA = re.compile(r"\$.+\$")


def agrees(nodes: Nodes) -> bool:
    """Return whether the tags of a page contain its text `nodes`, in a readable order."""
    tagged = list(blocks_in(node for node in nodes if isinstance(node, Element)))
    if not tagged:
        return False
    boxes = [block.box for block in tagged]
    back = sum(
        other.y1 < one.y0 and other.x0 < one.x1 and one.x0 < other.x1
        for one, other in pairwise(boxes)
    )
    inside, whole = (sum(len(text.text) for text in texts) for texts in (tagged, blocks_in(nodes)))
    return inside >= _LEAST_TAGGED * whole and back <= _MOST_BACK * len(boxes)


def tagged_nodes(nodes: Nodes, tree: StructureTree, known: Survey) -> Iterator[Node]:
    """Yield the content of `nodes` according to the tags and in their order."""
    tagged = _Tagged(nodes, tree, known)
    yield from tagged.nodes(nodes)
    yield from tagged.notes


def with_pictures(nodes: Nodes, parent: int, tree: StructureTree, pictures: Set[int]) -> Nodes:
    """Return `nodes`, children of `parent`, with those of the `pictures` that contain no text, and
    formulas as TeX.
    """
    found = list(nodes)
    there = {node.xref for node in nodes if isinstance(node, Element)}
    for index, xref in enumerate(tree.kids(parent)) if pictures else ():
        if xref in pictures - there:
            later = (
                at
                for at, node in enumerate(found)
                if isinstance(node, Element) and node.index > index
            )
            found.insert(next(later, len(found)), Element(tree.kind(xref), xref, index, ()))
    settled = [
        _settled(node, tree, pictures) if isinstance(node, Element) else node for node in found
    ]
    for at, (node, after) in enumerate(pairwise(settled)):
        end, begin = lines_in([node])[-1:], lines_in([after])[:1]
        if end and begin and end[0].box.beside(begin[0].box) and not _is_label(node):
            settled[at : at + 2] = map(_in_line, settled[at : at + 2])
    return tuple(settled)


def _in_line(part: Part) -> Part:
    """Return code beside text as part of its line, which may continue in the next one."""
    if isinstance(part, Element) and part.kind == "Code":
        return replace(part, kind="Span")
    return part


def _settled(element: Element, tree: StructureTree, pictures: Set[int]) -> Part:
    """Return an element with its pictures; as text, if the file has TeX for it besides its
    characters, or it has no characters.
    """
    if element.kind in PICTURES:
        alternative = tree.alternative(element.xref)
        if _FORMULA.fullmatch(alternative):
            return _inline_markdown(alternative, lines_in(element.kids))
        if not element.kids and not _drawn_block(alternative):
            return _inline_markdown(_picture(alternative), [])
    kids = with_pictures(element.kids, element.xref, tree, pictures)
    return replace(element, kids=kids)


def _inline_markdown(markdown: str, lines: list[Line]) -> TextBlock:
    """Return a text that replaces `lines`."""
    lines = lines or [NOTHING]
    box = area_of(lines)
    run = Run(markdown, lines[0].size, x0=box.x0, markdown=True)
    return TextBlock((Line(box, (run,), base=lines[0].base),))


def _drawn_block(alternative: str) -> Node | None:
    """Return the block that a picture with this alternative text is drawn from."""
    return {"t": "HorizontalRule"} if alternative == RULE else drawn_code(alternative)


def _picture(alternative: str) -> str:
    alternative = " ".join(alternative.split()).replace("[", "(").replace("]", ")")
    return f"![{alternative}]()"


class _Tagged:
    """Creates nodes for the elements of a page; `notes` are those at its foot."""

    def __init__(self, nodes: Nodes, tree: StructureTree, known: Survey) -> None:
        self._tree = tree
        self._known = known
        self._headed = bool(known.kinds & _HEADINGS.keys())
        self._depth = 0
        blocks = list(blocks_in(nodes))
        page = [area_of(blocks)] if blocks else []
        # what the lines may fill, unknown in a cell
        self._columns: Sequence[Box] = columns_of(blocks, known.columns) or page
        self.notes: list[Node] = []
        # raised text equal to the label of a note refers to it
        self._labels = {_label(e) for e in elements_in(nodes) if e.kind in _NOTES}

    def nodes(self, nodes: Iterable[Part], *, apart: bool = True) -> Iterator[Node]:
        """Yield the content of `nodes`. `apart`: each is separate, like the children of a
        division.
        """
        numbers = count(1)

        def sort(node: Part) -> str | int:
            if not isinstance(node, Element):
                return "bare" if apart else 0
            if _is_block(node):
                return self._drawn(node) or ("list" if node.kind == "L" else "block")
            if not apart:  # a listing of a browser has its text in an element of its own
                is_listing = node.kind == "NonDtruct" and any(elements_in(node.kids))
                return "code" if is_listing and self._drawn(node) == "code" else 0
            return (self._drawn(node) or next(numbers)) if node.kind not in _SPANS else 0

        for kind, same in groupby(self._without_notes(nodes), key=sort):
            group = list(same)
            elements = [node for node in group if isinstance(node, Element)]
            if kind == "list":
                yield from self._list(elements)
            elif kind == "block":
                yield from chain.from_iterable(map(self._block, elements))
            elif kind == "code":
                are_lines = all(each.kind == "P" for each in elements)
                texts = [lines_in([each]) for each in elements] if are_lines else []
                yield code_block(lines_in(group), texts)
            elif kind in ("bare", "item"):
                parts = (_grid(node) or blocks_in([node]) for node in group)
                yield from nodes_of(list(chain.from_iterable(parts)), self._known)
            else:
                yield from self._paragraph(group)

    def _drawn(self, element: Element) -> str:
        """Return what a paragraph is by its looks if the file has no tag for that: a line of code,
        or an item of a list, which is read like text without tags.
        """
        if not _is_block(element) and (_holds_code(element) or _grid(element)):
            return "code" if _holds_code(element) else "item"
        is_text = element.kind == "P" or (element.kind == "NonDtruct" and _is_listing(element))
        lines = lines_in([element]) if is_text else []
        kinds = {each.kind for each in elements_in([element])}
        if not lines or not kinds <= {"P", "NonDtruct", *_SPANS} - {"Code"}:
            return ""
        if is_code(TextBlock(tuple(lines))) and not self._known.typewritten:
            return "code"
        mark = mark_of(rows_in_order(lines)[0])
        return "item" if "L" not in self._known.kinds and mark and mark.sign in BULLETS else ""

    def _without_notes(self, nodes: Iterable[Part]) -> Iterator[Part]:
        """Yield `nodes` without the notes, which may be in the middle of a text."""
        for node in nodes:
            if isinstance(node, Element) and node.kind in _NOTES:
                self.notes.append(self._note(node))
            else:
                yield node

    def _within(self, nodes: Iterable[Part]) -> list[Node]:
        """Return the content of `nodes` inside a quotation, an item, a note or a cell."""
        self._depth += 1
        found = list(self.nodes(nodes, apart=False))
        self._depth -= 1
        return found

    def _block(self, element: Element) -> Iterator[Node]:
        kids = element.kids
        match element.kind:
            case kind if kind in _HEADINGS:
                words = list(self._without_notes(kids))
                size = max((line.size for line in lines_in(words)), default=0.0)
                yield heading(list(self._inline(words, size=size)), _HEADINGS[kind])
            case "Table":
                yield from self._table(element)
            case "Code":
                are_lines = len(kids) > 1 or _has_lines(element)
                elements = [lines_in([kid]) for kid in kids] if are_lines else []
                yield code_block(lines_in(kids), elements)
            case "BlockQuote" if callout := self._callout(element.xref):
                kind, title = callout
                heads = [kid for kid in elements_in(kids) if kid.xref == title]
                title_words = text_of(lines_in(heads))
                texts = [kid for kid in kids if kid not in heads]
                yield {
                    "t": "Callout",
                    "c": [kind, own_title(kind, title_words), self._within(texts)],
                }
            case "BlockQuote":
                yield {"t": "BlockQuote", "c": self._within(kids)}
            case "Figure":
                if alternative := self._tree.alternative(element.xref):
                    markdown = {"t": "RawInline", "c": ["markdown", _picture(alternative)]}
                    yield _drawn_block(alternative) or {"t": "Para", "c": [markdown]}
                yield from self.nodes(kids, apart=False)
            case kind if kind in _GROUPS or any(map(_is_block, elements_in(kids))):
                yield from self.nodes(kids, apart=kind in _GROUPS)
            case _:
                yield from self._paragraph(kids)

    def _callout(self, quotation: int) -> tuple[str, int] | None:
        """Return the kind of a call-out, which its title says, and the element with that."""
        first = at = next(filter(None, self._tree.kids(quotation)), 0)
        while at and self._tree.kind(at) != "BlockQuote":
            if found := _SIGN_OF_CALLOUT.fullmatch(self._tree.title(at)):
                return found[1].lower(), first
            at = next(filter(None, self._tree.kids(at)), 0)
        return None

    def _paragraph(self, nodes: Iterable[Part]) -> Iterator[Node]:
        block = TextBlock(tuple(self._inline(nodes)))
        if not block.lines:
            return
        if not (self._headed or self._depth) and (level := heading_level(block, self._known)):
            yield heading(block.lines, level)
        else:
            yield paragraph(rows_in_order(block.lines))

    def _inline(
        self,
        nodes: Iterable[Part],
        *,
        refers: bool = False,
        size: float = 0.0,
    ) -> Iterator[Line]:
        """Yield the lines of a paragraph in a `size` (0: that of the text), with its note
        references.
        """
        for node, after in pairwise([*nodes, TextBlock(())]):
            broken = self._broken(node, after)
            if isinstance(node, Element):
                is_sign = refers or node.kind in _REFERENCES
                yield from self._inline(node.kids, refers=is_sign, size=size)
                yield from broken
                continue
            for line in lines_in([node]):
                label = line.text.strip().strip("[]")
                raised = (
                    _SIGN.fullmatch(label) is not None
                    and line.size < _RAISED * (size or self._known.body)
                    and line.runs[0].uri == "#"
                )
                if raised or (refers and label in self._labels):
                    run = Run(f"[^{label}]", line.size, x0=line.box.x0, markdown=True)
                    yield Line(line.box, (run,), base=line.base)
                else:
                    yield line
            yield from broken

    def _broken(self, text: Part, after: Part) -> list[Line]:
        """Return the break of the line between two parts of a paragraph: what follows would have
        fitted in the line. A browser drops a blank between a text and a style where it breaks one.
        """
        elements = [part for part in (text, after) if isinstance(part, Element)]
        for end, begin in zip(lines_in([text])[-1:], lines_in([after])[:1], strict=False):
            is_bare = len(elements) == 2 and all(map(_is_bare, elements))
            edge = next((o.x1 for o in self._columns if o.x0 <= end.box.middle[0] <= o.x1), 0.0)
            least = begin.first_word + (0 if is_bare else _EARLY * (edge - begin.box.x0))
            if (
                elements
                and begin.box.y0 > end.box.middle[1]
                and not end.text.endswith((" ", SOFT))
                and not (end.runs[-1].markdown or begin.runs[0].markdown)
                and (edge - end.box.x1 > least if edge else is_bare)
            ):
                run = Run(BREAK, end.size, x0=end.box.x1, markdown=True)
                box = replace(end.box, x0=end.box.x1)
                return [replace(end, runs=(run,), box=box)]
        return []

    def _note(self, element: Element) -> Node:
        """Return a footnote without its label and the link back at its end."""
        label = _label(element)
        signs = [kid for kid in elements_in(element.kids[:1]) if _is_label(kid)]
        kids = list(changed(without(element.kids, lines_in(signs[:1])), _without_back_link))
        text = "".join(line.text for line in lines_in(kids)).lstrip()
        if found := re.match(rf"\W{{0,4}}{re.escape(label)}[.)\]]?(?=\W)", text):
            kids = list(changed(kids, without_start(len(found[0]))))
        return {"t": "NoteText", "c": [label, self._within(kids)]}

    def _list(self, lists: Sequence[Element]) -> Iterator[Node]:
        """Yield consecutive lists. Some programs write nested lists this way: then their marks are
        indented further.
        """
        found = [kid for one in lists for kid in one.kids if isinstance(kid, Element)]
        if any(_BACK_LINK.search(_text(item)) for item in found):
            yield from map(self._note, found)
            return
        items = [item for element in lists for item in self._items(element, 0)]
        if len(lists) > 1 and not any(item.depth for item in items):
            placed = List()
            for each in items:
                placed.add(each.mark, each.blocks)
            items = placed.items
        yield from list_nodes(items)

    def _items(self, element: Element, depth: int) -> Iterator[Item]:
        for kid in element.kids:
            if isinstance(kid, Element) and kid.kind == "L":
                yield from self._items(kid, depth + 1)
            else:
                yield self._item(kid.kids if isinstance(kid, Element) else (kid,), depth)

    def _item(self, parts: Nodes, depth: int) -> Item:
        signs = lines_in(filter(_is_label, parts))
        kids: list[Part] = []
        for part in parts:
            if isinstance(part, Element) and part.kind == "LBody":
                kids += part.kids
            elif not _is_label(part):
                kids.append(part)
        lines = lines_in(kids)
        own = mark_of(rows_in_order(lines)[0]) if lines and not signs else None
        if own:
            kids = list(changed(kids, without_start(len(own.sign))))
        return Item(own or _mark(signs, lines), depth, self._within(kids))

    def _table(self, element: Element) -> Iterator[Node]:
        rows: list[list[_Cell]] = []
        for kid in self._with_rows(element):
            is_group = isinstance(kid, Element) and kid.kind in _ROW_GROUPS
            for node in self._with_rows(kid) if isinstance(kid, Element) and is_group else (kid,):
                if isinstance(node, Element) and node.kind == "TR":
                    rows.append(list(self._row(node)))
                else:
                    yield from self.nodes([node], apart=False)
        if rows := list(filter(None, rows)):
            rows = _in_columns(rows)
            heads = (at for at, row in enumerate(rows) if any(cell.kind == "TD" for cell in row))
            cells = [[(cell.rows, cell.columns, cell.blocks) for cell in row] for row in rows]
            yield table_node(cells, heads=next(heads, 0))

    def _with_rows(self, element: Element) -> Iterator[Part]:
        """Yield the children of an element, including empty rows between them."""
        after: int | None = None
        for kid in element.kids:
            if isinstance(kid, Element):
                for index in range(kid.index if after is None else after, kid.index):
                    xref = self._tree.kid(element.xref, index)
                    if self._tree.kind(xref) == "TR":
                        yield Element("TR", xref, index, ())
                after = kid.index + 1
            yield kid

    def _row(self, row: Element) -> Iterator["_Cell"]:
        """Yield the cells of a row, including empty ones."""
        there = {kid.index: kid for kid in row.kids if isinstance(kid, Element)}
        for index in range(max(len(self._tree.kids(row.xref)), *(at + 1 for at in there), 1)):
            xref = self._tree.kid(row.xref, index)
            cell = there.get(index) or Element(self._tree.kind(xref), xref, index, ())
            if cell.kind in _CELLS:
                boxes = [line.box for line in lines_in(cell.kids)]
                around_it, self._columns = self._columns, ()
                blocks = self._within(cell.kids)
                self._columns = around_it
                box = around(boxes) if boxes else None
                yield _Cell(cell.kind, *self._tree.spans(xref), blocks, box)


class _Cell(msgspec.Struct, frozen=True):
    """A cell of a table. `box`: the area of its text, None if it has none."""

    kind: str
    rows: int
    columns: int
    blocks: list[Node]
    box: Box | None


def _in_columns(rows: list[list[_Cell]]) -> list[list[_Cell]]:
    """Return `rows` with the empty cells that have no tags, and the rows that cells above cover:
    existing cells are assigned to the columns of the complete rows.
    """
    width = max(sum(cell.columns for cell in row) for row in rows)
    if width > _MOST_COLUMNS:
        return rows
    known: dict[int, Box] = {}
    found: list[list[_Cell]] = []
    for _ in range(2):  # incomplete rows are placed once the columns are known
        taken: set[tuple[int, int]] = set()
        found = []
        waiting = deque(rows)
        while True:
            at = len(found)
            free = [column for column in range(width) if (at, column) not in taken]
            if free and not waiting:
                break
            if not free:
                found.append([])
                continue
            row = waiting.popleft()
            spare = max(0, len(free) - sum(cell.columns for cell in row))
            placed = _spread(row, [*free, *range(width, 2 * width)], spare, known)
            for column, cell in placed:
                across = range(column, column + cell.columns)
                below = range(at + 1, at + cell.rows)
                taken.update(product(below, across))
                if cell.box is not None and not (spare and column in known):
                    end = cell.box.x1 if len(across) == 1 else cell.box.x0
                    own = replace(cell.box, x1=end)
                    known[column] = around([own, known.get(column, own)])
            found.append([cell for _, cell in placed])
    return found


def _spread(
    row: list[_Cell], free: list[int], spare: int, known: dict[int, Box]
) -> list[tuple[int, _Cell]]:
    """Return the cells of a row with their columns, chosen from those that are `free`, and with
    `spare` empty ones in the columns farthest from any cell.
    """
    empty = _Cell(row[0].kind, 1, 1, [], None)
    placed: list[tuple[int, _Cell]] = []
    at = 0
    for cell in row:
        ways = [_away(column, cell.box, known) for column in free[at : at + spare + 1]]
        skipped = ways.index(min(ways))
        placed += [(column, empty) for column in free[at : at + skipped]]
        placed.append((free[at + skipped], cell))
        at, spare = at + skipped + cell.columns, spare - skipped
    return placed + [(column, empty) for column in free[at : at + spare]]


def _away(column: int, box: Box | None, known: dict[int, Box]) -> float:
    """Return the distance of a text from a column, which is between its neighbors if it has no text
    of its own.
    """
    if box is None:
        return 0.0
    own = known.get(column)
    before = max((place.x1 for at, place in known.items() if at < column), default=float("-inf"))
    after = min((place.x0 for at, place in known.items() if at > column), default=float("inf"))
    start, end = (own.x0, own.x1) if own else (before, after)
    return max(0.0, start - box.x1, box.x0 - end)


def _is_block(element: Element) -> bool:
    return any(
        each.kind in _BLOCKS and (each.kind != "Code" or _is_listing(each))
        for each in elements_in([element])
    )


def _is_listing(code: Element) -> bool:
    """Return whether code is a block, and not part of a line."""
    return _has_lines(code) or len(rows_in_order(lines_in(code.kids))) > 1


def _grid(part: Part) -> list[Table]:
    """Return the table in an element that a browser does not tag as one, because it has no head."""
    is_parted = isinstance(part, Element) and part.kind == "NonDtruct" and not _is_bare(part)
    lines = lines_in([part]) if is_parted else []
    return [table for table, used in aligned_tables(lines) if len(used) == len(lines)]


def _holds_code(element: Element) -> bool:
    """Return whether an element is a browser's for a listing of one line."""
    kids = [kid.kind for kid in element.kids if isinstance(kid, Element)]
    return element.kind == "NonDtruct" and kids == ["Code"] and len(element.kids) == 1


def _is_bare(element: Element) -> bool:
    """Return whether an element is a browser's for a text without a style."""
    return element.kind == "NonDtruct" and all(isinstance(kid, TextBlock) for kid in element.kids)


def _has_lines(code: Element) -> bool:
    """Return whether each line of code is an element."""
    lines = (kid for kid in code.kids if isinstance(kid, Element))
    return any(line.kind == "P" or any(elements_in(line.kids)) for line in lines)


def _is_label(node: Part) -> bool:
    return isinstance(node, Element) and node.kind == "Lbl"


def _text(element: Element) -> str:
    runs = (run for line in lines_in(element.kids) for run in line.runs)
    return "".join(run.text for run in runs if not run.markdown)


def _mark(signs: Lines, lines: Lines) -> Mark:
    text = "".join(line.text for line in signs).strip()
    first = next(iter([*lines, *signs]), None)  # some marks have no text
    x0, size = (first.box.x0, first.size) if first else (0.0, 10.0)
    label = re.search(r"\w+", text)
    return Mark(text, label[0] if label and text != "o" else "", x0, size)


def _label(note: Element) -> str:
    """Return the label of a footnote."""
    labels = [kid for kid in elements_in(note.kids) if kid.kind == "Lbl"]
    found = re.match(r"\W*(\d{1,3}|\w)|\W", _text(labels[0] if labels else note))
    return (found[1] or found[0]) if found else "*"


def _without_back_link(line: Line) -> Line | None:
    kept = tuple(
        replace(run, text=text) for run in line.runs if (text := _BACK_LINK.sub("", run.text))
    )
    return replace(line, runs=kept) if kept else None
