"""Exports Markdown: which file may be written where, and the engines, kept warm for a session."""

import asyncio
import errno
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self, get_args

from dogent_tui.documents.export.browser import Browser, find_browsers
from dogent_tui.documents.export.model import (
    ExportKind,
    ExportRequest,
    ExportResult,
    Progress,
    unheard,
    write_target,
)
from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import Halt
from dogent_tui.settings.values import load_settings
from dogent_tui.storage.paths import Workspace, dogent_home, export_target, is_folder, is_there

KINDS: tuple[ExportKind, ...] = get_args(ExportKind)


def plan_export(
    workspace: Workspace,
    markdown: str,
    kind: str,
    output: str = "",
    *,
    toc: bool | None = None,
    start: Path | None = None,
    theme: str = "",
) -> ExportRequest:
    """Return the request for what was typed: `markdown` as a `kind` of `KINDS` in `output`, or next
    to it if that is empty, in a `theme` of `theme_names`, or the usual one if that is empty.

    Relative paths start at `start`, by default the root of the workspace. Links are followed, so
    that the file written is the one named in a question. Only reads the disk. Raises DocumentError.
    """
    source = _real(workspace, markdown, start)
    target = _real(workspace, output or export_target(markdown, kind), start)
    _check_target(workspace, source, target, kind)
    return ExportRequest(
        kind="docx" if kind == "docx" else "pdf",
        markdown=source,
        target=target,
        root=workspace.root,
        home=dogent_home(),
        toc=toc,
        theme=theme,
        usual_theme=load_settings(workspace)[0].export_theme,
    )


def _check_target(workspace: Workspace, source: Path, target: Path, kind: str) -> None:
    home = Path(os.path.realpath(dogent_home()))
    is_in_root = target.is_relative_to(workspace.root)
    is_sample = is_in_root and workspace.root.is_relative_to(home)  # which is in the home
    code = "unsupported"
    if _is_too_long(target):
        message = tr("The name {name} is too long for this disk.")
        remedy = tr("Choose a shorter name for the new file.")
    elif is_folder(target):
        message, remedy = tr("{name} is a folder."), tr("Specify a file inside it.")
    elif target == source or (is_there(target) and is_there(source) and target.samefile(source)):
        message, code = tr("{name} is the Markdown file itself."), "failed"
        remedy = tr("Choose another file, ending in .{kind}.", kind=kind)
    elif target.is_relative_to(workspace.dot) or (target.is_relative_to(home) and not is_sample):
        message, code = tr("{name} is where dogent-tui keeps its own files."), "failed"
        remedy = tr("Choose a location outside .dogent.")
    elif target.suffix.lower() not in ("", f".{kind}"):
        message = tr("{name} does not end in .{kind}.")
        remedy = tr("End its name in .{kind}, or ask for the other format.", kind=kind)
    else:
        return
    name = one_line(workspace.relative(target))
    raise DocumentError(message.format(name=name, kind=kind), remedy, code=code)


def _is_too_long(path: Path) -> bool:
    try:
        path.lstat()
    except OSError as error:
        return error.errno == errno.ENAMETOOLONG
    return False


def _real(workspace: Workspace, typed: str, start: Path | None) -> Path:
    typed = typed.removeprefix("file://")
    if typed.startswith("~") and typed[1:2] != "/":  # a shell would take it for someone's home
        raise DocumentError(
            tr("{typed} is ambiguous.", typed=one_line(typed)),
            tr("Put ./ before it, or give the full path."),
        )
    path = workspace.absolute(typed if start is None or typed.startswith("~") else start / typed)
    try:
        return Path(os.path.realpath(path))
    except ValueError:
        raise DocumentError(
            tr("{typed} is not a valid file name.", typed=one_line(typed)),
            tr("Check the name."),
        ) from None


class Exporter:
    """Creates pdf and docx files. One per session, on one event loop; close it at the end. Nothing
    is started before it is needed.
    """

    def __init__(self, find: Callable[[], Sequence[Path]] = find_browsers) -> None:
        """`find` names the browsers that may be used, in order."""
        self.browser = Browser(find)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def export(self, request: ExportRequest, on_progress: Progress = unheard) -> ExportResult:
        """Create the file that `request` asks for. Its target is replaced at the very end, or not
        at all. Raises DocumentError.
        """
        # on use, as are the engines in them
        from dogent_tui.documents.export.diagrams import with_diagrams
        from dogent_tui.documents.export.document import read_document
        from dogent_tui.documents.export.docx import make_docx
        from dogent_tui.documents.export.pdf import make_pdf

        on_progress(tr("Reading {markdown}", markdown=one_line(request.markdown.name)))
        is_pdf, halt = request.kind == "pdf", Halt()
        starting = asyncio.ensure_future(self.browser.start() if is_pdf else asyncio.sleep(0))
        try:
            document = await asyncio.to_thread(read_document, request, halt)
            document = await with_diagrams(document, self.browser)
            if is_pdf:
                made = await make_pdf(self.browser, request, document, starting, on_progress, halt)
            else:
                on_progress(tr("Creating the docx"))
                made = await asyncio.to_thread(make_docx, request, document, halt)
        finally:
            halt.halt()  # a cancelled caller does not wait for programs
            starting.cancel()
            with suppress(asyncio.CancelledError, DocumentError):
                await starting
        # if cancelled by now, nothing has been written
        await asyncio.to_thread(write_target, request, made.content)
        return ExportResult(
            path=request.target,
            engine=made.engine,
            pages=made.pages,
            warnings=(*made.warnings, *document.warnings),
            left_out=(*document.left_out, *made.left_out),
        )

    async def close(self) -> None:
        """End what is running. A later export starts it again."""
        await self.browser.close()
