"""Bytes of the web as text: a mark, UTF-8 that cannot be anything else, the header, the page
itself, and at last a guess.
"""

import codecs
import io
import re
from email.message import Message

from dogent_tui.documents.text.charset import encoding_of

_PRESCAN_BYTES = 4096
_META = re.compile(
    rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([a-zA-Z0-9_.:-]{2,40})""", re.IGNORECASE
)
_XML = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([a-zA-Z0-9_.:-]{2,40})["']""")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like UTF-16's
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MEANT = {
    # https://encoding.spec.whatwg.org/#names-and-labels: what browsers take these names for
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_UNKNOWN_TO_PYTHON = {
    "windows-874": "cp874", "x-sjis": "cp932", "x-gbk": "gb18030", "iso-8859-8-i": "iso8859-8",
}  # fmt: skip
_OTHERS = frozenset({
    "gb18030", "cp932", "cp949", "big5hkscs", "euc_jp", "iso2022_jp", "koi8-r", "koi8-u",
    "mac-roman",
})  # fmt: skip
_KNOWN = re.compile(r"utf-(?:8|16|16-le|16-be)|iso8859-\d+|cp125\d|cp86[26]|cp874")
_MOST_WRONG = 0.002
"""The share of characters that may be wrong in a text whose encoding was declared: pages are put
together from parts.
"""
_WRONG = "\ufffd"
_SAMPLE_BYTES = 200_000


def decode(body: bytes, content_type: str, *, markup: bool) -> tuple[str, str]:
    """Return `body` as text, and the name of the codec. `markup`: it may say itself what it is
    written in.
    """
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body.decode(codec, "replace").lstrip("\ufeff"), codec
    if not body.isascii() and (text := _strictly_utf8(body)) is not None:
        return text, "utf-8"
    head = body[:_PRESCAN_BYTES] if markup else b""
    own = [
        match[1].decode("ascii")
        for pattern in (_META, _XML)
        if (match := pattern.search(head)) is not None
    ]
    # a page that could say that it is UTF-16 would not be in it
    codecs_named = [
        codec_for(_header_charset(content_type)),
        *(name for name in map(codec_for, own) if name[:6] != "utf-16"),
    ]
    likely = [
        codec
        for codec in dict.fromkeys(filter(None, codecs_named))
        if _share_wrong(body, codec) <= _MOST_WRONG
    ]
    if len(likely) > 1:
        likely = [_most_likely(body, likely)]
    codec = likely[0] if likely else encoding_of(io.BytesIO(body)) or "cp1252"
    return body.decode(codec, "replace"), codec


def _share_wrong(body: bytes, codec: str) -> float:
    text = body.decode(codec, "replace")
    return text.count(_WRONG) / max(1, len(text))


def _most_likely(body: bytes, named: list[str]) -> str:
    """Return which of the encodings that server and page name the bytes are in; the page's,
    where they do not tell.
    """
    from charset_normalizer import from_bytes

    words = (
        b" ".join(re.findall(rb"[^\x00-\x7f][^<>]{0,200}", body[:_SAMPLE_BYTES]))
        or body[:_SAMPLE_BYTES]
    )
    best = from_bytes(
        words, cp_isolation=named, threshold=1.0, preemptive_behaviour=False, language_threshold=0.0
    ).best()
    found = codec_for(best.encoding.replace("_", "-")) if best is not None else ""
    return found if found in named else named[-1]


def codec_for(label: str) -> str:
    """Return Python's codec for the name of an encoding as the web writes it, empty for what is
    none of text.
    """
    label = label.strip().strip("\"'").lower()
    try:
        name = codecs.lookup(_UNKNOWN_TO_PYTHON.get(label, label)).name if label else ""
    except (LookupError, ValueError):
        return ""
    name = _MEANT.get(name, name)
    return name if name in _OTHERS or _KNOWN.fullmatch(name) else ""


def _strictly_utf8(body: bytes) -> str | None:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _header_charset(content_type: str) -> str:
    message = Message()
    message["Content-Type"] = "".join(
        character for character in content_type if character.isprintable()
    )
    try:
        return message.get_content_charset("")
    except (LookupError, ValueError, UnicodeError):
        return ""
