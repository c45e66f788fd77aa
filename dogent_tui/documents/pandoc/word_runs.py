"""Makes explicit what pandoc omits or does not distinguish in a part of a docx.

* Invisible text becomes a link to `HIDDEN`, which `MarkdownWriter` removes and reports.
* Fields are replaced by their results; only links stay fields.
* Elements that pandoc does not know are replaced by their contents.
* Word's number of a heading is written before it, and paragraphs of Word's outline are headings.
* A paragraph in a monospaced font is code, unless most are.
* List paragraphs without a marker, which continue an item, begin with `CONTINUED`, by which
  `join_items` recognizes them.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice, pairwise, takewhile
from typing import Any, NamedTuple

import msgspec
from lxml import etree

from dogent_tui.documents.elements import remove, replace, whole
from dogent_tui.documents.looks import MOST_CODE
from dogent_tui.documents.model import Changes
from dogent_tui.documents.pandoc.tree import CONTINUED, HIDDEN, NUMBERED
from dogent_tui.documents.pandoc.word_boxes import Item
from dogent_tui.documents.pandoc.word_styles import (
    CODE,
    NAMESPACE,
    Counters,
    Styles,
    add_number,
    hides,
    is_on,
    is_typewritten,
    properties_of,
    twips_at,
    value_at,
    w,
)

_PARAGRAPH, _RUN, _TEXT, _ROW, _CELL, _TABLE = map(w, ("p", "r", "t", "tr", "tc", "tbl"))
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FORMULA_TEXT, _LITERAL = f"{_MATH}t", f"{_MATH}lit"
_ALTERNATIVES, _CHOICE, _FALLBACK = (
    f"{{http://schemas.openxmlformats.org/markup-compatibility/2006}}{name}"
    for name in ("AlternateContent", "Choice", "Fallback")
)
_STYLED = w("rStyle")
_FIELD_PARTS = tuple(map(w, ("fldChar", "instrText", "delInstrText")))
_EQ = re.compile(r'\\\* *(?:"[^"]*"|\S+)|\\\w+ *-?\d*|([,;])|[()]')
"""What is not shown of a field with a formula, and the comma between its parts."""
_RULE = (
    f'<w:r xmlns:w="{NAMESPACE[1:-1]}"><w:pict><v:rect xmlns:v="urn:schemas-microsoft-com:vml"'
    ' xmlns:o="urn:schemas-microsoft-com:office:office" o:hr="t"/></w:pict></w:r>'
)
"""A rule that pandoc knows. Word makes an empty paragraph with a border of three typed dashes."""
_MOST_COLUMNS = 1000
_LONGEST_HEADING = 300
"""The number of letters from which a paragraph is considered to be in the outline by mistake."""
_DROPPED: dict[Changes, tuple[str, ...]] = {
    "accept": ("del", "moveFrom", "cellDel"),
    "reject": ("ins", "moveTo", "cellIns"),
    "all": (),
}
"""The tracked changes whose text is dropped, by the treatment of changes."""


def settle_runs(root: Any, styles: Styles, counters: Counters, changes: Changes) -> dict[Any, Item]:
    """Process the part with this `root`. `changes`: see `ReadOptions`. Return the tables that are
    part of an item of a list.
    """
    for node in list(root.iter(*_SETTLED)):
        _SETTLED[node.tag](node)
    _settle_fields(root)
    _settle_changes(root, changes)
    for row in root.iter(_ROW):
        _settle_row(row)
    lists: dict[Any, dict[int, str]] = defaultdict(dict)
    nests: dict[Any, list[_Open]] = defaultdict(list)
    items: dict[Any, Item] = {}
    codes: list[Any] = []
    for block in root.iter(_PARAGRAPH, _TABLE):
        room = next(block.iterancestors(_CELL), root)
        around = lists[room]
        if block.tag == _TABLE:
            _declare_columns(block)
            if item := _item(twips_at(block, "w:tblPr/w:tblInd", "w"), counters, around):
                items[block] = item
            continue
        is_typed = _settle_look(block, styles)
        _label(block, styles, counters, around)
        _nest(block, styles, counters, nests[room])
        if is_typed and (room is root or _is_only(room)) and _may_be_code(block, styles):
            codes.append(block)
    _mark_code(root, codes, styles)
    return items


def _settle_changes(root: Any, changes: Changes) -> None:
    """Remove what is dropped by the treatment of changes: pandoc would keep rows, cells, parts of
    formulas, text boxes, and the marks between paragraphs.
    """
    for node in list(root.iter(_ROW, _CELL)):
        if _is_dropped(node, "", changes):
            remove(node)
    for name in _DROPPED[changes]:
        for change in list(root.iter(w(name))):
            if not change.getparent().tag.endswith("Pr"):  # else it is about a mark
                remove(change)
    for paragraph in reversed(list(root.iter(_PARAGRAPH))):
        if _is_dropped(paragraph, "w:rPr/", changes):
            _join(paragraph, next(paragraph.itersiblings(_PARAGRAPH, _TABLE), None))


def _is_dropped(node: Any, place: str, changes: Changes) -> bool:
    """Return whether a row, a cell or a paragraph mark is dropped, by what is at a `place` in its
    properties.
    """
    return any(is_on(node, f"{node.tag}Pr/{place}w:{name}") for name in _DROPPED[changes])


def _join(paragraph: Any, following: Any) -> None:
    """Prepend a paragraph whose mark is dropped to the following one, with a space between words,
    as pandoc does. Before a table its text stays, which pandoc would move behind the table.
    """
    if following is not None and following.tag == _PARAGRAPH:
        at = int(following.find(w("pPr")) is not None)
        parts = [part for part in paragraph if part.tag != w("pPr")]
        last = "".join(text.text or "" for text in paragraph.iter(_TEXT))[-1:]
        following[at:at] = [*parts, *[_run(" ")] * (last.isascii() and last.isalnum())]
    elif next(paragraph.iter(_RUN, _FORMULA_TEXT), None) is not None:
        remove(properties_of(paragraph).find(w("rPr")))
        return
    remove(paragraph)


def _item(indent: int, counters: Counters, lists: dict[int, str]) -> Item | None:
    """Return the list and the level to whose text a table or paragraph has its `indent`; otherwise
    it ends the `lists`.
    """
    for at in sorted(lists, reverse=True):
        if 0 < counters.level(lists[at], at).indent <= indent:
            return lists[at], at
        del lists[at]
    return None


def _unwrap(node: Any) -> None:
    replace(node, *node)


def _settle_alternatives(node: Any) -> None:
    """Choose the alternative that Word shows if it contains text; pandoc handles pictures."""
    choice = node.find(_CHOICE)
    if choice is not None and next(choice.iter(_TEXT, _FORMULA_TEXT), None) is not None:
        for fallback in node.findall(_FALLBACK):
            node.remove(fallback)
        if next(choice.iter(w("drawing")), None) is None:
            replace(node, *choice)


def _settle_control(control: Any) -> None:
    """Replace a content control by what is in it, such as the cells of a row."""
    replace(control, *control.findall(f"{w('sdtContent')}/*"))


def _settle_ruby(ruby: Any) -> None:
    """Write the reading of ruby text in parentheses after it, as pandoc does for pages."""
    base, above = (ruby.findall(f"{w(name)}/{_RUN}/*") for name in ("rubyBase", "rt"))
    said = "".join(text.text or "" for text in above if text.tag == _TEXT)
    replace(ruby, *(part for part in base if part.tag != w("rPr")), _text(f"({said})"))


def _settle_change(change: Any) -> None:
    """Complete a tracked change: pandoc leaves out the text of one without an id or an author."""
    for name in ("id", "author"):
        change.set(w(name), change.get(w(name), "0"))


def _settle_end(end: Any) -> None:
    end.tag = w("br")


def _settle_word_art(path: Any) -> None:
    """Write the words along a path, as older versions of Word draw them, after their picture."""
    for run in islice(path.iterancestors(_RUN), 1):
        run.addnext(_run(path.get("string", "")))


def _unfold(field: Any) -> None:
    """Write a simple field as the runs of a complex one."""
    parts = [etree.Element(_RUN) for _ in range(4)]
    for run, kind in zip(parts, ("begin", "", "separate", "end"), strict=True):
        if kind:
            etree.SubElement(run, w("fldChar"), {w("fldCharType"): kind})
        else:
            etree.SubElement(run, w("instrText")).text = field.get(w("instr"), "")
    replace(field, *parts[:3], *field, parts[3])


def _settle_border(border: Any) -> None:
    """Make a rule of an empty paragraph with a border on one side: on more, it is a frame."""
    drawn = [side for side in border if side.get(w("val")) not in {"nil", "none"}]
    for paragraph in border.iterancestors(_PARAGRAPH) if len(drawn) == 1 else ():
        if next(paragraph.iter(_RUN, _FORMULA_TEXT), None) is None:
            paragraph[:] = [etree.fromstring(_RULE)]
    remove(border)  # pandoc makes a rule of any other


def _settle_position(position: Any) -> None:
    """Make a superscript or subscript of text that is far off the line for its size, as LibreOffice
    writes those of pages.
    """
    rise, size = position.get(w("val"), ""), whole(value_at(position.getparent(), "w:sz"))
    if 0 < size < 4 * whole(rise.removeprefix("-")):
        position.tag = w("vertAlign")
        position.set(w("val"), "subscript" if rise.startswith("-") else "superscript")


def _settle_form_field(begin: Any) -> None:
    """Write what a form field without a run of text shows before it: a check box, or the choice."""
    box, choices = (begin.find(f".//{w(name)}") for name in ("checkBox", "ddList"))
    if box is not None:
        name = "default" if box.find(w("checked")) is None else "checked"
        begin.addprevious(_text("☒" if is_on(box, f"w:{name}") else "☐"))
    elif choices is not None:
        entries = [entry.get(w("val"), "") for entry in choices.iter(w("listEntry"))]
        chosen = value_at(choices, "w:result", value_at(choices, "w:default", "0"))
        begin.addprevious(_text("".join(entries[whole(chosen, len(entries)) :][:1])))


_SETTLED: dict[str, Callable[[Any], None]] = {
    **dict.fromkeys(map(w, ("customXml", "smartTag", "dir", "bdo")), _unwrap),
    **dict.fromkeys(map(w, ("ins", "del", "moveFrom", "moveTo")), _settle_change),
    _ALTERNATIVES: _settle_alternatives,
    _LITERAL: remove,  # by which pandoc takes a bracket for words
    w("fldSimple"): _unfold,
    w("fldChar"): _settle_form_field,
    w("ruby"): _settle_ruby,
    w("cr"): _settle_end,
    "{urn:schemas-microsoft-com:vml}textpath": _settle_word_art,
    w("pBdr"): _settle_border,
    w("position"): _settle_position,
    w("sdt"): _settle_control,
}
"""How elements become what pandoc knows, by their names."""


class _Field(msgspec.Struct):
    parts: list[Any] = []
    code: list[str] = []
    is_shown: bool = False


def _settle_fields(root: Any) -> None:
    """Replace each field except links with its result: pandoc knows few of them, and loses others
    with the surrounding text.
    """
    fields: list[_Field] = []
    hiding: _Field | None = None  # the outermost whose result has not begun
    for node in [child for run in root.iter(_RUN) for child in run]:
        if node.tag not in _FIELD_PARTS:
            if hiding and node.tag != w("rPr"):
                hiding.parts.append(node)
            continue
        kind = node.get(w("fldCharType"), "")
        if kind == "begin":
            fields.append(_Field())
            hiding = hiding or fields[-1]
        if not fields:
            continue
        field = fields[-1]
        field.parts.append(node)
        field.code.append(node.text or "")
        field.is_shown |= kind == "separate"
        if field is hiding and kind in {"separate", "end"}:
            hiding = None
        if kind == "end":
            _settle_field(fields.pop(), node, is_hidden=hiding is not None)


def _settle_field(field: _Field, end: Any, *, is_hidden: bool) -> None:
    code = "".join(field.code)
    if not field.is_shown and not is_hidden and (words := _shown_by(code)):
        end.addprevious(_text(words))
    is_link = field.is_shown and code.split()[:1] == ["HYPERLINK"]
    if not is_link or is_hidden:
        for part in field.parts:
            remove(part)


def _shown_by(code: str) -> str:
    """Return what a field without a result shows: an old formula, an enclosed character, or the
    words of a button.
    """
    kind, *words = code.split(maxsplit=2) or [""]
    if kind.upper() == "EQ":
        between = "/" if "\\f" in code.lower() else ""
        return _EQ.sub(lambda found: between if found[1] else "", " ".join(words)).strip()
    return words[-1] if kind.upper().endswith("BUTTON") and len(words) > 1 else ""


def _settle_row(row: Any) -> None:
    """Add the empty cells that a row skips at its start."""
    cells = row.findall(_CELL)
    for _ in range(whole(value_at(row, "w:trPr/w:gridBefore")[:2]) if cells else 0):
        cell = etree.Element(_CELL)
        etree.SubElement(cell, _PARAGRAPH)
        cells[0].addprevious(cell)


def _declare_columns(table: Any) -> None:
    """Declare all columns of a table: pandoc leaves out the cells behind the declared ones."""
    spans = (
        [whole(value_at(cell, "w:tcPr/w:gridSpan")[:3], 1) for cell in row.findall(_CELL)]
        for row in table.findall(_ROW)
    )
    grid = table.find(w("tblGrid"))
    grid = etree.SubElement(table, w("tblGrid")) if grid is None else grid
    declared = sum(w("w") in column.attrib for column in grid)
    for _ in range(min(max(map(sum, spans), default=0), _MOST_COLUMNS) - declared):
        etree.SubElement(grid, w("gridCol"), {w("w"): "1"})


def _settle_look(paragraph: Any, styles: Styles) -> bool:
    """Put the invisible text of a paragraph into links. An entirely invisible one is no heading or
    list item. Return whether all of its text is in a monospaced font.
    """
    around = styles.around(paragraph)
    runs = {
        run: styles.look(run, around)
        for run in paragraph.iter(_RUN)
        if run.find(_TEXT) is not None
        and next(run.iterancestors(_PARAGRAPH)) is paragraph  # not of a box inside it
    }
    hidden = [run for run, look in runs.items() if hides(look, around.place)]
    properties = paragraph.find(w("pPr"))
    if hidden and len(hidden) == len(runs) and properties is not None:
        paragraph.remove(properties)
    for run in hidden:
        link = etree.Element(w("hyperlink"), {w("anchor"): HIDDEN[1:]})
        run.addprevious(link)
        link.append(run)
    # a character style indicates code within a sentence, unless the whole paragraph is set like it
    return bool(runs) and all(
        is_typewritten(look)
        and (_STYLED not in look or is_typewritten(styles.look(etree.Element(_RUN), around)))
        for look in runs.values()
    )


def _may_be_code(paragraph: Any, styles: Styles) -> bool:
    style = value_at(paragraph, "w:pPr/w:pStyle")
    is_other = styles.is_heading(style) or styles.name_of(style) == CODE.lower()
    return not is_other and not styles.numbering(paragraph)[0]


def _mark_code(root: Any, codes: list[Any], styles: Styles) -> None:
    if sum(map(_letters, codes)) <= MOST_CODE * _letters(root):  # otherwise all is monospaced
        for paragraph in _with_empty_lines(codes):
            _restyle(paragraph, styles.id_of(CODE))
        for box in {paragraph.getparent() for paragraph in codes}:
            for table in islice(box.iterancestors(_TABLE), int(box.tag == _CELL)):
                replace(table, *box.iterchildren(_PARAGRAPH, _TABLE))


def _is_only(cell: Any) -> bool:
    """Return whether a table has one cell: with code, it is a frame around it."""
    return all(
        [*islice(part.getparent().iterchildren(part.tag), 2)] == [part]
        for part in (cell, cell.getparent())
    )


def _with_empty_lines(codes: list[Any]) -> Iterator[Any]:
    """Yield paragraphs of code and the empty ones between them."""
    for paragraph, following in pairwise([*codes, None]):
        yield paragraph
        empty = [*takewhile(_is_empty, paragraph.itersiblings())]
        if empty and empty[-1].getnext() is following:
            yield from empty


def _is_empty(node: Any) -> bool:
    return node.tag == _PARAGRAPH and node.find(_RUN) is None


def _letters(node: Any) -> int:
    return sum(len(text.text or "") for text in node.iter(_TEXT))


def _restyle(paragraph: Any, style: str) -> None:
    properties_of(paragraph).insert(0, etree.Element(w("pStyle"), {w("val"): style}))


def _label(paragraph: Any, styles: Styles, counters: Counters, lists: dict[int, str]) -> None:
    """Write Word's number before a heading, and before a paragraph whose number is more than that
    of an item. `lists` are the open ones by level: a paragraph without a marker continues an item
    of one.
    """
    style = value_at(paragraph, "w:pPr/w:pStyle")
    name, level = styles.numbering(paragraph)
    at = level or 0
    own = paragraph.find(f"{w('pPr')}/{w('numPr')}/{w('numId')}")
    marker = counters.level(name, at)
    if own is not None and marker.form == "bullet" and not marker.text.strip():
        if at in lists:
            own.set(w("val"), lists[at])
            _begin(paragraph, CONTINUED)
        else:
            remove(own.getparent())
        return
    if name in {"", "0"} and _letters(paragraph) and not styles.is_heading(style):
        indent = styles.indent(paragraph)
        if (item := _item(indent, counters, lists)) and counters.level(*item).indent == indent:
            add_number(properties_of(paragraph), *item)
            _begin(paragraph, CONTINUED)
            return
    for deeper in [each for each in lists if each >= at]:
        del lists[deeper]
    label = counters.label(name, level, style)
    is_heading = styles.is_heading(style)
    may_be = not is_heading and 0 < _letters(paragraph) <= _LONGEST_HEADING
    if outline := styles.outline_level(paragraph) if may_be else 0:
        _restyle(paragraph, styles.id_of(f"heading {outline}"))
        is_heading = True
    if not is_heading:
        _number(paragraph, (name, at), label, counters, lists)
    elif label and next(paragraph.iter(_TEXT), None) is not None:
        _begin(paragraph, label)


def _number(
    paragraph: Any, item: Item, label: str, counters: Counters, lists: dict[int, str]
) -> None:
    name, at = item
    if label and (counters.has_words(name, at, lists) or _is_alone(paragraph)):
        remove(properties_of(paragraph))
        _begin(paragraph, label)
    elif name:
        lists[at] = name
        if label:
            _begin(paragraph, f"{NUMBERED}{counters.count(name, at)}{NUMBERED}")


def _is_alone(paragraph: Any) -> bool:
    """Return whether a paragraph is all of its cell, such as a number in a column of them."""
    room = paragraph.getparent()
    is_cell = room.tag == _CELL and not _is_only(room)
    return is_cell and len(room.findall(_PARAGRAPH)) == 1


class _Open(NamedTuple):
    """The level of a list that may contain another: its indentation in twips, and its depth."""

    name: str
    at: int
    indent: int
    depth: int


def _nest(paragraph: Any, styles: Styles, counters: Counters, opened: list[_Open]) -> None:
    """Put an item below the one of another list that it is indented further than: the lists of
    Word's styles, such as List Bullet 2, have one level each. `opened` are those around it.
    """
    name, level = styles.numbering(paragraph)
    at = level or 0
    indent = counters.level(name, at).indent
    if not indent or styles.is_heading(value_at(paragraph, "w:pPr/w:pStyle")):
        if indent or _letters(paragraph):
            opened.clear()
        return
    while opened and (
        opened[-1].at >= at if opened[-1].name == name else opened[-1].indent >= indent
    ):
        opened.pop()
    depth = at
    if opened:
        around = opened[-1]
        same = around.name == name
        depth = max(at, around.depth + (at - around.at if same else 1))
    opened.append(_Open(name, at, indent, depth))
    if depth > at:
        add_number(properties_of(paragraph), counters.nested(name, depth - at), depth)


def _begin(paragraph: Any, words: str) -> None:
    """Insert a run with `words` at the beginning of a paragraph."""
    paragraph.insert(int(paragraph.find(w("pPr")) is not None), _run(words))


def _run(words: str) -> Any:
    run = etree.Element(_RUN)
    run.append(_text(words))
    return run


def _text(words: str) -> Any:
    text = etree.Element(_TEXT, {"{http://www.w3.org/XML/1998/namespace}space": "preserve"})
    text.text = words
    return text
