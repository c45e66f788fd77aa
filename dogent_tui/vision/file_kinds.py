"""The kind of a file, determined by its content alone: a name does not turn a text into a
picture.
"""

from typing import IO

from dogent_tui.image_files import IMAGE_MAGIC
from dogent_tui.language import tr
from dogent_tui.vision.containers import video_format

HEAD_BYTES = 4096

IMAGE = "image"
"""A format that Pillow may know; only decoding tells whether it is a picture."""


def kind_of(file: IO[bytes]) -> str:
    """Return `IMAGE`, or the format of a video (`mp4`, `mov`, `webm`, `mkv`, `avi`), or "" for
    neither. Changes the position in `file`.
    """
    file.seek(0)
    head = file.read(HEAD_BYTES)
    is_image = any(head.startswith(magic, offset) for offset, magic, _ in IMAGE_MAGIC)
    if is_image or head.startswith(b"BM") or (head[:4], head[8:12]) == (b"RIFF", b"WEBP"):
        return IMAGE
    return video_format(file)


def description_of(head: bytes) -> tuple[str, str]:
    """Return what a file that is neither picture nor video seems to be, and what to do with it."""
    if not head:
        return "empty", tr("Specify an image or a video.")
    if head.startswith((b"%PDF-", b"PK\x03\x04")):
        return tr("a document or an archive"), tr(
            "Read documents with read_document; unpack archives first."
        )
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
