"""Formulas of pages as plain MathML or TeX: from KaTeX, three generations of MathJax, wikis,
pictures, and plain text.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from lxml import html

from dogent_tui.documents.elements import is_within
from dogent_tui.documents.html.nodes import BLOCKS, Element, take_out

_TEX_TEXT = re.compile(
    r"\\\((.{1,2000}?)\\\)|\\\[(.{1,4000}?)\\\]|\$\$(.{1,4000}?)\$\$"
    r"|(\\begin\{(?:equation|align|gather|multline)\*?\}.{1,4000}?\\end\{[a-z]+\*?\})",
    re.DOTALL,
)
_TEX_DOLLARS = re.compile(r"(?<![\\$\w])\$(?=[^\s$])([^$\n]{0,300}?[^\s$\\])\$(?![\d$])")

_LITERAL = ("pre", "code", "script", "math", "kbd", "samp", "tt")
_MARKED = frozenset({"span", "div", "code", "pre", "d-math"})

_TEX_PICTURE = re.compile(r"\b(?:latex|tex|math|equation|mathtex)\b")
_TEX_ADDRESS = re.compile(r"[?&](?:tex|latex)=|codecogs\.com/|latex\.php|mimetex|mathtex|cht=tx")
_CALLED_TEX = re.compile(
    r"(?:^|\s)(?:math|language-math|js-render-math|latex|tex2jax_process)(?:\s|$)"
)
_MARKS = (("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$"), ("{\\displaystyle", "}"))

_Found: TypeAlias = tuple[str, bool, bool]
_NONE: _Found = ("", False, False)


def settle_formulas(body: Element, *, in_dollars: bool) -> None:
    """Turn every formula into either MathML that pandoc converts to TeX, or a TeX script, without
    duplicates.
    """
    for node in list(body.iter()):
        tex, shown, gone = _formula_of(node)
        if tex:
            around = node.getparent()
            is_listing = around is not None and around.tag == "pre" and len(around) == 1
            place, formula = around if is_listing else node, _tex(tex, shown=shown or is_listing)
            if place.tag in BLOCKS:
                paragraph = html.Element("p")
                paragraph.append(formula)
                formula = paragraph
            take_out(place, formula)
        elif gone:
            take_out(node)
    _tex_in_text(body, _TEX_TEXT)
    if in_dollars:
        _tex_in_text(body, _TEX_DOLLARS)


def _formula_of(node: Element) -> _Found:
    """Return the TeX of a formula, whether it is displayed, and whether the node is just another
    rendering of a formula.
    """
    named = node.get("class") or ""
    if node.tag == "math":
        return _tex_of_math(node), node.get("display") == "block", False
    if node.tag == "img":
        is_tex = _TEX_PICTURE.search(named) or _TEX_ADDRESS.search(node.get("src") or "")
        return _bare(node.get("alt") or "") if is_tex else "", "display" in named, False
    if "katex" in named.split() or "mwe-math-element" in named or node.tag == "mjx-container":
        return _typeset(node)
    if "MathJax" in named:
        following = node.getnext()
        again = following is not None and (
            following.tag == "script" or "MathJax" in (following.get("class") or "")
        )
        return "", False, again or next(node.iter("math"), None) is None
    return _marked(node) if node.tag in _MARKED and not len(node) else _NONE


def _typeset(node: Element) -> _Found:
    """Return the formula rendered by KaTeX, MathJax 3 or a wiki; its MathML replaces the rendering
    if there is no TeX.
    """
    math = next(node.iter("math"), None)
    shown = node.get("display") == "true"
    if math is None:
        return _bare(node.get("data-latex") or ""), shown, False
    shown = shown or math.get("display") == "block"
    tex = _tex_of_math(math)
    if not tex:
        math.set("display", "block" if shown else "inline")
        take_out(math)
        take_out(node, math)
    return tex, shown, False


def _marked(node: Element) -> _Found:
    """Return the TeX in an element whose type says so."""
    text, named = (node.text or "").strip(), node.get("class") or ""
    is_marked = node.tag in {"code", "pre"} or _bare(text) != text
    if node.tag != "d-math" and not (is_marked and _CALLED_TEX.search(named)):
        return _NONE
    is_block = node.tag in {"div", "pre"} or "block" in node.attrib
    shown = is_block or "display" in named or text.startswith(("\\[", "$$"))
    return _bare(text), shown, False


def _tex_of_math(math: Element) -> str:
    """Return the TeX that MathML was generated from, if it says so."""
    for note in math.iter("annotation"):
        if "tex" in (note.get("encoding") or "").lower() and (note.text or "").strip():
            return _bare(note.text or "")
    return _bare(math.get("alttext") or "")


def _bare(tex: str) -> str:
    """Return TeX without its delimiters."""
    tex = tex.strip()
    for opening, closing in _MARKS:
        is_marked = tex.startswith(opening) and tex.endswith(closing)
        if is_marked and len(tex) > len(opening) + len(closing):
            tex = tex[len(opening) : -len(closing)].strip()
    return tex


def _tex(tex: str, *, shown: bool) -> Element:
    node = html.Element("script", type="math/tex; mode=display" if shown else "math/tex")
    node.text = tex
    return node


def _tex_in_text(body: Element, pattern: re.Pattern[str]) -> None:
    for node in list(body.iter()):
        if is_within(node, *_LITERAL):
            continue
        if node is not body and pattern.search(text := node.tail or ""):
            node.tail = None
            node.tail = _split_formulas(text, pattern, node.addnext)
        if node.tag not in _LITERAL and pattern.search(text := node.text or ""):
            node.text = _split_formulas(text, pattern, partial(node.insert, 0))


def _split_formulas(text: str, pattern: re.Pattern[str], insert: Callable[[Element], None]) -> str:
    """Insert each formula in `text` after it, with the text that follows; return the text
    before.
    """
    for match in reversed(list(pattern.finditer(text))):
        group = match.lastindex or 1
        formula = _tex(match[group].strip(), shown=group > 1)
        formula.tail = text[match.end() :]
        insert(formula)
        text = text[: match.start()]
    return text
