"""Prepares what pandoc would silently skip, misplace, or misinterpret in an odt (OpenDocument
1.3).
"""

import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from lxml import etree

from dogent_tui.documents.elements import is_within, move_after, remove, replace, whole
from dogent_tui.documents.looks import MOST_CODE, is_monospaced, is_unseen
from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.pandoc.archive import parse_part, part_of, repacked, root_of
from dogent_tui.documents.pandoc.counting import Level, next_label
from dogent_tui.documents.pandoc.prepared import Prepared, told_comments
from dogent_tui.documents.pandoc.tree import (
    HIDDEN,
    NUMBERED,
    Node,
    drawn_from,
    plain_text,
    walk,
)
from dogent_tui.documents.pandoc.word_boxes import OPENS, PLACE
from dogent_tui.documents.pandoc.word_styles import chain

_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_OBJECT, _IMAGE = f"{_DRAW}object", f"{_DRAW}image"
"""An embedded object (OpenDocument 1.3 part 3, 10.4.6.2), and a picture."""
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_EXTENDED = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_PARAGRAPH, _HEADING = _PARAGRAPHS
_SPAN, _LIST, _ITEM = (f"{_TEXT}{name}" for name in ("span", "list", "list-item"))
_LIST_PARTS = (_LIST, _ITEM, f"{_TEXT}list-header")
_STYLE_NAME, _CONTINUES = f"{_TEXT}style-name", f"{_TEXT}continue-numbering"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_ROW, _CELL = f"{_TABLE}table-row", f"{_TABLE}table-cell"
_NOTE = f"{_TEXT}note-body"
_INSIDE = (_CELL, _NOTE)
_ADDED = "\U000f0c13"
"""The text of the cells of a row that is not in the document: a private-use character."""
_BLANKS = {f"{_TEXT}s": " ", f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n"}
_AROUND = tuple(f"{_TEXT}{name}" for name in ("index-body", "index-title", "numbered-paragraph"))
"""Elements with blocks that pandoc leaves out; the first is the content of an index."""
_BLOCKS = (*_PARAGRAPHS, _LIST, f"{_TABLE}table")
_READ = {
    "a", "h", "line-break", "list", "list-header", "list-item", "note", "note-body", "p", "s",
    "section", "span", "tab",
}  # fmt: skip
"""The text elements within paragraphs that pandoc knows; all others are replaced by their text."""
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_STYLE_OF_HEADING = re.compile(r"(?<!\S)(?:Title|Heading_20_([1-6]))(?!\S)")
"""The names of LibreOffice's styles, which some of its paragraphs have too."""
_ADDRESS = "{http://www.w3.org/1999/xlink}href"
_MATHML = b"http://www.w3.org/1998/Math/MathML"
_FORMS = {
    "1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
    "一": "chineseCountingThousand", "壹": "chineseLegalSimplified", "甲": "ideographTraditional",
    "①": "decimalEnclosedCircle", "１": "decimalFullWidth",
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
        root = parse_part(part_of(archive, "content.xml"), path.name)
        styles = root_of(part_of(archive, "styles.xml"))
        for node in root.iter(_OBJECT):
            folder = node.get(_ADDRESS, "").removeprefix("./").rstrip("/")
            node.set(_ADDRESS, f"./{folder}")
            with suppress(KeyError), archive.open(f"{folder}/content.xml") as file:
                formulas += _MATHML in file.read(2_000)
    comments = [_remark(node) for node in root.iter("{*}annotation")]
    for node in list(root.iter(*_AROUND)):
        around = node.getparent() if node.tag == _AROUND[0] else node
        replace(around, *node)
    for node in root.iter(f"{_EXTENDED}*"):  # a table in a shape
        node.tag = node.tag.replace(f"{_EXTENDED}table", f"{_TABLE}table")
    for tab in root.iterfind(f".//{_TEXT}a/{_TEXT}tab"):  # pandoc leaves it out
        tab.tag, tab.text = _SPAN, " "
    for frame in root.iter(f"{_DRAW}frame"):  # pandoc takes its text for that of its picture
        frame.text = frame.findtext("{*}desc") or frame.findtext("{*}title")
    _settle_fields(root)
    _place_boxes(root)
    _join_lists(root)
    _set_apart(root)
    _widen_tables(root)
    _settle_text(root, [styles, root])
    _number_headings(root, [styles, root])
    _settle_inside(root)
    made = {"content.xml": etree.tostring(root, encoding="UTF-8")}
    content = repacked(path, made, emptied="" if options.images_dir else "Pictures/")
    return Prepared([content], metadata=told_comments(comments), formulas=formulas)


def _remark(annotation: Any) -> str:
    author = annotation.findtext("{*}creator", "")
    words = (" ".join(paragraph.itertext()) for paragraph in annotation.iter(*_PARAGRAPHS))
    return f"{author}: {' '.join(words)}"


def _settle_fields(root: Any) -> None:
    for ruby in root.iter(f"{_TEXT}ruby-text"):
        ruby.text = f"({ruby.text or ''})"
    for section in root.iter(f"{_TEXT}section"):
        if section.get(f"{_TEXT}display", "true") != "true":
            for paragraph in section.iter(*_PARAGRAPHS):
                _hide(paragraph)
    for paragraph in root.iter(*_PARAGRAPHS):
        for node in paragraph.iter(f"{_TEXT}*", f"{_EXTENDED}*"):
            name = node.tag.removeprefix(_TEXT)
            is_hidden = node.get(f"{_TEXT}is-hidden") == "true"
            if name == "hidden-paragraph" and is_hidden:
                _hide(paragraph)
            elif name not in _READ:
                node.tag, said = _SPAN, node.get(f"{_TEXT}string-value")
                node.attrib.clear()
                if is_hidden:
                    node.text = node.text or said
                    _hide(node)


def _place_boxes(root: Any) -> None:
    """Move the contents of text boxes and shapes after their paragraphs."""
    for box in reversed(list(root.iter(f"{_DRAW}*"))):
        blocks = [child for child in box if child.tag in _BLOCKS]
        if not blocks:
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


def _join_lists(root: Any) -> None:
    """Join lists that continue the one before them: some programs write one for each item."""
    for each in list(root.iter(_LIST)):
        before = each.getprevious()
        if before is None or before.tag != _LIST or each.get(_CONTINUES) != "true":
            continue
        if each.get(_STYLE_NAME, "") in {"", before.get(_STYLE_NAME)}:
            _append(before, list(each))
            remove(each)


def _append(around: Any, items: list[Any]) -> None:
    """Append `items` to a list. One that only contains a list belongs to the last item."""
    for item in items:
        last = around[-1] if len(around) else None
        if last is None or [child.tag for child in item] != [_LIST]:
            around.append(item)
        elif len(last) and last[-1].tag == _LIST:
            _append(last[-1], list(item[0]))
        else:
            last.append(item[0])


def _set_apart(root: Any) -> None:
    """Move the tables in cells and notes, and the lists in notes, which pandoc leaves out, to the
    end of the document, from where `put_back` returns them.
    """
    body = root.find("{*}body/{*}text")
    for number, block in reversed([*enumerate(root.iter(f"{_TABLE}table", _LIST))]):
        if is_within(block, *_INSIDE) if block.tag != _LIST else block.getparent().tag == _NOTE:
            place, begin = etree.Element(_PARAGRAPH), etree.SubElement(body, _PARAGRAPH)
            place.text, begin.text = f"{PLACE}{number}:", f"{OPENS}{number}:"
            block.addprevious(place)
            body.append(block)


def _widen_tables(root: Any) -> None:
    """Append a row of single cells to each table without one: pandoc takes the greatest number of
    cells in a row for the number of columns, and leaves out what is behind them.
    """
    for table in root.iter(f"{_TABLE}table"):
        rows = [*table.iterchildren(_ROW), *table.iterfind(f"*/{_ROW}")]
        width = max(map(len, rows), default=0)
        if all(len(row.findall(_CELL)) < width for row in rows):
            row = etree.SubElement(table, _ROW)
            for _ in range(width if rows else 0):
                etree.SubElement(etree.SubElement(row, _CELL), _PARAGRAPH).text = _ADDED


def _settle_text(root: Any, parts: list[Any]) -> None:
    """Turn the title below `root`, and paragraphs that look like headings, into headings,
    paragraphs in a monospaced font into code, and put invisible text into links. The styles are in
    the trees `parts`.
    """
    styles = {
        style.get(f"{_STYLE}name"): style for part in parts for style in part.iter(f"{_STYLE}style")
    }

    @cache
    def look_of(name: str) -> dict[str, str]:
        own = list(chain(styles, name, _parent_style))
        look = {
            name.rpartition("}")[2]: value
            for style in reversed(own)
            for properties in style
            for name, value in properties.items()
        }
        names = " ".join((name, *map(_parent_style, own)))
        heading = _STYLE_OF_HEADING.search(names)
        return look | ({"level": heading[1] or "1"} if heading else {})

    def look(node: Any) -> dict[str, str]:
        return look_of(node.get(_STYLE_NAME) or node.get(f"{_TABLE}style-name") or "")

    for node in root.iter(*_PARAGRAPHS, _SPAN):
        if not len(node) and not node.text:
            continue
        if _hides(map(look, (node, *node.iterancestors()))):
            _hide(node)
        elif node.tag == _PARAGRAPH and (level := look(node).get("level")):
            node.tag = _HEADING
            node.attrib.clear()
            node.set(f"{_TEXT}outline-level", level)
            node.set(f"{_TEXT}is-list-header", "true")

    def is_typed(node: Any) -> bool:
        fonts = (look(each).get("font-name", "") for each in (node, *node.iterancestors()))
        return is_monospaced(next(filter(None, fonts), ""))

    _settle_code(root, is_typed)


def _parent_style(style: Any) -> str:
    return str(style.get(f"{_STYLE}parent-style-name", ""))


def _hides(looks: Iterable[dict[str, str]]) -> bool:
    """Return whether text is invisible. `looks` are its own and those around it."""
    own, *around = looks
    points = re.fullmatch(r"(\d*\.?\d+)(?:pt)?", own.get("font-size", ""))
    grounds = (look.get("background-color", "transparent") for look in (own, *around))
    behind = next((ground for ground in grounds if ground != "transparent"), "auto")
    return own.get("display") == "none" or is_unseen(
        own.get("color", "").removeprefix("#"),
        behind.removeprefix("#"),
        str(round(2 * float(points[1]))) if points else "",
    )


def _settle_code(root: Any, is_typed: Callable[[Any], bool]) -> None:
    """Join consecutive paragraphs of code to one that `flat` takes for a block of code. Whether the
    text of an element is monospaced tells `is_typed`.
    """

    def is_code(paragraph: Any) -> bool:
        said = [node for node in paragraph.iter(_PARAGRAPH, _SPAN) if (node.text or "").strip()]
        said += [
            node.getparent() for node in paragraph.iterdescendants() if (node.tail or "").strip()
        ]
        return bool(said) and not is_within(paragraph, _LIST, _CELL) and all(map(is_typed, said))

    codes = dict.fromkeys(filter(is_code, root.iter(_PARAGRAPH)))
    if sum(map(_letters, codes)) > MOST_CODE * _letters(root):
        return
    for first in codes:
        lines = [
            first,
            *takewhile(lambda node: node in codes or _is_empty(node), first.itersiblings()),
        ]
        code = "\n".join(map(_line, lines))
        for node in lines[1:]:
            remove(node)
        first[:] = []
        first.text = drawn_from("", "", code)["c"]


def _letters(node: Any) -> int:
    return sum(map(len, node.itertext()))


def _is_empty(node: Any) -> bool:
    return node.tag == _PARAGRAPH and not len(node) and not node.text


def _line(paragraph: Any) -> str:
    for node in paragraph.iter(*_BLANKS):
        node.text = _BLANKS[node.tag] * whole(node.get(f"{_TEXT}c", "")[:4], 1)
    return "".join(paragraph.itertext())


def _number_headings(root: Any, parts: list[Any]) -> None:
    """Write the numbers of headings before them: those of the outline, or of the lists that some
    programs put them in, and end these lists there.
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
    unnumbered = {
        style.get(f"{_STYLE}name")
        for style in parts[-1].iter(f"{_STYLE}style")
        if style.get(f"{_STYLE}list-style-name") == ""
    }
    unnamed = {at: Level(text=".".join(f"%{n + 1}" for n in range(at + 1))) for at in range(10)}
    counts: dict[str, dict[int, int]] = defaultdict(dict)
    for heading in list(root.iter(_HEADING)):
        around = list(heading.iterancestors(_LIST))
        at = min(_number(heading, "outline-level"), 10) - 1
        name = around[-1].get(_STYLE_NAME, "") if around else _HEADING
        levels = {**unnamed, **lists.get(name, {})} if around else outline
        is_plain = heading.get(_STYLE_NAME) in unnumbered
        is_plain = is_plain or heading.get(f"{_TEXT}is-list-header") == "true"
        if not is_plain and any(heading.itertext()):
            if heading.get(f"{_TEXT}restart-numbering") == "true":
                counts[name][at] = _number(heading, "start-value") - 1
            label = next_label(counts[name], levels, at)
            written = (label, f"{label.rstrip(' .')} ")
            if not label or not f"{heading.text or ''} ".startswith(written):
                heading.text = label + (heading.text or "")
        for part in takewhile(lambda one: one.tag in _LIST_PARTS, list(heading.iterancestors())):
            rest = etree.Element(part.tag, {**part.attrib, _CONTINUES: "true"})
            rest.extend(list(heading.itersiblings()))
            move_after(part, [heading, *([rest] if len(rest) else [])])
            if not len(part):
                remove(part)


def _settle_inside(root: Any) -> None:
    """Settle what pandoc leaves out, or numbers wrongly: headings in cells and notes, lists that
    continue inside an item below a text, and those that restart.
    """
    for heading in list(root.iter(_HEADING)):
        if is_within(heading, *_INSIDE):
            heading.tag = _PARAGRAPH
    for item in list(root.iter(_ITEM)):
        around = item.getparent()
        if around.get(_CONTINUES) == "true" and [child.tag for child in item] == [_LIST]:
            around.addprevious(item[0])
            remove(item)
        elif start := whole(item.get(f"{_TEXT}start-value", "")[:6]):
            if item.getprevious() is not None:
                again = etree.Element(_LIST, {_STYLE_NAME: around.get(_STYLE_NAME, "")})
                again.extend([item, *item.itersiblings()])
                around.addnext(again)
            for paragraph in item.findall(_PARAGRAPH)[:1]:
                paragraph.text = f"{NUMBERED}{start}{NUMBERED}{paragraph.text or ''}"


def _levels(style: Any) -> Any:
    """Yield the levels of a list or of the outline (19.880, 19.893), from 0."""
    for node in style.iter(f"{_TEXT}outline-level-style", f"{_TEXT}list-level-style-number"):
        at = _number(node, "level") - 1
        form = node.get(f"{_STYLE}num-format", "")
        first = at + 1 - min(at + 1, _number(node, "display-levels"))
        numbers = ".".join(f"%{number + 1}" for number in range(first, at + 1))
        before, after = (node.get(f"{_STYLE}num-{end}", "") for end in ("prefix", "suffix"))
        said = node.get(f"{_STYLE}num-list-format") or node.get(f"{_EXTENDED}num-list-format")
        numbers = re.sub(r"(%\d+)%", r"\1", said) if said else f"{before}{numbers}{after}"
        text = numbers if form else ""
        form = _FORMS.get(form[:1], "none")
        yield at, Level(form, text, start=_number(node, "start-value"))


def _number(node: Any, name: str) -> int:
    """Return the number in an attribute, 1 if it is missing."""
    return whole(node.get(f"{_TEXT}{name}", "")[:4], 1)


def settle_tree(blocks: list[Node]) -> int:
    """Make formulas within a line of text inline, and remove the rows that were added. Return the
    number of formulas.
    """
    count = 0
    for node in walk(blocks):
        if node["t"] == "Table":
            for body in node["c"][4]:
                body[3] = [row for row in body[3] if plain_text(row[1][:1]) != _ADDED]
        elif node["t"] in ("Para", "Plain"):
            node["c"] = [one for one in node["c"] if one["t"] != "Math" or one["c"][1].strip()]
            said = [one for one in node["c"] if one["t"] not in ("Space", "SoftBreak")]
            formulas = [one for one in said if one["t"] == "Math"]
            count += len(formulas)
            for formula in formulas if len(formulas) < len(said) else []:
                formula["c"][0]["t"] = "InlineMath"
    return count
