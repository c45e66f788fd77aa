"""The page that a browser prints: one HTML text that contains everything it needs, and may load
nothing.
"""

import re
from collections.abc import Mapping
from html import escape
from itertools import zip_longest
from typing import Any

from lxml import etree

from dogent_tui.documents.export import tree
from dogent_tui.documents.export.document import KEPT_LINES, Document, writer_warnings
from dogent_tui.documents.export.lengths import points
from dogent_tui.documents.export.links import whole
from dogent_tui.documents.export.styles import NAME, Style
from dogent_tui.documents.export.tables import rows_of
from dogent_tui.documents.export.themes import Theme, as_css, title_html
from dogent_tui.documents.export.tree import Node, attributes, mapped, node, words
from dogent_tui.documents.pandoc.tree import RULE
from dogent_tui.processes import Halt
from dogent_tui.records import Record
from dogent_tui.storage.paths import shipped

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none';"
    " form-action 'none'"
)
"""Content Security Policy, the second wall: the first is that nothing else is written, the third
that requests are aborted.
"""

_CONTENTS_PLACE = f'<div class="{tree.CONTENTS}">\n\n</div>'
_IMAGE = re.compile(r'(<img\s[^>]*?\bsrc=")(image-\w+)"')
"""Images get their addresses last: pandoc takes 0.4 s per megabyte of one."""
_FORMULA = re.compile(r'<math display="block".*?</math>', re.DOTALL)
_LONE_WAY_BACK = re.compile(r'(?m)^(<p>)?<a [^>]*class="footnote-back"[^>]*>[^<]*</a>(</p>)?')
"""A link back from a note on a line of its own, because the note does not end in a paragraph."""
_NOT_ON_PAPER = {
    ' role="doc-noteref"': "",  # with which Chromium does not recognize a link
    ' role="doc-backlink"': "",
    "<label>": "",
    "</label>": "",
    '<input type="checkbox" checked="" />': "☑ ",
    '<input type="checkbox" />': "☐ ",
}
"""Parts of pandoc's HTML that make no sense on paper. A task's checkbox becomes a symbol: a form
field is not text.
"""

_RULE = f'<hr role="img" aria-label="{RULE}">'
_PAPER_ONLY = "<style>@media screen { body { display: none } }</style>"
"""No one sees the page on a screen: the layout for one before printing takes as long as
printing.
"""
_SIZE = re.compile(r"@page\s*\{[^{}]*\bsize\s*:\s*([^;{}]+)", re.IGNORECASE)
_LOADS = re.compile(r"url\(|@font-face", re.IGNORECASE)
"""Makes a style sheet's images load before printing, which does not wait for anything."""


class Page(Record):
    """A document that is ready to be printed."""

    document: Document
    body: str
    style: Style
    warnings: tuple[str, ...] = ()

    def html(self, pages: Mapping[str, int] | None = None) -> str:
        """Return the page; `pages` are the pages of headings by name, once known."""
        document, own = self.document, self.style.css
        toc = self._toc(pages or {}) if document.contents else ""
        body = self.body.replace(_CONTENTS_PLACE, toc, 1)
        built_in = f"{shipped(NAME).read_text('utf-8')}\n{as_css(document.theme)}"
        language = f' lang="{escape(document.front.lang)}"' if document.front.lang else ""
        language += ' dir="rtl"' * document.is_right_to_left
        running = (
            f"@page {{ @top-center {{ content: {_css_string(document.front.title)} }} }}"
            if document.front.title and document.theme.running
            else ""
        )
        return (
            f'<!DOCTYPE html>\n<html{language}><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
            f"<title>{escape(document.title, quote=False)}</title>"
            "<style>@layer built-in"
            f" {{\n{running}\n{built_in}\n}}</style>{'' if _LOADS.search(own) else _PAPER_ONLY}"
            f"<style>{_turned(own)}{own}</style></head>\n"
            f"<body>{title_html(document.theme, document.front)}\n{body}</body></html>"
        )

    def _toc(self, pages: Mapping[str, int]) -> str:
        contents = self.document.contents
        top = min(heading.level for heading in contents)
        entries = "".join(
            f'<li class="level-{heading.level - top + 1}"><a href="#{escape(heading.name)}"><span'
            f' class="text">{escape(heading.text, quote=False)}</span><span'
            f' class="number">{pages.get(heading.name, "")}</span></a></li>'
            for heading in contents
        )
        return (
            '<nav class="toc"><p'
            f' class="toc-title">{escape(self.document.contents_title, quote=False)}</p>'
            f"<ol>{entries}</ol></nav>"
        )


def _turned(own: str) -> str:
    """Return the rule for pages on their sides, if a style sheet has a paper of its own."""
    found = _SIZE.search(own)
    size, *more = found[1].split() if found else [""]
    turned = f"{more[0]} {size}" if more and size[0].isdigit() else f"{size} landscape"
    return f"@page landscape {{ size: {turned} }}\n" if size else ""


def compose(document: Document, style: Style, halt: Halt | None = None) -> Page:
    """Return `document` as a page, whose own `style` comes after ours. Blocks. Raises
    DocumentError.
    """
    blocks = mapped(document.blocks, _HANDLERS)
    written = tree.written(blocks, "html5", "--mathml", "--wrap=none", "--eol=lf", halt=halt)
    html = _LONE_WAY_BACK.sub("", written.data.decode("utf-8", "replace"))
    for field, sign in _NOT_ON_PAPER.items():
        html = html.replace(field, sign)
    html = _FORMULA.sub(lambda found: _fitting(found[0], document.theme), html)
    shown = document.images.shown
    html = _IMAGE.sub(lambda found: f'{found[1]}{shown[found[2]].data_uri}"', html)
    return Page(document, html, style, tuple(writer_warnings(document.source, written.warnings)))


def _fitting(formula: str, theme: Theme) -> str:
    """Return a displayed formula in a size in which it is no wider than the page, where it would be
    cut off.
    """
    room = points(f"{theme.paper[0] - 2 * theme.margins[1]}mm") / theme.size
    try:
        wide = _ems(etree.fromstring(formula, etree.XMLParser(huge_tree=True)))
    except (etree.XMLSyntaxError, RecursionError):  # far too deep to be seen anyway
        return formula
    size = f' style="font-size: {room / wide:.2f}em"' if wide > room else ""
    return formula.replace("<math", f"<math{size}", 1)


def _ems(part: Any) -> float:
    """Return about how wide a part of a formula is."""
    kind = etree.QName(part).localname
    if kind == "mtable":
        rows = [[_ems(cell) + 1 for cell in row] for row in part]
        return sum(map(max, zip_longest(*rows, fillvalue=0.0)))
    inside = [_ems(child) for child in part if etree.QName(child).localname != "annotation"]
    if kind in {"mfrac", "munder", "mover", "munderover"}:
        return max(inside, default=0)
    if kind in {"msub", "msup", "msubsup"}:
        return inside[0] + 0.7 * max(inside[1:])
    return sum(inside, 0.9 if kind in {"mo", "mspace"} else 0.55 * len((part.text or "").strip()))


def _link(content: Any) -> list[Node]:
    _, inside, (address, title) = content
    return [tree.link(mapped(inside, _HANDLERS), whole(address), title)]


def _div(content: Any) -> list[Node]:
    (_, kinds, _), inside = content
    blocks = mapped(inside, _HANDLERS)
    if tree.CALLOUT not in kinds:
        return [node("Div", [content[0], blocks])]
    sign = attributes(role="img", aria_label=tree.sign(kinds[1]))  # see `accessible`
    title = mapped(blocks[:1], {"Para": lambda line: [node("Para", [node("Span", [sign, line])])]})
    opening = tree.raw("html", f'<blockquote class="{" ".join(kinds)}">')
    return [opening, *title, *blocks[1:], tree.raw("html", "</blockquote>")]


def _definitions(content: Any) -> list[Node]:
    # by which readers of the pdf tell a term from what follows it
    apart = attributes(role="paragraph")
    items = [[[node("Span", [apart, term])], more] for term, more in content]
    return [node("DefinitionList", mapped(items, _HANDLERS))]


def _table(content: Any) -> list[Node]:
    found = mapped(content, _HANDLERS)
    for rows in rows_of(found):
        for _, cells in rows:
            if cells and not any(cell[4] for cell in cells):  # or it would have no tag
                cells[0][4] = [node("Plain", words("\N{NO-BREAK SPACE}"))]
    return [node("Table", found)]


def _figure(content: Any) -> list[Node]:
    """Return a figure; those in a group are as wide as their images, which are beside each other
    if there is room.
    """
    found = mapped(content, _HANDLERS)
    for inner in found[2]:
        for image in tree.walk(inner) if inner["t"] == "Figure" else ():
            if image["t"] == "Image" and "%" in dict(image["c"][0][2]).get("width", ""):
                inner["c"][0][2] = [["style", f"width: {dict(image['c'][0][2])['width']}"]]
                image["c"][0][2] = [["width", "100%"]]
    return [node("Figure", found)]


def _formula(content: Any) -> list[Node]:
    named = attributes(role="img", aria_label=tree.tex_of(content))
    return [node("Span", [named, [node("Math", content)]])]


def _code(content: Any) -> list[Node]:
    (name, classes, _), text = content
    # in any language, each line becomes an element, by which readers of the pdf know it
    is_long = ["long"] * (text.count("\n") > KEPT_LINES)
    return [node("CodeBlock", [attributes(name, *classes, "default", *is_long), text])]


_HANDLERS: dict[str, tree.Handler] = {
    "CodeBlock": _code,
    "DefinitionList": _definitions,
    "Figure": _figure,
    "HorizontalRule": lambda _: [tree.raw("html", _RULE)],
    "Div": _div,
    "Link": _link,
    "Math": _formula,
    "Table": _table,
}


def _css_string(text: str) -> str:
    """Return `text` as a CSS string (CSS Syntax 3, 4.3.5) that cannot end the string or the style
    sheet.
    """
    kept = (char if char.isalnum() or char in " ,.-" else f"\\{ord(char):x} " for char in text)
    return f'"{"".join(kept)}"'
