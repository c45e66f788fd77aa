"""Elements of XML and HTML: where they are, what takes their place, and the numbers in them."""

from collections.abc import Iterable
from typing import Any


def is_within(node: Any, *tags: str) -> bool:
    """Return whether `node` is inside an element with one of the `tags`."""
    return next(node.iterancestors(*tags), None) is not None


def move_after(node: Any, blocks: Iterable[Any]) -> None:
    """Move `blocks` of the same tree after `node`, in their order."""
    for block in blocks:
        node.addnext(block)
        node = block


def replace(node: Any, *instead: Any) -> None:
    """Put other elements in the place of `node` and of the blanks behind it."""
    for each in instead:
        node.addprevious(each)
    remove(node)


def remove(node: Any) -> None:
    """Remove `node` and the blanks behind it."""
    node.getparent().remove(node)


def whole(text: str | None, default: int = 0) -> int:
    """Return the number that a text is, `default` if it is none."""
    said = (text or "").strip()
    return int(said[:9]) if said.isdecimal() else default
