"""What the readers of HTML share: elements, what they say, and taking them out without what
follows them.
"""

from typing import TypeAlias

from lxml import html

Element: TypeAlias = html.HtmlElement

BLOCKS = frozenset([
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hgroup", "hr", "li", "main", "menu", "nav", "ol", "p", "pre", "search", "section",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "caption",
])  # fmt: skip


def squeezed_text(node: Element) -> str:
    """Return all that `node` says, on one line."""
    return " ".join("".join(node.itertext()).split())


def classes(node: Element) -> str:
    """Return what an element is called: its classes and its id."""
    return f"{node.get('class') or ''} {node.get('id') or ''}".strip()


def is_within(node: Element, *tags: str) -> bool:
    """Tell whether `node` is inside an element with one of the `tags`."""
    return next(node.iterancestors(*tags), None) is not None


def is_formula(node: Element) -> bool:
    """Tell whether `node` is TeX."""
    return node.tag == "script" and (node.get("type") or "").startswith("math/tex")


def take_out(node: Element, instead: Element | None = None, text: str = "") -> None:
    """Take `node` out, and put `instead` or `text` there; what follows it stays."""
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
