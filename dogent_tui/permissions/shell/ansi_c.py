"""The escapes of `$'…'` (bash manual 3.1.2.4)."""

import re

from dogent_tui.permissions.shell.text import DYNAMIC

_NAMED = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL)


def decode(text: str) -> str:
    """Return the text that `$'text'` stands for, its bytes read as UTF-8; those that are none are unknown. A NUL ends it."""
    bytewise = _ESCAPE.sub(_character, text).partition("\0")[0].encode("utf-8", "surrogateescape")
    return re.sub("[\ud800-\udfff]", DYNAMIC, bytewise.decode("utf-8", "surrogateescape"))


def _character(match: re.Match[str]) -> str:
    hexadecimal, short, long, octal, control, other = match.groups()
    if number := hexadecimal or short or long:
        code = int(number, 16)
        if hexadecimal:
            return _byte(code)
        return chr(code) if code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else DYNAMIC
    if octal:
        return _byte(int(octal, 8) & 0xFF)
    if control:
        return chr(ord(control[0].upper()) ^ 0x40)
    return _NAMED.get(other, "\\" + other)


def _byte(code: int) -> str:
    """Return a byte as a character; one of a longer sequence as Python's `surrogateescape` does, until it is put together."""
    return chr(code) if code < 0x80 else chr(0xDC00 + code)
