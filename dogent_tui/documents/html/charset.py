"""Bytes of the web as text: a mark, UTF-8 that cannot be anything else, the header, the page
itself, and at last a guess.
"""

import io
import re

from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    read_bom,
    resolve_encoding,
    to_unicode,
)

from dogent_tui.documents.text.charset import encoding_of

_TEXT = re.compile(
    r"utf-(?:8|16|16-[lb]e)|iso8859-\d+|cp125\d|cp86[26]|cp874|gb18030|cp932|cp949|big5hkscs"
    r"|euc_jp|iso2022_jp|koi8-[ru]|mac-roman"
)
"""Codecs of Python's that are encodings of the web (https://encoding.spec.whatwg.org/): others run
programs, or are none of text.
"""
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
    codec, mark = read_bom(body)
    if codec and mark:
        return to_unicode(body[len(mark) :], codec), codec
    if not body.isascii() and (text := _strictly_utf8(body)) is not None:
        return text, "utf-8"
    own = codec_for(html_body_declared_encoding(body) or "") if markup else ""
    own = "" if own.startswith("utf-16") else own  # a page that could say so would not be in it
    codecs_named = [codec_for(http_content_type_encoding(content_type) or ""), own]
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
    try:
        name = resolve_encoding(label.strip().lower()) or ""
    except ValueError:
        return ""
    return name if _TEXT.fullmatch(name) else ""


def _strictly_utf8(body: bytes) -> str | None:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return None
