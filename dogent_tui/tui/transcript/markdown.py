"""Markdown as lines of a given width.

CommonMark with tables, strikethrough and task lists. What the parser cannot handle is shown
literally.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from dogent_tui.plain import visible
from dogent_tui.records import JsonDict
from dogent_tui.tui.transcript.highlight import CodeLine, highlight, highlight_growing
from dogent_tui.tui.transcript.inline import inline, parser
from dogent_tui.tui.transcript.lines import (
    BLANK,
    MIN_WIDTH,
    Line,
    Lines,
    Span,
    chop,
    hanging,
    prefixed,
    styled,
    wrap,
)
from dogent_tui.tui.transcript.table import Alignment, Table

if TYPE_CHECKING:
    from markdown_it.token import Token

Highlighter = Callable[[str, str], list[CodeLine]]

_BULLETS = ("•", "◦", "▪")
_BOXES = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}
_HEADINGS = {"h1": "heading1", "h2": "heading2", "h3": "heading3"}
_BREAK = re.compile(r" *<br ?/?> *")
_NARROWEST = 6
"""The minimum width in cells of nested text: below it, quotes and lists are no longer indented."""


def markdown_lines(text: str, width: int) -> Lines:
    """Return the Markdown `text` laid out in at most `width` cells (and at least `MIN_WIDTH`), each
    line with its source: paragraph, table or line of code.
    """
    return _joined(_render(text, width, highlight))


def growing_lines(text: str, width: int) -> Lines:
    """Do what `markdown_lines` does for a text that is still being written: see
    `highlight_growing`.
    """
    return _joined(_render(text, width, highlight_growing))


def pieces(text: str, size: int) -> list[int]:
    """Return where `text` can be split into parts of about `size` characters that are drawn
    separately, and that appended text cannot change.

    Each offset is the start of a top-level block; the first is 0. The last line counts only when
    complete, because ``#`` may still become ``#tag``. Later link definitions are not considered.
    """
    offsets = [0]
    if len(text) <= 2 * size:
        return offsets
    complete = text[: text.rfind("\n") + 1]
    starts = [*accumulate((len(line) + 1 for line in complete.split("\n")), initial=0)]
    with suppress(RecursionError):
        for token in _tokens(_prepared(complete), {}):
            if token.level == 0 and token.nesting >= 0 and token.map:
                start = starts[token.map[0]]
                if start - offsets[-1] >= size:
                    offsets.append(start)
    return offsets


_DEEPEST = 10_000
"""Nesting depth from which the parser leaves text out. Python's recursion limit is reached first;
then everything is plain text.
"""


def _joined(blocks: Sequence[Lines]) -> Lines:
    return list(
        chain.from_iterable(
            [BLANK, *lines] if number else lines for number, lines in enumerate(blocks)
        )
    )


def _prepared(text: str) -> str:
    """Make `text` visible without adding or removing a newline, so that line numbers stay the
    same.
    """
    return visible(text.replace("\r", ""))


def _tokens(text: str, env: JsonDict) -> "list[Token]":
    md = parser(_DEEPEST)
    tokens: list[Token] = []
    md.block.parse(text, md, env, tokens)
    return tokens


def _render(text: str, width: int, code: Highlighter) -> list[Lines]:
    text, width = _prepared(text), max(width, MIN_WIDTH)
    env: JsonDict = {}
    try:
        tokens = _tokens(text, env)
        return _Blocks(env.get("references") or {}, code).drawn(tokens, width)
    except RecursionError:  # hundreds of nested quotes or lists
        source = (0, text.count("\n") + 1)
        lines = wrap([Span(text.strip("\n"))], width) if text.strip() else []
        return [[line._replace(source=source) for line in lines]]


class _Blocks:
    """Draws block tokens. An opening token is drawn with all tokens up to the closing one."""

    def __init__(self, references: JsonDict, code: Highlighter) -> None:
        self._references = references
        self._code = code
        self._depth = 0  # of lists

    def drawn(self, tokens: "Sequence[Token]", width: int) -> list[Lines]:
        """Return the lines of each block that has any."""
        return [lines for group in _groups(tokens) if (lines := self._sourced(group, width))]

    def _children(self, tokens: "Sequence[Token]", width: int, *, tight: bool = False) -> Lines:
        blocks = self.drawn(tokens, width)
        return list(chain.from_iterable(blocks)) if tight else _joined(blocks)

    def _sourced(self, tokens: "Sequence[Token]", width: int) -> Lines:
        """Record for each line the source lines it was drawn from."""
        lines, head = self._block(tokens, width), tokens[0]
        if head.map is None or head.type in _CONTAINERS:
            return lines
        first, end = head.map
        if head.type in {"fence", "code_block"}:
            return list(_numbered(lines, first + (head.type == "fence"), end))
        return [line._replace(source=(first, end)) for line in lines]

    def _block(self, tokens: "Sequence[Token]", width: int) -> Lines:
        head = tokens[0]
        match head.type:
            case "paragraph_open":
                return self._paragraph(tokens[1].content.strip(), width)
            case "heading_open":
                return self._heading(tokens, width)
            case "fence" | "code_block":
                return self._code_block(head, width)
            case "bullet_list_open" | "ordered_list_open":
                return list(self._list(tokens, width))
            case "blockquote_open":
                return self._quote(tokens, width)
            case "footnote_reference_open":
                return self._footnote(head.meta["label"], tokens[1:-1], width)
            case "table_open":
                return self._table(tokens).lines(width)
            case "hr":
                return [Line((Span("─" * width, "rule"),), decoration=width)]
            case _:
                return wrap([Span(head.content.strip("\n"))], width) if head.content else []

    def _paragraph(self, content: str, width: int) -> Lines:
        if self._references:
            return wrap(inline(content, self._references), width)
        return list(_paragraph(content, width))

    def _heading(self, tokens: "Sequence[Token]", width: int) -> Lines:
        style = _HEADINGS.get(tokens[0].tag, "heading4")
        lines = wrap(inline(tokens[1].content, self._references, style), width)
        if tokens[0].tag == "h1":
            rule = "━" * max(line.width for line in lines)
            lines.append(Line((Span(rule, "rule"),), decoration=len(rule)))
        return lines

    def _code_block(self, token: "Token", width: int) -> Lines:
        language = token.info.split(maxsplit=1)[0].strip("{}.") if token.info.strip() else ""
        code = token.content.removesuffix("\n")
        return list(
            chain.from_iterable(_code_line(spans, width) for spans in self._code(code, language))
        )

    def _list(self, tokens: "Sequence[Token]", width: int) -> Iterator[Line]:
        items = list(_groups(tokens[1:-1]))
        tight = _is_tight(tokens)
        number = (
            int(tokens[0].attrGet("start") or 1) if tokens[0].type == "ordered_list_open" else None
        )
        size = len(f"{number + len(items) - 1}.") if number is not None else 1
        bullet = _BULLETS[min(self._depth, len(_BULLETS) - 1)]
        self._depth += 1
        for index, item in enumerate(items):
            if index and not tight:
                yield BLANK
            mark = f"{number + index}.".rjust(size) if number is not None else bullet
            yield from self._item(item, mark, width, tight=tight)
        self._depth -= 1

    def _item(
        self, tokens: "Sequence[Token]", mark: str, width: int, *, tight: bool
    ) -> Iterator[Line]:
        children = tokens[1:-1]
        if (
            len(children) > 1
            and children[0].type == "paragraph_open"
            and (box := _BOXES.get(children[1].content[:4]))
        ):
            mark = box if mark in _BULLETS else f"{mark} {box}"
            children[1].content = children[1].content[4:]
        indent = len(mark) + 1
        if width - indent < _NARROWEST:
            indent = 0
        lines = self._children(children, width - indent, tight=tight) or [BLANK]
        if indent:
            yield from hanging(lines, Span(f"{mark} ", "bullet"), copied=True)
        else:
            yield from lines

    def _quote(self, tokens: "Sequence[Token]", width: int) -> Lines:
        if width - 2 < _NARROWEST:
            return self._children(tokens[1:-1], width)
        lines = self._children(tokens[1:-1], width - 2)
        return list(prefixed((styled(line, "quote") for line in lines), Span("▌ ", "quote-bar")))

    def _footnote(self, label: str, tokens: "Sequence[Token]", width: int) -> Lines:
        mark = f"[^{label}]:"
        if not tokens or tokens[0].type != "paragraph_open":
            return [*wrap([Span(mark)], width), *self._children(tokens, width)]
        tokens[1].content = f"{mark} {tokens[1].content}"
        return self._children(tokens, width)

    def _table(self, tokens: "Sequence[Token]") -> Table:
        rows: list[list[list[Span]]] = []
        alignments = []
        for index, token in enumerate(tokens):
            if token.type == "tr_open":
                rows.append([])
            elif token.type in {"th_open", "td_open"}:
                head = token.type == "th_open"
                content = _BREAK.sub("\\\n", tokens[index + 1].content)
                rows[-1].append(inline(content, self._references, "strong" if head else ""))
                if head:
                    alignments.append(_alignment(token))
        return Table(rows, alignments)


_CONTAINERS = frozenset(
    {"bullet_list_open", "ordered_list_open", "list_item_open", "blockquote_open"}
)


def _numbered(lines: Sequence[Line], number: int, end: int) -> Iterator[Line]:
    """Yield the lines of a code block whose first line is line `number` of the text."""
    for line in lines:
        number = min(number, end - 1)
        yield line._replace(source=(number, number + 1))
        number += line.glue == "\n"


# While a text streams, its last block is drawn repeatedly with most of its lines unchanged.


@lru_cache(maxsize=1024)
def _paragraph(content: str, width: int) -> tuple[Line, ...]:
    return tuple(wrap(inline(content, {}), width))


@lru_cache(maxsize=2048)
def _code_line(spans: CodeLine, width: int) -> tuple[Line, ...]:
    gutter = Span("▎ ", "code-gutter")
    return tuple(
        line._replace(fill="code-block") for line in prefixed(chop(spans, width - 3), gutter)
    )


def _groups(tokens: "Sequence[Token]") -> "Iterator[Sequence[Token]]":
    """Split `tokens` at their outermost level: each group opens, contains and closes one block."""
    start = depth = 0
    for index, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield tokens[start : index + 1]
            start = index + 1


def _is_tight(tokens: "Sequence[Token]") -> bool:
    """Return whether a list is tight: CommonMark draws its paragraphs without space, and the parser
    hides them.
    """
    level = tokens[0].level + 2
    return not any(
        token.type == "paragraph_open" and token.level == level and not token.hidden
        for token in tokens
    )


def _alignment(token: "Token") -> Alignment:
    style = str(token.attrGet("style") or "")
    return "right" if style.endswith("right") else "center" if style.endswith("center") else "left"
