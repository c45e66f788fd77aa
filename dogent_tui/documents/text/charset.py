"""In which encoding a text file is: told by its marks and its bytes, without a word from its maker.

chardet weighs what is older than Unicode: of 99 short tables and sentences in twenty encodings it
told 90, charset-normalizer 60, our own rules before 70. It knows encodings that nobody has a
document in, so it is given those to choose from that somebody has.
"""

import codecs
import re
from typing import BinaryIO

_SAMPLE_BYTES = 262_144
"""What an encoding is told by, from the first byte on that is not ASCII."""
_WEIGHED_BYTES = 65_536
_WORD_BYTES = 8192
"""What is weighed of how words are spelled: each guess decodes as much."""

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
_OLDER = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874"),
    *("koi8-r", "iso8859-2", "iso8859-15", "gb18030", "big5hkscs", "cp932", "euc_jis_2004"),
    *("cp949", "cp850", "mac-roman"),
)
_NO_CHARACTER = re.compile("[\x80-\x84\x86-\x9f\ue000-\uf8ff\ufdd0-\ufdef\ufeff\ufffe\uffff]")
"""What is assigned to nothing, or a control that nobody writes: the sign of a wrong encoding."""
_WITHIN_WORD = re.compile(r"(?<=[^\W\d_])[^\x00-\x7f’](?=[^\W\d_])")
"""A character between two letters: the wrong encoding often has a sign or a capital there."""
_DOUBT = 0.5
"""Of the best guess's weight: another one that has as much may be as right."""


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
    if western and not any(letter > "\x7f" and letter.isalpha() for letter in western):
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
    from chardet import detect_all

    telling = b"\n".join(line for line in sample.split(b"\n") if not line.isascii())
    words = telling[:_WORD_BYTES]
    guesses = detect_all(
        telling[:_WEIGHED_BYTES],
        ignore_threshold=True,
        compat_names=False,
        include_encodings=_OLDER,
    )
    texts: dict[str, tuple[str, float]] = {}
    for guess in guesses:
        name = guess["encoding"] or ""
        text = _decoded(sample, name) if name in _OLDER else ""
        if text and not _NO_CHARACTER.search(text):
            texts.setdefault(
                text, (name, guess["confidence"] * _wordlike(words.decode(name, "replace")))
            )
    known = sorted(texts.values(), key=lambda guess: -guess[1]) or [("cp1252", 0.0)]
    least = _DOUBT * known[0][1] or 1.0
    return (known[0][0], *(name for name, weight in known[1:3] if weight >= least))


def _wordlike(text: str) -> float:
    """Return the share of characters within words that make no sign or capital of them."""
    within = [match for match in _WITHIN_WORD.finditer(text) if text[match.start() - 1].islower()]
    fitting = sum(match[0].islower() for match in within)
    return (fitting + 1) / (len(within) + 1)


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
