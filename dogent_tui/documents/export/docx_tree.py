"""What pandoc is given to make a docx of: its own reading of the Markdown, without anything that could reach out of it.

Pandoc reads and writes its documents as JSON: nodes ``{"t": type, "c": contents}``. Everything of a kind, an image, a piece of
HTML, a link, is one type of node there, however it was written (https://pandoc.org/lua-filters.html names them).
"""

import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any, TypeAlias

import msgspec

from dogent_tui.documents.export.images import shown
from dogent_tui.documents.export.source import FrontMatter
from dogent_tui.documents.model import DocumentError

Node: TypeAlias = dict[str, Any]
PlaceImage: TypeAlias = Callable[[str, str, str], str | None]
"""Takes an image's address, and the width and height that the Markdown asks for; returns the ``data:`` address that stands in for
it, None where it is left out."""

READER = "commonmark" + "".join(
    f"+{extension}"
    for extension in (
        "alerts",
        "attributes",
        "autolink_bare_uris",
        "definition_lists",
        "footnotes",
        "gfm_auto_identifiers",
        "pipe_tables",
        "strikeout",
        "task_lists",
        "tex_math_dollars",
    )
)
"""The Markdown that is exported, in pandoc's words. Its HTML arrives as nodes of their own; `Tree` takes them out."""

PAGE_BREAK = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
"""What stands in a docx for a page break, until `docx_package` gives it to the paragraph after it."""

_RULE = (
    '<w:p><w:pPr><w:pBdr><w:bottom w:val="single" w:sz="6" w:space="1" w:color="BFC7D1"/></w:pBdr>'
    '<w:spacing w:before="120" w:after="240" w:line="120" w:lineRule="exact"/></w:pPr></w:p>'
)
"""Pandoc's own is a drawing of the format before 2007."""

_BREAK = re.compile(r"\\(newpage|pagebreak|clearpage)")
_BREAK_COMMENT = re.compile(r"\s*<!--\s*(page-?break|newpage)\s*-->\s*", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->|<[?!][^>]*>", re.DOTALL)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
_CALLOUTS = frozenset({"note", "tip", "important", "warning", "caution"})
_PAIRS = {"sub": "Subscript", "sup": "Superscript", "u": "Underline", "ins": "Underline", "b": "Strong", "strong": "Strong",
          "i": "Emph", "em": "Emph", "s": "Strikeout", "del": "Strikeout"}  # fmt: skip
"""HTML within a line that says no more than a node of pandoc's does."""

_LINK = re.compile(r"(?:https?|mailto|tel|ftp):|#|(?!\s|[\\/]|%5c|%2f|[^/?#]*:)", re.IGNORECASE)
"""What a link may lead to: the web, mail, this document, or a file beside it. No other scheme, and no other machine's files."""
_MOST_LISTED = 20

_TOC_TITLES = {"zh": "目录", "ja": "目次", "ko": "목차", "de": "Inhalt", "fr": "Table des matières", "es": "Índice",
               "it": "Indice", "pt": "Sumário", "nl": "Inhoud", "ru": "Содержание"}  # fmt: skip


class Prepared(msgspec.Struct, frozen=True):
    """A document for pandoc's docx writer, as JSON, and what was taken out of it, as sentences."""

    json: bytes
    left_out: tuple[str, ...]
    first_heading: str


def prepare(document: bytes, front: FrontMatter, place_image: PlaceImage) -> Prepared:
    """Take out of pandoc's JSON `document` what has no place in a docx, and put `front` into it. Raises DocumentError."""
    try:
        tree, parsed = _Tree(place_image), json.loads(document)
        blocks = tree.blocks(parsed["blocks"])
        first = next((plain_text(block["c"][2]) for block in blocks if block["t"] == "Header"), "")
        if front.title and blocks and blocks[0]["t"] == "Header" and blocks[0]["c"][0] == 1 and first == front.title:
            del blocks[0]  # it is the title, which stands there already
        text = json.dumps({**parsed, "meta": _meta(front), "blocks": blocks}, ensure_ascii=False)
    except RecursionError:
        raise DocumentError("The document is nested too deeply to be exported.", "Flatten its lists and quotations.") from None
    return Prepared(text.encode("utf-8", "replace"), tuple(tree.left_out()), first)


def plain_text(value: Any) -> str:
    """Return the text of pandoc nodes."""
    if isinstance(value, list):
        return "".join(plain_text(part) for part in value)
    if not isinstance(value, dict):
        return ""
    kind, content = value.get("t"), value.get("c")
    if kind == "Str":
        return str(content)
    if kind in {"Space", "SoftBreak", "LineBreak"}:
        return " "
    if kind in {"Code", "Math"} and isinstance(content, list):
        return str(content[1])
    return "" if kind == "Note" else plain_text(content)


def harmless_link(address: str) -> bool:
    """Tell whether a link to `address` may stand in a document that others open."""
    return _LINK.match(address) is not None


def _meta(front: FrontMatter) -> Node:
    """Return the metadata of which pandoc makes the title; the properties are `docx_package`'s."""
    toc_title = front.toc_title or _TOC_TITLES.get(front.lang.lower().partition("-")[0], "Contents")
    texts = {"title": front.title, "subtitle": front.subtitle, "date": front.date, "lang": front.lang, "toc-title": toc_title}
    meta: Node = {name: {"t": "MetaInlines", "c": _words(text)} for name, text in texts.items() if text}
    if front.authors:
        meta["author"] = {"t": "MetaList", "c": [{"t": "MetaInlines", "c": _words(author)} for author in front.authors]}
    return meta


def _words(text: str) -> list[Node]:
    return [{"t": "Str", "c": text}] if text else []


class _Tree:
    def __init__(self, place_image: PlaceImage) -> None:
        self._place_image = place_image
        self._tags: dict[str, int] = {}
        self._links: dict[str, None] = {}
        self._nodes: dict[str, Callable[[Any], list[Node]]] = {
            "RawBlock": self._raw_block,
            "RawInline": lambda _: [],  # what `_inlines` did not take
            "HorizontalRule": lambda _: [{"t": "RawBlock", "c": ["openxml", _RULE]}],
            "Para": self._paragraph,
            "Image": self._image,
            "Link": self._link,
            "Div": self._div,
            "CodeBlock": self._code,
        }

    def left_out(self) -> Iterator[str]:
        """What was taken out, as sentences; images are whoever placed them to tell."""
        for tag, count in list(self._tags.items())[:_MOST_LISTED]:
            yield f"HTML <{tag}>{f' ({count} times)' if count > 1 else ''}: only its text is exported."
        for address in list(self._links)[:_MOST_LISTED]:
            yield f"The link to {shown(address)}: only its text is exported, since it leads to a file or runs something."

    def blocks(self, nodes: list[Any]) -> list[Any]:
        """Return what is to be exported in the place of `nodes`, which may also be inlines or lists of either."""
        if any(isinstance(node, dict) and node.get("t") == "RawInline" for node in nodes):
            nodes = self._inlines(nodes)
        out: list[Any] = []
        for node in nodes:
            if isinstance(node, dict) and "t" in node:
                handle = self._nodes.get(node["t"])
                out += handle(node.get("c")) if handle else [self._walked(node)]
            else:
                out.append(self._walked(node))
        return out

    def _walked(self, value: Any) -> Any:
        if isinstance(value, list):
            return self.blocks(value)
        if isinstance(value, dict):
            return {key: self._walked(part) for key, part in value.items()}
        return value

    def _inlines(self, nodes: list[Any]) -> list[Any]:
        """Return `nodes` with their HTML as nodes of pandoc's where there are such, and without it where not."""
        out: list[Any] = []
        opened: list[tuple[str, int]] = []  # the tag, and where in `out` its contents begin
        for node in nodes:
            if node.get("t") != "RawInline":
                out.append(node)
                continue
            text = str(node["c"][1])
            found = _TAG.match(text)
            closing, tag = (bool(found[1]), found[2].lower()) if found else (False, "")
            if tag in {"br", "wbr"}:
                out += [{"t": "LineBreak"}] if tag == "br" else []
            elif tag not in _PAIRS or node["c"][0] != "html":
                self._note_html(text)
            elif not closing:
                opened.append((tag, len(out)))
            elif opened and opened[-1][0] == tag:
                _, begin = opened.pop()
                out[begin:] = [{"t": _PAIRS[tag], "c": out[begin:]}]
        return out

    def _note_html(self, text: str) -> None:
        for closing, tag in _TAG.findall(_COMMENT.sub("", text)):
            if not closing:
                self._tags[tag.lower()] = self._tags.get(tag.lower(), 0) + 1

    def _raw_block(self, content: Any) -> list[Node]:
        text = str(content[1])
        if _BREAK_COMMENT.fullmatch(text):
            return [_page_break()]
        self._note_html(text)
        words = _visible_text(text)
        return [{"t": "Para", "c": [{"t": "Str", "c": line}]} for line in words]

    def _paragraph(self, content: Any) -> list[Node]:
        if len(content) == 1 and content[0]["t"] == "Str" and _BREAK.fullmatch(content[0]["c"]):
            return [_page_break()]
        inlines = self.blocks(content)
        if len(inlines) == 1 and inlines[0]["t"] == "Image":
            return [_figure(inlines[0])]
        return [{"t": "Para", "c": inlines}] if inlines or not content else []

    def _image(self, content: Any) -> list[Node]:
        (_, _, attributes), alt, (address, title) = content
        sizes = dict(attributes)
        stand_in = self._place_image(address, sizes.get("width", ""), sizes.get("height", ""))
        words = self.blocks(alt)
        if stand_in is None:
            return [{"t": "Emph", "c": words}] if words else []
        return [{"t": "Image", "c": [["", [], []], words, [stand_in, title]]}]

    def _link(self, content: Any) -> list[Node]:
        attributes, words, (address, title) = content
        if not harmless_link(address):
            self._links[address] = None
            return self.blocks(words)
        return [{"t": "Link", "c": [[attributes[0], [], []], self.blocks(words), [address, title]]}]

    def _div(self, content: Any) -> list[Node]:
        (name, classes, attributes), blocks = content
        if _CALLOUTS & set(classes):
            attributes = [["custom-style", "Callout"]]
        elif "title" in classes:
            attributes = [["custom-style", "Callout Title"]]
        return [{"t": "Div", "c": [[name, [], attributes], self.blocks(blocks)]}]

    @staticmethod
    def _code(content: Any) -> list[Node]:
        (name, classes, _), text = content
        language = [kind for kind in classes[:1] if re.fullmatch(r"[\w+#.-]+", kind)]
        return [{"t": "CodeBlock", "c": [[name, language, []], text]}]


def _page_break() -> Node:
    return {"t": "RawBlock", "c": ["openxml", PAGE_BREAK]}


def _figure(image: Node) -> Node:
    """Return an image that stands alone, in the middle of the page, with its title as caption."""
    title = image["c"][2][1]
    image["c"][2][1] = ""
    caption = [{"t": "Plain", "c": _words(title)}] if title else []
    return {"t": "Figure", "c": [["", [], []], [None, caption], [{"t": "Plain", "c": [image]}]]}


class _VisibleText(HTMLParser):
    """Collects what a reader of a page would see of it, roughly: the words, without those of scripts and styles."""

    _UNSEEN = frozenset({"script", "style", "iframe", "object", "template", "noscript", "title", "head", "svg", "math", "select"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._hidden = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See the base class."""
        del attrs
        self._hidden = self._hidden or (tag if tag in self._UNSEEN else "")

    def handle_endtag(self, tag: str) -> None:
        """See the base class."""
        self._hidden = "" if tag == self._hidden else self._hidden

    def handle_data(self, data: str) -> None:
        """See the base class."""
        if not self._hidden:
            self.lines += [" ".join(line.split()) for line in data.splitlines() if line.strip()]


def _visible_text(html: str) -> list[str]:
    parser = _VisibleText()
    parser.feed(html)
    parser.close()
    return parser.lines
