"""Normalizes the tree of a page: formulas, notes, code, pictures and quotations each in the one
form that pandoc reads.

Authors and their tools use many forms for each of them.
"""

import re
from itertools import chain, takewhile
from urllib.parse import urljoin

from lxml import etree, html

from dogent_tui.documents.elements import is_within, whole
from dogent_tui.documents.html.code import settle_code
from dogent_tui.documents.html.formulas import settle_formulas
from dogent_tui.documents.html.hidden_text import HIDDEN
from dogent_tui.documents.html.nodes import (
    BLOCKS,
    Element,
    is_formula,
    squeezed_text,
    take_out,
)
from dogent_tui.documents.html.notes import settle_notes

_HOLDERS = frozenset([
    "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "fieldset",
    "figure", "footer", "form", "header", "hgroup", "li", "main", "nav", "search", "section", "td",
    "th",
])  # fmt: skip
"""Elements that may contain paragraphs; text next to blocks in them becomes one."""
_SPEAKING = frozenset({"img", "script", "math"})
"""Inline elements that have content even without text."""
_DROPPED = (
    "script", "style", "noscript", "template", "iframe", "svg", "canvas", "object", "button",
    "link", "meta",
    "colgroup",  # pandoc drops the cells beyond the columns it counts
)  # fmt: skip
_TEX_TYPESETTER = re.compile(r"mathjax|katex|tex2jax|jsmath", re.IGNORECASE)
_QUOTES = frozenset(
    {"blockquote", "block-quote", "quoteblock", "bbcode_quote", "bbcodequote", "quotebox", "quote"}
)
_CAPTIONS = re.compile("caption", re.IGNORECASE)
_LAZY = re.compile(r"data-(?:(?:lazy-|full-|actual|original-)?src|original|url)")
"""Attributes for the address of a picture until it is scrolled into view."""
_ROLES = {
    "table": "table", "grid": "table", "rowgroup": "tbody", "row": "tr", "cell": "td",
    "gridcell": "td", "columnheader": "th", "rowheader": "th",
}  # fmt: skip
_LEAST_PICTURE = {True: 500, False: 5_000}
"""The minimum length of the address of a picture within the page, with and without a description: a
shorter one is an icon, or in the place of another.
"""
_VALUELESS = frozenset({"hidden", "password", "submit", "button", "reset", "image", "file"})
_BOXES = frozenset({"checkbox", "radio"})
_GOOGLE_LEVEL = re.compile(r"(?:^|\s)lst-kix_(\S+)-(\d)(?:\s|$)")
_WORD_LEVEL = re.compile(r"mso-list:\s*(\w+) level([1-9])")
_LONG_CELL = 300
_LONGEST_ADDRESS = 2000


def plain_tree(source: str, url: str = "") -> Element:
    """Return the body of the page `source`, normalized for the writers; links are made absolute
    relative to `url`.
    """
    root = html.document_fromstring(
        source or "<p></p>", parser=html.HTMLParser(encoding=None, huge_tree=True)
    )
    found = root.find("body")
    body: Element = root if found is None else found
    typeset = _TEX_TYPESETTER.search(source) is not None
    for comment in list(body.iter(etree.Comment, etree.ProcessingInstruction)):
        take_out(comment)
    settle_formulas(body, in_dollars=typeset)
    for node in list(body.iter(*_DROPPED)):
        if not is_formula(node):
            take_out(node)
    _anchors(body)
    _fields(body)
    _lists(body)
    settle_code(body)
    _pictures(body, url)
    _quotations(body)
    _tables(body)
    settle_notes(body)
    _links(body, url)
    _paragraphs(body)
    return body


def _anchors(body: Element) -> None:
    """Remove the signs that link to the heading or definition in which they are."""
    places = {node.get("id"): node for node in body.iter()}
    for link in list(body.iter("a")):
        before, sign, name = (link.get("href") or "").partition("#")
        place = places.get(name)
        is_sign = sign and not (before or any(map(str.isalnum, squeezed_text(link))))
        if is_sign and (place is None or place in link.iterancestors()):
            take_out(link)


def _fields(body: Element) -> None:
    """Replace form fields by what they show: boxes by symbols, others by their values."""
    for field in list(body.iter("input", "select", "textarea")):
        kind, text = (field.get("type") or "").lower(), field.get("value") or ""
        if kind in _BOXES:
            is_box = is_within(field, "li", "label", "p", "td", "form")
            text = ("☐ " if field.get("checked") is None else "☒ ") if is_box else ""
        elif field.tag != "input":
            chosen = field.xpath("descendant::option[@selected]") or [field][: len(field) == 0]
            text = ", ".join(map(squeezed_text, chosen))
        if text and kind not in _BOXES:
            text = f" {text} "
        take_out(field, text="" if kind in _VALUELESS else text)


def _lists(body: Element) -> None:
    """Make lists of Word's paragraphs with a level, and give all lists the depth and the numbers
    that they say.
    """
    for paragraph in list(body.iter("p")):
        if found := _WORD_LEVEL.search(paragraph.get("style") or ""):
            signs = paragraph.xpath("descendant::span[contains(@style, 'mso-list:Ignore')]")
            number = re.search(r"(\w+)[.)]", "".join(map(squeezed_text, signs)))
            made = html.Element("ol" if number else "ul")
            made.set("class", f"lst-kix_{found[1]}-{int(found[2]) - 1}")
            if number and number[1].isdecimal():
                made.set("start", number[1])
            for sign in signs:
                take_out(sign)
            take_out(paragraph, made)
            paragraph.tag = "li"
            made.append(paragraph)
    for each in list(body.iter("ol", "ul")):
        _join_list(each)
    for each in list(body.iter("ol")):
        _begin_at_numbers(each)


def _join_list(part: Element) -> None:
    """Put a part of a list into the one before: Google Docs writes one for each change of the
    level.
    """
    name, level = _place(part)
    around = part.getprevious()
    if level < 0 or around is None or (around.tail or "").strip() or _place(around)[1] < 0:
        return
    while len(around) and len(around[-1]) and 0 <= _place(around[-1][-1])[1] <= level:
        around = around[-1][-1]
    if _place(around) == (name, level) and around.tag == part.tag:
        around.extend(list(part))
        take_out(part)
    elif len(around) and _place(around)[1] < level:
        around[-1].append(part)


def _place(each: Element) -> tuple[str, int]:
    """Return the list that an element is part of, and its level in it, -1 if it does not say."""
    found = _GOOGLE_LEVEL.search(each.get("class") or "") if each.tag in {"ol", "ul"} else None
    return (found[1], int(found[2])) if found else ("", -1)


def _begin_at_numbers(numbered: Element) -> None:
    """Begin a new list at each item whose number is not one more than that before it."""
    items, is_reversed = numbered.findall("li"), numbered.get("reversed") is not None
    number = whole(numbered.get("start"), len(items) if is_reversed else 1)
    after, part = number, numbered
    numbered.set("start", str(number))
    for item in items:
        number = whole(item.get("value"), number)
        if number != after:
            following = html.Element("ol", start=str(number))
            part.addnext(following)
            part = following
        if part is not numbered:
            part.append(item)
        after = number + 1
        number += -1 if is_reversed else 1


def _pictures(body: Element, url: str) -> None:
    for image in list(body.iter("img")):
        lazy = filter(_LAZY.fullmatch, image.keys())
        sources = [(image.get(name) or "").strip() for name in (*lazy, "src")]
        sets = [(image.get(name) or "").strip() for name in ("srcset", "data-srcset")]
        sources += [one.split(",")[0].split(" ")[0] for one in sets]
        alt, title = ((image.get(name) or "").split() for name in ("alt", "title"))
        inside = [one for one in sources if one.startswith("data:")]
        source = next((one for one in sources if one and one not in inside), "")
        if not source and inside and len(inside[0]) > _LEAST_PICTURE[bool(alt or title)]:
            source = re.split("[;,]", inside[0])[0]
        if not source or {image.get("width"), image.get("height")} & {"0", "1"}:
            take_out(image)
            continue
        image.attrib.clear()
        image.set("src", _absolute(url, source))
        image.set("alt", " ".join(alt or title))
    for node in list(body.iter("div", "dl", "section")):
        if len(list(node.iter("img"))) == 1 and next(node.iter("figure"), None) is None:
            named = (
                one
                for one in node.iterdescendants()
                if _CAPTIONS.search(one.get("class", "")) and next(one.iter("img"), None) is None
            )
            caption = next(named, None)
            if caption is not None and len(squeezed_text(node)) <= len(squeezed_text(caption)) + 20:
                node.tag, caption.tag = "figure", "figcaption"
                for inner in list(caption):
                    if not squeezed_text(inner):
                        take_out(inner)


def _quotations(body: Element) -> None:
    for node in list(body.iter("div", "section", "aside")):
        named = {word.lower() for word in (node.get("class") or "").split()}
        is_quote = bool(named & _QUOTES) or node.get("role") == "blockquote"
        more = next(node.iter("blockquote", "h1", "h2", "h3", "table", "form"), None)
        if is_quote and more is None:
            node.tag = "blockquote"


def _tables(body: Element) -> None:
    """Turn elements with table roles into tables, and dissolve tables used only for layout."""
    for node in list(body.iter("div", "span", "section", "ul", "li")):
        node.tag = _ROLES.get(node.get("role") or "", node.tag)
    for menu in body.iter("menu"):
        menu.tag = "ul"
    for table in list(body.iter("table"))[::-1]:
        parts = [
            part
            for part in table.iter("thead", "tbody", "tfoot", "tr", "td", "th", "caption")
            if next(part.iterancestors("table")) is table
        ]
        rows = [part for part in parts if part.tag == "tr"]
        cells = [part for part in parts if part.tag in {"td", "th"}]
        width = max((sum(cell.tag in {"td", "th"} for cell in row) for row in rows), default=0)
        if not cells or _is_layout(table, cells, len(rows), width):
            for part in [*parts, table]:
                part.tag = "div"
        elif not any(part.tag == "thead" for part in parts):
            _settle_head(rows)


def _settle_head(rows: list[Element]) -> None:
    """Put the first rows of a table without a `thead` into one if they are its head. Otherwise,
    their cells are not of a head: pandoc would cut those that extend into the rows below.
    """
    heads = [*takewhile(lambda row: len(row) and all(cell.tag == "th" for cell in row), rows)]
    ends = (at + whole(cell.get("rowspan"), 1) for at, row in enumerate(heads) for cell in row)
    if max(ends, default=0) > len(heads) or len(heads) == len(rows):
        for cell in chain.from_iterable(heads):
            cell.tag = "td"
    elif heads:
        head = html.Element("thead")
        first = rows[0].getparent()
        (first if first.tag == "tbody" else rows[0]).addprevious(head)
        head.extend(heads)


def _is_layout(table: Element, cells: list[Element], rows: int, width: int) -> bool:
    is_equation = rows <= 1 and any(map(is_formula, table.iter("script")))
    if table.get("role") in {"presentation", "none"} or (rows <= 1 and width <= 1) or is_equation:
        return True
    if any(part.tag in {"th", "caption", "thead"} for part in (*cells, *table)):
        return False
    return table.find(".//h1") is not None or any(
        (next(cell.iter("h2", "h3"), None) is not None and len(squeezed_text(cell)) > _LONG_CELL)
        or sum(len(squeezed_text(p)) > 80 for p in cell.iter("p")) >= 3
        for cell in cells
    )


def _links(body: Element, url: str) -> None:
    for link in list(body.iter("a")):
        target = (link.get("href") or "").strip()
        if link.get("role") == "doc-noteref":
            continue
        if (
            not target
            or target.startswith(("#", "javascript:", "data:"))
            or len(target) > _LONGEST_ADDRESS
        ):
            link.attrib.pop("href", None)
        else:
            link.set("href", _absolute(url, target))


def _absolute(url: str, target: str) -> str:
    try:
        return urljoin(url, target) if url else target
    except ValueError:
        return target


def _paragraphs(body: Element) -> None:
    """Turn text next to blocks, and text separated by empty lines, into paragraphs."""
    for node in list(body.iter()):
        if (
            node.tag not in BLOCKS
            and node.tag != "math"
            and any(inner.tag in BLOCKS for inner in node.iterdescendants())
        ):
            node.tag = "div"  # custom elements, and links around blocks
    for node in list(body.iter(*_HOLDERS)):
        has_empty_line = any(map(_is_empty_line, node))
        if has_empty_line or any(child.tag in BLOCKS for child in node):
            _gather(node)


def _is_empty_line(node: Element) -> bool:
    following = node.getnext()
    return _is_last_break(node) and following is not None and following.tag == "br"


def _is_last_break(node: Element) -> bool:
    return node.tag == "br" and not (node.tail or "").strip()


def _gather(node: Element) -> None:
    children: list[Element] = list(node)
    words, node.text = node.text, None
    node[:] = []
    run = _run(words)
    for child in children:
        tail, child.tail = child.tail, None
        is_block = child.tag in BLOCKS
        if is_block or (child.tag == "br" and len(run) and _is_last_break(run[-1])):
            _finish(run, node)
            node.extend([child] if is_block else [])
            run = _run(tail)
        else:
            run.append(child)
            child.tail = tail
    _finish(run, node)


def _run(text: str | None) -> Element:
    run = html.Element("p")
    run.text = text
    return run


def _finish(run: Element, node: Element) -> None:
    while len(run) and _is_last_break(run[-1]):
        run.remove(run[-1])
    if squeezed_text(run) or any(
        inner.tag in _SPEAKING or HIDDEN in inner.attrib for inner in run.iter()
    ):
        node.append(run)
