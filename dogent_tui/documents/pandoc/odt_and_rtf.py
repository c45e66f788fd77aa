"""Prepares what pandoc would silently skip, misplace, or misinterpret in an odt (OpenDocument 1.3)
or rtf.
"""

import re
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

from lxml import etree

from dogent_tui.documents.pandoc.archive import parse_part, repacked, root_of
from dogent_tui.documents.pandoc.tree import HIDDEN, Node, plain, plain_text, walk
from dogent_tui.documents.pandoc.word_styles import chain, is_unseen
from dogent_tui.language import tr

_LONGEST = 64 << 20
"""The maximum size of a text in bytes; longer ones are more than pandoc can hold."""

_OBJECT = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}object"
"""An embedded object (OpenDocument 1.3 part 3, 10.4.6.2)."""
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_ADDRESS = "{http://www.w3.org/1999/xlink}href"
_MATHML = b"http://www.w3.org/1998/Math/MathML"

_HIDDEN_NOTE = re.compile(rb"\{\\\*\s*\\footnote(?![a-z])")
r"""A footnote marked as optional for readers without footnotes, as LibreOffice writes it. Pandoc
only reads ``{\footnote``.
"""
_HIDDEN_GROUP = re.compile(rb"\{([^{}]*?)\\v(?![a-z0-9])([^{}]*)\}")
_LINK = rb'{\\field{\\*\\fldinst{HYPERLINK "%s"}}{\\fldrslt{\1\2}}}' % HIDDEN.encode()
_TABLE_WORD = re.compile(rb"\\(trowd|row|cell)(?![a-z])")


def prepared_odt(path: Path, *, with_media: bool) -> tuple[bytes | Path, int]:
    """Return the odt at `path` prepared for pandoc, and its number of formulas.

    Its title becomes a heading, invisible text is put into links, and formulas (MathML objects) are
    addressed with a leading ``./``, as pandoc expects. If nothing has to change, the file itself is
    returned; otherwise a copy without its pictures, of which pandoc only needs the names, unless
    `with_media`.
    """
    formulas = 0
    with zipfile.ZipFile(path) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
        if sizes.get("content.xml", _LONGEST + 1) > _LONGEST:
            return path, formulas
        root = parse_part(archive.read("content.xml"), path.name)
        has_styles = sizes.get("styles.xml", _LONGEST) < _LONGEST
        styles = root_of(archive.read("styles.xml") if has_styles else b"")
        changed = _settle_text(root, [styles, root])
        for node in root.iter(_OBJECT):
            address = node.get(_ADDRESS, "")
            folder = address.removeprefix("./").rstrip("/")
            if folder and address != f"./{folder}":
                node.set(_ADDRESS, f"./{folder}")
                changed = True
            if f"{folder}/content.xml" in sizes:
                with archive.open(f"{folder}/content.xml") as file:
                    formulas += _MATHML in file.read(2_000)
    if not changed:
        return path, formulas
    content = {"content.xml": etree.tostring(root, encoding="UTF-8")}
    return repacked(path, content, emptied="" if with_media else "Pictures/"), formulas


def _settle_text(root: Any, parts: list[Any]) -> bool:
    """Turn the title below `root` into a heading, and put invisible text into links; return whether
    anything changed. The styles are in the trees `parts`.
    """
    styles = {
        style.get(f"{_STYLE}name"): style for part in parts for style in part.iter(f"{_STYLE}style")
    }

    @cache
    def look(name: str) -> tuple[bool, bool]:
        own = list(chain(styles, name, _parent_style))
        return _hides(own), "Title" in (name, *map(_parent_style, own))

    changed = False
    for node in root.iter(*(f"{_TEXT}{name}" for name in ("p", "h", "span"))):
        if not len(node) and not node.text:
            continue
        is_hidden, is_title = look(node.get(f"{_TEXT}style-name", ""))
        if is_hidden and all(each.get(_ADDRESS) != HIDDEN for each in node.iterancestors()):
            link = etree.Element(f"{_TEXT}a", {_ADDRESS: HIDDEN})
            link.text, node.text = node.text, None
            link.extend(list(node))
            node.append(link)
            changed = True
        elif is_title and node.tag == f"{_TEXT}p":
            node.tag = f"{_TEXT}h"
            node.attrib.clear()
            node.set(f"{_TEXT}outline-level", "1")
            changed = True
    return changed


def _parent_style(style: Any) -> str:
    return str(style.get(f"{_STYLE}parent-style-name", ""))


def _hides(styles: list[Any]) -> bool:
    """Return whether text with `styles`, the nearest first, is invisible."""
    look = {
        name.rpartition("}")[2]: value
        for style in reversed(styles)
        for properties in style.iter("{*}paragraph-properties", "{*}text-properties")
        for name, value in properties.items()
    }
    points = re.fullmatch(r"(\d*\.?\d+)(?:pt)?", look.get("font-size", ""))
    behind = look.get("background-color", "transparent").removeprefix("#")
    return look.get("display") == "none" or is_unseen(
        look.get("color", "").removeprefix("#"),
        "auto" if behind == "transparent" else behind,
        str(round(2 * float(points[1]))) if points else "",
    )


def settle_formulas(blocks: list[Node], count: int) -> str:
    """Make formulas within a line of text inline, and return a warning if not all of `count` are in
    `blocks`.
    """
    for node in walk(blocks):
        if node["t"] in ("Para", "Plain"):
            node["c"] = [one for one in node["c"] if one["t"] != "Math" or one["c"][1].strip()]
            said = [one for one in node["c"] if one["t"] not in ("Space", "SoftBreak")]
            formulas = [one for one in said if one["t"] == "Math"]
            count -= len(formulas)
            for formula in formulas if len(formulas) < len(said) else []:
                formula["c"][0]["t"] = "InlineMath"
    missing = tr("Formulas left out because they could not be read: {missing}.")
    return missing.format(missing=count) if count > 0 else ""


def lists_of_headings_opened(blocks: list[Node]) -> list[Node]:
    """Return the blocks of an odt with lists that only contain headings, which is how numbered
    headings are stored, replaced by these headings.

    The numbers are counted again by the levels of the headings, since each list counts separately.
    """
    counts: list[int] = []
    out: list[Node] = []
    for node in blocks:
        headings = _headings(node)
        for heading in headings if node["t"] == "OrderedList" else []:
            level = heading["c"][0]
            counts = [*counts, *[1] * (level - 1 - len(counts)), 0][:level]
            counts[-1] += 1
            number = ".".join(map(str, counts))
            if not plain_text(heading["c"][2]).startswith(number):
                heading["c"][2] = [plain(f"{number} "), *heading["c"][2]]
        out += headings or [node]
    return out


def _headings(node: Node) -> list[Node]:
    """Return the headings of a list that contains nothing else, empty for any other block."""
    if node["t"] not in {"BulletList", "OrderedList"}:
        return []
    items = node["c"] if node["t"] == "BulletList" else node["c"][1]
    found = [
        [inner] if inner["t"] == "Header" else _headings(inner) for item in items for inner in item
    ]
    return [heading for part in found for heading in part] if all(found) else []


def prepared_rtf(path: Path) -> bytes | Path:
    """Return the rtf at `path` prepared for pandoc: with footnotes recognized, lists in place,
    hidden text in links.
    """
    if path.stat().st_size > _LONGEST:
        return path
    data = path.read_bytes()
    mended = _tables_behind_lists(_HIDDEN_NOTE.sub(rb"{\\footnote", data))
    text = max(0, mended.find(rb"\pard"))
    mended = mended[:text] + _HIDDEN_GROUP.sub(_LINK, mended[text:])
    return path if mended == data else mended


def _tables_behind_lists(data: bytes) -> bytes:
    """Insert an empty paragraph between a list and a table: otherwise pandoc misplaces the list."""
    out, last, start = [], 0, 0
    before = b"row"
    for word in _TABLE_WORD.finditer(data):
        if word[1] == b"trowd" and before == b"row" and b"\\listtext" in data[last : word.start()]:
            out += [data[start : word.start()], rb"\pard\plain { }\par "]
            start = word.start()
        before, last = word[1], word.end()
    return b"".join([*out, data[start:]])
