"""Makes explicit what pandoc omits or does not distinguish in a part of a docx.

* Invisible text becomes a link to `HIDDEN`, which `MarkdownWriter` removes and reports.
* A simple field becomes the runs of a complex one, since pandoc drops its result.
* Word's number of a heading is written before it.
* A paragraph in a monospaced font is code, unless most are.
* List paragraphs without a marker, which continue an item, begin with `CONTINUED`, by which
  `join_items` recognizes them.
"""

from typing import Any

from lxml import etree

from dogent_tui.documents.pandoc.tree import CONTINUED, HIDDEN
from dogent_tui.documents.pandoc.word_styles import CODE, Counters, Styles, value_at, w

_PARAGRAPH, _RUN, _TEXT = w("p"), w("r"), w("t")
_MOST_CODE = 0.8
"""The share of a text that may be code."""


def settle_runs(root: Any, styles: Styles, counters: Counters) -> bool:
    """Process the part with this `root`; return whether anything changed."""
    fields = list(root.iter(w("fldSimple")))
    for field in fields:
        _unfold(field)
    hidden = [
        run
        for paragraph in root.iter(_PARAGRAPH)
        for run in paragraph.iter(_RUN)
        if next(run.iter(_TEXT), None) is not None
        and next(run.iterancestors(_PARAGRAPH)) is paragraph  # not of a box inside it
        and styles.hides(run, paragraph)
    ]
    for run in hidden:
        link = etree.Element(w("hyperlink"), {w("anchor"): HIDDEN[1:]})
        run.addprevious(link)
        link.append(run)
    lists: dict[int, str] = {}
    labels = [_label(paragraph, styles, counters, lists) for paragraph in root.iter(_PARAGRAPH)]
    codes = [paragraph for paragraph in root.iter(_PARAGRAPH) if _is_code(paragraph, styles)]
    if sum(map(_letters, codes)) > _MOST_CODE * _letters(root):  # everything is monospaced
        codes = []
    for paragraph in codes:
        _restyle(paragraph, styles.code or CODE)
    return bool(fields or hidden or codes) or any(labels)


def _unfold(field: Any) -> None:
    begin, code, separate, end = (etree.Element(w("r")) for _ in range(4))
    for run, kind in ((begin, "begin"), (separate, "separate"), (end, "end")):
        etree.SubElement(run, w("fldChar"), {w("fldCharType"): kind})
    etree.SubElement(code, w("instrText")).text = field.get(w("instr"), "")
    shown, around = list(field), field.getparent()
    place = around.index(field)
    around[place : place + 1] = [begin, code, separate, *shown, end] if shown else []


def _is_code(paragraph: Any, styles: Styles) -> bool:
    """Return whether a paragraph is in a monospaced font. A character style indicates code within a
    sentence.
    """
    style = value_at(paragraph, "w:pPr/w:pStyle")
    runs = [run for run in paragraph.iter(_RUN) if run.find(_TEXT) is not None]
    return (
        bool(runs)
        and not styles.is_heading(style)
        and style != (styles.code or CODE)
        and not styles.numbering(paragraph)[0]
        and next(paragraph.iterancestors(w("tc")), None) is None
        and all(
            styles.is_typewritten(run, paragraph) and not value_at(run, "w:rPr/w:rStyle")
            for run in runs
        )
    )


def _letters(node: Any) -> int:
    return sum(len(text.text or "") for text in node.iter(_TEXT))


def _restyle(paragraph: Any, style: str) -> None:
    properties = paragraph.find(w("pPr"))
    if properties is None:
        paragraph.insert(0, properties := etree.Element(w("pPr")))
    for old in properties.findall(w("pStyle")):
        properties.remove(old)
    properties.insert(0, etree.Element(w("pStyle"), {w("val"): style}))


def _label(paragraph: Any, styles: Styles, counters: Counters, lists: dict[int, str]) -> bool:
    """Write Word's number before a heading, and count other numbered paragraphs too. `lists` are
    the open ones by level: a paragraph without a marker continues an item of one.
    """
    style = value_at(paragraph, "w:pPr/w:pStyle")
    name, level = styles.numbering(paragraph)
    at = level or 0
    own = paragraph.find(f"{w('pPr')}/{w('numPr')}/{w('numId')}")
    if own is not None and counters.is_unmarked(name, level):
        if at in lists:
            own.set(w("val"), lists[at])
            _begin(paragraph, CONTINUED)
        else:
            own.getparent().getparent().remove(own.getparent())
        return True
    for deeper in [each for each in lists if each >= at or not name]:
        del lists[deeper]
    if name:
        lists[at] = name
    label = counters.label(name, level, style)
    if not (label and styles.is_heading(style) and next(paragraph.iter(_TEXT), None) is not None):
        return False
    _begin(paragraph, f"{label} ")
    return True


def _begin(paragraph: Any, words: str) -> None:
    """Insert a run with `words` at the beginning of a paragraph."""
    run = etree.Element(_RUN)
    text = etree.SubElement(run, _TEXT)
    text.text = words
    text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    paragraph.insert(int(paragraph.find(w("pPr")) is not None), run)
