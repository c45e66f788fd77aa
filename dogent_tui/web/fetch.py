"""Fetches the content of an address: a page as its article, a document as its text, an image as a
file.
"""

import asyncio
import os
import re
import shutil
import time
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import msgspec

from dogent_tui.documents.html.charset import decode
from dogent_tui.documents.library import DocumentLibrary, ReadResult
from dogent_tui.documents.model import DocumentError, ReadOptions, WebPage
from dogent_tui.documents.worker import worker_command
from dogent_tui.documents.workers import Limits as WorkerLimits
from dogent_tui.documents.workers import Workers
from dogent_tui.errors import disk_remedy
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.temporary import temporary_folder
from dogent_tui.web.address import Allowed
from dogent_tui.web.content_type import Sniffed, sniff
from dogent_tui.web.images import not_image, safe_stem, save_image
from dogent_tui.web.model import (
    DEFAULT_CHARS,
    HARDLY_LETTERS,
    FetchMode,
    FetchResult,
    WebError,
)

if TYPE_CHECKING:
    from dogent_tui.web.drawing_browser import DrawingBrowser
    from dogent_tui.web.guarded_connector import MakeResolver
    from dogent_tui.web.transport import Limits, Response, Transport

_PAGE_S = 2.5
"""The processor time in seconds for finding the article of a page; after that its plain text is
used instead.
"""
_PLAIN_S = 1.2
"""The same for a block of that text."""
_PARTS_S = (7.0, 1.2)
"""How long filling a part of an article, or of a plain text, may take before a shorter one will
do.
"""
_AT_ONCE = max(2, min(os.cpu_count() or 1, 4))
"""The number of pages to read concurrently: more would only slow each other down."""
_EXTRACTORS = ("dogent_tui.web.article", "dogent_tui.web.boilerplate", "trafilatura")
"""Loaded before a page is read, so that it does not use the page's time."""
_PLAIN_READERS = ("dogent_tui.web.page",)
_DRAWN = tr("The page's scripts were run in a browser to get its text.")
_CUT = tr("The server sent only the beginning of this content.")
_MOST_PAGE_BYTES = 12 << 20
"""The size of a page; the rest is not read. Decoding all of 48 MB would block the application."""
_FRESH_S = 600.0
_MOST_KEPT = 32
_MOST_KEPT_BYTES = 96 << 20
_OFFICE = "application/vnd.openxmlformats-officedocument"
_PACKED = {
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text",
    "epub": "application/epub+zip",
}
"""Media types of documents that look like any other zip file until they are read."""
_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}")


class _Kept(msgspec.Struct):
    """Fetched content, in a file of ours: as it came, or as UTF-8 if it is text.

    `plain`: its article could not be found in time; `drawn`: rendering it was tried. `until` is a
    time of `time.monotonic`.
    """

    response: "Response"
    sniffed: Sniffed
    path: Path
    until: float
    bytes: int
    plain: bool = False
    drawn: bool = False


class Fetcher:
    """Fetches for one session and one event loop. Cheap to create: nothing is started before the
    first fetch.

    Args:
        images: The folder for images, created on demand.
        root: Image snippets name files relative to it.
        documents: Reads what is not a page.
        allow: The private hosts and addresses that the settings name, exactly: ``wiki.corp``,
            ``10.1.2.3``, ``[fd00::1]``, each with or without a port.
        proxy: The address of a deliberately configured proxy, which sees the addresses instead of
            the guard.
        patience_s: How long to wait for all of the part that was asked for, by default until a
            shorter one will do.
        limits: For tests.
        make_resolver: For tests.
    """

    def __init__(
        self,
        images: Path,
        root: Path,
        *,
        documents: DocumentLibrary,
        allow: Collection[str] = (),
        proxy: str = "",
        patience_s: float | None = None,
        limits: "Limits | None" = None,
        make_resolver: "MakeResolver | None" = None,
    ) -> None:
        self._images, self._root = images, root
        self._allowed = Allowed.of(allow)
        self._proxy, self._limits, self._make_resolver = proxy, limits, make_resolver
        self._documents, self._patience_s = documents, patience_s
        self._transport: Transport | None = None
        self._open = ExitStack()
        self._folder: Path | None = None
        self._pages: tuple[DocumentLibrary, DocumentLibrary] | None = None
        self._browser: DrawingBrowser | None = None
        self._kept: dict[str, _Kept] = {}
        self._count = 0

    async def fetch(
        self,
        url: str,
        *,
        mode: FetchMode = "auto",
        max_chars: int = DEFAULT_CHARS,
        offset: int = 0,
        filename: str = "",
        allow: Collection[str] = (),
    ) -> FetchResult:
        """Return the content of `url`.

        `filename` is the name for an image. `allow` are private hosts that the user named and
        approved, this time (see `WebError.host`). Raises WebError.
        """
        allowed = self._allowed | Allowed.of(allow)
        kept = self._find(url, allowed) or await self._get(url, allowed)
        if mode == "image" or (mode == "auto" and kept.sniffed.kind == "image"):
            return await self._image(url, kept, filename)
        return await self._text(url, kept, max_chars, offset)

    async def close(self) -> None:
        """Forget what was fetched, and end the processes that read it. Saved images stay."""
        self._kept.clear()
        browser, self._browser = self._browser, None
        if browser is not None:
            await browser.close()
        pages, self._pages = self._pages, None
        for library in pages or ():
            await library.close()
        self._folder = None
        await asyncio.to_thread(self._open.close)

    def _find(self, url: str, allowed: Allowed) -> _Kept | None:
        """Return what was fetched recently, unless it came from where this call may not go."""
        kept = self._kept.get(url.strip())
        if (
            kept is None
            or kept.until < time.monotonic()
            or not all(allowed.permits(*place) for place in kept.response.private)
        ):
            return None
        return kept

    async def _get(self, url: str, allowed: Allowed) -> _Kept:
        if self._transport is None:
            self._transport = await asyncio.to_thread(self._make_transport)
        response = await self._transport.get(url, allowed)
        try:
            if self._folder is None:
                self._folder = await asyncio.to_thread(self._open.enter_context, temporary_folder())
            self._count += 1
            kept = await asyncio.to_thread(_keep, response, self._folder / str(self._count))
        except OSError as error:
            raise WebError(
                tr(
                    "The fetched content could not be saved for reading: {strerror}.",
                    strerror=error.strerror or error,
                ),
                disk_remedy(error),
            ) from error
        self._kept.pop(url.strip(), None)
        self._kept[url.strip()] = kept
        await asyncio.to_thread(self._drop_old)
        return kept

    def _make_transport(self) -> "Transport":
        """Return it; in a thread, since its libraries take time to import."""
        from dogent_tui.web.transport import Limits, Transport

        return Transport(
            self._limits or Limits(), proxy=self._proxy, make_resolver=self._make_resolver
        )

    def _drop_old(self) -> None:
        """Keep the latest ones, within the size limit. Blocks."""
        left = _MOST_KEPT_BYTES
        for number, (url, kept) in enumerate(reversed(list(self._kept.items()))):
            left -= kept.bytes
            if number and (number >= _MOST_KEPT or left < 0):
                self._kept.pop(url, None)
                shutil.rmtree(kept.path.parent, ignore_errors=True)

    async def _image(self, url: str, kept: _Kept, filename: str) -> FetchResult:
        if kept.sniffed.kind != "image":
            raise not_image(kept.sniffed.what or _WHAT[kept.sniffed.kind])
        name = filename or kept.path.name
        body = await asyncio.to_thread(kept.path.read_bytes)
        image = await save_image(body, self._images, self._root, name)
        return _result(url, kept, format="image", image=image)

    async def _text(self, url: str, kept: _Kept, max_chars: int, offset: int) -> FetchResult:
        if kept.sniffed.kind in {"image", "other"}:
            raise WebError(
                tr(
                    "The content at this address is {what}, which has no text to read.",
                    what=kept.sniffed.what or _WHAT[kept.sniffed.kind],
                ),
                tr("Use mode image to save it.")
                if kept.sniffed.kind == "image"
                else tr("Find a page that describes it."),
                code="unsupported",
            )
        try:
            if kept.sniffed.kind != "page":
                read = await self._documents.read(kept.path, max_chars=max_chars, offset=offset)
            else:
                read = await self._page(kept, max_chars, offset)
                if not offset and await self._is_drawn(kept, read):
                    read = await self._page(kept, max_chars, offset)
                    read = msgspec.structs.replace(read, warnings=(*read.warnings, _DRAWN))
        except DocumentError as error:
            raise WebError(error.message, error.remedy, code=error.code) from error
        result = _result(
            url,
            kept,
            format=read.format,
            text=read.text,
            title=_said(read, "title"),
            author=_said(read, "author"),
            date=_said(read, "date"),
            offset=read.offset,
            next_offset=read.next_offset,
            total_chars=read.total_chars,
            warnings=(*[_CUT] * kept.response.is_cut, *read.warnings),
        )
        return msgspec.structs.replace(
            result, content_type=_PACKED.get(read.format, result.content_type)
        )

    async def _page(self, kept: _Kept, max_chars: int, offset: int) -> ReadResult:
        """Read the article of a page or, if that takes too long, all of its text."""
        if self._pages is None:
            assert self._folder is not None
            articles = Workers(
                WorkerLimits(cpu_s=_PAGE_S),
                worker_command(preload=_EXTRACTORS),
                at_once=_AT_ONCE,
                kept=_AT_ONCE,
            )
            plain = Workers(
                WorkerLimits(cpu_s=_PLAIN_S),
                worker_command(preload=_PLAIN_READERS),
                at_once=_AT_ONCE,
            )
            article_s, plain_s = (self._patience_s or usual for usual in _PARTS_S)
            self._pages = (
                DocumentLibrary(self._folder / "pages", articles, full_page_s=article_s),
                DocumentLibrary(self._folder / "plain", plain, full_page_s=plain_s),
            )
        articles_of, texts_of = self._pages
        if not kept.plain:
            try:
                return await articles_of.read(
                    kept.path,
                    ReadOptions(page=WebPage(kept.response.url)),
                    max_chars=max_chars,
                    offset=offset,
                )
            except DocumentError:
                kept.plain = True
        try:
            options = ReadOptions(page=WebPage(kept.response.url, plain=True))
            return await texts_of.read(kept.path, options, max_chars=max_chars, offset=offset)
        except DocumentError as error:
            if error.code != "timeout":
                raise
            raise WebError(
                tr("{url} takes too long to read.", url=one_line(kept.response.url)[:160]),
                tr("Find a smaller page with the same content."),
                code="timeout",
            ) from None

    async def _is_drawn(self, kept: _Kept, read: ReadResult) -> bool:
        """Render a page without text that its scripts would fill, once, and return whether that
        changed it.
        """
        if kept.drawn or kept.plain or sum(map(str.isalnum, read.text)) > HARDLY_LETTERS:
            return False
        kept.drawn = True
        html = await asyncio.to_thread(kept.path.read_text, "utf-8", "replace")
        if "<script" not in html:
            return False
        from dogent_tui.web.drawing_browser import DrawingBrowser  # 0.4 s, and few pages need it

        if self._browser is None:
            self._browser = DrawingBrowser()
        transport, url = self._transport, kept.response.url
        assert transport is not None
        # A public page gets nothing private, and a private one only content from its own host.
        private = Allowed.of(
            f"{host}:{port}"
            for host, port, _ in kept.response.private
            if host == urlsplit(url).hostname
        )

        async def get(address: str) -> "Response":
            if kept.response.private and urlsplit(address).netloc != urlsplit(url).netloc:
                raise WebError(
                    tr("A private page can request only what is on its own host."),
                    code="private_address",
                )
            return await transport.get(address, private)

        try:
            drawn = await self._browser.draw(url, html, get)
        except (WebError, DocumentError):  # the lack of text has already been reported
            return False
        await asyncio.to_thread(kept.path.write_text, drawn, "utf-8", "replace")
        return True


def _keep(response: "Response", folder: Path) -> _Kept:
    """Write the content to a file in `folder`, which is created. Blocks."""
    sniffed, body = sniff(response.body, response.declared), response.body
    cut = sniffed.kind == "page" and len(body) > _MOST_PAGE_BYTES
    if cut:
        body = body[:_MOST_PAGE_BYTES]
    if sniffed.kind in {"page", "text"}:
        text, _ = decode(
            body, response.declared, markup=sniffed.kind == "page" or "xml" in sniffed.content_type
        )
        body = text.encode("utf-8", "replace")
    folder.mkdir()
    path = folder / _name(response, sniffed)
    path.write_bytes(body)
    return _Kept(
        msgspec.structs.replace(response, body=b""),
        sniffed,
        path,
        time.monotonic() + _FRESH_S,
        len(body),
        plain=cut,
    )


_WHAT = {
    "page": tr("a web page"),
    "text": tr("text"),
    "document": tr("a document"),
    "image": tr("an image"),
}


def _result(url: str, kept: _Kept, **more: Any) -> FetchResult:
    response = kept.response
    return FetchResult(url, response.url, response.fetched_at, kept.sniffed.content_type, **more)


def _said(read: ReadResult, key: str) -> str:
    value = read.metadata.get(key, "")
    return one_line(value) if isinstance(value, str) else ""


def _name(response: "Response", sniffed: Sniffed) -> str:
    """Return the name of a file, as given by its server or address, since errors contain it, with
    the right extension.
    """
    called = PurePosixPath(response.filename or unquote(urlsplit(response.url).path)).name
    suffix = PurePosixPath(called).suffix.lower()
    stem = safe_stem(
        called.removesuffix(PurePosixPath(called).suffix)
        or urlsplit(response.url).hostname
        or "page"
    )
    if sniffed.kind == "text":
        return f"{stem}.txt"  # shown as it is, whatever its name
    return stem + (sniffed.suffix or (suffix if _SUFFIX.fullmatch(suffix) else ""))
