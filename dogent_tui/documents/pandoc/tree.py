"""Pandoc's tree as its JSON has it (pandoc-types 1.23): walks over it that need no knowledge of Markdown."""

from collections.abc import Iterator
from typing import Any, TypeAlias

Node: TypeAlias = dict[str, Any]
"""``{"t": constructor, "c": contents}``; without contents where the constructor takes none."""

_SPACES = ("Space", "SoftBreak", "LineBreak")


def children(node: Any) -> Iterator[Node]:
    """Yield the nodes right below, in the order of the document."""
    if isinstance(node, dict):
        contents = node.get("c")
        if "t" in node and contents is not None:
            yield from _nodes(contents)
    else:
        yield from _nodes(node)


def _nodes(contents: Any) -> Iterator[Node]:
    if isinstance(contents, dict):
        if "t" in contents:
            yield contents
    elif isinstance(contents, list):
        for inner in contents:
            yield from _nodes(inner)


def walk(node: Any) -> Iterator[Node]:
    """Yield all nodes below, outer ones first."""
    waiting = list(children(node))[::-1]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(list(children(current))[::-1])


def plain_text(nodes: Any) -> str:
    """Return the words of inlines or blocks, without notes, on a line."""
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
        elif kind != "Note":
            yield from _plain(node)
            if kind in ("Para", "Plain"):
                yield " "
