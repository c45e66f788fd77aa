"""What pandoc does not tell of a docx, or does not do with it, done on the XML of its main part
(ECMA-376, part 1).

* Tracked changes and comments are counted, since pandoc drops them silently once they are accepted
  or rejected.
* Hidden text, simple fields and numbers of headings are made plain to it, in the notes too: see
  `Runs`.
* Text boxes come after the paragraph that they hang on: pandoc runs their words together with it,
  and drops their pictures.
* A document of hundreds of pages is cut at headings, as pandoc's memory and time grow faster than
  the document.
"""

import io
import posixpath
import re
import zipfile
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import msgspec

from dogent_tui.documents.pandoc.archive import scan_part
from dogent_tui.documents.pandoc.word_runs import Runs, after_tag
from dogent_tui.documents.pandoc.word_styles import Counters, Styles

_WHOLE_BYTES = 3 << 19
"""A main part up to this (1.5 MB) is converted at once: some 300 pages, 3 s and 300 MB."""
_PART_BYTES = 3 << 18
_MOST_REMARKS = 100
_RELATIONSHIPS = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_INSERTIONS, _DELETIONS = ("w:ins", "w:moveTo"), ("w:del", "w:moveFrom")


class Revisions(msgspec.Struct):
    """How many tracked changes and comments there are. A paragraph mark counts where nothing
    else changed in its paragraph.
    """

    insertions: int = 0
    deletions: int = 0
    comments: int = 0

    def counted(self) -> dict[str, int]:
        """Return what is not zero, for the metadata."""
        return {name: number for name, number in msgspec.structs.asdict(self).items() if number}


class DocxSource:
    """A docx, checked already, as what pandoc is to be given. Raises DocumentError (`damaged`,
    `hostile`).
    """

    def __init__(self, path: Path, *, with_media: bool) -> None:
        self._path = path
        self._with_media = with_media
        with zipfile.ZipFile(path) as archive:
            self._main = _main_part(archive)
            data = archive.read(self._main) if self._main in archive.namelist() else b""
            folder, names = posixpath.dirname(self._main), set(archive.namelist())

            def part(name: str) -> bytes:
                name = posixpath.join(folder, name)
                return archive.read(name) if name in names else b""

            styles, counters = Styles(part("styles.xml")), Counters(part("numbering.xml"))
            scan = _Scan(data, Runs(data, styles, counters))
            if data:
                scan_part(data, path.name, scan)
            self._others: dict[str, bytes] = {}
            for name in ("footnotes.xml", "endnotes.xml"):
                if notes := part(name):
                    scan_part(notes, path.name, runs := Runs(notes, styles, counters))
                    if runs.edits:
                        self._others[posixpath.join(folder, name)] = runs.edited(0, len(notes))
            self.revisions = Revisions(
                scan.insertions, scan.deletions, part("comments.xml").count(b"<w:comment ")
            )
            self.texts = {**_headers_and_footers(archive), **_remarks(part("comments.xml"))}
        self._data = data
        self._scan = scan
        self._editable = (
            b"<w:body" in data
        )  # neither in UTF-16, nor with other prefixes: both are allowed, and next to never seen

    @property
    def parts(self) -> int:
        """How many parts it is cut into."""
        return len(self._cuts()) + 1

    def documents(self) -> Iterator[bytes | Path]:
        """Yield what pandoc is to convert: the file itself, or documents made of it, in order."""
        scan, data = self._scan, self._data
        if not self._editable or (
            len(data) <= _WHOLE_BYTES and not scan.edits and not self._others
        ):
            yield self._path
            return
        cuts = self._cuts()
        edges = [scan.body_start, *cuts, scan.body_end]
        for start, end in pairwise(edges):
            yield self._made(
                data[: scan.body_start] + scan.edited(start, end) + data[scan.body_end :]
            )

    def _cuts(self) -> list[int]:
        """Return where to cut: before headings, as lists that go on over a cut would begin to
        count anew.
        """
        if not self._editable or len(self._data) <= _WHOLE_BYTES:
            return []
        cuts: list[int] = []
        last = self._scan.body_start
        for start, kind in self._scan.children:
            length = start - last
            if length >= _PART_BYTES and (
                kind == "heading" or (length >= 2 * _PART_BYTES and kind == "paragraph")
            ):
                cuts.append(start)
                last = start
        return cuts

    def _made(self, main: bytes) -> bytes:
        """Return the docx with another main part; without its media, of which pandoc needs the
        names alone.
        """
        made = io.BytesIO()
        with (
            zipfile.ZipFile(self._path) as archive,
            zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as out,
        ):
            for member in archive.infolist():
                if member.filename == self._main or member.filename in self._others:
                    out.writestr(member.filename, self._others.get(member.filename, main))
                elif self._with_media or "/media/" not in member.filename:
                    out.writestr(member.filename, archive.read(member))
                else:
                    out.writestr(member.filename, b"")
        return made.getvalue()


class _Scan:
    """Takes the elements of the main part, with the places where they begin and end in its
    bytes.
    """

    def __init__(self, data: bytes, runs: Runs) -> None:
        self.insertions = self.deletions = 0
        self.children: list[tuple[int, str]] = []
        """Where each child of the body begins, and whether it is a `heading`, a `paragraph` (of
        no list) or `other`.
        """
        self.body_start = self.body_end = 0
        self.edits, self.edited = runs.edits, runs.edited
        self._runs = runs
        self._data = data
        self._open: list[str] = []
        self._paragraphs: list[_Paragraph] = []
        self._box_start = 0
        self._boxes = 0
        self._alternatives: list[int] = []
        """How many text boxes there were before each `mc:AlternateContent` that is open."""
        self._fallback_start = 0

    def start(self, tag: str, attributes: dict[str, str], at: int) -> None:
        """An element begins at the byte `at`."""
        self._runs.start(tag, attributes, at)
        parent = self._open[-1] if self._open else ""
        if tag == "w:body":
            self.body_start = after_tag(self._data, at)
        elif parent == "w:body":
            self.children.append((at, "paragraph" if tag == "w:p" else "other"))
        if tag == "w:p":
            self._paragraphs.append(_Paragraph())
        elif tag in _INSERTIONS or tag in _DELETIONS:
            self._changed(tag, parent)
        elif tag in ("w:pStyle", "w:numPr", "w:outlineLvl"):
            self._styled(tag, attributes)
        elif tag == "w:txbxContent" and "mc:Fallback" not in self._open:
            self._box_start = after_tag(self._data, at)
            self._boxes += 1
        elif tag == "mc:AlternateContent":
            self._alternatives.append(self._boxes)
        elif tag == "mc:Fallback":
            self._fallback_start = at
        self._open.append(tag)

    def end(self, tag: str, at: int) -> None:
        """The end tag of an element begins at the byte `at`; of an empty one, its only tag does."""
        self._runs.end(tag, at)
        self._open.pop()
        if tag == "w:body":
            self.body_end = at
        elif tag == "w:p":
            self._end_paragraph(at)
        elif tag == "w:txbxContent" and self._box_start and "mc:Fallback" not in self._open:
            if self._paragraphs and at > self._box_start:
                self._paragraphs[-1].boxes.append(self.edited(self._box_start, at))
                self.edits.append((self._box_start, at, b""))
            self._box_start = 0
        elif tag == "mc:AlternateContent":
            self._alternatives.pop()
        elif tag == "mc:Fallback" and self._alternatives and self._boxes > self._alternatives[-1]:
            self.edits.append((self._fallback_start, after_tag(self._data, at), b""))

    def _changed(self, tag: str, parent: str) -> None:
        inserted = tag in _INSERTIONS
        if parent == "w:rPr" and self._paragraphs:
            self._paragraphs[-1].marks.add(inserted)
            return
        if self._paragraphs:
            self._paragraphs[-1].changed.add(inserted)
        self._count(inserted)

    def _count(self, inserted: bool) -> None:
        if inserted:
            self.insertions += 1
        else:
            self.deletions += 1

    def _styled(self, tag: str, attributes: dict[str, str]) -> None:
        if (
            not self.children
            or len(self._paragraphs) != 1
            or self._open[-3:-1] != ["w:body", "w:p"]
        ):
            return
        at, kind = self.children[-1]
        value = attributes.get("w:val", "").lower()
        if tag == "w:outlineLvl" or (
            tag == "w:pStyle"
            and (value.startswith(("heading", "title", "berschrift")) or value.isdigit())
        ):
            kind = "heading"
        elif kind == "paragraph" and (tag == "w:numPr" or "list" in value):
            kind = "other"
        self.children[-1] = (at, kind)

    def _end_paragraph(self, at: int) -> None:
        paragraph = self._paragraphs.pop()
        for inserted in paragraph.marks - paragraph.changed:
            self._count(inserted)
        if paragraph.boxes:
            after = after_tag(self._data, at)
            self.edits.append((after, after, b"".join(paragraph.boxes)))


class _Paragraph:
    """A paragraph that is open: the contents of its text boxes, and what changed in it (True:
    inserted).
    """

    def __init__(self) -> None:
        self.boxes: list[bytes] = []
        self.changed: set[bool] = set()
        self.marks: set[bool] = set()


def _main_part(archive: zipfile.ZipFile) -> str:
    """Return the name of the main part: other programs than Word name it differently."""
    try:
        for element in _elements(archive.read("_rels/.rels")):
            if element.tag == _RELATIONSHIPS and element.get("Type", "").endswith(
                "/officeDocument"
            ):
                return posixpath.normpath(element.get("Target", "")).lstrip("/")
    except LookupError:
        pass
    return "word/document.xml"


def _headers_and_footers(archive: zipfile.ZipFile) -> dict[str, list[str]]:
    """Return the words of the page headers and footers, which stand on each page and so in no
    place of the text.
    """
    found: dict[str, list[str]] = {}
    for kind in ("header", "footer"):
        names = [
            name
            for name in sorted(archive.namelist())
            if re.fullmatch(f"word/{kind}\\d*\\.xml", name)
        ]
        if unique := list(
            dict.fromkeys(filter(None, (_words(_elements(archive.read(name))) for name in names)))
        ):
            found[f"{kind}s"] = unique[:10]
    return found


def _remarks(part: bytes) -> dict[str, list[str]]:
    """Return who says what in the comments, which stand beside the text."""
    remarks = [
        f"{element.get(element.tag.replace('}comment', '}author'), '')}: {_words(element)}"
        for element in _elements(part)
        if element.tag.endswith("}comment")
    ]
    return {"comment_texts": remarks[:_MOST_REMARKS]} if remarks else {}


def _elements(part: bytes) -> Iterator[ElementTree.Element]:
    try:
        yield from ElementTree.fromstring(part).iter()  # noqa: S314 (checked: no entities)
    except (ElementTree.ParseError, LookupError):
        return


def _words(elements: Iterable[ElementTree.Element]) -> str:
    paragraphs = []
    for element in elements:
        if element.tag.endswith("}p"):
            words = "".join(
                inner.text or "" for inner in element.iter() if inner.tag.endswith("}t")
            )
            paragraphs.append(" ".join(words.split()))
    return " ".join(filter(None, paragraphs))[:300]
