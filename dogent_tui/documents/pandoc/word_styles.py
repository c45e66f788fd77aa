"""What the styles and the numbering of a docx say: which text cannot be seen, and what Word
counts before a heading.
"""

from collections.abc import Iterator, Mapping
from typing import TypeAlias
from xml.etree import ElementTree

import msgspec
import roman

from dogent_tui.documents.pandoc.archive import root_of

Properties: TypeAlias = Mapping[str, Mapping[str, str]]
"""Elements of `w:rPr`, and the shading behind a run: attributes by the name of the element, all
with the prefix ``w:``.
"""

NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = {"0", "false", "off", "none"}
_SMALLEST = 3
"""Half points: nobody reads what is smaller."""
_ALIKE = 24
"""Of 255, by which text has to differ from what is behind it in one of its colors."""
_DEEPEST = 20
"""Styles that are each based on the next."""
_LEVELS = 9
_MOST_SPELLED = 4_999


def is_unseen(properties: Properties) -> bool:
    """Tell whether nobody sees text that looks so: hidden, tiny, or of the color of what is behind
    it.

    A run whose background nobody knows (a `w:shd` without a fill) is seen.
    """
    if "w:vanish" in properties and properties["w:vanish"].get("w:val", "1") not in _OFF:
        return True
    size = properties.get("w:sz", {}).get("w:val", "")
    if size.isdecimal() and int(size) <= _SMALLEST:
        return True
    marked = properties.get("w:highlight", {}).get("w:val", "none")
    shading = properties.get("w:shd", {"w:fill": "auto"})
    filled = (
        shading.get("w:fill", "?") if shading.get("w:val", "clear") in {"clear", "nil"} else "?"
    )
    behind = {"none": filled, "white": "FFFFFF"}.get(marked, "?")
    text, ground = (
        _rgb(properties.get("w:color", {}).get("w:val", "auto")),
        _rgb("FFFFFF" if behind == "auto" else behind),
    )
    return bool(text and ground) and all(
        abs(one - other) <= _ALIKE for one, other in zip(text, ground, strict=True)
    )


def _rgb(color: str) -> bytes:
    try:
        return bytes.fromhex(color) if len(color) == 6 else b""
    except ValueError:
        return b""


class Numbering(msgspec.Struct, frozen=True):
    """By which list a paragraph is numbered ("" or "0": by none), and on which of its levels
    from 0, None: not said.
    """

    list: str = ""
    level: int | None = None


class _Style(msgspec.Struct, frozen=True):
    based_on: str
    properties: Properties
    numbering: Numbering
    is_heading: bool
    colors_cells: bool


class Styles:
    """The styles of a document, by their ids, each with what it is based on."""

    def __init__(self, part: bytes) -> None:
        root = _root(part)
        self._styles = {style.get("w:styleId", ""): _style(style) for style in root.iter("w:style")}
        self._defaults = {
            tag: values
            for defaults in root.iter("w:rPrDefault")
            for tag, values in _children(defaults, "w:rPr")
        }
        self._usual = next(
            (
                style.get("w:styleId", "")
                for style in root.iter("w:style")
                if style.get("w:default") in {"1", "true"} and style.get("w:type") == "paragraph"
            ),
            "",
        )

    def properties(self, own: Properties, character: str, paragraph: str) -> Properties:
        """Return how a run looks that has its `own` properties and a style, in a paragraph with
        a style.
        """
        styles = [*self._chain(character), *self._chain(paragraph or self._usual)]
        return {
            **self._defaults,
            **{tag: value for style in reversed(styles) for tag, value in style.properties.items()},
            **own,
        }

    def is_heading(self, style: str) -> bool:
        """Tell whether paragraphs of a style are headings, as pandoc does."""
        return any(one.is_heading for one in self._chain(style))

    def numbering(self, style: str) -> Numbering:
        """Return how a style numbers its paragraphs."""
        found = [one.numbering for one in self._chain(style)]
        level = next((one.level for one in found if one.level is not None), None)
        return Numbering(next((one.list for one in found if one.list), ""), level)

    def colors_cells(self, style: str) -> bool:
        """Tell whether the style of a table colors some of its cells."""
        return any(one.colors_cells for one in self._chain(style))

    def _chain(self, name: str) -> Iterator[_Style]:
        for _ in range(_DEEPEST):
            style = self._styles.get(name)
            if style is None:
                return
            yield style
            name = style.based_on


def _style(element: "_Element") -> _Style:
    values = {tag: inner.get("w:val", "") for tag, inner in _all(element)}
    around = {tag: attributes for tag, attributes in _children(element, "w:pPr") if tag == "w:shd"}
    return _Style(
        values.get("w:basedOn", ""),
        {**around, **dict(_children(element, "w:rPr"))},
        Numbering(values.get("w:numId", ""), level_of(values.get("w:ilvl", ""))),
        values.get("w:name", "").lower().startswith("heading "),
        "w:shd" in values,
    )


def level_of(text: str) -> int | None:
    """Return the level of a list that an attribute names, from 0; None where it names none."""
    return min(int(text[:3]), _LEVELS - 1) if text.isdecimal() else None


def _whole(text: str) -> int:
    return int(text[:6]) if text.isdecimal() else 1


class _Level(msgspec.Struct, frozen=True):
    start: int = 1
    format: str = "decimal"
    text: str = ""
    restarts: bool = True
    legal: bool = False
    style: str = ""


class Counters:
    """Counts the numbered paragraphs of a document in their order, as Word does (ECMA-376 part
    1, 17.9).
    """

    def __init__(self, part: bytes) -> None:
        root = _root(part)
        abstract: dict[str, dict[int, _Level]] = {}
        linked: dict[str, str] = {}
        for element in root.iter("w:abstractNum"):
            name = element.get("w:abstractNumId", "")
            abstract[name] = dict(map(_level, element.iter("w:lvl")))
            for inner in element.iter("w:styleLink"):
                linked[inner.get("w:val", "")] = name
        for element in root.iter("w:abstractNum"):
            for inner in element.iter("w:numStyleLink"):
                abstract[element.get("w:abstractNumId", "")] = abstract.get(
                    linked.get(inner.get("w:val", ""), ""), {}
                )
        self._lists: dict[str, tuple[str, dict[int, _Level], dict[int, int]]] = {}
        for element in root.iter("w:num"):
            name = next((inner.get("w:val", "") for inner in element.iter("w:abstractNumId")), "")
            starts = {
                level_of(override.get("w:ilvl", "")) or 0: _whole(inner.get("w:val", "1"))
                for override in element.iter("w:lvlOverride")
                for inner in override.iter("w:startOverride")
            }
            levels = {**abstract.get(name, {}), **dict(map(_level, element.iter("w:lvl")))}
            self._lists[element.get("w:numId", "")] = (name, levels, starts)
        self._counts: dict[str, dict[int, int]] = {}

    def label(self, numbering: Numbering, style: str) -> str:
        """Count a paragraph and return what Word writes before it, "" for bullets and where it
        is not numbered.
        """
        if numbering.list not in self._lists:
            return ""
        name, levels, starts = self._lists[numbering.list]
        number = numbering.level
        if number is None:
            number = next((at for at, level in levels.items() if level.style == style), 0)
        counts = self._counts.setdefault(name, {})
        if number in starts:  # counts again where this list is first used
            counts[number] = starts.pop(number) - 1
        for at in range(number + 1):
            counts.setdefault(at, levels.get(at, _Level()).start - (at == number))
        counts[number] += 1
        for deeper in [at for at in counts if at > number and levels.get(at, _Level()).restarts]:
            del counts[deeper]
        level = levels.get(number, _Level())
        if level.format in {"bullet", "none"}:
            return ""
        text = level.text
        for at in range(number + 1):
            shown = "decimal" if level.legal else levels.get(at, _Level()).format
            text = text.replace(f"%{at + 1}", counted(counts[at], shown))
        return text.strip()


def _level(element: "_Element") -> tuple[int, _Level]:
    inner = dict(_all(element))
    values = {tag: one.get("w:val", "") for tag, one in inner.items()}
    return level_of(element.get("w:ilvl", "")) or 0, _Level(
        _whole(values.get("w:start", "1")),
        values.get("w:numFmt", "decimal"),
        values.get("w:lvlText", ""),
        values.get("w:lvlRestart") != "0",
        "w:isLgl" in values and values["w:isLgl"] not in _OFF,
        values.get("w:pStyle", ""),
    )


_CHINESE = "〇一二三四五六七八九"


def counted(number: int, form: str) -> str:
    """Return a number in one of Word's formats (17.18.59); in those that few use, as a decimal."""
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
        text = (
            (_CHINESE[tens] if tens > 1 else "")
            + ("十" if tens else "")
            + (_CHINESE[ones] if ones else "")
        )
    else:
        text = f"{number:02}" if form == "decimalZero" else str(number)
    return text.upper() if form.startswith("upper") else text


_Element: TypeAlias = ElementTree.Element


def _root(part: bytes) -> _Element:
    """Return the root of a part with names and attributes prefixed as Word does; an empty one
    for what is none.
    """
    root = root_of(part)
    for element in root.iter():
        element.tag = element.tag.replace(NAMESPACE, "w:")
        for name in [name for name in element.attrib if name.startswith(NAMESPACE)]:
            element.set(name.replace(NAMESPACE, "w:"), element.attrib.pop(name))
    return root


def _all(element: _Element) -> Iterator[tuple[str, _Element]]:
    return ((inner.tag, inner) for inner in element.iter())


def _children(element: _Element, tag: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    return ((inner.tag, dict(inner.attrib)) for found in element.findall(tag) for inner in found)
