"""The kind of a file, determined by its content alone: a name does not turn a text into a
picture.
"""

from typing import IO

from dogent_tui.language import tr
from dogent_tui.vision.containers import video_format

HEAD_BYTES = 4096

IMAGE = "image"
"""A format that Pillow may know; only decoding tells whether it is a picture."""

_IMAGES: tuple[tuple[int, bytes], ...] = (
    (0, b"\x89PNG\r\n\x1a\n"),
    (0, b"\xff\xd8\xff"),
    (0, b"GIF87a"),
    (0, b"GIF89a"),
    (0, b"II*\0"),
    (0, b"MM\0*"),
    (0, b"BM"),
    (0, b"\0\0\1\0"),
    (4, b"ftypavif"),
    (4, b"ftypavis"),
    (4, b"ftypheic"),
    (4, b"ftypheix"),
    (4, b"ftypmif1"),
)

_SOUND = (tr("a sound recording"), tr("Transcribe it into a text file first."))
_OTHERS: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"%PDF-", tr("a pdf document"), tr("Read it with read_document.")),
    (
        0,
        b"PK\x03\x04",
        tr("an office document or an archive"),
        tr("Read documents with read_document; unpack archives first."),
    ),
    (4, b"ftypM4A", *_SOUND),
    (0, b"ID3", *_SOUND),
    (
        0,
        b"OggS",
        tr("a sound recording or an Ogg video"),
        tr("Export it as mp4 first if it is a video."),
    ),
    (0, b"fLaC", *_SOUND),
    (0, b"8BPS", tr("a Photoshop document"), tr("Export it as PNG first.")),
    (0, b"%!PS", tr("a PostScript drawing"), tr("Export it as PNG first.")),
    (0, b"\x1f\x8b", tr("a compressed file"), tr("Unpack it first.")),
)
"""(offset, bytes, what it is, what to do)."""


def kind_of(file: IO[bytes]) -> str:
    """Return `IMAGE`, or the format of a video (`mp4`, `mov`, `webm`, `mkv`, `avi`), or "" for
    neither. Changes the position in `file`.
    """
    file.seek(0)
    head = file.read(HEAD_BYTES)
    if any(head.startswith(magic, offset) for offset, magic in _IMAGES) or (
        head.startswith(b"RIFF") and head[8:12] == b"WEBP"
    ):
        return IMAGE
    return "" if _other(head) else video_format(file)


def description_of(head: bytes) -> tuple[str, str]:
    """Return what a file that is neither picture nor video seems to be, and what to do with it."""
    if found := _other(head):
        return found
    if not head:
        return "empty", tr("Specify an image or a video.")
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if b"<svg" in start[:2048] and start.startswith(b"<"):
        return tr("an SVG drawing, which is text"), tr(
            "Read it with the Read tool, or export it as PNG to have it looked at."
        )
    if (
        head[4:8] == b"ftyp"
        or head.startswith(b"\x1a\x45\xdf\xa3")
        or (head.startswith(b"RIFF") and head[8:12] == b"AVI ")
    ):
        return tr("a video that is damaged, incomplete or without frames"), tr(
            "Get a complete copy, or export it again as mp4."
        )
    if b"\0" not in head:
        return tr("text, despite its name"), tr("Read it with the Read tool.")
    return tr("not in a known image or video format"), tr("Export it as PNG, JPEG or mp4 first.")


def _other(head: bytes) -> tuple[str, str] | None:
    return next(
        (
            (what, remedy)
            for offset, magic, what, remedy in _OTHERS
            if head.startswith(magic, offset)
        ),
        None,
    )
