"""Converts footnotes of pages, whatever their form, to the roles of the digital publishing module
(DPUB-ARIA).
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from lxml import etree, html

from dogent_tui.documents.elements import is_within
from dogent_tui.documents.html.nodes import (
    TITLES,
    Element,
    classes,
    squeezed_text,
    take_out,
)

NOTES = "dogent-notes"
"""The id of the section at the end of the page for its notes."""
_NOTE_SIGN = re.compile(
    r"[\[(]?\s*(?:(?:note|n\.?|nb|注|註)?\s*\d{1,3}|[a-z]{1,2}|[*†‡§¶#✱]{1,4}|[ivx]{1,5}|[①-⑳]|[¹²³⁰⁴-⁹]{1,3})\s*[\])]?\.?",
    re.IGNORECASE,
)
_NOTE_ROLE = re.compile(
    r"noteref|footnote-?(?:ref|anchor|link)|fn-?ref|\breference\b|sdfootnoteanc", re.IGNORECASE
)
_MARGIN = re.compile(
    r"(?:^|\s)(?:side-?note|margin-?note|ltx_note_content|[\w-]*footnote__note)(?:\s|$)"
)
_PLACE = re.compile(r"foot-?note|end-?note|reference|\bnotes?\b", re.IGNORECASE)
"""Names of lists and sections of notes."""
_SIGN_OF_TEXT = re.compile(r"\s*([\[(]\d{1,3}[\])]|[*†‡§]{1,3}|\d{1,3}(?=[.、]|\s))")
_BACK = re.compile(
    r"^[\s↩↑⤴⏎^︎️\[\]().:*†‡§\d]*(?:back|jump"
    r" up|返回\w*|zurück|retour|return|top)?[\s↩↑⤴⏎^︎️\[\]().:]*$",
    re.IGNORECASE,
)
_LEADING_SIGN = re.compile(
    r"^\s*(?:[\[(［（]\s*(?:\d{1,3}|[a-z]|[*†‡§])\s*[\])］）]\.?|\d{1,3}[.)]|\d{1,3}\s*$|[¹²³⁰⁴-⁹]{1,3}|[*†‡§]{1,4}|[①-⑳]|\^)\s*"
)
_SIGNED = re.compile(
    r"(?:[^\W\d]{3}|[\u3040-\u9fff\uac00-\ud7a3]|[.,;:!?»”\"')\]。，；：！？」』）])\s?$"
)
_BACK_LINK = re.compile(r"back-?link|back-?ref|footnote-back")
_RAISED = "¹²³⁴⁵⁶⁷⁸⁹*†‡§¶"
_ENCLOSED = re.compile("[①-⑳]")
_LONGEST = 4000
_MAY_BE_NOTES = frozenset({"li", "p", "div", "dd", "aside", "td", "section", "tr", "dt"})
_HOLD_NOTES = frozenset({"ol", "ul", "section", "div", "aside", "dl", "footer", "details"})


def settle_notes(body: Element) -> None:
    """Convert each note and its references to the DPUB-ARIA roles."""
    order = {node: number for number, node in enumerate(body.iter())}
    pairs = [
        (sign, note)
        for sign, note in (*_linked_notes(body, order), *_unlinked_notes(body))
        if order[sign] < order[note]
    ]
    pairs += _margin_notes(body)
    found = {note for _, note in pairs}
    notes: dict[Element, str] = {}
    references = [
        (sign, notes.setdefault(note, f"dogent-note-{len(notes) + 1}"))
        for sign, note in pairs
        if found.isdisjoint(sign.iterancestors())  # a note that only a note refers to stays text
    ]
    if not references:
        return
    section = html.Element("section", role="doc-endnotes", id=NOTES)
    items = etree.SubElement(section, "ol")
    around = dict.fromkeys(note.getparent() for note in notes)
    signs = {
        name
        for sign, _ in references
        for name in (sign.get("id"), sign.get("name"), sign.getparent().get("id"))
        if name
    }
    for note, key in notes.items():
        items.append(_note_item(note, key, signs))
    for sign, key in references:
        _make_reference(sign, key)
    for holder in around:
        _take_out_emptied(holder)
    body.append(section)


def _linked_notes(body: Element, order: dict[Element, int]) -> Iterator[tuple[Element, Element]]:
    """Yield the links to notes, with the notes. `order` are all elements with their places."""
    places = {
        name: node
        for node in reversed(order)
        for name in (node.get("id"), node.get("name") if node.tag == "a" else None)
        if name
    }
    for link in body.iter("a"):
        place = places.get((link.get("href") or "").partition("#")[2])
        if place is None:
            continue
        if _refers(link) or (order[link] < order[place] and _answers(place, link)):
            note = _note_of(place)
            if note is not None and note not in link.iterancestors():
                yield link, note


def _unlinked_notes(body: Element) -> Iterator[tuple[Element, Element]]:
    """Yield raised marks that also begin a paragraph elsewhere, with those paragraphs."""
    signs: list[tuple[Element, str]] = []
    for sup in body.iter("sup"):
        parent, previous = sup.getparent(), sup.getprevious()
        if sup.find(".//a") is None and _NOTE_SIGN.fullmatch(_said(sup)):
            before = (parent.text if previous is None else previous.tail) or ""
            signs += [(sup, _said(sup).strip("[]() "))] if _SIGNED.search(before) else []
    begins: dict[str, Element] = {}
    for block in body.iter("p", "li", "div", "dd") if signs else ():
        if block.find(".//li") is None and (key := _begins_with(block)):
            begins.setdefault(key, block)
    yield from ((sup, begins[key]) for sup, key in signs if key in begins)


def _begins_with(block: Element) -> str:
    """Return the note mark that a block begins with, "" if there is none."""
    text = "".join(islice(block.itertext(), 9))
    first = block[0] if len(block) and not (block.text or "").strip() else None
    if first is not None and first.tag == "sup":
        said = _said(first)
        return said.strip("[]() ") if _NOTE_SIGN.fullmatch(said) else ""
    found = _SIGN_OF_TEXT.match(unicodedata.normalize("NFKC", _ENCLOSED.sub(_bracketed, text[:9])))
    if found is None:
        return ""
    around = " ".join(map(classes, [block, *islice(block.iterancestors(), 3)]))
    is_plain = found[1].isdecimal() and not _PLACE.search(around)
    return "" if is_plain else found[1].strip("[]() ")


def _bracketed(sign: re.Match[str]) -> str:
    return f"[{unicodedata.normalize('NFKC', sign[0])}]"


def _said(node: Element) -> str:
    """Return the text of a mark in its simplest characters."""
    return unicodedata.normalize("NFKC", squeezed_text(node))


def _margin_notes(body: Element) -> Iterator[tuple[Element, Element]]:
    """Yield notes that are inside their sentence and displayed next to it, each with a mark in its
    place.
    """
    for note in list(body.iter("span", "small")):
        if _MARGIN.search(note.get("class") or ""):
            place = next((one for one in note.iterancestors() if "ltx_note" in classes(one)), note)
            while (before := place.getprevious()) is not None and _is_toggle(before):
                take_out(before)
            sign = html.Element("a")
            note.addprevious(sign)
            yield sign, note


def _is_toggle(node: Element) -> bool:
    """Return whether an element only opens the note behind it."""
    said = _said(node)
    is_sign = not said or said == "⊕" or _NOTE_SIGN.fullmatch(said) is not None
    is_last = not (node.tail or "").strip()
    return is_last and (node.tag in {"label", "input"} or (node.tag == "sup" and is_sign))


def _refers(link: Element) -> bool:
    """Return whether `link` is a note mark."""
    said, parent = _said(link), link.getparent()
    own = filter(None, map(link.get, ("role", "epub:type", "class", "rel", "id")))
    named = " ".join([*own, classes(parent)])
    if not _NOTE_SIGN.fullmatch(said) or _BACK_LINK.search(named):
        return False
    is_raised = (
        squeezed_text(link)[0] in _RAISED or parent.tag == "sup" or link.find(".//sup") is not None
    )
    return is_raised or said.startswith(("[", "(")) or _NOTE_ROLE.search(named) is not None


def _answers(place: Element, link: Element) -> bool:
    """Return whether `link` is a mark whose target at `place` links back to it."""
    around = [link, *link.iterancestors("sup", "span")]
    names = {f"#{name}" for node in around for name in (node.get("id"), node.get("name")) if name}
    is_sign = _NOTE_SIGN.fullmatch(_said(link)) is not None
    return is_sign and any(back.get("href") in names for back in place.iter("a"))


def _note_of(place: Element) -> Element | None:
    """Return the block of the note at `place`, None if it is not a note."""
    blocks = (node for node in (place, *place.iterancestors()) if node.tag in _MAY_BE_NOTES)
    note: Element | None = next(blocks, None)
    if note is not None and note.tag == "dt":
        note = note.getnext()
        if note is not None and note.tag != "dd":
            return None
    if note is None or note.tag == "section" or is_within(note, "table"):
        return None
    return note if len(squeezed_text(note)) <= _LONGEST else None


def _note_item(note: Element, key: str, signs: set[str]) -> Element:
    """Return the note as an item of the list of notes, without the links back."""
    for link in list(note.iter("a")):
        _, is_inside, target = (link.get("href") or "").partition("#")
        back = "backlink" in f"{link.get('role')} {link.get('class')} {link.get('rev')}"
        if is_inside and (back or target in signs or _BACK.match(squeezed_text(link))):
            take_out(link)
    for node in list(note.iterdescendants("sup", "span")):
        words = squeezed_text(node).strip("[]")
        begins = node.getprevious() is None and not (node.getparent().text or "").strip()
        is_sign = node.tag == "sup" and begins and _NOTE_SIGN.fullmatch(words)
        is_empty = not words and not len(node)
        if is_empty or is_sign or "cite-backlink" in (node.get("class") or ""):
            take_out(node)
    holder = next((node for node in note.iter() if (node.text or "").strip()), note)
    holder.text = _LEADING_SIGN.sub("", holder.text or "")
    item = html.Element("li", id=key)
    item.text = note.text
    item.extend(list(note))
    term = note.getprevious()
    if note.tag == "dd" and term is not None and term.tag == "dt":
        take_out(term)
    take_out(note)
    return item


def _make_reference(link: Element, key: str) -> None:
    parent, link.tag, link.text = link.getparent(), "a", "*"
    link.set("role", "doc-noteref")
    link.set("href", f"#{key}")
    beside = f"{parent.text or ''}{link.tail or ''}".strip(" []()")
    if parent.tag in {"sup", "span"} and len(parent) == 1 and not beside:
        link.tail = ""
        take_out(parent, link)


def _take_out_emptied(node: Element | None) -> None:
    """Remove emptied containers of notes and their headings."""
    while node is not None and node.tag in _HOLD_NOTES:
        titles = "".join(squeezed_text(title) for title in node.iter(*TITLES, "summary"))
        if len(squeezed_text(node)) > len(titles) or node.find(".//img") is not None:
            return
        parent = node.getparent()
        take_out(node)
        node = parent
