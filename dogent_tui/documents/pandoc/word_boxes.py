"""Tables whose content is not one in Markdown, or not where pandoc expects it.

An export writes a quotation or call-out with more than paragraphs as a table of one column, since
Word has no other container for blocks; and pandoc ends a list at a table, even if it is indented
like the text of an item. Before pandoc runs, such a table is replaced by a paragraph that names it,
and its content is written at the end of the document, from where it returns afterwards.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from lxml import etree

from dogent_tui.documents.pandoc.tree import CALLOUTS, CONTINUED, Node, plain_text
from dogent_tui.documents.pandoc.word_styles import Styles, add_number, value_at, w
from dogent_tui.documents.terms import own_title

Item: TypeAlias = tuple[str, int]
"""A list by its number, and a level in it."""

PLACE, OPENS = "\U000f0c10", "\U000f0c11"
"""The beginnings of a paragraph that names a table, and of the one above its content: private-use
characters.
"""
INSERTED = "inserted"
"""The beginning of the number of a part of the document in another form."""
_NAME = re.compile(f"[{PLACE}{OPENS}]" + r"(\w+):(\w*) ?(.*)")
_QUOTATION = "quotation"
_KINDS = {f"callout {kind}": kind for kind in CALLOUTS}
_KINDS[_QUOTATION] = _QUOTATION
"""The kinds of boxes by the names of their styles."""


def set_apart(root: Any, styles: Styles, items: Mapping[Any, Item]) -> dict[Any, list[Any]]:
    """Replace the boxes below `root`, and the tables that belong to `items`. Return the content of
    each by the paragraph in its place.
    """
    kinds = {table: _kind(table, styles) for table in root.iter(w("tbl"))}
    held: dict[Any, list[Any]] = {}
    aside = etree.SubElement(root, "aside")
    for number, (table, kind) in reversed([*enumerate(kinds.items())]):  # what is inside first
        if not kind and table not in items:
            continue
        place = paragraph(f"{CONTINUED * (table in items)}{PLACE}{number}:", items.get(table))
        table.addprevious(place)
        aside.append(table)
        rows = table.findall(w("tr"))
        texts = rows if kind == _QUOTATION else rows[1:]  # the title is above
        content = [part for row in texts for part in row.find(w("tc"))] if kind else [table]
        title = "".join(rows[0].itertext()) if texts is not rows else ""
        held[place] = [paragraph(f"{OPENS}{number}:{kind} {title}"), *content]
    return held


def _kind(table: Any, styles: Styles) -> str:
    """Return the kind of a box, "" for any other table."""
    name = styles.name_of(value_at(table, "w:tblPr/w:tblStyle"))
    is_narrow = all(len(row.findall(w("tc"))) == 1 for row in table.findall(w("tr")))
    return _KINDS.get(name, "") if is_narrow else ""


def paragraph(words: str, item: Item | None = None) -> Any:
    """Return a paragraph of Word's with these words, perhaps in a list."""
    made = etree.Element(w("p"))
    if item:
        add_number(etree.SubElement(made, w("pPr")), *item)
    etree.SubElement(etree.SubElement(made, w("r")), w("t")).text = words
    return made


def with_contents(blocks: Iterable[Any], held: Mapping[Any, list[Any]]) -> list[Any]:
    """Return elements of the body, followed by the content of the tables in them."""
    found = list(blocks)
    for element in found:  # grows while it is read
        for part in element.iter(w("p")) if held else ():
            found += held.get(part, ())
    return found


def put_back(blocks: list[Node], inserted: Sequence[str]) -> list[Node]:
    """Return pandoc's `blocks` with the content of the tables, and the Markdown of what is
    `inserted`, in their places.
    """
    contents: dict[str, tuple[str, str, list[Node]]] = {
        f"{INSERTED}{number}": ("", "", [{"t": "RawBlock", "c": ["markdown", part]}])
        for number, part in enumerate(inserted)
    }
    body = into = list[Node]()
    for block in blocks:
        if found := _NAME.fullmatch(_said(block, OPENS)):
            into = []
            contents[found[1]] = found[2], found[3], into
        else:
            into.append(block)

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {**value, "c": filled(value["c"])} if "c" in value else value
        if not isinstance(value, list):
            return value
        out: list[Any] = []
        for part in value:
            found = _NAME.fullmatch(_said(part, PLACE))
            content = contents.pop(found[1], None) if found else None
            out += _boxed(*content) if content else [part]
        return [filled(part) for part in out]

    return list(filled(body))


def _said(block: Any, mark: str) -> str:
    """Return the words of a paragraph that begins with a `mark`."""
    kind = block.get("t") if isinstance(block, dict) else ""
    first = block["c"][0] if kind in {"Para", "Plain"} and block["c"] else {}
    is_marked = first.get("t") == "Str" and first["c"].startswith(mark)
    return plain_text(block["c"]) if is_marked else ""


def _boxed(kind: str, title: str, blocks: list[Node]) -> list[Node]:
    if not kind:
        return blocks
    if kind == _QUOTATION:
        return [{"t": "BlockQuote", "c": blocks}]
    return [{"t": "Callout", "c": [kind, own_title(kind, title), blocks]}]
