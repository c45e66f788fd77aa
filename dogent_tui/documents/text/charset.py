"""Detects the encoding of a text file from its byte order mark and its bytes.

A legacy encoding is chosen by the likelihood of the letters that the text would have in it
(`likelihood.py`), and by chardet if that leaves a doubt: of 1,362 tables and sentences in 32
languages, most of them short, both together get 1,340 right, the letters alone 1,321, chardet with
spelling rules 1,151. chardet knows encodings that no document uses, so it chooses from a list.
"""

import codecs
import math
import re
from collections.abc import Mapping
from typing import BinaryIO

from dogent_tui.documents.text.likelihood import log_likelihood

_SAMPLE_BYTES = 262_144
"""The size of the sample, from the first byte that is not ASCII on."""
_WEIGHED_BYTES = 65_536
_LETTER_BYTES = 4096
"""The size of the sample whose letters are weighed: each candidate decodes it."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\v\f\r\x1b"})
"""What does not occur in text: all control characters except those for layout, and the escape of
colored logs.
"""
_MOST_CONTROLS = 0.02
_FEW_CONTROLS = 4
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]")
_UNICODE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_WEST, _MIDDLE = "fr de es pt it ca nl da sv is", "cs sk pl hu hr ro"
_OLDER: Mapping[str, str] = {
    "cp1252": _WEST, "cp1250": _MIDDLE, "cp1251": "ru uk bg sr be", "gb18030": "zh_cn",
    "cp932": "ja", "cp949": "ko", "big5hkscs": "zh_tw", "cp1254": "tr", "cp1253": "el",
    "cp1256": "ar", "cp1255": "he", "cp874": "th", "cp1257": "lt lv et", "koi8-r": "ru",
    "euc_jis_2004": "ja", "iso8859-2": _MIDDLE, "iso8859-15": _WEST, "cp850": _WEST,
    "mac-roman": _WEST, "cp866": "ru", "iso8859-5": "ru",
}  # fmt: skip
"""Legacy encodings, the most common first, with the languages written in them."""
_NO_CHARACTER = re.compile("[\x80-\x84\x86-\x9f\ue000-\uf8ff\ufdd0-\ufdef\ufeff\ufffe\uffff]")
"""Unassigned characters and unused control characters: a sign of the wrong encoding."""
_LETTER = re.compile(
    r"(?<=[^\W\d_])[^\x00-\x7f’](?=[^\W\d_])|[^\W\d_\x00-\x7fªµº]|(?<!\w)[ªº]|µ(?![a-zA-Z])"
)
"""A letter beyond ASCII, or a symbol where one would be. Those of ``nº`` and ``µm`` are not
informative.
"""
_TRUST = 2.0
"""The weight of chardet's confidence, and the confidence in encodings that it does not list."""
_NOTHING = 0.003
_MOST_TRUST = -_TRUST * math.log(_NOTHING)
_COMMON = 0.5
"""The weight of how common an encoding is."""
_BROKEN = 0.1
"""The share of broken characters up to which a text is UTF-8: in any other encoding, hardly a
sequence of bytes is valid UTF-8.
"""
_DOUBT = 2.0
"""Another candidate whose log-likelihood is this close is just as likely."""


def encoding_of(file: BinaryIO) -> str:
    """Return the Python codec of a text file, empty if it is not text. Reads up to the first byte
    beyond ASCII.
    """
    return next(iter(guessed(file)), "")


def guessed(file: BinaryIO) -> tuple[str, ...]:
    """Return the possible Python codecs of a text file, the most likely first; empty if it is not
    text. Reads up to the first byte beyond ASCII.
    """
    sample = file.read(_SAMPLE_BYTES)
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return (encoding,)
    while sample.isascii() and b"\0" not in sample:  # there may be hundreds of megabytes
        if _is_binary(sample):
            return ()
        if _ISO_2022_JP.search(sample):
            return ("iso2022_jp",)
        more = file.read(_SAMPLE_BYTES)
        if not more:
            return ("utf-8",)
        sample = more
    return _wide(sample) if b"\0" in sample else _narrow(sample)


def _narrow(sample: bytes) -> tuple[str, ...]:
    """Return the encodings of a text in which ASCII characters are single bytes."""
    if _is_binary(sample):
        return ()
    beyond = [character for character in sample.decode("utf-8", "replace") if character > "\x7f"]
    if beyond.count("\ufffd") <= _BROKEN * len(beyond):
        return ("utf-8",)
    western = _decoded(sample, "cp1252")
    if western and not _LETTER.search(western):
        # degree signs, quotation marks and currencies, which are not informative
        return ("cp1252",)
    return _weighed(sample)


def _wide(sample: bytes) -> tuple[str, ...]:
    """Return which UTF-16 or UTF-32 a text without a byte order mark is in: the one with the most
    line breaks, digits and the like.
    """
    texts = {encoding: _decoded(sample, encoding) for encoding in _UNICODE}
    signs = {
        name: sum(" " <= sign <= "~" or sign == "\n" for sign in text)
        for name, text in texts.items()
        if not _is_binary(text.encode("utf-8", "replace"))
    }
    best = max(signs, key=signs.__getitem__, default="")
    return (best,) if best and signs[best] and not _NO_CHARACTER.search(texts[best]) else ()


def _weighed(sample: bytes) -> tuple[str, ...]:
    """Return the encoding older than Unicode of the sample, followed by those that are just as
    likely with a different result.
    """
    telling = b"\n".join(line for line in sample.split(b"\n") if not line.isascii())
    texts: dict[str, tuple[float, str]] = {}
    for rank, (name, languages) in enumerate(_OLDER.items(), 1):
        text = _decoded(sample, name)
        if text and not _NO_CHARACTER.search(text):
            letters = telling[:_LETTER_BYTES].decode(name, "ignore")
            weight = log_likelihood(letters, languages) - _COMMON * math.log(rank)
            texts[text] = max(texts.get(text, (-math.inf, "")), (weight, name))
    known = sorted(texts.values(), reverse=True) or [(0.0, "cp1252")]
    if len(known) > 1 and known[0][0] - known[1][0] < _MOST_TRUST + _DOUBT:
        trust = _trust(telling)
        known = sorted(((weight + trust[name], name) for weight, name in known), reverse=True)
    return tuple(name for weight, name in known[:3] if weight >= known[0][0] - _DOUBT)


def _trust(telling: bytes) -> Mapping[str, float]:
    """Return chardet's confidence in each encoding, as a logarithm."""
    from chardet import detect_all  # takes 0.1 s

    guesses = detect_all(
        telling[:_WEIGHED_BYTES],
        ignore_threshold=True,
        compat_names=False,
        include_encodings=_OLDER,
    )
    found = {guess["encoding"]: guess["confidence"] for guess in guesses}
    return {name: _TRUST * math.log(found.get(name, 0) + _NOTHING) for name in _OLDER}


def _decoded(sample: bytes, encoding: str) -> str:
    """Decode the sample, empty if it is not in this encoding. Only in a long one may the last
    character be cut off.
    """
    is_whole = len(sample) < _WEIGHED_BYTES
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample, final=is_whole)
    except UnicodeDecodeError:
        return ""


def _is_binary(text: bytes) -> bool:
    controls = len(text) - len(text.translate(None, _CONTROLS))
    return controls > max(_FEW_CONTROLS, _MOST_CONTROLS * len(text))
