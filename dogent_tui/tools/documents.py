"""`read_document`: any document as Markdown, page by page; scanned pages are read by the user's
vision model.
"""

import asyncio
import re
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from dogent_tui.documents.bibliography import key_of
from dogent_tui.documents.library import DEFAULT_CHARS, FEWEST_CHARS, ReadResult
from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.spool import places as source_places
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.settings.values import load_settings
from dogent_tui.storage.paths import Workspace, dogent_home
from dogent_tui.temporary import temporary_folder
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.progress import ToolProgress
from dogent_tui.tools.server import (
    MOST_CHARS,
    Reason,
    Tool,
    ToolFailure,
    as_json,
    typed_tool,
)
from dogent_tui.vision.look import look_at
from dogent_tui.vision.profiles import load_profile

NAME = "read_document"

_LONG_VALUE = 1_000
"""The length in characters of JSON from which on a metadata value, such as an outline, is
truncated.
"""

DESCRIPTION = f"""\
Read a document as Markdown: pdf, docx, odt, rtf, pptx, epub, html, ipynb, xlsx, xls, ods, csv, and
text in any encoding. Long ones come in parts of max_chars (default: {DEFAULT_CHARS}). A workbook
gives its first sheet by default."""


class _Input(msgspec.Struct, kw_only=True):
    path: str
    sheet: Annotated[str, Meta(description="Of a workbook, or its cells: Costs!A1:F200.")] = ""
    rows: Annotated[str | int, Meta(description="Of a sheet or csv: 100-250.")] = ""
    encoding: Annotated[str, Meta(description="Of a text, if guessed wrong.")] = ""
    pages: Annotated[str | int, Meta(description='Of a pdf: "3-7,12".')] = ""
    changes: Annotated[
        Literal["accept", "reject", "all"], Meta(description="Tracked changes of a docx.")
    ] = "accept"
    max_chars: Annotated[int, Meta(description=f"{FEWEST_CHARS} to {MOST_CHARS}.")] = DEFAULT_CHARS
    images: Annotated[
        bool,
        Meta(description="Also save its pictures and scanned pages into the images folder."),
    ] = False
    ocr: Annotated[
        bool,
        Meta(description="Have the user's vision model read scanned pages, which pages names."),
    ] = False
    offset: Annotated[int, Meta(description="As the part before says.")] = 0


class _InputWithReason(_Input):
    reason: Reason


def document_tools(libraries: Libraries) -> Iterable[Tool]:
    """Yield the tool that reads documents. Relative paths are relative to the workspace.

    Long work is reported through `libraries.tell`; pictures are saved in a separate folder in
    `libraries.images`. `libraries.places` are the paths approved by the policy, `libraries.unsaved`
    the unsaved texts of an editor. If the user decides about each call, it must state a reason.
    """
    workspace, tell = libraries.workspace, libraries.tell

    async def read(wanted: _Input, payload: Mapping[str, Any]) -> str:
        options = ReadOptions(
            sheet=wanted.sheet,
            pages=str(wanted.pages),
            rows=str(wanted.rows),
            encoding=wanted.encoding,
            changes=wanted.changes,
        )
        path = workspace.absolute(wanted.path.removeprefix("file://"))
        client, most = "", min(wanted.max_chars or DEFAULT_CHARS, MOST_CHARS)
        if (text := libraries.unsaved.get(path)) is not None:
            end = wanted.offset + most
            found = ReadResult(
                text=text[wanted.offset : end],
                format="md",
                metadata={},
                offset=wanted.offset,
                next_offset=end if end < len(text) else None,
                total_chars=len(text),
                sources=(),
                warnings=("This is the text in the user's editor, which is not saved.",),
            )
            return as_text(workspace.relative(path), found)
        try:
            place = await asyncio.to_thread(libraries.places.of, payload, path)
            folder = (
                await asyncio.to_thread(_images_folder, workspace, libraries.images, path)
                if wanted.images
                else None
            )
            if folder is not None:
                options = msgspec.structs.replace(options, images_dir=str(folder))
            with (
                ToolProgress(tell, NAME, payload, "Converting …") as progress,
                ExitStack() as opened,
            ):
                if wanted.ocr:
                    pictures = await asyncio.to_thread(opened.enter_context, temporary_folder())
                    options = msgspec.structs.replace(options, images_dir=str(pictures))
                    client = await asyncio.to_thread(_looking, workspace, options)
                found = await libraries.documents.read(
                    path,
                    options,
                    max_chars=most,
                    offset=wanted.offset,
                    on_progress=progress.count,
                    place=place,
                )
                if wanted.ocr:
                    found = await with_pictures_read(found, pictures, client)
        except DogentError as error:
            scanned = isinstance(error, DocumentError) and error.code == "scanned"
            more = await asyncio.to_thread(remedy, workspace) if scanned else ""
            raise ToolFailure(f"{error}{more}") from error
        saved = await asyncio.to_thread(_saved, workspace, folder) if folder is not None else ""
        key = await asyncio.to_thread(key_of, place, workspace.root)
        return saved + as_text(workspace.relative(path), found, key)

    kind = _InputWithReason if libraries.consent else _Input
    yield typed_tool(NAME, DESCRIPTION, kind, read, "Nothing was read")


def _looking(workspace: Workspace, options: ReadOptions) -> str:
    """Return the vision profile that reads the pages. Raises DogentError if it cannot be used, or
    no pages are named.
    """
    if not options.pages:
        raise DocumentError(
            tr("No pages were named."), tr("Name in `pages` those to read."), code="no_page"
        )
    profile = load_settings(workspace)[0].vision_profile
    return load_profile(profile, dogent_home()).name


def as_text(name: str, found: ReadResult, key: str = "") -> str:
    """Return the text for the model. Our own facts precede the document's text, so that no text can
    imitate them. `key` is the document's citation key, "" for none.
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
        lines.append(f"Metadata: {as_json(known)}")
    return "\n".join(lines) + "\n\n" + found.text.strip("\n")


def _images_folder(workspace: Workspace, images: Path, document: Path) -> Path:
    """Return the folder for the pictures of `document`, created if necessary. Raises
    DocumentError.
    """
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
    """Return the sentence about what was saved. An empty folder is removed."""
    with suppress(OSError):
        folder.rmdir()
        return "No images were saved: there are none to save.\n"
    return (
        f"Images are saved in {workspace.relative(folder)}/; their names in the text are relative"
        " to it.\n"
    )


def _shortened(value: Any) -> Any:
    text = as_json(value)
    if len(text) <= _LONG_VALUE:
        return value
    if not isinstance(value, list):
        return f"{text[:_LONG_VALUE]}…"
    kept, room = 0, _LONG_VALUE
    while (room := room - len(as_json(value[kept]))) > 0:
        kept += 1
    return [*value[:kept], f"… and {len(value) - kept} more"]


_PICTURE = re.compile(r"!\[[^\]]*\]\((page-(\d+)\.png)\)")


def remedy(workspace: Workspace) -> str:
    """Return what the model can do about a document without any text."""
    said = (
        " Its pages are pictures. With images, they are saved, and Read shows them to you if you"
        " take images."
    )
    with suppress(DogentError):
        profile = load_profile(load_settings(workspace)[0].vision_profile, dogent_home())
        said += (
            " With ocr and the pages to read, the user is asked to have them read by"
            f" {profile.name}."
        )
    return said


async def with_pictures_read(found: ReadResult, folder: Path, profile: str) -> ReadResult:
    """Return the document with each scanned page replaced by its text as read by the vision
    `profile`.

    Each page says who read it. Raises DogentError if the first cannot be read; later failures are
    reported in place.
    """
    text, end = "", 0
    for picture in _PICTURE.finditer(found.text):
        try:
            seen = await look_at(folder / picture[1], profile, dogent_home(), "image")
            said = (
                f"<!-- page {picture[2]} is a picture: {profile} read it"
                f" -->\n\n{seen.text or seen.summary}"
            )
        except DogentError as error:
            if not end:
                raise
            said = f"<!-- page {picture[2]} is a picture that {profile} did not read: {error} -->"
        text += found.text[end : picture.start()] + said
        end = picture.end()
    return msgspec.structs.replace(found, text=text + found.text[end:])
