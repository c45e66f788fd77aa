"""Pandoc's tree as JSON (pandoc-types 1.23): traversals that do not depend on Markdown."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from dogent_tui.documents.model import DocumentError, hostile
from dogent_tui.language import tr

Node: TypeAlias = dict[str, Any]
"""``{"t": constructor, "c": contents}``; without contents if the constructor takes none."""


class Tree(msgspec.Struct):
    """The top level of pandoc's JSON."""

    blocks: list[Node]
    meta: dict[str, Any] = {}


HIDDEN = "#dogent-hidden"
"""The target of a link around text that is invisible in the document: added when preparing it for
pandoc.
"""

LISTS = ("BulletList", "OrderedList")
CALLOUTS = ("note", "tip", "important", "warning", "caution")
"""The kinds of call-outs, as in ``> [!NOTE]``."""
RULE = "---"
"""A rule between paragraphs in Markdown, and the alternative text of one that is drawn."""
CONTINUED = "\U000f0c0e"
"""The beginning of an item that continues the previous one: a private-use character."""
NUMBERED = "\U000f0c12"
"""What is around the number of an item at its beginning: a private-use character."""

NO_ATTRIBUTES: list[Any] = ["", [], []]

_NUMBER = re.compile(f"{NUMBERED}(\\d+){NUMBERED}")
_MARKS = re.compile(f"{CONTINUED}|{_NUMBER.pattern}")
_SPACES = ("Space", "SoftBreak", "LineBreak")

_KEPT_BLANKS = str.maketrans(" \n\t", "\N{NO-BREAK SPACE}\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}")
"""XML normalizes line breaks in an attribute (https://www.w3.org/TR/xml/#AVNormalize), pandoc
blanks.
"""
_BLANKS = {kept: blank for blank, kept in _KEPT_BLANKS.items()}
_DRAWN_CODE = re.compile(r"[^\n]*\n```(\w*)\n(.*)\n```", re.DOTALL)


def children(node: Any) -> Iterator[Node]:
    """Yield the direct children in document order."""
    waiting = [node.get("c") if isinstance(node, dict) else node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, list):
            waiting += reversed(current)
        elif isinstance(current, dict) and "t" in current:
            yield current


def walk(node: Any) -> Iterator[Node]:
    """Yield all descendants, outer ones first."""
    waiting = list(children(node))[::-1]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(list(children(current))[::-1])


def plain_text(nodes: Any) -> str:
    """Return the text of inlines or blocks on one line, without notes and hidden text."""
    return " ".join("".join(_plain(nodes)).split())


def _plain(nodes: Any) -> Iterator[str]:
    for node in children(nodes):
        kind = node["t"]
        if kind == "Str":
            yield node["c"]
        elif kind in _SPACES:
            yield " "
        elif kind in ("Code", "Math"):
            yield node["c"][1]
        elif kind != "Note" and not is_hidden(node):
            yield from _plain(node)
            if kind in ("Para", "Plain"):
                yield " "


def drawn_from(name: str, language: str, code: str) -> Node:
    """Return the alternative text of a picture drawn from `code`, which it contains completely. Its
    blanks are of a kind that document readers do not normalize.
    """
    return plain(f"{name}\n```{language}\n{code}\n```".translate(_KEPT_BLANKS))


def drawn_code(alternative: str) -> Node | None:
    """Return the code from an alternative text by `drawn_from`, as a block."""
    found = _DRAWN_CODE.fullmatch(alternative.translate(_BLANKS))
    return {"t": "CodeBlock", "c": [["", [found[1]], []], found[2]]} if found else None


def join_items(blocks: list[Node]) -> None:
    """Append each item that begins with `CONTINUED` to the previous one, give each list the number
    of its first item, and remove the marks. What `prepared_docx` put into a cell
    returns to its note.
    """
    for node in walk(blocks):
        if node["t"] in LISTS:
            items = _items(node)
            joined: list[list[Node]] = []
            for item in items:
                if joined and item and _continues(item[0]):
                    joined[-1] += item
                else:
                    joined.append(item)
            items[:] = joined
            first = next((one["c"] for one in walk(items[:1]) if one["t"] == "Str"), "")
            found = _NUMBER.match(first)
            if found and node["t"] == "OrderedList":
                node["c"][0][0] = int(found[1])
        elif node["t"] == "Str":
            node["c"] = _MARKS.sub("", node["c"])
        elif node["t"] == "CodeBlock":
            node["c"][1] = _MARKS.sub("", node["c"][1])
        elif node["t"] == "Note" and [block["t"] for block in node["c"]] == ["Table"]:
            ((_, cells),) = node["c"][0]["c"][4][0][3]
            node["c"] = cells[0][4]


def with_whole_quotations(blocks: list[Node]) -> list[Node]:
    """Return `blocks` with whole quotations, also in items, and with a list in place of its items
    in one: Word has quotations by paragraph only.
    """
    out: list[Node] = []
    for block in map(_quoted, blocks):
        if out and out[-1]["t"] == block["t"] == "BlockQuote":
            out[-1] = {"t": "BlockQuote", "c": [*out[-1]["c"], *block["c"]]}
        else:
            out.append(block)
    return out


def _quoted(block: Node) -> Node:
    """Return a list all of whose items are quotations as a quotation, with whole ones otherwise."""
    if block["t"] not in LISTS:
        return block
    whole = [with_whole_quotations(item) for item in _items(block)]
    are_quotations = all([node["t"] for node in item] == ["BlockQuote"] for item in whole)
    items = [item[0]["c"] for item in whole] if are_quotations else whole
    content = items if block["t"] == "BulletList" else [block["c"][0], items]
    found = {"t": block["t"], "c": content}
    return {"t": "BlockQuote", "c": [found]} if are_quotations else found


def _items(block: Node) -> list[list[Node]]:
    """Return the items of a list."""
    items: list[list[Node]] = block["c"] if block["t"] == "BulletList" else block["c"][1]
    return items


def _continues(block: Node) -> bool:
    """Return whether a block begins with `CONTINUED`; what pandoc put before it, a task checkbox,
    is removed.
    """
    if block["t"] == "CodeBlock":
        return str(block["c"][1]).startswith(CONTINUED)
    if block["t"] == "BlockQuote":
        return bool(block["c"]) and _continues(block["c"][0])
    inlines = block["c"] if block["t"] in {"Para", "Plain"} else []
    for at, node in enumerate(inlines[:3]):
        if node["t"] == "Str" and node["c"].startswith(CONTINUED):
            del inlines[:at]
            return True
    return False


def flat(blocks: list[Node]) -> Iterator[Node]:
    """Yield blocks without mere grouping; a figure becomes its contents followed by its caption,
    and a picture alone in its paragraph the code it was drawn from.
    """
    for node in blocks:
        if node["t"] == "Div":
            yield from flat(node["c"][1])
        elif node["t"] == "Figure":
            _, (_, caption), inner = node["c"]
            images = (one for one in walk(inner) if one["t"] == "Image")
            alternative = next((plain_text(image["c"][1]) for image in images), "")
            yield from flat(inner)
            yield from flat([] if plain_text(caption) == alternative else caption)
        elif node["t"] != "BlockQuote" or node["c"]:
            inside = node["c"] if node["t"] in ("Para", "Plain") else []
            kinds = [inline["t"] for inline in inside]
            words = inside[0]["c"][1] if kinds == ["Image"] else inside if kinds == ["Str"] else []
            yield drawn_code("".join(one["c"] for one in words if one["t"] == "Str")) or node


def is_hidden(node: Node) -> bool:
    """Return whether a node is a link to `HIDDEN`."""
    return bool(node["t"] == "Link" and node["c"][2][0] == HIDDEN)


def plain(text: str) -> Node:
    """Return `text` as an inline."""
    return {"t": "Str", "c": text}


def table_node(rows: Sequence[Sequence[tuple[int, int, list[Node]]]], *, heads: int) -> Node:
    """Return a table of `rows` of cells: row span, column span, and blocks of each. The first
    `heads` rows are its head.
    """
    width = max(sum(across for _, across, _ in row) for row in rows)
    made = [
        [NO_ATTRIBUTES, [[NO_ATTRIBUTES, {"t": "AlignDefault"}, *cell] for cell in row]]
        for row in rows
    ]
    specs = [[{"t": "AlignDefault"}, {"t": "ColWidthDefault"}]] * width
    head, body = [NO_ATTRIBUTES, made[:heads]], [NO_ATTRIBUTES, 0, [], made[heads:]]
    caption: list[Any] = [None, []]
    return {"t": "Table", "c": [NO_ATTRIBUTES, caption, specs, head, [body], [NO_ATTRIBUTES, []]]}


def decoded_tree(data: bytes, name: str) -> Tree:
    """Parse pandoc's JSON of the document `name`. Raises DocumentError."""
    try:
        return msgspec.json.decode(data, type=Tree)
    except RecursionError:
        raise too_deep(name) from None
    except msgspec.DecodeError as error:
        raise DocumentError(
            tr("pandoc's output for {name} cannot be read: {error}.", name=name, error=error)
        ) from error


def too_deep(name: str) -> DocumentError:
    """Return the error for a document that is nested too deeply for Python."""
    return hostile(tr("{name} is too deeply nested to be read.", name=name))
