"""Reads a file to be searched safely, whatever happens to its name in the meantime."""

import codecs
import io
import os
import stat

LARGEST_SEARCHED = 64 << 20
"""The maximum size in bytes of a file that is searched."""

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Opening a pipe must not wait for a writer."""
SMALL = 65_536
"""The number of bytes read at once: beyond twice that, the allocator would map memory again for
each file.
"""
_SAMPLED = 8192
"""The number of bytes that tell the encoding."""
WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def text_in(folder: int, name: str) -> bytes:
    """Return the content of the file `name` in an open folder as UTF-8. Follows no link.
    Raises OSError, also if it is too large.
    """
    file = os.open(name, _FILE, dir_fd=folder)
    try:
        data = os.read(file, SMALL)
        return read_on(file, data) if len(data) == SMALL else as_utf8(data)
    finally:
        os.close(file)


def as_utf8(data: bytes) -> bytes:
    """Return text as UTF-8, whatever its encoding, and anything else unchanged."""
    encoding, head = "utf-16" if data[:2] in WIDE_MARKS else "", data[:_SAMPLED]
    if not encoding and not head.isascii():
        try:
            head.decode()
        except UnicodeDecodeError as error:
            if error.start < len(head) - 3:  # otherwise it is a character cut by the sample
                from dogent_tui.documents.text.charset import encoding_of

                encoding = encoding_of(io.BytesIO(head))
    return data.decode(encoding, "replace").encode("utf-8", "replace") if encoding else data


def read_on(file: int, data: bytes) -> bytes:
    """Return the complete content of an open file that begins with `data`, as UTF-8. Raises
    OSError, also if it is too large.
    """
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_SEARCHED:
        raise OSError("too large")
    parts = [data]
    left = LARGEST_SEARCHED
    while left > 0 and (part := os.read(file, min(left, 1 << 24))):
        parts.append(part)
        left -= len(part)
    return as_utf8(b"".join(parts))
