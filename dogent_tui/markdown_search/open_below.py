"""Opening what lies below a folder, and nothing else, whatever becomes of its links meanwhile."""

import codecs
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

LARGEST_SEARCHED = 64 << 20
"""Bytes of a file that is looked through."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""A pipe must not have us wait for somebody who writes to it."""
SMALL = 65_536
"""Bytes that are asked for at once: for more than twice that, the allocator would map memory
again with each file.
"""
WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@contextmanager
def folder_below(root: str, inside: str) -> Iterator[int]:
    """Open the folder `inside` of `root` component by component, so that no link on the way is
    followed. Raises OSError.
    """
    found = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in filter(None, inside.split("/")):
            if name in {".", ".."}:
                raise PermissionError(f"{inside} leaves its folder")
            deeper = os.open(name, _FOLDER, dir_fd=found)
            os.close(found)
            found = deeper
        yield found
    finally:
        os.close(found)


def open_in(folder: int, name: str) -> int:
    """Open the file `name` of an open folder for reading; a link is not followed. Raises
    OSError.
    """
    return os.open(name, _FILE, dir_fd=folder)


def text_in(folder: int, name: str) -> bytes:
    """Return what the file `name` of an open folder holds, UTF-16 as UTF-8. Raises OSError, also
    where it is too large.
    """
    file = open_in(folder, name)
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
