"""`export_document`: a Markdown file as a finished pdf or docx."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.documents.export.model import ExportResult
from dogent_tui.documents.exporter import KINDS, Exporter, ExportKind, plan_export
from dogent_tui.errors import DogentError
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.places import ApprovedPlaces
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.progress import Tell, ToolProgress
from dogent_tui.tools.server import Tool, result

NAME = "export_document"

DESCRIPTION = """\
Export a finished Markdown file as pdf or docx. Front matter gives title, author, date, lang;
toc: true adds a table of contents (at a line [TOC], else at the start). A line \\newpage breaks the
page. $…$ and $$…$$ are formulas. An image alone in its paragraph is a figure, its title the
caption; {width=50%} after it sets its size. Only images of the workspace are taken."""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "md_path": {"type": "string"},
        "output_path": {"type": "string", "description": "Default: beside the Markdown."},
        "format": {"type": "string", "enum": list(KINDS)},
        "sources_checked": {
            "type": "boolean",
            "description": "Append what check_quotes finds, with places.",
        },
    },
    "required": ["md_path", "format"],
}


class _Input(msgspec.Struct):
    md_path: str
    format: ExportKind
    output_path: str | None = None
    sources_checked: bool = False


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
    """Return the tool. It writes where the policy was asked about: relative paths start at the root
    of the workspace.

    `places` are those that calls were judged by; `appendix` checks the sources of a draft.
    """

    async def export(payload: dict[str, Any]) -> dict[str, Any]:
        try:
            wanted = msgspec.convert(payload, _Input)
        except msgspec.ValidationError as error:
            return result(f"Nothing was exported: the input is not right. {error}.", is_error=True)
        try:
            request = plan_export(
                workspace, wanted.md_path, wanted.format, wanted.output_path or ""
            )
            for path in (request.markdown, request.target):
                await asyncio.to_thread((places or ApprovedPlaces()).of, payload, path)
            with ToolProgress(tell, NAME, payload) as progress:
                if wanted.sources_checked and appendix is not None:
                    checked = await appendix(request.markdown)
                    request = msgspec.structs.replace(request, appendix=checked)
                made = await exporter.export(request, wanted.format, progress.say)
        except DogentError as error:
            return result(f"Nothing was exported. {error}", is_error=True)
        return result(as_text(workspace.relative(made.path), made))

    return Tool(NAME, DESCRIPTION, SCHEMA, export)


def as_text(name: str, made: ExportResult) -> str:
    """Return what became of an export, in lines."""
    pages = f", {made.pages} page{'s' if made.pages != 1 else ''}" if made.pages else ""
    lines = [f"Wrote {name} ({made.engine}{pages})."]
    lines += [f"Warning: {warning}" for warning in made.warnings]
    lines += [f"Left out: {what}" for what in made.left_out]
    return "\n".join(lines)
