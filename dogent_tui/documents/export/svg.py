"""Vector images without what reaches out of them: scripts, other files, addresses."""

import math
import re
from xml.etree import ElementTree

import msgspec

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"

_UNSAFE = frozenset({"script", "foreignObject", "iframe", "object", "embed", "audio", "video",
    "handler", "listener", "set",
                     "animate", "animateTransform", "animateMotion", "feImage"})  # fmt: skip
"""Elements that run, move, or show what is not a drawing. A printed page does not move anyway."""

_INLINE_IMAGE = re.compile(
    r"data:image/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/=\s]*", re.IGNORECASE
)
_URL = re.compile(r"url\((?!\s*['\"]?\s*#)[^)]*\)?", re.IGNORECASE)
_IMPORT = re.compile(r"@import[^;]*;?", re.IGNORECASE)

_MOST_ELEMENTS = 200_000
_LENGTH = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(px|pt|mm|cm|in)?\s*")
_PIXELS = {"": 1, "px": 1, "pt": 96 / 72, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96}
"""CSS pixels of a unit (CSS Values and Units 3, section 6)."""


class Drawing(msgspec.Struct, frozen=True):
    """An SVG file that shows nothing but itself, and its size in CSS pixels (0: it does not
    say).
    """

    data: bytes
    width: int = 0
    height: int = 0
    removed: int = 0


def clean_svg(content: bytes) -> Drawing | None:
    """Return the SVG `content` without what it must not have; None where it is no SVG, defines
    entities, or is far too large.
    """
    from defusedxml import ElementTree as SafeTree  # on use
    from defusedxml.common import DefusedXmlException

    try:
        tree = SafeTree.fromstring(content)
    except (ElementTree.ParseError, DefusedXmlException, ValueError, LookupError, RecursionError):
        return None
    if tree.tag not in {f"{{{_SVG}}}svg", "svg"} or sum(1 for _ in tree.iter()) > _MOST_ELEMENTS:
        return None
    removed = _clean(tree)
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    width, height = _size(tree)
    try:
        return Drawing(ElementTree.tostring(tree, encoding="utf-8"), width, height, removed)
    except (
        ValueError,
        RecursionError,
    ):  # two attributes that differ in their namespace's spelling only; nesting
        return None


def _clean(tree: ElementTree.Element) -> int:
    """Remove what is unsafe from `tree`, and return how much that was."""
    removed = 0
    waiting = [tree]
    while waiting:
        element = waiting.pop()
        removed += _clean_attributes(element)
        if _local(element.tag) == "style" and element.text:
            element.text, count = _clean_style(element.text)
            removed += count
        for child in list(element):
            if _local(child.tag) in _UNSAFE:
                element.remove(child)
                removed += 1
            else:
                waiting.append(child)
    return removed


def _clean_attributes(element: ElementTree.Element) -> int:
    removed = 0
    for name, value in list(element.attrib.items()):
        local = _local(name)
        if local.lower().startswith("on") or (
            local in {"href", "src"} and not _stays_inside(value)
        ):
            del element.attrib[name]
            removed += 1
        elif "(" in value or "\\" in value or "@" in value:
            element.attrib[name], count = _clean_style(value)
            removed += count
    return removed


def _clean_style(text: str) -> tuple[str, int]:
    text = text.replace(
        "\\", ""
    )  # escapes, by which both could be written so that nobody recognises them
    text, imports = _IMPORT.subn("", text)
    text, urls = _URL.subn("none", text)
    return text, imports + urls


def _stays_inside(address: str) -> bool:
    address = address.strip()
    return address.startswith("#") or _INLINE_IMAGE.fullmatch(address) is not None


def _local(name: object) -> str:
    """Return a name without its namespace; comments and processing instructions have none."""
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def _size(tree: ElementTree.Element) -> tuple[int, int]:
    """Return width and height in CSS pixels, from the attributes or else the view box."""
    measures = [_LENGTH.fullmatch(tree.get(name, "")) for name in ("width", "height")]
    if all(measures):
        width, height = (float(found[1]) * _PIXELS[found[2] or ""] for found in measures if found)
        return _pixels(width), _pixels(height)
    box = re.split(r"[\s,]+", tree.get("viewBox", "").strip())
    try:
        return _pixels(float(box[2])), _pixels(float(box[3]))
    except (IndexError, ValueError):
        return 0, 0


def _pixels(value: float) -> int:
    return round(value) if math.isfinite(value) and 0 < value < 100_000 else 0
