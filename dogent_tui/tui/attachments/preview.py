"""The preview of a file: the beginning of a text, shown literally, or a converted document that is
read further as the user scrolls.
"""

import asyncio
import codecs
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from rich.cells import cell_len
from textual.content import Content

from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.spool import how_far
from dogent_tui.documents.text.charset import encoding_of
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import Record
from dogent_tui.storage.paths import shipped
from dogent_tui.tui import clipboard
from dogent_tui.tui.attachments.document_facts import (
    CONVERTED,
    DocumentReading,
    Sheet,
)
from dogent_tui.tui.attachments.model import readable_size
from dogent_tui.tui.dialog import Dialog, DialogScreen, Words
from dogent_tui.tui.pane.view import PaneView
from dogent_tui.tui.prompt.literal import carry, newlines
from dogent_tui.tui.textual_fixes.literal_area import LiteralArea
from dogent_tui.tui.widgets import bound

PREVIEW_BYTES = 65_536
LONGEST_LINE = 2_000
"""The number of characters shown of a line; a longer line would be wrapped again for every row
drawn.
"""

MOST_LINES = 2_000
MOST_FOLDER_ENTRIES = 500


class Preview(Record):
    """What a preview shows: `text` of the file (None where there is none to show), and a `note`
    about it.

    `is_binary`: there is a file, and it is no text.
    """

    note: str
    text: str | None = None
    is_binary: bool = False


def load_preview(path: Path) -> Preview:
    """Return the preview of the file or folder at `path`. Reads at most `PREVIEW_BYTES`; never
    raises on errors of the disk.
    """
    try:
        if path.is_dir():
            return _folder(path)
        if not path.is_file():
            return Preview(tr("This file does not exist. It may have been moved or deleted."))
        size = path.stat().st_size
        with path.open("rb") as file:
            encoding = encoding_of(file)
            file.seek(0)
            if not encoding:
                return _picture(file, path, size) or _binary(size)
            data = file.read(PREVIEW_BYTES)
    except OSError as error:
        return Preview(tr("This file cannot be read: {strerror}.", strerror=error.strerror))
    return _text(data, encoding, size)


def _binary(size: int) -> Preview:
    note = tr("binary file, {size}", size=readable_size(size))
    return Preview(note, is_binary=True)


def _picture(file: IO[bytes], path: Path, size: int) -> Preview | None:
    """Return a description of a picture or video, None if `file` is neither."""
    from dogent_tui.vision.file_kinds import kind_of  # not needed earlier

    if not kind_of(file):
        return None
    note = f"{path.suffix.lower().removeprefix('.')} · {readable_size(size)}".removeprefix(" · ")
    seen = tr(
        "The terminal can't show it. Choose a vision model and the agent can look at it"
        " (docs/vision.md)."
    )
    return Preview(f"{note}\n{seen}")


def _folder(path: Path) -> Preview:
    names = sorted(f"{child.name}/" if child.is_dir() else child.name for child in path.iterdir())
    shown = "\n".join(names[:MOST_FOLDER_ENTRIES])
    return Preview(tr("folder, {names:,} entries", names=len(names)), shown)


def _text(data: bytes, encoding: str, size: int) -> Preview:
    is_cut = size > len(data)  # its last character may be incomplete
    text = codecs.getincrementaldecoder(encoding)("replace").decode(data, final=not is_cut)
    note = whole = readable_size(size)
    if is_cut:
        note = tr("the first {data} of {note}", data=readable_size(len(data)), note=whole)
    lines = newlines(text).removesuffix("\n").split("\n")
    if len(lines) > MOST_LINES:
        note = tr("the first {most_lines:,} lines of {size}", most_lines=MOST_LINES, size=whole)
    return Preview(note, "\n".join(_shorten(line) for line in lines[:MOST_LINES]))


def _shorten(line: str) -> str:
    more = len(line) - LONGEST_LINE
    if more <= 0:
        return line
    return tr("{line}… ({more:,} more characters)", line=line[:LONGEST_LINE], more=more)


class PreviewScreen(DialogScreen[None]):
    """The beginning of a file, or a converted document that is read further on demand.
    Read-only.
    """

    CSS_PATH = shipped("attachments.tcss")

    BINDINGS = [
        bound("escape,q,enter", "dismiss", "Close"),
        bound("n", "read_on", "Read on"),
        bound("left", "sheet(-1)", "Previous sheet", show=False),
        bound("right", "sheet(1)", "Next sheet", show=False),
        bound("c", "copy", "Copy"),
    ]

    def __init__(
        self, path: Path, library: DocumentLibrary, name: str = "", *, sheet: str = ""
    ) -> None:
        """Preview the file at `path`, shown as `name`; for a workbook, start with `sheet`."""
        self._path = path
        self._library = library
        title = one_line(name or path.name)
        self._reading = DocumentReading(library, path, sheet)
        self._is_document = path.suffix.lower() in CONVERTED
        self._is_reading = False
        self._jumping = False
        self._known_sheets: tuple[Sheet, ...] = ()
        self._note = Words(tr("loading…"), id="preview-note", classes="dialog-why -first")
        self._sheets = Words("", id="preview-sheets")
        self._area = LiteralArea(
            id="preview-text",
            read_only=True,
            show_cursor=False,
            compact=True,
            highlight_cursor_line=False,
        )
        self._view = PaneView("preview-document")
        content = (self._note, self._sheets, self._area, self._view)
        super().__init__(Dialog(title, {}, *content, id="preview", classes="-wide -tall"))
        self.dialog.keys.show(self._keys())

    def on_mount(self) -> None:
        """Load the file in the background."""
        self._area.match_cursor_bracket = False
        self._area.cursor_blink = False
        self._area.display = self._view.display = self._sheets.display = False
        self.run_worker(self._load(), group="read", exclusive=True)

    async def _load(self) -> None:
        if not self._is_document:
            preview = await asyncio.to_thread(load_preview, self._path)
            if not preview.is_binary:
                self._show_text(preview)
                return
            self._is_document = True
        self._view.display = True
        self._view.focus()
        await self._read_on()

    def _show_text(self, preview: Preview) -> None:
        self._note.update(preview.note)
        if preview.text is not None:
            self._area.display = True
            self._area.load_text(carry(preview.text))
            self._area.focus()

    # ── Documents ─────────────────────────────────────────────────────────────────────────────

    async def _read_on(self) -> None:
        """Read until more than one screen is available below the visible part; if requested, scroll
        to the new part.
        """
        reading, self._is_reading = self._reading, True
        try:
            while reading.has_more and (self._jumping or self._view.near_end):
                is_first = not reading.text
                part = await reading.more(self._report)
                self._view.append(part, go=self._jumping and not is_first)
                self._show_known()
                self._jumping &= is_first
        except DocumentError as error:
            self._note.update(one_line(str(error)))
        finally:
            if reading is self._reading:
                self._is_reading = self._jumping = False

    def _report(self, done: int, total: int, what: str) -> None:
        self._note.update(tr("reading…{far}", far=how_far(done, total, what)))

    def _show_known(self) -> None:
        self._note.update(self._reading.note)
        sheets = self._known_sheets = self._reading.sheets
        self._sheets.display = len(sheets) > 1
        if len(sheets) > 1:
            width = max(20, self._sheets.size.width or self.size.width - 20)
            self._sheets.update(sheet_line(sheets, self._reading.sheet, width))
        self.dialog.keys.show(self._keys())

    def _keys(self) -> dict[str, str]:
        """Return the keys that currently have an effect."""
        keys = {"up,down": tr("Scroll")}
        if self._reading.text and self._reading.has_more:
            keys["n"] = tr("Read on")
        if len(self._known_sheets) > 1:
            keys["left,right"] = tr("Sheet")
        if self._reading.text:
            keys["c"] = tr("Copy")
        return keys | {"escape": tr("Close")}

    def _on_pane_view_near_end(self) -> None:
        self._continue()

    def action_read_on(self) -> None:
        """Go to the next part of the document, once it has been read."""
        self._jumping = True
        self._continue()

    def _continue(self) -> None:
        if self._is_document and not self._is_reading and self._reading.has_more:
            self._is_reading = True
            self.run_worker(self._read_on(), group="read", exclusive=True)

    def action_sheet(self, step: int) -> None:
        """Show another sheet of the workbook."""
        names = [sheet.name for sheet in self._known_sheets]
        if len(names) < 2 or self._reading.sheet not in names:
            return
        name = names[(names.index(self._reading.sheet) + step) % len(names)]
        self._show_sheet(name)

    def _show_sheet(self, name: str) -> None:
        self._reading = DocumentReading(self._library, self._path, name)
        self._note.update(tr("loading…"))
        self._sheets.update(sheet_line(self._known_sheets, name, self._sheets.size.width))
        self._view.show((), {})
        self.run_worker(self._read_on(), group="read", exclusive=True)

    async def action_copy(self) -> None:
        """Copy what has been read of the document, as Markdown."""
        if self._reading.text:
            await clipboard.copy(self.app, self._reading.text)


def sheet_line(sheets: Sequence[Sheet], shown: str, width: int) -> Content:
    """Return the names of `sheets` within `width` cells, including the current one."""
    at = next((place for place, sheet in enumerate(sheets) if sheet.name == shown), 0)
    names = [f"{one_line(sheet.name)}{' (hidden)' if sheet.is_hidden else ''}" for sheet in sheets]
    gap = " │ "
    fits = (first for first in range(at) if cell_len(gap.join(names[first : at + 1])) + 8 <= width)
    first = next(fits, at)
    styled = [
        Content.styled(name, "bold underline" if place == at else "dim")
        for place, name in enumerate(names)
    ]
    before = Content.styled("‹ " if first else "", "dim")
    line = before + Content.styled(gap, "dim").join(styled[first:])
    return line.truncate(width, ellipsis=True)
