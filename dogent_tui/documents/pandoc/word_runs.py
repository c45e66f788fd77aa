"""What pandoc leaves out of a part of a docx, or gives as if it were plain, put so that it takes it
for what it is.

* Text that cannot be seen becomes a link to `HIDDEN`, which `MarkdownWriter` takes out and tells
  of.
* A simple field becomes the runs of a complex one, since pandoc drops what it shows with it.
* The number that Word counts before a heading is written before it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from dogent_tui.documents.pandoc.tree import HIDDEN
from dogent_tui.documents.pandoc.word_styles import (
    NAMESPACE,
    Counters,
    Numbering,
    Properties,
    Styles,
    is_unseen,
    level_of,
)

_PREFIXES = {"w": NAMESPACE.strip("{}")}
_UNKNOWN: Properties = {"w:shd": {}}
"""Of what is behind the text of a shape, or of a table with colors of its own."""


def w(name: str) -> str:
    """Return the name of an element or attribute of Word's as lxml has it."""
    return f"{NAMESPACE}{name}"


_PARAGRAPH, _RUN, _RUN_PROPERTIES, _TEXT = w("p"), w("r"), w("rPr"), w("t")
_TABLE, _CELL, _BOX = w("tbl"), w("tc"), w("txbxContent")


def value_at(node: Any, path: str) -> str:
    """Return the value of the element at `path` (``w:pPr/w:pStyle``) below `node`, "" for none."""
    found = node.find(path, _PREFIXES)
    return "" if found is None else found.get(w("val"), "")


def settle_runs(root: Any, styles: Styles, counters: Counters) -> bool:
    """Do this to the part of which `root` is the root; return whether there was anything to do."""
    fields = list(root.iter(w("fldSimple")))
    for field in fields:
        _unfold(field)
    hidden = [run for paragraph in root.iter(_PARAGRAPH) for run in _hidden(paragraph, styles)]
    for run in hidden:
        link = etree.Element(w("hyperlink"), {w("anchor"): HIDDEN[1:]})
        run.addprevious(link)
        link.append(run)
    labels = [_label(paragraph, styles, counters) for paragraph in root.iter(_PARAGRAPH)]
    return bool(fields or hidden) or any(labels)


def _unfold(field: Any) -> None:
    begin, code, separate, end = (etree.Element(w("r")) for _ in range(4))
    for run, kind in ((begin, "begin"), (separate, "separate"), (end, "end")):
        etree.SubElement(run, w("fldChar"), {w("fldCharType"): kind})
    etree.SubElement(code, w("instrText")).text = field.get(w("instr"), "")
    shown, around = list(field), field.getparent()
    place = around.index(field)
    around[place : place + 1] = [begin, code, separate, *shown, end] if shown else []


def _hidden(paragraph: Any, styles: Styles) -> Iterator[Any]:
    """Yield the runs of a paragraph that nobody sees."""
    style, shading = value_at(paragraph, "w:pPr/w:pStyle"), _shading(paragraph, "w:pPr/w:shd")
    for run in paragraph.iter(_RUN):
        found = run.find(_RUN_PROPERTIES)
        own = {_prefixed(each): _attributes(each) for each in (() if found is None else found)}
        character = own.get("w:rStyle", {}).get("w:val", "")
        look = styles.properties({**shading, **own}, character, style)
        own_text = (
            next(run.iter(_TEXT), None) is not None
            and next(run.iterancestors(_PARAGRAPH)) is paragraph  # and not of a box that is in it
        )
        if own_text and is_unseen({**_behind(run, styles), **look}):
            yield run


def _behind(run: Any, styles: Styles) -> Properties:
    """Return what is behind a run: the shading of the cell that it is in."""
    for around in run.iterancestors(_CELL, _TABLE, _BOX):
        if around.tag == _BOX:
            return _UNKNOWN
        if around.tag == _CELL and (shading := _shading(around, "w:tcPr/w:shd")):
            return shading
        if around.tag == _TABLE and styles.colors_cells(value_at(around, "w:tblPr/w:tblStyle")):
            return _UNKNOWN
    return {}


def _shading(node: Any, path: str) -> Properties:
    found = node.find(path, _PREFIXES)
    return {} if found is None else {"w:shd": _attributes(found)}


def _label(paragraph: Any, styles: Styles, counters: Counters) -> bool:
    """Write before a heading what Word counts there; count what is no heading too."""
    style = value_at(paragraph, "w:pPr/w:pStyle")
    by_style = styles.numbering(style)
    level = level_of(value_at(paragraph, "w:pPr/w:numPr/w:ilvl"))
    numbering = Numbering(
        value_at(paragraph, "w:pPr/w:numPr/w:numId") or by_style.list,
        by_style.level if level is None else level,
    )
    label = counters.label(numbering, style)
    if not (label and styles.is_heading(style) and next(paragraph.iter(w("t")), None) is not None):
        return False
    run = etree.Element(w("r"))
    etree.SubElement(run, w("t")).text = f"{label} "
    run[0].set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    paragraph.insert(int(paragraph.find(w("pPr")) is not None), run)
    return True


def _prefixed(node: Any) -> str:
    return str(node.tag).replace(NAMESPACE, "w:")


def _attributes(node: Any) -> Mapping[str, str]:
    return {name.replace(NAMESPACE, "w:"): value for name, value in node.items()}
