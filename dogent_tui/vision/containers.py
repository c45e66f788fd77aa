"""Whether a file is a video, and a video without its metadata.

The structure of the container is walked, since four bytes at the start prove nothing.

Sources: ISO/IEC 14496-12 and Apple's QuickTime File Format (boxes), RFC 8794 and RFC 9559 (EBML,
Matroska), Microsoft's AVI RIFF reference.
"""

import io
import os
from typing import IO

_MOST_BOXES = 10_000
"""The number of top-level boxes to read: a fragmented film of several hours has thousands."""
_FIRST_BOXES = frozenset((b"ftyp", b"styp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"))
_MOST_INDEX_BYTES = 32 << 20
"""The number of bytes of a `moov` box to search for a video track."""

_EBML = b"\x1a\x45\xdf\xa3"
_SEGMENT = b"\x18\x53\x80\x67"
_DOC_TYPE = b"\x42\x82"
_MOST_EBML_HEADER = 1024


def video_format(file: IO[bytes]) -> str:
    """Return `mp4`, `mov`, `webm`, `mkv` or `avi` if `file` is a video in such a container,
    otherwise "".
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(16)
    if head[4:8] in _FIRST_BOXES:
        return _boxes(file, size, head)
    if head.startswith(_EBML):
        return _matroska(file)
    if head.startswith(b"RIFF") and head[8:12] == b"AVI ":
        return _avi(file, size)
    return ""


def _boxes(file: IO[bytes], size: int, head: bytes) -> str:
    """Walk the boxes of the file: they must lead to its very end, and one must describe a video
    track.
    """
    offset = 0
    has_pictures = False
    for _ in range(_MOST_BOXES):
        if offset == size:
            break
        file.seek(offset)
        start = file.read(16)
        kind, header, length = _box(start, size - offset)
        if len(start) < 8 or not _is_name(kind) or length < header or offset + length > size:
            return ""
        if kind == b"moov" and not has_pictures:
            file.seek(offset)
            has_pictures = b"vide" in file.read(min(length, _MOST_INDEX_BYTES))
        offset += length
    if not has_pictures:
        return ""
    return "mov" if head[4:8] != b"ftyp" or head[8:12] == b"qt  " else "mp4"


def _box(start: bytes, left: int) -> tuple[bytes, int, int]:
    """Return the type of the box at `start`, and the lengths of its header and of all of it. `left`
    bytes remain for it.
    """
    length, header = int.from_bytes(start[:4], "big"), 8
    if length == 1:
        length, header = int.from_bytes(start[8:16], "big"), 16
    return start[4:8], header, length or left


def _is_name(kind: bytes) -> bool:
    """Return whether this is a possible name of a box; cameras and programs add their own. Apple's
    begin with a copyright sign.
    """
    return all(0x20 <= byte <= 0x7E or byte == 0xA9 for byte in kind)


def _matroska(file: IO[bytes]) -> str:
    """Read the EBML header, which says what follows, and check that it does."""
    file.seek(4)
    length = _number(file)
    if length is None or length > _MOST_EBML_HEADER:
        return ""
    header = file.read(length)
    if file.read(4) != _SEGMENT:
        return ""
    place = header.find(_DOC_TYPE)
    if place < 0:
        return ""
    named = header[place + 2 :]
    doc_type = named[1 : 1 + (named[0] & 0x7F)] if named else b""
    return {b"webm": "webm", b"matroska": "mkv"}.get(doc_type.rstrip(b"\0"), "")


def _number(file: IO[bytes]) -> int | None:
    """Read a length: the number of leading zero bits is the number of further bytes."""
    first = file.read(1)
    if not first or not first[0]:
        return None
    more = 8 - first[0].bit_length()
    rest = file.read(more)
    return (
        int.from_bytes(bytes([first[0] & (0xFF >> (more + 1))]) + rest, "big")
        if len(rest) == more
        else None
    )


def _avi(file: IO[bytes], size: int) -> str:
    file.seek(4)
    length = int.from_bytes(file.read(4), "little")
    file.seek(12)
    first = file.read(4), int.from_bytes(file.read(4), "little"), file.read(4)
    if (
        first[0] != b"LIST"
        or first[2] != b"hdrl"
        or not 4 <= first[1] <= size
        or not 12 <= length <= size
    ):
        return ""
    return "avi" if b"vids" in file.read(first[1] - 4)[:65_536] else ""


_HOLDERS = frozenset((b"moov", b"trak", b"mdia", b"minf", b"moof", b"traf"))
_TELLING_BOXES = frozenset((b"udta", b"meta", b"uuid", b"XMP_"))
_TELLING_ELEMENTS = frozenset((b"\x12\x54\xc3\x67", b"\x19\x41\xa4\x69"))
"""Tags and attachments of Matroska; the tags include where a film was made."""
_VOID = 0xEC


def without_metadata(kind: str, data: bytes) -> bytes:
    """Return the video `data` without its metadata, such as where it was filmed.

    Nothing moves: removed parts become padding that players skip. A separate track recorded by the
    camera stays.
    """
    clean = bytearray(data)
    if kind in {"mp4", "mov"}:
        _blank_boxes(clean, 0, len(clean))
    elif kind in {"webm", "mkv"}:
        _blank_elements(clean)
    elif kind == "avi":
        at = 12
        while at + 12 <= len(clean):
            length = int.from_bytes(clean[at + 4 : at + 8], "little")
            if (clean[at : at + 4] == b"LIST" and clean[at + 8 : at + 12] == b"INFO") or clean[
                at : at + 4
            ] == b"IDIT":
                clean[at : at + 4] = b"JUNK"
                _zero(clean, at + 8, at + 8 + length)
            at += 8 + length + length % 2
    return bytes(clean)


def _blank_boxes(data: bytearray, at: int, end: int) -> None:
    while at + 8 <= end:
        kind, header, length = _box(bytes(data[at : at + 16]), end - at)
        length = min(length, end - at) if length >= header else end - at
        if kind in _TELLING_BOXES:
            data[at + 4 : at + 8] = b"free"
            _zero(data, at + header, at + length)
        elif kind in _HOLDERS:
            _blank_boxes(data, at + header, at + length)
        at += length


def _blank_elements(data: bytearray) -> None:
    """Blank the metadata among the children of a Matroska segment by turning it into Void elements:
    one byte of id and a length.
    """
    stream = io.BytesIO(data)
    stream.seek(4)
    head = _number(stream) or 0
    stream.seek(head, os.SEEK_CUR)
    stream.seek(len(_SEGMENT), os.SEEK_CUR)
    _number(stream)
    while (at := stream.tell()) < len(data):
        name_bytes = 9 - data[at].bit_length()
        stream.seek(at + name_bytes)
        length = _number(stream)
        start = stream.tell()
        if length is None or not 1 <= name_bytes <= 4 or start + length > len(data):
            return  # of unknown length, as in streams
        if bytes(data[at : at + name_bytes]) in _TELLING_ELEMENTS and start + length - at >= 9:
            whole = start + length - at - 9
            data[at : at + 9] = bytes((_VOID, 0x01)) + whole.to_bytes(7, "big")
            _zero(data, at + 9, start + length)
        stream.seek(start + length)


def _zero(data: bytearray, start: int, end: int) -> None:
    end = min(end, len(data))
    if end > start:
        data[start:end] = bytes(end - start)
