"""What a document says about itself: title, authors, dates."""

import re
import zipfile
from pathlib import Path
from typing import Any

from dogent_tui.documents.pandoc.archive import root_of
from dogent_tui.documents.pandoc.tree import plain_text

_NAMES = {
    "title": "title", "creator": "author", "initial-creator": "author", "subject": "subject",
    "description": "description", "keywords": "keywords", "keyword": "keywords",
    "language": "language", "created": "created", "creation-date": "created", "date": "date",
    "modified": "modified", "lastModifiedBy": "last_modified_by", "publisher": "publisher",
}  # fmt: skip
"""Names in Dublin Core, in OPC's core properties and in OpenDocument's → ours."""
_PARTS = ("docProps/core.xml", "meta.xml")
"""Not `docProps/app.xml`: its numbers of pages are those of whoever saved the file last, and
many programs write a constant.
"""
_MAX_CHARS = 500


def package_properties(path: Path) -> dict[str, Any]:
    """Return the properties in the parts of the zip-based document at `path`, checked already,
    that are there for them.
    """
    found: dict[str, Any] = {}
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        if slides := sum(bool(re.fullmatch(r"ppt/slides/slide\d+\.xml", name)) for name in names):
            found["slides"] = slides
        for part in _PARTS:
            if part in names:
                _collect(archive.read(part), found)
    return found


def _collect(part: bytes, found: dict[str, Any]) -> None:
    for element in root_of(part).iter("{*}*"):
        name = _NAMES.get(element.tag.rpartition("}")[2])
        text = " ".join((element.text or "").split())[:_MAX_CHARS]
        if name and text and name not in found:
            found[name] = text


def tree_properties(meta: dict[str, Any]) -> dict[str, Any]:
    """Return what pandoc found out by itself: the head of a web page, the package of a book, the
    styles of a title page.
    """
    found: dict[str, Any] = {}
    for name in (
        "title",
        "subtitle",
        "author",
        "creator",
        "date",
        "lang",
        "language",
        "publisher",
        "description",
    ):
        text = _text(meta.get(name))
        if text:
            found.setdefault(
                _NAMES.get(name, "language" if name == "lang" else name), text[:_MAX_CHARS]
            )
    return found


def _text(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    kind: str = value["t"]
    contents: Any = value.get("c")
    if kind == "MetaString":
        return str(contents)
    if kind == "MetaList":
        return ", ".join(filter(None, map(_text, contents)))
    if kind == "MetaMap":
        return _text(contents.get("text") or contents.get("name"))
    return plain_text(contents)
