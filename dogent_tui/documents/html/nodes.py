"""Helpers of the HTML readers: elements, their text, and removing them without what follows."""

from typing import TypeAlias

from lxml import html

Element: TypeAlias = html.HtmlElement

TITLES = ("h1", "h2", "h3", "h4", "h5", "h6")

BLOCKS = frozenset([
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hgroup", "hr", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "search",
    "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "caption",
])  # fmt: skip


def squeezed_text(node: Element) -> str:
    """Return the text of `node` on one line."""
    return " ".join("".join(node.itertext()).split())


def classes(node: Element) -> str:
    """Return the classes and the id of an element."""
    return f"{node.get('class') or ''} {node.get('id') or ''}".strip()


def is_formula(node: Element) -> bool:
    """Return whether `node` is TeX."""
    return node.tag == "script" and (node.get("type") or "").startswith("math/tex")


def take_out(node: Element, instead: Element | None = None, text: str = "") -> None:
    """Replace `node` by `instead` or `text`; what follows it stays."""
    parent = node.getparent()
    if parent is None:
        return
    if instead is not None:
        instead.tail, node.tail = node.tail, None
        parent.replace(node, instead)
        return
    if text:
        node.tail = text + (node.tail or "")
    node.drop_tree()
