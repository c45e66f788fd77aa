"""Exporting Markdown as docx: pandoc does most of it, in its sandbox; what it is given and what it made are ours to set right."""

import asyncio
import os
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import msgspec

from dogent_tui.documents.export.document import read_document, writer_warnings
from dogent_tui.documents.export.docx_body import BREAK_XML, LANDSCAPE_ENDS, LANDSCAPE_STARTS, TOC_MARK, text_area
from dogent_tui.documents.export.docx_images import StandIns
from dogent_tui.documents.export.docx_package import Finish, finish
from dogent_tui.documents.export.docx_reference import find_reference
from dogent_tui.documents.export.docx_svg import fallback_png
from dogent_tui.documents.export.model import ExportRequest, ExportResult, Progress, unheard
from dogent_tui.documents.export.page import contents_title
from dogent_tui.documents.export.source import FrontMatter
from dogent_tui.documents.export.tree import (
    BREAK,
    CALLOUT,
    CONTENTS,
    LANDSCAPE,
    Handler,
    Node,
    ask_pandoc,
    mapped,
    raw,
    to_json,
    words,
)
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.program import Output, pandoc_version
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import Halt
from dogent_tui.workspace.places import write_real

_RULE_XML = (
    '<w:p><w:pPr><w:pBdr><w:bottom w:val="single" w:sz="6" w:space="1" w:color="BFC7D1"/></w:pBdr>'
    '<w:spacing w:before="120" w:after="240" w:line="120" w:lineRule="exact"/></w:pPr></w:p>'
)
"""A line between paragraphs. Pandoc's own is a drawing of the format before 2007."""
_TOC_XML = f'<w:p><w:bookmarkStart w:id="0" w:name="{TOC_MARK}"/><w:bookmarkEnd w:id="0"/></w:p>'
_BETWEEN_XML = (
    '<w:p><w:pPr><w:spacing w:before="0" w:after="0" w:line="120" w:lineRule="exact"/></w:pPr>'
    "<w:r><w:t>\N{ZERO WIDTH SPACE}</w:t></w:r></w:p>"
)
"""A gap between two blocks of code: programs that read the document take these for one where nothing, or an empty paragraph, is
between them."""


class _Made(msgspec.Struct, frozen=True):
    content: bytes
    warnings: tuple[str, ...]
    left_out: tuple[str, ...]


async def export_docx(request: ExportRequest, on_progress: Progress = unheard) -> ExportResult:
    """Make the docx that `request` asks for. Its target is replaced at the very end, or not at all. Raises DocumentError."""
    on_progress(tr("Creating the docx"))
    halt = Halt()
    try:
        made = await asyncio.to_thread(_make, request, halt)
    except asyncio.CancelledError:
        halt.halt()  # the thread would go on otherwise, and leaving the application would wait for it
        raise
    try:
        await asyncio.to_thread(write_real, request.target, made.content)  # who was cancelled by now has written nothing
    except OSError as error:
        reason = (error.strerror or tr("the disk refused the write")).lower()
        raise DocumentError(
            tr("{target} cannot be written: {reason}.").format(target=one_line(request.target.name), reason=reason),
            tr("Choose another location."),
        ) from None
    engine = f"pandoc {'.'.join(map(str, pandoc_version()))}"
    return ExportResult(path=request.target, engine=engine, warnings=made.warnings, left_out=made.left_out)


def _make(request: ExportRequest, halt: Halt) -> _Made:
    document = read_document(request, halt)
    front = document.front
    reference = find_reference(request.root, request.home, lang=front.lang, text=document.source.text)
    area = text_area(reference.content)
    stand_ins = StandIns(document.images, area)
    blocks = mapped(document.blocks, _Writer(stand_ins).handlers)
    written = _write(halt, to_json(_apart(blocks), _meta(front)), reference.content, toc=bool(document.contents))
    finished = finish(
        written.data,
        Finish(
            front=front,
            title=document.title,
            made=_now(os.environ),
            toc_depth=front.toc_depth if document.contents else 0,
            area=area,
            pictures=stand_ins.pictures,
            fallbacks={
                stand_in: fallback_png(picture, halt) for stand_in, picture in stand_ins.pictures.items() if picture.kind == "svg"
            },
        ),
    )
    warnings = (*reference.warnings, *document.warnings, *writer_warnings(written.warnings))
    return _Made(finished, warnings, document.left_out)


def _write(halt: Halt, document: bytes, reference: bytes, *, toc: bool) -> Output:
    with tempfile.NamedTemporaryFile(prefix="dogent-", suffix=".docx") as file:
        file.write(reference)
        file.flush()
        arguments = ["-f", "json", "-t", "docx", "-o", "-", "--columns=9999", f"--reference-doc={file.name}"]
        if toc:
            arguments.append("--toc")
        return ask_pandoc(document, *arguments, halt=halt, readable=(file.name,))


def _meta(front: FrontMatter) -> Node:
    """Return the metadata of which pandoc makes the title; the properties are `docx_package`'s."""
    title = front.toc_title or contents_title(front.lang)
    texts = {"title": front.title, "subtitle": front.subtitle, "date": front.date, "lang": front.lang, "toc-title": title}
    meta: Node = {name: {"t": "MetaInlines", "c": words(text)} for name, text in texts.items() if text}
    if front.authors:
        meta["author"] = {"t": "MetaList", "c": [{"t": "MetaInlines", "c": words(author)} for author in front.authors]}
    return meta


class _Writer:
    """Makes of a document what pandoc's writer of docx needs."""

    def __init__(self, stand_ins: StandIns) -> None:
        self._stand_ins = stand_ins
        self.handlers: dict[str, Handler] = {
            "HorizontalRule": lambda _: [raw("openxml", _RULE_XML)],
            "Image": self._image,
            "Div": self._div,
        }

    def _image(self, content: Any) -> list[Node]:
        _, alt, (address, title) = content
        sizes = dict(content[0][2])
        stand_in = self._stand_ins.place(address, sizes.get("width", ""), sizes.get("height", ""))
        return [{"t": "Image", "c": [["", [], []], alt, [stand_in, title]]}] if stand_in else []

    def _div(self, content: Any) -> list[Node]:
        (name, kinds, _), inside = content
        blocks = mapped(inside, self.handlers)
        if BREAK in kinds:
            return [raw("openxml", BREAK_XML)]
        if CONTENTS in kinds:
            return [raw("openxml", _TOC_XML)]
        if LANDSCAPE in kinds:
            return [raw("openxml", LANDSCAPE_STARTS), *blocks, raw("openxml", LANDSCAPE_ENDS)]
        style = "Callout" if CALLOUT in kinds else "Callout Title" if "title" in kinds else ""
        return [{"t": "Div", "c": [[name, [], [["custom-style", style]] if style else []], blocks]}]


def _apart(value: Any) -> Any:
    """Return blocks with a gap between those of code that follow each other."""
    if isinstance(value, dict):
        return {**value, "c": _apart(value["c"])} if isinstance(value.get("c"), list) else value
    if not isinstance(value, list):
        return value
    out: list[Any] = []
    for part, after in pairwise([*value, None]):
        out.append(_apart(part))
        if isinstance(part, dict) and isinstance(after, dict) and part.get("t") == after.get("t") == "CodeBlock":
            out.append(raw("openxml", _BETWEEN_XML))
    return out


def _now(environ: Mapping[str, str]) -> datetime:
    """Return the time for the properties: that of a reproducible build where there is one (reproducible-builds.org)."""
    given = environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)
