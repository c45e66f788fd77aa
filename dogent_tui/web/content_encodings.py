"""Decompresses content piece by piece, so that its size is known before it takes memory."""

import re
import zlib
from collections.abc import Iterator
from html import unescape
from typing import Protocol

from dogent_tui.language import tr
from dogent_tui.web.model import WebError

ENCODINGS = "gzip, deflate, br"
"""The encodings that we announce to servers."""

_STEP_BYTES = 1 << 20


class Decoder(Protocol):
    """Decodes content as it arrives."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded `data`, at most a megabyte at a time. Raises WebError (`damaged`)."""
        ...

    def finish(self) -> None:
        """Finish. Raises WebError (`damaged`) if the content is incomplete."""
        ...


def decoder_for(encoding: str) -> Decoder:
    """Return the decoder for a ``Content-Encoding``. Raises WebError (`unsupported`)."""
    names = [
        name
        for part in encoding.lower().split(",")
        if (name := part.strip()) not in {"", "identity"}
    ]
    if not names:
        return _Plain()
    if names in (["gzip"], ["x-gzip"]):
        return _Zlib(zlib.MAX_WBITS | 16)
    if names == ["deflate"]:
        return _Zlib(zlib.MAX_WBITS)
    if names == ["br"]:
        return _Brotli()
    raise WebError(
        tr(
            "The server uses a content encoding that was not requested ({join}).",
            join=", ".join(names)[:40],
        ),
        tr("Try another address for the same content."),
        code="unsupported",
    )


class _Plain:
    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        return


class _Zlib:
    """gzip (including several members) and deflate, with its header and, as some servers send it,
    without.
    """

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._inner = zlib.decompressobj(bits)
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        if data and not self._begun:
            self._begun = True
            if self._bits == zlib.MAX_WBITS and data[0] & 0x0F != 8:  # RFC 1950: no zlib header
                self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
        while data:
            if self._inner.eof:
                if not data.startswith(b"\x1f\x8b"):  # what follows the last member is padding
                    return
                self._inner = zlib.decompressobj(self._bits)
            try:
                yield self._inner.decompress(data, _STEP_BYTES)
            except zlib.error:
                raise _damaged() from None
            data = self._inner.unused_data if self._inner.eof else self._inner.unconsumed_tail

    def finish(self) -> None:
        if self._begun and not self._inner.eof:
            raise _damaged()


class _Brotli:
    def __init__(self) -> None:
        import brotli

        self._inner = brotli.Decompressor()
        self._error: type[Exception] = brotli.error
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._begun = self._begun or bool(data)
        while not self._inner.is_finished():
            try:
                piece = self._inner.process(data, output_buffer_limit=_STEP_BYTES)
            except self._error:
                raise _damaged() from None
            data = b""
            if piece:
                yield piece
            if self._inner.can_accept_more_data() and not piece:
                return

    def finish(self) -> None:
        if self._begun and not self._inner.is_finished():
            raise _damaged()


def _damaged() -> WebError:
    return WebError(
        tr("The content arrived damaged: it is not compressed as the server says."),
        tr("Try again, or try another address."),
        code="damaged",
    )


_ENDLESS = re.compile(r"&#[0-9]{1000,};?")
"""Python refuses to convert numbers with more than 4,300 digits to int."""


def unescaped(text: str) -> str:
    """Return untrusted `text` with its character references replaced; invalid ones become
    U+FFFD.
    """
    return unescape(_ENDLESS.sub("\ufffd", text))
