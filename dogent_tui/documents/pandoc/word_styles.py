"""The styles and the numbering of a docx: which text is invisible, and Word's numbers of
headings.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import roman
from lxml import etree

from dogent_tui.documents.pandoc.archive import root_of

NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PREFIXES = {"w": NAMESPACE.strip("{}")}
_OFF = {"0", "false", "off", "none"}
_SMALLEST = 3
"""Half points: smaller text is illegible."""
_ALIKE = 24
"""The difference (of 255) to the background in at least one color component that makes text
visible.
"""
_DEEPEST = 20
"""The maximum length of a chain of styles based on each other."""
_LEVELS = 9
_MOST_SPELLED = 4_999
_TYPEWRITERS = re.compile(r"mono|courier|consol|menlo|typewriter|code|console", re.IGNORECASE)
CODE = "Source Code"
"""The name of the style whose paragraphs pandoc takes for code."""


def w(name: str) -> str:
    """Return lxml's name of an element or attribute of Word's."""
    return f"{NAMESPACE}{name}"


_VALUE, _RUN_PROPERTIES, _PARAGRAPH_PROPERTIES = w("val"), w("rPr"), w("pPr")
_UNKNOWN_SHADING = etree.Element(w("shd"))
"""The background of the text of a shape, or of a table with its own colors."""
_NO_LEVEL = etree.Element(w("lvl"))


def value_at(node: Any, path: str, default: str = "") -> str:
    """Return the value of the element at `path` (``w:pPr/w:pStyle``) below `node`."""
    found = node.find(path, _PREFIXES)
    return default if found is None else found.get(_VALUE, "")


def is_unseen(color: str, behind: str, half_points: str = "") -> bool:
    """Return whether text is invisible: tiny, or of the color of its background `behind`.

    Colors are six hexadecimal digits; `behind` is ``auto`` for paper, and anything else if unknown.
    """
    if half_points.isdecimal() and int(half_points) <= _SMALLEST:
        return True
    text, ground = _rgb(color), _rgb("FFFFFF" if behind == "auto" else behind)
    return bool(text and ground) and all(
        abs(one - other) <= _ALIKE for one, other in zip(text, ground, strict=True)
    )


def _rgb(color: str) -> bytes:
    try:
        return bytes.fromhex(color) if len(color) == 6 else b""
    except ValueError:
        return b""


def chain(styles: Mapping[str, Any], name: str, parent: Callable[[Any], str]) -> Iterator[Any]:
    """Yield the style `name` and those that it is based on."""
    for _ in range(_DEEPEST):
        if (style := styles.get(name)) is None:
            return
        yield style
        name = parent(style)


class Styles:
    """The styles of a document by id, each with what it is based on."""

    def __init__(self, part: bytes) -> None:
        root = root_of(part)
        self._styles = {style.get(w("styleId")): style for style in root.iter(w("style"))}
        self._defaults = _children(root.find(".//w:rPrDefault/w:rPr", _PREFIXES))
        self._usual = next(
            (
                name
                for name, style in self._styles.items()
                if style.get(w("default")) in {"1", "true"} and style.get(w("type")) == "paragraph"
            ),
            "",
        )
        self._look = cache(self._look_of)
        names = ((key, value_at(one, "w:name").lower()) for key, one in self._styles.items())
        self.code = next((key for key, name in names if name == CODE.lower()), "")
        """The id of the style of code, "" for none."""

    def is_typewritten(self, run: Any, paragraph: Any) -> bool:
        """Return whether a run is in a monospaced font."""
        fonts = self._look_in(run, paragraph).get(w("rFonts"))
        return fonts is not None and _TYPEWRITERS.search(fonts.get(w("ascii"), "")) is not None

    def hides(self, run: Any, paragraph: Any) -> bool:
        """Return whether the text of a run is invisible: hidden, tiny, or of the color of its
        background. On an unknown background it counts as visible.
        """
        look = self._look_in(run, paragraph)

        def value(name: str, default: str) -> str:
            found = look.get(w(name))
            return default if found is None else str(found.get(_VALUE, default))

        if w("vanish") in look and value("vanish", "1") not in _OFF:
            return True
        shading = look[w("shd")] if w("shd") in look else self._behind(run)
        filled = "auto" if shading is None else ""
        if shading is not None and shading.get(_VALUE, "clear") in {"clear", "nil"}:
            filled = shading.get(w("fill"), "")
        behind = {"none": filled, "white": "FFFFFF"}.get(value("highlight", "none"), "")
        return is_unseen(value("color", ""), behind, value("sz", ""))

    def is_heading(self, style: str) -> bool:
        """Return whether paragraphs of a style are headings, by pandoc's rule."""
        names = (value_at(one, "w:name") for one in self._chain(style))
        return any(name.lower().startswith("heading ") for name in names)

    def numbering(self, paragraph: Any) -> tuple[str, int | None]:
        """Return the list that numbers a paragraph ("" or "0": none), and its level in it, from 0;
        None: not specified.
        """
        style = value_at(paragraph, "w:pPr/w:pStyle")
        found = [paragraph, *self._chain(style)]
        lists = (value_at(one, "w:pPr/w:numPr/w:numId") for one in found)
        levels = (_level_of(value_at(one, "w:pPr/w:numPr/w:ilvl")) for one in found)
        return (
            next(filter(None, lists), ""),
            next((level for level in levels if level is not None), None),
        )

    def _behind(self, run: Any) -> Any:
        """Return the shading of the cell that contains a run."""
        for around in run.iterancestors(w("tc"), w("tbl"), w("txbxContent")):
            if around.tag == w("txbxContent"):
                return _UNKNOWN_SHADING
            if around.tag == w("tc"):
                shading = around.find("w:tcPr/w:shd", _PREFIXES)
                if shading is not None:
                    return shading
            elif any(
                next(style.iter(w("shd")), None) is not None
                for style in self._chain(value_at(around, "w:tblPr/w:tblStyle"))
            ):
                return _UNKNOWN_SHADING
        return None

    def _look_in(self, run: Any, paragraph: Any) -> dict[str, Any]:
        properties = run.find(_RUN_PROPERTIES)
        character = "" if properties is None else value_at(properties, "w:rStyle")
        return {
            **self._look(character, value_at(paragraph, "w:pPr/w:pStyle")),
            **_children(paragraph.find(_PARAGRAPH_PROPERTIES)),
            **_children(properties),
        }

    def _look_of(self, character: str, paragraph: str) -> dict[str, Any]:
        styles = [*self._chain(character), *self._chain(paragraph or self._usual)]
        look = dict(self._defaults)
        for style in reversed(styles):
            look |= _children(style.find(_PARAGRAPH_PROPERTIES))
            look |= _children(style.find(_RUN_PROPERTIES))
        return look

    def _chain(self, name: str) -> Iterator[Any]:
        return chain(self._styles, name, lambda style: value_at(style, "w:basedOn"))


def _children(properties: Any) -> dict[str, Any]:
    return {} if properties is None else {child.tag: child for child in properties}


def _level_of(text: str) -> int | None:
    """Return the list level in an attribute, from 0; None if it is missing."""
    return min(int(text[:3]), _LEVELS - 1) if text.isdecimal() else None


def _whole(text: str) -> int:
    return int(text[:6]) if text.isdecimal() else 1


class Counters:
    """Counts the numbered paragraphs of a document in order, like Word (ECMA-376 part 1, 17.9)."""

    def __init__(self, part: bytes) -> None:
        root = root_of(part)
        abstract = {one.get(w("abstractNumId")): one for one in root.iter(w("abstractNum"))}
        linked = {value_at(one, "w:styleLink"): one for one in abstract.values()}
        self._lists: dict[str, tuple[str, dict[int, Any], dict[int, int]]] = {}
        for element in root.iter(w("num")):
            name = value_at(element, "w:abstractNumId")
            base = abstract.get(name, _NO_LEVEL)
            if link := value_at(base, "w:numStyleLink"):
                base = linked.get(link, _NO_LEVEL)
            levels = {_at(level): level for one in (base, element) for level in one.iter(w("lvl"))}
            starts = {
                _at(override): _whole(value_at(override, "w:startOverride"))
                for override in element.iter(w("lvlOverride"))
                if override.find(w("startOverride")) is not None
            }
            self._lists[element.get(w("numId"), "")] = (name, levels, starts)
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)

    def is_unmarked(self, name: str, at: int | None) -> bool:
        """Return whether items of a list have no marker, as pandoc writes paragraphs that continue
        an item.
        """
        level = self._lists[name][1].get(at or 0) if name in self._lists else None
        is_bullet = level is not None and value_at(level, "w:numFmt") == "bullet"
        return is_bullet and not value_at(level, "w:lvlText").strip()

    def label(self, name: str, at: int | None, style: str) -> str:
        """Count a paragraph with a style at a level `at` of the list `name`, and return Word's
        number for it: "" for bullets and if it is not numbered.
        """
        if name not in self._lists:
            return ""
        abstract, levels, starts = self._lists[name]
        if at is None:
            of_style = (n for n, level in levels.items() if value_at(level, "w:pStyle") == style)
            at = next(of_style, 0)
        counts = self._counts[abstract]
        if at in starts:  # restarts where this list is first used
            counts[at] = starts.pop(at) - 1
        above = [levels.get(number, _NO_LEVEL) for number in range(at + 1)]
        for number, level in enumerate(above):
            counts.setdefault(number, _whole(value_at(level, "w:start", "1")) - (number == at))
        counts[at] += 1
        for deeper in [number for number in counts if number > at]:
            if value_at(levels.get(deeper, _NO_LEVEL), "w:lvlRestart") != "0":
                del counts[deeper]
        formats = [value_at(level, "w:numFmt", "decimal") for level in above]
        if formats[at] in {"bullet", "none"}:
            return ""
        legal = above[at].find(w("isLgl"))
        if legal is not None and legal.get(_VALUE, "") not in _OFF:
            formats = ["decimal"] * len(formats)
        text = value_at(above[at], "w:lvlText")
        for number, form in enumerate(formats):
            text = text.replace(f"%{number + 1}", _counted(counts[number], form))
        return text.strip()


def _at(element: Any) -> int:
    return _level_of(element.get(w("ilvl"), "")) or 0


_CHINESE = "〇一二三四五六七八九"


def _counted(number: int, form: str) -> str:
    """Return a number in one of Word's formats (17.18.59); in rare ones, as a decimal."""
    if number > _MOST_SPELLED:
        text = str(number)
    elif form in {"upperLetter", "lowerLetter"}:
        text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
    elif form in {"upperRoman", "lowerRoman"}:
        text = roman.toRoman(number).lower() if number else ""
    elif (
        form.startswith(("chinese", "japaneseCounting", "taiwaneseCounting", "ideographDigital"))
        and 0 < number < 100
    ):
        tens, ones = divmod(number, 10)
        text = _CHINESE[tens] * (tens > 1) + "十" * (tens > 0) + _CHINESE[ones] * (ones > 0)
    else:
        text = f"{number:02}" if form == "decimalZero" else str(number)
    return text.upper() if form.startswith("upper") else text
