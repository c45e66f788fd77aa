"""Markdown as pdf: printed by a browser if there is one, otherwise set by typst."""

import asyncio
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from dogent_tui.documents.export.browser import Browser, BrowserUnavailableError, find_browsers
from dogent_tui.documents.export.diagrams import with_diagrams
from dogent_tui.documents.export.document import Document, read_document
from dogent_tui.documents.export.finish import finish, heading_pages, prepare
from dogent_tui.documents.export.links import whole
from dogent_tui.documents.export.model import (
    ExportRequest,
    ExportResult,
    Made,
    Progress,
    unheard,
    write_target,
)
from dogent_tui.documents.export.page import Page, compose
from dogent_tui.documents.export.styles import find_style
from dogent_tui.documents.export.tree import Handler, mapped, node
from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr
from dogent_tui.processes import Halt

_BEYOND_LATIN = re.compile("[^\x00-\u024f\u2010-\u2027\u2030-\u203a\u20ac]")
"""Characters that common fonts may not have."""
_TAG = re.compile("<annotation.*?</annotation>|<[^>]*>", re.DOTALL)
_CJK = re.compile(
    "[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)


class PdfExporter:
    """Creates pdf files, and keeps the browser warm between them. One per session, on one event
    loop; close it at the end.
    """

    def __init__(self, find: Callable[[], Sequence[Path]] = find_browsers) -> None:
        """`find` returns the browsers to try, in order; none of them starts before the first
        export.
        """
        self.browser = Browser(find)
        self._drawn: set[str] = set()
        """Characters known to be in a font: checking them takes as long as everything else
        together.
        """
        self._pages: Mapping[Path, Mapping[str, int]] = {}
        """The page of each heading of the last document: if none has moved, it is printed once."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the browser. A later export starts it again."""
        await self.browser.close()

    async def export(self, request: ExportRequest, on_progress: Progress = unheard) -> ExportResult:
        """Create the pdf for `request`. The target is replaced at the very end, or not at all.
        Raises DocumentError.
        """
        on_progress(tr("Reading {markdown}").format(markdown=request.markdown.name))
        starting = asyncio.ensure_future(self.browser.start())  # while the text is read
        halt = Halt()
        try:
            document = await asyncio.to_thread(read_document, request, halt)
            document = await with_diagrams(document, self.browser)
            page = await asyncio.to_thread(_compose, request, document, halt)
            made = await self._made(page, starting, on_progress)
        finally:
            halt.halt()  # a cancelled caller does not wait for programs
            starting.cancel()
            with suppress(asyncio.CancelledError, DocumentError):
                await starting
        on_progress("Finishing")
        finished = await asyncio.to_thread(
            finish,
            made.content,
            _properties(document),
            document.front.lang,
            {heading.name: heading.text for heading in document.headings if heading.text},
            _doubtful(page) - self._drawn,
        )
        self._drawn |= finished.drawn
        await asyncio.to_thread(write_target, request, finished.pdf)
        warnings = (*made.warnings, *page.style.warnings, *document.warnings)
        return ExportResult(
            path=request.target,
            engine=made.engine,
            pages=finished.pages,
            warnings=(*warnings, *font_warnings(finished.missing)),
            left_out=(*document.left_out, *page.style.left_out),
        )

    async def _made(
        self, page: Page, starting: "asyncio.Future[None]", on_progress: Progress
    ) -> Made:
        """Return the pdf of `page`, from the browser that is `starting` or from typst; directly
        from typst if notes have to be at the foot of their pages, which browsers do not support.
        """
        if page.document.front.notes_at_foot:
            return await _typeset(page, on_progress)
        if not self.browser.warm:
            on_progress(tr("Starting the browser"))
            await asyncio.gather(asyncio.to_thread(prepare), asyncio.wait([starting]))
        try:
            await starting
            on_progress("Printing")
            path = page.document.source.path
            expected = self._pages.get(path, {})
            printed = await self.browser.print(page.html(expected))
            # the page numbers are known only now; they do not change line breaks
            if page.document.contents:
                pages = await asyncio.to_thread(heading_pages, printed.content)
                if pages != expected:
                    printed = await self.browser.print(page.html(pages))
                self._pages = {path: pages}
            return Made(printed.content, printed.engine, page.warnings)
        except BrowserUnavailableError as error:
            made = await _typeset(page, on_progress)
            told = tr(
                "{message} The pdf was made with typst instead, in a simpler style. {remedy}"
            ).format(message=error.message, remedy=error.remedy)
            return Made(made.content, made.engine, (told, *made.warnings))


async def _typeset(page: Page, on_progress: Progress) -> Made:
    on_progress(tr("Typesetting with typst"))
    from dogent_tui.documents.export.typst import set_pdf  # on use

    made = await asyncio.to_thread(set_pdf, page.document)
    if page.style.path is None:
        return made
    told = tr("The styles of {path} were not used: typst made the pdf.")
    return Made(made.content, made.engine, (*made.warnings, told.format(path=page.style.path)))


def _compose(request: ExportRequest, document: Document, halt: Halt) -> Page:
    """Return the page of `document`. Blocks. Raises DocumentError."""
    links: dict[str, Handler] = {
        "Link": lambda link: [node("Link", [*link[:2], [whole(link[2][0]), link[2][1]]])]
    }
    document = replace(document, blocks=mapped(document.blocks, links))
    return compose(document, find_style(request.root, request.home), halt)


def _doubtful(page: Page) -> set[str]:
    """Return the characters of the page that possibly no font has."""
    found = set(_BEYOND_LATIN.findall(_TAG.sub("", page.body) + page.document.title))
    return {character for character in found if unicodedata.category(character)[0] in "LNPS"}


def _properties(document: Document) -> dict[str, str]:
    """Return the properties of the pdf."""
    front = document.front
    return {
        "title": document.title,
        "author": ", ".join(front.authors),
        "subject": front.subject or front.description,
        "keywords": ", ".join(front.keywords),
    }


def font_warnings(missing: str) -> list[str]:
    """Return the warning about the characters `missing` from all fonts."""
    if not missing:
        return []
    remedy = tr(
        "Install a font that includes them (on Debian: fonts-noto-core, fonts-noto-color-emoji,"
        " fonts-symbola)."
    )
    if _CJK.search(missing):
        remedy = tr(
            "Install a font for Chinese, Japanese and Korean (on Debian: fonts-noto-cjk; elsewhere:"
            " Noto Sans CJK)."
        )
    told = tr("No font on this computer includes {shown}: they appear as boxes. {remedy}")
    return [told.format(shown=" ".join(missing), remedy=remedy)]
