"""HTML inside Markdown. Pandoc parses it, so that the document's tree contains no HTML and its
attributes are filtered like those of Markdown.
"""

import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from itertools import accumulate
from typing import Any

from lxml import etree, html

from dogent_tui.documents.export.tree import (
    Node,
    ask_pandoc,
    attributes,
    blocks_of,
    kinds_in,
    mapped,
    node,
    plain_text,
    walk,
)
from dogent_tui.processes import Halt

_ELEMENTS = frozenset({
    "b", "strong", "i", "em", "u", "s", "strike", "del", "ins", "sub", "sup", "kbd", "mark",
    "small", "big", "q", "abbr", "samp", "tt", "code", "ruby", "rt", "rp", "wbr", "br", "span",
    "a", "img", "p", "div", "blockquote", "pre", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul",
    "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td",
    "figure", "figcaption", "details", "summary", "section", "article", "aside", "header",
    "footer", "address",
})  # fmt: skip
"""Elements that pandoc may see: unknown ones would end a paragraph, and ``main`` drops its
surroundings.
"""
_LEFT_OUT = frozenset({
    "script", "style", "iframe", "object", "applet", "noscript", "template", "svg", "math", "video",
    "audio", "canvas", "input", "select", "textarea", "frame", "frameset", "noframes", "noembed",
    "portal", "fencedframe", "plaintext", "xmp", "base", "link", "meta",
})  # fmt: skip
"""Left out with their content, which is not text for a reader."""
_BREAKS_PAGE = re.compile(
    r"page-break-(?:after|before)\s*:\s*always|break-(?:after|before)\s*:\s*page", re.IGNORECASE
)
_PAGE_BREAK_COMMENT = re.compile(r"<!--\s*page[-_ ]?break\s*-->", re.IGNORECASE)
PAGE_BREAK = '<div class="page-break"></div>'

_SAME = {"var": "em", "cite": "em", "dfn": "em"}
_CODE = re.compile(r"<(/?)(?:code|samp|tt)\b[^>]*>")
_AS_CODE = {"": '<span class="code">', "/": "</span>"}
"""Inline code, until all of its content is known."""

_CENTERED = frozenset({"center", "div", "p"})
"""Elements that center their content if they have that alignment; headings are the theme's."""
_LINES = frozenset({"Para", "Plain"})
_TABLE = re.compile(r"<(/?)table\b", re.IGNORECASE)
_LIST = re.compile("<[uo]l\\b", re.IGNORECASE)

Dropped = Callable[[str], None]
_COUNT = re.compile(r"0?[1-9][0-9]{0,2}")
_COUNTED = ("colspan", "rowspan", "start")


def read_html(blocks: list[Any], dropped: Dropped, halt: Halt | None) -> list[Any]:
    """Return `blocks` with their HTML replaced by what it shows. Pandoc parses all pieces of it at
    once. `dropped` is called for each element that is left out.
    """
    mark = f"html-{os.urandom(8).hex()}"

    def html_of(inlines: list[Any], is_inline: bool) -> Node:
        text, places = _with_places(inlines, mark)
        text = _CODE.sub(lambda tag: _AS_CODE[tag[1]], rewrite(text, dropped))
        return node("Html", [text, places, is_inline])

    def collected(nodes: list[Any]) -> list[Any]:
        kinds = kinds_in(nodes)
        if "RawInline" in kinds:
            return [html_of(nodes, True)]
        if _LINES & kinds:
            nodes = [html_of(part["c"], False) if _has_list(part) else part for part in nodes]
        return _joined(nodes, dropped, mark) if "RawBlock" in kinds else nodes

    blocks = mapped(blocks, {}, collected)
    pieces = dict.fromkeys(part["c"][0] for part in walk(blocks) if part["t"] == "Html")
    if not pieces:
        return blocks
    shown = dict(zip(pieces, _read([*pieces], f"<p>{mark}</p>", halt), strict=True))

    return list(mapped(blocks, {"Html": partial(_shown_in, shown, mark)}))


def _shown_in(shown: Mapping[str, list[Node]], mark: str, content: Any) -> list[Node]:
    """Return what an Html node shows, with its places filled."""
    text, places, is_inline = content
    places = [mapped([place], {"Html": partial(_shown_in, shown, mark)}) for place in places]

    def filled(kind: str, content: Any) -> list[Node]:
        (name, kinds, _), inside = content
        if name.startswith(mark):
            return list(places[int(name.rpartition("-")[2])])
        inside = mapped(inside, handlers)
        if kind == "Span" and kinds == ["code"]:
            return [node("Code", [attributes(), plain_text(inside)])]
        return [node(kind, [content[0], inside])]

    handlers = {kind: partial(filled, kind) for kind in ("Span", "Div")}
    # before the places are filled: a note in one of them has lines of its own
    nodes = _inlines(shown[text]) if is_inline else shown[text]
    return list(mapped(nodes, handlers))


def _has_list(block: Node) -> bool:
    """Return whether a paragraph, or the text of a cell, has a list written in HTML."""
    inlines = block["c"] if block["t"] in _LINES else []
    return any(part["t"] == "RawInline" and _LIST.match(part["c"][1]) for part in inlines)


def _inlines(blocks: list[Any]) -> list[Node]:
    """Return the text of blocks as one line."""
    lines: list[list[Node]] = []
    for part in walk(blocks):
        if part["t"] in {"Para", "Plain"}:
            lines.append(part["c"])
        elif part["t"] == "Header":
            lines.append(part["c"][2])
        elif part["t"] == "CodeBlock":
            lines.append([node("Code", part["c"])])
    return [part for line in lines for part in (*line, {"t": "Space"})][:-1]


def _read(pieces: list[str], between: str, halt: Halt | None) -> list[list[Node]]:
    """Return the blocks of each piece. Pandoc parses them one by one if invalid HTML swallowed what
    is `between` them.
    """
    text = between.join(pieces).encode()
    blocks = blocks_of(ask_pandoc(text, "-f", "html", "-t", "json", halt=halt).data)
    read: list[list[Node]] = [[]]
    for block in blocks:
        if plain_text(block) == between[3:-4]:
            read.append([])
        else:
            read[-1].append(block)
    if len(read) < len(pieces):
        return [part for piece in pieces for part in _read([piece], between, halt)]
    return read


def _joined(blocks: list[Any], dropped: Dropped, mark: str) -> list[Any]:
    """Return blocks with their HTML rewritten; what an empty line split, as in a table, is joined
    again. Blocks between the parts of a table are in it, in places named with the `mark`.
    """
    texts = [block["c"][1] if block.get("t") == "RawBlock" else "" for block in blocks]
    depths = [*accumulate(map(_opened, texts))]
    if depths[-1] or min(depths) < 0:
        depths = [0] * len(texts)
    out: list[Any] = []
    joined: Node | None = None
    for block, text, depth in zip(blocks, texts, [0, *depths], strict=False):
        is_html = block.get("t") == "RawBlock"
        if not (is_html or depth):
            out.append(block)
            joined = None
            continue
        if joined is None:
            out.append(joined := node("RawBlock", ["", [], False]))
        content = joined["c"]
        content[0] += f"\n{text}" if is_html else f'<div id="{mark}-{len(content[1])}"></div>'
        content[1] += [] if is_html else [block]
    for block in out:
        if block.get("t") == "RawBlock":
            block["t"] = "Html"
            block["c"][0] = rewrite(block["c"][0], dropped).strip()
    return out


def _opened(text: str) -> int:
    """Return how many tables begin in a part of HTML and do not end there."""
    return sum(1 - 2 * bool(tag[1]) for tag in _TABLE.finditer(text))


def _with_places(inlines: list[Any], mark: str) -> tuple[str, list[Node]]:
    """Return the HTML of a line with placeholders for everything except words and HTML, and their
    contents.
    """
    text = ""
    places: list[Node] = []
    for inline in inlines:
        match inline["t"]:
            case "RawInline":
                text += inline["c"][1]
            case "Str":
                text += escape(inline["c"])
            case "Space":
                text += " "
            case "SoftBreak":
                text += "\n"
            case _:
                text += f'<span id="{mark}-{len(places)}"></span>'
                places.append(inline)
    return text, places


def rewrite(fragment: str, dropped: Dropped) -> str:
    """Return the HTML `fragment` as passed to pandoc: only elements that show text. `dropped` is
    called for each element left out with its content.
    """
    parser = html.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True)
    text = _PAGE_BREAK_COMMENT.sub(PAGE_BREAK, fragment.replace("\0", ""))
    root = html.fragment_fromstring(text, create_parent="div", parser=parser)
    _leave_out(root, dropped)
    for element in list(root.iterdescendants()):
        if element.tag in _SAME:
            element.tag = _SAME[element.tag]
        if _BREAKS_PAGE.search(element.get("style", "")):
            element.addprevious(html.fromstring(PAGE_BREAK))
        for name in _COUNTED:
            if not _COUNT.fullmatch(element.get(name, "1")):
                del element.attrib[name]
        if element.tag == "img" and not element.get("src"):  # at which pandoc stops
            element.drop_tree()
        is_centered = "center" in {element.tag, element.get("align")} and element.tag in _CENTERED
        is_block = is_centered and fragment.lstrip().startswith("<")
        if is_block and element.xpath("not(.//h1) and (.//img or normalize-space())"):
            element.tag, around = element.tag.replace("center", "div"), etree.Element("div")
            around.set("class", "center")
            around.tail, element.tail = element.tail, None
            element.addprevious(around)
            around.append(element)
    etree.strip_tags(root, *({element.tag for element in root.iterdescendants()} - _ELEMENTS))
    for table in root.iter("table"):
        _give_head(table)
    written: str = etree.tostring(root, encoding="unicode", method="html")
    return written.removeprefix("<div>").removesuffix("</div>")


def _leave_out(root: Any, dropped: Dropped) -> None:
    for element in list(root.iter("embed")):  # lxml takes everything that follows for its content
        dropped(element.tag)
        element.drop_tag()
    for element in root.iter(*_LEFT_OUT):
        if next(element.iterancestors(*_LEFT_OUT), None) is None:
            dropped(element.tag)
    etree.strip_elements(root, *_LEFT_OUT, with_tail=False)


def _give_head(table: Any) -> None:
    """Make the first rows of a table its head if all their cells are headers: pandoc takes one row,
    and cuts cells that span two.
    """
    rows = table.findall("tr") + table.findall("tbody/tr")
    last = 0
    for number, row in enumerate(rows):
        if number >= last and {cell.tag for cell in row} != {"th"}:
            break
        last = max(last, number + 1, *(number + int(cell.get("rowspan", 1)) for cell in row))
    if 0 < last < len(rows) and table.find("thead") is None:
        head, parent = etree.Element("thead"), rows[0].getparent()
        (rows[0] if parent is table else parent).addprevious(head)
        head.extend(rows[:last])
