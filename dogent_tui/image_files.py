"""Removes metadata from image files, such as where a photo was taken, without decoding pixels; and
makes HEIC, the format of phones, known to Pillow.
"""

import struct
from collections.abc import Iterable, Iterator

_PNG = b"\x89PNG\r\n\x1a\n"
IMAGE_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, _PNG, "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypavis", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypheix", "image/heic"),
    (4, b"ftypmif1", "image/heif"),
    (0, b"\0\0\1\0", "image/vnd.microsoft.icon"),
)
"""The signatures of images: offset, bytes and type. WebP and BMP need further checks."""
_PNG_CHUNKS = frozenset((b"eXIf", b"tEXt", b"zTXt", b"iTXt", b"tIME"))
_EXIF = b"Exif\0\0"
_WEBP_CHUNKS = frozenset((b"EXIF", b"XMP "))
_ORIENTATION = 0x0112
_SCAN = 0xDA
_JPEG_SEGMENTS = frozenset((0xE1, 0xED, 0xFE))
"""Exif and XMP, Photoshop's, comments."""


_HEIF = frozenset((b"heic", b"heix", b"heim", b"heis", b"mif1"))


def is_heif(head: bytes) -> bool:
    """Return whether a file that begins with `head` is a HEIC photo or similar (ISO 23008-12)."""
    return head[4:8] == b"ftyp" and head[8:12] in _HEIF


def pillow_formats(head: bytes, formats: Iterable[str]) -> list[str]:
    """Return which of `formats` to pass to Pillow for a file that begins with `head`. HEIF is not
    built in: it is registered for such files, and otherwise not passed, as Pillow fails for unknown
    formats.
    """
    if is_heif(head):
        import pi_heif  # on use

        pi_heif.register_heif_opener(thumbnails=False)
        return list(formats)
    return [name for name in formats if name != "HEIF"]


def without_metadata(body: bytes) -> bytes:
    """Return a JPEG, PNG or WebP without its metadata, except the orientation of a JPEG; any other
    image unchanged.
    """
    try:
        if body.startswith(b"\xff\xd8"):
            return b"".join(_jpeg(body))
        if body.startswith(_PNG):
            return _PNG + b"".join(_png(body))
        if body.startswith(b"RIFF") and body[8:12] == b"WEBP":
            chunks = b"".join(_webp(body))
            return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks
    except (struct.error, IndexError):
        pass
    return body


def _jpeg(body: bytes) -> Iterator[bytes]:
    yield body[:2]
    at = 2
    while body[at] == 0xFF and body[at + 1] != _SCAN:
        if body[at + 1] == 0xFF:  # a fill byte
            at += 1
            continue
        (length,) = struct.unpack_from(">H", body, at + 2)
        segment = body[at : at + 2 + length]
        kind, data = segment[1], segment[4:]
        if kind not in _JPEG_SEGMENTS and not (kind == 0xE2 and data.startswith(b"MPF\0")):
            yield segment
        elif data.startswith(_EXIF) and (side := _orientation(data[6:])) > 1:
            kept = _EXIF + b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, _ORIENTATION, 3, 1, side, 0, 0)
            yield b"\xff\xe1" + struct.pack(">H", 2 + len(kept)) + kept
        at += 2 + length
    yield body[at:]


def _orientation(tiff: bytes) -> int:
    order = "<" if tiff.startswith(b"II") else ">"
    (at,) = struct.unpack_from(f"{order}I", tiff, 4)
    (count,) = struct.unpack_from(f"{order}H", tiff, at)
    for entry in range(at + 2, at + 2 + 12 * count, 12):
        tag, _, _, value = struct.unpack_from(f"{order}HHIH", tiff, entry)
        if tag == _ORIENTATION:
            return int(value)
    return 1


def _png(body: bytes) -> Iterator[bytes]:
    at = len(_PNG)
    while at < len(body):
        (length,) = struct.unpack_from(">I", body, at)
        if body[at + 4 : at + 8] not in _PNG_CHUNKS:
            yield body[at : at + 12 + length]
        at += 12 + length


def _webp(body: bytes) -> Iterator[bytes]:
    at = 12
    while at < len(body):
        kind, length = struct.unpack_from("<4sI", body, at)
        whole = 8 + length + length % 2
        chunk = body[at : at + whole]
        if kind == b"VP8X":  # says which chunks exist
            chunk = chunk[:8] + bytes((chunk[8] & ~0x0C,)) + chunk[9:]
        if kind not in _WEBP_CHUNKS:
            yield chunk
        at += whole
