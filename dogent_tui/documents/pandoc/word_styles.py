"""The styles and the numbering of a docx: which text is invisible, and Word's numbers of
headings.
"""

import re
from collections import ChainMap, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from lxml import etree

from dogent_tui.documents.elements import remove, whole
from dogent_tui.documents.looks import is_monospaced, is_unseen
from dogent_tui.documents.pandoc.archive import MAX_DEPTH, root_of
from dogent_tui.documents.pandoc.counting import NO_LEVEL, Level, next_label

NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PREFIXES = {"w": NAMESPACE.strip("{}")}
_OFF = {"0", "false", "off", "none"}
_DEEPEST = 20
"""The maximum length of a chain of styles based on each other."""
_LEVELS = 9
_NESTED = "000"
"""The end of the numbers of lists that are not in the document."""
_OUTLINE = "012345678"
_TITLES = {"title", "subtitle"}
CODE = "Source Code"
"""The name of the style whose paragraphs pandoc takes for code."""


def w(name: str) -> str:
    """Return lxml's name of an element or attribute of Word's."""
    return f"{NAMESPACE}{name}"


_VALUE, _RUN_PROPERTIES, _PARAGRAPH_PROPERTIES = w("val"), w("rPr"), w("pPr")
_UNKNOWN_SHADING = etree.Element(w("shd"))
"""The background of the text of a shape, or of a table or page with its own colors."""
_NOTHING = etree.Element("none")
"""In place of an element that is not there."""
_HIDDEN_ROW = "w:trPr/w:hidden"
_PLACES = tuple(map(w, ("tc", "tr", "tbl", "txbxContent", "document")))
"""What says something about the look of all text in it."""


def value_at(node: Any, path: str, default: str = "") -> str:
    """Return the value of the element at `path` (``w:pPr/w:pStyle``) below `node`."""
    found = node.find(path, _PREFIXES)
    return default if found is None else found.get(_VALUE, "")


def twips_at(node: Any, path: str, *names: str) -> int:
    """Return the first length of these `names` at `path` below `node`, 0 if there is none."""
    found = node.find(path, _PREFIXES)
    said = "" if found is None else next((v for n in names if (v := found.get(w(n)))), "")
    points, is_points, _ = said.partition("pt")  # of the strict format
    return whole(points.partition(".")[0]) * 20 if is_points else whole(said)


def add_number(properties: Any, name: str, at: int) -> None:
    """Put a paragraph with these properties on a level of the list `name`: the first one counts."""
    properties.insert(0, number := etree.Element(w("numPr")))
    etree.SubElement(number, w("ilvl"), {_VALUE: str(at)})
    etree.SubElement(number, w("numId"), {_VALUE: name})


def properties_of(node: Any) -> Any:
    """Return the properties of a paragraph, a row and the like, new ones if it has none."""
    if (found := node.find(f"{node.tag}Pr")) is None:
        node.insert(0, found := node.makeelement(f"{node.tag}Pr"))
    return found


def is_on(node: Any, path: str) -> bool:
    """Return whether the property at `path` below `node` is present and not switched off."""
    found = node.find(path, _PREFIXES)
    return found is not None and found.get(_VALUE, "1") not in _OFF


def chain(styles: Mapping[str, Any], name: str, parent: Callable[[Any], str]) -> Iterator[Any]:
    """Yield the style `name` and those that it is based on."""
    for _ in range(_DEEPEST):
        if (style := styles.get(name)) is None:
            return
        yield style
        name = parent(style)


class Place(NamedTuple):
    """What is behind text, and whether it is in a hidden row."""

    shading: Any = None
    is_hidden: bool = False


class ParagraphContext(NamedTuple):
    """What a paragraph says about the look of its runs, and the place that it is in."""

    style: str
    properties: dict[str, Any]
    place: Place


class Styles:
    """The styles of a document by id, each with what it is based on."""

    def __init__(self, part: bytes) -> None:
        self._root = root = root_of(part)
        self._styles = {style.get(w("styleId")): style for style in root.iter(w("style"))}
        doubles = set(root.iter(w("style"))) - set(self._styles.values())
        for style in doubles:  # between two with one id, pandoc follows a circle for ever
            remove(style)
        self._is_changed = bool(doubles)
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
        self._place = lru_cache(MAX_DEPTH)(self._place_in)
        self._numbering = cache(lambda style: _numbering_of([*self._chain(style)]))
        self.is_heading = cache(self._is_heading)
        """Whether paragraphs of a style are headings, by pandoc's rule."""
        self._ids: dict[str, str] = {
            value_at(one, "w:name").lower(): key for key, one in self._styles.items()
        }

    def id_of(self, name: str) -> str:
        """Return the id of the paragraph style `name`, which `part` defines if it is missing."""
        if name.lower() not in self._ids:
            self._ids[name.lower()] = name
            own = {w("type"): "paragraph", w("styleId"): name}
            style = etree.SubElement(self._root, w("style"), own)
            etree.SubElement(style, w("name"), {_VALUE: name})
            self._is_changed = True
        return self._ids[name.lower()]

    def part(self) -> bytes:
        """Return the styles part of the document, empty if it is as it was."""
        return etree.tostring(self._root) if self._is_changed else b""

    def around(self, paragraph: Any) -> ParagraphContext:
        """Return what `look` needs to know of a paragraph. Cheap in the order of the document."""
        properties = _children(paragraph.find(_PARAGRAPH_PROPERTIES))
        style = properties.get(w("pStyle"), _NOTHING).get(_VALUE, "")
        return ParagraphContext(style, properties, self._place(_place_of(paragraph)))

    def look(self, run: Any, around: ParagraphContext) -> Mapping[str, Any]:
        """Return how a run in a paragraph looks, by the names of properties."""
        own = _children(run.find(_RUN_PROPERTIES))
        character = own.get(w("rStyle"), _NOTHING).get(_VALUE, "")
        return ChainMap(own, around.properties, self._look(character, around.style))

    def _is_heading(self, style: str) -> bool:
        names = (value_at(one, "w:name") for one in self._chain(style))
        return any(name.lower().startswith("heading ") for name in names)

    def name_of(self, style: str) -> str:
        """Return the name of the style with this id, in lower case."""
        return value_at(self._styles.get(style, _NOTHING), "w:name").lower()

    def outline_level(self, paragraph: Any) -> int:
        """Return the level of a paragraph in Word's outline, from 1; 0 if it is not in it or is a
        title. An indented paragraph is a quotation, by pandoc's rule, unless its style sets a
        level.
        """
        chain = list(self._chain(value_at(paragraph, "w:pPr/w:pStyle")))
        if any(value_at(one, "w:name").lower() in _TITLES for one in chain):
            return 0
        own = [paragraph] if paragraph.find("w:pPr/w:ind", _PREFIXES) is None else []
        levels = (value_at(one, "w:pPr/w:outlineLvl") for one in (*own, *chain))
        level = next(filter(None, levels), "")
        return int(level) + 1 if level and level in _OUTLINE else 0

    def indent(self, paragraph: Any) -> int:
        """Return the indentation of a paragraph, in twips."""
        styles = self._chain(value_at(paragraph, "w:pPr/w:pStyle"))
        indents = (twips_at(one, "w:pPr/w:ind", "left", "start") for one in (paragraph, *styles))
        return next(filter(None, indents), 0)

    def numbering(self, paragraph: Any) -> tuple[str, int | None]:
        """Return the list that numbers a paragraph ("" or "0": none), and its level in it, from 0;
        None: not specified.
        """
        name, level = _numbering_of([paragraph])
        usual, usual_level = self._numbering(value_at(paragraph, "w:pPr/w:pStyle"))
        return name or usual, usual_level if level is None else level

    def _place_in(self, around: Any) -> Place:
        """Return the place of what is directly in one of `_PLACES`."""
        if around is None:
            return Place()
        place = self._place(_place_of(around))
        match around.tag.removeprefix(NAMESPACE):
            case "tc":
                own = around.find("w:tcPr/w:shd", _PREFIXES)
                return place if own is None else place._replace(shading=own)
            case "tr":
                return place._replace(is_hidden=place.is_hidden or is_on(around, _HIDDEN_ROW))
            case "tbl":
                chain = self._chain(value_at(around, "w:tblPr/w:tblStyle"))
                is_drawn = any(next(style.iter(w("shd")), None) is not None for style in chain)
            case "document":
                is_drawn = around.find(w("background")) is not None
            case _:
                is_drawn = True
        return place._replace(shading=_UNKNOWN_SHADING) if is_drawn else place

    def _look_of(self, character: str, paragraph: str) -> dict[str, Any]:
        styles = [*self._chain(character), *self._chain(paragraph or self._usual)]
        look = dict(self._defaults)
        for style in reversed(styles):
            look |= _children(style.find(_PARAGRAPH_PROPERTIES))
            look |= _children(style.find(_RUN_PROPERTIES))
        return look

    def _chain(self, name: str) -> Iterator[Any]:
        return chain(self._styles, name, lambda style: value_at(style, "w:basedOn"))


def hides(look: Mapping[str, Any], place: Place) -> bool:
    """Return whether text is invisible: hidden, tiny, or of the color of its background. On an
    unknown background it counts as visible.
    """

    def value(name: str, default: str) -> str:
        return str(look.get(w(name), _NOTHING).get(_VALUE, default))

    if place.is_hidden or (w("vanish") in look and value("vanish", "1") not in _OFF):
        return True
    shading = look.get(w("shd"), place.shading)
    filled = "auto" if shading is None else ""
    if shading is not None and shading.get(_VALUE, "clear") in {"clear", "nil"}:
        filled = shading.get(w("fill"), "")
    behind = {"none": filled, "white": "FFFFFF", "black": "000000"}.get(
        value("highlight", "none"), ""
    )
    return is_unseen(value("color", ""), behind, value("sz", ""))


def is_typewritten(look: Mapping[str, Any]) -> bool:
    """Return whether text is in a monospaced font."""
    font = look.get(w("rFonts"), _NOTHING).get(w("ascii"), "")
    return is_monospaced(font)


def _place_of(node: Any) -> Any:
    return next(node.iterancestors(*_PLACES), None)


def _children(properties: Any) -> dict[str, Any]:
    return {} if properties is None else {child.tag: child for child in properties}


def _level_of(text: str) -> int | None:
    """Return the list level in an attribute, from 0; None if it is missing."""
    return min(int(text[:3]), _LEVELS - 1) if text.isdecimal() else None


class Counters:
    """Counts the numbered paragraphs of a document in order, like Word (ECMA-376 part 1, 17.9)."""

    def __init__(self, part: bytes) -> None:
        self._root = root = root_of(part)
        abstract = {one.get(w("abstractNumId")): one for one in root.iter(w("abstractNum"))}
        linked = {value_at(one, "w:styleLink"): one for one in abstract.values()}
        self._lists: dict[str, tuple[str, dict[int, Level], dict[int, int]]] = {}
        for element in root.iter(w("num")):
            name = value_at(element, "w:abstractNumId")
            base = abstract.get(name, _NOTHING)
            if link := value_at(base, "w:numStyleLink"):
                base = linked.get(link, _NOTHING)
            levels = {
                _at(level): _level(level) for one in (base, element) for level in one.iter(w("lvl"))
            }
            starts = {
                _at(override): whole(value_at(override, "w:startOverride")[:6], 1)
                for override in element.iter(w("lvlOverride"))
                if override.find(w("startOverride")) is not None
            }
            self._lists[element.get(w("numId"), "")] = (name, levels, starts)
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        self._nested: dict[tuple[str, int], str] = {}

    def level(self, name: str, at: int) -> Level:
        """Return a level of a list. Paragraphs that continue an item are of one without a marker,
        as pandoc writes them.
        """
        return self._lists[name][1].get(at, NO_LEVEL) if name in self._lists else NO_LEVEL

    def nested(self, name: str, deeper: int) -> str:
        """Return a list like `name` whose levels are this much deeper: `part` defines it."""
        return self._nested.setdefault((name, deeper), f"{name}{deeper:02}{_NESTED}")

    def part(self) -> bytes:
        """Return the numbering part of the document with the lists that `nested` made, empty if
        there are none.
        """
        for (name, deeper), made in self._nested.items():
            list_ = etree.SubElement(self._root, w("num"), {w("numId"): made})
            etree.SubElement(list_, w("abstractNumId"), {w("val"): self._lists[name][0]})
            for at, level in self._lists[name][1].items():
                depth = {w("ilvl"): str(at + deeper)}
                override = etree.SubElement(list_, w("lvlOverride"), depth)
                written = etree.SubElement(override, w("lvl"), depth)
                for tag, value in {
                    "numFmt": level.form,
                    "lvlText": level.text.replace("%1", f"%{deeper + 1}"),
                }.items():
                    etree.SubElement(written, w(tag), {w("val"): value})
        return etree.tostring(self._root) if self._nested else b""

    def has_words(self, name: str, at: int, lists: Mapping[int, str]) -> bool:
        """Return whether the numbers at a level of a list contain more than its own and those of
        the open `lists` around it, such as “§ 5”, or “1.2” below a heading 1.
        """
        text = self.level(name, at).text
        for number in (at, *(above for above, around in lists.items() if around == name)):
            text = text.replace(f"%{number + 1}", "")
        return re.search(r"%|§|[^\W\d]", text) is not None

    def count(self, name: str, at: int) -> int:
        """Return the number of the latest paragraph at a level of a list."""
        return self._counts[self._lists[name][0]].get(at, 1)

    def label(self, name: str, at: int | None, style: str) -> str:
        """Count a paragraph with a style at a level `at` of the list `name`, and return Word's
        number for it: "" for bullets and if it is not numbered.
        """
        if name not in self._lists:
            return ""
        abstract, levels, starts = self._lists[name]
        if at is None:
            at = next((number for number, level in levels.items() if level.style == style), 0)
        counts = self._counts[abstract]
        if at in starts:  # restarts where this list is first used
            counts[at] = starts.pop(at) - 1
        return next_label(counts, levels, at)


def _numbering_of(found: Sequence[Any]) -> tuple[str, int | None]:
    """Return the list and the level that the first of a paragraph or its styles names."""
    lists = (value_at(one, "w:pPr/w:numPr/w:numId") for one in found)
    levels = (_level_of(value_at(one, "w:pPr/w:numPr/w:ilvl")) for one in found)
    return (
        next(filter(None, lists), ""),
        next((level for level in levels if level is not None), None),
    )


def _at(element: Any) -> int:
    return _level_of(element.get(w("ilvl"), "")) or 0


def _level(element: Any) -> Level:
    return Level(
        form=value_at(element, "w:numFmt", "decimal"),
        text=value_at(element, "w:lvlText"),
        start=whole(value_at(element, "w:start")[:6], 1),
        restarts=value_at(element, "w:lvlRestart") != "0",
        is_legal=is_on(element, "w:isLgl"),
        style=value_at(element, "w:pStyle"),
        space="" if value_at(element, "w:suff") == "nothing" else " ",
        indent=twips_at(element, "w:pPr/w:ind", "left", "start"),
    )
