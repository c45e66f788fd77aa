"""The document that all writers write: the Markdown as pandoc reads it once, without anything that could reach out of it.

Everything of a kind, an image, a piece of HTML, a link, is one type of node in pandoc's tree, however it was written.
"""

import os
import re
import tempfile
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from dogent_tui.documents.export.images import Images
from dogent_tui.documents.export.left_out import LeftOut, shown
from dogent_tui.documents.export.links import Targets, refusal
from dogent_tui.documents.export.model import ExportRequest
from dogent_tui.documents.export.raw_html import Tag, rewrite, tags
from dogent_tui.documents.export.references import REFERENCE, Labels, cite, is_label, mark_references
from dogent_tui.documents.export.source import FrontMatter, MarkdownSource, read_source
from dogent_tui.documents.export.tables import columns_fit
from dogent_tui.documents.export.tree import (
    BREAK,
    CALLOUT,
    CONTENTS,
    LANDSCAPE,
    NUMBER,
    Handler,
    Heading,
    Node,
    ask_pandoc,
    blocks_of,
    div,
    every,
    mapped,
    plain_text,
    words,
)
from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr
from dogent_tui.processes import Halt

_READER = "commonmark" + "".join(
    f"+{extension}"
    for extension in (
        "alerts",
        "attributes",
        "autolink_bare_uris",
        "bracketed_spans",
        "definition_lists",
        "fenced_divs",
        "footnotes",
        "pipe_tables",
        "strikeout",
        "task_lists",
        "tex_math_dollars",
    )
)
"""The Markdown that is exported, in pandoc's words. Its HTML arrives as nodes of their own, which are taken out here."""

_BREAK = re.compile(r"\\(?:newpage|pagebreak|clearpage)")
_CONTENTS = re.compile(r"\[\[?_?toc_?\]\]?", re.IGNORECASE)
_CAPTION = re.compile(r"(?:Table)?:")
_CALLOUTS = frozenset({"note", "tip", "important", "warning", "caution"})
_BIBLIOGRAPHY = frozenset({"csl-bib-body", "hanging-indent", "csl-entry", "csl-left-margin", "csl-right-inline", "csl-block"})
"""Classes that pandoc gives to the list of what is cited."""
_PAIRS = {"sub": "Subscript", "sup": "Superscript", "u": "Underline", "ins": "Underline", "b": "Strong", "strong": "Strong",
          "i": "Emph", "em": "Emph", "var": "Emph", "cite": "Emph", "dfn": "Emph", "s": "Strikeout", "del": "Strikeout",
          "strike": "Strikeout"}  # fmt: skip
"""HTML within a line that says no more than a node of pandoc's does."""
_SPANS = frozenset({"kbd", "mark", "small"})
_CODES = frozenset({"code", "samp", "tt"})
_SILENT = frozenset({"abbr", "bdi", "bdo", "big", "center", "data", "font", "nobr", "rp", "rt", "ruby", "span", "time", "wbr",
                     "div", "p"})  # fmt: skip
"""HTML within a line whose words stay, without its looks."""
_SIZE = re.compile(r"\s*(\d{1,5}(?:\.\d{1,3})?)\s*(px|%|cm|mm|in|pt|em)?\s*")
_KANA = re.compile("[\u3041-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HAN = re.compile("[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_NO_TEX = re.compile(r"Could not convert TeX math (.*?), rendering as TeX")
_OF_NO_CONCERN = ("Could not load translations", "The term ", "data file translations")
"""Pandoc's words about names of its own (“Figure 1”) in other languages, of which nothing is in the document."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A Markdown file as a tree without raw nodes, in which all links lead to somewhere and all images are there.

    `title` is that of the front matter, else the document's one heading of level 1, else its first heading, else the file's
    name. `contents` are the headings of its table of contents, none where it has none; `placed`: the text says where that is.
    """

    source: MarkdownSource
    front: FrontMatter
    title: str
    blocks: list[Any]
    headings: tuple[Heading, ...]
    contents: tuple[Heading, ...]
    placed: bool
    images: Images
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]


def read_document(request: ExportRequest, halt: Halt | None = None) -> Document:
    """Return the document that `request` names. Blocks. Raises DocumentError."""
    source = read_source(request.markdown)
    try:
        return _read(request, source, halt)
    except RecursionError:
        raise DocumentError(tr("The document is too deeply nested to export."), tr("Flatten its lists and quotations.")) from None


def _read(request: ExportRequest, source: MarkdownSource, halt: Halt | None) -> Document:
    front = replace(source.front, lang=source.front.lang or language_of(source.text))
    left_out = LeftOut(source.text, source.first_line)
    images = Images(request.root, source.path.parent, left_out)
    parsed = ask_pandoc(source.text.encode("utf-8", "replace"), "-f", _READER, "-t", "json", halt=halt)
    blocks, warnings = blocks_of(parsed.data), [*source.warnings, *parsed.warnings]
    if b'"RawBlock"' in parsed.data:
        blocks = _with_html(blocks, left_out, halt)
    if "@" in source.text:
        blocks, uncited = mark_references(blocks, cited=bool(front.bibliography))
        if front.bibliography:
            blocks, told = cite(blocks, front, images, halt)
            warnings += told
        elif uncited:
            some = ", ".join(shown(text) for text in uncited[:3])
            warnings.append(tr("{some}: stays as it is, as the front matter names no bibliography.").format(some=some))
    cleaner = _Cleaner(front, images, left_out)
    blocks = cleaner.finished(cleaner.nodes(blocks))
    headings = tuple(cleaner.headings)
    first = headings[0] if headings else None
    only = first.text if first and first.level == 1 and all(heading.level > 1 for heading in headings[1:]) else ""
    if front.title and first and blocks[0].get("t") == "Header" and only == front.title:
        del blocks[0]  # it is the title, which is above already
    wanted = request.toc if request.toc is not None else front.toc
    wanted = cleaner.placed if wanted is None else wanted
    is_title = bool(only) and front.title in {"", only}
    return Document(
        source=source,
        front=front,
        title=front.title or only or (first.text if first else source.path.stem),
        blocks=blocks,
        headings=headings[1:] if is_title and front.title else headings,
        contents=_contents(headings[1:] if is_title else headings, front) if wanted else (),
        placed=cleaner.placed,
        images=images,
        left_out=tuple(left_out.sentences()),
        warnings=tuple(dict.fromkeys([*warnings, *cleaner.warnings()])),
    )


def _contents(headings: tuple[Heading, ...], front: FrontMatter) -> tuple[Heading, ...]:
    top = min((heading.level for heading in headings), default=1)
    return tuple(heading for heading in headings if heading.level < top + front.toc_depth and heading.text)


def language_of(text: str) -> str:
    """Return the language of `text` where its script tells: what fonts are chosen by. Empty for all others."""
    sample = text[:20_000]
    letters = len(_LETTER.findall(sample)) or 1
    if len(_HANGUL.findall(sample)) / letters > 0.2:
        return "ko"
    kana, han = len(_KANA.findall(sample)), len(_HAN.findall(sample))
    if (kana + han) / letters < 0.1:
        return ""
    return "ja" if kana / (kana + han) > 0.1 else "zh-CN"


def writer_warnings(said: list[str]) -> list[str]:
    """Return what a user should know of pandoc's warnings while it wrote a document."""
    told = []
    for text in said:
        if found := _NO_TEX.match(text):
            told.append(tr("The formula {tex} was not understood and is shown as TeX.").format(tex=shown(found[1].strip())))
        elif not text.startswith(_OF_NO_CONCERN):
            told.append(shown(text))
    return list(dict.fromkeys(told))[:10]


def _with_html(blocks: list[Any], left_out: LeftOut, halt: Halt | None) -> list[Any]:
    """Return `blocks` with the HTML between paragraphs as what it shows, and nothing else; pandoc reads all pieces at once."""
    blocks = _joined(blocks)
    dropped = _dropped(left_out)
    texts = list(dict.fromkeys(node["c"][1] for node in every(blocks) if node["t"] == "RawBlock"))
    harmless = {text: rewrite(text, dropped).strip() for text in texts}
    pieces = [piece for piece in dict.fromkeys(harmless.values()) if piece]
    mark = f"between-{os.urandom(8).hex()}"
    with tempfile.TemporaryDirectory(prefix="dogent-") as folder:
        Path(folder, "between.html").write_text(f"<p>{mark}</p>", encoding="utf-8")
        names = []
        for number, piece in enumerate(pieces):
            Path(folder, f"{number}.html").write_text(piece, encoding="utf-8", errors="replace")
            names += [f"{folder}/{number}.html", f"{folder}/between.html"]
        read = (
            ask_pandoc(b"", "--file-scope", "-f", "html", "-t", "json", *names, halt=halt, readable=(folder,)) if names else None
        )
    found: list[list[Node]] = [[]]
    for block in blocks_of(read.data) if read else ():
        if plain_text(block) == mark:
            found.append([])
        else:
            found[-1].append(block)
    shown_as = dict(zip(pieces, found, strict=False))
    return list(mapped(blocks, {"RawBlock": lambda content: shown_as.get(harmless[content[1]], [])}))


def _joined(blocks: Any) -> Any:
    """Return blocks in which HTML that an empty line cut, as in a table, is one piece again."""
    if isinstance(blocks, dict):
        return {**blocks, "c": _joined(blocks["c"])} if isinstance(blocks.get("c"), list) else blocks
    if not isinstance(blocks, list):
        return blocks
    out: list[Any] = []
    for block in blocks:
        is_html = isinstance(block, dict) and block.get("t") == "RawBlock"
        if is_html and out and isinstance(out[-1], dict) and out[-1].get("t") == "RawBlock":
            out[-1] = {"t": "RawBlock", "c": ["html", f"{out[-1]['c'][1]}\n{block['c'][1]}"]}
        else:
            out.append(_joined(block))
    return out


def _dropped(left_out: LeftOut) -> Any:
    why = tr("a document can't include parts that run, load or ask for something")
    return lambda element: left_out.add("HTML", f"<{element}>", why)


class _Cleaner:
    """Makes the tree that the writers get: known attributes only, headings named, figures and tables with their captions."""

    def __init__(self, front: FrontMatter, images: Images, left_out: LeftOut) -> None:
        self.headings: list[Heading] = []
        self.placed = False
        self._front = front
        self._images = images
        self._left_out = left_out
        self._dropped = _dropped(left_out)
        self._targets = Targets()
        self._labels = Labels(front)
        self._sections: list[int] = []
        self._lost: list[str] = []
        self._handlers: dict[str, Handler] = {
            "RawBlock": lambda _: [],
            "RawInline": lambda _: [],  # what `_inlines` did not take
            "Cite": lambda content: self.nodes(content[1]),
            "Para": self._paragraph,
            "Plain": lambda content: [{"t": "Plain", "c": self.nodes(content)}],
            "Header": self._header,
            "Image": self._image,
            "Link": self._link,
            "Div": self._div,
            "Span": self._span,
            "Figure": self._figure,
            "Table": self._table,
            "Code": lambda content: [{"t": "Code", "c": [["", [], []], content[1]]}],
            "CodeBlock": self._code,
            "Note": lambda content: [{"t": "Note", "c": self.nodes(content)}],
        }

    def nodes(self, value: Any) -> Any:
        """Return what is to be exported in the place of `value`, a list of blocks or of inlines, or of such lists."""
        if not isinstance(value, list):
            return mapped(value, self._handlers)
        kinds = {part.get("t") if isinstance(part, dict) else None for part in value}
        if "RawInline" in kinds:
            value = self._inlines(value)
        if "Table" in kinds:
            value = _captioned(value)
        if "SoftBreak" in kinds:
            value = _unbroken(value)
        out: list[Any] = []
        for part in value:
            handler = self._handlers.get(part.get("t", "")) if isinstance(part, dict) else None
            if handler:
                out += handler(part.get("c"))
            elif isinstance(part, dict):
                out.append({**part, "c": self.nodes(part["c"])} if isinstance(part.get("c"), list) else part)
            else:
                out.append(self.nodes(part) if isinstance(part, list) else part)
        return out

    def finished(self, blocks: list[Any]) -> list[Any]:
        """Return `blocks` with what leads to another place in the document, now that all places are known."""
        blocks = mapped(blocks, {"Span": self._labels.resolve})
        blocks = mapped(blocks, {"Link": self._within})
        return [_turned(block) for block in blocks]

    def warnings(self) -> list[str]:
        """Return what was found that leads to nowhere."""
        lost = [
            tr("The link {address} has no target: no heading has that name.").format(address=shown(name)) for name in self._lost
        ]
        return [
            *lost,
            *(tr("The reference {name} has no target.").format(name=f"@{key.lstrip('-')}") for key in self._labels.missing),
        ]

    # Inlines

    def _inlines(self, nodes: list[Any]) -> list[Any]:
        """Return `nodes` with their HTML as nodes of pandoc's where there are such, and without it where not."""
        out: list[Any] = []
        opened: list[tuple[Tag, int]] = []  # and where in `out` its contents begin
        for node in nodes:
            if node.get("t") != "RawInline":
                out.append(node)
                continue
            for tag in tags(node["c"][1]):
                if tag.name == "br":
                    out.append({"t": "LineBreak"})
                elif tag.name == "img":
                    given = tag.attributes
                    sizes = [[name, given.get(name, "")] for name in ("width", "height")]
                    out.append(
                        {
                            "t": "Image",
                            "c": [["", [], sizes], words(given.get("alt", "")), [given.get("src", ""), given.get("title", "")]],
                        }
                    )
                elif tag.name not in _PAIRS and tag.name not in _SPANS and tag.name not in _CODES and tag.name not in {"a", "q"}:
                    if not tag.closing and tag.name not in _SILENT:
                        self._dropped(tag.name)
                elif not tag.closing:
                    opened.append((tag, len(out)))
                elif opened and opened[-1][0].name == tag.name:
                    opening, begin = opened.pop()
                    out[begin:] = [_enclosed(opening, out[begin:])]
        return out

    def _image(self, content: Any) -> list[Node]:
        (name, _, attributes), alt, (address, title) = content
        inside = self.nodes(alt)
        if self._images.find(address) is None:
            return [{"t": "Emph", "c": [*words("["), *(inside or words("image")), *words("]")]}]
        sizes = [[what, size] for what, given in attributes if what in {"width", "height"} and (size := length(given))]
        return [{"t": "Image", "c": [[name and self._targets.add_named(name), [], sizes], inside, [address, title]]}]

    def _link(self, content: Any) -> list[Node]:
        (name, _, _), inside, (address, title) = content
        reason = "" if name and not address else refusal(address)
        if reason:
            self._left_out.add(tr("Link"), address, reason)
        kept = [{"t": "Span", "c": [[self._targets.add_named(name), [], []], []]}] if name else []
        return [
            *kept,
            *(
                self.nodes(inside)
                if reason or not address
                else [{"t": "Link", "c": [["", [], []], self.nodes(inside), [address, title]]}]
            ),
        ]

    def _within(self, content: Any) -> list[Node]:
        attributes, inside, (address, title) = content
        inside = mapped(inside, {"Link": self._within})
        if not address.startswith("#"):
            return [{"t": "Link", "c": [attributes, inside, [address, title]]}]
        name = self._targets.find(address)
        if name is None:
            self._lost.append(address)
            return list(inside)
        return [{"t": "Link", "c": [attributes, inside, [f"#{name}", title]]}]

    def _span(self, content: Any) -> list[Node]:
        (name, classes, _attributes), inside = content
        if classes == [REFERENCE]:
            return [{"t": "Span", "c": [content[0], self.nodes(inside)]}]
        kept = [kind for kind in classes if kind in _SPANS or kind in _BIBLIOGRAPHY]
        inside = self.nodes(inside)
        if not name and not kept:
            return list(inside)
        return [{"t": "Span", "c": [[name and self._targets.add_named(name), kept, []], inside]}]

    # Blocks

    def _header(self, content: Any) -> list[Node]:
        level, (name, classes, _), inlines = content
        inlines = self.nodes(inlines)
        text = " ".join(plain_text(inlines).split())
        name = self._targets.add(text, name)
        number = ""
        if self._front.number_sections and "unnumbered" not in classes and (self.headings or text != self._front.title):
            number = self._section_number(level)
            inlines = [{"t": "Span", "c": [["", [NUMBER], []], words(f"{number}\N{NO-BREAK SPACE}")]}, *inlines]
        self._labels.section(name, number, text)
        self.headings.append(Heading(level, f"{number} {text}".strip(), name))
        return [{"t": "Header", "c": [level, [name, [], []], inlines]}]

    def _section_number(self, level: int) -> str:
        self._sections = [*self._sections, *[0] * level][:level]
        self._sections[-1] += 1
        return ".".join(str(number) for number in self._sections if number)

    def _paragraph(self, content: Any) -> list[Node]:
        if len(content) == 1 and content[0]["t"] == "Str":
            if _BREAK.fullmatch(content[0]["c"]):
                return [div(BREAK, [])]
            if _CONTENTS.fullmatch(content[0]["c"]) and not self.placed:
                self.placed = True
                return [div(CONTENTS, [])]
        if equation := _equation(content):
            tex, name = equation
            number = self._labels.count("eq", self._targets.add_named(name))
            math = {"t": "Math", "c": [{"t": "DisplayMath"}, f"{tex}\\qquad({number})"]}
            return [{"t": "Para", "c": [{"t": "Span", "c": [[name, [], []], [math]]}]}]
        inlines = self.nodes(content)
        if len(inlines) == 1 and inlines[0]["t"] == "Image":
            return [self._figure_of(inlines[0])]
        return [{"t": "Para", "c": inlines}] if inlines or not content else []

    def _figure_of(self, image: Node) -> Node:
        """Return an image alone as a figure. Its title is the caption; without one, its words are if it is to be numbered."""
        (name, _, sizes), alt, (address, title) = image["c"]
        caption = words(title) if title else alt if is_label(name) else []
        return self._captioned(name, caption, [{"t": "Plain", "c": [{"t": "Image", "c": [["", [], sizes], alt, [address, ""]]}]}])

    def _captioned(self, name: str, caption: list[Any], blocks: list[Any]) -> Node:
        caption = self._labels.caption("fig", name, caption)
        return {"t": "Figure", "c": [[name, [], []], [None, [{"t": "Plain", "c": caption}] if caption else []], blocks]}

    def _figure(self, content: Any) -> list[Node]:
        (name, _, _), (_, caption), blocks = content
        inlines = [
            inline
            for block in caption
            for inline in (block["c"] if block["t"] in {"Para", "Plain"} else words(plain_text(block)))
        ]
        return [self._captioned(name and self._targets.add_named(name), self.nodes(inlines), self.nodes(blocks))]

    def _div(self, content: Any) -> list[Node]:
        (name, classes, _), blocks = content
        inside = self.nodes(blocks)
        callout = next((kind for kind in classes if kind in _CALLOUTS), "")
        if callout:
            return [div(CALLOUT, inside, callout)]
        kept = [kind for kind in classes if kind in {BREAK, LANDSCAPE, "title"} or kind in _BIBLIOGRAPHY]
        if not name and not kept:
            return list(inside)
        return [{"t": "Div", "c": [[name and self._targets.add_named(name), kept, []], inside]}]

    def _table(self, content: Any) -> list[Node]:
        (name, _, _), (_, caption), columns, (_, head), bodies, (_, foot) = content
        name = name and self._targets.add_named(name)
        inlines = self.nodes([inline for block in caption if block["t"] in {"Para", "Plain"} for inline in block["c"]])
        inlines = self._labels.caption("tbl", name, inlines)
        rows = [self._rows(part) for part in (head, foot)]
        parts = [[["", [], []], count, self._rows(upper), self._rows(lower)] for _, count, upper, lower in bodies]
        every_row = [*rows[0], *(row for _, _, upper, lower in parts for row in (*upper, *lower)), *rows[1]]
        columns_fit(every_row)
        made = [[name, [], []], [None, [{"t": "Plain", "c": inlines}] if inlines else []], columns]
        return [{"t": "Table", "c": [*made, [["", [], []], rows[0]], parts, [["", [], []], rows[1]]]}]

    def _rows(self, rows: list[Any]) -> list[Any]:
        plain: Any = ["", [], []]
        return [
            [plain, [[plain, align, down, across, self.nodes(blocks)] for _, align, down, across, blocks in cells]]
            for _, cells in rows
        ]

    @staticmethod
    def _code(content: Any) -> list[Node]:
        (_, classes, _), text = content
        language = [kind.lower() for kind in classes[:1] if re.fullmatch(r"[\w+#.-]+", kind)]
        return [{"t": "CodeBlock", "c": [["", language, []], text]}]


def length(text: str) -> str:
    """Return `text` as a length of CSS (a bare number is pixels), empty where it is none."""
    found = _SIZE.fullmatch(text)
    return f"{found[1]}{found[2] or 'px'}" if found else ""


def _enclosed(opening: Tag, nodes: list[Node]) -> Node:
    if opening.name == "a":
        name = opening.attributes.get("id") or opening.attributes.get("name", "")
        return {"t": "Link", "c": [[name, [], []], nodes, [opening.attributes.get("href", ""), ""]]}
    if opening.name == "q":
        return {"t": "Quoted", "c": [{"t": "DoubleQuote"}, nodes]}
    if opening.name in _CODES:
        return {"t": "Code", "c": [["", [], []], plain_text(nodes)]}
    if opening.name in _SPANS:
        return {"t": "Span", "c": [["", [opening.name], []], nodes]}
    return {"t": _PAIRS[opening.name], "c": nodes}


def _label_of(nodes: list[Any], kind: str) -> str:
    """Return the name of this kind that attributes at the end of `nodes` give; pandoc has them as a span around the last one."""
    name: str = nodes[-1]["c"][0][0] if nodes and nodes[-1]["t"] == "Span" else ""
    return name if name.lower().startswith(f"{kind}:") else ""


def _equation(nodes: list[Any]) -> tuple[str, str] | None:
    name = _label_of(nodes, "eq")
    maths = [node["c"] for node in every(nodes) if node["t"] == "Math"] if name else []
    alone = len(maths) == 1 and plain_text(nodes).strip() == maths[0][1]
    return (maths[0][1], name) if alone and maths[0][0]["t"] == "DisplayMath" else None


def _caption_of(block: Any) -> tuple[str, list[Any]] | None:
    """Return name and words of a paragraph that begins as the caption of a table does, None for all others."""
    if block.get("t") != "Para" or not block["c"] or block["c"][0]["t"] != "Str":
        return None
    first, *rest = block["c"]
    found = _CAPTION.match(first["c"])
    if found is None or (found[0] != first["c"] and found[0] == "Table:"):
        return None
    name = _label_of(rest, "tbl")
    kept = [*words(first["c"][found.end() :]), *(rest[:-1] if name else rest)]
    while kept and kept[0]["t"] in {"Space", "SoftBreak"}:
        kept = kept[1:]
    return name, kept


def _captioned(blocks: list[Any]) -> list[Any]:
    """Return `blocks` with the paragraphs that are captions, after or before a table, in these tables."""
    out: list[Any] = []
    for block in _parted(blocks):
        before = out[-1] if out else {}
        caption = _caption_of(block) if before.get("t") == "Table" and not before["c"][1][1] else None
        if caption is None and block.get("t") == "Table" and (caption := _caption_of(before)):
            out[-1] = block
        elif caption is None:
            out.append(block)
        if caption:
            name, inlines = caption
            table = out[-1]["c"]
            out[-1] = {"t": "Table", "c": [[name, [], []], [None, [{"t": "Plain", "c": inlines}]], *table[2:]]}
    return out


def _parted(blocks: list[Any]) -> list[Any]:
    """Return `blocks` with captions above tables as paragraphs, which CommonMark takes for definitions of what is before."""
    out = []
    for block, after in pairwise([*blocks, {}]):
        caption = block["c"][-1][1][-1] if block.get("t") == "DefinitionList" and after.get("t") == "Table" else []
        if len(caption) == 1 and caption[0]["t"] in {"Para", "Plain"} and _label_of(caption[0]["c"], "tbl"):
            *items, (term, definitions) = block["c"]
            items += [[term, definitions[:-1]]] if definitions[:-1] else []
            out += [{"t": "DefinitionList", "c": items}] if items else []
            out += [] if definitions[:-1] else [{"t": "Para", "c": term}]
            out.append({"t": "Para", "c": [*words(":"), *caption[0]["c"]]})
        else:
            out.append(block)
    return out


def _turned(block: Node) -> Node:
    """Return a table that is too wide for a page as one of a page of its own that lies on its side."""
    return div(LANDSCAPE, [block]) if block["t"] == "Table" and not columns_fit(_all_rows(block)) else block


def _all_rows(table: Node) -> list[Any]:
    _, _, _, (_, head), bodies, (_, foot) = table["c"]
    return [*head, *(row for _, _, upper, lower in bodies for row in (*upper, *lower)), *foot]


def _unbroken(nodes: list[Any]) -> list[Any]:
    """Return `nodes` without line breaks of the source between characters of scripts that have no spaces between words."""
    return [
        node
        for number, node in enumerate(nodes)
        if not (
            isinstance(node, dict)
            and node["t"] == "SoftBreak"
            and 0 < number < len(nodes) - 1
            and _is_wide(plain_text(nodes[number - 1])[-1:])
            and _is_wide(plain_text(nodes[number + 1])[:1])
        )
    ]


def _is_wide(character: str) -> bool:
    return bool(character) and unicodedata.east_asian_width(character) in "WF" and not "\uac00" <= character <= "\ud7a3"
