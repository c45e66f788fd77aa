"""A look into a file: its beginning, shown literally."""

import asyncio
import codecs
from pathlib import Path
from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from dogent_tui.plain import one_line
from dogent_tui.tui.attachments.model import readable_size
from dogent_tui.tui.prompt.literal import carry, newlines
from dogent_tui.tui.prompt.literal_area import LiteralArea
from dogent_tui.tui.stylesheets import stylesheet

PREVIEW_BYTES = 65_536
LONGEST_LINE = 2_000
"""Characters of a line that are shown; a longer line would be wrapped anew for each row that is drawn."""

MOST_LINES = 2_000
MOST_FOLDER_ENTRIES = 500

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class Preview(msgspec.Struct, frozen=True):
    """What a preview shows: `text` of the file (None where there is none to show), and a `note` about it."""

    note: str
    text: str | None = None


def load_preview(path: Path) -> Preview:
    """Return the preview of the file or folder at `path`. Reads at most `PREVIEW_BYTES`; never raises for what the disk says."""
    try:
        if path.is_dir():
            return _folder(path)
        if not path.is_file():
            return Preview("There is no such file. It may have been moved or deleted.")
        size = path.stat().st_size
        with path.open("rb") as file:
            data = file.read(PREVIEW_BYTES)
    except OSError as error:
        return Preview(f"This file cannot be read: {error.strerror}.")
    return _file(data, size)


def _folder(path: Path) -> Preview:
    names = sorted(f"{child.name}/" if child.is_dir() else child.name for child in path.iterdir())
    shown = "\n".join(names[:MOST_FOLDER_ENTRIES])
    return Preview(f"folder, {len(names):,} entries", shown)


def _file(data: bytes, size: int) -> Preview:
    text = _decode(data, cut=size > len(data))
    if text is None:
        return Preview(f"binary file, {readable_size(size)}")
    note = readable_size(size)
    if size > len(data):
        note = f"the first {readable_size(len(data))} of {note}"
    lines = newlines(text).removesuffix("\n").split("\n")
    if len(lines) > MOST_LINES:
        note = f"the first {MOST_LINES:,} lines of {readable_size(size)}"
    return Preview(note, "\n".join(_shorten(line) for line in lines[:MOST_LINES]))


def _decode(data: bytes, *, cut: bool) -> str | None:
    """Return `data` as text, or None where it is none. `cut`: its last character may be incomplete."""
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), "utf-8")
    if encoding != "utf-16" and b"\0" in data:
        return None
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data, final=not cut)
    except UnicodeDecodeError:
        pass
    try:  # GB 18030 covers the older Chinese encodings; most binary data is not valid in it
        return codecs.getincrementaldecoder("gb18030")().decode(data, final=not cut)
    except UnicodeDecodeError:
        return None


def _shorten(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}… ({len(line) - LONGEST_LINE:,} more characters)"


class PreviewScreen(ModalScreen[None]):
    """The beginning of a file, read-only."""

    CSS_PATH = stylesheet("attachments.tcss")

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "dismiss", "Close")]

    def __init__(self, path: Path, name: str = "") -> None:
        """Show the file at `path`, which is called `name`."""
        super().__init__()
        self._path = path
        self._title = one_line(name or path.name)
        self._note = Static("loading…", id="preview-note", markup=False)
        self._area = LiteralArea(id="preview-text", read_only=True, show_cursor=False, compact=True, highlight_cursor_line=False)

    def compose(self) -> ComposeResult:
        """Lay out the name, the note and the text."""
        with Vertical(id="preview"):
            yield Static(self._title, id="preview-title", markup=False)
            yield self._note
            yield self._area
            yield Static("Esc closes · ↑ ↓ PgUp PgDn scroll", id="preview-keys", markup=False)

    def on_mount(self) -> None:
        """Load the file in a thread."""
        self._area.match_cursor_bracket = False
        self._area.cursor_blink = False
        self._area.display = False
        self._area.focus()
        self.run_worker(self._load())

    async def _load(self) -> None:
        preview = await asyncio.to_thread(load_preview, self._path)
        self._note.update(preview.note)
        if preview.text is not None:
            self._area.display = True
            self._area.load_text(carry(preview.text))
            self._area.focus()
