"""`dogent-tui read`: a document as Markdown, without a model."""

import asyncio
from argparse import Namespace
from pathlib import Path

import msgspec

from dogent_tui.arguments import CommandLine
from dogent_tui.documents.library import DEFAULT_CHARS, DocumentLibrary, ReadResult
from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.spool import how_far, places
from dogent_tui.errors import disk_remedy
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.subcommands.terminal import (
    PATIENCE_S,
    Terminal,
    add_part,
    around_part,
    existing_file,
)

DESCRIPTION = tr(
    "Write a document as Markdown: pdf, docx, odt, rtf, pptx, epub, html, ipynb, xlsx, xls,"
    " ods, csv or text."
)
EPILOG = tr("Exit status: 0 read, 1 cannot be read, 2 usage, 14 interrupted.")


def add_arguments(parser: CommandLine) -> None:
    """Add the arguments of this command to `parser`."""
    parser.add_argument("file", metavar="FILE", help=tr("the document"))
    parser.add_text(
        "--sheet",
        "NAME",
        tr("the sheet of a workbook, or part of it: Costs!A1:F200 (default: the first)"),
    )
    parser.add_text(
        "--rows", "ROWS", tr("rows of a sheet or a table, for example 100-250 (default: all)")
    )
    parser.add_text("--encoding", "NAME", tr("the encoding of a text (default: told by its bytes)"))
    parser.add_text("--pages", "PAGES", tr("pages of a pdf, for example 3-7,12 (default: all)"))
    parser.add_argument(
        "--changes",
        choices=("accept", "reject", "all"),
        default="accept",
        help=tr("tracked changes of a docx: as accepted (default), as rejected, or all marked up"),
    )
    add_part(parser, DEFAULT_CHARS)
    parser.add_text("--images", "DIR", tr("also save the document's images to DIR"))
    parser.add_flag("--json", tr("print one JSON object with the text and the details"))


def run(chosen: Namespace, terminal: Terminal) -> int:
    """Read the given document, write it to `terminal`, and return the exit status. Raises
    DocumentError, and UsageError for the command line.
    """
    options = ReadOptions(
        sheet=chosen.sheet,
        pages=chosen.pages,
        rows=chosen.rows,
        encoding=chosen.encoding,
        changes=chosen.changes,
        images_dir=_images_folder(chosen.images),
    )
    try:
        found = asyncio.run(
            _read(existing_file(chosen.file), options, chosen.max_chars, chosen.offset, terminal)
        )
    finally:
        terminal.show("")
    if chosen.json:
        terminal.write_json({"path": chosen.file, **msgspec.structs.asdict(found)})
        return 0
    terminal.write(found.text)
    terminal.stderr.writelines(f"{one_line(line)}\n" for line in _notes(found))
    return 0


def _images_folder(named: str) -> str | None:
    if not named:
        return None
    folder = Path(named).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or tr("the disk refused the write")).lower()
        raise DocumentError(
            tr(
                "The folder {named} cannot be created: {reason}.",
                named=one_line(named),
                reason=reason,
            ),
            disk_remedy(error),
        ) from error
    return str(folder)


async def _read(
    path: Path, options: ReadOptions, max_chars: int, offset: int, terminal: Terminal
) -> ReadResult:
    def report(done: int, total: int, what: str) -> None:
        terminal.show(tr("Reading…{far}", far=how_far(done, total, what)))

    async with DocumentLibrary(full_page_s=PATIENCE_S) as library:
        return await library.read(
            path, options, max_chars=max_chars, offset=offset, on_progress=report
        )


def _notes(found: ReadResult) -> list[str]:
    end = found.offset + len(found.text)
    of, more = around_part(found.total_chars, found.next_offset)
    part = tr(
        "dogent-tui: characters {offset} to {end}{of}{sources}{more}.",
        offset=found.offset,
        end=end,
        of=of,
        sources=places(found.sources),
        more=more,
    )
    warnings = [f"dogent-tui: {warning}" for warning in found.warnings]
    return [*warnings, part] if more or found.offset else warnings
