"""The document that all writers write: the Markdown as parsed once by pandoc, without anything that
could reach outside.

Everything of a kind, such as an image, a piece of HTML or a link, is one type of node in pandoc's
tree, however it was written.
"""

import os
import re
from functools import partial
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec.structs import replace

from dogent_tui.documents.bibliography import (
    Bibliography,
    Entry,
    cited_keys,
    named_bibliographies,
    read_bibliography,
)
from dogent_tui.documents.export import tree
from dogent_tui.documents.export.images import Images, LeftOutError, own_width
from dogent_tui.documents.export.left_out import LeftOut, tell_left_out, tell_unknown
from dogent_tui.documents.export.lengths import length
from dogent_tui.documents.export.links import Targets, page_of, refusal
from dogent_tui.documents.export.model import ExportRequest
from dogent_tui.documents.export.raw_html import read_html
from dogent_tui.documents.export.references import (
    REFERENCE,
    Labels,
    citation_warnings,
    cite,
    is_label,
    mark_references,
)
from dogent_tui.documents.export.source import (
    PAPERS,
    FrontMatter,
    MarkdownSource,
    read_source,
    shown,
)
from dogent_tui.documents.export.tables import captioned, label_of, rows_of, turned
from dogent_tui.documents.export.themes import DEFAULT, Theme, theme_names
from dogent_tui.documents.export.themes import theme as named_theme
from dogent_tui.documents.export.tree import Node, attributes, mapped, node, words
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.tree import CALLOUTS, LISTS
from dogent_tui.documents.terms import is_right_to_left, term
from dogent_tui.language import tr
from dogent_tui.processes import Halt
from dogent_tui.records import Record
from dogent_tui.settings.values import load_settings
from dogent_tui.storage.paths import Workspace

_READER = (
    "commonmark+attributes+autolink_bare_uris+bracketed_spans+definition_lists+fenced_divs+footnotes"
    "+gfm_auto_identifiers+pipe_tables+strikeout+task_lists+tex_math_dollars+tex_math_gfm"
)
"""The exported Markdown dialect in pandoc's terms. HTML becomes raw nodes, which are removed
here.
"""

_BREAK = re.compile(r"\\(?:newpage|pagebreak|clearpage)")
_CONTENTS = re.compile(r"\[\[?toc\]\]?", re.IGNORECASE)
KEPT_LINES = 50
"""The lines of code that are kept together: about those of a page."""
_ABSTRACT = "::::::::: abstract\n{}\n:::::::::\n\n"
_KEPT = re.compile(
    "abstract|center|kbd|mark|small|title|page-break|landscape|csl-.*|hanging-indent"
)
"""Classes known to the writers; the last ones belong to pandoc's list of references."""
_KANA = re.compile("[\u3041-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HAN = re.compile("[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_UNSPACED = re.compile(
    "[\u2e80-\u312f\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\U00020000-\U0003ffff]{2}"
)
"""Two wide characters that are not Korean, between which there are no spaces."""
_TAG = re.compile(r"\\tag(\*?)\{([^{}]*)\}")
_UNSEEN = re.compile(r"\\(?:label\{[^{}]*\}|(?:nonumber|notag)(?![A-Za-z]))")
_OWN_NUMBER = re.compile(
    r"\d+(?:\.\d+)+\s|\d+[.)、．]|[IVX]+\.\s|§|第.+[章节節条條]|[一二三四五六七八九十]+、"
)
_SIGN = re.compile(r"\[!(\w+)\][+-]?")
"""The beginning of a call-out on GitHub; in Obsidian, a sign says whether it is folded."""
_MARKUP = re.compile(r"[*_`$]")
_NO_TEX = re.compile(r"Could not convert TeX math (.*?), rendering as TeX")
_OF_NO_CONCERN = ("Could not load translations", "The term ", "data file translations")
"""Pandoc's warnings about translations of its own terms (“Figure 1”), which the document does not
use.
"""


class Document(Record, kw_only=True):
    """A Markdown file as a tree without raw nodes, in which all link targets and images exist.

    `title` is that of the front matter, or the document's only heading of level 1, or its first
    heading, or the file's name. `contents` are the headings of its table of contents, whose place
    is in `blocks`; empty if there is none.
    """

    source: MarkdownSource
    front: FrontMatter
    theme: Theme
    title: str
    is_right_to_left: bool
    blocks: list[Any]
    headings: tuple[tree.Heading, ...]
    contents: tuple[tree.Heading, ...]
    images: Images
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def contents_title(self) -> str:
        """The title of the table of contents."""
        return self.front.toc_title or term(self.front.lang, "contents")


def read_document(request: ExportRequest, halt: Halt | None = None) -> Document:
    """Return the document for `request`. Blocks. Raises DocumentError."""
    source = read_source(request.markdown)
    if request.appendix:
        references = "" if "{#refs}" in source.text else "::: {#refs}\n:::\n\n"
        text = f"{source.text.rstrip()}\n\n{references}{request.appendix}\n"
        source = replace(source, text=text)
    try:
        return _read(request, source, halt)
    except RecursionError:
        raise DocumentError(
            tr("The document is too deeply nested to export."),
            tr("Flatten its lists and quotations."),
        ) from None


def _read(request: ExportRequest, source: MarkdownSource, halt: Halt | None) -> Document:
    theme, unknown = _theme(request, source.front)
    front = replace(source.front, lang=source.front.lang or language_of(source.text))
    if _MARKUP.search(front.title):
        title = tree.parsed(f"# {front.title}", _READER, halt).data
        front = replace(front, title=tree.plain_text(tree.blocks_of(title)))
    left_out = LeftOut(source)
    images = Images(request.root, source.path.parent, left_out)
    text = _ABSTRACT.format(front.abstract) * bool(front.abstract) + source.text
    first_line = source.first_line + source.text.count("\n") - text.count("\n")
    tell_left_out(text, first_line, left_out)
    parsed = tree.parsed(text, _READER, halt)
    blocks = tree.blocks_of(parsed.data)
    unread = tell_unknown(text, first_line, blocks)
    warnings = [*source.warnings, *unknown, *unread, *parsed.warnings]
    if b'"Raw' in parsed.data:
        why = tr("a document can't include parts that run, load or ask for something")
        blocks = read_html(blocks, lambda what: left_out.add("HTML", f"<{what}>", why), halt)
    if "@" in source.text:
        front, entries, own = _with_bibliographies(front, request.root, source)
        blocks, uncited = mark_references(blocks, front.lang, cited=bool(front.bibliography))
        if front.bibliography:
            warnings += citation_warnings(blocks, entries, own, request.root)
            blocks, told = cite(blocks, front, images, halt)
            warnings += told
        elif uncited:
            warnings.append(
                tr(
                    "{some}: stays as it is, as the front matter names no bibliography.",
                    some=", ".join(map(shown, uncited[:3])),
                )
            )
    if front.number_sections is None:
        front = replace(front, number_sections=theme.number_sections and not _are_numbered(blocks))
    only = _only_title(blocks[bool(front.abstract) :])
    if theme.cover and not front.title:
        front = replace(front, title=only)
    leftward = is_right_to_left(front.lang, source.text)
    share, folder = theme.paper[0] / PAPERS["a4"][0], request.target.parent
    cleaner = _Cleaner(source, front, images, left_out, folder, right_to_left=leftward, share=share)
    blocks = cleaner.cleaned(blocks)
    before = [blocks.pop(0)] if front.abstract else []
    front = replace(front, description=front.description or tree.plain_text(before))
    headings = tuple(cleaner.headings)
    if only and only == front.title:
        del blocks[0]  # it is the title, which is already above
    wanted = request.toc if request.toc is not None else front.toc
    wanted = cleaner.placed or theme.toc if wanted is None else wanted
    if wanted and not cleaner.placed:
        before.append(tree.div(tree.CONTENTS, []))
    is_title = bool(only) and front.title in {"", only}
    return Document(
        source=source,
        front=front,
        theme=theme,
        title=front.title or only or (headings[0].text if headings else source.path.stem),
        is_right_to_left=leftward,
        blocks=[*before, *_on_pages(blocks)],
        headings=headings[1:] if is_title and front.title else headings,
        contents=_contents(headings[1:] if is_title else headings, front) if wanted else (),
        images=images,
        left_out=tuple(left_out.sentences()),
        warnings=tuple(dict.fromkeys([*warnings, *cleaner.told.sentences()])),
    )


def _on_pages(blocks: list[Any]) -> list[Any]:
    """Return `blocks` with the headings of landscape pages on those pages, and without page breaks
    beside one, which would leave an empty page.
    """
    out: list[Any] = []
    for block in blocks:
        kind = tree.kind_of(block)
        if kind == tree.LANDSCAPE:
            while out and out[-1]["t"] == "Header":
                block["c"][1].insert(0, out.pop())
            while out and tree.kind_of(out[-1]) == tree.BREAK:
                out.pop()
        if kind != tree.BREAK or not out or tree.kind_of(out[-1]) != tree.LANDSCAPE:
            out.append(block)
    return out


def _theme(request: ExportRequest, front: FrontMatter) -> tuple[Theme, list[str]]:
    """Return the requested theme in order of precedence, and a warning about an unknown one."""
    asked = [name for name in (request.theme, front.theme, request.usual_theme) if name]
    found = next((name for name in asked if name in theme_names()), DEFAULT)
    names = ", ".join(theme_names())
    paper = PAPERS[front.paper or "a4"]
    return replace(named_theme(found), paper=paper), [
        tr("There is no theme {name}: there are {names}.", name=shown(name), names=names)
        for name in asked[:1]
        if name != found
    ]


def _are_numbered(blocks: list[Any]) -> bool:
    """Return whether most headings are numbered by their author."""
    titles = [tree.plain_text(block["c"][2]) for block in blocks if block["t"] == "Header"]
    return 2 * sum(bool(_OWN_NUMBER.match(title)) for title in titles) > len(titles)


def _only_title(blocks: list[Any]) -> str:
    """Return the heading that the text begins with, if it is the only one of level 1."""
    tops = [block for block in blocks if block["t"] == "Header" and block["c"][0] == 1]
    if len(tops) != 1 or tops[0] is not blocks[0]:
        return ""
    return tree.plain_text(tops[0]["c"][2])


def _with_bibliographies(
    front: FrontMatter, root: Path, source: MarkdownSource
) -> tuple[FrontMatter, dict[str, tuple[Entry, Bibliography]], list[Entry]]:
    """Return `front` with the applicable citation style and bibliographies; of those it does not
    name itself, only the ones that are cited. Also return the entries of all, and of those it
    names.
    """
    cited, folder = cited_keys(source.text), source.path.parent
    names = [os.path.normpath(name) for name in front.bibliography]
    entries: dict[str, tuple[Entry, Bibliography]] = {}
    own: list[Entry] = []
    more: list[str] = []
    for path in named_bibliographies(root, front.bibliography, folder):
        name, read = os.path.relpath(path, folder), read_bibliography(path)
        found = read.entries
        own += found if name in names else []
        more += [name] if name not in names and any(one.key in cited for one in found) else []
        entries |= {one.key: (one, read) for one in found}
    style = load_settings(Workspace(root))[0].csl
    csl = front.csl or (os.path.relpath(root / style, folder) if style else "")
    return replace(front, bibliography=(*front.bibliography, *more), csl=csl), entries, own


def _contents(headings: tuple[tree.Heading, ...], front: FrontMatter) -> tuple[tree.Heading, ...]:
    top = min((heading.level for heading in headings), default=1)
    return tuple(
        heading for heading in headings if heading.level < top + front.toc_depth and heading.text
    )


def language_of(text: str, least: float = 0.1) -> str:
    """Return the language of `text` if its script tells, with at least the share `least` of the
    letters: it determines fonts. Empty otherwise.
    """
    sample = text[:20_000]
    kana, hangul, han, letters = (
        len(script.findall(sample)) for script in (_KANA, _HANGUL, _HAN, _LETTER)
    )
    wanted = least * letters
    if hangul > 2 * wanted:
        return "ko"
    if kana + han <= wanted:
        return ""
    return "ja" if kana > least * (kana + han) else "zh-CN"


def writer_warnings(source: MarkdownSource, said: list[str]) -> list[str]:
    """Return pandoc's warnings about writing `source`, for users."""
    formulas, others, why = LeftOut(source), [], tr("it was not understood, and is shown as TeX")
    for text in said:
        if found := _NO_TEX.match(text):
            formulas.add(tr("Formula"), found[1].strip(), why)
        elif not text.startswith(_OF_NO_CONCERN):
            others.append(shown(text))
    return [*formulas.sentences(), *dict.fromkeys(others)]


class _Cleaner:
    """Creates the tree for the writers: known attributes only, headings named, figures and tables
    with their captions.
    """

    def __init__(
        self,
        source: MarkdownSource,
        front: FrontMatter,
        images: Images,
        left_out: LeftOut,
        folder: Path,
        *,
        right_to_left: bool,
        share: float,
    ) -> None:
        """`folder` is where the document will be; `share` is that of `turned`."""
        self._share = share
        self._right_to_left = right_to_left
        self._folder = folder
        self.headings: list[tree.Heading] = []
        self.placed = False
        self._front = front
        self._images = images
        self._left_out = left_out
        self._targets = Targets()
        self.told = LeftOut(source)
        self._labels = Labels(front, self.told)
        self._sections: list[int] = []
        self._leading: dict[str, tree.Handler] = {}
        self._handlers: dict[str, tree.Handler] = {
            "Cite": lambda content: list(self._walk(content[1])),
            "Para": self._paragraph,
            "Plain": lambda inlines: self._directed("Plain", self._walk(inlines)),
            "Header": self._header,
            "Image": self._image,
            "Link": self._link,
            "Div": self._div,
            "Span": self._span,
            "Figure": self._figure,
            "Table": self._table,
            "Math": self._math,
            "Code": lambda content: [node("Code", [attributes(), content[1]])],
            "CodeBlock": self._code,
            "DefinitionList": self._definitions,
            "BlockQuote": self._quotation,
            **{kind: partial(self._container, kind) for kind in LISTS},
        }

    def cleaned(self, blocks: list[Any]) -> list[Any]:
        """Return the cleaned `blocks`, with internal links resolved once all targets are known."""
        self._leading["Link"] = self._within
        self._leading["Span"] = lambda span: self._labels.resolve(span, self._leading)
        return [turned(block, self._share) for block in mapped(self._walk(blocks), self._leading)]

    def _walk(self, value: Any) -> Any:
        return mapped(value, self._handlers, _in_list)

    def _named(self, name: str, title: str | None = None) -> str:
        """Return the unique name of a place, or of the heading with this `title`."""
        if not name and title is None:
            return ""
        given = self._targets.add(title or name, name)
        if given != name and is_label(name):
            twice = tr("another place has that name; references lead to the first")
            self.told.add(tr("Name"), f"#{name}", twice)
        return given

    # Inlines

    def _image(self, content: Any) -> list[Node]:
        (name, _, given), alt, target = content
        inside = self._walk(alt)
        if (image := self._images.find(target[0])) is None:
            return [node("Emph", [*words("["), *(inside or words("image")), *words("]")])]
        sizes = {}
        for what, size in given:
            if what in {"width", "height"} and (found := length(size)):
                sizes[what] = found
            elif what in {"width", "height"}:
                self._left_out.add(tr("Size"), size, tr("use %, px, mm, cm, in, pt or em"))
        sizes = sizes or {"width": own_width(image)}
        given = attributes(self._named(name), **sizes)
        return [node("Image", [given, inside, [self._images.show(image), target[1]]])]

    def _link(self, content: Any) -> list[Node]:
        (name, _, _), inside, (address, title) = content
        kept = [node("Span", [attributes(self._named(name)), []])] if name else []
        reason = "" if name and not address else refusal(address)
        if not reason and (page := page_of(address)):
            try:
                beside = os.path.relpath(self._images.place(quote(page[0])), self._folder)
                address = f"{quote(beside)}#page={page[1]}"
            except LeftOutError as error:
                reason = str(error)
        if reason:
            what = address or f"[{tree.plain_text(inside)}]"
            self._left_out.add(tr("Link"), what, reason)
        inside = self._walk(inside)
        return [*kept, *(inside if reason or not address else [tree.link(inside, address, title)])]

    def _within(self, content: Any) -> list[Node]:
        _, inside, (address, title) = content
        inside = mapped(inside, self._leading)
        if not address.startswith("#"):
            return [tree.link(inside, address, title)]
        name = self._targets.find(address)
        inside = inside or words(self._labels.text(name or ""))
        if name is None:
            self.told.add(tr("Link"), address, tr("no heading has that name"))
        return list(inside) if name is None else [tree.link(inside, f"#{name}", title)]

    def _span(self, content: Any) -> list[Node]:
        if content[0][1] == [REFERENCE]:
            return [node("Span", content)]
        return self._with_classes("Span", content)

    def _with_classes(self, kind: str, content: Any) -> list[Node]:
        """Return a div or span unchanged if it has a meaning, otherwise its content."""
        (name, classes, _), inside = content
        kept = list(filter(_KEPT.fullmatch, classes))
        inside = self._walk(inside)
        if not name and not kept:
            return list(inside)
        return [node(kind, [attributes(self._named(name), *kept), inside])]

    # Blocks

    def _header(self, content: Any) -> list[Node]:
        level, (name, classes, _), inlines = content
        inlines = self._walk(inlines)
        text = tree.plain_text(inlines)
        name, number = self._named(name, text), ""
        is_title = not self.headings and text == self._front.title
        if self._front.number_sections and "unnumbered" not in classes and not is_title:
            number = self._section_number(level)
            inlines = [*words(f"{number}\N{NO-BREAK SPACE}"), *inlines]
        self._labels.section(name, number, text)
        self.headings.append(tree.Heading(level, f"{number} {text}".strip(), name))
        return [node("Header", [level, attributes(name), inlines])]

    def _section_number(self, level: int) -> str:
        self._sections = [*self._sections, *[0] * level][:level]
        self._sections[-1] += 1
        return ".".join(str(number) for number in self._sections if number)

    def _paragraph(self, content: Any) -> list[Node]:
        if content and content[0]["t"] == "Str" and content[0]["c"].startswith(("\\", "[")):
            text = tree.plain_text(content)  # of which ``_TOC_`` is emphasis
            if _BREAK.fullmatch(text):
                return [tree.div(tree.BREAK, [])]
            if _CONTENTS.fullmatch(text) and not self.placed:
                self.placed = True
                return [tree.div(tree.CONTENTS, [])]
        inlines = self._walk(content)
        if len(inlines) == 1 and inlines[0]["t"] == "Image":
            return [self._figure_of(inlines[0])]
        return self._directed("Para", inlines) if inlines or not content else []

    def _directed(self, kind: str, inlines: list[Any]) -> list[Node]:
        """Return a paragraph, with its own direction if most of its letters have it."""
        inlines = self._with_numbers(inlines)
        block, own = node(kind, inlines), [part for part in inlines if _is_language(part)]
        text = tree.plain_text(own) or tree.plain_text(inlines)
        leftward = is_right_to_left("", text)
        if leftward == self._right_to_left or not (leftward or (kind == "Para" and text)):
            return [block]
        return [node("Div", [attributes(dir="rtl" if leftward else "ltr"), [block]])]

    def _container(self, kind: str, content: Any) -> list[Node]:
        """Return a list or quotation, whose marks are at the right if all parts are from right to
        left.
        """
        parts = content[1] if kind == "OrderedList" else content
        leftward = (is_right_to_left("", tree.plain_text(part)) for part in parts)
        if self._right_to_left or not all(leftward):
            return [node(kind, self._walk(content))]
        self._right_to_left = True
        inside = self._walk(content)
        self._right_to_left = False
        return [node("Div", [attributes(dir="rtl"), [node(kind, inside)]])]

    def _with_numbers(self, inlines: list[Any]) -> list[Any]:
        """Return a line with the numbers of its formulas: in pandoc's tree, the name of one is
        around or after it.
        """
        out: list[Any] = []
        for part in inlines:
            name = label_of([part], "eq")
            around = part["c"][1] if name else []
            place = around if around and around[0]["t"] == "Math" else out
            if name and place and place[-1]["t"] == "Math":
                tex = f"{place.pop()['c'][1]}\\qquad({self._labels.count(name)})"
                math = node("Math", [{"t": "DisplayMath"}, tex])
                part = node("Span", [attributes(name), [math]])
            out.append(part)
        return out

    def _math(self, content: Any) -> list[Node]:
        """Return a formula with its own numbers, and without its names, which pandoc does not
        know.
        """
        seen = _UNSEEN.sub("", content[1])
        tagged = _TAG.sub(
            lambda tag: rf"\qquad\text{{{tag[2] if tag[1] else f'({tag[2]})'}}}", seen
        )
        return [node("Math", [content[0], tagged])]

    def _figure_of(self, image: Node) -> Node:
        """Return an image alone in its paragraph as a figure. Its title is the caption; without
        one, its alternative text is if it has to be numbered.
        """
        (name, _, sizes), alt, (address, title) = image["c"]
        caption = self._labels.caption(
            name, words(title) if title else alt if is_label(name) else []
        )
        return tree.figure(
            name, caption, [node("Plain", [node("Image", [["", [], sizes], alt, [address, ""]])])]
        )

    def _figure(self, content: Any) -> list[Node]:
        (name, _, _), caption, blocks = content
        name = self._named(name)
        inlines = self._labels.caption(name, self._caption(caption))
        return [tree.figure(name, inlines, self._walk(blocks))]

    def _caption(self, caption: Any) -> list[Any]:
        parts = [block["c"] for block in caption[1] if block["t"] in {"Para", "Plain"}]
        return list(self._walk([inline for inlines in parts for inline in inlines]))

    def _div(self, content: Any) -> list[Node]:
        (name, classes, given), _ = content
        kinds = [kind.removeprefix("callout-") for kind in classes]  # as Quarto calls them
        if callout := next((kind for kind in kinds if kind in CALLOUTS), ""):
            title, inside = words(dict(given).get("title", "")), content[1]
            if inside and inside[0]["t"] == "Header" and not title:
                title, inside = inside[0]["c"][2], inside[1:]
            return self._callout(callout, title, inside)
        if tree.BREAK in classes:
            return [tree.div(tree.BREAK, []), *self._walk(content[1])]
        if is_label(name) and content[1] and content[1][-1]["t"] == "Para":  # a group of figures
            *figures, caption = content[1]
            figures = _apart(figures, dict(given).get("layout-ncol", ""))
            return self._figure([content[0], [None, [caption]], figures])
        return self._with_classes("Div", content)

    def _quotation(self, content: Any) -> list[Node]:
        """Return a call-out, as on GitHub or in Obsidian, or any other quotation."""
        first = content[0]["c"] if content and content[0]["t"] == "Para" else []
        if not (found := _SIGN.fullmatch(tree.plain_text(first[:1]))):
            return self._container("BlockQuote", content)
        line = [*takewhile(lambda part: part["t"] != "SoftBreak", first)]
        rest = first[len(line) + 1 :]
        kind, inside = found[1].lower(), [*([node("Para", rest)] if rest else []), *content[1:]]
        if kind in CALLOUTS:
            return self._callout(kind, line[2:], inside)
        return self._callout("note", line[2:] or words(found[1].capitalize()), inside)

    def _callout(self, kind: str, title: list[Any], inside: list[Any]) -> list[Node]:
        named = node("Para", self._walk(title) or words(term(self._front.lang, kind)))
        return [tree.div(tree.CALLOUT, [tree.div("title", [named]), *self._walk(inside)], kind)]

    def _code(self, content: Any) -> list[Node]:
        (name, classes, given), text = content
        named = (kind.lower().strip("{},") for kind in classes)  # Quarto has ``{r, echo=FALSE}``
        kinds = [kind for kind in named if re.fullmatch(r"[\w+#.-]+", kind)]
        language = [kind for kind in kinds if kind != "numberlines"][:1]
        name = self._named(name)
        captions = (dict(given).get(key) for key in ("caption", "lst-cap", "filename"))
        caption = self._labels.caption(name, words(next(filter(None, captions), "")))
        if language == ["mermaid"]:
            code = node("CodeBlock", [attributes("", *language), text])
            return [tree.figure(name, caption, [code])]
        given = attributes("" if caption else name, *language)
        return tree.listing(name, caption, [node("CodeBlock", [given, text])])

    def _definitions(self, content: Any) -> list[Node]:
        """Return a list whose definitions are paragraphs, as writers join lines that are none, and
        whose terms are on one line, as typst requires it.
        """
        unbroken: dict[str, tree.Handler] = {"LineBreak": lambda _: [{"t": "Space"}]}
        items = [[mapped(name, unbroken), mapped(more, tree.PARAGRAPHS)] for name, more in content]
        return [node("DefinitionList", self._walk(items))]

    def _table(self, content: Any) -> list[Node]:
        (name, _, _), caption, *parts = content
        name = self._named(name)
        inlines = self._labels.caption(name, self._caption(caption))
        caption = [None, [node("Plain", inlines)] if inlines else []]
        columns, head, bodies, foot = self._walk(parts)
        table = node("Table", [attributes(name), caption, columns, head, bodies, foot])
        if not any(cell[4] for _, cells in head[1] for cell in cells):
            head[1] = []  # Markdown cannot express a table without a header
        rows = [row for part in rows_of(table["c"]) for row in part]
        cells = [cell for _, in_row in rows for cell in in_row]
        for part in (head, *bodies, foot, *rows, *cells):
            part[0] = attributes()
        turned(table, self._share)  # which marks the cells
        return [table]


def _apart(blocks: list[Any], columns: str) -> list[Any]:
    """Return a group of images in which those with names are paragraphs, which numbers them, also
    if they are on lines of one; without a size, images are as wide as one of its `columns`.
    """
    out: list[Any] = []
    for block in blocks:
        inside = block["c"] if block["t"] == "Para" else []
        images = [part for part in inside if part["t"] == "Image"]
        is_named = any(image["c"][0][0] for image in images)
        are_apart = is_named and tree.kinds_in(inside) <= {"Image", "Space", "SoftBreak"}
        out += [node("Para", [image]) for image in images] if are_apart else [block]
        for image in images if columns.isdecimal() and int(columns) else ():
            image["c"][0][2] = image["c"][0][2] or [["width", f"{96 // int(columns)}%"]]
    return out


def _in_list(nodes: list[Any]) -> list[Any]:
    return captioned(_with_prices(_unbroken(nodes)))


def _unbroken(nodes: list[Any]) -> list[Any]:
    """Return a line without the ends of lines between Chinese or Japanese characters."""
    if "SoftBreak" not in tree.kinds_in(nodes):
        return nodes
    around = zip([{}, *nodes], nodes, [*nodes[1:], {}], strict=False)
    return [
        part
        for before, part, after in around
        if part["t"] != "SoftBreak"
        or not _UNSPACED.fullmatch(
            tree.plain_text([before])[-1:] + tree.plain_text([after])[:1],
        )
    ]


def _with_prices(nodes: list[Any]) -> list[Any]:
    """Return a line in which what is between the signs of two prices is text. Pandoc takes it for a
    formula, except in its own Markdown.
    """
    if "Math" not in tree.kinds_in(nodes):
        return nodes
    out: list[Any] = []
    for part, after in pairwise([*nodes, {}]):
        is_price = part["t"] == "Math" and after.get("t") == "Str" and after["c"][0].isdigit()
        out += words(tree.tex_of(part["c"])) if is_price else [part]
    return out


def _is_language(part: Node) -> bool:
    """Return whether the letters of an inline belong to a language."""
    is_reference = part["t"] == "Span" and part["c"][0][1] == [REFERENCE]
    return not is_reference and part["t"] not in {"Code", "Math"}
