"""Mermaid diagrams, drawn in the browser that prints.

The library is in the wheel (1 MB packed), as nothing may be fetched for a document. It runs in a
context of its own, without network and files, and only a drawing cleaned by `clean_svg` enters a
document, like any other image.
"""

import asyncio
import gzip
import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import replace

from dogent_tui.documents.export import tree
from dogent_tui.documents.export.browser import Browser, BrowserUnavailableError
from dogent_tui.documents.export.document import Document
from dogent_tui.documents.export.images import DRAWN_IN_PART, own_width
from dogent_tui.documents.export.left_out import LeftOut
from dogent_tui.documents.export.model import ExportImage
from dogent_tui.documents.export.svg import clean_svg
from dogent_tui.documents.export.tree import Node, attributes, mapped, node
from dogent_tui.documents.pandoc.tree import drawn_from
from dogent_tui.language import tr
from dogent_tui.plain import one_line

if TYPE_CHECKING:
    from playwright.async_api import Page

VERSION = "11.17.2"
"""The version of the npm package, whose ``dist/mermaid.min.js`` it is."""
_SCRIPT = Path(__file__).with_name("mermaid") / "mermaid.min.js.gz"
_LIMIT_S = 30.0
"""The time limit for one diagram, which takes a second unless the machine is busy."""
_MOST = 60
_LARGEST = 50_000
"""The maximum length in characters, which is Mermaid's own."""

_EMPTY = (
    '<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src'
    " 'none'; style-src 'unsafe-inline'\"><body style=\"margin: 0; background: white\">"
)
_SETTINGS: Node = {
    "startOnLoad": False,
    "securityLevel": "strict",
    "suppressErrorRendering": True,
    "htmlLabels": False,
    "flowchart": {"htmlLabels": False},
    "journey": {"textPlacement": "tspan"},
    "gantt": {"useWidth": 640},  # that of a page, on which wider text would be too small to read
    "packet": {"bitWidth": 20},
    "theme": "neutral",
    "fontFamily": "Source Sans Pro, Noto Sans, Liberation Sans, Noto Sans CJK SC, sans-serif",
    "deterministicIds": True,
    # What a diagram's own directives cannot change.
    "secure": [
        "secure",
        "securityLevel",
        "startOnLoad",
        "maxTextSize",
        "maxEdges",
        "suppressErrorRendering",
        "htmlLabels",
        "themeCSS",
        "fontFamily",
    ],
}
_DRAW = """async ([text, name]) => {
  const { svg } = await mermaid.render(name, text);
  document.body.innerHTML = svg;
  const drawing = document.querySelector('svg');
  const { width, height } = drawing.viewBox.baseVal;
  const looks = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity',
    'font-size', 'font-family', 'font-weight', 'font-style', 'text-anchor', 'dominant-baseline',
    'visibility', 'display', 'marker-start', 'marker-end'];
  const found = [...drawing.querySelectorAll('*')].map(part => [part, getComputedStyle(part)])
    .map(([part, style]) => [part, looks.map(look => [look, style.getPropertyValue(look)])]);
  for (const [part, values] of found) {
    part.removeAttribute('style');
    part.removeAttribute('class');
    for (const [look, value] of values) if (value) part.setAttribute(look, value);
  }
  drawing.querySelectorAll('style').forEach(part => part.remove());
  drawing.removeAttribute('style');
  drawing.setAttribute('width', Math.ceil(width));
  drawing.setAttribute('height', Math.ceil(height));
  return new XMLSerializer().serializeToString(drawing);
}"""
"""Draws, and inlines the styles: renderers other than browsers do not read style sheets in an
svg.
"""


_Drawn: TypeAlias = ExportImage | str
"""A diagram as an image, or why there is none, as the end of a sentence."""


async def with_diagrams(document: Document, browser: Browser) -> Document:
    """Return `document` with its diagrams as images, and a warning for each that stays as text."""
    figures = [part["c"] for part in tree.walk(document.blocks) if part["t"] == "Figure"]
    texts = list(dict.fromkeys(text for found in figures if (text := _diagram(found)) is not None))
    if not texts:
        return document
    try:
        drawn = await _draw(browser, texts)
    except BrowserUnavailableError as error:
        drawn = [one_line(error.message).rstrip(".")] * len(texts)
    done = dict(zip(texts, drawn, strict=True))
    told = LeftOut(document.source)
    for text, one in done.items():
        first = next(filter(str.strip, text.splitlines()), "")
        if isinstance(one, str):
            told.add(tr("Diagram"), first, tr("it is shown as text: {why}", why=one))
        elif one.removed:
            told.add(tr("Diagram"), first, DRAWN_IN_PART)

    def figure(content: Any) -> list[Node]:
        name, caption, blocks = content
        if (text := _diagram(content)) is None:
            return [node("Figure", content)]
        if isinstance(image := done[text], str):
            (block,) = caption[1] or [{"c": []}]
            return tree.listing(name[0], block["c"], blocks)
        address = document.images.show(image)
        title = re.search(r"^\s*accTitle:(.+)", text, re.MULTILINE)
        words = [drawn_from(one_line(title[1]) if title else tr("Diagram"), "mermaid", text)]
        drawn = node("Image", [attributes(width=own_width(image)), words, [address, ""]])
        return [node("Figure", [name, caption, [node("Plain", [drawn])]])]

    blocks = mapped(document.blocks, {"Figure": figure})
    return replace(document, blocks=blocks, warnings=(*document.warnings, *told.sentences()))


def _diagram(figure: Any) -> str | None:
    """Return the diagram if it is the whole content of a figure, otherwise None."""
    blocks: list[Any] = figure[2]
    is_code = [part["t"] for part in blocks] == ["CodeBlock"]
    return blocks[0]["c"][1] if is_code and blocks[0]["c"][0][1] == ["mermaid"] else None


async def _draw(browser: Browser, texts: list[str]) -> list[_Drawn]:
    drawn: list[_Drawn] = []
    async with browser.scripted_page() as page:
        try:
            async with asyncio.timeout(_LIMIT_S):
                library = await asyncio.to_thread(_library)
                await page.add_script_tag(content=library)  # the last before the policy
                await page.set_content(_EMPTY)
                await page.evaluate("settings => mermaid.initialize(settings)", _SETTINGS)
            for text in texts[:_MOST]:
                async with asyncio.timeout(_LIMIT_S):
                    drawn.append(await _drawing(page, text))
        except TimeoutError:
            drawn.append(tr("drawing it took too long"))
    reason = tr("drawing the ones before it took too long")
    return drawn + [reason] * (len(texts) - len(drawn))


async def _drawing(page: "Page", text: str) -> _Drawn:
    from playwright.async_api import Error

    if len(text) > _LARGEST:
        return tr("it is too long")
    name = f"diagram-{sha256(text.encode()).hexdigest()[:8]}"
    try:
        svg = await page.evaluate(_DRAW, [text, name])
    except Error as error:
        said = error.message.removeprefix("Page.evaluate: ").partition("\n    at ")[0]
        said = one_line(said)[:160].rstrip(". ")
        return tr("Mermaid does not understand it ({said})", said=said)
    cleaned = clean_svg(str(svg).encode())
    if cleaned is None or not cleaned.width:
        return tr("it has nothing to draw")
    if "<foreignObject" in svg:  # labels as HTML, which documents do not support
        return tr("it has HTML inside")
    return cleaned


@cache
def _library() -> str:
    return gzip.decompress(_SCRIPT.read_bytes()).decode()
