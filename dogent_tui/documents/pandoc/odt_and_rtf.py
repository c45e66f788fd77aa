"""What of an odt and of an rtf pandoc would pass over in silence, or misplace, put so that it
takes it.
"""

import io
import re
import zipfile
from pathlib import Path

from lxml import etree

from dogent_tui.documents.pandoc.archive import parse_part
from dogent_tui.documents.pandoc.odt_text import ADDRESS, OdtStyles, settle_text
from dogent_tui.documents.pandoc.tree import HIDDEN, Node, walk
from dogent_tui.language import tr

_LONGEST = 64 << 20
"""Bytes of a text that is looked through; longer ones are more than pandoc may hold."""

_OBJECT = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}object"
"""An embedded object (OpenDocument 1.3 part 3, 10.4.6.2)."""
_MATHML = b"http://www.w3.org/1998/Math/MathML"

_HIDDEN_NOTE = re.compile(rb"\{\\\*\s*\\footnote(?![a-z])")
r"""A footnote that readers without footnotes should pass over, as LibreOffice writes it. Pandoc
reads ``{\footnote`` alone.
"""


_HIDDEN_GROUP = re.compile(rb"\{([^{}]*?)\\v(?![a-z0-9])([^{}]*)\}")
_LINK = rb'{\\field{\\*\\fldinst{HYPERLINK "%s"}}{\\fldrslt{\1\2}}}' % HIDDEN.encode()
_TABLE_WORD = re.compile(rb"\\(trowd|row|cell)(?![a-z])")


class Formulas:
    """The formulas of the odt at `path`: objects of MathML, which pandoc finds where their
    address begins with ``./`` alone.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._content = b""
        self.count = 0
        with zipfile.ZipFile(path) as archive:
            names = {member.filename: member.file_size for member in archive.infolist()}
            if names.get("content.xml", _LONGEST + 1) > _LONGEST:
                return
            content = archive.read("content.xml")
            styles = (
                archive.read("styles.xml") if names.get("styles.xml", _LONGEST) < _LONGEST else b""
            )
            root = parse_part(content, path.name)
            changed = settle_text(root, OdtStyles(styles, content))
            for node in root.iter(_OBJECT):
                address = node.get(ADDRESS, "")
                folder = address.removeprefix("./").rstrip("/")
                if folder and address != f"./{folder}":
                    node.set(ADDRESS, f"./{folder}")
                    changed = True
                if f"{folder}/content.xml" in names:
                    with archive.open(f"{folder}/content.xml") as file:
                        self.count += _MATHML in file.read(2_000)
            self._content = etree.tostring(root, encoding="UTF-8") if changed else b""

    def document(self, *, with_media: bool) -> bytes | Path:
        """Return what pandoc is to read: the file itself where it takes all of it as it is, else
        the odt rewritten.

        Without its pictures then, of which pandoc needs the names alone, unless `with_media`.
        """
        if not self._content:
            return self._path
        made = io.BytesIO()
        with (
            zipfile.ZipFile(self._path) as archive,
            zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as out,
        ):
            for member in archive.infolist():
                name = member.filename
                if name == "content.xml":
                    out.writestr(name, self._content)
                else:
                    out.writestr(
                        name,
                        archive.read(member)
                        if with_media or not name.startswith("Pictures/")
                        else b"",
                    )
        return made.getvalue()

    def settle(self, blocks: list[Node]) -> str:
        """Write those inline that stand in a line of text, and return a warning where some are
        missing in `blocks`.
        """
        there = 0
        for node in walk(blocks):
            if node["t"] in ("Para", "Plain"):
                node["c"] = [
                    inline
                    for inline in node["c"]
                    if inline["t"] != "Math" or inline["c"][1].strip()
                ]
                formulas = [inline for inline in node["c"] if inline["t"] == "Math"]
                there += len(formulas)
                if len(formulas) < sum(
                    inline["t"] not in ("Space", "SoftBreak") for inline in node["c"]
                ):
                    for formula in formulas:
                        formula["c"][0]["t"] = "InlineMath"
        missing = self.count - there
        return (
            tr("Formulas left out because they could not be read: {missing}.").format(
                missing=missing
            )
            if missing > 0
            else ""
        )


def prepared_rtf(path: Path) -> bytes | Path:
    """Return the rtf at `path` as pandoc is to read it: with footnotes as such, lists in their
    place, hidden text in links.
    """
    if path.stat().st_size > _LONGEST:
        return path
    data = path.read_bytes()
    mended = _tables_behind_lists(_HIDDEN_NOTE.sub(rb"{\\footnote", data))
    text = max(0, mended.find(rb"\pard"))
    mended = mended[:text] + _HIDDEN_GROUP.sub(_LINK, mended[text:])
    return path if mended == data else mended


def _tables_behind_lists(data: bytes) -> bytes:
    """Put an empty paragraph between a list and a table: pandoc has the list before what is
    before it where there is none.
    """
    out, last, start = [], 0, 0
    before = b"row"
    for word in _TABLE_WORD.finditer(data):
        if word[1] == b"trowd" and before == b"row" and b"\\listtext" in data[last : word.start()]:
            out += [data[start : word.start()], rb"\pard\plain { }\par "]
            start = word.start()
        before, last = word[1], word.end()
    return b"".join([*out, data[start:]])
