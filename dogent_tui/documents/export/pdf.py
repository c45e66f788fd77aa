"""Markdown as pdf: printed by a browser if there is one, otherwise set by typst."""

import asyncio
import re
import unicodedata

from msgspec.structs import replace

from dogent_tui.documents.export.browser import Browser, BrowserUnavailableError
from dogent_tui.documents.export.document import Document
from dogent_tui.documents.export.finish import finish, heading_pages, prepare
from dogent_tui.documents.export.model import ExportRequest, Made, Progress
from dogent_tui.documents.export.page import Page, compose
from dogent_tui.documents.export.styles import find_style
from dogent_tui.language import tr
from dogent_tui.processes import Halt

_BEYOND_LATIN = re.compile("[^\x00-\u024f\u2010-\u2027\u2030-\u203a\u20ac]")
"""Characters that common fonts may not have."""
_TAG = re.compile("<annotation.*?</annotation>|<[^>]*>", re.DOTALL)
_CJK = re.compile(
    "[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)


async def make_pdf(
    browser: Browser,
    request: ExportRequest,
    document: Document,
    starting: "asyncio.Future[None]",
    on_progress: Progress,
    halt: Halt,
) -> Made:
    """Return `document` as a pdf, made by the `browser` that is `starting`, otherwise by typst.
    Typst is also used for notes at the foot of their pages, which no browser supports. Raises
    DocumentError.
    """
    style = await asyncio.to_thread(find_style, request.root, request.home)
    page = await asyncio.to_thread(compose, document, style, halt)
    if document.front.notes_at_foot:
        made = await _typeset(page, on_progress)
    else:
        try:
            made = await _printed(browser, page, starting, on_progress)
        except BrowserUnavailableError as error:
            made = await _typeset(page, on_progress)
            instead = tr(
                "{message} The pdf was made with typst instead, in a simpler style. {remedy}",
                message=error.message,
                remedy=error.remedy,
            )
            made = replace(made, warnings=(instead, *made.warnings))
    on_progress(tr("Finishing"))
    made, missing = await asyncio.to_thread(finish, made, document, _doubtful(page))
    warnings = (*made.warnings, *style.warnings, *font_warnings(missing))
    return replace(made, warnings=warnings, left_out=style.left_out)


async def _printed(
    browser: Browser, page: Page, starting: "asyncio.Future[None]", on_progress: Progress
) -> Made:
    """Return `page` as printed by the browser. Raises DocumentError."""
    if not browser.warm:
        on_progress(tr("Starting the browser"))
        await asyncio.gather(asyncio.to_thread(prepare), asyncio.wait([starting]))
    await starting
    on_progress(tr("Printing"))
    printed = await browser.print(page.html())
    if page.document.contents:
        # the page numbers are known only now; they do not change line breaks
        pages = await asyncio.to_thread(heading_pages, printed.content)
        printed = await browser.print(page.html(pages))
    return replace(printed, warnings=page.warnings)


async def _typeset(page: Page, on_progress: Progress) -> Made:
    on_progress(tr("Typesetting with typst"))
    from dogent_tui.documents.export.typst import set_pdf  # on use

    made = await asyncio.to_thread(set_pdf, page.document)
    if page.style.path is None:
        return made
    unused = tr("The styles of {path} were not used: typst made the pdf.", path=page.style.path)
    return replace(made, warnings=(*made.warnings, unused))


def _doubtful(page: Page) -> set[str]:
    """Return the characters of the page that possibly no font has."""
    found = set(_BEYOND_LATIN.findall(_TAG.sub("", page.body) + page.document.title))
    return {character for character in found if unicodedata.category(character)[0] in "LNPS"}


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
    return [
        tr(
            "No font on this computer includes {shown}: they appear as boxes. {remedy}",
            shown=" ".join(missing),
            remedy=remedy,
        )
    ]
