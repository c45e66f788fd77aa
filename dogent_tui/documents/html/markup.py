"""The tree of a page made plain: formulas, notes, code, pictures and quotations in the one form that pandoc reads each in.

Authors, and the programs that they write with, have many forms for each of them.
"""

import re
from typing import TypeAlias
from urllib.parse import urljoin

from lxml import etree, html

from dogent_tui.documents.html.hiding import HIDDEN

Element: TypeAlias = html.HtmlElement

BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "caption",
    ]
)
_HOLDERS = frozenset(
    [
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "div",
        "fieldset",
        "figure",
        "footer",
        "form",
        "header",
        "hgroup",
        "li",
        "main",
        "nav",
        "search",
        "section",
        "td",
        "th",
    ]
)
"""What may hold paragraphs; where it holds words beside blocks, they are made one."""
_SPEAKING = frozenset({"img", "script", "math"})
"""Inline elements that say something without words of their own."""
NOTES = "dogent-notes"
"""The id of the section at the end of the page to which its notes go."""

_DROPPED = (
    "script",
    "style",
    "noscript",
    "template",
    "iframe",
    "svg",
    "canvas",
    "object",
    "button",
    "select",
    "textarea",
    "link",
    "meta",
)
_NOTE_SIGN = re.compile(
    r"[\[(]?\s*(?:(?:note|n\.?|nb|注|註)?\s*\d{1,3}|[a-z]{1,2}|[*†‡§¶#✱]{1,4}|[ivx]{1,5}|[①-⑳])\s*[\])]?\.?", re.IGNORECASE
)
_NOTE_ROLE = re.compile(r"noteref|footnote-?(?:ref|anchor|link)|fn-?ref|\breference\b|sdfootnoteanc", re.IGNORECASE)
_MARGIN = re.compile(r"(?:^|\s)(?:side-?note|margin-?note)(?:\s|$)")
_BACK = re.compile(r"^[\s↩↑⤴⏎^︎️\[\]().:*†‡§\d]*(?:back|jump up|返回|zurück|retour)?[\s↩↑⤴⏎^︎️\[\]().:]*$", re.IGNORECASE)
_LEADING_SIGN = re.compile(r"^\s*(?:[\[(]\s*(?:\d{1,3}|[a-z]|[*†‡§])\s*[\])]\.?|\d{1,3}[.)]|[*†‡§]{1,4}|[①-⑳]|\^)\s*")
_BACK_SIGN = re.compile(r"[\s↩↑⤴⏎︎️^]+$")
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|source|src)[-:]|brush:?\s*)([A-Za-z][\w+#.-]*)"
)
_PLAIN_LANGUAGE = re.compile(r"(?:sourceCode|hljs|prettyprint|prism|shiki|chroma|code|highlight|codehilite)\b", re.IGNORECASE)
_NO_LANGUAGE = frozenset(
    [
        "code",
        "highlight",
        "hljs",
        "sourcecode",
        "prettyprint",
        "prettyprinted",
        "linenums",
        "line-numbers",
        "numbersource",
        "numberlines",
        "none",
        "nohighlight",
        "default",
        "plain",
        "text",
        "plaintext",
        "txt",
        "notranslate",
        "wrapper",
        "chroma",
        "shiki",
        "prism",
        "codehilite",
        "block",
        "container",
    ]
)
_TEX_TEXT = re.compile(r"\\\((.{1,2000}?)\\\)|\\\[(.{1,4000}?)\\\]|\$\$(.{1,4000}?)\$\$", re.DOTALL)
_TEX_DOLLARS = re.compile(r"(?<![\\$\w])\$(?=[^\s$])([^$\n]{0,300}?[^\s$\\])\$(?![\d$])")
_TEX_TYPESETTER = re.compile(r"mathjax|katex|tex2jax|jsmath", re.IGNORECASE)
_QUOTES = frozenset({"blockquote", "block-quote", "quoteblock", "bbcode_quote", "bbcodequote", "quotebox", "quote"})
_CAPTIONS = re.compile(
    r"(?:^|\s)(?:wp-)?(?:caption|figcaption|image-caption|img-caption|photo-caption|caption-text|wp-caption-text)(?:\s|$)"
)
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-full-src", "data-url", "data-actualsrc")
_LONGEST_ADDRESS = 2000


def plain_tree(source: str, url: str = "") -> Element:
    """Return the body of the page `source`, its parts in the forms that the writers know; links are absolute by `url`."""
    root = html.document_fromstring(source or "<p></p>", parser=html.HTMLParser(encoding=None, huge_tree=True))
    found = root.find("body")
    body: Element = root if found is None else found
    typeset = _TEX_TYPESETTER.search(source) is not None
    for comment in list(body.iter(etree.Comment, etree.ProcessingInstruction)):
        _take_out(comment)
    _formulas(body, in_dollars=typeset)
    for node in list(body.iter(*_DROPPED)):
        if not is_formula(node):
            _take_out(node)
    _code(body)
    _pictures(body, url)
    _quotations(body)
    _tables(body)
    _notes(body)
    _links(body, url)
    _paragraphs(body)
    return body


def squeezed_text(node: Element) -> str:
    """Return all that `node` says, on one line."""
    return " ".join("".join(node.itertext()).split())


def classes(node: Element) -> str:
    return f"{node.get('class') or ''} {node.get('id') or ''}".strip()


def _take_out(node: Element, instead: Element | None = None, text: str = "") -> None:
    """Take `node` out, and put `instead` or `text` there; what follows it stays."""
    parent = node.getparent()
    if parent is None:
        return
    tail, node.tail = node.tail or "", None
    if instead is not None:
        instead.tail = tail
        parent.replace(node, instead)
        return
    before = node.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + text + tail
    else:
        parent.text = (parent.text or "") + text + tail
    parent.remove(node)


# Formulas


def _formulas(body: Element, *, in_dollars: bool) -> None:
    """Make every formula either MathML that pandoc turns into TeX, or a script of TeX, once each."""
    for node in list(body.iter()):
        if node.getroottree().getroot() is not body.getroottree().getroot() or not isinstance(node.tag, str):
            continue
        tex, shown, gone = _formula_of(node)
        if tex:
            _take_out(node, _tex(tex, shown=shown))
        elif gone:
            _take_out(node)
    for node in list(body.iter("math")):
        if node.get("display") == "block" or "display" in (node.get("mode") or ""):
            node.set("display", "block")
        for note in list(node.iter("annotation", "annotation-xml")):
            _take_out(note)
    _tex_in_text(body, _TEX_TEXT)
    if in_dollars:
        _tex_in_text(body, _TEX_DOLLARS)


def _formula_of(node: Element) -> tuple[str, bool, bool]:
    """Return the TeX of a formula, whether it stands by itself, and whether the node only shows another one again."""
    named = node.get("class") or ""
    if node.tag == "math":
        return _tex_of_math(node), node.get("display") == "block" or _is_displayed(node), False
    if node.tag == "img":
        if "mwe-math-fallback" in named:
            return "", False, True
        if re.search(r"\b(?:latex|tex|math|equation|mathtex)\b", named) and (tex := node.get("alt") or ""):
            return _bare(tex), "display" in named, False
        return "", False, False
    if "katex" in named.split() or "mwe-math-element" in named or node.tag.startswith("mjx-container"):
        math = next(node.iter("math"), None)
        if math is None:
            return _bare(node.get("data-latex") or ""), _is_displayed(node) or node.get("display") == "true", False
        shown = math.get("display") == "block" or _is_displayed(node) or node.get("display") == "true"
        tex = _tex_of_math(math)
        if not tex:
            math.set("display", "block" if shown else "inline")
            _take_out(node, _alone(math))
        return tex, shown, False
    if re.search(r"\bMathJax(?:_Preview|_Display|_CHTML|_SVG)?\b", named) and "MathJax" in named:
        following = node.getnext()
        again = following is not None and (following.tag == "script" or "MathJax" in (following.get("class") or ""))
        return "", False, again or next(node.iter("math"), None) is None
    for name in ("data-tex", "data-latex", "data-math", "data-equation", "data-formula"):
        if tex := node.get(name) or "":
            return _bare(tex), _is_displayed(node), False
    if node.tag in {"span", "div", "code", "pre", "d-math"} and len(node) == 0 and (node.text or "").strip():
        if node.tag == "d-math" or re.search(
            r"(?:^|\s)(?:math|language-math|js-render-math|latex|tex2jax_process)(?:\s|$)", named
        ):
            inside = node.text or ""
            is_tex = node.tag in {"code", "pre", "d-math"} or _bare(inside) != inside.strip()
            shown = "display" in named or node.tag in {"div", "pre"} or inside.strip().startswith(("\\[", "$$"))
            return (_bare(inside), shown or "block" in node.attrib, False) if is_tex else ("", False, False)
    return "", False, False


def _alone(node: Element) -> Element:
    _take_out(node)
    return node


def _tex_of_math(math: Element) -> str:
    """Return the TeX that MathML was made from, if it says."""
    for note in math.iter("annotation"):
        if "tex" in (note.get("encoding") or "").lower() and (note.text or "").strip():
            return _bare(note.text or "")
    return _bare(math.get("alttext") or "")


def _is_displayed(node: Element) -> bool:
    current: Element | None = node
    for _ in range(3):
        if current is None:
            return False
        if re.search(
            r"katex-display|MathJax_Display|math-display|mwe-math-element-block|\bdisplay\b", current.get("class") or ""
        ):
            return True
        current = current.getparent()
    return False


def _bare(tex: str) -> str:
    """Return TeX without what marks it as TeX."""
    tex = tex.strip()
    for opening, closing in (("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$"), ("{\\displaystyle", "}")):
        if tex.startswith(opening) and tex.endswith(closing) and len(tex) > len(opening) + len(closing):
            tex = tex[len(opening) : -len(closing)].strip()
    return tex


def _tex(tex: str, *, shown: bool) -> Element:
    node = html.Element("script", type="math/tex; mode=display" if shown else "math/tex")
    node.text = tex
    return node


def is_formula(node: Element) -> bool:
    """Tell whether `node` is TeX."""
    return node.tag == "script" and (node.get("type") or "").startswith("math/tex")


def _tex_in_text(body: Element, pattern: re.Pattern[str]) -> None:
    for node in list(body.iter()):
        if (
            node.tag in {"pre", "code", "script", "math", "kbd", "samp", "tt"}
            or next(node.iterancestors("pre", "code", "math"), None) is not None
        ):
            where: tuple[str, ...] = (
                ("tail",)
                if node.tag in {"pre", "code", "script", "math", "kbd", "samp", "tt"}
                and next(node.iterancestors("pre", "code", "math"), None) is None
                else ()
            )
        else:
            where = ("text", "tail") if node is not body else ("text",)
        for place in where:
            text = getattr(node, place) or ""
            if "\\(" in text or "\\[" in text or "$" in text:
                _split_formulas(node, place, text, pattern)


def _split_formulas(node: Element, place: str, text: str, pattern: re.Pattern[str]) -> None:
    pieces: list[Element] = []
    end = 0
    first = text
    for match in pattern.finditer(text):
        group = match.lastindex or 1
        before = text[end : match.start()]
        if pieces:
            pieces[-1].tail = before
        else:
            first = before
        pieces.append(_tex(match[group].strip(), shown=group > 1))
        end = match.end()
    if not pieces:
        return
    pieces[-1].tail = text[end:]
    setattr(node, place, first)
    parent, at = (node, 0) if place == "text" else (node.getparent(), node.getparent().index(node) + 1)
    last = pieces[-1].tail
    for number, piece in enumerate(pieces):
        tail = piece.tail
        parent.insert(at + number, piece)
        piece.tail = tail
    pieces[-1].tail = last


# Code


def _code(body: Element) -> None:
    for table in list(body.iter("table")):  # line numbers in one column, code in the other
        blocks = list(table.iter("pre"))
        gutter = re.search(r"highlight|rouge|lntable|hljs-ln|code", classes(table)) is not None
        if gutter and len(blocks) in {1, 2} and squeezed_text(table):
            _take_out(table, blocks[-1])
        elif gutter and "hljs-ln" in classes(table):
            lines = ["".join(cell.itertext()) for cell in table.iter("td") if "number" not in classes(cell)]
            table.clear(keep_tail=True)
            table.tag, table.text = "span", "\n".join(lines)
    for pre in list(body.iter("pre")):
        if is_formula(pre) or next(pre.iterancestors("pre"), None) is not None:
            continue
        language = _language(pre)
        text = _code_text(pre)
        tail = pre.tail
        pre.clear()
        pre.tail = tail
        pre.set("class", language)
        inner = etree.SubElement(pre, "code")
        inner.text = text


def _language(pre: Element) -> str:
    nodes = [node for node in (next(pre.iter("code"), None), pre, pre.getparent()) if node is not None]
    nodes += [node for node in pre.iterancestors() if node not in nodes][:2]
    for node in nodes:
        for name in ("data-lang", "data-language", "data-syntax", "data-code-language"):
            if value := re.fullmatch(r"[A-Za-z][\w+#.-]{0,30}", node.get(name) or ""):
                return value[0].lower()
        named = node.get("class") or ""
        found = [word for word in _LANGUAGE.findall(named) if word.lower() not in _NO_LANGUAGE]
        if not found and _PLAIN_LANGUAGE.search(named) and node.tag in {"pre", "code"}:
            found = [
                word for word in named.split() if re.fullmatch(r"[A-Za-z][\w+#]{0,15}", word) and word.lower() not in _NO_LANGUAGE
            ]
        if (
            not found
            and node.tag in {"pre", "code"}
            and re.fullmatch(r"[a-z][a-z0-9+#]{0,11}", named)
            and named not in _NO_LANGUAGE
        ):
            found = [named]
        if found:
            return re.sub(r"^source\.", "", found[0]).lower()
    return ""


def _code_text(pre: Element) -> str:
    for node in list(pre.iter()):
        named = node.get("class") or ""
        if re.search(
            r"(?:^|[\s_-])(?:lineno|linenos|line-numbers?-rows|line-number|linenumber|gutter|ln-num|lnt|copy-?(?:btn|button)?)(?:$|[\s_-])",
            named,
        ):
            _take_out(node)
    plain = "".join(pre.itertext())
    for node in list(pre.iter("br")):
        node.tail = "\n" + (node.tail or "")
    lines = [
        node
        for node in pre.iter("div", "li", "p", "span")
        if re.search(r"(?:^|[\s_-])line(?:$|[\s_-])", node.get("class") or "") or node.tag in {"div", "li", "p"}
    ]
    if len(lines) > 1 and "\n" not in plain.strip():
        for node in lines:
            node.tail = "\n" + (node.tail or "")
    return "".join(pre.itertext()).replace("\r\n", "\n").replace("\u00a0", " ").replace("\u200b", "").strip("\n")


# Pictures, quotations, tables


def _pictures(body: Element, url: str) -> None:
    for image in list(body.iter("img")):
        source = next(
            (value for name in (*_LAZY, "src") if (value := (image.get(name) or "").strip()) and not value.startswith("data:")),
            "",
        )
        if not source:
            source = (image.get("srcset") or image.get("data-srcset") or "").strip().split(",")[0].split(" ")[0]
        tiny = any((image.get(side) or "").strip() in {"0", "1"} for side in ("width", "height"))
        if not source or source.startswith("data:") or tiny:
            _take_out(image)
            continue
        alt, title = " ".join((image.get("alt") or "").split()), image.get("title") or ""
        tail = image.tail
        image.attrib.clear()
        image.set("src", _absolute(url, source))
        image.set("alt", alt or " ".join(title.split()))
        image.tail = tail
    for node in list(body.iter("div", "dl", "span", "p", "section")):
        images = list(node.iter("img"))
        if len(images) != 1 or node.tag not in {"div", "dl", "section"} or next(node.iter("figure"), None) is not None:
            continue
        caption = next((inner for inner in node.iterdescendants() if _CAPTIONS.search(inner.get("class") or "")), None)
        if caption is not None and len(squeezed_text(node)) <= len(squeezed_text(caption)) + 20:
            node.tag, caption.tag = "figure", "figcaption"


def _quotations(body: Element) -> None:
    for node in list(body.iter("div", "section", "aside")):
        named = {word.lower() for word in (node.get("class") or "").split()}
        is_quote = bool(named & _QUOTES) or node.get("role") == "blockquote"
        if (
            is_quote
            and next(node.iter("blockquote"), None) is None
            and next(node.iter("h1", "h2", "h3", "table", "form"), None) is None
        ):
            node.tag = "blockquote"


def _tables(body: Element) -> None:
    """Take apart the tables that only place things on the page."""
    for table in list(body.iter("table"))[::-1]:
        rows = [row for row in table.iter("tr") if next(row.iterancestors("table"), None) is table]
        cells = [cell for cell in table.iter("td", "th") if next(cell.iterancestors("table"), None) is table]
        width = max((sum(cell.tag in {"td", "th"} for cell in row) for row in rows), default=0)
        if not cells or _is_layout(table, cells, len(rows), width):
            for part in [
                node
                for node in table.iter("thead", "tbody", "tfoot", "tr", "td", "th", "caption")
                if next(node.iterancestors("table"), None) is table
            ]:
                part.tag = "div"
            table.tag = "div"


def _is_layout(table: Element, cells: list[Element], rows: int, width: int) -> bool:
    if table.get("role") in {"presentation", "none"} or (rows <= 1 and width <= 1):
        return True
    if any(cell.tag == "th" for cell in cells) or table.find("caption") is not None or table.find("thead") is not None:
        return False
    if any(next(cell.iter("h1", "h2", "h3"), None) is not None for cell in cells):
        return True
    return any(sum(len(squeezed_text(p)) > 80 for p in cell.iter("p")) >= 3 for cell in cells)


# Notes


def _notes(body: Element) -> None:
    """Bring each note and what refers to it into the form of the roles for digital publications (DPUB-ARIA)."""
    notes: dict[Element, str] = {}
    references: list[tuple[Element, str]] = []
    for sign, note in [*_linked_notes(body), *_unlinked_notes(body), *_margin_notes(body)]:
        references.append((sign, notes.setdefault(note, f"dogent-note-{len(notes) + 1}")))
    if not references:
        return
    section = html.Element("section", role="doc-endnotes", id=NOTES)
    items = etree.SubElement(section, "ol")
    around = [note.getparent() for note in notes]
    signs = {name for sign, _ in references for name in (sign.get("id"), sign.get("name"), sign.getparent().get("id")) if name}
    for note, key in notes.items():
        items.append(_note_item(note, key, signs))
    for sign, key in references:
        _make_reference(sign, key)
    for holder in around:
        _take_out_emptied(holder)
    body.append(section)


def _linked_notes(body: Element) -> list[tuple[Element, Element]]:
    """Return the links that lead to notes, with the notes."""
    order = {node: number for number, node in enumerate(body.iter())}
    places = {
        name: node for node in reversed(order) for name in (node.get("id"), node.get("name") if node.tag == "a" else None) if name
    }
    found = []
    for link in body.iter("a"):
        place = places.get((link.get("href") or "").partition("#")[2])
        if place is not None and order[link] < order[place] and _refers(link) and (note := _note_of(place, link)) is not None:
            found.append((link, note))
    return found


def _unlinked_notes(body: Element) -> list[tuple[Element, Element]]:
    """Return raised signs that begin a paragraph somewhere below as well, with those paragraphs."""
    begins: dict[str, Element] = {}
    signs: list[tuple[Element, str]] = []
    for sup in body.iter("sup"):
        said, parent = squeezed_text(sup), sup.getparent()
        if sup.find(".//a") is not None or parent is None or not _NOTE_SIGN.fullmatch(said):
            continue
        before = (sup.getprevious().tail if sup.getprevious() is not None else parent.text) or ""
        if parent.tag in {"p", "li", "div", "dd"} and sup.getprevious() is None and not before.strip():
            begins.setdefault(said, parent)
        elif re.search(r"(?:[^\W\d]{3}|[.,;:!?»”\"')\]。，；：！？」』）])\s?$", before):
            signs.append((sup, said))
    order = {node: number for number, node in enumerate(body.iter())}
    return [(sup, begins[said]) for sup, said in signs if said in begins and order[sup] < order[begins[said]]]


def _margin_notes(body: Element) -> list[tuple[Element, Element]]:
    """Return notes that stand within their sentence and are shown beside it, each with a sign at its place."""
    found = []
    for note in [node for node in body.iter("span", "small") if _MARGIN.search(node.get("class") or "")]:
        sign = html.Element("a")
        note.addprevious(sign)
        found.append((sign, note))
    return found


def _refers(link: Element) -> bool:
    """Tell whether `link` is the sign of a note."""
    said, parent = squeezed_text(link), link.getparent()
    marked = " ".join(filter(None, (link.get("role"), link.get("epub:type"), link.get("class"), link.get("rel"), link.get("id"))))
    around = " ".join(filter(None, (parent.get("class"), parent.get("id")))) if parent is not None else ""
    if not _NOTE_SIGN.fullmatch(said) or re.search(r"back-?link|back-?ref|footnote-back", f"{marked} {around}"):
        return False
    raised = parent is not None and (parent.tag == "sup" or link.find(".//sup") is not None)
    return raised or _NOTE_ROLE.search(f"{marked} {around}") is not None or said.startswith(("[", "("))


def _note_of(place: Element, link: Element) -> Element | None:
    """Return the block that holds the note at `place`, None where it is no note."""
    note: Element | None = place
    while note is not None and note.tag not in {"li", "p", "div", "dd", "aside", "td", "section", "tr", "dt"}:
        note = note.getparent()
    if (
        note is None
        or note.tag in {"body", "section"}
        or next((node for node in note.iterancestors() if node.tag == "table"), None) is not None
    ):
        return None
    if note.tag == "dt":
        following = note.getnext()
        note = following if following is not None and following.tag == "dd" else None
    if note is None or len(squeezed_text(note)) > 4000 or note in set(link.iterancestors()):
        return None
    return note


def _note_item(note: Element, key: str, signs: set[str]) -> Element:
    """Return the note as an item of the list of notes, without the links back."""
    item = html.Element("li", id=key)
    for link in list(note.iter("a")):
        target = (link.get("href") or "").partition("#")[2]
        back = "backlink" in f"{link.get('role')} {link.get('class')} {link.get('rev')}"
        if (link.get("href") or "").find("#") >= 0 and (back or _BACK.match(squeezed_text(link)) or target in signs):
            _take_out(link)
    for node in list(note.iter("sup", "span")):
        if not squeezed_text(node) and not len(node):
            _take_out(node)
    for node in list(note.iter("span", "sup")):
        if "cite-backlink" in (node.get("class") or "") or (
            node.tag == "sup"
            and _NOTE_SIGN.fullmatch(squeezed_text(node))
            and node.getprevious() is None
            and not (node.getparent().text or "").strip()
        ):
            _take_out(node)
    holder = next((node for node in note.iter() if (node.text or "").strip()), note)
    holder.text = _LEADING_SIGN.sub("", holder.text or "")
    last = [node for node in note.iter() if node.tail and node is not note]
    if last:
        last[-1].tail = _BACK_SIGN.sub("", last[-1].tail or "")
    elif note.text:
        note.text = _BACK_SIGN.sub("", note.text)
    parent = note.getparent()
    item.text = note.text
    item.extend(list(note))
    note.clear(keep_tail=True)
    if parent is not None:
        _take_out(note)
    return item


def _make_reference(link: Element, key: str) -> None:
    parent = link.getparent()
    tail = link.tail
    link.clear()
    link.tag = "a"
    link.set("role", "doc-noteref")
    link.set("href", f"#{key}")
    link.text, link.tail = "*", tail
    if (
        parent is not None
        and parent.tag in {"sup", "span"}
        and not (parent.text or "").strip(" []()")
        and not (tail or "").strip(" []()")
        and len(parent) == 1
    ):
        link.tail = ""
        _take_out(parent, link)


def _take_out_emptied(node: Element | None) -> None:
    """Take out what held notes and holds none any more, with its heading."""
    while node is not None and node.tag in {"ol", "ul", "section", "div", "aside", "dl", "footer", "details"}:
        rest = [inner for inner in node.iterdescendants() if inner.tag not in {"h1", "h2", "h3", "h4", "h5", "h6", "hr"}]
        titles = "".join(squeezed_text(inner) for inner in node.iter("h1", "h2", "h3", "h4", "h5", "h6", "summary"))
        if len(squeezed_text(node)) > len(titles) or any(inner.tag == "img" for inner in rest):
            return
        parent = node.getparent()
        _take_out(node)
        node = parent


# Links and paragraphs


def _links(body: Element, url: str) -> None:
    for link in list(body.iter("a")):
        target = (link.get("href") or "").strip()
        named = link.get("class") or ""
        if (
            re.search(r"(?:^|\s)(?:headerlink|anchor|anchorjs-link|header-anchor|heading-link|permalink)(?:\s|$)", named)
            and len(squeezed_text(link)) < 3
        ):
            _take_out(link)
        elif link.get("role") == "doc-noteref":
            continue
        elif not target or target.startswith(("#", "javascript:", "data:")) or len(target) > _LONGEST_ADDRESS:
            link.attrib.pop("href", None)
        else:
            link.set("href", _absolute(url, target))


def _absolute(url: str, target: str) -> str:
    try:
        return urljoin(url, target) if url else target
    except ValueError:
        return target


def _paragraphs(body: Element) -> None:
    """Make paragraphs of the words that stand beside blocks, and of those that empty lines part."""
    for node in list(body.iter()):
        if node.tag not in BLOCKS and node.tag != "math" and any(inner.tag in BLOCKS for inner in node.iterdescendants()):
            node.tag = "div"  # elements of authors' own making, and links around blocks
            node.attrib.pop("href", None)
    for node in list(body.iter()):
        if node.tag not in _HOLDERS or next(node.iterancestors("pre"), None) is not None:
            continue
        if any(child.tag in BLOCKS for child in node) or _has_empty_line(node):
            _gather(node)


def _has_empty_line(node: Element) -> bool:
    return any(_is_break(one) and _is_break(one.getnext()) and not (one.tail or "").strip() for one in node)


def _is_break(node: Element | None) -> bool:
    return node is not None and node.tag == "br"


def _gather(node: Element) -> None:
    children: list[Element] = list(node)
    text, node.text = node.text or "", None
    for child in children:
        node.remove(child)
    run = html.Element("p")
    run.text = text

    def finish() -> None:
        nonlocal run
        while len(run) and _is_break(run[-1]) and not (run[-1].tail or "").strip():
            run.remove(run[-1])
        if squeezed_text(run) or any(inner.tag in _SPEAKING or HIDDEN in inner.attrib for inner in run.iter()):
            node.append(run)
        run = html.Element("p")

    for child in children:
        tail, child.tail = child.tail, None
        if child.tag in BLOCKS:
            finish()
            node.append(child)
            run.text = tail
            continue
        if _is_break(child) and len(run) and _is_break(run[-1]) and not (run[-1].tail or "").strip():
            finish()
            run.text = tail
            continue
        run.append(child)
        child.tail = tail
    finish()
