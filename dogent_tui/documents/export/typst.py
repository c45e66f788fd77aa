"""Pdf without a browser: set by typst, which comes in a wheel."""

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.documents.export import tree
from dogent_tui.documents.export.document import Document, writer_warnings
from dogent_tui.documents.export.model import Made
from dogent_tui.documents.export.tables import DENSE, rows_of
from dogent_tui.documents.export.themes import as_data
from dogent_tui.documents.export.tree import Node, mapped, node
from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import Halt, run_to_end
from dogent_tui.storage.paths import shipped
from dogent_tui.temporary import temporary_folder
from dogent_tui.wall.own import own_environment, walled

_LIMIT_S = 120.0
_MOST_IN_ROW = 300
"""The characters in a cell up to which its row fits on a page even in a narrow column."""
_AROUND = {
    tree.LANDSCAPE: "page(flipped: true)",
    "abstract": "abstract",
    "center": "align(center)",
    tree.CAPTION: "caption",
    "rtl": "directed(rtl)",
    "ltr": "directed(ltr)",
}
"""Class or direction of a div → typst function."""
_BARS = {r"\begin{vmatrix}": r"\left|\begin{matrix}", r"\end{vmatrix}": r"\end{matrix}\right|"}
"""Matrices between single bars, which pandoc writes as between double ones."""
_OPENS = re.compile(r"[-+=/]|\d+\.")
_PLACE = tree.raw("typst", "#metadata(none)", inline=True)
"""Nothing to see, which may have a name."""
_SET = Path(__file__).with_name("set_typst.py")


def set_pdf(document: Document) -> Made:
    """Return `document` as a pdf. Blocks. Raises DocumentError."""
    with temporary_folder() as folder:
        engine = f"typst {version('typst')}"
        blocks = _written_for_typst(document, folder)
        try:
            content, warnings = _set(document, blocks, folder)
            return Made(content, engine, warnings=warnings)
        except DocumentError as error:  # pandoc may write names that this typst does not know
            if error.code != "failed" or not any(one["t"] == "Math" for one in tree.walk(blocks)):
                raise
        code = mapped(blocks, {"Math": lambda math: [node("Code", [tree.attributes(), math[1]])]})
        content, warnings = _set(document, code, folder)
        told = tr("typst could not typeset the formulas of the document; they are shown as TeX.")
        return Made(content, engine, warnings=(told, *warnings))


def _set(document: Document, blocks: list[Node], folder: Path) -> tuple[bytes, tuple[str, ...]]:
    """Return a pdf of `blocks`, and pandoc's warnings. Raises DocumentError."""
    options = ("--syntax-highlighting=idiomatic", "--wrap=none")
    written = tree.written(blocks, "typst", *options)
    (folder / "document.json").write_bytes(_data(document))
    styles = shipped("pdf.typ").read_bytes()
    (folder / "document.typ").write_bytes(styles + b"\n" + written.data)
    return typeset(folder), tuple(writer_warnings(document.source, written.warnings))


def typeset(folder: Path, form: str = "pdf", *, halt: Halt | None = None) -> bytes:
    """Have typst set ``document.typ`` in a process of its own, which sees `folder` and no
    network, and can be ended. Blocks. Raises DocumentError.
    """
    # Typst fetches packages that a document names. Nothing can name one here, and even then it
    # would get no further than this.
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    environment = {**own_environment(), **dict.fromkeys(names, "http://127.0.0.1:9")}
    command = [sys.executable, "-P", str(_SET), form]
    walls = walled(command, writable=[folder], cwd=folder)
    try:
        done = run_to_end(
            walls, stdin=b"", cwd=folder, env=environment, limit_s=_LIMIT_S, halt=halt
        )
    except subprocess.TimeoutExpired:
        late = tr(
            "typst did not finish the document within {limit_s:.0f} seconds.", limit_s=_LIMIT_S
        )
        raise DocumentError(late, tr("Split the document."), code="timeout") from None
    except OSError as error:
        message = tr("typst could not be started: {strerror}.", strerror=error.strerror)
        raise DocumentError(message, code="engine_missing") from error
    result = folder / f"document.{form}"
    if done.returncode or not result.is_file():
        reason = one_line(done.stderr.decode("utf-8", "replace"))[-300:]
        reason = reason or tr("it exited without a message")
        raise DocumentError(
            tr("typst could not typeset the document: {reason}.", reason=reason),
            tr("Install Chromium, which can print most texts."),
        )
    return result.read_bytes()


def _data(document: Document) -> bytes:
    """Return what `styles/pdf.typ` reads: properties, theme, title."""
    front = document.front
    language, _, region = front.lang.partition("-")
    properties = {
        "title": document.title,
        "authors": front.authors,
        "keywords": front.keywords,
        "lang": language.lower(),
        "region": region if len(region) == 2 else "",
        "rtl": document.is_right_to_left,
        "running": front.title if document.theme.running else "",
    }
    return msgspec.json.encode(properties | as_data(document.theme, front))


def _outline(document: Document) -> list[Node]:
    if not document.contents:
        return []
    deepest = max(heading.level for heading in document.contents)
    outline = f"#outline(title: none, depth: {deepest}, indent: auto)"
    return [tree.raw("typst", f"#contents-title({_quoted(document.contents_title)})\n{outline}")]


def _quoted(text: str) -> str:
    """Return `text` as a typst string, which has the escapes of JSON (its reference, "String")."""
    return msgspec.json.encode(text.replace("\n", " ")).decode()


def _written_for_typst(document: Document, folder: Path) -> list[Node]:
    """Return the document prepared for pandoc's typst writer: images as files in `folder`, formulas
    with their TeX.
    """
    tops = {id(block.get("c")) for block in document.blocks}

    def image(content: Any) -> list[Node]:
        (_, _, sizes), alt, (address, _) = content
        found = document.images.shown[address]
        name = f"{address}.{found.kind}"
        (folder / name).write_bytes(found.data)
        given = [f'"{name}"', f"alt: {_quoted(tree.plain_text(alt))}"]
        given += [f"{what}: {size}" for what, size in sizes]
        function = "picture" if [what for what, _ in sizes] == ["width"] else "image"
        return [tree.raw("typst", f"#box({function}({', '.join(given)}))", inline=True)]

    def div(content: Any) -> list[Node]:
        attributes, inside = content
        kinds, blocks = attributes[1], within(inside)
        if tree.PAGES & set(kinds) and id(content) not in tops:
            return blocks  # which can't have pages of their own in anything else
        if tree.BREAK in kinds:
            return [tree.raw("typst", "#pagebreak(weak: true)")]
        if tree.CONTENTS in kinds:
            return _outline(document)
        if tree.CALLOUT in kinds:
            kind = kinds[1]
            title = f"{_quoted(tree.sign(kind))}, {_quoted(tree.plain_text(inside[:1]))}"
            return _around(f'callout("{kind}", {title})', blocks[1:])
        meanings = [*kinds, *dict(attributes[2]).values()]
        around = next((_AROUND[kind] for kind in meanings if kind in _AROUND), "")
        return (
            _around(around, blocks, attributes[0])
            if around
            else [node("Div", [attributes, blocks])]
        )

    def span(content: Any) -> list[Node]:
        (name, classes, _), inside = content
        kept = [name, [kind for kind in classes if kind == "mark"], []]
        # typst attaches a label to what precedes it, which would lose its own
        return [node("Span", [kept, within(inside) or [_PLACE]])]

    def within(value: list[Any]) -> list[Any]:
        return list(mapped(value, handlers, _escaped))

    handlers = {"Image": image, "Div": div, "Span": span, "Math": _formula}
    handlers["Table"] = lambda content: _table(within(content))
    handlers["BulletList"] = lambda content: _bullets(within(content))
    return within(document.blocks)


def _escaped(nodes: list[Any]) -> list[Any]:
    """Return a line that does not begin like a list, a term or a heading, which pandoc escapes only
    in paragraphs.
    """
    first = nodes[0] if nodes and isinstance(nodes[0], dict) else {}
    begins = first.get("t") == "Str" and _OPENS.match(first["c"])
    return [tree.raw("typst", "\\", inline=True), *nodes] if begins else nodes


def _bullets(content: Any) -> list[Node]:
    """Return a list, that of tasks without other marks than their boxes."""
    found = [node("BulletList", content)]
    are_tasks = {tree.plain_text(item)[:1] for item in content} <= {"☐", "☒"}
    return _around("tasks", found) if are_tasks else found


def _table(content: Any) -> list[Node]:
    longest = 0
    for rows in rows_of(content):
        rows[:] = [row for row in rows if row[1]]  # typst knows what cells above cover
        texts = (tree.plain_text(cell[4]) for _, cells in rows for cell in cells)
        longest = max([longest, *map(len, texts)])
    strong: dict[str, tree.Handler] = {
        "Plain": lambda inlines: [node("Plain", [node("Strong", inlines)])]
    }
    content[3] = mapped(content[3], strong)
    kinds = f"{longest > _MOST_IN_ROW}, {DENSE in content[0][1]}".lower()
    return _around(f"table-rows({kinds})", [node("Table", content)])


def _around(function: str, blocks: list[Node], name: str = "") -> list[Node]:
    place = [node("Plain", [node("Span", [tree.attributes(name), [_PLACE]])])] if name else []
    return [tree.raw("typst", f"#{function}["), *place, *blocks, tree.raw("typst", "]")]


def _formula(content: Any) -> list[Node]:
    named = f"#[#set math.equation(alt: {_quoted(tree.tex_of(content))});"
    tex = content[1]
    for bars, fences in _BARS.items():
        tex = tex.replace(bars, fences)
    return [
        tree.raw("typst", named, inline=True),
        node("Math", [content[0], tex]),
        tree.raw("typst", "]", inline=True),
    ]
