"""Control characters in editable text: shown in one cell each, and returned unchanged.

A text area lays text out by its width in cells. A control character has none, and a terminal would
execute it, so it cannot be part of the document. `carry` replaces each with a private code point of
plane 16 (one cell wide, used by no font), which the editor draws as a picture (``␛``); `release`
restores it when the text leaves the editor.
"""

import re

from dogent_tui.plain import OBEYED, newlines

_TAGS = 0xE0000
_CARRIED_TAGS = 0x10E000
_PLANE = 0x100000

_CARRIED = re.compile(
    f"[{chr(_PLANE)}-{chr(_PLANE + 0x9F)}"
    f"{chr(_PLANE + 0x2028)}-{chr(_PLANE + 0x202E)}{chr(_PLANE + 0x2066)}-{chr(_PLANE + 0x2069)}"
    f"{chr(_PLANE + 0xD800)}-{chr(_PLANE + 0xDFFF)}"
    f"{chr(_CARRIED_TAGS)}-{chr(_CARRIED_TAGS + 0x7F)}]"
)


def carry(text: str) -> str:
    """Return `text` with a harmless code point for each control character, and ``\\n`` for every
    line ending.
    """
    return OBEYED.sub(lambda match: _carrier(ord(match[0])), newlines(text))


def release(text: str) -> str:
    """Return the text that was passed to `carry` (apart from line endings)."""
    return _CARRIED.sub(lambda match: _original(ord(match[0])), text)


def pictures(text: str) -> str:
    """Return a carried `text` for drawing: of the same length, with a picture for each control
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
