"""Vector images without anything that reaches outside: scripts, other files, addresses."""

import re
from typing import Any

from lxml import etree

from dogent_tui.documents.export.lengths import points
from dogent_tui.documents.export.model import ExportImage
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.archive import parse_part

_SVG = "http://www.w3.org/2000/svg"

_UNSAFE = frozenset({
    "script", "foreignObject", "iframe", "object", "embed", "audio", "video", "handler", "listener",
    "set", "animate", "animateTransform", "animateMotion", "feImage",
})  # fmt: skip
"""Elements that run, animate, or embed something else. A printed page does not move anyway."""

_INSIDE = re.compile(
    r"\s*(?:#.*|data:image/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/=\s]*)",
    re.IGNORECASE | re.DOTALL,
)
_OUTSIDE = re.compile(r"(@import[^;]*;?)|url\((?!\s*['\"]?\s*#)[^)]*\)?", re.IGNORECASE)

_MOST_ELEMENTS = 200_000


def clean_svg(content: bytes) -> ExportImage | None:
    """Return the cleaned SVG `content`; None if it is not SVG, defines entities, or is far too
    large.
    """
    try:
        root = parse_part(content, "svg")
    except DocumentError:
        return None
    elements = list(root.iter("*"))
    if root.tag not in {f"{{{_SVG}}}svg", "svg"} or len(elements) > _MOST_ELEMENTS:
        return None
    removed = sum(map(_cleaned, elements))
    etree.strip_elements(root, *(f"{{*}}{name}" for name in _UNSAFE), with_tail=False)
    width, height = _size(root)
    data = etree.tostring(root, encoding="utf-8")
    return ExportImage(data, "svg", width, height, removed=removed)


def _cleaned(element: Any) -> int:
    """Remove the unsafe parts of an element, and return their number; 1 for the whole element."""
    if (name := etree.QName(element).localname) in _UNSAFE:
        return 1
    removed = 0
    if name == "style" and element.text:
        element.text, removed = _clean_style(element.text)
    for attribute, value in element.attrib.items():
        local = etree.QName(attribute).localname
        if local.lower().startswith("on") or (
            local in {"href", "src"} and not _INSIDE.fullmatch(value)
        ):
            del element.attrib[attribute]
            removed += 1
        elif re.search(r"[(@\\]", value):
            cleaned, count = _clean_style(value)
            element.set(attribute, cleaned)
            removed += count
    return removed


def _clean_style(text: str) -> tuple[str, int]:
    # escapes, with which anything could be disguised
    return _OUTSIDE.subn(lambda found: "" if found[1] else "none", text.replace("\\", ""))


def _size(root: Any) -> tuple[int, int]:
    """Return width and height in CSS pixels, from the attributes or the view box."""
    sizes = [points(root.get(name, "")) for name in ("width", "height")]
    if not all(sizes):
        sizes = [points(size) for size in re.split(r"[\s,]+", root.get("viewBox", "").strip())[2:]]
    width, height = (round(size / 0.75) for size in (*sizes, 0, 0)[:2])
    return width, height
