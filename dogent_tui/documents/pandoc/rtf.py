"""Prepares what pandoc would silently skip or misplace in an rtf (Rich Text Format specification
1.9.1).
"""

import codecs
import re
import struct
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, groupby, pairwise
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.documents.looks import MOST_CODE, is_monospaced, is_unseen
from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.pandoc.prepared import Prepared, told_comments
from dogent_tui.documents.pandoc.tables import parsed
from dogent_tui.documents.pandoc.tree import HIDDEN, NO_ATTRIBUTES, Node, plain, table_node
from dogent_tui.documents.pdf.lists import Item, Mark, list_nodes

_HIDDEN_NOTE = re.compile(rb"\{\\\*\s*\\footnote(?![a-z])")
r"""A footnote marked as optional for readers without footnotes, as LibreOffice writes it. Pandoc
only reads ``{\footnote``.
"""
_TWICE = re.compile(
    rb"\{\\upr\s*\{(?:[^{}]|\{[^{}]*\})*\}\s*\{\\\*\s*\\ud\s*(\{(?:[^{}]|\{[^{}]*\})*\})\s*\}\s*\}"
)
"""Text in the encoding of older programs and in Unicode."""
_BINARY = re.compile(rb"\\bin(\d{1,12}) ?")
_TOKEN = re.compile(
    rb"\\([a-zA-Z]+)(-?\d{1,9})? ?|(?:\\'[0-9a-fA-F]{2})+|\\[^a-zA-Z]|[{}]|[^\\{}]+"
)
_HEX = re.compile(rb"\\'(..)")
_CHARACTER = re.compile(rb"[\r\n]*(?:\\'..|\\?[^\r\n])")
_CODECS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "cp950", 161: "cp1253",
    162: "cp1254", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250",
}  # fmt: skip
"""The encodings of fonts by the number of their character sets. Pandoc only knows `_USUAL`."""
_USUAL = "cp1252"
_COLOR = re.compile(rb"\\red(\d+)\s*\\green(\d+)\s*\\blue(\d+)")
_LIST = re.compile(rb"\\(ls|outlinelevel)\d+ ?")
_TEXT = re.compile(rb"\{|\\'|\\u-?\d|[^\\{}]*[^\\{}\s]")
"""The beginning of text, or of a group with it."""
_HEADING = re.compile(rb"heading ([1-9]);", re.IGNORECASE)
_SKIPPED = {b"cs", b"annotation", b"nesttableprops", b"xe", b"tc"}
"""What pandoc reads although it is to be skipped: styles of characters as those of all paragraphs,
comments and rows in cells as the end of a table, and entries of indexes and contents as text.
"""
_APART = {
    b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"fldinst", b"listtext", b"atnauthor",
    *_SKIPPED - {b"cs"},
}  # fmt: skip
_LOOK = {
    b"v": "hidden", b"deleted": "deleted", b"cf": "color", b"fs": "size", b"cb": "behind",
    b"chcbpat": "behind", b"highlight": "behind", b"f": "font", b"s": "style",
    b"outlinelevel": "outline", b"intbl": "table", b"footnote": "note", b"ilvl": "level",
    b"fcharset": "charset", b"uc": "fallback", b"sbasedon": "parent",
}  # fmt: skip
_LAYOUT = ("style", "outline", "level", "table")
_UNSETS = {
    b"pard": {*_LOOK.values(), "apart"} - {*_LAYOUT},
    b"plain": {*_LAYOUT, "apart", "note", "fallback"},
}  # fmt: skip
"""Words that unset what others have set, and what they leave."""
_TYPED = rb"\fmodern "
"""What makes text code, for pandoc: programs also say it of the fonts of Chinese and Japanese."""
_LEFT_OUT = {b"v", b"ansicpg", b"fmodern"}
"""Words of which pandoc makes what is wrong here: hidden text would go, and text is decoded."""
_TEXTS = {b"u", b"tab", b"line"}
_READ_AS = {
    b"\\\n": b"par", b"\\\r": b"par", b"page": b"par", b"column": b"par", b"sect": b"par",
    b"softline": b"line", b"lbr": b"line",
}  # fmt: skip
"""Words by which pandoc would join what is before and behind them, and those that it reads."""
_ENDS = {b"par", b"sect", b"cell", b"nestcell"}
_LINK = b'{\\field{\\*\\fldinst{HYPERLINK "%s"}}{\\fldrslt{' % HIDDEN.encode()
_DIGIT = 0xFDD0
"""The first of 16 noncharacters, the digits of a half of a character above U+FFFF: pandoc would
replace the halves, which rtf writes one by one (1.9.1, Unicode RTF).
"""
_HALF = 0xD800
_HALVES = re.compile(rf"(?:[{chr(_DIGIT)}-{chr(_DIGIT + 15)}]{{3}})+")
_ITEM, _EMPTY = "\ue0c4", "\ue0c5"
"""A sign around the level and around the marker of an item of a list, and in place of an empty line
of code: private-use characters.
"""
_EDGES_APART = 60
"""Twips between the edges of two columns."""


def prepared_rtf(path: Path, _: ReadOptions) -> Prepared:
    """Return the rtf at `path` prepared for pandoc: with footnotes recognized, items of lists as
    `with_lists` expects them, numbers before headings, invisible text in links, and without deleted
    text.
    """
    data = _HIDDEN_NOTE.sub(rb"{\\footnote", _without_binary(path.read_bytes()))
    data = _TWICE.sub(rb"\1", data).replace(rb"\pntext", rb"\listtext")  # as before Word 97
    reader = _Reader(data)
    for token in _TOKEN.finditer(data):
        reader.read(token)
    comments = told_comments([*map(_joined, reader.comments)])
    return Prepared(
        [reader.written()], metadata=comments, formulas=reader.formulas, rows=reader.rows
    )


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


def _escaped(said: str) -> bytes:
    """Return characters as pandoc reads them, with no other in their place for older programs:
    pandoc would leave out the letter behind that.
    """
    codes: list[int] = []
    for (unit,) in struct.iter_unpack("<H", said.encode("utf-16-le", "surrogatepass")):
        is_half = 0 <= unit - _HALF < 2048
        digits = [int(digit, 16) for digit in f"{unit - _HALF:03x}"] if is_half else []
        codes += [_DIGIT + digit for digit in digits] if is_half else [unit]
    return b"".join(rb"{\uc0\u%d}" % code for code in codes)


def with_whole_characters(text: str) -> str:
    """Return a text from pandoc with the characters that were written in halves."""

    def whole(halves: re.Match[str]) -> str:
        digits = "".join(f"{ord(digit) - _DIGIT:x}" for digit in halves[0])
        units = (_HALF + int(digits[at : at + 3], 16) for at in range(0, len(digits), 3))
        return _joined("".join(map(chr, units)))

    return _HALVES.sub(whole, text)


def _joined(said: str) -> str:
    """Return a text with the halves of characters in it joined."""
    return said.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class _Paragraph(msgspec.Struct):
    """A paragraph that is read: its tokens, the marker before it, where its layout begins, and
    whether it has letters, all of which may be code.
    """

    tokens: list[bytes] = []
    marker: list[bytes] = []
    begin: int = 0
    has_letters: bool = False
    is_code: bool = True

    def source(self, outline: int, level: int, *, in_table: object) -> bytes:
        """Return the paragraph on a level of the outline or of a list. A number before a heading is
        text, as is a mark in a cell.
        """
        is_heading = 0 <= outline < 9
        if not (is_heading or self.marker):
            return b"".join(self.tokens)
        tokens = [token for token in self.tokens[self.begin :] if not _LIST.fullmatch(token)]
        at = next((at for at, token in enumerate(tokens) if _TEXT.match(token)), len(tokens))
        sign = b"".join(self.marker)
        if not (is_heading or in_table):
            mark = _escaped(_ITEM)
            sign = b"%s%d%s%s%s" % (mark, level, mark, sign, mark)
        layout = [token for token in self.tokens[: self.begin] if not _LIST.fullmatch(token)]
        level_of = rb"\outlinelevel%d " % outline if is_heading else b""
        return b"".join([*layout, level_of, *tokens[:at], b"{%s}" % sign, *tokens[at:]])


class Shape(msgspec.Struct):
    """A cell: its background, where it ends in twips, and whether it continues the one above it or
    beside it.
    """

    shade: int = 0
    edge: int = 0
    is_below: bool = False
    is_beside: bool = False


class _Reader:
    """Reads the words of an rtf, and keeps what they say until the end of their group."""

    def __init__(self, data: bytes) -> None:
        table = re.search(rb"\{\\colortbl([^{}]*)\}", data)
        entries = map(_COLOR.search, table[1].split(b";")) if table else iter(())
        self._colors = [
            bytes(int(part) % 256 for part in one.groups()).hex() if one else "" for one in entries
        ]
        self._codecs: dict[int, str] = {}
        self._codec = _USUAL
        self._skipped = 0
        """The number of characters to come that older programs show in place of one."""
        self._outlines: dict[int, int] = {}
        self._sources: list[bytes] = []
        self._paragraph = _Paragraph()
        self._state: dict[str, Any] = {}
        self._groups: list[dict[str, Any]] = []
        self._is_open = False
        self._row, self._cell = [Shape()], 0
        """The cells of a row, and the number of the one that is read."""
        self.rows: list[list[Shape]] = []
        self._typed: dict[int, int] = {}
        """The monospaced fonts, each with the number of its letters."""
        self._letters = 0
        self._is_code = False
        self.comments: list[str] = []
        self.formulas = 0

    def read(self, token: re.Match[bytes]) -> None:
        """Read the next word, sign, or text."""
        text, word, state = token[0], token[1], self._state
        if known := _READ_AS.get(word or text):
            text, word = b"\\%s " % known, known
        is_text = word in _TEXTS or (word is None and text not in (b"{", b"}", rb"\*"))
        if word == b"nestcell":  # pandoc joins the cells of a table in a cell
            text = rb"\tab "
        if not is_text:
            self._skipped = 0
        text, said = self._decoded(token, text) if is_text else (text, "")
        is_seen = is_text and "apart" not in state
        cell = self._row[self._cell].shade if state.get("table") else 0
        look = {"behind": cell, **state}
        unseen = is_seen and bool(text.strip()) and _is_unseen(look, self._colors)
        paragraph = self._paragraph
        if unseen != self._is_open:
            paragraph.tokens.append(_LINK if unseen else b"}}}")
            self._is_open = unseen
        if is_seen and text.strip():
            self._see(text)
        elif is_text and not is_seen:
            self._hear(text, said)
        is_deleted = is_seen and state.get("deleted")
        is_skipped = state.get("apart") in _SKIPPED and text not in (b"{", b"}")
        if word not in _LEFT_OUT and not is_deleted and not is_skipped:
            paragraph.tokens.append(text)
        if word in _UNSETS and "apart" not in state and not paragraph.has_letters:
            paragraph.begin = len(paragraph.tokens)
        if word in _ENDS and not state.keys() & {"apart", "note"}:
            self._end()
        self.formulas += word == b"moMath"
        self._shape(word or b"", int(token[2] or 0))
        self._change(token)

    def _end(self) -> None:
        """End a paragraph."""
        state = self._state
        outline = state.get("outline", self._outlines.get(state.get("style", 0), 9))
        in_table = state.get("table")
        source = self._paragraph.source(outline, state.get("level", 0), in_table=in_table)
        has_letters = self._paragraph.has_letters
        if self._is_code and not has_letters and not in_table:
            source = b"{\\f%d %s}%s" % (next(iter(self._typed)), _escaped(_EMPTY), source)
        self._is_code = self._paragraph.is_code if has_letters else self._is_code
        self._sources.append(source)
        self._paragraph = _Paragraph()

    def _see(self, text: bytes) -> None:
        """See text of a paragraph."""
        font = self._state.get("font", 0)
        self._letters += len(text)
        if font in self._typed:
            self._typed[font] += len(text)
        else:
            self._paragraph.is_code = False
        self._paragraph.has_letters = True

    def _hear(self, text: bytes, said: str) -> None:
        """Hear text that is not part of a paragraph, and what it says."""
        if self._state["apart"] == b"fonttbl":
            codec = _CODECS.get(self._state.get("charset", 0), self._codec)
            font = self._state.get("font", 0)
            self._codecs.setdefault(font, codec)
            if is_monospaced(said):
                self._paragraph.tokens.append(_TYPED)
                self._typed[font] = 0
        elif self._state["apart"] == b"listtext":
            self._paragraph.marker.append(text)
        elif self._state["apart"] == b"atnauthor":
            self.comments.append(f"{said}: ")
        elif self._state["apart"] == b"annotation" and self.comments:
            self.comments[-1] += said
        elif self._state["apart"] == b"stylesheet":
            named = _HEADING.match(text)
            parent = self._outlines.get(self._state.get("parent", -1), 9)
            outline = int(named[1]) - 1 if named else self._state.get("outline", parent)
            self._outlines.setdefault(self._state.get("style", 0), outline)

    def _decoded(self, token: re.Match[bytes], text: bytes) -> tuple[bytes, str]:
        """Return text as pandoc reads it and what it says, both without what older programs show in
        place of a character.
        """
        if word := token[1]:
            self._skipped = self._state.get("fallback", 1) if word == b"u" else 0
            said = chr(int(token[2] or 0) % 65_536) if word == b"u" else ""
            return _escaped(said) or text, said
        if self._skipped > 0:
            text, count = _CHARACTER.subn(b"", text, self._skipped)
            self._skipped -= count
        codec = self._codecs.get(self._state.get("font", 0), self._codec)
        raw = _HEX.sub(lambda one: bytes.fromhex(one[1].decode()), text)
        said = raw.translate(None, b"\r\n").decode(codec, "replace")
        return text if said.isascii() or codec == _USUAL else _escaped(said), said

    def _change(self, token: re.Match[bytes]) -> None:
        text, word = token[0], token[1]
        if text == b"{":
            self._groups.append(self._state.copy())
        elif text == b"}":
            if self._state.get("apart") == b"listtext":
                self._paragraph.begin = len(self._paragraph.tokens)
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

    def _shape(self, word: bytes, number: int) -> None:
        """Follow the shapes of the cells of a row, which are told before them."""
        match word if "apart" not in self._state else b"":
            case b"trowd":
                self._row, self._cell = [Shape()], 0
            case b"clcbpat":
                self._row[-1].shade = number
            case b"clvmrg":
                self._row[-1].is_below = True
            case b"clmrg":
                self._row[-1].is_beside = True
            case b"cellx":
                self._row[-1].edge = number
                self._row.append(Shape())
            case b"cell":
                self._cell = min(self._cell + 1, len(self._row) - 1)
            case b"row":
                self.rows.append(self._row[:-1])
                self._cell = 0

    def written(self) -> bytes:
        """Return the document."""
        self._end()
        content = b"".join(self._sources)
        if sum(self._typed.values()) > MOST_CODE * self._letters:  # then it is none
            content = content.replace(_TYPED, b"").replace(_escaped(_EMPTY), b"")
        return content


def with_lists(blocks: list[Node], shapes: list[list[Shape]]) -> Iterator[Node]:
    """Yield `blocks` with lists of the paragraphs that are items, which pandoc would number from
    one and end at deeper ones, with whole listings, and with the cells of all rows in their
    `shapes`.
    """
    _merge_cells([block for block in blocks if block["t"] == "Table"], shapes)
    for kind, group in groupby(blocks, _kind):
        if kind == "item":
            yield from list_nodes([item for block in group if (item := _item(block))])
        elif kind == "code":
            code = "\n".join(map(_code, group)).replace(_EMPTY, "")
            yield {"t": "CodeBlock", "c": [NO_ATTRIBUTES, code.strip("\n")]}
        else:
            yield from group


def _kind(block: Node) -> str:
    return "item" if _item(block) else "code" if _code(block) else "other"


def _code(block: Node) -> str:
    """Return the code that a block is, "" if it is none. A paragraph with signs beyond ASCII is no
    block of it for pandoc.
    """
    if block["t"] == "CodeBlock":
        return str(block["c"][1])
    parts = block["c"] if block["t"] == "Para" else []
    is_code = all(part["t"] in {"Code", "Space", "LineBreak"} for part in parts)
    said = {"Space": " ", "LineBreak": "\n"}
    return "".join(said.get(part["t"]) or part["c"][1] for part in parts) if is_code else ""


def _merge_cells(tables: list[Node], shapes: list[list[Shape]]) -> None:
    """Merge the cells of tables, unless they have other rows than these, or text in more cells."""
    contents = [parsed(table["c"]) for table in tables]
    if sum(len(content.rows) for content in contents) != len(shapes):
        return
    following = iter(shapes)
    for table, content in zip(tables, contents, strict=True):
        rows = [*zip(content.rows, following, strict=False)]
        if any(cell.blocks for cells, row in rows for cell in cells[len(row) :]):
            continue
        edges = sorted({shape.edge for _, row in rows for shape in row})
        columns = [*accumulate((b - a > _EDGES_APART for a, b in pairwise(edges)), initial=1)]
        ends = dict(zip(edges, columns, strict=False))
        above: dict[int, list[Any]] = {}
        made: list[list[Any]] = []
        for cells, row in rows:
            made.append([])
            at = 0
            for cell, shape in zip(cells, row, strict=False):
                width = max(ends[shape.edge] - at, 0)
                if shape.is_below and at in above:
                    above[at][0] += 1
                    above[at][2] += cell.blocks
                elif shape.is_beside and made[-1]:
                    made[-1][-1][1] += width
                    made[-1][-1][2] += cell.blocks
                else:
                    above[at] = [1, width or 1, cell.blocks]
                    made[-1].append(above[at])
                at += width
        if any(cell[:2] != [1, 1] for row in made for cell in row):
            table.update(table_node(made, heads=content.heads))


def _item(block: Node) -> Item | None:
    """Return the item that a paragraph is, None if it is none."""
    said, rest = "", list(block["c"] if block["t"] == "Para" else ())
    while rest and said.count(_ITEM) < 3 and said[:1] in {"", _ITEM}:
        first = rest.pop(0)
        said += first["c"] if first["t"] == "Str" else " "
    if said.count(_ITEM) < 3:
        return None
    _, level, sign, text = said.split(_ITEM, 3)
    if not level.isdecimal():
        return None  # the document itself has these signs
    label = sign.strip(" .()") if re.search(r"[\d.)]", sign) else ""  # else a bullet
    content = [plain(text), *rest] if text else rest
    return Item(Mark(sign.strip(), label, 0, 0), int(level), [{"t": "Para", "c": content}])


def _is_unseen(state: dict[str, int], colors: list[str]) -> bool:
    def color(name: str) -> str:
        at = state.get(name, 0)
        return colors[at] if 0 < at < len(colors) else ""

    if state.get("hidden"):
        return True
    return is_unseen(color("color"), color("behind") or "auto", str(state.get("size", "")))
