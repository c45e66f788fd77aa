"""What pandoc does not report or handle in a docx, done on the XML of its main part (ECMA-376, part
1).

* Tracked changes and comments are counted, since pandoc drops them silently once they are accepted
  or rejected.
* Hidden text, simple fields and heading numbers are made explicit, in notes too: see `settle_runs`.
* Text boxes are moved after the paragraph they are anchored in: pandoc merges their words into it,
  and drops their pictures.
* A document of hundreds of pages is split at headings, as pandoc's memory and time grow faster than
  the document.
"""

import contextlib
import posixpath
import re
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from lxml import etree

from dogent_tui.documents.pandoc.archive import parse_part, repacked, root_of
from dogent_tui.documents.pandoc.word_runs import settle_runs
from dogent_tui.documents.pandoc.word_styles import CODE, Counters, Styles, value_at, w

_WHOLE_BYTES = 3 << 19
"""A main part up to this size (1.5 MB) is converted at once: about 300 pages, 3 s and 300 MB."""
_PART_BYTES = 3 << 18
_MOST_REMARKS = 100
_RELATIONSHIPS = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_ALTERNATIVES, _FALLBACK = (
    f"{{http://schemas.openxmlformats.org/markup-compatibility/2006}}{name}"
    for name in ("AlternateContent", "Fallback")
)
_HEADING = re.compile(r"heading|title|berschrift|\d+$")


class DocxSource:
    """A checked docx prepared for pandoc. Raises DocumentError (`damaged`, `hostile`).

    `metadata` has the numbers of tracked changes and comments, if any, and text outside the body.
    """

    def __init__(self, path: Path, *, with_media: bool) -> None:
        self._path = path
        self._emptied = "" if with_media else "/media/"
        """Pandoc only needs the names of media that are not wanted."""
        self._made: dict[str, bytes] = {}
        """Name → the part for pandoc, replacing that in the file."""
        with zipfile.ZipFile(path) as archive:
            self._main = _main_part(archive)
            folder, names = posixpath.dirname(self._main), set(archive.namelist())

            def beside(name: str) -> bytes:
                name = posixpath.join(folder, name)
                return archive.read(name) if name in names else b""

            main, comments = beside(posixpath.basename(self._main)), beside("comments.xml")
            styles, counters = Styles(beside("styles.xml")), Counters(beside("numbering.xml"))
            self._root = parse_part(main or b"<none/>", path.name)
            counts = {
                "insertions": _changes(self._root, "ins", "moveTo"),
                "deletions": _changes(self._root, "del", "moveFrom"),
                "comments": comments.count(b"<w:comment "),
            }
            self.metadata: dict[str, Any] = {
                **{name: count for name, count in counts.items() if count},
                **_headers_and_footers(archive),
                **_remarks(comments),
            }
            has_boxes = _place_boxes(self._root)
            self._is_edited = settle_runs(self._root, styles, counters) or has_boxes
            for name in ("footnotes.xml", "endnotes.xml"):
                notes = beside(name)
                if notes and settle_runs(root := parse_part(notes, path.name), styles, counters):
                    self._made[posixpath.join(folder, name)] = _written(root)
            if not styles.code and self._is_changed and (look := beside("styles.xml")):
                self._made[posixpath.join(folder, "styles.xml")] = _with_code(look, path.name)
        self._body = self._root.find(w("body"))
        self._groups = [] if self._body is None else _groups(self._body, len(main))

    @property
    def _is_changed(self) -> bool:
        return self._is_edited or bool(self._made)

    @property
    def parts(self) -> int:
        """The number of parts it is split into."""
        return len(self._groups) or 1

    def documents(self) -> Iterator[bytes | Path]:
        """Yield the inputs for pandoc, in order: the file itself, or documents made from it."""
        if not self._groups or (self.parts == 1 and not self._is_changed):
            yield self._path
            return
        for group in self._groups:
            self._body[:] = group
            parts = {**self._made, self._main: _written(self._root)}
            yield repacked(self._path, parts, emptied=self._emptied)


def _written(root: Any) -> bytes:
    data: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, standalone=True)
    return data


def _with_code(part: bytes, name: str) -> bytes:
    """Return the styles of a document with a style for code added."""
    root = parse_part(part, name)
    style = etree.SubElement(root, w("style"), {w("type"): "paragraph", w("styleId"): CODE})
    etree.SubElement(style, w("name"), {w("val"): CODE})
    return _written(root)


def _groups(body: Any, size: int) -> list[list[Any]]:
    """Split the children of the body into parts of `size` bytes to convert one by one. Parts begin
    with headings, because numbering would restart in a list that is split.
    """
    groups: list[list[Any]] = [[]]
    each = size / sum(1 for _ in body.iter())
    length = 0.0
    for child in body:
        if size > _WHOLE_BYTES and length >= _PART_BYTES:
            kind = _kind(child)
            if kind == "heading" or (length >= 2 * _PART_BYTES and kind == "paragraph"):
                groups.append([])
                length = 0
        groups[-1].append(child)
        length += each * sum(1 for _ in child.iter())
    return groups


def _kind(child: Any) -> str:
    """Return whether a child of the body is a `heading`, a `paragraph` (outside lists) or
    `other`.
    """
    properties = child.find(w("pPr"))
    if child.tag != w("p") or properties is None:
        return "paragraph" if child.tag == w("p") else "other"
    style = value_at(properties, "w:pStyle").lower()
    if properties.find(w("outlineLvl")) is not None or _HEADING.match(style):
        return "heading"
    return "other" if properties.find(w("numPr")) is not None or "list" in style else "paragraph"


def _changes(root: Any, *names: str) -> int:
    """Count the tracked changes of a kind. A paragraph mark counts if nothing else changed in its
    paragraph.
    """
    found = root.iter(*map(w, names))
    changes = [(change, next(change.iterancestors(w("p")), None)) for change in found]
    of_marks = {p for change, p in changes if change.getparent().tag == w("rPr")}
    others = [p for change, p in changes if change.getparent().tag != w("rPr")]
    return len(others) + len(of_marks - set(others))


def _place_boxes(root: Any) -> bool:
    """Move the contents of text boxes after the paragraphs they are anchored in; return whether
    there are any.
    """
    boxes = [
        box
        for box in root.iter(w("txbxContent"))
        if next(box.iterancestors(_FALLBACK), None) is None
    ]
    for box in reversed(boxes):
        for choice in box.iterancestors(_ALTERNATIVES):
            for fallback in choice.findall(_FALLBACK):
                choice.remove(fallback)
        for paragraph in islice(box.iterancestors(w("p")), 1):
            for child in reversed(list(box)):
                paragraph.addnext(child)
    return bool(boxes)


def _main_part(archive: zipfile.ZipFile) -> str:
    """Return the name of the main part, which differs between programs."""
    with contextlib.suppress(KeyError):
        for element in root_of(archive.read("_rels/.rels")).iter(_RELATIONSHIPS):
            if element.get("Type", "").endswith("/officeDocument"):
                return posixpath.normpath(str(element.get("Target", ""))).lstrip("/")
    return "word/document.xml"


def _headers_and_footers(archive: zipfile.ZipFile) -> dict[str, list[str]]:
    """Return the text of page headers and footers, which is on every page and therefore not part of
    the body.
    """
    found: dict[str, list[str]] = {}
    for kind in ("header", "footer"):
        names = filter(re.compile(f"word/{kind}\\d*\\.xml").fullmatch, sorted(archive.namelist()))
        texts = (_words(root_of(archive.read(name))) for name in names)
        if unique := list(dict.fromkeys(filter(None, texts))):
            found[f"{kind}s"] = unique[:10]
    return found


def _remarks(part: bytes) -> dict[str, list[str]]:
    """Return the authors and texts of comments, which are next to the body."""
    remarks = [
        f"{comment.get(comment.tag.replace('}comment', '}author'), '')}: {_words(comment)}"
        for comment in root_of(part).iter("{*}comment")
    ]
    return {"comment_texts": remarks[:_MOST_REMARKS]} if remarks else {}


def _words(element: Any) -> str:
    paragraphs = (
        " ".join("".join(text.text or "" for text in paragraph.iter("{*}t")).split())
        for paragraph in element.iter("{*}p")
    )
    return " ".join(filter(None, paragraphs))[:300]
