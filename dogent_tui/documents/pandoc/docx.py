"""What pandoc does not report or handle in a docx, done on the XML of its main part (ECMA-376, part
1).

* Tracked changes and comments are counted, since pandoc drops them silently once they are accepted
  or rejected.
* Hidden text, simple fields and heading numbers are made explicit, in notes too: see `settle_runs`.
* Quotations and call-outs that are tables, and tables in items of lists: see `word_boxes`.
* Text boxes are moved after the paragraph they are anchored in: pandoc merges their words into it,
  and drops their pictures.
* A document of hundreds of pages is split at headings, as pandoc's memory and time grow faster than
  the document.
"""

import posixpath
import re
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from lxml import etree

from dogent_tui.documents.elements import move_after
from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.pandoc.archive import (
    parse_part,
    part_of,
    relations_of,
    repacked,
    root_of,
    serialized,
)
from dogent_tui.documents.pandoc.prepared import Prepared, told_comments
from dogent_tui.documents.pandoc.word_boxes import set_apart, with_contents
from dogent_tui.documents.pandoc.word_parts import insert_parts
from dogent_tui.documents.pandoc.word_runs import settle_runs
from dogent_tui.documents.pandoc.word_styles import Counters, Styles, value_at, w

_WHOLE_BYTES = 3 << 19
"""A main part up to this size (1.5 MB) is converted at once: about 300 pages, 3 s and 300 MB."""
_PART_BYTES = 3 << 18
_HEADING = re.compile(r"heading|title|berschrift|\d+$")


def prepared_docx(path: Path, options: ReadOptions) -> Prepared:
    """Return the checked docx at `path` prepared for pandoc. Its media are emptied, since pandoc
    only needs their names, unless they are wanted. Raises DocumentError (`damaged`, `hostile`).

    The metadata has the numbers of tracked changes and comments, if any, and text outside the body.
    """
    made: dict[str, bytes] = {}
    with zipfile.ZipFile(path) as archive:
        main_part = _main_part(archive)
        folder = posixpath.dirname(main_part)

        def beside(name: str) -> bytes:
            return part_of(archive, posixpath.join(folder, name))

        main, comments = beside(posixpath.basename(main_part)), beside("comments.xml")
        styles, counters = Styles(beside("styles.xml")), Counters(beside("numbering.xml"))
        root = parse_part(main or b"<none/>", path.name)
        metadata = _counts(root) | _headers_and_footers(archive) | _remarks(comments)
        inserted = insert_parts(root, archive, main_part)
        items = settle_runs(root, styles, counters, options.changes)
        for box in reversed(list(root.iter(w("txbxContent")))):
            for paragraph in islice(box.iterancestors(w("p")), 1):
                move_after(paragraph, list(box))
        for name in ("footnotes.xml", "endnotes.xml"):
            if notes := beside(name):
                notes_root = parse_part(notes, path.name)
                for note in notes_root:  # pandoc knows lists in cells only
                    row = etree.SubElement(etree.SubElement(note, w("tbl")), w("tr"))
                    etree.SubElement(row, w("tc")).extend(note[:-1])
                settle_runs(notes_root, styles, counters, options.changes)
                made[posixpath.join(folder, name)] = serialized(notes_root)
        added = {"numbering.xml": counters.part(), "styles.xml": styles.part()}
        made |= {posixpath.join(folder, name): part for name, part in added.items() if part}
    if {"insertions", "deletions"} & metadata.keys():
        metadata["changes"] = options.changes
    held = set_apart(root, styles, items)
    body = root.find(w("body"))
    groups = [] if body is None else _groups(body, len(main))

    def parts() -> Iterator[bytes | Path]:
        for group in groups:
            whole = etree.SubElement(root, root.tag)  # to leave the tree takes lxml quadratic time
            etree.SubElement(whole, body.tag).extend(with_contents(group, held))
            made[main_part] = serialized(whole)
            yield repacked(path, made, emptied="" if options.images_dir else "/media/")

    content = parts() if groups else [path]
    return Prepared(content, len(groups) or 1, metadata, inserted=inserted)


def _groups(body: Any, size: int) -> list[list[Any]]:
    """Split the children of the body into parts of `size` bytes to convert one by one. Parts begin
    with headings, because numbering would restart in a list that is split.
    """
    groups: list[list[Any]] = [[]]
    each = size / sum(1 for _ in body.iter())
    length = 0.0
    for child in body:
        is_late = length >= 2 * _PART_BYTES
        if size > _WHOLE_BYTES and length >= _PART_BYTES and _parts(child, is_late=is_late):
            groups.append([])
            length = 0
        groups[-1].append(child)
        length += each * sum(1 for _ in child.iter())
    return groups


def _parts(child: Any, *, is_late: bool) -> bool:
    """Return whether a part may begin with a child of the body: a heading, or if it is late, a
    paragraph outside lists.
    """
    style = value_at(child, "w:pPr/w:pStyle").lower()
    if child.find(f"{w('pPr')}/{w('outlineLvl')}") is not None or _HEADING.match(style):
        return True
    in_list = child.find(f"{w('pPr')}/{w('numPr')}") is not None or "list" in style
    return is_late and child.tag == w("p") and not in_list


def _counts(root: Any) -> dict[str, Any]:
    """Return the numbers of tracked changes, without zeros."""
    counts = {
        "insertions": _changes(root, "ins", "moveTo", "cellIns"),
        "deletions": _changes(root, "del", "moveFrom", "cellDel"),
    }
    return {name: count for name, count in counts.items() if count}


def _changes(root: Any, *names: str) -> int:
    """Count the tracked changes of a kind. A paragraph mark counts if nothing else changed in its
    paragraph.
    """
    found = root.iter(*map(w, names))
    changes = [(change, next(change.iterancestors(w("p")), None)) for change in found]
    of_marks = {p for change, p in changes if change.getparent().tag == w("rPr")}
    others = [p for change, p in changes if change.getparent().tag != w("rPr")]
    return len(others) + len(of_marks - set(others))


def _main_part(archive: zipfile.ZipFile) -> str:
    """Return the name of the main part, which differs between programs."""
    relations = relations_of("", lambda name: root_of(part_of(archive, name))).values()
    mains = (one.target for one in relations if one.kind == "officeDocument")
    return next(mains, "word/document.xml")


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


def _remarks(part: bytes) -> dict[str, Any]:
    """Return the authors and texts of comments, which are next to the body."""
    return told_comments(
        [
            f"{comment.get(comment.tag.replace('}comment', '}author'), '')}: {_words(comment)}"
            for comment in root_of(part).iter("{*}comment")
        ]
    )


def _words(element: Any) -> str:
    paragraphs = (
        " ".join("".join(map(_said, paragraph.iter("{*}t", "{*}textpath"))).split())
        for paragraph in element.iter("{*}p")
    )
    return " ".join(filter(None, paragraphs))[:300]


def _said(text: Any) -> str:
    """Return the words of a run, or of a drawing such as a watermark."""
    return text.get("string") or text.text or ""
