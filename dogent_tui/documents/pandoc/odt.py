"""Prepares what pandoc would silently skip, misplace, or misinterpret in an odt (OpenDocument
1.3).
"""

import re
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

from lxml import etree

from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.pandoc.archive import parse_part, repacked, root_of
from dogent_tui.documents.pandoc.counting import Level, next_label
from dogent_tui.documents.pandoc.prepared import LONGEST, Prepared, move_after
from dogent_tui.documents.pandoc.tree import HIDDEN, Node, walk
from dogent_tui.documents.pandoc.word_styles import chain, is_unseen
from dogent_tui.language import tr

_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_OBJECT, _IMAGE = f"{_DRAW}object", f"{_DRAW}image"
"""An embedded object (OpenDocument 1.3 part 3, 10.4.6.2), and a picture."""
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_SPAN, _LIST, _HEADING = f"{_TEXT}span", f"{_TEXT}list", f"{_TEXT}h"
_BLOCKS = (*_PARAGRAPHS, _LIST, "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}table")
_READ = {
    "a", "bookmark", "bookmark-end", "bookmark-start", "change", "change-end", "change-start", "h",
    "line-break", "list", "list-header", "list-item", "note", "note-body", "note-citation", "p",
    "reference-mark", "reference-mark-end", "reference-mark-start", "s", "section",
    "soft-page-break", "span", "tab",
}  # fmt: skip
"""The text elements within paragraphs that pandoc knows; all others are replaced by their text."""
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_ADDRESS = "{http://www.w3.org/1999/xlink}href"
_MATHML = b"http://www.w3.org/1998/Math/MathML"
_FORMS = {
    "1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
    "一": "chineseCountingThousand", "壹": "chineseLegalSimplified", "甲": "ideographTraditional",
    "子": "ideographZodiac", "①": "decimalEnclosedCircle", "１": "decimalFullWidth",
    "А": "russianUpper", "а": "russianLower", "가": "ganada", "ア": "aiueo",
}  # fmt: skip
"""The number formats (20.322), by their first character, with Word's names."""


def prepared_odt(path: Path, options: ReadOptions) -> Prepared:
    """Return the checked odt at `path` prepared for pandoc.

    Its title becomes a heading, headings get their numbers, fields are replaced by their text,
    invisible text is put into links, text boxes follow their paragraphs, and formulas (MathML
    objects) are addressed with a leading ``./``, as pandoc expects. Its pictures are emptied, since
    pandoc only needs their names, unless they are wanted.
    """
    formulas = 0
    with zipfile.ZipFile(path) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
        if sizes.get("content.xml", LONGEST + 1) > LONGEST:
            return Prepared([path])
        root = parse_part(archive.read("content.xml"), path.name)
        has_styles = sizes.get("styles.xml", LONGEST) < LONGEST
        styles = root_of(archive.read("styles.xml") if has_styles else b"")
        for node in root.iter(_OBJECT):
            folder = node.get(_ADDRESS, "").removeprefix("./").rstrip("/")
            node.set(_ADDRESS, f"./{folder}")
            if f"{folder}/content.xml" in sizes:
                with archive.open(f"{folder}/content.xml") as file:
                    formulas += _MATHML in file.read(2_000)
    comments = [_remark(node) for node in root.iter("{*}annotation")]
    _settle_fields(root)
    _place_boxes(root)
    _settle_text(root, [styles, root])
    _number_headings(root, [styles, root])
    made = {"content.xml": etree.tostring(root, encoding="UTF-8")}
    content = repacked(path, made, emptied="" if options.images_dir else "Pictures/")
    about = {"comments": len(comments), "comment_texts": comments} if comments else {}
    return Prepared([content], metadata=about, formulas=formulas)


def _remark(annotation: Any) -> str:
    author = annotation.findtext("{*}creator", "")
    words = (" ".join(paragraph.itertext()) for paragraph in annotation.iter(*_PARAGRAPHS))
    return f"{author}: {' '.join(words)}"[:300]


def _settle_fields(root: Any) -> None:
    for ruby in root.iter(f"{_TEXT}ruby-text"):
        ruby.text = f"({ruby.text or ''})"
    for paragraph in root.iter(*_PARAGRAPHS):
        for node in paragraph.iter(f"{_TEXT}*"):
            name = node.tag.removeprefix(_TEXT)
            is_hidden = node.get(f"{_TEXT}is-hidden") == "true"
            if name == "hidden-paragraph" and is_hidden:
                _hide(paragraph)
            elif name not in _READ:
                node.tag = _SPAN
                node.attrib.clear()
                if is_hidden:
                    _hide(node)


def _place_boxes(root: Any) -> None:
    """Move the contents of text boxes and shapes after their paragraphs, except pictures with
    captions.
    """
    for box in reversed(list(root.iter(f"{_DRAW}*"))):
        blocks = [child for child in box if child.tag in _BLOCKS]
        if not blocks or next(box.iter(_IMAGE), None) is not None:
            continue
        frame = box.getparent() if box.tag == f"{_DRAW}text-box" else box
        around = next(box.iterancestors(*_PARAGRAPHS), frame)
        move_after(around, blocks)


def _hide(node: Any) -> None:
    """Put the text of `node` into a link to `HIDDEN`."""
    if all(each.get(_ADDRESS) != HIDDEN for each in node.iterancestors()):
        link = etree.Element(f"{_TEXT}a", {_ADDRESS: HIDDEN})
        link.text, node.text = node.text, None
        link.extend(list(node))
        node.append(link)


def _settle_text(root: Any, parts: list[Any]) -> None:
    """Turn the title below `root` into a heading, and put invisible text into links. The styles are
    in the trees `parts`.
    """
    styles = {
        style.get(f"{_STYLE}name"): style for part in parts for style in part.iter(f"{_STYLE}style")
    }

    @cache
    def look(name: str) -> tuple[bool, bool]:
        own = list(chain(styles, name, _parent_style))
        return _hides(own), "Title" in (name, *map(_parent_style, own))

    for section in root.iter(f"{_TEXT}section"):
        if section.get(f"{_TEXT}display", "true") != "true":
            for paragraph in section.iter(*_PARAGRAPHS):
                _hide(paragraph)
    for node in root.iter(*_PARAGRAPHS, _SPAN):
        if not len(node) and not node.text:
            continue
        is_hidden, is_title = look(node.get(f"{_TEXT}style-name", ""))
        if is_hidden:
            _hide(node)
        elif is_title and node.tag == f"{_TEXT}p":
            node.tag = _HEADING
            node.attrib.clear()
            node.set(f"{_TEXT}outline-level", "1")
            node.set(f"{_TEXT}is-list-header", "true")


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


def _number_headings(root: Any, parts: list[Any]) -> None:
    """Write the numbers of headings before them: those of the outline, or of the lists that some
    programs put them in. Lists that only contain headings are removed.
    """
    outline = {
        at: level
        for part in parts
        for style in part.iter(f"{_TEXT}outline-style")
        for at, level in _levels(style)
    }
    lists = {
        style.get(f"{_STYLE}name"): dict(_levels(style))
        for part in parts
        for style in part.iter(f"{_TEXT}list-style")
    }
    unnamed = {at: Level(text=".".join(f"%{n + 1}" for n in range(at + 1))) for at in range(10)}
    counts: dict[int, int] = {}
    for heading in list(root.iter(_HEADING)):
        around = list(heading.iterancestors(_LIST))
        at = min(_number(heading, "outline-level"), 10) - 1
        levels = outline
        if around:
            levels = {**unnamed, **lists.get(around[-1].get(f"{_TEXT}style-name"), {})}
        if heading.get(f"{_TEXT}is-list-header") != "true" and any(heading.itertext()):
            if heading.get(f"{_TEXT}restart-numbering") == "true":
                counts[at] = _number(heading, "start-value") - 1
            label = next_label(counts, levels, at)
            if not (heading.text or "").startswith(label.rstrip(" .")):
                heading.text = label + (heading.text or "")
    for each in list(root.iter(_LIST)):
        inside = [node for node in each.iter(*_BLOCKS) if node.tag != _LIST]
        if inside and all(node.tag == _HEADING for node in inside):
            move_after(each, inside)
            each.getparent().remove(each)


def _levels(style: Any) -> Any:
    """Yield the levels of a list or of the outline (19.880, 19.893), from 0."""
    for node in style.iter(f"{_TEXT}outline-level-style", f"{_TEXT}list-level-style-number"):
        at = _number(node, "level") - 1
        form = node.get(f"{_STYLE}num-format", "")
        first = at + 1 - min(at + 1, _number(node, "display-levels"))
        numbers = ".".join(f"%{number + 1}" for number in range(first, at + 1))
        before, after = (node.get(f"{_STYLE}num-{end}", "") for end in ("prefix", "suffix"))
        text = f"{before}{numbers}{after}" if form else ""
        form = _FORMS.get(form[:1], "none")
        yield at, Level(form, text, start=_number(node, "start-value"))


def _number(node: Any, name: str) -> int:
    """Return the number in an attribute, 1 if it is missing."""
    value = node.get(f"{_TEXT}{name}", "")
    return int(value[:4]) if value.isdecimal() else 1


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
