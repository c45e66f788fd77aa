"""The records of exporting, for every format: the request, its images, and the result."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

from dogent_tui.documents.model import DocumentError
from dogent_tui.errors import disk_remedy
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import Record
from dogent_tui.storage.places import write_real

ExportKind: TypeAlias = Literal["pdf", "docx"]
"""The export formats."""

Progress: TypeAlias = Callable[[str], None]
"""Receives progress, a phrase at a time (``Starting the browser``). Called on the event loop."""


def unheard(_what: str) -> None:
    """Ignore progress."""


class ExportRequest(Record, kw_only=True):
    """A Markdown file, and the file of a `kind` to create from it. All paths are absolute.

    Attributes:
        target: The file to replace, once the export has succeeded; whether this is allowed has been
            decided before.
        root: The real path of the workspace, the only source of images.
        home: The user's folder (``~/.dogent``), for styles.
        toc: Whether to add a table of contents, None for the front matter's choice.
        appendix: Markdown that follows the text and its list of references.
        theme: Overrides the front matter.
        usual_theme: Used if the front matter names none.
    """

    kind: ExportKind
    markdown: Path
    target: Path
    root: Path
    home: Path
    toc: bool | None = None
    appendix: str = ""
    theme: str = ""
    usual_theme: str = ""


class ExportImage(Record):
    """An image for a document. `kind` is ``png``, ``jpeg``, ``gif`` or ``svg``; `width` and
    `height` are in pixels, 0 if a vector image does not specify them; `dpi` is from the file, 0 if
    unspecified; `removed` is the number of unsafe parts that an svg had.
    """

    data: bytes
    kind: str
    width: int = 0
    height: int = 0
    dpi: float = 0
    removed: int = 0

    @property
    def data_uri(self) -> str:
        """The complete image as an address."""
        kind = "svg+xml" if self.kind == "svg" else self.kind
        return f"data:image/{kind};base64,{base64.b64encode(self.data).decode('ascii')}"


class Made(Record):
    """A file created by an engine; the other fields are those of `ExportResult`."""

    content: bytes
    engine: str
    pages: int = 0
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def write_target(request: ExportRequest, content: bytes) -> None:
    """Write the file for `request`. Blocks. Raises DocumentError."""
    name = one_line(request.target.name)
    try:
        write_real(request.target, content)
    except OSError as error:
        reason = (error.strerror or tr("the disk refused the write")).lower()
        raise DocumentError(
            tr("{name} cannot be written: {reason}.", name=name, reason=reason), disk_remedy(error)
        ) from None


class ExportResult(Record, kw_only=True):
    """A file that was created. Sentences are plain text that is safe to display.

    `engine` names its creator (``Chromium 150.0``, ``typst 0.15``, ``pandoc 3.9``). `warnings` are
    about its appearance, with a remedy; `left_out` what the Markdown contains and the file does
    not, and why. `pages` is 0 if unknown.
    """

    path: Path
    engine: str
    pages: int = 0
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
