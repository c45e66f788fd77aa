"""The smallest picture that every provider takes, to learn whether a profile works."""

import struct
import zlib

from dogent_tui.vision.model import Picture

SIDE = 64
"""Pixels: some providers refuse what is smaller than 28."""


def white_square() -> Picture:
    """Return a white square, as PNG of 8 bits of grey (PNG 3rd edition, 11.2)."""
    rows = (b"\0" + b"\xff" * SIDE) * SIDE  # no filter, white
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0)
    parts = (_part(b"IHDR", header), _part(b"IDAT", zlib.compress(rows)), _part(b"IEND", b""))
    return Picture("image/png", b"\x89PNG\r\n\x1a\n" + b"".join(parts), SIDE, SIDE)


def _part(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
