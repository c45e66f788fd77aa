"""`read_document`: any document as Markdown, a page at a time."""

import asyncio
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from dogent_tui.documents.bibliography import key_of
from dogent_tui.documents.library import DEFAULT_CHARS, FEWEST_CHARS, DocumentLibrary, ReadResult
from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.spool import places as source_places
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.settings.values import load_settings
from dogent_tui.storage.paths import Workspace, dogent_home
from dogent_tui.storage.places import ApprovedPlaces
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.progress import Tell, ToolProgress
from dogent_tui.tools.scans import remedy, with_pictures_read
from dogent_tui.tools.server import REASON, Tool, result
from dogent_tui.vision.profiles import load_profile

NAME = "read_document"

MOST_CHARS = 40_000
"""Of one answer. The CLI puts into a file what has more than 50,000 characters (measured), and
metadata comes on top.
"""

_LONG_VALUE = 1_000
"""Characters of JSON after which a value of the metadata, such as an outline, is told by its
beginning.
"""

DESCRIPTION = f"""\
Read a document as Markdown: pdf, docx, odt, rtf, pptx, epub, html, ipynb, xlsx, xls, ods, csv, and
text in any encoding. Long ones come in parts of max_chars (default: {DEFAULT_CHARS}). A workbook
gives its first sheet by default."""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "sheet": {"type": "string", "description": "Of a workbook, or its cells: Costs!A1:F200."},
        "rows": {"type": ["string", "integer"], "description": "Of a sheet or csv: 100-250."},
        "encoding": {"type": "string", "description": "Of a text, if guessed wrong."},
        "pages": {"type": ["string", "integer"], "description": 'Of a pdf: "3-7,12".'},
        "changes": {
            "type": "string",
            "enum": ["accept", "reject", "all"],
            "description": "Tracked changes of a docx.",
        },
        "max_chars": {"type": "integer", "description": f"{FEWEST_CHARS} to {MOST_CHARS}."},
        "images": {
            "type": "boolean",
            "description": "Also save its pictures and scanned pages into the images folder.",
        },
        "ocr": {
            "type": "boolean",
            "description": "Have the user's vision model read scanned pages, which pages names.",
        },
        "offset": {"type": "integer", "description": "As the part before says."},
    },
    "required": ["path"],
}


class _Input(msgspec.Struct):
    path: str
    sheet: str | None = None
    pages: str | int | None = None
    rows: str | int | None = None
    encoding: str | None = None
    changes: str | None = None
    max_chars: int | None = None
    offset: int | None = None
    images: bool = False
    ocr: bool = False


def document_tools(libraries: Libraries) -> Iterable[Tool]:
    """Yield the tools of this module."""
    tool = read_document_tool(
        libraries.documents,
        libraries.workspace,
        libraries.tell,
        libraries.images,
        libraries.places,
        libraries.unsaved,
    )
    if libraries.consent:
        schema = {
            "type": "object",
            "properties": {**SCHEMA["properties"], "reason": REASON},
            "required": ["path", "reason"],
        }
        tool = tool._replace(schema=schema)
    yield tool


def read_document_tool(
    library: DocumentLibrary,
    workspace: Workspace,
    tell: Tell,
    images: Path,
    places: ApprovedPlaces | None = None,
    unsaved: Mapping[Path, str] = {},
) -> Tool:
    """Return the tool. It reads where the policy was asked about: relative paths start at the root
    of the workspace.

    `places` are those that calls were judged by. `unsaved` is what an editor holds of files: it is
    read in their place. Pictures are saved below `images`, if that lies in the workspace, under
    names that are free.
    """

    async def read(payload: dict[str, Any]) -> dict[str, Any]:
        try:
            wanted = msgspec.convert(payload, _Input, strict=False)
            options = _options(wanted)
        except msgspec.ValidationError as error:
            return result(f"Nothing was read: the input is not right. {error}.", is_error=True)
        path = workspace.absolute(wanted.path.removeprefix("file://"))
        client = ""
        if (text := unsaved.get(path)) is not None:
            most = min(wanted.max_chars or DEFAULT_CHARS, MOST_CHARS)
            start = wanted.offset or 0
            after = start + most if start + most < len(text) else None
            found = ReadResult(
                text=text[start : start + most],
                format="md",
                metadata={},
                offset=start,
                next_offset=after,
                total_chars=len(text),
                sources=(),
                warnings=("This is the text in the user's editor, which is not saved.",),
            )
            return result(as_text(workspace.relative(path), found))
        try:
            place = await asyncio.to_thread((places or ApprovedPlaces()).of, payload, path)
            folder = (
                await asyncio.to_thread(_images_folder, workspace, images, path)
                if wanted.images
                else None
            )
            if folder is not None:
                options = msgspec.structs.replace(options, images_dir=str(folder))
            with (
                ToolProgress(tell, NAME, payload, "Converting …") as progress,
                TemporaryDirectory() as pictures,
            ):
                if wanted.ocr:
                    options = msgspec.structs.replace(options, images_dir=pictures)
                    client = await asyncio.to_thread(_looking, workspace, options)
                found = await library.read(
                    path,
                    options,
                    max_chars=min(wanted.max_chars or DEFAULT_CHARS, MOST_CHARS),
                    offset=wanted.offset or 0,
                    on_progress=progress.count,
                    place=place,
                )
                if wanted.ocr:
                    found = await with_pictures_read(found, Path(pictures), client)
        except DogentError as error:
            scanned = isinstance(error, DocumentError) and error.code == "scanned"
            more = await asyncio.to_thread(remedy, workspace) if scanned else ""
            return result(f"{error}{more}", is_error=True)
        saved = await asyncio.to_thread(_saved, workspace, folder) if folder is not None else ""
        key = await asyncio.to_thread(key_of, place, workspace.root)
        return result(saved + as_text(workspace.relative(path), found, key))

    return Tool(NAME, DESCRIPTION, SCHEMA, read)


def _looking(workspace: Workspace, options: ReadOptions) -> str:
    """Return the vision profile that pages are shown to. Raises DogentError where it cannot be
    used, or no pages are named.
    """
    if not options.pages:
        raise DocumentError(
            tr("No pages were named."), tr("Name in `pages` those to read."), code="no_page"
        )
    profile = load_settings(workspace)[0].vision_profile
    return load_profile(profile, dogent_home()).name


def as_text(name: str, found: ReadResult, key: str = "") -> str:
    """Return what the model reads. What we know stands before the text, so that no text can pass
    for it. `key` is what a bibliography cites the document by, "" for none.
    """
    end = found.offset + len(found.text)
    of = f" of {found.total_chars}" if found.total_chars is not None else ""
    lines = [
        (
            f"{name} · {found.format} · characters {found.offset} to"
            f" {end}{of}{source_places(found.sources)}"
        )
    ]
    if key:
        lines.append(f"Cite as [@{key}]")
    if found.next_offset is not None:
        lines.append(f"There is more: call {NAME} again with offset {found.next_offset}.")
    lines.extend(f"Warning: {warning}" for warning in found.warnings)
    if found.metadata:
        known = {name: _shortened(value) for name, value in found.metadata.items()}
        lines.append(f"Metadata: {msgspec.json.encode(known, enc_hook=str).decode()}")
    return "\n".join(lines) + "\n\n" + found.text.strip("\n")


def _images_folder(workspace: Workspace, images: Path, document: Path) -> Path:
    """Return the folder for the pictures of `document`, made if need be. Raises DocumentError."""
    folder = images / (re.sub(r"[^\w.-]+", "-", document.stem).strip("-.") or "document")
    if not workspace.contains(folder):
        message = tr(
            "The images folder {images} points outside the workspace, so no images are saved.",
            images=one_line(workspace.relative(images)),
        )
        raise DocumentError(message, tr("Read without images, or ask the user to fix images_path."))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or tr("the disk refused the write")).lower()
        raise DocumentError(
            tr("The images folder cannot be created: {reason}.", reason=reason),
            tr("Read without images."),
        ) from error
    return folder


def _saved(workspace: Workspace, folder: Path) -> str:
    """Return the sentence about what was saved. A folder in which nothing is goes away again."""
    with suppress(OSError):
        folder.rmdir()
        return "No images were saved: there are none to save.\n"
    return (
        f"Images are saved in {workspace.relative(folder)}/; their names in the text are relative"
        " to it.\n"
    )


def _shortened(value: Any) -> Any:
    text = msgspec.json.encode(value, enc_hook=str).decode()
    if len(text) <= _LONG_VALUE:
        return value
    if not isinstance(value, list):
        return f"{text[:_LONG_VALUE]}…"
    kept, room = 0, _LONG_VALUE
    while (room := room - len(msgspec.json.encode(value[kept], enc_hook=str))) > 0:
        kept += 1
    return [*value[:kept], f"… and {len(value) - kept} more"]


def _options(wanted: _Input) -> ReadOptions:
    values = {
        "sheet": wanted.sheet or "",
        "pages": str(wanted.pages or ""),
        "rows": str(wanted.rows or ""),
        "encoding": wanted.encoding or "",
        "changes": wanted.changes or "accept",
    }
    return msgspec.convert(values, ReadOptions)
