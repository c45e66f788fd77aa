"""`export_document`: a Markdown file as a finished pdf or docx."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from dogent_tui.documents.export.model import ExportKind, ExportResult
from dogent_tui.documents.exporter import Exporter, plan_export
from dogent_tui.errors import DogentError
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.places import ApprovedPlaces
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.progress import Tell, ToolProgress
from dogent_tui.tools.server import Tool, result, typed_tool

NAME = "export_document"

DESCRIPTION = """\
Export a finished Markdown file as pdf or docx. Front matter gives title, author, date, lang;
toc: true adds a table of contents (at a line [TOC], else at the start). A line \\newpage breaks the
page. $…$ and $$…$$ are formulas. An image alone in its paragraph is a figure, its title the
caption; {width=50%} after it sets its size. Only images of the workspace are taken."""


class _Input(msgspec.Struct):
    md_path: str
    format: ExportKind
    output_path: Annotated[str, Meta(description="Default: beside the Markdown.")] = ""
    sources_checked: Annotated[
        bool, Meta(description="Append what check_quotes finds, with places.")
    ] = False


def export_tools(libraries: Libraries) -> Iterable[Tool]:
    """Yield the tools of this module."""
    yield export_document_tool(
        libraries.exporter,
        libraries.workspace,
        libraries.tell,
        libraries.places,
        lambda draft: libraries.quotes.appendix(draft, libraries.workspace.root),
    )


def export_document_tool(
    exporter: Exporter,
    workspace: Workspace,
    tell: Tell,
    places: ApprovedPlaces | None = None,
    appendix: Callable[[Path], Awaitable[str]] | None = None,
) -> Tool:
    """Return the tool. It writes the path that the policy approved: relative paths start at the
    root of the workspace.

    `places` are those that calls were judged by; `appendix` checks the sources of a draft.
    """

    async def export(wanted: _Input, payload: Mapping[str, Any]) -> str | dict[str, Any]:
        try:
            request = plan_export(workspace, wanted.md_path, wanted.format, wanted.output_path)
            for path in (request.markdown, request.target):
                await asyncio.to_thread((places or ApprovedPlaces()).of, payload, path)
            with ToolProgress(tell, NAME, payload) as progress:
                if wanted.sources_checked and appendix is not None:
                    checked = await appendix(request.markdown)
                    request = msgspec.structs.replace(request, appendix=checked)
                made = await exporter.export(request, progress.say)
        except DogentError as error:
            return result(f"Nothing was exported. {error}", is_error=True)
        return as_text(workspace.relative(made.path), made)

    return typed_tool(NAME, DESCRIPTION, _Input, export, "Nothing was exported")


def as_text(name: str, made: ExportResult) -> str:
    """Return the result of an export, as lines."""
    pages = f", {made.pages} page{'s' if made.pages != 1 else ''}" if made.pages else ""
    lines = [f"Wrote {name} ({made.engine}{pages})."]
    lines += [f"Warning: {warning}" for warning in made.warnings]
    lines += [f"Left out: {what}" for what in made.left_out]
    return "\n".join(lines)
