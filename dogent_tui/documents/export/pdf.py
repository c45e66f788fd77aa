"""Markdown as pdf: printed by a browser where there is one, else set by typst."""

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from dogent_tui.documents.export.body import Document
from dogent_tui.documents.export.browser import Browser, BrowserUnavailableError, find_browsers
from dogent_tui.documents.export.finish import Finished, finish, heading_pages, prepare
from dogent_tui.documents.export.formulas import to_mathml
from dogent_tui.documents.export.images import Images
from dogent_tui.documents.export.model import ExportRequest, ExportResult, Progress, unheard
from dogent_tui.documents.export.page import Page, contents_of, language_of
from dogent_tui.documents.export.source import FrontMatter, MarkdownSource, read_source
from dogent_tui.documents.export.styles import Style, built_in, find_style
from dogent_tui.documents.model import DocumentError
from dogent_tui.workspace.files import atomic_write

_BEYOND_LATIN = re.compile("[^\x00-\u024f\u2010-\u2027\u2030-\u203a\u20ac]")
"""What fonts of everybody's may not have."""
_CJK = re.compile("[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


class PdfExporter:
    """Makes pdf files, and keeps the browser warm between them. One for a session, on one event loop; close it at the end."""

    def __init__(self, find: Callable[[], Sequence[Path]] = find_browsers) -> None:
        """`find` names the browsers that may be used, in order; none of them starts before the first export."""
        self._browser = Browser(find)
        self._drawn: set[str] = set()
        """Characters that a font was seen to have: looking for them takes as long as all else together."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the browser. A later export starts it again."""
        await self._browser.close()

    async def export(self, request: ExportRequest, on_progress: Progress = unheard) -> ExportResult:
        """Make the pdf that `request` asks for. The target is replaced at the very end, or not at all. Raises DocumentError."""
        on_progress(f"Reading {request.markdown.name}")
        starting = asyncio.ensure_future(self._browser.start())  # while the text is read
        try:
            source = await asyncio.to_thread(read_source, request.markdown)
            done = await self._made(source, request, starting, on_progress)
        finally:
            starting.cancel()
            with suppress(asyncio.CancelledError, DocumentError):
                await starting
        finished, result = done
        on_progress(f"Writing {request.target.name}")
        try:
            await asyncio.to_thread(atomic_write, request.target, finished.pdf)
        except OSError as error:
            reason = (error.strerror or "the disk refused").lower()
            raise DocumentError(f"{request.target.name} cannot be written: {reason}.", "Choose another place.") from None
        return result

    async def _made(
        self, source: MarkdownSource, request: ExportRequest, starting: "asyncio.Future[None]", on_progress: Progress
    ) -> tuple[Finished, ExportResult]:
        style = await asyncio.to_thread(find_style, request.root, request.home)
        toc = request.toc if request.toc is not None else source.front.toc
        page, images_warned = await asyncio.to_thread(_compose, source, style, request.root, toc)
        if not self._browser.warm:
            on_progress("Starting the browser")
            await asyncio.gather(asyncio.to_thread(prepare), asyncio.wait([starting]))
        try:
            await starting
            on_progress("Printing")
            printed = await self._browser.print(page.html())
            if page.contents:
                pages = await asyncio.to_thread(heading_pages, printed.pdf)
                printed = await self._browser.print(page.html(pages))
        except BrowserUnavailableError as error:
            from dogent_tui.documents.export.typst import set_pdf  # on use

            on_progress("No browser: setting with typst")
            return await set_pdf(source, request, page, style, str(error))
        on_progress("Finishing")
        doubtful = set(_BEYOND_LATIN.findall(source.text)) - self._drawn
        finished = await asyncio.to_thread(
            finish,
            printed.pdf,
            properties(page.title, source.front),
            page.lang,
            [heading.text for heading in page.body.headings if heading.text],
            doubtful,
        )
        self._drawn |= finished.drawn
        warnings = (*source.warnings, *style.warnings, *images_warned, *page.body.warnings, *font_warnings(finished.missing))
        left_out = (*page.body.left_out, *style.left_out)
        return finished, ExportResult(
            path=request.target, engine=printed.engine, pages=finished.pages, warnings=warnings, left_out=left_out
        )


def _compose(source: MarkdownSource, style: Style, root: Path, toc: bool | None) -> tuple[Page, list[str]]:
    """Return the page of `source`, and what is to be said of its formulas. Blocks."""
    document = Document(source.text, Images(root, source.path.parent))
    mathml, warnings = to_mathml(document.formulas())
    body = document.write(mathml)
    title = source.front.title or body.title or (body.headings[0].text if body.headings else source.path.stem)
    contents = contents_of(body, source.front) if toc else ()
    lang = source.front.lang or language_of(source.text)
    return Page(title, lang, source.front, body, (built_in(), style.css), contents), warnings


def properties(title: str, front: FrontMatter) -> dict[str, str]:
    """Return what the pdf says about itself."""
    return {
        "title": title,
        "author": ", ".join(front.authors),
        "subject": front.subject or front.description,
        "keywords": ", ".join(front.keywords),
    }


def font_warnings(missing: str) -> list[str]:
    """Return what to say about the characters `missing`, that no font had."""
    if not missing:
        return []
    shown = " ".join(missing)
    if _CJK.search(missing):
        remedy = "Install a font for Chinese, Japanese and Korean (on Debian: fonts-noto-cjk; elsewhere: Noto Sans CJK)."
    else:
        remedy = "Install a font that has them (on Debian: fonts-noto-core, fonts-noto-color-emoji, fonts-symbola)."
    return [f"No font on this computer has {shown}: they are drawn as boxes. {remedy}"]
