"""Foot notes of pages, in whatever form their author linked them, as the roles for digital
publications have them (DPUB-ARIA).
"""

import re

from lxml import etree, html

from dogent_tui.documents.html.nodes import Element, squeezed_text, take_out

NOTES = "dogent-notes"
"""The id of the section at the end of the page to which its notes go."""
_NOTE_SIGN = re.compile(
    r"[\[(]?\s*(?:(?:note|n\.?|nb|注|註)?\s*\d{1,3}|[a-z]{1,2}|[*†‡§¶#✱]{1,4}|[ivx]{1,5}|[①-⑳]|[¹²³⁰⁴-⁹]{1,3})\s*[\])]?\.?",
    re.IGNORECASE,
)
_NOTE_ROLE = re.compile(
    r"noteref|footnote-?(?:ref|anchor|link)|fn-?ref|\breference\b|sdfootnoteanc", re.IGNORECASE
)
_MARGIN = re.compile(r"(?:^|\s)(?:side-?note|margin-?note)(?:\s|$)")
_BACK = re.compile(
    r"^[\s↩↑⤴⏎^︎️\[\]().:*†‡§\d]*(?:back|jump"
    r" up|返回\w*|zurück|retour|return|top)?[\s↩↑⤴⏎^︎️\[\]().:]*$",
    re.IGNORECASE,
)
_LEADING_SIGN = re.compile(
    r"^\s*(?:[\[(]\s*(?:\d{1,3}|[a-z]|[*†‡§])\s*[\])]\.?|\d{1,3}[.)]|\d{1,3}\s*$|[¹²³⁰⁴-⁹]{1,3}|[*†‡§]{1,4}|[①-⑳]|\^)\s*"
)
_BACK_SIGN = re.compile(r"[\s↩↑⤴⏎︎️^]+$")


def settle_notes(body: Element) -> None:
    """Bring each note and what refers to it into the form of the roles for digital publications
    (DPUB-ARIA).
    """
    notes: dict[Element, str] = {}
    references: list[tuple[Element, str]] = []
    for sign, note in [*_linked_notes(body), *_unlinked_notes(body), *_margin_notes(body)]:
        references.append((sign, notes.setdefault(note, f"dogent-note-{len(notes) + 1}")))
    if not references:
        return
    section = html.Element("section", role="doc-endnotes", id=NOTES)
    items = etree.SubElement(section, "ol")
    around = [note.getparent() for note in notes]
    signs = {
        name
        for sign, _ in references
        for name in (sign.get("id"), sign.get("name"), sign.getparent().get("id"))
        if name
    }
    said = {key: squeezed_text(sign).strip("[]() ") for sign, key in reversed(references)}
    for note, key in notes.items():
        items.append(_note_item(note, key, signs, said[key]))
    for sign, key in references:
        _make_reference(sign, key)
    for holder in around:
        _take_out_emptied(holder)
    body.append(section)


def _linked_notes(body: Element) -> list[tuple[Element, Element]]:
    """Return the links that lead to notes, with the notes."""
    order = {node: number for number, node in enumerate(body.iter())}
    places = {
        name: node
        for node in reversed(order)
        for name in (node.get("id"), node.get("name") if node.tag == "a" else None)
        if name
    }
    found = []
    for link in body.iter("a"):
        place = places.get((link.get("href") or "").partition("#")[2])
        if (
            place is not None
            and order[link] < order[place]
            and _refers(link)
            and (note := _note_of(place, link)) is not None
        ):
            found.append((link, note))
    return found


def _unlinked_notes(body: Element) -> list[tuple[Element, Element]]:
    """Return raised signs that begin a paragraph somewhere below as well, with those paragraphs."""
    begins: dict[str, Element] = {}
    signs: list[tuple[Element, str]] = []
    for sup in body.iter("sup"):
        said, parent = squeezed_text(sup), sup.getparent()
        if sup.find(".//a") is not None or parent is None or not _NOTE_SIGN.fullmatch(said):
            continue
        before = (sup.getprevious().tail if sup.getprevious() is not None else parent.text) or ""
        if (
            parent.tag in {"p", "li", "div", "dd"}
            and sup.getprevious() is None
            and not before.strip()
        ):
            begins.setdefault(said, parent)
        elif re.search(r"(?:[^\W\d]{3}|[.,;:!?»”\"')\]。，；：！？」』）])\s?$", before):
            signs.append((sup, said))
    order = {node: number for number, node in enumerate(body.iter())}
    return [
        (sup, begins[said])
        for sup, said in signs
        if said in begins and order[sup] < order[begins[said]]
    ]


def _margin_notes(body: Element) -> list[tuple[Element, Element]]:
    """Return notes that stand within their sentence and are shown beside it, each with a sign at
    its place.
    """
    found = []
    for note in [
        node for node in body.iter("span", "small") if _MARGIN.search(node.get("class") or "")
    ]:
        sign = html.Element("a")
        note.addprevious(sign)
        found.append((sign, note))
    return found


def _refers(link: Element) -> bool:
    """Tell whether `link` is the sign of a note."""
    said, parent = squeezed_text(link), link.getparent()
    marked = " ".join(
        filter(
            None,
            (
                link.get("role"),
                link.get("epub:type"),
                link.get("class"),
                link.get("rel"),
                link.get("id"),
            ),
        )
    )
    around = (
        " ".join(filter(None, (parent.get("class"), parent.get("id"))))
        if parent is not None
        else ""
    )
    if not _NOTE_SIGN.fullmatch(said) or re.search(
        r"back-?link|back-?ref|footnote-back", f"{marked} {around}"
    ):
        return False
    raised = said[0] in "¹²³⁴⁵⁶⁷⁸⁹" or (
        parent is not None and (parent.tag == "sup" or link.find(".//sup") is not None)
    )
    return (
        raised or _NOTE_ROLE.search(f"{marked} {around}") is not None or said.startswith(("[", "("))
    )


def _note_of(place: Element, link: Element) -> Element | None:
    """Return the block that holds the note at `place`, None where it is no note."""
    note: Element | None = place
    while note is not None and note.tag not in {
        "li",
        "p",
        "div",
        "dd",
        "aside",
        "td",
        "section",
        "tr",
        "dt",
    }:
        note = note.getparent()
    if (
        note is None
        or note.tag in {"body", "section"}
        or next((node for node in note.iterancestors() if node.tag == "table"), None) is not None
    ):
        return None
    if note.tag == "dt":
        following = note.getnext()
        note = following if following is not None and following.tag == "dd" else None
    if note is None or len(squeezed_text(note)) > 4000 or note in set(link.iterancestors()):
        return None
    return note


def _note_item(note: Element, key: str, signs: set[str], said: str) -> Element:
    """Return the note as an item of the list of notes, without the links back."""
    item = html.Element("li", id=key)
    for link in list(note.iter("a")):
        target = (link.get("href") or "").partition("#")[2]
        back = "backlink" in f"{link.get('role')} {link.get('class')} {link.get('rev')}"
        if (link.get("href") or "").find("#") >= 0 and (
            back or _BACK.match(squeezed_text(link)) or target in signs
        ):
            take_out(link)
    for node in list(note.iter("sup", "span")):
        if not squeezed_text(node) and not len(node):
            take_out(node)
    for node in list(note.iter("span", "sup")):
        if "cite-backlink" in (node.get("class") or "") or (
            node.tag == "sup"
            and _NOTE_SIGN.fullmatch(squeezed_text(node))
            and node.getprevious() is None
            and not (node.getparent().text or "").strip()
        ):
            take_out(node)
    _strip_signs(note, said)
    parent = note.getparent()
    item.text = note.text
    item.extend(list(note))
    note.clear(keep_tail=True)
    if parent is not None:
        take_out(note)
    return item


def _strip_signs(note: Element, said: str) -> None:
    """Take the sign `said` from the beginning of a note, and arrows from its end."""
    holder = next((node for node in note.iter() if (node.text or "").strip()), note)
    holder.text = _LEADING_SIGN.sub("", holder.text or "")
    if said and re.match(rf"\s*{re.escape(said)}\s", holder.text):
        holder.text = holder.text.lstrip()[len(said) :].lstrip()
    last = [node for node in note.iter() if node.tail and node is not note]
    if last:
        last[-1].tail = _BACK_SIGN.sub("", last[-1].tail or "")
    elif note.text:
        note.text = _BACK_SIGN.sub("", note.text)


def _make_reference(link: Element, key: str) -> None:
    parent = link.getparent()
    tail = link.tail
    link.clear()
    link.tag = "a"
    link.set("role", "doc-noteref")
    link.set("href", f"#{key}")
    link.text, link.tail = "*", tail
    if (
        parent is not None
        and parent.tag in {"sup", "span"}
        and not (parent.text or "").strip(" []()")
        and not (tail or "").strip(" []()")
        and len(parent) == 1
    ):
        link.tail = ""
        take_out(parent, link)


def _take_out_emptied(node: Element | None) -> None:
    """Take out what held notes and holds none any more, with its heading."""
    while node is not None and node.tag in {
        "ol",
        "ul",
        "section",
        "div",
        "aside",
        "dl",
        "footer",
        "details",
    }:
        rest = [
            inner
            for inner in node.iterdescendants()
            if inner.tag not in {"h1", "h2", "h3", "h4", "h5", "h6", "hr"}
        ]
        titles = "".join(
            squeezed_text(inner)
            for inner in node.iter("h1", "h2", "h3", "h4", "h5", "h6", "summary")
        )
        if len(squeezed_text(node)) > len(titles) or any(inner.tag == "img" for inner in rest):
            return
        parent = node.getparent()
        take_out(node)
        node = parent
