"""Control characters in an editable text: shown, one cell each, and given back unchanged.

A text area lays text out by its width in cells. A control character has none, and a terminal would
obey it, so it cannot stand in the document. `carry` exchanges each for a private code point of
plane 16 (one cell wide, used by no font); the editor draws that as a picture (``␛``), and `release`
turns it back when the text leaves the editor.
"""

import re

_TAGS = 0xE0000
_CARRIED_TAGS = 0x10E000
_PLANE = 0x100000

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, DEL, C1
    "\u2028\u2029"  # line and paragraph separators, at which `str.splitlines` would cut
    # bidirectional overrides: they show a text in another order than it has
    "\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff"  # lone surrogates, which no terminal encoding holds
    "\U000e0000-\U000e007f]"  # tags: invisible text
)
_CARRIED = re.compile(
    f"[{chr(_PLANE)}-{chr(_PLANE + 0x9F)}"
    f"{chr(_PLANE + 0x2028)}-{chr(_PLANE + 0x202E)}{chr(_PLANE + 0x2066)}-{chr(_PLANE + 0x2069)}"
    f"{chr(_PLANE + 0xD800)}-{chr(_PLANE + 0xDFFF)}"
    f"{chr(_CARRIED_TAGS)}-{chr(_CARRIED_TAGS + 0x7F)}]"
)


def newlines(text: str) -> str:
    """Return `text` with every line ending as ``\\n``."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def carry(text: str) -> str:
    """Return `text` with one harmless code point for each control character, and ``\\n`` for
    every line ending.
    """
    return _OBEYED.sub(lambda match: _carrier(ord(match[0])), newlines(text))


def release(text: str) -> str:
    """Return the text that `carry` was given (line endings apart)."""
    return _CARRIED.sub(lambda match: _original(ord(match[0])), text)


def pictures(text: str) -> str:
    """Return a carried `text` to be drawn: as many characters, a picture for each control
    character.
    """
    return _CARRIED.sub(lambda match: _picture(ord(_original(ord(match[0])))), text)


def _carrier(code: int) -> str:
    return chr(code - _TAGS + _CARRIED_TAGS if code >= _TAGS else code + _PLANE)


def _original(code: int) -> str:
    is_tag = _CARRIED_TAGS <= code <= _CARRIED_TAGS + 0x7F
    return chr(code - _CARRIED_TAGS + _TAGS if is_tag else code - _PLANE)


def _picture(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)  # Unicode's Control Pictures follow the order of C0
    return "␡" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"
