"""Pandoc's tables → Markdown: as a pipe table if possible, as HTML if cells are merged or contain
lists.
"""

import html
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from dogent_tui.documents.pandoc.tree import Node, flat
from dogent_tui.records import Record

_ALIGNMENTS = {"AlignLeft": ":--", "AlignRight": "--:", "AlignCenter": ":-:"}
_SIMPLE = ("Plain", "Para")
_MAX_SPAN = 1000

Words: TypeAlias = Callable[[list[Node]], str]
"""Writes the inlines of one paragraph."""


class Cell(Record):
    """A cell of a table: its row span and column span, and its blocks."""

    rows: int
    columns: int
    blocks: list[Node]


class Table(Record):
    """A table, with head and foot among its rows. `heads` is the number of head rows at the top."""

    caption: list[Node]
    alignments: list[str]
    heads: int
    rows: list[list[Cell]]


def parsed(contents: Any) -> Table:
    """Read the contents of pandoc's `Table`."""
    _, (_, caption), specs, (_, head), bodies, (_, foot) = contents
    rows = [*head, *(row for body in bodies for part in body[2:] for row in part), *foot]
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
    """Whether it can be a pipe table: no cell is merged, and each contains only text."""
    return all(
        cell.rows == cell.columns == 1 and all(block["t"] in _SIMPLE for block in cell.blocks)
        for cells in table.rows
        for cell in cells
    )


def pipe_lines(table: Table, words: Words) -> list[str]:
    """Return the lines of a table that `is_grid`. In a table without a head, the first row takes
    its place, as Markdown requires one.
    """
    width = max([len(table.alignments), *map(len, table.rows)], default=0)
    rows = [[_pipe_cell(cell, words) for cell in cells] for cells in table.rows or [[]]]
    rows = [[*texts, *[""] * (width - len(texts))] for texts in rows]
    rows.insert(1, [*table.alignments, *["---"] * (width - len(table.alignments))])
    return [f"| {' | '.join(texts)} |" for texts in rows]


def _pipe_cell(cell: Cell, words: Words) -> str:
    text = "<br>".join(filter(None, (words(block["c"]).strip() for block in cell.blocks)))
    return re.sub(
        r"(?<!\\)((?:\\\\)*)\|", r"\1\\|", text.replace("\\\n", "<br>").replace("\n", " ")
    )


def html_lines(table: Table, words: Words) -> Iterator[str]:
    """Yield the lines of the table as HTML, one row per line, so that it may be split between them.
    No line is blank.
    """
    yield "<table>"
    for index, cells in enumerate(table.rows):
        tag = "th" if index < table.heads else "td"
        yield "<tr>" + "".join(_html_cell(tag, cell, words) for cell in cells) + "</tr>"
    yield "</table>"


def _html_cell(tag: str, cell: Cell, words: Words) -> str:
    spans = "".join(
        f' {name}="{count}"'
        for name, count in (("rowspan", cell.rows), ("colspan", cell.columns))
        if count > 1
    )
    return f"<{tag}{spans}>{_html_blocks(cell.blocks, words)}</{tag}>"


def _html_blocks(blocks: list[Node], words: Words) -> str:
    out = ""
    for block in flat(blocks):
        is_beside = block["t"] in _SIMPLE and not out.endswith(("</ul>", "</ol>", "</table>"))
        out += "<br>" * bool(out and is_beside) + _html_block(block, words)
    return out


def _html_block(block: Node, words: Words) -> str:
    kind, contents = block["t"], block.get("c", [])
    match kind:
        case "Plain" | "Para":
            return words(contents).strip()
        case "BulletList" | "OrderedList":
            tag, (first, *_), items = (
                ("ul", [1], contents) if kind == "BulletList" else ("ol", *contents)
            )
            inner = "".join(f"<li>{_html_blocks(item, words)}</li>" for item in items)
            start = f' start="{first}"' if first != 1 else ""
            return f"<{tag}{start}>{inner}</{tag}>"
        case "Table":
            return "".join(html_lines(parsed(contents), words))
        case "CodeBlock":
            code = html.escape(contents[1], quote=False).replace("\n", "&#10;")
            return f"<pre><code>{code}</code></pre>"
        case "RawBlock":
            return html.escape(contents[1], quote=False).replace("\n", "<br>")
        case "Header":
            return f"<strong>{words(contents[2]).strip()}</strong>"
        case "BlockQuote" | "Callout":
            return _html_blocks(contents if kind == "BlockQuote" else contents[-1], words)
        case "DefinitionList":
            return "<br>".join(
                f"{words(term)}: {'<br>'.join(_html_blocks(one, words) for one in definitions)}"
                for term, definitions in contents
            )
        case "LineBlock":
            return "<br>".join(map(words, contents))
    return ""
