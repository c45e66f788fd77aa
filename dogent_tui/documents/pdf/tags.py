"""A page with tags: headings, lists, tables and code as the file's structure tree has them (ISO
32000-2, 14.7 and 14.8).
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

from dogent_tui.documents.pdf.layout import pieces
from dogent_tui.documents.pdf.lists import Item, List, Mark, list_markdown, mark_of
from dogent_tui.documents.pdf.model import (
    Box,
    Element,
    Line,
    Page,
    Piece,
    Run,
    TextBlock,
    around,
    blocks_in,
)
from dogent_tui.documents.pdf.structure import (
    code_markdown,
    heading_markdown,
    is_code,
    paragraph_markdown,
    paragraphs,
    plain_text,
    rows_in_order,
)
from dogent_tui.documents.pdf.survey import Survey
from dogent_tui.documents.pdf.text import BROKEN

_HEADINGS = {"H": 2, "Title": 1} | {f"H{level}": level for level in range(1, 7)}
_GROUPS = frozenset(
    {"Document", "DocumentFragment", "Part", "Art", "Sect", "Div", "Aside", "TOC", "Index"}
)
_BLOCKS = frozenset(
    {"P", "L", "LI", "Table", "BlockQuote", "Code", "Note", "FENote", "Figure", "Caption", "TOCI"}
)
_REFERENCES = frozenset({"Link", "Reference", "Lbl"})
_NOTES = frozenset({"Note", "FENote"})
_PICTURES = frozenset({"Figure", "Formula"})
_CELLS = frozenset({"TH", "TD"})
_LEAST_TAGGED = 0.6
"""The share of a page's text that is within elements, where these are believed."""

_MOST_BACK = 0.3
"""The share of elements that begin above the one before them in the same column, where their
order is believed.
"""

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
        return " ".join(self._key(element, name).split())

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
    everything = sum(len(block.text) for block in page.blocks)
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


def tagged_pieces(page: Page, xref: int, tree: StructureTree, known: Survey) -> Iterator[Piece]:
    """Yield what the tags of `page`, the object `xref`, say that there is, in their order."""
    figures = list(tree.figures(xref))
    nodes = _with_figures(page.nodes, tree.root, tree, figures)
    tagged = _Tagged(page, tree, known)
    yield from tagged.pieces(nodes, tree.root)
    yield from tagged.notes
    for _, _, alt in figures:
        yield Piece(_figure(alt))


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


def _figure(alt: str) -> str:
    return f"![{alt.replace('[', '(').replace(']', ')')}]()"


class _Tagged:
    def __init__(self, page: Page, tree: StructureTree, known: Survey) -> None:
        self._tree = tree
        self._known = known
        self._headed = bool(known.kinds & _HEADINGS.keys())
        self._listed = "L" in known.kinds
        self.notes: list[Piece] = []
        self._notes: dict[str, str] = {}
        self._find_notes(page.nodes)

    def _find_notes(self, nodes: Iterable[Element | TextBlock]) -> None:
        """Note the labels of foot notes: what is raised and has such a label refers to it."""
        for node in nodes:
            if not isinstance(node, Element):
                continue
            if node.kind in _NOTES or (node.kind == "LI" and _text(node).endswith(_BACK_LINK)):
                if label := _label(node):
                    self._notes[label] = f"[^{label}]"
            else:
                self._find_notes(node.kids)

    def pieces(
        self, nodes: Sequence[Element | TextBlock], parent: int, *, apart: bool = True
    ) -> Iterator[Piece]:
        """Yield the pieces of `nodes`, kids of `parent`. `apart`: each is one by itself, as are
        those of a division.
        """
        for kind, same in groupby(
            enumerate(nodes), key=lambda numbered: self._sort(*numbered, apart=apart)
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
                yield from pieces(
                    [block for block in group if isinstance(block, TextBlock)], self._known
                )
            else:
                yield from self._paragraph(group)

    def _sort(self, place: int, node: Element | TextBlock, *, apart: bool) -> str:
        if isinstance(node, TextBlock):
            return "bare" if apart else "inline"
        if node.kind == "L":
            return "L"
        return "block" if _is_block(node) else f"inline {place}" if apart else "inline"

    def _block(self, node: Element, xref: int) -> Iterator[Piece]:
        kids = any(isinstance(kid, Element) and _is_block(kid) for kid in node.kids)
        if level := _HEADINGS.get(node.kind):
            title = plain_text(list(_lines(node.kids)))
            yield Piece(heading_markdown(title, level), level, title)
        elif node.kind == "Table":
            yield from self._table(node, xref)
        elif node.kind == "Code":
            yield Piece(code_markdown(list(_lines(node.kids))))
        elif node.kind == "BlockQuote":
            yield from (
                Piece(_quoted(piece.markdown))
                for piece in self.pieces(node.kids, xref, apart=False)
            )
        elif node.kind in _NOTES:
            self._note(node, xref)
        elif node.kind == "Figure":
            alt = self._tree.text(xref, "Alt")
            yield from [Piece(_figure(alt))] if alt not in {"", "null"} else []
            yield from self.pieces(node.kids, xref, apart=False)
        elif kids or node.kind in _GROUPS:
            yield from self.pieces(node.kids, xref, apart=node.kind in _GROUPS)
        else:
            yield from self._paragraph(node.kids)

    def _paragraph(self, nodes: Sequence[Element | TextBlock]) -> Iterator[Piece]:
        block = TextBlock(tuple(self._inline(nodes)))
        if not block.lines:
            return
        if is_code(block) and not self._known.typewritten:
            yield Piece(code_markdown(block.lines))
        elif self._headed and (self._listed or all(mark is None for mark, _ in paragraphs(block))):
            yield Piece(paragraph_markdown(rows_in_order(block.lines)))
        # where none of the tags is a heading or a list, these are told as on a page without tags
        else:
            yield from pieces([block], self._known)

    def _inline(
        self, nodes: Iterable[Element | TextBlock], *, refers: bool = False
    ) -> Iterator[Line]:
        """Yield the lines of a paragraph, with its references to notes as these are written."""
        for node in nodes:
            if isinstance(node, Element):
                yield from self._inline(node.kids, refers=refers or node.kind in _REFERENCES)
            else:
                for line in node.lines:
                    note = self._notes.get(line.text.strip().strip("[]")) if refers else None
                    yield (
                        Line(line.box, (Run(note, line.size, markdown=True),), base=line.base)
                        if note
                        else line
                    )

    def _note(self, node: Element, xref: int) -> None:
        kids = [kid for kid in node.kids if not isinstance(kid, Element) or kid.kind != "Lbl"]
        text = "\n\n".join(piece.markdown for piece in self.pieces(kids, xref, apart=False))
        self.notes.append(Piece(_note_markdown(_label(node), text)))

    def _list(self, lists: Sequence[tuple[Element, int]]) -> Iterator[Piece]:
        """Yield lists that follow each other. Some programs write those within others so: then
        their marks are further in.
        """
        if all(
            _text(item).endswith(_BACK_LINK)
            for node, _ in lists
            for item in node.kids
            if isinstance(item, Element)
        ):
            for note in (
                note for node, _ in lists for note in node.kids if isinstance(note, Element)
            ):
                yield Piece(
                    _note_markdown(
                        _label(note), paragraph_markdown(rows_in_order(list(_lines(note.kids))))
                    )
                )
            return
        items = [item for node, xref in lists for item in self._items(node, xref, 0)]
        if len(lists) > 1 and not any(item.depth for item in items):
            placed = List()
            for item in items:
                placed.add(item.mark, "")
                placed.items[-1].texts = item.texts
            items = placed.items
        yield Piece(list_markdown(items))

    def _items(self, node: Element, xref: int, depth: int) -> Iterator[Item]:
        for kid in node.kids:
            if not isinstance(kid, Element):
                yield from self._item([kid], xref, depth)
            elif kid.kind == "L":
                yield from self._items(kid, self._tree.kid(xref, kid.index), depth + 1)
            else:
                yield from self._item(kid.kids, self._tree.kid(xref, kid.index), depth)

    def _item(self, kids: Sequence[Element | TextBlock], xref: int, depth: int) -> Iterator[Item]:
        label = [kid for kid in kids if isinstance(kid, Element) and kid.kind == "Lbl"]
        bodies: list[tuple[Sequence[Element | TextBlock], int]] = [
            ([kid for kid in kids if kid not in label], xref)
        ]
        for body in (kid for kid in kids if isinstance(kid, Element) and kid.kind == "LBody"):
            bodies = [
                ([kid for kid in bodies[0][0] if kid is not body], xref),
                (body.kids, self._tree.kid(xref, body.index)),
            ]
        lines = [line for kids, _ in bodies for line in _lines(kids)]
        signs = list(_lines(label))
        own = None if signs else mark_of(rows_in_order(lines)[0]) if lines else None
        mark = own or _mark(signs, lines)
        texts: list[str] = []
        within: list[Item] = []
        for nodes, parent in bodies:
            lists = [kid for kid in nodes if isinstance(kid, Element) and kid.kind == "L"]
            for kid in lists:
                within += self._items(kid, self._tree.kid(parent, kid.index), depth + 1)
            texts += [
                piece.markdown
                for piece in self.pieces(
                    [kid for kid in nodes if kid not in lists], parent, apart=False
                )
            ]
        if own and texts:
            first = list(bodies[0][0] or bodies[-1][0])
            texts[0] = self._unmarked(first, own) or texts[0]
        yield Item(mark, depth, texts or [""])
        yield from within

    def _unmarked(self, nodes: Sequence[Element | TextBlock], mark: Mark) -> str:
        first = next(
            (node for node in nodes if isinstance(node, Element) and _is_block(node)), None
        )
        kids = (
            [first]
            if first is not None
            else [node for node in nodes if not isinstance(node, Element) or node.kind != "L"]
        )
        return paragraph_markdown(rows_in_order(list(self._inline(kids))), mark)

    def _table(self, node: Element, xref: int) -> Iterator[Piece]:
        rows: list[list[tuple[str, int, int, list[str]]]] = []
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
                yield from self.pieces([kid], xref, apart=False)
        if rows := [row for row in rows if row]:
            yield Piece(_table_markdown(rows))

    def _row(self, node: Element, xref: int) -> Iterator[tuple[str, int, int, list[str]]]:
        """Yield the cells of a row: what it is, how many rows and columns it takes, its
        paragraphs.
        """
        there = {kid.index: kid for kid in node.kids if isinstance(kid, Element)}
        kids = self._tree.kids(xref) or [0] * (max(there, default=-1) + 1)
        for index, kid in enumerate(kids):
            cell = there.get(index)
            kind = cell.kind if cell is not None else self._tree.kind(kid)
            if kind in _CELLS:
                down, across = self._tree.spans(kid)
                yield kind, down, across, list(self._cell(cell)) if cell is not None else []

    def _cell(self, cell: Element) -> Iterator[str]:
        """Yield the paragraphs of a cell."""
        parts = [kid for kid in cell.kids if isinstance(kid, Element) and _is_block(kid)]
        for nodes in [[part] for part in parts] if len(parts) == len(cell.kids) else [cell.kids]:
            yield paragraph_markdown(rows_in_order(list(self._inline(nodes))))


def _text(element: Element) -> str:
    return "".join(line.text for line in _lines(element.kids)).strip().rstrip("\ufe0e\ufe0f")


def _mark(signs: Sequence[Line], lines: Sequence[Line]) -> Mark:
    text = "".join(line.text for line in signs).strip()
    first = next(iter([*signs, *lines]), None)
    x0, size = (first.box.x0, first.size) if first else (0.0, 10.0)
    label = re.search(r"\w+", text)
    return Mark(text, label[0] if label and text != "o" else "", x0, size)


def _quoted(markdown: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in markdown.split("\n"))


def _label(note: Element) -> str:
    """Return the number or sign of a foot note."""
    labels = [kid for kid in note.kids if isinstance(kid, Element) and kid.kind == "Lbl"]
    found = re.match(r"\W*(\d{1,3}|\w)|\W", _text(labels[0] if labels else note))
    return (found[1] or found[0]) if found else ""


def _note_markdown(label: str, text: str) -> str:
    """Return a foot note, without its `label` before the text and the link back after it."""
    text = re.sub(rf"\s*(?:\[?{_BACK_LINK}[\ufe0e\ufe0f]?(?:\]\([^)]*\))?\s*)+$", "", text)
    found = re.match(rf"\W{{0,4}}(?:<sup>)?{re.escape(label)}(?:</sup>)?[.)\]]?\s*", text)
    return f"[^{label}]: {text[found.end() if found else 0 :]}" if label else text


def _table_markdown(rows: Sequence[Sequence[tuple[str, int, int, list[str]]]]) -> str:
    """Return a pipe table, or HTML where cells are merged. Cells whose texts are Markdown are
    shown as such in both.
    """
    width = max(sum(across for _, _, across, _ in row) for row in rows)
    if all(down == across == 1 for row in rows for _, down, across, _ in row):
        lines = [
            "| " + " | ".join("<br>".join(texts).replace("|", "\\|") for *_, texts in row) + " |"
            for row in rows
        ]
        lines = [line + "  |" * (width - len(row)) for line, row in zip(lines, rows, strict=True)]
        return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])
    out = ["<table>"]
    for row in rows:
        cells = ""
        for kind, down, across, texts in row:
            spans = (f' rowspan="{down}"' if down > 1 else "") + (
                f' colspan="{across}"' if across > 1 else ""
            )
            cells += f"<{kind.lower()}{spans}>{'<br>'.join(map(_as_html, texts))}</{kind.lower()}>"
        out.append(f"<tr>{cells}</tr>")
    return "\n".join([*out, "</table>"])


def _as_html(markdown: str) -> str:
    text = html.escape(re.sub(r"\\([\\`*_<])", r"\1", markdown), quote=False)
    return re.sub(r"&lt;(/?su[bp])&gt;", r"<\1>", text)
