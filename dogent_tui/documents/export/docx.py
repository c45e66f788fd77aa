"""Exporting Markdown as docx: pandoc does most of it, in its sandbox; what it is given and what it made are ours to set right."""

import asyncio
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from dogent_tui.documents.export.docx_body import text_area
from dogent_tui.documents.export.docx_images import StandIns
from dogent_tui.documents.export.docx_package import Finish, finish
from dogent_tui.documents.export.docx_reference import find_reference
from dogent_tui.documents.export.docx_svg import fallback_png
from dogent_tui.documents.export.docx_tree import READER, Node, plain_text, prepare
from dogent_tui.documents.export.images import Images
from dogent_tui.documents.export.model import ExportRequest, ExportResult, Progress, unheard
from dogent_tui.documents.export.page import contents_title, language_of
from dogent_tui.documents.export.source import MarkdownSource, read_source
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.program import Output, pandoc_version, run_pandoc
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import Halt
from dogent_tui.workspace.places import write_real

_LIMIT_S = 60.0
"""Each run of pandoc. A document of 1,000 pages takes it some ten seconds."""


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
    except RecursionError:
        raise DocumentError(tr("The document is too deeply nested to export."), tr("Flatten its lists and quotations.")) from None
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
    source = read_source(request.markdown)
    front = replace(source.front, lang=source.front.lang or language_of(source.text))
    reference = find_reference(request.root, request.home, lang=front.lang, text=source.text)
    images = Images(request.root, request.markdown.parent)
    area = text_area(reference.content)
    stand_ins = StandIns(images, area)
    parsed = _pandoc(source, halt, source.text.encode("utf-8", "replace"), "-f", READER, "-t", "json")
    toc_title = front.toc_title or contents_title(front.lang)
    prepared = prepare(parsed.data, front, toc_title, stand_ins.place, partial(_read_html, source, halt))
    wished = request.toc if request.toc is not None else front.toc
    wants_toc = prepared.toc_marked if wished is None else wished
    written = _write(source, halt, prepared.json, reference.content, toc=wants_toc)
    finished = finish(
        written.data,
        Finish(
            front=front,
            title=prepared.first_heading or request.markdown.stem,
            made=_now(os.environ),
            toc_depth=front.toc_depth if wants_toc else 0,
            area=area,
            pictures=stand_ins.pictures,
            fallbacks={
                stand_in: fallback_png(picture, halt) for stand_in, picture in stand_ins.pictures.items() if picture.kind == "svg"
            },
        ),
    )
    said = (one_line(warning) for warning in (*parsed.warnings, *written.warnings))
    warnings = (*source.warnings, *reference.warnings, *(words for words in said if not words.startswith(_OF_NO_CONCERN)))
    return _Made(finished, warnings, (*images.left_out, *prepared.left_out))


def _write(source: MarkdownSource, halt: Halt, document: bytes, reference: bytes, *, toc: bool) -> Output:
    with tempfile.NamedTemporaryFile(prefix="dogent-", suffix=".docx") as file:
        file.write(reference)
        file.flush()
        arguments = ["-f", "json", "-t", "docx", "-o", "-", "--columns=9999", f"--reference-doc={file.name}"]
        if toc:
            arguments.append("--toc")
        return _pandoc(source, halt, document, *arguments, readable=file.name)


def _read_html(source: MarkdownSource, halt: Halt, pieces: Sequence[str]) -> list[list[Node]]:
    """Return the blocks of pieces of HTML, all read at once: each a file, with a file between them that tells them apart."""
    mark = f"between-{os.urandom(8).hex()}"
    with tempfile.TemporaryDirectory(prefix="dogent-") as folder:
        between = Path(folder, "between.html")
        between.write_text(f"<p>{mark}</p>", encoding="utf-8")
        names = []
        for number, piece in enumerate(pieces):
            Path(folder, f"{number}.html").write_text(piece, encoding="utf-8", errors="replace")
            names += [f"{folder}/{number}.html", str(between)]
        read = _pandoc(source, halt, b"", "--file-scope", "-f", "html", "-t", "json", *names, readable=folder)
    found: list[list[Node]] = [[]]
    for block in json.loads(read.data)["blocks"]:
        if plain_text(block) == mark:
            found.append([])
        else:
            found[-1].append(block)
    return found[: len(pieces)]


def _pandoc(source: MarkdownSource, halt: Halt, data: bytes, *arguments: str, readable: str = "") -> Output:
    places = [readable] if readable else []
    return run_pandoc(arguments, data, name=one_line(source.path.name), limit_s=_LIMIT_S, halt=halt, readable=places)


_OF_NO_CONCERN = ("Could not load translations", "The term ", "data file translations")
"""Pandoc's words about names of its own (“Figure 1”) in other languages, of which nothing is in the document."""


def _now(environ: Mapping[str, str]) -> datetime:
    """Return the time for the properties: that of a reproducible build where there is one (reproducible-builds.org)."""
    given = environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)
