"""What of an odt and of an rtf pandoc would pass over in silence, put so that it takes it: formulas and footnotes."""

import io
import re
import zipfile
from pathlib import Path

from dogent_tui.documents.pandoc.tree import Node, walk
from dogent_tui.language import tr

_LONGEST = 64 << 20
"""Bytes of a text that is looked through; longer ones are more than pandoc may hold."""

_OBJECT = re.compile(rb'(<draw:object\b[^>]*?\bxlink:href=")([^"]*)"')
"""An embedded object (OpenDocument 1.3 part 3, 10.4.6.2)."""
_MATHML = b"http://www.w3.org/1998/Math/MathML"

_HIDDEN_NOTE = re.compile(rb"\{\\\*\s*\\footnote(?![a-z])")
r"""A footnote that readers without footnotes shall pass over, as LibreOffice writes it. Pandoc reads ``{\footnote`` alone."""


class Formulas:
    """The formulas of the odt at `path`: objects of MathML, which pandoc finds where their address begins with ``./`` alone."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._content = b""
        self.count = 0
        with zipfile.ZipFile(path) as archive:
            names = {member.filename: member.file_size for member in archive.infolist()}
            if names.get("content.xml", _LONGEST + 1) > _LONGEST:
                return
            self._content = archive.read("content.xml")
            for found in _OBJECT.finditer(self._content):
                part = f"{_folder(found[2])}/content.xml"
                if part in names:
                    with archive.open(part) as file:
                        self.count += _MATHML in file.read(2_000)

    def document(self, *, with_media: bool) -> bytes | Path:
        """Return what pandoc is to read: the file itself where it finds all of them, else the odt written anew.

        Without its pictures then, of which pandoc needs the names alone, unless `with_media`.
        """
        mended = _OBJECT.sub(lambda found: b'%s./%s"' % (found[1], _folder(found[2]).encode()), self._content)
        if not self.count or mended == self._content:
            return self._path
        made = io.BytesIO()
        with zipfile.ZipFile(self._path) as archive, zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as out:
            for member in archive.infolist():
                name = member.filename
                if name == "content.xml":
                    out.writestr(name, mended)
                else:
                    out.writestr(name, archive.read(member) if with_media or not name.startswith("Pictures/") else b"")
        return made.getvalue()

    def settle(self, blocks: list[Node]) -> str:
        """Write those inline that stand in a line of text, and return a warning where some are missing in `blocks`."""
        there = 0
        for node in walk(blocks):
            if node["t"] in ("Para", "Plain"):
                node["c"] = [inline for inline in node["c"] if inline["t"] != "Math" or inline["c"][1].strip()]
                formulas = [inline for inline in node["c"] if inline["t"] == "Math"]
                there += len(formulas)
                if len(formulas) < sum(inline["t"] not in ("Space", "SoftBreak") for inline in node["c"]):
                    for formula in formulas:
                        formula["c"][0]["t"] = "InlineMath"
        missing = self.count - there
        return tr("Formulas left out because they could not be read: {missing}.").format(missing=missing) if missing > 0 else ""


def rtf_with_notes(path: Path) -> bytes | Path:
    """Return the rtf at `path` as pandoc is to read it: with its footnotes as footnotes."""
    if path.stat().st_size > _LONGEST:
        return path
    data = path.read_bytes()
    mended = _HIDDEN_NOTE.sub(rb"{\\footnote", data)
    return path if mended == data else mended


def _folder(address: bytes) -> str:
    return address.decode("utf-8", "replace").removeprefix("./").rstrip("/")
