"""`dogent-tui export`: a Markdown file as a finished pdf or docx, without a model."""

import argparse
import asyncio
from argparse import Namespace
from pathlib import Path

import msgspec

from dogent_tui.arguments import CommandLine
from dogent_tui.documents.export.model import ExportRequest, ExportResult
from dogent_tui.documents.export.source import read_text
from dogent_tui.documents.export.themes import theme_names
from dogent_tui.documents.exporter import KINDS, Exporter, plan_export
from dogent_tui.documents.model import DocumentError
from dogent_tui.errors import UsageError
from dogent_tui.language import ngettext, tr
from dogent_tui.plain import one_line
from dogent_tui.storage.paths import Workspace, dogent_home, is_folder, is_there
from dogent_tui.subcommands.terminal import Terminal, existing_file, existing_folder, offer_browser

_FAILED = 1

DESCRIPTION = tr("Export a Markdown file as pdf or docx.")
EPILOG = tr("Exit status: 0 exported, 1 not exported, 2 usage, 14 interrupted.")


def add_arguments(parser: CommandLine) -> None:
    """Add the arguments of this command to `parser`."""
    parser.add_argument("file", metavar="FILE.md", nargs="?", help=tr("the Markdown file"))
    parser.add_argument(
        "--to", choices=KINDS, help=tr("the format (default: taken from the extension of -o)")
    )
    parser.add_argument(
        "-o",
        "--output",
        default="",
        metavar="OUT",
        help=tr("the file to write (default: next to the Markdown file)"),
    )
    parser.add_argument(
        "--toc",
        action=argparse.BooleanOptionalAction,
        help=tr("with or without a table of contents (default: what the file says)"),
    )
    parser.add_flag(
        "--sources-checked", tr("append what a check of its quotes, numbers and citations finds")
    )
    parser.add_argument(
        "--theme",
        default="",
        choices=theme_names(),
        help=tr("how it looks (default: what the file says, else the setting)"),
    )
    parser.add_argument("-f", "--force", action="store_true", help=tr("replace an existing file"))
    parser.add_flag("--yes", tr("download a browser without asking if none can print the pdf"))
    parser.add_argument(
        "--workspace",
        metavar="DIR",
        help=tr("the folder images may come from, with styles in its .dogent (default: detected)"),
    )
    parser.add_flag(
        "--json", tr("print one JSON object with the path, warnings and anything left out")
    )
    parser.add_argument(
        "--write-styles",
        dest="styles",
        metavar="OUT.docx",
        help=tr("only write the document that provides the styles"),
    )


def run(chosen: Namespace, terminal: Terminal) -> int:
    """Export the given document and return the exit status. Raises DocumentError, and UsageError
    for the command line.
    """
    terminal = msgspec.structs.replace(terminal, agreed=chosen.yes)
    if chosen.styles:
        return _write_styles(Path(chosen.styles), terminal, force=chosen.force)
    if chosen.file is None:
        raise UsageError(
            tr("No Markdown file given."), tr("Usage: dogent-tui export FILE.md --to pdf|docx")
        )
    kind = chosen.to or Path(chosen.output).suffix[1:].lower()
    if kind not in KINDS:
        raise UsageError(tr("No export format given."), tr("Add --to pdf or --to docx."))
    file = existing_file(chosen.file)
    root = Path(chosen.workspace) if chosen.workspace else find_root(file)
    existing_folder(root)
    request = plan_export(
        Workspace(root),
        chosen.file,
        kind,
        chosen.output,
        toc=chosen.toc,
        start=Path.cwd(),
        theme=chosen.theme,
    )
    read_text(request.markdown)  # before anything is asked
    if not _may_write(request.target, terminal, force=chosen.force):
        return _FAILED
    made = asyncio.run(_export(request, terminal, checked=chosen.sources_checked))
    _tell(made, terminal, as_json=chosen.json)
    return 0


def find_root(markdown: Path) -> Path:
    """Return the folder that images may come from: the workspace containing the file, or the
    current folder, or the file's own.
    """
    here, file = Path.cwd(), markdown.absolute()
    return workspace_of(file) or (here if file.is_relative_to(here) else file.parent)


def workspace_of(file: Path) -> Path | None:
    """Return the workspace that contains the absolute path `file`, None if there is none."""
    own = (folder for folder in file.parents if (folder / ".dogent").is_dir())
    return next((folder for folder in own if folder / ".dogent" != dogent_home()), None)


def _may_write(target: Path, terminal: Terminal, *, force: bool) -> bool:
    if not is_there(target) or (force and not is_folder(target)):
        return True
    name = one_line(target.name or str(target))
    if is_folder(target):
        raise DocumentError(tr("{name} is a folder.", name=name), tr("Specify a file inside it."))
    if not terminal.answers:
        raise DocumentError(
            tr("{name} already exists.", name=name),
            tr("Add --force to replace it, or choose another name."),
        )
    return terminal.agrees(tr("{name} already exists. Replace it?", name=name))


async def _export(request: ExportRequest, terminal: Terminal, *, checked: bool) -> ExportResult:
    if checked:
        from dogent_tui.documents.library import DocumentLibrary  # on use
        from dogent_tui.sources.quotes.quote_checker import QuoteChecker

        async with DocumentLibrary() as documents:
            appendix = await QuoteChecker(documents).appendix(request.markdown, request.root)
        request = msgspec.structs.replace(request, appendix=appendix)
    async with Exporter() as exporter:
        try:
            if request.kind == "pdf":
                await offer_browser(terminal)
            return await exporter.export(request, terminal.progress)
        finally:
            terminal.progress("")


def _tell(made: ExportResult, terminal: Terminal, *, as_json: bool) -> None:
    if as_json:
        terminal.write_json(made)
        return
    pages = (
        ngettext(", {count} page", ", {count} pages", made.pages, count=made.pages)
        if made.pages
        else ""
    )
    terminal.stdout.write(f"{one_line(str(made.path))} ({made.engine}{pages})\n")
    terminal.stdout.flush()
    terminal.note(made.warnings)
    terminal.stderr.writelines(
        tr("dogent-tui: left out: {what}\n", what=one_line(what)) for what in made.left_out
    )


def _write_styles(target: Path, terminal: Terminal, *, force: bool) -> int:
    """Write the built-in reference document, so that a user can change its styles and put it into
    ``.dogent``.
    """
    from dogent_tui.documents.export.docx_reference import built_in
    from dogent_tui.documents.export.themes import DEFAULT, theme
    from dogent_tui.storage.files import atomic_write

    if not _may_write(target, terminal, force=force):
        return _FAILED
    atomic_write(target, built_in(theme(DEFAULT)))
    terminal.stdout.write(f"{one_line(str(target))}\n")
    return 0
