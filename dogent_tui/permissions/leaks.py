"""Data that leaves through the address of a page: long text that the user did not write, and text
from the workspace.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote_plus, urlsplit

from dogent_tui.permissions.disk import Disk

_LONG = 120
"""The number of bytes from which a part of an address (a path segment, a value) is long; article
titles are shorter.
"""
_LONG_TOGETHER = 400
_LONG_HOST = 60
_ENCODED = re.compile(r"[A-Za-z0-9+/_=-]{24,}")
_SHORTEST = 16
"""The number of bytes from which a part is looked up in the workspace."""
_MOST_FILES = 2_000
_MOST_BYTES = 4_000_000
_LARGEST = 200_000
_SKIPPED = {".git", "node_modules", ".venv", "__pycache__"}
_ADDRESSES = re.compile(r"https?://\S+")


def leaking_part(address: str, known: str, root: str) -> str:
    """Return the decoded part of an address that would leak data, "" if there is none.

    `known` is what the user wrote and what searches found; text from it may leave. `root` is the
    workspace, whose files are searched for the longer parts; complete addresses found in them may
    be opened.
    """
    heard = _plain(f"{known} {unquote_plus(known)}")
    unknown = [part for part in _parts(address) if part.strip() and _plain(part) not in heard]
    for part in unknown:
        if len(part.encode()) >= _LONG or _decoded(part):
            return part
    if sum(len(part.encode()) for part in unknown) >= _LONG_TOGETHER:
        return " ".join(unknown)
    host = urlsplit(address).hostname or ""
    if len(host) >= _LONG_HOST and _plain(host) not in heard:
        return host
    named = (value for _, value in parse_qsl(urlsplit(address).query))
    values = " ".join(value for value in named if _plain(value) not in heard)
    pieces = (*unknown, " ".join(unknown), values)  # one text may be spread over several parts
    wanted = {plain: part for part in pieces if len((plain := _plain(part)).encode()) >= _SHORTEST}
    for text in _texts(root) if wanted else ():
        plain_text = _plain(_ADDRESSES.sub(" ", text))
        for plain, part in wanted.items():
            if plain in plain_text:
                return part
    return ""


def _parts(address: str) -> list[str]:
    """Return the parts of an address but its domain, fully decoded."""
    parts = urlsplit(address if "://" in address else f"https://{address}")
    user, _, host = parts.netloc.rpartition("@")
    labels = host.split(".")[:-2]
    rest = (*user.split(":"), *labels, parts.path, parts.query, parts.fragment)
    found = re.split(r"[/?&=;#]", "/".join(rest))
    for _ in range(3):
        found = [unquote_plus(part) for part in found]
    return found


def _decoded(part: str) -> bool:
    """Return whether a part is text in base64, base32 or hexadecimal digits."""
    if not _ENCODED.fullmatch(part):
        return False
    padded = part.replace("-", "+").replace("_", "/").rstrip("=")
    for decode, block in (bytes.fromhex, 1), (base64.b64decode, 4), (base64.b32decode, 8):
        filled = padded + "=" * (-len(padded) % block)
        try:
            text = decode(filled.upper() if block == 8 else filled).decode()
        except (ValueError, binascii.Error):
            continue
        if all(char.isprintable() or char in "\n\t\r" for char in text):
            return True
    return False


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


def _texts(root: str) -> Iterator[str]:
    """Yield texts of the workspace, those nearest to its root first, as many as can be read
    quickly.
    """
    disk, left, files, folders = Disk(), _MOST_BYTES, 0, [root]
    while folders and left > 0 and files < _MOST_FILES:
        folder = folders.pop(0)
        for name in disk.names(folder):
            path = f"{folder}/{name}"
            entry = disk.entry(path)
            if entry is not None and entry.kind == "folder" and name not in _SKIPPED:
                folders.append(path)
            elif entry is not None and entry.kind == "file" and (text := disk.text(path, _LARGEST)):
                files += 1
                left -= len(text)
                yield text
