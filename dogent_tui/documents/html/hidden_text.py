"""Text of a page that nobody sees, taken out of its place: it is how instructions for a program are
slipped in.

What a page shows is decided by its style sheets. Those that stand in the page itself are read here,
for the few properties that make text disappear; what other files say is not known. css-inline
would put all rules into the elements, and crashes over 100,000 elements within each other; 1,000
rules over 100,000 elements take it 12 s.
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

HIDDEN = "data-hidden-text"
"""The attribute of an element whose text was taken out: its place among the texts that were."""

_ALIASES = {
    "background-color": "background", "-webkit-text-fill-color": "color",
    "-webkit-background-clip": "background-clip",
}  # fmt: skip
_VARIABLE = re.compile(r"(--[\w-]+)\s*:\s*([^;{}]+)")
_USE = re.compile(r"var\(\s*(--[\w-]+)[^()]*\)")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SCREEN = re.compile(
    r"@(?:media\s+(?!print\b|not\b|speech\b|.*color-scheme:\s*dark)|supports|layer)", re.IGNORECASE
)
_WIDTH = re.compile(r"(min|max)-width\s*:\s*([\d.]+)(px|em|rem)?", re.IGNORECASE)
_WINDOW = 1280
"""Pixels of width of the window that a page is taken to be shown in."""
_WANTED = re.compile(
    r"display|visibility|opacity|font-size|font|color|background|background-color|text-indent|left|top|right|position|clip|"
    r"clip-path|height|max-height|width|max-width|overflow|transform|content-visibility|margin-left|margin-top|filter|"
    r"translate|scale|zoom|inset|(?:-webkit-)?background-clip|-webkit-text-fill-color",
    re.IGNORECASE,
)
_MOST_RULES = 1000
_MOST_MATCHES = 50_000
_FAR = -400
"""Pixels to the left or above from which on something is off the page."""
_TINY = 2
"""Pixels of a font up to which no letter can be told."""
_FAINT = 0.05
_ALIKE = 8
"""Of 255, up to which no eye tells two colors apart."""
_INLINE, _IMPORTANT = 1_000_000, 10_000_000
"""How much a declaration counts in an attribute, and where it says that it is important."""
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
    """What was taken out of a page. `mostly`: so much of it would be that its scripts have to
    show it, so it was left.
    """

    texts: list[str] = msgspec.field(default_factory=list)
    mostly: bool = False

    def warnings(self) -> list[str]:
        """Return what is to be said of it."""
        marked = tr("Text that cannot be seen on the page is marked as hidden.")
        shown = tr(
            "Most of this page is hidden until its scripts show it, so it was read as if it were"
            " shown."
        )
        return [marked] * bool(self.texts) + [shown] * self.mostly


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
        text = " ".join(node.text(deep=True, separator=" ").split())
        if not text or node.css_first("math") is not None:
            continue  # formulas are given to readers of the screen in this way
        if len(text) > _MOST_OF_PAGE * whole:
            found.mostly = True
            continue
        for inner in list(node.iter(include_text=True)):
            inner.decompose()
        node.attrs[HIDDEN] = str(len(found.texts))
        found.texts.append(text)
    return found


def _styles(tree: LexborHTMLParser) -> dict[int, _Style]:
    """Return what the style sheets in the page and the attributes of its elements say, by the
    ids of the elements.
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
    """Return the variables of the style sheets that have one value for the whole page."""
    found: dict[str, set[str]] = {}
    for sheet in tree.css("style"):
        for name, value in _VARIABLE.findall(_COMMENT.sub(" ", sheet.text(deep=True)).lower()):
            found.setdefault(name, set()).add(value.strip())
    return {name: value for name, (value, *others) in found.items() if not others}


def _applied(tree: LexborHTMLParser) -> Iterator[tuple[LexborNode, str, int]]:
    """Yield elements with the declarations for them, and how much these count."""
    for name, declared in (("background", "bgcolor"), ("color", "color")):
        for node in tree.css(f"[{declared}]"):
            yield node, f"{name}: {attribute(node, declared)}", 0
    left = _MOST_MATCHES
    for selectors, declared in islice(_rules(tree), _MOST_RULES):
        for selector in selectors.split(","):
            with suppress(SelectolaxError):  # such as those of parts of elements
                matched = tree.css(selector)[:left]
                left -= len(matched)
                yield from ((node, declared, _weight(selector)) for node in matched)
    for node in tree.css("[style]"):
        yield node, attribute(node, "style"), _INLINE


def _weight(selector: str) -> int:
    """Return how much a rule counts beside others (CSS Selectors 4, specificity)."""
    ids = selector.count("#")
    classes = len(re.findall(r"\.[\w-]|\[|(?<!:):(?!:|not|is|where)", selector))
    return 10_000 * ids + 100 * classes + len(re.findall(r"(?:^|[\s>+~(])[a-zA-Z]", selector))


def _rules(tree: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    """Yield the rules of the style sheets that hold for a screen: selector and declarations. Of
    those within others, only what is in `@media` and its like where it means a screen.
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
                heads.append(said.rpartition(";")[2].strip())
            elif heads:
                head = heads.pop()
                if all(map(_holds, heads)) and _WANTED.search(said):
                    yield head, said


def _holds(head: str) -> bool:
    """Tell whether what is in a rule such as `@media` is for a screen as wide as the window."""
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
    """Tell whether it is not drawn, too faint or too small to be seen, off the page, or in a box
    without room.
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
    """Tell whether its letters have the color of what is behind them."""
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
        behind = styles.get(current.mem_id, {}).get("background", "")
        if behind and behind not in _SEEN_THROUGH:
            return _is_near(_color(behind), color)
        current = current.parent
    return _is_near(color, _WHITE)


def _is_near(one: _Color | None, other: _Color) -> bool:
    """Tell whether two colors cannot be told apart; a picture, or a color that is not known, is
    near to none.
    """
    return one is not None and all(
        abs(here - there) <= _ALIKE for here, there in zip(one, other, strict=True)
    )


def _color(value: str) -> _Color | None:
    """Return the first color in `value`, None where there is none, or one that is seen through."""
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
    """Tell whether a length is no more than `most` pixels, or a number no more than that."""
    match = _LENGTH.match(value.strip())
    return match is not None and float(match[1]) * _UNIT.get(match[2], 1.0) <= most


def attribute(node: LexborNode, name: str) -> str:
    """Return an attribute of `node`, empty where it has none, or none that is text."""
    try:
        return node.attributes.get(name) or ""
    except UnicodeDecodeError:
        return ""
