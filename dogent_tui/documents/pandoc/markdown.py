"""Pandoc's tree → Markdown in blocks, each with the titles above it.

Why not pandoc's own writer: a second run takes as long as the first, its Markdown does not identify
positions, and it turns every table with a merged cell into HTML with a style for each column.
"""

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import msgspec

from dogent_tui.documents.model import Block, Source
from dogent_tui.documents.pandoc.escapes import fence, hidden_comment, lines_escaped
from dogent_tui.documents.pandoc.inlines import HtmlInlines, Inlines, Shared
from dogent_tui.documents.pandoc.tables import Table, html_lines, is_grid, parsed, pipe_lines
from dogent_tui.documents.pandoc.tree import LISTS, RULE, Node, flat, plain, plain_text
from dogent_tui.plain import words_of

_LONG_CHARS = 6_000
"""A longer table or list is split into several blocks, so that a page need not end in the middle of
a line.
"""
_BULLETS = ("•", "▪", "◦", "‣", "●", "·")
_NOTHING = "\N{ZERO WIDTH SPACE}"
"""Alone in its paragraph, it keeps apart what programs would join."""
_TASKS = {"☐": "[ ]", "☒": "[x]", "☑": "[x]"}


class Counts(msgspec.Struct):
    """What was written so far."""

    words: int = 0
    images: int = 0
    footnotes: int = 0
    tables: int = 0


class MarkdownWriter:
    """Writes a document from one tree or several consecutive ones. Each kind of block is written by
    the method of the same name.

    `image` returns the displayed name of an image for pandoc's name. `marks` and `is_page`: see
    `Shared`.
    """

    def __init__(
        self, *, image: Callable[[str], str], marks: bool = False, is_page: bool = False
    ) -> None:
        self.has_hidden = False
        self.counts = Counts()
        self._image = image
        self._shared = Shared(self._counted_image, marks=marks, is_page=is_page)
        self._inlines, self._in_html = Inlines(self._shared), HtmlInlines(self._shared)
        self._notes_written = 0
        self._headings: list[tuple[int, str]] = []
        self._after_list = ""
        """The kind of the last written block if it is a list: an adjacent list needs another
        marker.
        """

    def write(self, blocks: list[Node]) -> Iterator[Block]:
        """Yield the Markdown of `blocks`, which may be an iterator."""
        self._shared.heading_ids.update(
            node["c"][1][0] for node in flat(blocks) if node["t"] == "Header" and node["c"][1][0]
        )
        for node in _with_typed_lists(flat(blocks)):
            if node["t"] == "Header":
                self._enter(node)
            yield from self._cut(node)

    def _enter(self, node: Node) -> None:
        level, _, inlines = node["c"]
        title = plain_text(inlines)
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        if title:
            self._headings.append((level, title))

    def _cut(self, node: Node) -> Iterator[Block]:
        source = Source(headings=self.headings)
        for text, tight in self._pieces(node):
            settled = self._inlines.settle_comments(text)
            if settled.strip():
                self.counts.words += word_count(settled)
                yield Block(settled, source, tight)
        while self._notes_written < len(self._shared.notes):  # referred to by the blocks so far
            blocks = self._shared.notes[self._notes_written]
            self._notes_written += 1
            self.counts.footnotes += 1
            text = self._of_notetext([str(self._notes_written), blocks])
            self.counts.words += word_count(text) - 1
            yield Block(text, source)
        if self._shared.hidden:
            self.has_hidden = True
            yield Block(hidden_comment(" ".join(self._shared.hidden), "in the document"), source)
            self._shared.hidden.clear()

    @property
    def headings(self) -> tuple[str, ...]:
        """The titles above the next block."""
        return tuple(title for _, title in self._headings)

    def _pieces(self, node: Node) -> Iterator[tuple[str, bool]]:
        """Yield the Markdown of a block, in pieces if it is long, and whether each continues on the
        next line.
        """
        if node["t"] == "Table":
            yield from self._table_pieces(parsed(node["c"]))
        elif node["t"] in LISTS:
            # a list is split between its outermost items; a blank line before an item joins blocks
            text = self._block(node)
            yield from _pieces_of(re.split(r"\n(?=\n?(?:[-*]|\d+[.)])(?: |$))", text))
        else:
            yield self._block(node), False

    def _of_notetext(self, contents: Any) -> str:
        label, blocks = contents
        text = self._inlines.settle_comments(self._blocks(blocks)) or "…"
        return f"[^{label}]: {_indented(text, 4)}"

    def _blocks(self, blocks: list[Node], separator: str = "\n\n") -> str:
        self._after_list = ""
        return separator.join(filter(None, map(self._block, flat(blocks))))

    def _block(self, node: Node) -> str:
        kind, contents = node["t"], node.get("c")
        if kind in LISTS:
            return self._list(kind, contents)
        text: str = getattr(self, f"_of_{kind.lower()}")(contents)
        if text:
            self._after_list = ""
        return text

    def _of_para(self, inlines: list[Node]) -> str:
        # a line of a table of contents, whose address is longer than its text
        if (
            len(inlines) == 1
            and inlines[0]["t"] == "Link"
            and inlines[0]["c"][2][0].startswith("#")
        ):
            text = self._inlines.without_links(inlines).strip()
        else:
            text = self._inlines.write(inlines).strip()
        text = text.strip(_NOTHING)
        is_broken = text.endswith("\\") and not text.endswith("\\\\")
        return lines_escaped(text[:-1].strip() if is_broken else text)

    _of_plain = _of_para

    def _of_lineblock(self, lines: list[list[Node]]) -> str:
        return "\\\n".join(filter(None, map(self._of_para, lines)))

    def _of_header(self, contents: Any) -> str:
        level, _, inlines = contents
        text = self._inlines.write(inlines).replace("\\\n", " ").strip()
        text = re.sub(r"(#+)$", r"\\\1", text)
        return f"{'#' * min(level, 6)} {text}" if text else ""

    def _of_codeblock(self, contents: Any) -> str:
        (_, classes, _), code = contents
        ticks = fence(code)
        names = (name for name in classes if name != "sourceCode")  # of any, in books of pandoc's
        language = re.fullmatch(r"[\w+#.-]+", next(names, ""))
        return f"{ticks}{language[0] if language else ''}\n{code.rstrip(chr(10))}\n{ticks}"

    def _of_rawblock(self, contents: Any) -> str:
        form, text = contents
        if form == "markdown":
            return str(text)
        return f"```{form}\n{text}\n```" if form in ("tex", "latex") and "```" not in text else ""

    def _of_blockquote(self, blocks: list[Node], sign: str = "") -> str:
        text = sign + self._blocks(blocks)
        return "\n".join(f"> {line}".rstrip() for line in text.split("\n")) if text else ""

    def _of_callout(self, contents: Any) -> str:
        kind, title, blocks = contents
        title = self._inlines.write([plain(title)]) if title else ""
        return self._of_blockquote(blocks, f"[!{kind.upper()}] {title}".rstrip() + "\n")

    def _of_definitionlist(self, contents: Any) -> str:
        out = []
        for term, definitions in contents:
            lines = [self._of_para(term) or "…"]
            lines += [": " + _indented(self._blocks(definition), 2) for definition in definitions]
            out.append("\n".join(lines))
        return "\n\n".join(out)

    def _of_horizontalrule(self, _: None) -> str:
        return RULE

    def _list(self, kind: str, contents: Any) -> str:
        """Adjacent lists get different markers, since Markdown would join them."""
        other = self._after_list == kind
        if kind == "OrderedList":
            (start, _, delimiter), items = contents
            mark = ")" if other != (delimiter["t"] == "OneParen") else "."
            signs = [f"{number}{mark}" for number in range(start, start + len(items))]
        else:
            items = contents
            signs = ["*" if other else "-"] * len(items)
        separator = "\n" if all(map(_is_tight, items)) else "\n\n"
        out = []
        for sign, item in zip(signs, items, strict=True):
            body = _task(self._blocks(item, separator))
            out.append(f"{sign} {_indented(body, len(sign) + 1)}".rstrip())
        self._after_list = "" if other else kind
        return separator.join(out)

    def _of_table(self, contents: Any) -> str:
        return "\n".join(text for text, _ in self._table_pieces(parsed(contents)))

    def _table_pieces(self, table: Table) -> Iterator[tuple[str, bool]]:
        self.counts.tables += 1
        caption = self._blocks(table.caption)
        if caption:
            yield caption + "\n", False
        if is_grid(table):
            lines = pipe_lines(table, self._inlines.write)
        else:
            lines = list(html_lines(table, self._in_html.write))
        self._after_list = ""
        yield from _pieces_of(lines, tight=bool(caption))

    def _counted_image(self, name: str) -> str:
        self.counts.images += 1
        return self._image(name)


def _pieces_of(lines: list[str], *, tight: bool = False) -> Iterator[tuple[str, bool]]:
    """Join lines to pieces up to the maximum length."""
    piece = ""
    for line in lines:
        if piece and len(piece) + len(line) > _LONG_CHARS:
            yield piece, tight
            piece, tight = line.removeprefix("\n"), not line.startswith("\n")
        else:
            piece = f"{piece}\n{line}" if piece else line
    if piece:
        yield piece, tight


def _with_typed_lists(blocks: Iterator[Node]) -> Iterator[Node]:
    """Turn paragraphs that begin with a bullet, as in rtf and in many typed texts, into lists."""
    for are_items, group in groupby(blocks, _is_typed_item):
        if are_items:
            items = [[{"t": "Plain", "c": node["c"][1:]}] for node in group]
            yield {"t": "BulletList", "c": items}
        else:
            yield from group


def _is_typed_item(node: Node) -> bool:
    words = node["c"] if node["t"] in ("Para", "Plain") else []
    return bool(words) and words[0]["t"] == "Str" and words[0]["c"].strip() in _BULLETS


def _is_tight(item: list[Node]) -> bool:
    words = [node for node in item if node["t"] not in LISTS]
    return (
        words == item[:1]
        and all(node["t"] in ("Plain", "Para") for node in words)
        and all(map(_interrupts, item[1:]))
    )


def _interrupts(node: Node) -> bool:
    """Return whether a list may directly follow a paragraph (CommonMark 0.31, 5.3): it begins with
    1, and with text.
    """
    start, items = (node["c"][0][0], node["c"][1]) if node["t"] == "OrderedList" else (1, node["c"])
    return start == 1 and bool(items and items[0])


def _task(body: str) -> str:
    sign = _TASKS.get(body[:1])
    return f"{sign}{body[1:]}" if sign and body[1:2] in (" ", "") else body


def _indented(text: str, by: int) -> str:
    return re.sub(r"\n(?=[^\n])", "\n" + " " * by, text)


_NO_WORDS = re.compile(r"<[^<>]*>|(?<=\])\([^()\s]*\)|\{>>[^{}<]*<<\}")


def word_count(text: str) -> int:
    """Return the number of words in Markdown, without its markup."""
    return sum(any(map(str.isalnum, word)) for word in words_of(_NO_WORDS.sub(" ", text)))
