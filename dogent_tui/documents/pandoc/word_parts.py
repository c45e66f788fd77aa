"""What a docx shows of its other parts, which pandoc leaves out, as Markdown: inserted documents,
and the texts and numbers of charts and diagrams.
"""

import posixpath
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dogent_tui.documents.elements import move_after, remove
from dogent_tui.documents.kinds import kind_of, reader_of
from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.pandoc.archive import part_of, relations_of, root_of
from dogent_tui.documents.pandoc.prepared import Prepared
from dogent_tui.documents.pandoc.word_boxes import INSERTED, PLACE, paragraph
from dogent_tui.documents.pandoc.word_styles import w
from dogent_tui.documents.workbook.markdown import cell
from dogent_tui.temporary import temporary_folder

_IDS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_PARAGRAPH, _CHUNK = w("p"), w("altChunk")
_SHOWN = (_CHUNK, "{*}chart", "{*}relIds")
_DRAWN = re.compile(r"ppt/(?:charts/chart|diagrams/data)\d*\.xml")
_NOTE = re.compile(r"(?<!\\)\[\^(\d+)\]")


def insert_parts(root: Any, archive: zipfile.ZipFile, main_part: str) -> list[str]:
    """Put a paragraph in place of each inserted document below `root`, and after each paragraph
    with a chart or diagram. Return the Markdown of these parts, empty for an unreadable one.
    """
    relations = relations_of(main_part, lambda name: root_of(part_of(archive, name)))
    found: list[str] = []
    for node in list(root.iter(*_SHOWN)):
        related = relations.get(node.get(f"{_IDS}id") or node.get(f"{_IDS}dm"))
        part = related.target if related else ""
        content = part_of(archive, part)
        is_document = node.tag == _CHUNK
        markdown = _document(content, part) if is_document else _drawing(root_of(content))
        place = paragraph(f"{PLACE}{INSERTED}{len(found)}:")
        found.append(_NOTE.sub(rf"[^{len(found) + 1}.\1]", markdown))
        move_after(node if is_document else next(node.iterancestors(_PARAGRAPH), node), [place])
        remove(node)
    return found


def slides_without_drawings(path: Path, _: ReadOptions) -> Prepared:
    """Return the pptx at `path`, whose charts and diagrams are missed."""
    with zipfile.ZipFile(path) as archive:
        drawn = filter(_DRAWN.fullmatch, archive.namelist())
        return Prepared([path], inserted=["" for _ in drawn])


def _document(content: bytes, name: str) -> str:
    with temporary_folder() as folder:
        path = folder / (posixpath.basename(name) or "part")
        path.write_bytes(content)
        try:
            opened = reader_of(kind_of(path))(path, ReadOptions(), lambda *_: None)
            return "\n\n".join(block.markdown for block in opened.blocks)
        except DocumentError:
            return ""


def _drawing(part: Any) -> str:
    """Return the texts of a diagram as a list, and the numbers of a chart as a table."""
    if not (series := list(part.iter("{*}ser"))):
        texts = (" ".join(_texts(point, "t")) for point in part.iter("{*}pt"))
        return "\n".join(f"- {cell(text)}" for text in texts if text)
    title = " ".join(text for node in part.iter("{*}title") for text in _texts(node, "t"))
    columns = [[_points(one, *names) for names in _COLUMNS] for one in series]
    heads = ["", *(" ".join(names.values()) for names, _, _ in columns)]
    labels = {at: text for _, said, _ in columns for at, text in said.items()}
    places = dict.fromkeys(at for _, _, values in columns for at in (*labels, *values))
    rows = [
        [labels.get(at, ""), *(values.get(at, "") for _, _, values in columns)] for at in places
    ]
    lines = [f"| {' | '.join(map(cell, row))} |" for row in [heads, ["---"] * len(heads), *rows]]
    return "\n".join([cell(title), "", *lines]).strip()


_COLUMNS = (("tx",), ("cat", "xVal"), ("val", "yVal"))
"""The elements of a series of a chart with its name, the labels, and the numbers."""


def _points(series: Any, *names: str) -> dict[str, str]:
    """Return what a series has stored in elements with these `names`, by its place."""
    return {
        point.get("idx", ""): " ".join(_texts(point, "v"))
        for name in names
        for point in series.iterfind(f"{{*}}{name}//{{*}}pt")
    }


def _texts(node: Any, name: str) -> Iterator[str]:
    found = (" ".join((text.text or "").split()) for text in node.iter(f"{{*}}{name}"))
    return filter(None, found)
