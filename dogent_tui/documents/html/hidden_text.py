"""Removes invisible text of a page from its place: this is how instructions for programs are
smuggled in.

Style sheets decide what a page shows. Those in the page itself are read here, for the few
properties that make text invisible; external ones are not known. css-inline would write all rules
into the elements, but crashes with 100,000 nested elements, and takes 12 s for 1,000 rules and
100,000 elements.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import TypeAlias

import msgspec
from PIL import ImageColor
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from dogent_tui.language import tr

_TEMPLATE = re.compile(r"</?template\b[^<>]*>", re.IGNORECASE)
HIDDEN = "data-hidden-text"
"""The attribute of an element whose text was removed: its index in the list of removed texts."""

_ALIASES = {
    "background-color": "background", "-webkit-text-fill-color": "color",
    "-webkit-background-clip": "background-clip",
}  # fmt: skip
_VARIABLE = re.compile(r"(--[\w-]+)\s*:\s*([^;{}]+)")
_USE = re.compile(r"var\(\s*(--[\w-]+)[^()]*\)")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_STATEMENT = re.compile(r"@[^;{}]*;")
"""An at-rule without a block, such as `@import`."""
_SCREEN = re.compile(
    r"@(?:media\s+(?!print\b|not\b|speech\b|.*color-scheme:\s*dark)|supports|layer)", re.IGNORECASE
)
_WIDTH = re.compile(r"(min|max)-width\s*:\s*([\d.]+)(px|em|rem)?", re.IGNORECASE)
_WINDOW = 1280
"""The assumed width of the browser window in pixels."""
_WANTED = re.compile(
    r"display|visibility|opacity|font-size|font|color|background|background-color|background-image|text-indent|left|top|right|position|clip|"
    r"clip-path|height|max-height|width|max-width|overflow|transform|content-visibility|margin-left|margin-top|filter|"
    r"translate|scale|zoom|inset|(?:-webkit-)?background-clip|-webkit-text-fill-color",
    re.IGNORECASE,
)
_MOST_RULES = 1000
_MOST_MATCHES = 50_000
_FAR = -400
"""The number of pixels to the left or top from which on something is off the page."""
_TINY = 2
"""The font size in pixels up to which text is illegible."""
_FAINT = 0.05
_ALIKE = 8
"""The difference (of 255) up to which two colors look the same."""
_INLINE, _IMPORTANT = 1_000_000, 10_000_000
"""The weights of a declaration in an attribute and of an important one."""
_MOST_OF_PAGE = 0.5
_GONE = {
    "display": re.compile(r"^none$"),
    "visibility": re.compile(r"^(?:hidden|collapse)$"),
    "content-visibility": re.compile(r"^hidden$"),
    "filter": re.compile(r"opacity\(\s*0*(?:\.0+)?%?\s*\)"),
    "transform": re.compile(r"scale\(\s*0*(?:\.0+)?\s*[,)]"),
    "clip-path": re.compile(r"inset\(\s*(?:50|100)%|circle\(\s*0"),
    "scale": re.compile(r"^0"),
}
_DECLARATION = re.compile(r"([\w-]+)\s*:([^;]*)")
_LENGTH = re.compile(r"(-?(?:\d+(?:\.\d+)?|\.\d+))(px|pt|em|rem|ex|%|vw|vh|cm|mm|in)?")
_UNIT: dict[str | None, float] = {
    "px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "ex": 8.0, "%": 0.16, "vw": 12.8, "vh": 8.0,
    "cm": 38.0, "mm": 3.8, "in": 96.0,
}  # fmt: skip
_SEEN_THROUGH = frozenset({"none", "transparent", "inherit", "initial", "unset", "0", "0 0"})
_WHITE = (255, 255, 255)

_Style: TypeAlias = dict[str, str]
_Color: TypeAlias = tuple[int, ...]


class Hidden(msgspec.Struct):
    """What was removed from a page. `mostly`: so much would be that its scripts must be showing it,
    so it was kept.
    """

    texts: list[str] = []
    mostly: bool = False

    def warnings(self) -> list[str]:
        """Return the warnings."""
        marked = tr("Text that cannot be seen on the page is marked as hidden.")
        shown = tr(
            "Most of this page is hidden until its scripts show it, so it was read as if it were"
            " shown."
        )
        return [marked] * bool(self.texts) + [shown] * self.mostly


def page_tree(html: str) -> LexborHTMLParser:
    """Parse a page, with its declarative shadow roots in place: templates that browsers show."""
    are_shown: list[bool] = []

    def shown(tag: re.Match[str]) -> str:
        is_end = tag[0].startswith("</")
        if not is_end:
            are_shown.append("shadowrootmode" in tag[0].lower())
        elif not are_shown:
            return tag[0]
        is_shown = are_shown.pop() if is_end else are_shown[-1]
        return ("</div>" if is_end else "<div>") if is_shown else tag[0]

    return LexborHTMLParser(_TEMPLATE.sub(shown, html))


def take_hidden(tree: LexborHTMLParser) -> Hidden:
    """Empty each element of `tree` that a browser does not show, and mark it with `HIDDEN`."""
    found = Hidden()
    body = tree.body
    if body is None:
        return found
    styles = _styles(tree)
    whole = len(body.text(deep=True))
    for node in list(body.traverse()):
        if node.parent is None or HIDDEN in node.attributes or not _is_hidden(node, styles):
            continue
        for field in filter(lambda one: "value" in one.attributes, (node, *node.css("input"))):
            del field.attrs["value"]
        text = " ".join(node.text(deep=True, separator=" ").split())
        if not text or node.css_first("math") is not None:
            continue  # this is how formulas are provided to screen readers
        if len(text) > _MOST_OF_PAGE * whole:
            found.mostly = True
            continue
        for inner in list(node.iter(include_text=True)):
            inner.decompose()
        node.attrs[HIDDEN] = str(len(found.texts))
        found.texts.append(text)
    return found


def _styles(tree: LexborHTMLParser) -> dict[int, _Style]:
    """Return id of an element → the declarations that apply, from style sheets in the page and from
    attributes.
    """
    weights: dict[tuple[int, str], int] = {}
    variables = _variables(tree)
    styles: dict[int, _Style] = {}
    for node, declared, weight in _applied(tree):
        for name, value in _declarations(declared):
            key = (node.mem_id, name)
            own = weight + (_IMPORTANT if value.endswith("!important") else 0)
            if own >= weights.get(key, 0):
                weights[key] = own
                value = _USE.sub(lambda use: variables.get(use[1], use[0]), value)
                styles.setdefault(node.mem_id, {})[name] = value.removesuffix("!important").strip()
    return styles


def _variables(tree: LexborHTMLParser) -> dict[str, str]:
    """Return the variables of the style sheets that have a single value on the page."""
    found: dict[str, set[str]] = {}
    for sheet in tree.css("style"):
        for name, value in _VARIABLE.findall(_COMMENT.sub(" ", sheet.text(deep=True)).lower()):
            found.setdefault(name, set()).add(value.strip())
    return {name: value for name, (value, *others) in found.items() if not others}


def _applied(tree: LexborHTMLParser) -> Iterator[tuple[LexborNode, str, int]]:
    """Yield elements with their declarations and the weight of these."""
    for name, declared in (("background", "bgcolor"), ("color", "color")):
        for node in tree.css(f"[{declared}]"):
            yield node, f"{name}: {attribute(node, declared)}", 0
    left = _MOST_MATCHES
    for selectors, declared in islice(_rules(tree), _MOST_RULES):
        for selector in selectors.split(","):
            with suppress(SelectolaxError):  # such as pseudo-elements
                matched = tree.css(selector)[:left]
                left -= len(matched)
                yield from ((node, declared, _weight(selector)) for node in matched)
    for node in tree.css("[style]"):
        yield node, attribute(node, "style"), _INLINE


def _weight(selector: str) -> int:
    """Return the weight of a selector (CSS Selectors 4, specificity)."""
    ids = selector.count("#")
    classes = len(re.findall(r"\.[\w-]|\[|(?<!:):(?!:|not|is|where)", selector))
    return 10_000 * ids + 100 * classes + len(re.findall(r"(?:^|[\s>+~(])[a-zA-Z]", selector))


def _rules(tree: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    """Yield the rules of style sheets that apply to screens: selector and declarations. Of nested
    rules, only those in `@media` and the like if it matches a screen.
    """
    for sheet in tree.css("style"):
        if "print" in attribute(sheet, "media"):
            continue
        text = _COMMENT.sub(" ", sheet.text(deep=True))[:500_000] + "}}"
        heads: list[str] = []
        position = 0
        for brace in re.finditer(r"[{}]", text):
            said = text[position : brace.start()]
            position = brace.end()
            if brace[0] == "{":
                is_nested = any(not head.startswith("@") for head in heads)
                head = said.rpartition(";")[2] if is_nested else _STATEMENT.sub("", said)
                heads.append(head.strip())
            elif heads:
                head = heads.pop()
                if all(map(_holds, heads)) and _WANTED.search(said):
                    yield head, said


def _holds(head: str) -> bool:
    """Return whether a rule such as `@media` applies to a screen as wide as the window."""
    return _SCREEN.match(head) is not None and all(
        (edge.lower() == "min") == (float(width) * _UNIT.get(unit.lower() or None, 1.0) <= _WINDOW)
        for edge, width, unit in _WIDTH.findall(head)
    )


def _declarations(declared: str) -> Iterator[tuple[str, str]]:
    for name, value in _DECLARATION.findall(declared.lower()):
        if _WANTED.fullmatch(name):
            yield _ALIASES.get(name, name), re.sub(r"\s*!\s*important", "!important", value.strip())


def _is_hidden(node: LexborNode, styles: dict[int, _Style]) -> bool:
    attributes, style = node.attributes, styles.get(node.mem_id, {})
    is_closed = node.tag == "dialog" and "open" not in attributes
    if is_closed or ("hidden" in attributes and attributes["hidden"] != "until-found"):
        return style.get("display", "none") == "none"
    return _is_gone(style) or _has_no_contrast(node, style, styles)


def _is_gone(style: _Style) -> bool:
    """Return whether it is not rendered, too faint or too small to see, off the page, or in a box
    without space.
    """
    font = style.get("font-size") or (style.get("font", "").split("/")[0].split() or [""])[-1]
    off = [style.get(name, "") for name in ("text-indent", "margin-left", "margin-top")]
    off += re.findall(r"translate[xyz3d]*\(\s*([^,)]+)", style.get("transform", ""))
    off += style.get("translate", "").split()
    is_placed = style.get("position") in {"absolute", "fixed", "relative"}
    if is_placed:
        off += [style.get("left", ""), style.get("top", ""), *style.get("inset", "").split()]
    boxes = [style.get(name, "") for name in ("height", "max-height", "width", "max-width")]
    lengths = (
        ([style.get("opacity", "").rstrip("%"), style.get("zoom", "").rstrip("%")], _FAINT),
        ([font], _TINY),
        (off, _FAR),
        (boxes if "hidden" in style.get("overflow", "") else [], 1),
    )
    return (
        any(pattern.search(style.get(name, "")) for name, pattern in _GONE.items())
        or any(_at_most(value, most) for values, most in lengths for value in values)
        or (is_placed and re.search(r"rect\(\s*(?:0|1px|auto)", style.get("clip", "")) is not None)
    )


def _has_no_contrast(node: LexborNode, style: _Style, styles: dict[int, _Style]) -> bool:
    """Return whether its text has the color of its background."""
    if "color" not in style or "text" in style.get("background-clip", ""):
        return False
    color = _color(style["color"])
    if color is None:
        return _is_clear(style["color"])
    inside = (inner.mem_id for inner in node.css("*"))
    if any("color" in styles.get(inner, {}) for inner in inside if inner != node.mem_id):
        return False
    current: LexborNode | None = node
    while current is not None:
        around = styles.get(current.mem_id, {})
        for behind in (around.get("background-image", ""), around.get("background", "")):
            if behind and behind not in _SEEN_THROUGH:
                return _is_near(_color(behind), color)
        current = current.parent
    return _is_near(color, _WHITE)


def _is_near(one: _Color | None, other: _Color) -> bool:
    """Return whether two colors are indistinguishable; a picture or an unknown color never is."""
    return one is not None and all(
        abs(here - there) <= _ALIKE for here, there in zip(one, other, strict=True)
    )


def _color(value: str) -> _Color | None:
    """Return the first color in `value`, None if there is none or it is transparent."""
    value = re.sub(r"url\([^)]*\)", "", value)
    for word in re.findall(r"#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([^)]*\)|[a-z]+", value):
        numbers = re.findall(r"\d+", re.sub(r"\.\d+", "", word))
        share = "%" if word.startswith("hsl") else ""
        named = f"{word[:3]}({','.join([*numbers[:1], *(n + share for n in numbers[1:3])])})"
        with suppress(ValueError):
            return (
                None if _is_clear(word) else ImageColor.getrgb(named if "(" in word else word)[:3]
            )
    return None


def _is_clear(color: str) -> bool:
    numbers = re.findall(r"[\d.]+", color)
    is_clear = color.startswith(("rgb", "hsl")) and len(numbers) > 3 and not float(numbers[3])
    return color == "transparent" or is_clear


def _at_most(value: str, most: float) -> bool:
    """Return whether a length in pixels, or a number, is at most `most`."""
    match = _LENGTH.match(value.strip())
    return match is not None and float(match[1]) * _UNIT.get(match[2], 1.0) <= most


def attribute(node: LexborNode, name: str) -> str:
    """Return an attribute of `node`, empty if missing or not text."""
    try:
        return node.attributes.get(name) or ""
    except UnicodeDecodeError:
        return ""
