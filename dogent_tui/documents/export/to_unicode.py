"""What the letters of a printed pdf mean to who searches it or copies out of it.

Chromium names each glyph by the first character that its font draws with it, which for many Chinese
characters is a radical that merely looks the same (U+2F42 for U+6587): a search for the word finds
nothing. The tables that say so are set right here.
"""

import re
import unicodedata
from typing import Any

_LOOKALIKE = re.compile("[\u2e80-\u2fdf\uf900-\ufaff]")
"""Radicals, and characters that Unicode holds twice for the sake of older codes; nobody types
them.
"""

_SECTION = re.compile(rb"\d+\s+begin(bfchar|bfrange)\s(.*?)\send\1\s*", re.DOTALL)
"""A part of a CMap (Adobe Technical Note 5014, section 1.4.1)."""
_PAIR = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>")
_RANGE = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>")
_MOST_IN_SECTION = 100
"""As the technical note has it."""


def usual(character: str) -> str:
    """Return the character that `character` merely looks like, itself where there is none."""
    return unicodedata.normalize("NFKC", character) if _LOOKALIKE.match(character) else character


def correct(document: Any) -> None:
    """Set right the tables of all fonts in the open pdf `document` (of PyMuPDF)."""
    fonts = {
        entry[0]
        for number in range(document.page_count)
        for entry in document.get_page_fonts(number)
    }
    for font in fonts:
        kind, reference = document.xref_get_key(font, "ToUnicode")
        if kind == "xref":
            table = int(reference.split()[0])
            corrected = corrected_table(document.xref_stream(table))
            if corrected is not None:
                document.update_stream(table, corrected)


def corrected_table(table: bytes) -> bytes | None:
    """Return the CMap `table` set right, None where nothing is wrong with it, or it is not as
    Chromium writes it.
    """
    meanings: dict[bytes, str] = {}
    for section in _SECTION.finditer(table):
        if section[1] == b"bfchar":
            meanings |= {code.upper(): _text(text) for code, text in _PAIR.findall(section[2])}
            continue
        for first, last, text in _RANGE.findall(section[2]):
            start = _text(text)
            if len(start) != 1:
                return None
            for offset in range(int(last, 16) - int(first, 16) + 1):
                meanings[b"%0*X" % (len(first), int(first, 16) + offset)] = chr(ord(start) + offset)
    if not any(_LOOKALIKE.match(text) for text in meanings.values()):
        return None
    lines = [b"<%s> <%s>" % (code, _hex(usual(text))) for code, text in meanings.items()]
    parts = [
        lines[start : start + _MOST_IN_SECTION] for start in range(0, len(lines), _MOST_IN_SECTION)
    ]
    sections = b"".join(
        b"%d beginbfchar\n%s\nendbfchar\n" % (len(part), b"\n".join(part)) for part in parts
    )
    where = _SECTION.search(table)
    assert where is not None
    return table[: where.start()] + sections + _SECTION.sub(b"", table[where.end() :])


def _text(encoded: bytes) -> str:
    return bytes.fromhex(encoded.decode("ascii").zfill(4)).decode("utf-16-be", "replace")


def _hex(text: str) -> bytes:
    return text.encode("utf-16-be").hex().upper().encode("ascii")
