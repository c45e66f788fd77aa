"""HTML inside Markdown, written anew from a short list of harmless elements; none of it is ever passed on as it stands."""

import re
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser

_INLINE = frozenset({
    "b", "strong", "i", "em", "u", "s", "strike", "del", "ins", "sub", "sup", "kbd", "mark", "small", "big", "q", "cite", "abbr",
    "dfn", "var", "samp", "tt", "code", "ruby", "rt", "rp", "wbr", "br", "span", "center", "a", "img",
})  # fmt: skip
_BLOCK = frozenset({
    "p", "div", "blockquote", "pre", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "table",
    "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "figure", "figcaption", "details", "summary", "section", "article",
    "aside", "header", "footer", "main", "address",
})  # fmt: skip
_VOID = frozenset({"br", "hr", "img", "wbr"})
_SILENT = frozenset({
    "html", "head", "body", "font", "nobr", "colgroup", "col", "picture", "source", "title", "time", "data", "bdi", "bdo",
})  # fmt: skip
"""What shapes nothing that a document would miss."""
_WITH_CONTENT = frozenset({
    "script", "style", "iframe", "object", "embed", "applet", "noscript", "template", "svg", "math", "video", "audio", "canvas",
    "select", "textarea", "frameset", "noframes", "noembed", "portal", "fencedframe", "plaintext", "xmp",
})  # fmt: skip
"""Left out with all that is in it: it is no text for a reader."""
_BREAKS_PAGE = re.compile(r"page-break-(?:after|before)\s*:\s*always|break-(?:after|before)\s*:\s*page", re.IGNORECASE)
_PAGE_BREAK_COMMENT = re.compile(r"\s*page[-_ ]?break\s*", re.IGNORECASE)
_LENGTH = re.compile(r"\s*(\d{1,5}(?:\.\d{1,3})?)\s*(px|%|cm|mm|in|pt|em)?\s*")

PAGE_BREAK = '<div class="page-break"></div>'

Attributes = dict[str, str]


class Outlets:
    """Where the rewriting asks what it cannot decide.

    `image` returns the HTML of an image, `link` the address of a link or None, `anchor` the name of a place; `dropped` is told of
    what is left out.
    """

    def __init__(
        self,
        image: Callable[[str, str, Attributes], str],
        link: Callable[[str], str | None],
        anchor: Callable[[str], str],
        dropped: Callable[[str], None],
    ) -> None:
        self.image = image
        self.link = link
        self.anchor = anchor
        self.dropped = dropped


def rewrite(fragment: str, outlets: Outlets, *, inline: bool = False) -> str:
    """Return the HTML `fragment` as harmless HTML. `inline`: it stands within a paragraph, where only inline elements may."""
    writer = _Rewriter(outlets, _INLINE if inline else _INLINE | _BLOCK)
    writer.feed(fragment)
    writer.close()
    return "".join(writer.written)


def length(text: str | float | None) -> str:
    """Return `text` as a CSS length (a bare number is pixels), empty where it is none."""
    found = _LENGTH.fullmatch(str(text)) if text is not None else None
    return f"{found[1]}{found[2] or 'px'}" if found else ""


class _Rewriter(HTMLParser):
    def __init__(self, outlets: Outlets, allowed: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.written: list[str] = []
        self._outlets = outlets
        self._allowed = allowed
        self._skipping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipping:
            if tag == self._skipping[-1]:
                self._skipping.append(tag)
            return
        if tag in _WITH_CONTENT:
            self._outlets.dropped(tag)
            if tag != "embed":
                self._skipping.append(tag)
        elif tag in self._allowed:
            self._open(tag, {name: value or "" for name, value in attrs})
        elif tag not in _SILENT and tag not in _BLOCK:
            self._outlets.dropped(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _WITH_CONTENT and not self._skipping:
            self._outlets.dropped(tag)
        else:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._skipping:
            if tag == self._skipping[-1]:
                self._skipping.pop()
        elif tag in self._allowed and tag not in _VOID:
            self.written.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self.written.append(escape(data, quote=False))

    def handle_comment(self, data: str) -> None:
        if not self._skipping and _PAGE_BREAK_COMMENT.fullmatch(data):
            self.written.append(PAGE_BREAK)

    def _open(self, tag: str, attributes: Attributes) -> None:
        if _BREAKS_PAGE.search(attributes.get("style", "")) or "page-break" in attributes.get("class", "").split():
            self.written.append(PAGE_BREAK)
        if tag == "img":
            self.written.append(self._outlets.image(attributes.get("src", ""), attributes.get("alt", ""), attributes))
            return
        self.written.append(f"<{tag}{self._attributes(tag, attributes)}>")

    def _attributes(self, tag: str, attributes: Attributes) -> str:
        kept = []
        name = attributes.get("id") or (attributes.get("name") if tag == "a" else None)
        if name:
            kept.append(f'id="{escape(self._outlets.anchor(name))}"')
        if tag == "a" and attributes.get("href"):
            address = self._outlets.link(attributes["href"])
            kept += [f'href="{escape(address)}"'] if address else []
        if tag in {"td", "th"}:
            kept += [f'{span}="{attributes[span]}"' for span in ("colspan", "rowspan") if _is_count(attributes.get(span, ""))]
        if attributes.get("align", "").lower() in {"left", "center", "right", "justify"}:
            kept.append(f'style="text-align: {attributes["align"].lower()}"')
        if tag == "ol" and _is_count(attributes.get("start", "")):
            kept.append(f'start="{attributes["start"]}"')
        if tag == "details":
            kept.append("open")  # on paper nobody opens it
        return "".join(f" {attribute}" for attribute in kept)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and 0 < int(text[:5]) < 1000 and len(text) < 5
