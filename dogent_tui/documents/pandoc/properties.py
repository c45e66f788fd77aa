"""A document's own metadata: title, authors, dates."""

import re
import zipfile
from pathlib import Path
from typing import Any

from dogent_tui.documents.pandoc.archive import part_of, root_of
from dogent_tui.documents.pandoc.tree import plain_text

_NAMES = {
    "title": "title", "subtitle": "subtitle", "author": "author", "creator": "author",
    "initial-creator": "author", "subject": "subject", "description": "description",
    "keywords": "keywords", "keyword": "keywords", "language": "language", "lang": "language",
    "created": "created", "creation-date": "created", "date": "date", "modified": "modified",
    "lastModifiedBy": "last_modified_by", "publisher": "publisher",
}  # fmt: skip
"""Names in Dublin Core, OPC's core properties, OpenDocument and pandoc → ours."""
_PARTS = ("docProps/core.xml", "meta.xml")
"""Not `docProps/app.xml`: its page counts are those of whoever saved the file last, and many
programs write a constant.
"""
_MAX_CHARS = 500


def package_properties(path: Path) -> dict[str, Any]:
    """Return the metadata in the designated parts of the checked zip-based document at `path`."""
    found: dict[str, Any] = {}
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if slides := sum(bool(re.fullmatch(r"ppt/slides/slide\d+\.xml", name)) for name in names):
            found["slides"] = slides
        for part in _PARTS:
            root = root_of(part_of(archive, part))
            for element in root.iter("{*}*"):
                name = _NAMES.get(element.tag.rpartition("}")[2])
                text = " ".join((element.text or "").split())[:_MAX_CHARS]
                if name and text:
                    found.setdefault(name, text)
    return found


def tree_properties(meta: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata found by pandoc: from the head of a web page, the package of a book, the
    styles of a title page.
    """
    found: dict[str, Any] = {}
    for name, value in meta.items():
        each = value["c"] if value["t"] == "MetaList" else [value]
        if name in _NAMES and (text := ", ".join(filter(None, map(plain_text, each)))):
            found.setdefault(_NAMES[name], text[:_MAX_CHARS])
    return found
