"""In which encoding a text file is: told by its marks and its bytes, without a word from its maker."""

import codecs
import re
from functools import cache
from typing import BinaryIO

_SAMPLE_BYTES = 262_144
"""What an encoding is told by, from the first byte on that is not ASCII."""
_WIDE_BYTES = 65_536

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_ASCII_TEXT = bytes(code for code in range(128) if not _CONTROLS.match(chr(code)))
"""What no text holds: all controls but those that lay text out, and the escape of colored logs."""
_MOST_CONTROLS = 0.02
_FEW_CONTROLS = 4
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]")

_RUN = re.compile(r"[^\x00-\x7f]{2,}")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fc]")
_LIKELY = 0.7
"""The share of common characters from which on a text is taken to be in an encoding."""
_CERTAIN = 0.95
_FEWEST_WIDE = 8
"""Bytes without a zero among them from which on a text may be UTF-16: any two letters look like a Chinese character."""
_CENTRAL = frozenset({"cp1250", "cp1254", "iso8859_2"})
_NOT_WESTERN = re.compile("[a-z][¹³¿¾¼¥£ª¯þðýœ]|[¹³¿¥£¯Þ][a-z]")
"""What Polish, Czech and Turkish texts are full of when they are taken for cp1252."""
_SINGLE_BYTE = ["cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256", "cp874", "iso8859_2"]


def encoding_of(file: BinaryIO) -> str:
    """Return the name of Python's codec for a text file, empty where it is no text. Reads up to the first byte beyond ASCII."""
    sample = file.read(_SAMPLE_BYTES)
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample:
        return _wide(sample)
    while sample.isascii():
        if _has_controls(len(sample.translate(None, _ASCII_TEXT)), len(sample)):  # hundreds of megabytes may come this way
            return ""
        if _ISO_2022_JP.search(sample):
            return "iso2022_jp"
        more = file.read(_SAMPLE_BYTES)
        if not more:
            return "utf-8"
        sample = more
    text = _decoded(sample, "utf-8")
    if text is not None:
        return "" if _is_binary(text) else "utf-8"
    return _legacy(sample)


def _decoded(sample: bytes, encoding: str) -> str | None:
    """Return the sample as text, None where it is not in this encoding. Only in a long one may the last character be cut."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample, final=len(sample) < _WIDE_BYTES)
    except UnicodeDecodeError:
        return None


def _is_binary(text: str) -> bool:
    return _has_controls(len(_CONTROLS.findall(text)), len(text))


def _has_controls(controls: int, length: int) -> bool:
    return controls > max(_FEW_CONTROLS, _MOST_CONTROLS * length)


def _wide(sample: bytes) -> str:
    """Return which UTF-16 or UTF-32 without a mark a text is in, empty where it is none."""
    sample = sample[:_WIDE_BYTES]
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        text = _decoded(sample, encoding)
        if text and not _is_binary(text) and sum(map(_is_plausible, text)) >= _CERTAIN * len(text):
            return encoding
    return ""


def _is_plausible(character: str) -> bool:
    """Tell whether texts are made of such characters; with the bytes the wrong way round they hardly ever are."""
    code = ord(character)
    if code < 0x0700:  # Latin, Greek, Cyrillic, Hebrew, Arabic
        return code >= 0x20 or character in "\t\n\r\f"
    return 0x2010 <= code <= 0x2122 or 0x3001 <= code <= 0x30FF or 0xFF01 <= code <= 0xFF5E or character in _east_asian()


def _legacy(sample: bytes) -> str:
    """Return the encoding of before Unicode in which the sample looks most like a text, empty where it looks like none.

    What nothing else explains is cp1252, which takes nearly every byte.
    """
    scores = {encoding: _likeness(sample, encoding) for encoding in _COMMON}
    best = max(scores, key=scores.__getitem__)
    if scores[best] >= _LIKELY:
        return best
    if _is_binary(sample.decode("latin-1")):
        return ""
    ascii_bytes = sum(0x20 <= byte < 0x7F for byte in sample[:_WIDE_BYTES])
    looks_wide = len(sample) >= _FEWEST_WIDE and ascii_bytes < 0.7 * min(len(sample), _WIDE_BYTES)
    return (looks_wide and _wide(sample)) or _single_byte(sample)


def _likeness(sample: bytes, encoding: str) -> float:
    """Return which share of the characters beyond ASCII is common in texts that are written in this encoding."""
    text = _decoded(sample, encoding)
    if text is None:
        return 0
    characters = [character for character in text if character > "\x7f"]
    if sum(map(len, _RUN.findall(text))) <= len(characters) / 2:
        return 0  # they stand alone, as accents and signs between ASCII do
    share = sum(map(_common(encoding).__contains__, characters)) / len(characters)
    if encoding in {"cp932", "euc_jp"} and len(_KANA.findall(text)) < 0.1 * len(characters):
        return share / 2  # Japanese without kana is Chinese
    if encoding == "cp949" and share < _CERTAIN:
        return share / 2  # half of Chinese looks like Hangul, but no Korean has so much else
    return share


_COMMON: dict[str, tuple[int, int]] = {
    "cp949": (0xB0, 0xC8),  # Hangul of KS X 1001
    "cp932": (0x88, 0x98),  # first level of JIS X 0208
    "euc_jp": (0xB0, 0xCF),
    "gb18030": (0xB0, 0xD7),  # first level of GB 2312
    "big5hkscs": (0xA4, 0xC6),  # frequently used characters of Big5
}
"""The first bytes of the common characters: each standard puts the rare ones apart. In the order of preference."""


@cache
def _common(encoding: str) -> frozenset[str]:
    first, last = _COMMON[encoding]
    trails = range(0x40 if encoding in {"cp932", "big5hkscs"} else 0xA1, 0xFF)
    pairs = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in trails)
    letters = "".join(pair.decode(encoding, "ignore") for pair in pairs)
    if encoding in {"cp932", "euc_jp"}:
        letters += "".join(map(chr, range(0x3041, 0x30FF)))
    return frozenset(character for character in letters if character > "\x7f") | _punctuation()


@cache
def _punctuation() -> frozenset[str]:
    return frozenset("　、。，．：；？！“”‘’「」『』（）《》〈〉【】〔〕—…·・～－／％") | frozenset(
        map(chr, range(0xFF10, 0xFF5B))
    )


@cache
def _east_asian() -> frozenset[str]:
    return frozenset().union(*map(_common, _COMMON))


def _single_byte(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    western = _decoded(sample, "cp1252")
    best = from_bytes(sample[:_WIDE_BYTES], cp_isolation=_SINGLE_BYTE).best()
    found = best.encoding if best is not None and _decoded(sample, best.encoding) is not None else "cp1252"
    if found in _CENTRAL and western is not None and not _NOT_WESTERN.search(western):
        return "cp1252"
    return found
