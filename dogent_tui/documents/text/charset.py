"""In which encoding a text file is: told by its marks and its bytes, without a word from its maker.

What is older than Unicode is weighed by chardet and by the letters that it would be of
(`likelihood.py`): of 1,362 tables and sentences in 32 languages, most of them short, both together
tell 1,340, the letters alone 1,321, chardet with rules of spelling 1,151. chardet knows encodings
that nobody has a document in, so it is given those to choose from that somebody has.
"""

import codecs
import math
import re
from collections.abc import Mapping
from typing import BinaryIO

from dogent_tui.documents.text.likelihood import log_likelihood

_SAMPLE_BYTES = 262_144
"""What an encoding is told by, from the first byte on that is not ASCII."""
_WEIGHED_BYTES = 65_536
_LETTER_BYTES = 4096
"""What is weighed by its letters: each guess decodes as much."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\v\f\r\x1b"})
"""What no text holds: all controls but those that lay text out, and the escape of colored logs."""
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
    "mac-roman": _WEST, "cp866": "ru",
}  # fmt: skip
"""Encodings of before Unicode, the most common first, with the languages written in them."""
_NO_CHARACTER = re.compile("[\x80-\x84\x86-\x9f\ue000-\uf8ff\ufdd0-\ufdef\ufeff\ufffe\uffff]")
"""What is assigned to nothing, or a control that nobody writes: the sign of a wrong encoding."""
_LETTER = re.compile(
    r"(?<=[^\W\d_])[^\x00-\x7f’](?=[^\W\d_])|[^\W\d_\x00-\x7fªµº]|(?<!\w)[ªº]|µ(?![a-zA-Z])"
)
"""A letter beyond ASCII, or a sign where one would be. In ``nº`` and ``µm`` they tell nothing."""
_TRUST = 2.0
"""How much chardet's word weighs beside the letters, and what it weighs where it says nothing."""
_NOTHING = 0.003
_MOST_TRUST = -_TRUST * math.log(_NOTHING)
_COMMON = 0.5
"""How much it weighs that an encoding is the more common one."""
_DOUBT = 2.0
"""Another guess that is as close in likelihood (its logarithm) may be as right."""


def encoding_of(file: BinaryIO) -> str:
    """Return the name of Python's codec for a text file, empty where it is no text. Reads up to
    the first byte beyond ASCII.
    """
    return next(iter(guessed(file)), "")


def guessed(file: BinaryIO) -> tuple[str, ...]:
    """Return the names of Python's codecs that a text file may be in, the likeliest first; none
    where it is no text. Reads up to the first byte beyond ASCII.
    """
    sample = file.read(_SAMPLE_BYTES)
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return (encoding,)
    while sample.isascii() and b"\0" not in sample:  # hundreds of megabytes may come this way
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
    """Return the encodings of a text of which each ASCII character is a byte."""
    if _is_binary(sample):
        return ()
    if _decoded(sample, "utf-8"):
        return ("utf-8",)
    western = _decoded(sample, "cp1252")
    if western and not _LETTER.search(western):
        return ("cp1252",)  # degrees, quotation marks and currencies, which tell nothing
    return _weighed(sample)


def _wide(sample: bytes) -> tuple[str, ...]:
    """Return which UTF-16 or UTF-32 without a mark a text is in: the one in which it has most
    line ends, digits and such.
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
    """Return which encoding of before Unicode the sample is in, with those that would make
    another text of it as likely.
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
    """Return how much chardet trusts each encoding, as a logarithm."""
    from chardet import detect_all  # a tenth of a second, for short texts

    guesses = detect_all(
        telling[:_WEIGHED_BYTES],
        ignore_threshold=True,
        compat_names=False,
        include_encodings=_OLDER,
    )
    found = {guess["encoding"]: guess["confidence"] for guess in guesses}
    return {name: _TRUST * math.log(found.get(name, 0) + _NOTHING) for name in _OLDER}


def _decoded(sample: bytes, encoding: str) -> str:
    """Return the sample as text, empty where it is not in this encoding. Only in a long one may
    the last character be cut.
    """
    is_whole = len(sample) < _WEIGHED_BYTES
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample, final=is_whole)
    except UnicodeDecodeError:
        return ""


def _is_binary(text: bytes) -> bool:
    controls = len(text) - len(text.translate(None, _CONTROLS))
    return controls > max(_FEW_CONTROLS, _MOST_CONTROLS * len(text))
