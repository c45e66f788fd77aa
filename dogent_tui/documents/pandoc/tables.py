"""Pandoc's tables → Markdown: pipes where a grid of words can hold the table, HTML where cells
are merged or hold lists.
"""

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from dogent_tui.documents.pandoc.tree import Node, plain_text

_ALIGNMENTS = {"AlignLeft": ":--", "AlignRight": "--:", "AlignCenter": ":-:"}
_SIMPLE = ("Plain", "Para")
_HTML_STYLES = {
    "Emph": "em", "Strong": "strong", "Strikeout": "del", "Superscript": "sup", "Subscript": "sub",
    "Underline": "u",
}  # fmt: skip
_MAX_SPAN = 1000


class Cell(msgspec.Struct, frozen=True):
    """A cell of a table: how many rows and columns it takes, and its blocks."""

    rows: int
    columns: int
    blocks: list[Node]


class Table(msgspec.Struct, frozen=True):
    """A table, its heads and feet among its rows. `heads` says how many rows at its top are
    heads.
    """

    caption: list[Node]
    alignments: list[str]
    heads: int
    rows: list[list[Cell]]


def parsed(contents: Any) -> Table:
    """Read the contents of pandoc's `Table`."""
    _, (_, caption), specs, (_, head), bodies, (_, foot) = contents
    rows = [*head]
    for _, _, inner_head, inner in bodies:
        rows += [*inner_head, *inner]
    rows += foot
    return Table(
        caption,
        [_ALIGNMENTS.get(spec[0]["t"], "---") for spec in specs],
        len(head),
        [
            [Cell(min(cell[2], _MAX_SPAN), min(cell[3], _MAX_SPAN), cell[4]) for cell in cells]
            for _, cells in rows
        ],
    )


def is_grid(table: Table) -> bool:
    """Whether pipes and dashes can hold it: no cell is merged with another, and each holds words
    alone.
    """
    return all(
        cell.rows == cell.columns == 1 and all(block["t"] in _SIMPLE for block in cell.blocks)
        for cells in table.rows
        for cell in cells
    )


def pipe_lines(table: Table, words: Callable[[list[Node]], str]) -> list[str]:
    """Return the lines of a table that `is_grid`. A table without heads has its first row there:
    Markdown knows no other.

    `words` writes the inlines of one paragraph.
    """
    width = max([len(table.alignments), *map(len, table.rows)], default=0)
    if not width:
        return []
    lines = []
    for cells in table.rows or [[]]:
        texts = [_pipe_cell(cell, words) for cell in cells]
        lines.append(f"| {' | '.join(texts + [''] * (width - len(texts)))} |")
    alignments = [*table.alignments, *["---"] * (width - len(table.alignments))]
    lines.insert(1, f"| {' | '.join(alignments)} |")
    return lines


def _pipe_cell(cell: Cell, words: Callable[[list[Node]], str]) -> str:
    text = "<br>".join(filter(None, (words(block["c"]).strip() for block in cell.blocks)))
    return re.sub(
        r"(?<!\\)((?:\\\\)*)\|", r"\1\\|", text.replace("\\\n", "<br>").replace("\n", " ")
    )


def html_lines(
    table: Table, note: Callable[[list[Node]], str], image: Callable[[str], str]
) -> Iterator[str]:
    """Yield the lines of the table as HTML, a row a line, so that it may be cut between them. No
    line is blank.
    """
    writer = _Html(note, image)
    yield "<table>"
    for index, cells in enumerate(table.rows):
        tag = "th" if index < table.heads else "td"
        yield "<tr>" + "".join(writer.cell(tag, cell) for cell in cells) + "</tr>"
    yield "</table>"


class _Html:
    """Writes what stands in a cell as HTML, in which Markdown is not read. Notes are named as
    Markdown names them.
    """

    def __init__(self, note: Callable[[list[Node]], str], image: Callable[[str], str]) -> None:
        self._note = note
        self._image = image

    def cell(self, tag: str, cell: Cell) -> str:
        spans = (f' rowspan="{cell.rows}"' if cell.rows > 1 else "") + (
            f' colspan="{cell.columns}"' if cell.columns > 1 else ""
        )
        return f"<{tag}{spans}>{self._cell_blocks(cell.blocks)}</{tag}>"

    def _cell_blocks(self, blocks: list[Node]) -> str:
        out = ""
        for block in blocks:
            text = self._block(block)
            out += (
                "<br>"
                if out
                and block["t"] in _SIMPLE
                and not out.endswith(("</ul>", "</ol>", "</table>"))
                else ""
            ) + text
        return out

    def _block(self, block: Node) -> str:
        kind: str = block["t"]
        contents: Any = block.get("c")
        if kind in _SIMPLE:
            return self._words(contents)
        if kind in ("BulletList", "OrderedList"):
            tag, items = ("ul", contents) if kind == "BulletList" else ("ol", contents[1])
            return (
                f"<{tag}>"
                + "".join(f"<li>{self._cell_blocks(item)}</li>" for item in items)
                + f"</{tag}>"
            )
        if kind == "Table":
            return "".join(html_lines(parsed(contents), self._note, self._image))
        if kind == "CodeBlock":
            return f"<pre><code>{_text(contents[1]).replace(chr(10), '&#10;')}</code></pre>"
        return self._other(kind, contents)

    def _other(self, kind: str, contents: Any) -> str:
        if kind == "Header":
            return f"<strong>{self._words(contents[2])}</strong>"
        if kind in ("BlockQuote", "Div"):
            return self._cell_blocks(contents if kind == "BlockQuote" else contents[1])
        if kind == "Figure":
            return self._cell_blocks([*contents[2], *contents[1][1]])
        if kind == "LineBlock":
            return "<br>".join(map(self._words, contents))
        if kind == "DefinitionList":
            return "<br>".join(
                f"{self._words(term)}: {'<br>'.join(map(self._cell_blocks, definitions))}"
                for term, definitions in contents
            )
        return ""

    def _words(self, nodes: list[Node]) -> str:
        return "".join(map(self._word, nodes)).strip()

    def _word(self, node: Node) -> str:
        kind: str = node["t"]
        contents: Any = node.get("c")
        if kind == "Str":
            return _text(contents)
        if kind in ("Space", "SoftBreak"):
            return " "
        if kind == "LineBreak":
            return "<br>"
        if kind in _HTML_STYLES:
            return f"<{_HTML_STYLES[kind]}>{self._words_inside(contents)}</{_HTML_STYLES[kind]}>"
        return self._rich_word(kind, contents)

    def _rich_word(self, kind: str, contents: Any) -> str:
        if kind == "Code":
            return f"<code>{_text(contents[1])}</code>"
        if kind == "Math":
            dollars = "$" if contents[0]["t"] == "InlineMath" else "$$"
            return f"{dollars}{_text(contents[1])}{dollars}"
        if kind == "Link" and not contents[2][0].startswith("#"):
            return f'<a href="{html.escape(contents[2][0])}">{self._words_inside(contents[1])}</a>'
        if kind == "Image":
            return (
                f'<img src="{html.escape(self._image(contents[2][0]))}"'
                f' alt="{html.escape(plain_text(contents[1]))}">'
            )
        if kind == "Note":
            return self._note(contents)
        if kind == "Quoted":
            opening, closing = ("‘", "’") if contents[0]["t"] == "SingleQuote" else ("“", "”")
            return f"{opening}{self._words_inside(contents[1])}{closing}"
        return (
            self._words_inside(contents[1] if kind in ("Span", "Cite", "Link") else contents)
            if kind != "RawInline"
            else contents[1] * (contents[0] == "markdown")
        )

    def _words_inside(self, nodes: list[Node]) -> str:
        return "".join(map(self._word, nodes))


def _text(text: str) -> str:
    return html.escape(text, quote=False)
