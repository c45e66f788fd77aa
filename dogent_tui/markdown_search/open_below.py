"""Reading a text that is searched, whatever becomes of its name meanwhile."""

import codecs
import os
import stat

LARGEST_SEARCHED = 64 << 20
"""Bytes of a file that is looked through."""

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""A pipe must not have us wait for somebody who writes to it."""
SMALL = 65_536
"""Bytes that are asked for at once: for more than twice that, the allocator would map memory
again with each file.
"""
WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def text_in(folder: int, name: str) -> bytes:
    """Return what the file `name` of an open folder holds, UTF-16 as UTF-8. No link is followed.
    Raises OSError, also where it is too large.
    """
    file = os.open(name, _FILE, dir_fd=folder)
    try:
        data = os.read(file, SMALL)
        return read_on(file, data) if len(data) == SMALL else as_utf8(data)
    finally:
        os.close(file)


def as_utf8(data: bytes) -> bytes:
    """Return UTF-16 with its mark as UTF-8, and anything else as it is."""
    return (
        data.decode("utf-16", "replace").encode("utf-8", "replace")
        if data[:2] in WIDE_MARKS
        else data
    )


def read_on(file: int, data: bytes) -> bytes:
    """Return all of an open file that begins with `data`, UTF-16 as UTF-8. Raises OSError, also
    where it is too large.
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
