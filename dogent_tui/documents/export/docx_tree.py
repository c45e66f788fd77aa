"""What pandoc is given to make a docx of: its own reading of the Markdown, without anything that could reach out of it.

Pandoc reads and writes its documents as JSON: nodes ``{"t": type, "c": contents}``. Everything of a kind, an image, a piece of
HTML, a link, is one type of node there, however it was written (https://pandoc.org/lua-filters.html names them).
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from html.parser import HTMLParser
from typing import Any, TypeAlias

import msgspec

from dogent_tui.documents.export.left_out import LeftOut
from dogent_tui.documents.export.links import refusal
from dogent_tui.documents.export.raw_html import Outlets, rewrite
from dogent_tui.documents.export.source import FrontMatter
from dogent_tui.language import tr

Node: TypeAlias = dict[str, Any]
PlaceImage: TypeAlias = Callable[[str, str, str], str | None]
"""Takes an image's address, and the width and height that the Markdown asks for; returns the ``data:`` address that stands in for
it, None where it is left out."""
ReadHtml: TypeAlias = Callable[[Sequence[str]], list[list[Node]]]
"""Returns the blocks of each of some pieces of HTML."""

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
"""The Markdown that is exported, in pandoc's words. Its HTML arrives as nodes of their own, which are taken out here."""

TOC_MARK = "dogent-toc"
"""The bookmark where the table of contents goes, if the Markdown says where."""

_BREAK_XML = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
"""A page break, until `docx_body` gives it to the paragraph after it."""
_RULE_XML = (
    '<w:p><w:pPr><w:pBdr><w:bottom w:val="single" w:sz="6" w:space="1" w:color="BFC7D1"/></w:pBdr>'
    '<w:spacing w:before="120" w:after="240" w:line="120" w:lineRule="exact"/></w:pPr></w:p>'
)
"""A line between paragraphs. Pandoc's own is a drawing of the format before 2007."""
_TOC_XML = f'<w:p><w:bookmarkStart w:id="0" w:name="{TOC_MARK}"/><w:bookmarkEnd w:id="0"/></w:p>'

_BREAK = re.compile(r"\\(?:newpage|pagebreak|clearpage)")
_TOC = re.compile(r"\[\[?_?toc_?\]\]?", re.IGNORECASE)
_LEAVES = frozenset({"Str", "Space", "SoftBreak", "LineBreak", "Code", "Math"})
_CALLOUTS = frozenset({"note", "tip", "important", "warning", "caution"})
_PAIRS = {"sub": "Subscript", "sup": "Superscript", "u": "Underline", "ins": "Underline", "b": "Strong", "strong": "Strong",
          "i": "Emph", "em": "Emph", "s": "Strikeout", "del": "Strikeout", "strike": "Strikeout"}  # fmt: skip
"""HTML within a line that says no more than a node of pandoc's does."""
_SILENT = frozenset({
    "abbr", "bdi", "bdo", "big", "center", "cite", "code", "data", "dfn", "font", "kbd", "mark", "nobr", "q", "rp", "rt", "ruby",
    "samp", "small", "span", "time", "tt", "var", "wbr", "div", "p",
})  # fmt: skip
"""HTML within a line whose words stay, without its looks."""


class Prepared(msgspec.Struct, frozen=True):
    """A document for pandoc's docx writer, as JSON, and what was taken out of it, as sentences.

    `toc_marked`: the Markdown says where the table of contents goes.
    """

    json: bytes
    left_out: tuple[str, ...]
    first_heading: str
    toc_marked: bool


def prepare(document: bytes, front: FrontMatter, toc_title: str, place_image: PlaceImage, read_html: ReadHtml) -> Prepared:
    """Take out of pandoc's JSON `document` what has no place in a docx, and put `front` into it.

    Raises DocumentError, and RecursionError where it is nested very deeply.
    """
    parsed = json.loads(document)
    tree = _Tree(place_image, has_inline_html=b'"RawInline"' in document)
    if b'"RawBlock"' in document:
        tree.read_raw_blocks(parsed["blocks"], read_html)
    blocks = tree.blocks(parsed["blocks"])
    first = next((plain_text(block["c"][2]) for block in blocks if block["t"] == "Header"), "")
    if front.title and blocks and blocks[0]["t"] == "Header" and blocks[0]["c"][0] == 1 and first == front.title:
        del blocks[0]  # it is the title, which stands there already
    text = json.dumps({**parsed, "meta": _meta(front, toc_title), "blocks": blocks}, ensure_ascii=False)
    return Prepared(text.encode("utf-8", "replace"), tuple(tree.left_out.sentences()), first, tree.toc_marked)


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


def _meta(front: FrontMatter, toc_title: str) -> Node:
    """Return the metadata of which pandoc makes the title; the properties are `docx_package`'s."""
    texts = {"title": front.title, "subtitle": front.subtitle, "date": front.date, "lang": front.lang, "toc-title": toc_title}
    meta: Node = {name: {"t": "MetaInlines", "c": _words(text)} for name, text in texts.items() if text}
    if front.authors:
        meta["author"] = {"t": "MetaList", "c": [{"t": "MetaInlines", "c": _words(author)} for author in front.authors]}
    return meta


def _words(text: str) -> list[Node]:
    return [{"t": "Str", "c": text}] if text else []


class _Tree:
    """Walks a document, and notes what it takes out."""

    def __init__(self, place_image: PlaceImage, *, has_inline_html: bool) -> None:
        self.left_out = LeftOut()
        self._has_inline_html = has_inline_html
        self.toc_marked = False
        self._place_image = place_image
        self._html: dict[str, list[Node]] = {}
        self._outlets = Outlets(self._html_image, self._kept_address, lambda name: name, self._note)
        self._nodes: dict[str, Callable[[Any], list[Node]]] = {
            "RawBlock": lambda content: self._html.get(content[1], []),
            "RawInline": lambda _: [],  # what `_inlines` did not take
            "HorizontalRule": lambda _: [_openxml(_RULE_XML)],
            "Para": self._paragraph,
            "Image": self._image,
            "Link": self._link,
            "Div": self._div,
            "CodeBlock": self._code,
        }

    def read_raw_blocks(self, blocks: list[Any], read_html: ReadHtml) -> None:
        """Have the HTML between paragraphs read as what it shows, and nothing else."""
        texts = list(dict.fromkeys(node["c"][1] for node in _every(blocks) if node.get("t") == "RawBlock"))
        harmless = [rewrite(text, self._outlets).strip() for text in texts]
        wanted = [piece for piece in dict.fromkeys(harmless) if piece]
        shown = dict(zip(wanted, read_html(wanted) if wanted else (), strict=True))
        self._html = {text: [_broken(node) for node in shown.get(piece, [])] for text, piece in zip(texts, harmless, strict=True)}

    def blocks(self, nodes: list[Any]) -> list[Any]:
        """Return what is to be exported in the place of `nodes`, which may also be inlines or lists of either."""
        if self._has_inline_html and any(isinstance(node, dict) and node.get("t") == "RawInline" for node in nodes):
            nodes = self._inlines(nodes)
        out: list[Any] = []
        for node in nodes:
            kind = node.get("t", "") if isinstance(node, dict) else ""
            if kind in _LEAVES:  # nine nodes of ten
                out.append(node)
            elif handle := self._nodes.get(kind):
                out += handle(node.get("c"))
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
        opened: list[tuple[_Tag, int]] = []  # and where in `out` its contents begin
        for node in nodes:
            if node.get("t") != "RawInline":
                out.append(node)
                continue
            for tag in _tags(node["c"][1]):
                if tag.name == "br":
                    out.append({"t": "LineBreak"})
                elif tag.name == "img":
                    sizes = [[name, tag.attributes.get(name, "")] for name in ("width", "height")]
                    alt = _words(tag.attributes.get("alt", ""))
                    out.append({"t": "Image", "c": [["", [], sizes], alt, [tag.attributes.get("src", ""), ""]]})
                elif tag.name not in _PAIRS and tag.name != "a":
                    if not tag.closing and tag.name not in _SILENT:
                        self._note(tag.name)
                elif not tag.closing:
                    opened.append((tag, len(out)))
                elif opened and opened[-1][0].name == tag.name:
                    opening, begin = opened.pop()
                    out[begin:] = [_enclosed(opening, out[begin:])]
        return out

    def _note(self, tag: str) -> None:
        self.left_out.add("HTML", f"<{tag}>", tr("a document can't include parts that run, load or ask for something"))

    def _kept_address(self, address: str) -> str | None:
        reason = refusal(address)
        if reason:
            self.left_out.add(tr("Link"), address, reason)
        return None if reason else address

    def _html_image(self, address: str, alt: str, attributes: dict[str, str]) -> str:
        stand_in = self._place_image(address, attributes.get("width", ""), attributes.get("height", ""))
        return f'<img src="{stand_in}" alt="{escape(alt)}">' if stand_in else f"<em>{escape(alt, quote=False)}</em>"

    def _paragraph(self, content: Any) -> list[Node]:
        if len(content) == 1 and content[0]["t"] == "Str":
            if _BREAK.fullmatch(content[0]["c"]):
                return [_openxml(_BREAK_XML)]
            if _TOC.fullmatch(content[0]["c"]) and not self.toc_marked:
                self.toc_marked = True
                return [_openxml(_TOC_XML)]
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
            return [{"t": "Emph", "c": [*_words("["), *(words or _words("image")), *_words("]")]}]
        return [{"t": "Image", "c": [["", [], []], words, [stand_in, title]]}]

    def _link(self, content: Any) -> list[Node]:
        attributes, words, (address, title) = content
        if self._kept_address(address) is None:
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


def _openxml(text: str) -> Node:
    return {"t": "RawBlock", "c": ["openxml", text]}


def _broken(node: Node) -> Node:
    """Return a page break for what `rewrite` writes for one, else `node`."""
    return _openxml(_BREAK_XML) if node["t"] == "Div" and "page-break" in node["c"][0][1] else node


def _every(value: Any) -> Iterator[Node]:
    """Yield every node in `value`."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _every(part)


def _figure(image: Node) -> Node:
    """Return an image that stands alone, in the middle of the page, with its title as caption."""
    title = image["c"][2][1]
    image["c"][2][1] = ""
    caption = [{"t": "Plain", "c": _words(title)}] if title else []
    return {"t": "Figure", "c": [["", [], []], [None, caption], [{"t": "Plain", "c": [image]}]]}


class _Tag(msgspec.Struct, frozen=True):
    name: str
    closing: bool
    attributes: dict[str, str]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[_Tag] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(_Tag(tag, False, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        self.found.append(_Tag(tag, True, {}))


def _tags(html: str) -> list[_Tag]:
    """Return the tags in a piece of HTML within a line: mostly one, none in a comment."""
    parser = _Tags()
    parser.feed(html)
    parser.close()
    return [tag for tag in parser.found if not (tag.closing and tag.name in {"br", "img"})]


def _enclosed(opening: _Tag, nodes: list[Node]) -> Node:
    if opening.name == "a":
        return {"t": "Link", "c": [["", [], []], nodes, [opening.attributes.get("href", "#"), ""]]}
    return {"t": _PAIRS[opening.name], "c": nodes}
