"""`export_document`: a Markdown file as a finished pdf or docx."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from dogent_tui.documents.export.model import ExportKind, ExportResult
from dogent_tui.documents.exporter import plan_export
from dogent_tui.errors import DogentError
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.progress import ToolProgress
from dogent_tui.tools.server import Tool, ToolFailure, typed_tool

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
    """Yield the tool that exports. It writes the path that the policy approved, one of
    `libraries.places`; relative paths are relative to the workspace.
    """
    workspace = libraries.workspace

    async def export(wanted: _Input, payload: Mapping[str, Any]) -> str:
        try:
            request = plan_export(workspace, wanted.md_path, wanted.format, wanted.output_path)
            for path in (request.markdown, request.target):
                await asyncio.to_thread(libraries.places.of, payload, path)
            with ToolProgress(libraries.tell, NAME, payload) as progress:
                if wanted.sources_checked:
                    checked = await libraries.quotes.appendix(request.markdown, workspace.root)
                    request = msgspec.structs.replace(request, appendix=checked)
                made = await libraries.exporter.export(request, progress.say)
        except DogentError as error:
            raise ToolFailure(f"Nothing was exported. {error}") from error
        return as_text(workspace.relative(made.path), made)

    yield typed_tool(NAME, DESCRIPTION, _Input, export, "Nothing was exported")


def as_text(name: str, made: ExportResult) -> str:
    """Return the result of an export, as lines."""
    pages = f", {made.pages} page{'s' if made.pages != 1 else ''}" if made.pages else ""
    lines = [f"Wrote {name} ({made.engine}{pages})."]
    lines += [f"Warning: {warning}" for warning in made.warnings]
    lines += [f"Left out: {what}" for what in made.left_out]
    return "\n".join(lines)
