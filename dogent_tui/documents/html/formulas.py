"""Formulas of pages as MathML without more, or as TeX: KaTeX, MathJax of three generations,
wikis, pictures, and plain text.
"""

import re
from typing import TypeAlias

from lxml import html

from dogent_tui.documents.html.nodes import Element, take_out

_TEX_TEXT = re.compile(r"\\\((.{1,2000}?)\\\)|\\\[(.{1,4000}?)\\\]|\$\$(.{1,4000}?)\$\$", re.DOTALL)
_TEX_DOLLARS = re.compile(r"(?<![\\$\w])\$(?=[^\s$])([^$\n]{0,300}?[^\s$\\])\$(?![\d$])")

_TEX_ATTRIBUTES = ("data-tex", "data-latex", "data-math", "data-equation", "data-formula")
_LITERAL = ("pre", "code", "script", "math", "kbd", "samp", "tt")
_MARKED = frozenset({"span", "div", "code", "pre", "d-math"})

_Found: TypeAlias = tuple[str, bool, bool]
_NONE: _Found = ("", False, False)


def settle_formulas(body: Element, *, in_dollars: bool) -> None:
    """Make every formula either MathML that pandoc turns into TeX, or a script of TeX, once
    each.
    """
    for node in list(body.iter()):
        if node.getroottree().getroot() is not body.getroottree().getroot() or not isinstance(
            node.tag, str
        ):
            continue
        tex, shown, gone = _formula_of(node)
        if tex:
            take_out(node, _tex(tex, shown=shown))
        elif gone:
            take_out(node)
    for node in list(body.iter("math")):
        if node.get("display") == "block" or "display" in (node.get("mode") or ""):
            node.set("display", "block")
        for note in list(node.iter("annotation", "annotation-xml")):
            take_out(note)
    _tex_in_text(body, _TEX_TEXT)
    if in_dollars:
        _tex_in_text(body, _TEX_DOLLARS)


def _formula_of(node: Element) -> _Found:
    """Return the TeX of a formula, whether it stands by itself, and whether the node only shows
    another one again.
    """
    named = node.get("class") or ""
    if node.tag == "math":
        return _tex_of_math(node), node.get("display") == "block" or _is_displayed(node), False
    if node.tag == "img":
        is_tex = (
            re.search(r"\b(?:latex|tex|math|equation|mathtex)\b", named) is not None
            and "fallback" not in named
        )
        return (
            _bare(node.get("alt") or "") if is_tex else "",
            "display" in named,
            "mwe-math-fallback" in named,
        )
    if (
        "katex" in named.split()
        or "mwe-math-element" in named
        or node.tag.startswith("mjx-container")
    ):
        return _typeset(node)
    if "MathJax" in named:
        following = node.getnext()
        again = following is not None and (
            following.tag == "script" or "MathJax" in (following.get("class") or "")
        )
        return "", False, again or next(node.iter("math"), None) is None
    if tex := next(filter(None, map(node.get, _TEX_ATTRIBUTES)), ""):
        return _bare(tex), _is_displayed(node), False
    return _marked(node) if node.tag in _MARKED and not len(node) else _NONE


def _typeset(node: Element) -> _Found:
    """Return the formula that KaTeX, MathJax 3 or a wiki drew; its MathML takes the place of the
    drawing where no TeX is said.
    """
    math = next(node.iter("math"), None)
    shown = _is_displayed(node) or node.get("display") == "true"
    if math is None:
        return _bare(node.get("data-latex") or ""), shown, False
    shown = shown or math.get("display") == "block"
    tex = _tex_of_math(math)
    if not tex:
        math.set("display", "block" if shown else "inline")
        take_out(node, _alone(math))
    return tex, shown, False


def _marked(node: Element) -> _Found:
    """Return the TeX that an element holds which is called so."""
    text, named = (node.text or "").strip(), node.get("class") or ""
    is_called = (
        re.search(
            r"(?:^|\s)(?:math|language-math|js-render-math|latex|tex2jax_process)(?:\s|$)", named
        )
        is not None
    )
    is_tex = node.tag == "d-math" or (
        is_called and (node.tag in {"code", "pre"} or _bare(text) != text)
    )
    shown = (
        "display" in named
        or node.tag in {"div", "pre"}
        or text.startswith(("\\[", "$$"))
        or "block" in node.attrib
    )
    return (_bare(text), shown, False) if is_tex else _NONE


def _alone(node: Element) -> Element:
    take_out(node)
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
            r"katex-display|MathJax_Display|math-display|mwe-math-element-block|\bdisplay\b",
            current.get("class") or "",
        ):
            return True
        current = current.getparent()
    return False


def _bare(tex: str) -> str:
    """Return TeX without what marks it as TeX."""
    tex = tex.strip()
    for opening, closing in (
        ("\\(", "\\)"),
        ("\\[", "\\]"),
        ("$$", "$$"),
        ("$", "$"),
        ("{\\displaystyle", "}"),
    ):
        if (
            tex.startswith(opening)
            and tex.endswith(closing)
            and len(tex) > len(opening) + len(closing)
        ):
            tex = tex[len(opening) : -len(closing)].strip()
    return tex


def _tex(tex: str, *, shown: bool) -> Element:
    node = html.Element("script", type="math/tex; mode=display" if shown else "math/tex")
    node.text = tex
    return node


def _tex_in_text(body: Element, pattern: re.Pattern[str]) -> None:
    for node in list(body.iter()):
        is_within = next(node.iterancestors(*_LITERAL), None) is not None
        places = [] if node.tag in _LITERAL or is_within else ["text"]
        for place in [*places, *(["tail"] if node is not body and not is_within else [])]:
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
    parent, at = (
        (node, 0) if place == "text" else (node.getparent(), node.getparent().index(node) + 1)
    )
    last = pieces[-1].tail
    for number, piece in enumerate(pieces):
        tail = piece.tail
        parent.insert(at + number, piece)
        piece.tail = tail
    pieces[-1].tail = last
