"""Pandoc's JSON, the document shared by all writers: its nodes, traversal, and calls of pandoc.

A node is ``{"t": type, "c": contents}`` (https://pandoc.org/lua-filters.html lists the types and
their contents).
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from dogent_tui.documents.pandoc.program import Output, run_pandoc
from dogent_tui.documents.pandoc.tree import Node as Node
from dogent_tui.documents.pandoc.tree import Tree
from dogent_tui.documents.pandoc.tree import plain_text as plain_text
from dogent_tui.documents.pandoc.tree import walk as walk
from dogent_tui.language import tr
from dogent_tui.processes import Halt
from dogent_tui.records import Record

Handler: TypeAlias = Callable[[Any], list[Node]]
"""Takes the contents of a node and returns its replacement."""

BREAK, CONTENTS, LANDSCAPE, CALLOUT = "page-break", "contents-place", "landscape", "callout"
CAPTION = "caption"
"""Classes of divs known to every writer; an author's own classes are dropped."""
PAGES = frozenset({BREAK, LANDSCAPE})

PARAGRAPHS: dict[str, Handler] = {"Plain": lambda inlines: [node("Para", inlines)]}
"""Makes paragraphs of lines that are none, to which pandoc's writers give other styles."""

_API_VERSION = [1, 23, 1]
"""The version of pandoc's JSON (pandoc 3.x)."""
_NUMBER = re.compile(r"\\qquad\(\d+\)\Z")

FENCED = (
    r"^(?:[ \t>*+.)\d-]|\[\^[^\[\]\n]+\]:)*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})"
    r".*?(?:^[ \t>]*(?P=fence)|\Z)"
)
"""Code between fences (with the flags m and s)."""
CODE = r"(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
"""Code in a line (with the flag s)."""
_TEX = re.compile(
    rf"(?ms){FENCED}|{CODE}"
    r"|(?<!\\)\\\((?P<inline>(?:[^\\\n]|\\[^()\n]|\n(?!\s*\n))+)\\\)"
    r"|\$\$(?:[^$\n]|\n(?!\s*\n))+\$\$"
    r"|^(?P<before>[ \t>]*)(?:\\\[(?P<display>(?:[^\\\n]|\\[^\[\]]|\n(?!\s*\n))+)\\\]"
    r"|(?P<lines>\\begin\{(?P<kind>(?:align(?:at)?|equation|gather|multline)\*?)\}"
    r"(?:[^\n]|\n(?!\s*\n))+?\\end\{(?P=kind)\}))(?=[ \t.,;]*$)"
)
"""Code and formulas, which stay as they are, or a formula as in LaTeX."""
_TABLE = re.compile(
    rf"(?ms){FENCED}"
    r"|^(?:[ >]{0,3}|[ \t>]*(?:[-*+]|\d+[.)])[ \t]+)[^\s|>#<][^|\n]*\n"
    r"(?=(?P<quote>(?:[ \t]*>)*)[^|\n]*\|[^\n]*\n[ \t>]*+\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t:-]*$)"
    r"|^(?P<before>[ >]*):(?=[ \t][^\n]*\{#tbl[:-][^{}\n]+\}[ \t]*$)"
    r"|^(?P<title>[ >]*#{1,6}[ \t][^\n]*)\{-\}(?=[ \t]*$)"
)
"""Code, which stays as it is, a line of text before a table, the beginning of a caption, which
pandoc would take for a definition, or a heading without a number.
"""


def ask_pandoc(
    data: bytes, *arguments: str, halt: Halt | None = None, readable: tuple[Path, ...] = ()
) -> Output:
    """Return pandoc's output for `data`. Blocks. Raises DocumentError."""
    return run_pandoc(arguments, data, name=tr("The document"), halt=halt, readable=readable)


def parsed(text: str, reader: str, halt: Halt | None) -> Output:
    """Return `text` as parsed by a reader of pandoc. Blocks. Raises DocumentError."""
    data = _with_lines_before_tables(_TEX.sub(_with_dollars, text)).encode("utf-8", "replace")
    return ask_pandoc(data, "-f", reader, "-t", "json", halt=halt)


def _with_dollars(found: re.Match[str]) -> str:
    """Return a formula as pandoc knows it; brackets without TeX in them are escaped ones."""
    inline, display = found["inline"] or "", found["display"] or found["lines"] or ""
    if not re.search(r"[\^_=\\]", inline + display):
        return found[0]
    return f"${inline.strip()}$" if inline else f"{found['before']}$${display}$$"


def _with_lines_before_tables(text: str) -> str:
    """Return `text` with an empty line between a line of text and a table, as pandoc requires it,
    and GitHub does not.
    """

    def apart(found: re.Match[str]) -> str:
        if title := found["title"]:
            return f"{title}{{.unnumbered}}"
        if (before := found["before"]) is not None:
            return f"{before}\n{before}Table:"
        return found[0] if found["fence"] else f"{found[0]}{found['quote']}\n"

    return _TABLE.sub(apart, text)


def written(
    blocks: list[Any],
    form: str,
    *options: str,
    halt: Halt | None = None,
    readable: tuple[Path, ...] = (),
) -> Output:
    """Return a document of `blocks` in a `form` written by pandoc. Blocks. Raises DocumentError,
    and RecursionError for very deep nesting.
    """
    document = {"pandoc-api-version": _API_VERSION, "meta": {}, "blocks": blocks}
    arguments = ("-f", "json", "-t", form, *options)
    data = msgspec.json.encode(document)
    return ask_pandoc(data, *arguments, halt=halt, readable=readable)


def language(lang: str) -> list[str]:
    """Return the option for a document in `lang`, none if it is empty."""
    return [f"--metadata=lang:{lang}"] if lang else []


def blocks_of(data: bytes) -> list[Any]:
    """Return the blocks of a document that pandoc wrote."""
    return msgspec.json.decode(data, type=Tree).blocks


def mapped(
    value: Any,
    handlers: Mapping[str, Handler],
    in_lists: Callable[[list[Any]], list[Any]] | None = None,
) -> Any:
    """Return `value`, a node or nested lists of nodes, with each node for which there is a handler
    replaced by its result.

    `in_lists` receives each list, of blocks, of inlines, or of lists, before its contents are
    processed, and returns its replacement.
    """
    if isinstance(value, dict):
        content = value.get("c")
        return (
            {**value, "c": mapped(content, handlers, in_lists)}
            if isinstance(content, list)
            else value
        )
    if not isinstance(value, list):
        return value
    out: list[Any] = []
    for part in in_lists(value) if in_lists else value:
        handler = handlers.get(part.get("t", "")) if isinstance(part, dict) else None
        if handler:
            out += handler(part.get("c"))
        elif isinstance(part, list) or (isinstance(part, dict) and isinstance(part.get("c"), list)):
            out.append(mapped(part, handlers, in_lists))
        else:
            out.append(part)  # nine out of ten: words and spaces
    return out


def kinds_in(nodes: list[Any]) -> set[str]:
    """Return the types of the nodes in a list, without those inside them."""
    return {part.get("t", "") for part in nodes if isinstance(part, dict)}


def kind_of(block: Node) -> str:
    """Return the first class of a div, "" for any other block."""
    classes = block["c"][0][1] if block["t"] == "Div" else []
    return classes[0] if classes else ""


def node(kind: str, content: Any) -> Node:
    """Return a node."""
    return {"t": kind, "c": content}


def words(text: str) -> list[Node]:
    """Return `text` as inlines."""
    return [node("Str", text)] if text else []


def attributes(name: str = "", *kinds: str, **given: str) -> list[Any]:
    """Return attributes: a name, classes, and others."""
    return [name, list(kinds), [[key.replace("_", "-"), value] for key, value in given.items()]]


def link(inlines: list[Any], address: str, title: str = "") -> Node:
    """Return a link."""
    return node("Link", [attributes(), inlines, [address, title]])


def figure(name: str, caption: list[Any], blocks: list[Any]) -> Node:
    """Return a figure."""
    return node(
        "Figure", [attributes(name), [None, [node("Plain", caption)] if caption else []], blocks]
    )


def listing(name: str, caption: list[Any], code: list[Any]) -> list[Node]:
    """Return code, which may be longer than a page, below its caption."""
    named = [node("Span", [attributes(name), caption])] if name else caption
    return [*([div(CAPTION, [node("Para", named)])] if caption else []), *code]


def div(kind: str, blocks: list[Any], *more: str) -> Node:
    """Return a div with one of the classes above."""
    return node("Div", [attributes("", kind, *more), blocks])


def raw(language: str, text: str, *, inline: bool = False) -> Node:
    """Return text that a writer must not change. `text` is ours: it never contains unescaped text
    of an author.
    """
    return node("RawInline" if inline else "RawBlock", [language, text])


def tex_of(math: Any) -> str:
    """Return a formula as in Markdown, without its number: the alternative text of the formula."""
    mark = "$$" if math[0]["t"] == "DisplayMath" else "$"
    return f"{mark}{_NUMBER.sub('', math[1])}{mark}"


def sign(kind: str) -> str:
    """Return how a call-out of a kind begins in Markdown: the alternative text of its title until
    the pdf is finished.
    """
    return f"[!{kind.upper()}]"


class Heading(Record):
    """A heading of the document: its level (1–6), its text including the number, and its name."""

    level: int
    text: str
    name: str
