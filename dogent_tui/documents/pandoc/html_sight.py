"""Text of a web page that its own styles keep out of sight, put so that `MarkdownWriter` tells of it: see `HIDDEN`.

Styles that others serve are not fetched, and of selectors that both match, the later one holds: enough to see what was slipped
in. What a script would show, as the panes of tabs, is hidden until then.
"""

import contextlib
import html
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from dogent_tui.documents.pandoc.tree import HIDDEN

_Style: TypeAlias = dict[str, str]

_OPEN, _CLOSE = "\ue0f2", "\ue0f3"
_UNMARKED = str.maketrans("", "", _OPEN + _CLOSE)
_SKIPPED = frozenset({"script", "style", "template", "noscript", "head", "svg", "math", "textarea", "option"})
_MOST_S = 1.0
"""Of processor time for the style sheets of a page."""
_ALIKE = 24
_SMALLEST = 1.5
"""Pixels."""
_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
_BLOCK = re.compile(r"@[^{};]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_HIDING = re.compile("display|visibility|opacity|font-size|text-indent|position|left|top|right|overflow|height")
_COLORS = re.compile("color|background")
_MOMENTARY = re.compile(":(?::|hover|focus|active|visited|checked|target|before|after|disabled)")
"""What selects elements only while something is done to them, or no elements."""
_LENGTH = re.compile(r"(\d+(?:\.\d+)?|\.\d+)(px|pt|em|rem|%)?")
_FAR = re.compile(r"-\d{3,}(?:\.\d+)?(?:px|em|rem|pt)")
_NAMES = {"white": "ffffff", "black": "000000", "snow": "fffafa", "ivory": "fffff0", "whitesmoke": "f5f5f5", "red": "ff0000"}
_RGB = re.compile(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)(?:[\s,/]+([\d.]+%?))?\s*\)")


class _Seen(NamedTuple):
    """What an element passes on to what is in it: colors are None where nobody knows them."""

    gone: bool = False
    invisible: bool = False
    tiny: bool = False
    color: tuple[int, ...] | None = None
    behind: tuple[int, ...] | None = (255, 255, 255)

    @property
    def hides(self) -> bool:
        return self.gone or self.invisible or self.tiny

    @property
    def pales(self) -> bool:
        """Whether text has the color of what is behind it."""
        if not self.color or not self.behind:
            return False
        return all(abs(one - other) <= _ALIKE for one, other in zip(self.color, self.behind, strict=True))


def with_hidden_marked(page: str) -> str:
    """Return a web page in which text that nobody sees is in links to `HIDDEN`; the page itself where there is none."""
    if "style" not in page.lower() and "hidden" not in page.lower() and "color" not in page.lower():
        return page
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(page.translate(_UNMARKED))
    styles, all_known = _styles(tree)
    seen: dict[int, _Seen] = {}
    hidden: list[tuple[Any, str]] = []
    for node in tree.root.traverse(include_text=True) if tree.root is not None else ():
        around = seen.get(node.parent.mem_id, _Seen()) if node.parent is not None else _Seen()
        if node.tag != "-text":
            seen[node.mem_id] = _within(node, styles.get(node.mem_id, {}), around)
        elif (around.hides or (all_known and around.pales)) and (text := node.text_content or "").strip():
            hidden.append((node, text))
    for node, text in hidden:
        _mark(node, f"{_OPEN}{text}{_CLOSE}")
    if not hidden:
        return page
    marked: str = tree.html or ""
    return marked.replace(_OPEN, f'<a href="{HIDDEN}">').replace(_CLOSE, "</a>")


def _mark(node: Any, marked: str) -> None:
    """Put a text that is marked in the place of `node`; behind code, which pandoc takes without links."""
    above = node.parent
    while above is not None and above.tag not in {"pre", "a", *_SKIPPED}:
        above = above.parent
    if above is None:
        node.replace_with(marked)
    elif above.tag == "a":
        above.attrs["href"] = HIDDEN
    elif above.tag == "pre":
        above.insert_after(marked)
        node.replace_with("")


def _styles(tree: Any) -> tuple[Mapping[int, _Style], bool]:
    """Return what the page's own style sheets say of elements, by their ids, and whether that is all of it.

    Frameworks have thousands of rules for colors: what hides comes first, and the rest as far as the time goes.
    """
    found: dict[int, _Style] = {}
    rules = [rule for sheet in tree.css("style") for rule in _rules(sheet.text() or "")]
    ends = time.process_time() + _MOST_S
    for telling in (_HIDING, _COLORS):
        for selector, declared in rules:
            style = {name: value for name, value in declared.items() if telling.match(name)}
            if style and not _MOMENTARY.search(selector):
                with contextlib.suppress(Exception):  # selectors that lexbor does not know raise whatever they like
                    for node in tree.css(selector):
                        found.setdefault(node.mem_id, {}).update(style)
                if time.process_time() > ends:
                    return found, False
    return found, True


def _rules(sheet: str) -> Iterator[tuple[str, _Style]]:
    for found in _RULE.finditer(_BLOCK.sub("", _COMMENT.sub("", sheet))):
        yield found[1].strip(), _declarations(found[2])


def _declarations(text: str) -> _Style:
    pairs = (part.partition(":") for part in html.unescape(text).split(";"))
    return {name.strip().lower(): value.replace("!important", "").strip().lower() for name, _, value in pairs if value}


def _within(node: Any, style: _Style, around: _Seen) -> _Seen:
    attributes = node.attributes
    style = {**style, **_declarations(attributes.get("style") or "")}
    if node.tag in {"html", "body"}:  # what hides all of it is shown by a script, or by the end of an animation
        style = {name: value for name, value in style.items() if name.startswith(("color", "background"))}
    visibility, size = style.get("visibility"), _LENGTH.fullmatch(style.get("font-size", ""))
    tiny = around.tiny if size is None else float(size[1]) <= (_SMALLEST if size[2] in {"px", "pt"} else 0)
    color = style.get("color", attributes.get("color") or "")
    return _Seen(
        around.gone or "hidden" in attributes or _is_gone(style) or (node.tag == "dialog" and "open" not in attributes),
        around.invisible if visibility is None else visibility in {"hidden", "collapse"},
        tiny,
        around.color if color in {"", "inherit"} else _rgb(color),
        _behind(style, attributes.get("bgcolor") or "", around.behind),
    )


def _is_gone(style: _Style) -> bool:
    if style.get("display") == "none" or style.get("opacity") in {"0", "0.0", "0%"}:
        return True
    placed = style.get("position") in {"absolute", "fixed"}
    return bool(
        (placed and any(_FAR.match(style.get(side, "")) for side in ("left", "top", "right")))
        or _FAR.match(style.get("text-indent", ""))
        or (style.get("overflow") == "hidden" and style.get("height") in {"0", "0px"})
    )


def _behind(style: _Style, attribute: str, around: tuple[int, ...] | None) -> tuple[int, ...] | None:
    said = style.get("background-color") or style.get("background") or attribute
    if "background-image" in style or "url(" in said or "gradient" in said:
        return None
    if said in {"", "none", "transparent", "inherit", "initial"}:
        return around
    return _rgb(said) or _rgb(said.split()[0])


def _rgb(color: str) -> tuple[int, ...] | None:
    if (found := _RGB.search(color)) is not None:
        return tuple(int(found[at]) for at in (1, 2, 3)) if found[4] in {None, "1", "100%"} else None
    digits = _NAMES.get(color, color.removeprefix("#"))
    digits = "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits
    return tuple(bytes.fromhex(digits)) if re.fullmatch(r"[0-9a-f]{6}", digits) else None
