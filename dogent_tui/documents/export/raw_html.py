"""HTML inside Markdown, rewritten from a short list of harmless elements; none of it is ever
passed on as it stands.
"""

import os
import re
import tempfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
from lxml import etree, html

from dogent_tui.documents.export.tree import (
    Node,
    ask_pandoc,
    attributes,
    blocks_of,
    kinds_in,
    mapped,
    node,
    plain_text,
    walk,
    words,
)
from dogent_tui.processes import Halt

_INLINE = frozenset({
    "b", "strong", "i", "em", "u", "s", "strike", "del", "ins", "sub", "sup", "kbd", "mark",
    "small", "big", "q", "cite", "abbr",
    "dfn", "var", "samp", "tt", "code", "ruby", "rt", "rp", "wbr", "br", "span", "center", "a",
    "img",
})  # fmt: skip
_BLOCK = frozenset({
    "p", "div", "blockquote", "pre", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li",
    "dl", "dt", "dd", "table",
    "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "figure", "figcaption", "details",
    "summary", "section", "article",
    "aside", "header", "footer", "main", "address",
})  # fmt: skip
_ELEMENTS = _INLINE | _BLOCK
_VOID = frozenset({"br", "hr", "img", "wbr"})
_SILENT = frozenset({
    "html", "head", "body", "font", "nobr", "colgroup", "col", "picture", "source", "title", "time",
    "data", "bdi", "bdo",
})  # fmt: skip
"""What shapes nothing that a document would miss."""
_WITH_CONTENT = frozenset({
    "script", "style", "iframe", "object", "applet", "noscript", "template", "svg", "math",
    "video", "audio", "canvas",
    "select", "textarea", "frameset", "noframes", "noembed", "portal", "fencedframe", "plaintext",
    "xmp",
})  # fmt: skip
"""Left out with all that is in it: it is no text for a reader."""
_BREAKS_PAGE = re.compile(
    r"page-break-(?:after|before)\s*:\s*always|break-(?:after|before)\s*:\s*page", re.IGNORECASE
)
_PAGE_BREAK_COMMENT = re.compile(r"<!--\s*page[-_ ]?break\s*-->", re.IGNORECASE)
PAGE_BREAK = '<div class="page-break"></div>'

_ENCLOSING = {"sub": "Subscript", "sup": "Superscript", "u": "Underline", "ins": "Underline",
    "b": "Strong", "strong": "Strong",
              "i": "Emph", "em": "Emph", "var": "Emph", "cite": "Emph", "dfn": "Emph",
              "s": "Strikeout", "del": "Strikeout",
              "strike": "Strikeout", "kbd": "Span", "mark": "Span", "small": "Span", "code": "Code",
              "samp": "Code", "tt": "Code",
              "q": "Quoted", "a": "Link"}  # fmt: skip
"""HTML within a line and the node that says the same; the words of all other elements stay,
without their looks.
"""

Attributes = dict[str, str]
Dropped = Callable[[str], None]
_KEPT = {"img": ("src", "alt", "title", "width", "height"), "a": ("href",)}
_ALIGNED = re.compile(r"\btext-align\s*:\s*(\w+)", re.IGNORECASE)
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_ROWSPAN = re.compile(r'\browspan="(\d+)"')


class Tag(msgspec.Struct, frozen=True):
    """A tag of HTML."""

    name: str
    closing: bool
    attributes: Attributes


def read_blocks(blocks: list[Any], dropped: Dropped, halt: Halt | None) -> list[Any]:
    """Return `blocks` with the HTML between paragraphs as what it shows, and nothing else; pandoc
    reads all pieces at once.

    `dropped` is told of each element that is left out.
    """
    blocks = mapped(blocks, {}, _joined)
    texts = list(dict.fromkeys(block["c"][1] for block in walk(blocks) if block["t"] == "RawBlock"))
    harmless = {text: rewrite(text, dropped).strip() for text in texts}
    pieces = [piece for piece in dict.fromkeys(harmless.values()) if piece]
    mark = f"between-{os.urandom(8).hex()}"
    found: list[list[Node]] = [[]]
    with tempfile.TemporaryDirectory(prefix="dogent-") as folder:
        for number, piece in enumerate(pieces):
            Path(folder, f"{number:06}.html").write_text(
                f"{piece}<p>{mark}</p>", encoding="utf-8", errors="replace"
            )
        names = sorted(map(str, Path(folder).iterdir()))
        arguments = ("--file-scope", "-f", "html", "-t", "json", *names)
        for block in (
            blocks_of(ask_pandoc(b"", *arguments, halt=halt, readable=(folder,)).data)
            if names
            else ()
        ):
            if plain_text(block) == mark:
                found.append([])
            else:
                found[-1].append(block)
    shown_as = dict(zip(pieces, found, strict=False))
    return list(
        mapped(blocks, {"RawBlock": lambda content: shown_as.get(harmless[content[1]], [])})
    )


def _joined(blocks: list[Any]) -> list[Any]:
    """Return blocks in which HTML that an empty line cut, as in a table, is one piece again."""
    if "RawBlock" not in kinds_in(blocks):
        return blocks
    out: list[Any] = []
    for block in blocks:
        if "RawBlock" in kinds_in([block]) & kinds_in(out[-1:]):
            out[-1] = node("RawBlock", ["html", f"{out[-1]['c'][1]}\n{block['c'][1]}"])
        else:
            out.append(block)
    return out


def read_inlines(inlines: list[Any], dropped: Dropped) -> list[Any]:
    """Return `inlines` with their HTML as nodes of pandoc's where there are such, and without it
    where not.
    """
    out: list[Any] = []
    opened: list[tuple[Tag, int]] = []  # and where in `out` its contents begin
    for inline in inlines:
        if inline.get("t") != "RawInline":
            out.append(inline)
            continue
        for tag in tags(inline["c"][1]):
            given = tag.attributes
            if tag.name == "br":
                out.append({"t": "LineBreak"})
            elif tag.name == "img":
                sizes = attributes(width=given.get("width", ""), height=given.get("height", ""))
                out.append(
                    node(
                        "Image",
                        [
                            sizes,
                            words(given.get("alt", "")),
                            [given.get("src", ""), given.get("title", "")],
                        ],
                    )
                )
            elif tag.name not in _ENCLOSING:
                if (
                    not tag.closing
                    and tag.name not in _INLINE
                    and tag.name not in _SILENT
                    and tag.name not in {"div", "p"}
                ):
                    dropped(tag.name)
            elif not tag.closing:
                opened.append((tag, len(out)))
            elif opened and opened[-1][0].name == tag.name:
                opening, begin = opened.pop()
                out[begin:] = [_enclosed(opening, out[begin:])]
    return out


def _enclosed(opening: Tag, inside: list[Node]) -> Node:
    kind = _ENCLOSING[opening.name]
    if kind == "Link":
        name = opening.attributes.get("id") or opening.attributes.get("name", "")
        return node("Link", [attributes(name), inside, [opening.attributes.get("href", ""), ""]])
    if kind == "Code":
        return node("Code", [attributes(), plain_text(inside)])
    if kind == "Span":
        return node("Span", [attributes("", opening.name), inside])
    return node(kind, [{"t": "DoubleQuote"}, inside] if kind == "Quoted" else inside)


def rewrite(fragment: str, dropped: Dropped) -> str:
    """Return the HTML `fragment` as harmless HTML for pandoc to read. `dropped` is told of each
    element that is left out.
    """
    parser = html.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True)
    text = _PAGE_BREAK_COMMENT.sub(PAGE_BREAK, fragment.replace("\0", ""))
    root = html.fragment_fromstring(text, create_parent="div", parser=parser)
    for element in list(root.iterdescendants()):
        tag, given = element.tag, dict(element.attrib)
        if tag in _ELEMENTS:
            if _BREAKS_PAGE.search(given.get("style", "")) or given.get("class") == "page-break":
                element.addprevious(html.Element("div", {"class": "page-break"}))
            element.attrib.clear()
            element.attrib.update(_attributes(tag, given))
        elif tag not in _SILENT and next(element.iterancestors(*_WITH_CONTENT), None) is None:
            dropped(tag)
    etree.strip_elements(root, *_WITH_CONTENT, with_tail=False)
    etree.strip_tags(root, *({element.tag for element in root.iterdescendants()} - _ELEMENTS))
    written = etree.tostring(root, encoding="unicode", method="html")[len("<div>") : -len("</div>")]
    return _TABLE.sub(_with_head, written)


def tags(text: str) -> list[Tag]:
    """Return the tags in a piece of HTML within a line: mostly one, none in a comment."""
    parser = _Tags()
    parser.feed(text)
    parser.close()
    return [tag for tag in parser.found if not (tag.closing and tag.name in _VOID)]


def _with_head(table: re.Match[str]) -> str:
    """Return a table whose first rows are all headers with these as its head: pandoc takes one
    row, and cuts what spans two.
    """
    text = re.sub("</?tbody[^>]*>", "", table[0])
    rows = list(_ROW.finditer(text))
    last = 0
    for number, row in enumerate(rows):
        if number >= last and ("<td" in row[0] or "<th" not in row[0]):
            break
        last = max(last, *(number + int(span) for span in _ROWSPAN.findall(row[0])), number + 1)
    if not last or last >= len(rows) or "<thead" in text or text.count("<table") > 1:
        return table[0]
    start, end = rows[0].start(), rows[last - 1].end()
    return f"{text[:start]}<thead>{text[start:end]}</thead><tbody>{text[end:-8]}</tbody></table>"


def _attributes(tag: str, attributes: Attributes) -> Attributes:
    """Return the attributes that mean something. Addresses are judged in pandoc's tree, where
    those of Markdown are too.
    """
    kept = {name: attributes[name] for name in _KEPT.get(tag, ()) if attributes.get(name)}
    if name := attributes.get("id") or (attributes.get("name") if tag == "a" else None):
        kept["id"] = name
    kept |= {
        name: attributes[name]
        for name in ("colspan", "rowspan", "start")
        if _is_count(attributes.get(name, ""))
    }
    aligned = _ALIGNED.search(attributes.get("style", ""))
    align = (aligned[1] if aligned else attributes.get("align", "")).lower()
    if tag in {"td", "th"} and align in {"left", "center", "right"}:
        kept["style"] = f"text-align: {align}"
    return kept


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and 0 < int(text[:5]) < 1000 and len(text) < 5


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Tag] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(Tag(tag, False, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        self.found.append(Tag(tag, True, {}))
