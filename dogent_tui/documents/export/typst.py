"""Pdf without a browser: the same page as for the browser, read by pandoc, set by typst, which comes in a wheel."""

import asyncio
import base64
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from dogent_tui.documents.export.page import Page, contents_title
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.program import run_pandoc
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import run_to_end
from dogent_tui.wall.own import walled

Node: TypeAlias = dict[str, Any]
"""A node of pandoc's JSON: ``{"t": type, "c": contents}``."""

_LIMIT_S = 60.0
_WIDEST = 600.0
"""CSS pixels that go between the margins; wider images are as wide as the text."""
_SET = Path(__file__).with_name("set_typst.py")
_DATA = re.compile(r"data:image/([a-z+]+);base64,(.*)", re.DOTALL)
_FOOTNOTE = re.compile(r"#fn(\d+)(?::\d+)?")
_SIZE = re.compile(r"(width|height): (\d+(?:\.\d+)?)(px|%|cm|mm|in|pt|em)")

_PREAMBLE = """\
#let horizontalrule = align(center, line(length: 30%, stroke: 0.5pt + luma(200)))
#set page(paper: "a4", margin: (x: 24mm, top: 26mm, bottom: 28mm), numbering: "1")
#let faces = ("Libertinus Serif", "Source Han Serif SC", "Noto Serif CJK SC", "Songti SC", "SimSun", "DejaVu Sans")
#set text(size: 10.5pt, font: faces)
#set par(leading: 0.72em, spacing: 1.15em)
#show heading: set block(above: 1.6em, below: 0.8em, sticky: true)
#show heading.where(level: 1): set text(size: 19pt)
#show heading.where(level: 2): set text(size: 14pt)
#show link: set text(fill: rgb("#1d4f91"))
#show raw: set text(size: 8.8pt, font: ("DejaVu Sans Mono", "Noto Sans Mono CJK SC"))
#show raw.where(block: true): block.with(fill: luma(246), inset: 9pt, radius: 2pt, width: 100%)
#show quote.where(block: true): it => block(stroke: (left: 2pt + luma(210)), inset: (left: 1em, y: 0.3em), it.body)
#show terms.item: item => block(breakable: false)[*#item.term* #block(inset: (left: 1.5em), above: 0.6em, item.description)]
#set table(inset: 6pt, stroke: none)
#show figure.where(kind: table): set block(breakable: true)
#show table: set text(size: 9.3pt)
#show table: set align(start)
"""


class TypstPdf(msgspec.Struct, frozen=True):
    """What typst made, and its name."""

    pdf: bytes
    engine: str


async def set_pdf(page: Page) -> TypstPdf:
    """Return `page`, which was written with plain code, as a pdf. Raises DocumentError."""
    return await asyncio.to_thread(_set_pdf, page)


def _set_pdf(page: Page) -> TypstPdf:
    read = _pandoc(page.body.html.encode("utf-8", "replace"), "-f", "html", "-t", "json")
    with tempfile.TemporaryDirectory(prefix="dogent-typst-") as name:
        folder = Path(os.path.realpath(name))
        try:
            document = _Tree(folder).prepare(json.loads(read))
        except RecursionError:
            raise DocumentError(
                tr("The document is too deeply nested to export."), tr("Flatten its lists and quotations.")
            ) from None
        body = _pandoc(
            json.dumps(document).encode(), "-f", "json", "-t", "typst", "--syntax-highlighting=idiomatic", "--wrap=none"
        )
        (folder / "document.typ").write_text(_front(page) + body.decode("utf-8", "replace"), "utf-8")
        return TypstPdf(_typeset(folder), f"typst {version('typst')}")


def _pandoc(data: bytes, *arguments: str) -> bytes:
    with tempfile.TemporaryFile() as source:
        source.write(data)
        source.seek(0)
        return run_pandoc(arguments, source, name=tr("The document"), limit_s=_LIMIT_S).data


def _typeset(folder: Path) -> bytes:
    """Have typst set ``document.typ`` in a process of its own, which sees `folder` and no network, and can be ended."""
    # Typst fetches packages for those who name them. Nobody can here; were it otherwise, it would come no further than this.
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
    passed_on = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "FONTCONFIG_FILE") if name in os.environ}
    with tempfile.TemporaryFile() as nothing:
        try:
            command = walled([sys.executable, "-P", str(_SET)], writable=[folder], cwd=folder)
            done = run_to_end(command, stdin=nothing, cwd=folder, env={**passed_on, **nowhere}, limit_s=_LIMIT_S)
        except subprocess.TimeoutExpired:
            raise DocumentError(
                tr("typst did not finish the document within {limit_s:.0f} seconds.").format(limit_s=_LIMIT_S),
                tr("Split the document."),
                code="timeout",
            ) from None
        except OSError as error:
            raise DocumentError(
                tr("typst could not be started: {strerror}.").format(strerror=error.strerror), code="engine_missing"
            ) from error
    result = folder / "document.pdf"
    if done.returncode or not result.is_file():
        reason = one_line(done.stderr.decode("utf-8", "replace"))[-300:]
        raise DocumentError(
            tr("typst could not typeset the document: {reason}.").format(reason=reason or tr("it exited without a message")),
            tr("Install Chromium, which can print most texts."),
        )
    return result.read_bytes()


def _front(page: Page) -> str:
    """Return what stands before the text: properties, looks, title, table of contents."""
    front = page.front
    authors, keywords = ("".join(f"{_quoted(text)}, " for text in texts) for texts in (front.authors, front.keywords))
    properties = f"title: {_quoted(page.title)}, author: ({authors}), keywords: ({keywords})"
    lines = [f"#set document({properties})", _PREAMBLE]
    language, _, region = page.lang.partition("-")
    if language:
        region = f", region: {_quoted(region)}" if len(region) == 2 else ""
        lines.append(f"#set text(lang: {_quoted(language.lower())}{region})")
    repeats = page.body.title == front.title
    looks = [("" if repeats else front.title, 'size: 24pt, weight: "bold"'), (front.subtitle, "size: 13pt, fill: luma(90)")]
    looks += [(", ".join(front.authors), "size: 10.5pt"), (front.date, "size: 9.5pt, fill: luma(90)")]
    lines += [f"#block(below: 0.9em, text({look}, {_quoted(text)}))" for text, look in looks if text]
    if page.contents:
        title = _quoted(front.toc_title or contents_title(page.lang))
        deepest = max(heading.level for heading in page.contents)
        lines.append(f"#outline(title: {title}, depth: {deepest}, indent: auto)")
    return "\n".join([*lines, "", ""])


def _quoted(text: str) -> str:
    """Return `text` as a string of typst (its reference, "String": escapes)."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


class _Tree:
    """Makes of pandoc's reading of the page what typst needs: images as files, footnotes, page breaks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._images: dict[str, str] = {}
        self._notes: list[list[Node]] = []
        self._nodes: dict[str, Callable[[Node], Node]] = {
            "Image": self._image,
            "Superscript": self._reference,
            "Div": self._div,
            "Span": self._span,
        }

    def prepare(self, document: Node) -> Node:
        """Return `document`, ready for the writer."""
        blocks: list[Node] = document["blocks"]
        if blocks and blocks[-1]["t"] == "Div" and "footnotes" in blocks[-1]["c"][0][1]:
            self._notes = [self._note(item) for item in blocks[-1]["c"][1][0]["c"][1]]
            blocks = blocks[:-2]  # and the rule above them
        return {**document, "blocks": self._walk(blocks)}

    def _walk(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._walk(part) for part in value]
        if not isinstance(value, dict):
            return value
        change = self._nodes.get(value.get("t", ""))
        value = change(value) if change else value
        return {key: self._walk(part) if key == "c" else part for key, part in value.items()}

    def _image(self, node: Node) -> Node:
        attributes, alt, (address, title) = node["c"]
        if address not in self._images:
            found = _DATA.fullmatch(address)
            if found is None:  # none is written, but where one were, it would be a file that typst reads
                return {"t": "Str", "c": ""}
            suffix = {"svg+xml": "svg", "jpeg": "jpg"}.get(found[1], found[1])
            name = f"image-{len(self._images)}.{suffix}"
            (self._folder / name).write_bytes(base64.b64decode(found[2]))
            self._images[address] = name
        style = dict(attributes[2]).get("style", "")
        sizes = [[what, _fitting(float(number), unit)] for what, number, unit in _SIZE.findall(style)]
        return {"t": "Image", "c": [["", [], sizes], alt, [self._images[address], title]]}

    def _reference(self, node: Node) -> Node:
        inside = node["c"]
        if len(inside) != 1 or inside[0]["t"] != "Link":
            return node
        found = _FOOTNOTE.fullmatch(inside[0]["c"][2][0])
        if found is None or not 0 < int(found[1]) <= len(self._notes):
            return node
        return {"t": "Note", "c": self._notes[int(found[1]) - 1]}

    def _note(self, item: Sequence[Node]) -> list[Node]:
        blocks: Any = item[0]["c"][1] if item and item[0]["t"] == "Div" else item
        return [without for block in blocks if (without := _without_way_back(block))]

    @staticmethod
    def _div(node: Node) -> Node:
        if "page-break" in node["c"][0][1]:
            return {"t": "RawBlock", "c": ["typst", "#pagebreak(weak: true)"]}
        return node

    @staticmethod
    def _span(node: Node) -> Node:
        if "caption" in node["c"][0][1]:
            node["c"][1] = [{"t": "LineBreak"}, {"t": "Emph", "c": node["c"][1]}]
        return node


def _without_way_back(block: Node) -> Node:
    """Return a footnote's `block` without the arrow that leads back: the note stands on the same page."""
    if block["t"] in {"Para", "Plain"}:
        kept = [part for part in block["c"] if part["t"] != "Link" or "footnote-backref" not in part["c"][0][1]]
        return {"t": block["t"], "c": kept}
    return block


def _fitting(number: float, unit: str) -> str:
    """Return a size for pandoc. No image is wider than the text."""
    return "100%" if unit == "px" and number > _WIDEST else f"{number:g}{unit}"
