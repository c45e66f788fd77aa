"""Prepares what pandoc would silently skip or misplace in an rtf (Rich Text Format specification
1.9.1).
"""

import codecs
import re
import struct
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dogent_tui.documents.looks import MOST_CODE, is_monospaced, is_unseen
from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.pandoc.prepared import Prepared
from dogent_tui.documents.pandoc.tree import HIDDEN

_HIDDEN_NOTE = re.compile(rb"\{\\\*\s*\\footnote(?![a-z])")
r"""A footnote marked as optional for readers without footnotes, as LibreOffice writes it. Pandoc
only reads ``{\footnote``.
"""
_BINARY = re.compile(rb"\\bin(\d{1,12}) ?")
_TOKEN = re.compile(rb"\\([a-z]+)(-?\d{1,9})? ?|(?:\\'[0-9a-fA-F]{2})+|\\[^a-z]|[{}]|[^\\{}]+")
_HEX = re.compile(rb"\\'(..)")
_CHARACTER = re.compile(rb"\\'..|.", re.DOTALL)
_CODECS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "cp950", 161: "cp1253",
    162: "cp1254", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250",
}  # fmt: skip
"""The encodings of fonts by the number of their character sets. Pandoc only knows `_USUAL`."""
_USUAL = "cp1252"
_COLOR = re.compile(rb"\\red(\d+)\s*\\green(\d+)\s*\\blue(\d+)")
_LIST = re.compile(rb"\\(ls|outlinelevel)\d+ ?")
_HEADING = re.compile(rb"heading ([1-9]);", re.IGNORECASE)
_SKIPPED = {b"cs", b"annotation", b"nesttableprops"}
"""What pandoc reads although it is to be skipped: styles of characters as those of all paragraphs,
and comments and rows in cells as the end of a table.
"""
_APART = {
    b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"fldinst", b"listtext", b"atnauthor",
    *_SKIPPED - {b"cs"},
}  # fmt: skip
_LOOK = {
    b"v": "hidden", b"deleted": "deleted", b"cf": "color", b"fs": "size", b"cb": "behind",
    b"chcbpat": "behind", b"highlight": "behind", b"f": "font", b"s": "style",
    b"outlinelevel": "outline", b"ls": "list", b"intbl": "table", b"footnote": "note",
    b"fcharset": "charset", b"uc": "fallback",
}  # fmt: skip
_LAYOUT = ("style", "outline", "list", "table")
_UNSETS = {
    b"pard": {*_LOOK.values(), "apart"} - {*_LAYOUT},
    b"plain": {*_LAYOUT, "apart", "note", "fallback"},
}  # fmt: skip
"""Words that unset what others have set, and what they leave."""
_LEFT_OUT = {b"v", b"ansicpg"}
"""Words of which pandoc makes what is wrong here: hidden text would go, and text is decoded."""
_MOST_REMARKS, _LONGEST_REMARK = 100, 300
_TEXTS = {b"u", b"tab", b"line"}
_ENDS = {b"par", b"sect", b"cell", b"nestcell"}
_LINK = b'{\\field{\\*\\fldinst{HYPERLINK "%s"}}{\\fldrslt{' % HIDDEN.encode()
_LINE = rb"{\uc0\u8232}"
_IN_CODE = {rb"\tab": rb"{\uc0\u8233}", rb"\line": _LINE}
"""How `drawn_from` writes a line and a tab."""


def prepared_rtf(path: Path, _: ReadOptions) -> Prepared:
    """Return the rtf at `path` prepared for pandoc: with footnotes recognized, lists in place,
    numbers before headings, code in paragraphs like those of `drawn_from`, invisible text in links,
    and without deleted text.
    """
    data = _HIDDEN_NOTE.sub(rb"{\\footnote", _without_binary(path.read_bytes()))
    reader = _Reader(data)
    for token in _TOKEN.finditer(data):
        reader.read(token)
    remarks = [said[:_LONGEST_REMARK] for said in reader.comments[:_MOST_REMARKS]]
    about = {"comments": len(reader.comments), "comment_texts": remarks}
    return Prepared([b"".join(reader.written())], metadata=about if reader.comments else {})


def _without_binary(data: bytes) -> bytes:
    """Return the document with binary pictures, which may look like words, in hexadecimal
    digits.
    """
    out, at = [], 0
    while found := _BINARY.search(data, at):
        end = found.end() + int(found[1])
        out += [data[at : found.start()], data[found.end() : end].hex().encode()]
        at = end
    return b"".join([*out, data[at:]])


class _Line(NamedTuple):
    """A paragraph: its source, this without its text, and its text if it may be a line of code."""

    source: bytes
    frame: bytes = b""
    code: bytes | None = None


class _Paragraph(msgspec.Struct):
    """A paragraph that is read: its tokens, each with whether it is text, the marker before it,
    where its layout begins, and how many of its letters are in a monospaced font, of how many.
    """

    tokens: list[tuple[bool, bytes]] = []
    marker: list[bytes] = []
    begin: int = 0
    typed: int = 0
    letters: int = 0

    def line(self, outline: int, *, in_table: object, may_be_code: bool) -> _Line:
        """Return the paragraph on a level of the outline. A number before a heading is text, and
        not that of an item, as is a mark in a cell: pandoc moves its list before the table.
        """
        if 0 <= outline < 9 or (in_table and self.marker):
            begin, tokens = self.tokens[: self.begin], self.tokens[self.begin :]
            tokens = [token for token in tokens if not _LIST.fullmatch(token[1])]
            texts = (at for at, (is_text, text) in enumerate(tokens) if is_text and text.strip())
            at = next(texts, 0)
            tokens.insert(at, (True, b"{%s}" % b"".join(self.marker)))
            level = [(False, rb"\outlinelevel%d " % outline)] * (outline < 9)
            self.tokens = [*begin, *level, *tokens]
        source = b"".join(text for _, text in self.tokens)
        if self.typed < self.letters or not may_be_code:
            return _Line(source)
        frame = b"".join(text for is_text, text in self.tokens[:-1] if not is_text)
        return _Line(
            source, frame, b"".join(_code(text) for is_text, text in self.tokens if is_text)
        )


class _Reader:
    """Reads the words of an rtf, and keeps what they say until the end of their group."""

    def __init__(self, data: bytes) -> None:
        table = re.search(rb"\{\\colortbl([^{}]*)\}", data)
        entries = map(_COLOR.search, table[1].split(b";")) if table else iter(())
        self._colors = [
            bytes(int(part) % 256 for part in one.groups()).hex() if one else "" for one in entries
        ]
        self._typewriters: dict[int, bool] = {}
        self._codecs: dict[int, str] = {}
        self._codec = _USUAL
        self._shown = 0
        self._outlines: dict[int, int] = {}
        self._lines: list[_Line] = []
        self._paragraph = _Paragraph()
        self._letters = self._typed = 0
        self._state: dict[str, Any] = {}
        self._groups: list[dict[str, Any]] = []
        self._is_open = self._is_after_list = False
        self._shades, self._cell = [0], 0
        """The background of each cell of a row, and the number of the cell that is read."""
        self.comments: list[str] = []

    def read(self, token: re.Match[bytes]) -> None:
        """Read the next word, sign, or text."""
        text, word, state = token[0], token[1], self._state
        if text in (b"\\\n", b"\\\r"):
            text, word = rb"\par ", b"par"
        is_text = word in _TEXTS or (word is None and text not in (b"{", b"}", rb"\*"))
        if word == b"nestcell":  # pandoc joins the cells of a table in a cell
            text = rb"\tab "
        if is_text and not word:
            text = self._decoded(text)
        self._shown = state.get("fallback", 1) if word == b"u" else 0
        is_seen = is_text and "apart" not in state
        cell = self._shades[self._cell] if state.get("table") else 0
        look = {"behind": cell, **state}
        unseen = is_seen and bool(text.strip()) and _is_unseen(look, self._colors)
        paragraph = self._paragraph
        if unseen != self._is_open:
            paragraph.tokens.append((False, _LINK if unseen else b"}}}"))
            self._is_open = unseen
        if is_seen:
            letters = len(text.strip())
            paragraph.letters += letters
            paragraph.typed += letters * (
                not unseen and self._typewriters.get(state.get("font", 0), False)
            )
        elif is_text:
            self._hear(text)
        is_deleted = is_seen and state.get("deleted")
        is_skipped = state.get("apart") in _SKIPPED and text not in (b"{", b"}")
        if word not in _LEFT_OUT and not is_deleted and not is_skipped:
            paragraph.tokens.append((is_seen, text))
        if word in _UNSETS and "apart" not in state and not paragraph.letters:
            paragraph.begin = len(paragraph.tokens)
        if word in _ENDS and not state.keys() & {"apart", "note"}:
            outline = state.get("outline", self._outlines.get(state.get("style", 0), 9))
            is_apart = outline < 9 or state.get("list") or state.get("table")
            self._end(outline, may_be_code=not is_apart)
        self._shade(word or b"", int(token[2] or 0))
        self._change(token)

    def _end(self, outline: int, *, may_be_code: bool) -> None:
        """End a paragraph."""
        in_table = self._state.get("table")
        if in_table and self._is_after_list:  # pandoc puts the list behind the table
            self._lines.append(_Line(rb"\pard\plain { }\par "))
        self._is_after_list = bool(self._paragraph.marker) and not in_table
        line = self._paragraph.line(outline, in_table=in_table, may_be_code=may_be_code)
        self._lines.append(line)
        self._letters += self._paragraph.letters
        self._typed += self._paragraph.letters * (line.code is not None)
        self._paragraph = _Paragraph()

    def _hear(self, text: bytes) -> None:
        """Hear text that is not part of a paragraph."""
        if self._state["apart"] == b"fonttbl":
            is_typewriter = is_monospaced(text.decode("latin-1"))
            font = self._state.get("font", 0)
            self._typewriters.setdefault(font, is_typewriter)
            self._codecs.setdefault(font, _CODECS.get(self._state.get("charset", 0), self._codec))
        elif self._state["apart"] == b"listtext":
            self._paragraph.marker.append(text)
        elif self._state["apart"] == b"atnauthor":
            self.comments.append(f"{self._said(text)}: ")
        elif self._state["apart"] == b"annotation" and self.comments:
            self.comments[-1] += self._said(text)
        elif self._state["apart"] == b"stylesheet":
            named = _HEADING.match(text)
            outline = int(named[1]) - 1 if named else self._state.get("outline", 9)
            self._outlines.setdefault(self._state.get("style", 0), outline)

    def _decoded(self, text: bytes) -> bytes:
        """Return text in Unicode, but not what older programs show in place of a character."""
        said = _CHARACTER.sub(b"", text, self._shown) if self._shown > 0 else text
        letters = self._said(said)
        if letters.isascii() or self._codec_now == _USUAL:
            return text
        units = letters.encode("utf-16-le")
        escapes = (rb"{\uc0\u%d}" % unit for (unit,) in struct.iter_unpack("<H", units))
        return text.removesuffix(said) + b"".join(escapes)

    @property
    def _codec_now(self) -> str:
        return self._codecs.get(self._state.get("font", 0), self._codec)

    def _said(self, text: bytes) -> str:
        """Return what a text, or the word for a character, says."""
        if text.startswith(b"\\u"):
            return chr(int(text[2:].strip() or 0) % 65_536)
        raw = _HEX.sub(lambda one: bytes.fromhex(one[1].decode()), text)
        return raw.translate(None, b"\r\n").decode(self._codec_now, "replace")

    def _change(self, token: re.Match[bytes]) -> None:
        text, word = token[0], token[1]
        if text == b"{":
            self._groups.append(self._state.copy())
        elif text == b"}":
            self._state = self._groups.pop() if self._groups else {}
        elif text == rb"\*" or word in _APART or (word == b"cs" and "apart" in self._state):
            self._state["apart"] = word
        elif word in _UNSETS:
            self._state = {name: one for name, one in self._state.items() if name in _UNSETS[word]}
        elif word == b"ansicpg":
            with suppress(LookupError):
                self._codec = codecs.lookup(f"cp{int(token[2] or 0)}").name
        elif word in _LOOK:
            self._state[_LOOK[word]] = int(token[2] or 1)

    def _shade(self, word: bytes, number: int) -> None:
        """Follow the backgrounds of the cells of a row, which are told before them."""
        if word == b"trowd":
            self._shades, self._cell = [0], 0
        elif word == b"clcbpat":
            self._shades[-1] = number
        elif word == b"cellx":
            self._shades.append(0)
        elif word == b"cell":
            self._cell = min(self._cell + 1, len(self._shades) - 1)
        elif word == b"row":
            self._cell = 0

    def written(self) -> Iterator[bytes]:
        """Yield the document, with each block of code as one paragraph before its lines."""
        self._end(9, may_be_code=False)
        may_be = self._typed <= MOST_CODE * self._letters  # otherwise all is monospaced
        for _, group in groupby(self._lines, lambda line: line.code is not None):
            lines = list(group)
            code = b"\n".join(line.code or b"" for line in lines).strip(b"\n")
            if may_be and code:
                drawn = _LINE.join([b"", b"```", *code.split(b"\n"), b"```"])
                yield rb"{\pard\plain %s\par}" % drawn
            yield from (line.frame if may_be and code else line.source for line in lines)


def _code(text: bytes) -> bytes:
    if text.startswith(b"\\"):
        return _IN_CODE.get(text.strip(), text)
    return text.translate(None, b"\r\n").replace(b" ", rb"\~")


def _is_unseen(state: dict[str, int], colors: list[str]) -> bool:
    def color(name: str) -> str:
        at = state.get(name, 0)
        return colors[at] if 0 < at < len(colors) else ""

    if state.get("hidden"):
        return True
    return is_unseen(color("color"), color("behind") or "auto", str(state.get("size", "")))
