"""Decodes bytes from the web: by a byte order mark, unambiguous UTF-8, the header, the page itself,
and finally a guess.
"""

import io
import re
from contextlib import suppress

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
"""Python codecs that are encodings of the web (https://encoding.spec.whatwg.org/): others run
programs, or are not for text.
"""
_MOST_WRONG = 0.002
"""The share of characters that may be wrong in a text whose encoding was declared: pages are
composed of parts.
"""
_WRONG = re.compile("[\ufffd\ue000-\uf8ff\x80-\x9f]|[\xc0-\xff][\xa1-\xff]{4,}")
"""What no text has: characters that do not exist, and words of accents alone, as other scripts
look in Western encodings.
"""
_WORDS = re.compile(rb"[^\x00-\x7f][^<>]*")


def decode(body: bytes, content_type: str, *, markup: bool) -> tuple[str, str]:
    """Return `body` as text, and the name of the codec. `markup`: it may declare its own
    encoding.
    """
    codec, mark = read_bom(body)
    if codec and mark:
        return to_unicode(body[len(mark) :], codec), codec
    if not body.isascii():
        with suppress(UnicodeDecodeError):
            return body.decode("utf-8"), "utf-8"
    own = codec_for(html_body_declared_encoding(body) or "") if markup else ""
    own = "" if own.startswith("utf-16") else own  # a page that could declare it would not be in it
    codecs_named = [codec_for(http_content_type_encoding(content_type) or ""), own]
    named = list(dict.fromkeys(filter(None, codecs_named)))
    likely = [codec for codec in named if _share_wrong(body, codec) <= _MOST_WRONG]
    if len(likely) > 1:
        likely = [_most_likely(body, likely)]
    codec = likely[0] if likely else encoding_of(io.BytesIO(body)) or "cp1252"
    return body.decode(codec, "replace"), codec


def _share_wrong(body: bytes, codec: str) -> float:
    text = body.decode(codec, "replace")
    return sum(map(len, _WRONG.findall(text))) / max(1, len(text))


def _most_likely(body: bytes, named: list[str]) -> str:
    """Return which of the encodings declared by server and page is the one that the letters
    suggest; the page's if neither is.
    """
    words = b"\n".join(_WORDS.findall(body))
    text = words.decode(encoding_of(io.BytesIO(words)) or named[-1], "replace")
    return next((name for name in named if words.decode(name, "replace") == text), named[-1])


def codec_for(label: str) -> str:
    """Return Python's codec for the name of a web encoding, empty if it is not one for text."""
    try:
        name = resolve_encoding(label.strip().lower()) or ""
    except ValueError:
        return ""
    return name if _TEXT.fullmatch(name) else ""
