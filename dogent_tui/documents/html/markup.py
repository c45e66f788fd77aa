"""The tree of a page made plain: formulas, notes, code, pictures and quotations in the one form
that pandoc reads each in.

Authors, and the programs that they write with, have many forms for each of them.
"""

import re
from urllib.parse import urljoin

from lxml import etree, html

from dogent_tui.documents.html.code import settle_code
from dogent_tui.documents.html.formulas import settle_formulas
from dogent_tui.documents.html.hidden_text import HIDDEN
from dogent_tui.documents.html.nodes import BLOCKS, Element, is_formula, squeezed_text, take_out
from dogent_tui.documents.html.notes import settle_notes

_HOLDERS = frozenset([
    "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "fieldset",
    "figure", "footer", "form", "header", "hgroup", "li", "main", "nav", "search", "section", "td",
    "th",
])  # fmt: skip
"""What may hold paragraphs; where it holds words beside blocks, they are made one."""
_SPEAKING = frozenset({"img", "script", "math"})
"""Inline elements that say something without words of their own."""
_DROPPED = (
    "script", "style", "noscript", "template", "iframe", "svg", "canvas", "object", "button",
    "select", "textarea", "link", "meta",
)  # fmt: skip
_TEX_TYPESETTER = re.compile(r"mathjax|katex|tex2jax|jsmath", re.IGNORECASE)
_QUOTES = frozenset(
    {"blockquote", "block-quote", "quoteblock", "bbcode_quote", "bbcodequote", "quotebox", "quote"}
)
_CAPTIONS = re.compile(
    r"(?:^|\s)(?:wp-)?(?:caption|figcaption|image-caption|img-caption|photo-caption|caption-text|wp-caption-text)(?:\s|$)"
)
_LAZY = (
    "data-src", "data-original", "data-lazy-src", "data-full-src", "data-url", "data-actualsrc",
)  # fmt: skip
_ROLES = {
    "table": "table", "grid": "table", "row": "tr", "cell": "td", "gridcell": "td",
    "columnheader": "th", "rowheader": "th",
}  # fmt: skip
_LONG_CELL = 300
_LONGEST_ADDRESS = 2000


def plain_tree(source: str, url: str = "") -> Element:
    """Return the body of the page `source`, its parts in the forms that the writers know; links
    are absolute by `url`.
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
    _boxes(body)
    settle_code(body)
    _pictures(body, url)
    _quotations(body)
    _tables(body)
    settle_notes(body)
    _links(body, url)
    _paragraphs(body)
    return body


def _boxes(body: Element) -> None:
    """Write the boxes of tasks as signs, and take out the other fields of forms."""
    for field in list(body.iter("input")):
        if field.get("type") == "checkbox" and next(field.iterancestors("li"), None) is not None:
            box = html.Element("span")
            box.text = "☐ " if field.get("checked") is None else "☒ "
            field.addprevious(box)
        take_out(field)


def _pictures(body: Element, url: str) -> None:
    for image in list(body.iter("img")):
        source = next(
            (
                value
                for name in (*_LAZY, "src")
                if (value := (image.get(name) or "").strip()) and not value.startswith("data:")
            ),
            "",
        )
        if not source:
            source = (
                (image.get("srcset") or image.get("data-srcset") or "")
                .strip()
                .split(",")[0]
                .split(" ")[0]
            )
        tiny = any((image.get(side) or "").strip() in {"0", "1"} for side in ("width", "height"))
        if not source or source.startswith("data:") or tiny:
            take_out(image)
            continue
        alt, title = " ".join((image.get("alt") or "").split()), image.get("title") or ""
        tail = image.tail
        image.attrib.clear()
        image.set("src", _absolute(url, source))
        image.set("alt", alt or " ".join(title.split()))
        image.tail = tail
    for node in list(body.iter("div", "dl", "span", "p", "section")):
        images = list(node.iter("img"))
        if (
            len(images) != 1
            or node.tag not in {"div", "dl", "section"}
            or next(node.iter("figure"), None) is not None
        ):
            continue
        caption = next(
            (
                inner
                for inner in node.iterdescendants()
                if _CAPTIONS.search(inner.get("class") or "")
            ),
            None,
        )
        if caption is not None and len(squeezed_text(node)) <= len(squeezed_text(caption)) + 20:
            node.tag, caption.tag = "figure", "figcaption"


def _quotations(body: Element) -> None:
    for node in list(body.iter("div", "section", "aside")):
        named = {word.lower() for word in (node.get("class") or "").split()}
        is_quote = bool(named & _QUOTES) or node.get("role") == "blockquote"
        if (
            is_quote
            and next(node.iter("blockquote"), None) is None
            and next(node.iter("h1", "h2", "h3", "table", "form"), None) is None
        ):
            node.tag = "blockquote"


def _tables(body: Element) -> None:
    """Make tables of what is one by its roles, and take apart those that only place things on
    the page.
    """
    for node in list(body.iter("div", "span", "section", "ul", "li")):
        node.tag = _ROLES.get(node.get("role") or "", node.tag)
    for cell in body.iter("td", "th"):
        if cell.get("rowspan") == "0":  # to the end of the table
            cell.set("rowspan", str(1 + len(list(cell.getparent().itersiblings("tr")))))
    for table in list(body.iter("table"))[::-1]:
        rows = [row for row in table.iter("tr") if next(row.iterancestors("table"), None) is table]
        cells = [
            cell
            for cell in table.iter("td", "th")
            if next(cell.iterancestors("table"), None) is table
        ]
        width = max((sum(cell.tag in {"td", "th"} for cell in row) for row in rows), default=0)
        if not cells or _is_layout(table, cells, len(rows), width):
            for part in [
                node
                for node in table.iter("thead", "tbody", "tfoot", "tr", "td", "th", "caption")
                if next(node.iterancestors("table"), None) is table
            ]:
                part.tag = "div"
            table.tag = "div"


def _is_layout(table: Element, cells: list[Element], rows: int, width: int) -> bool:
    if table.get("role") in {"presentation", "none"} or (rows <= 1 and width <= 1):
        return True
    if (
        any(cell.tag == "th" for cell in cells)
        or table.find("caption") is not None
        or table.find("thead") is not None
    ):
        return False
    if table.find(".//h1") is not None or any(
        next(cell.iter("h2", "h3"), None) is not None and len(squeezed_text(cell)) > _LONG_CELL
        for cell in cells
    ):
        return True
    return any(sum(len(squeezed_text(p)) > 80 for p in cell.iter("p")) >= 3 for cell in cells)


def _links(body: Element, url: str) -> None:
    for link in list(body.iter("a")):
        target = (link.get("href") or "").strip()
        named = link.get("class") or ""
        if (
            re.search(
                r"(?:^|\s)(?:headerlink|anchor|anchorjs-link|header-anchor|heading-link|permalink)(?:\s|$)",
                named,
            )
            and len(squeezed_text(link)) < 3
        ):
            take_out(link)
        elif link.get("role") == "doc-noteref":
            continue
        elif (
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
    """Make paragraphs of the words that stand beside blocks, and of those that empty lines part."""
    for node in list(body.iter()):
        if (
            node.tag not in BLOCKS
            and node.tag != "math"
            and any(inner.tag in BLOCKS for inner in node.iterdescendants())
        ):
            node.tag = "div"  # elements of authors' own making, and links around blocks
            node.attrib.pop("href", None)
    for node in list(body.iter()):
        if node.tag not in _HOLDERS or next(node.iterancestors("pre"), None) is not None:
            continue
        if any(child.tag in BLOCKS for child in node) or _has_empty_line(node):
            _gather(node)


def _has_empty_line(node: Element) -> bool:
    return any(
        _is_break(one) and _is_break(one.getnext()) and not (one.tail or "").strip() for one in node
    )


def _is_break(node: Element | None) -> bool:
    return node is not None and node.tag == "br"


def _gather(node: Element) -> None:
    children: list[Element] = list(node)
    text, node.text = node.text or "", None
    for child in children:
        node.remove(child)
    run = html.Element("p")
    run.text = text

    def finish() -> None:
        nonlocal run
        while len(run) and _is_break(run[-1]) and not (run[-1].tail or "").strip():
            run.remove(run[-1])
        if squeezed_text(run) or any(
            inner.tag in _SPEAKING or HIDDEN in inner.attrib for inner in run.iter()
        ):
            node.append(run)
        run = html.Element("p")

    for child in children:
        tail, child.tail = child.tail, None
        if child.tag in BLOCKS:
            finish()
            node.append(child)
            run.text = tail
            continue
        if (
            _is_break(child)
            and len(run)
            and _is_break(run[-1])
            and not (run[-1].tail or "").strip()
        ):
            finish()
            run.text = tail
            continue
        run.append(child)
        child.tail = tail
    finish()
