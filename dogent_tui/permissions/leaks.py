"""Data that leaves through the address of a page: long text that the user did not write, and text
from the workspace.
"""

import base64
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from urllib.parse import unquote_plus, urlsplit

from dogent_tui.permissions.disk import Disk

_LONG = 120
"""The number of bytes from which a part of an address (a path segment, a value) is long; article
titles are shorter.
"""
_LONG_TOGETHER = 400
_LONG_HOST = 60
_ENCODED = 24
"""The number of digits from which a part may be encoded text."""
_SHORTEST, _RUN, _STEP = 14, 24, 4
"""How many bytes of letters are looked up in the workspace if they are a part, and if they are
anywhere, at every fourth of them.
"""
_MOST_BEFORE = 400
"""How many letters of earlier addresses of a host are read on into the next one."""
_MOST_DECODED = 8
"""How often a part may be percent-encoded."""
_MOST_FILES = 2_000
_MOST_BYTES = 4_000_000
_LARGEST = 200_000
_SKIPPED = {".git", "node_modules", ".venv", "__pycache__"}
_ADDRESSES = re.compile(r"https?://\S+")


def leaking_part(address: str, known: str, root: str, opened: Iterable[str] = ()) -> str:
    """Return the decoded part of an address that would leak data, "" if there is none.

    `known` is what the user wrote and what searches found; text from it may leave. `root` is the
    workspace, whose files are searched for what the address carries, also across its parts and
    those of `opened`, the addresses opened before; complete addresses found in them may be opened.
    """
    heard = _letters(f"{known} {unquote_plus(known)}")
    host, said, names = _parts(address, heard)
    unknown = [*said, *names]
    together = "".join(unknown)
    for part in unknown:
        if len(part.encode()) >= _LONG or _decoded(part):
            return part
    if len(together.encode()) >= _LONG_TOGETHER or _decoded(together):
        return " ".join(unknown)
    if len(host) >= _LONG_HOST and _letters(host) not in heard:
        return host
    earlier = (_parts(each, heard) for each in opened)
    before = "".join(_letters("".join(words)) for there, words, _ in earlier if there == host)
    before = before[-_MOST_BEFORE:]
    runs = _runs(before + _letters(together), len(before))
    wanted = dict.fromkeys(runs, " ".join(unknown)) | {
        letters: part for part in unknown if len((letters := _letters(part)).encode()) >= _SHORTEST
    }
    for text in _texts(root) if wanted else ():
        letters = _letters(_ADDRESSES.sub(" ", text))
        for piece, part in wanted.items():
            if piece in letters:
                return part
    return ""


def _runs(letters: str, start: int) -> Iterator[str]:
    """Yield pieces of `_RUN` bytes that end behind `start`."""
    for at in range(0, len(letters), _STEP):
        piece = letters[at : at + _RUN].encode()[:_RUN].decode(errors="ignore")
        if len(piece.encode()) > _RUN - 4 and at + len(piece) > start:
            yield piece


def _parts(address: str, heard: str) -> tuple[str, list[str], list[str]]:
    """Return the host of an address, the parts around and after it that are not in `heard`, fully
    decoded, and such names of values in a query.
    """
    parts = urlsplit(address if "://" in address else f"https://{address}")
    user, _, _ = parts.netloc.rpartition("@")
    host = parts.hostname or ""
    with suppress(UnicodeError):
        host = host.encode().decode("idna")
    rest = (*user.split(":"), *host.split(".")[:-2], parts.path, parts.query, parts.fragment)
    found = [part.partition("=") for part in re.split(r"[/?&;#]", "/".join(rest))]
    values = [value if sign else text for text, sign, value in found]
    names = [name for name, sign, _ in found if sign]
    return host, _unheard(values, heard), _unheard(names, heard)


def _unheard(parts: list[str], heard: str) -> list[str]:
    for _ in range(_MOST_DECODED):
        parts = [*map(unquote_plus, parts)]
    return [part for part in parts if (said := _letters(part)) and said not in heard]


def _decoded(part: str) -> bool:
    """Return whether a part is text in base64, base32 or hexadecimal digits."""
    digits = re.sub(r"[^\w+=-]", "", part)  # also cut into pieces
    padded = digits.replace("-", "+").replace("_", "/").rstrip("=")
    if len(padded) < _ENCODED or not padded.isascii():
        return False
    for decode, block in (bytes.fromhex, 1), (base64.b64decode, 4), (base64.b32decode, 8):
        filled = padded + "=" * (-len(padded) % block)
        try:
            text = decode(filled.upper() if block == 8 else filled).decode()
        except ValueError:
            continue
        if all(char.isprintable() or char in "\n\t\r" for char in text):
            return True
    return False


def _letters(text: str) -> str:
    """Return the letters and digits of a text, which are the same however they are separated."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


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
