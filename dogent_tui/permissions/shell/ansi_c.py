"""The escapes of `$'…'` (bash manual 3.1.2.4)."""

import re

_NAMED = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL)


def decode(text: str) -> str:
    """Return the text that `$'text'` stands for. Bytes above 0x7f keep their number as a character; a NUL ends it."""
    return _ESCAPE.sub(_character, text).partition("\0")[0]


def _character(match: re.Match[str]) -> str:
    hexadecimal, short, long, octal, control, other = match.groups()
    if number := hexadecimal or short or long:
        code = int(number, 16)
        return chr(code) if code <= 0x10FFFF else match[0]
    if octal:
        return chr(int(octal, 8) & 0xFF)
    if control:
        return chr(ord(control[0].upper()) ^ 0x40)
    return _NAMED.get(other, "\\" + other)
