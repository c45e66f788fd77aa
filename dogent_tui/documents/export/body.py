"""The Markdown as the HTML of a page to print, with images, links and raw HTML only as far as they are fit."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import msgspec
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from dogent_tui.documents.export.code import highlighted, plain
from dogent_tui.documents.export.dialect import parse, parser, plain_text, walk
from dogent_tui.documents.export.formulas import Formula, as_tex
from dogent_tui.documents.export.images import ExportImage, Images, shown
from dogent_tui.documents.export.left_out import LeftOut
from dogent_tui.documents.export.links import Targets, refusal
from dogent_tui.documents.export.raw_html import PAGE_BREAK, Outlets, length, rewrite
from dogent_tui.documents.export.tables import keep_words_whole
from dogent_tui.language import tr

_CSS_DPI = 96.0
TOC_PLACE = "<!--toc-->"
"""Where the table of contents goes, if the Markdown says where. No other comment is ever written."""


_CHECKBOX = '<input class="task-list-item-checkbox"'
"""What the plugin puts before a task. Who writes it into a text gets a drawn box, too."""


class Heading(msgspec.Struct, frozen=True):
    """A heading of the document: its level (1–6), its words, the name of its place."""

    level: int
    text: str
    name: str


class Body(msgspec.Struct, frozen=True):
    """The printable HTML of a document, and what is known about it.

    `title` is its first heading, if that is the only one of level 1.
    """

    html: str
    headings: tuple[Heading, ...]
    title: str
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]


class Document:
    """A Markdown text that was parsed, and is written once its formulas are known. Blocks: use it in a thread."""

    def __init__(self, text: str, images: Images) -> None:
        self._env: dict[str, Any] = {}
        self._tokens = parse(text, self._env)
        keep_words_whole(self._tokens)
        self._images = images
        self._targets = Targets()
        self.headings = tuple(self._name_headings())
        for token in walk(self._tokens):  # anchors of raw HTML, so that links before them know them
            if token.type in {"html_inline", "html_block"}:
                for name in re.findall(r"<a\s[^>]*?\b(?:id|name)\s*=\s*[\"']?([^\"'\s>]+)", token.content):
                    self._targets.add_named(name)

    def formulas(self) -> list[Formula]:
        """Return all formulas, in the order of the text."""
        return [_formula(token) for token in walk(self._tokens) if token.type.startswith("math_")]

    def write(self, mathml: dict[Formula, str], *, colored: bool = True) -> Body:
        """Return the page. `colored`: code is colored here, and not by who reads the page."""
        writer = _Writer(self._images, self._targets, mathml, highlighted if colored else plain)
        html = writer.render(self._tokens, parser().options, self._env)
        first = [heading for heading in self.headings if heading.level == 1]
        title = first[0].text if len(first) == 1 and self.headings[0] is first[0] else ""
        left_out = (*self._images.left_out, *writer.left_out.sentences())
        return Body(html, self.headings, title, left_out, tuple(dict.fromkeys(writer.warnings)))

    def _name_headings(self) -> list[Heading]:
        headings = []
        for opening, inline in zip(self._tokens, self._tokens[1:], strict=False):
            if opening.type == "heading_open":
                text = " ".join(plain_text(inline).split())
                name = self._targets.add(text, opening.meta.get("name", ""))
                opening.attrSet("id", name)
                headings.append(Heading(int(opening.tag[1]), text, name))
        return headings


def _formula(token: Token) -> Formula:
    return Formula(token.content.strip(), token.type != "math_inline")


class _Writer(RendererHTML):
    """Writes tokens as HTML. Its methods are named after the tokens, as markdown-it wants it."""

    def __init__(self, images: Images, targets: Targets, mathml: dict[Formula, str], code: Callable[[str, str], str]) -> None:
        super().__init__()
        self._code = code
        self.left_out = LeftOut()
        self.warnings: list[str] = []
        self._images = images
        self._targets = targets
        self._mathml = mathml
        self._links: list[bool] = []
        # What plugins registered on the shared parser stands behind what is written here.
        written_here: dict[str, Any] = {**self.rules}
        written_here |= dict.fromkeys(("math_inline", "math_inline_double", "math_block"), self._math)
        self.rules = {**parser().renderer.rules, **written_here}  # type: ignore[attr-defined]
        self._outlets = Outlets(self._raw_image, self._link, targets.add_named, self._dropped)

    def page_break(self, *_: Any) -> str:
        return f"{PAGE_BREAK}\n"

    def toc_mark(self, *_: Any) -> str:
        return TOC_PLACE

    def link_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        address = self._link(str(tokens[idx].attrGet("href") or ""))
        self._links.append(address is not None)
        return "" if address is None else f'<a href="{escape(address)}">'

    def link_close(self, *_: Any) -> str:
        return "</a>" if self._links.pop() else ""

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        token = tokens[idx]
        alt = self.renderInlineAsText(token.children, options, env)
        given = {name: str(token.attrGet(name) or "") for name in ("width", "height", "title")}
        drawn = self._raw_image(str(token.attrGet("src") or ""), alt, given)
        if given["title"] and not any(
            other.content for other in tokens if other is not token
        ):  # alone in its paragraph: a figure, whose title is for all to read
            return f'<span class="figure">{drawn}<span class="caption">{escape(given["title"], quote=False)}</span></span>'
        return drawn

    def html_inline(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        content = tokens[idx].content
        if content.startswith(_CHECKBOX):
            return "☑" if 'checked="checked"' in content else "☐"
        return rewrite(content, self._outlets, inline=True)

    def html_block(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return rewrite(tokens[idx].content, self._outlets)

    def fence(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        language = tokens[idx].info.strip().split(maxsplit=1)
        return self._code(tokens[idx].content, language[0].strip("{}.") if language else "")

    def code_block(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return self._code(tokens[idx].content, "")

    def softbreak(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        before = tokens[idx - 1].content[-1:] if idx else ""
        after = tokens[idx + 1].content[:1] if idx + 1 < len(tokens) else ""
        return "" if _is_wide(before) and _is_wide(after) else "\n"  # Chinese and Japanese have no spaces between words

    def table_open(self, *_: Any) -> str:
        return '<table class="grid">\n'

    def _math(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        formula = _formula(tokens[idx])
        return self._mathml.get(formula) or as_tex(formula)

    def _link(self, address: str) -> str | None:
        reason = refusal(address)
        if reason:
            self.left_out.add(tr("Link"), address, reason)
            return None
        if not address.startswith("#"):
            return address
        name = self._targets.find(address)
        if name is None:
            self.warnings.append(tr("The link {address} has no target: no heading has that name.").format(address=shown(address)))
            return None
        return f"#{name}"

    def _raw_image(self, address: str, alt: str, given: dict[str, str]) -> str:
        image = self._images.find(address)
        if image is None:
            return f'<span class="missing">[{escape(" ".join(alt.split()) or "image", quote=False)}]</span>'
        width, height = length(given.get("width")), length(given.get("height"))
        if not width and not height:
            width = _natural_width(image)
        style = "; ".join(f"{name}: {value}" for name, value in (("width", width), ("height", height)) if value)
        styled = f' style="{style}"' if style else ""
        return f'<img src="{image.data_uri}" alt="{escape(alt)}"{styled}>'

    def _dropped(self, element: str) -> None:
        self.left_out.add("HTML", f"<{element}>", tr("a document can't include parts that run, load or ask for something"))


def _natural_width(image: ExportImage) -> str:
    """Return the width of an image that says how many pixels make an inch; screens' 72 and 96 mean a pixel each."""
    return f"{image.width * _CSS_DPI / image.dpi:.0f}px" if image.dpi > _CSS_DPI + 1 else ""


def _is_wide(character: str) -> bool:
    return bool(character) and unicodedata.east_asian_width(character) in "WF" and not "\uac00" <= character <= "\ud7a3"
