"""What pandoc leaves out of a part of a docx, or gives as if it were plain, put so that it takes it
for what it is.

* Text that cannot be seen becomes a link to `HIDDEN`, which `MarkdownWriter` takes out and tells
  of.
* A simple field becomes the runs of a complex one, since pandoc drops what it shows with it.
* The number that Word counts before a heading is written before it.
"""

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

from dogent_tui.documents.pandoc.tree import HIDDEN
from dogent_tui.documents.pandoc.word_styles import (
    Counters,
    Numbering,
    Properties,
    Styles,
    is_unseen,
    level_of,
)

_TAG = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")
_LINK = f'<w:hyperlink w:anchor="{HIDDEN[1:]}">'.encode()
_FIELD = b'<w:r><w:fldChar w:fldCharType="%s"/></w:r>'
_UNKNOWN: Properties = {"w:shd": {}}
"""Of what is behind the text of a shape, or of a table with colors of its own."""


def edited(data: bytes, edits: Iterable[tuple[int, int, bytes]], start: int, end: int) -> bytes:
    """Return the bytes between two places with the edits that lie there, outer ones before what
    they hold.
    """
    out = []
    for begins, ends, text in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if (
            start <= begins and ends <= end and (begins, ends) != (start, start)
        ):  # what is put there belongs before it
            out += [data[start:begins], text]
            start = ends
    return b"".join([*out, data[start:end]])


def after_tag(data: bytes, at: int) -> int:
    """Return where the tag ends that begins at the byte `at`."""
    found = _TAG.match(data, at)
    return found.end() if found else at


class _Paragraph:
    def __init__(self, after_tag: int) -> None:
        self.start = after_tag
        self.shading: Properties = {}
        self.style = self.list = self.level = ""
        self.has_text = False


class Runs:
    """Takes the elements of a part (see `scan_part`) and collects `edits`: from byte, to byte,
    what stands there instead.
    """

    def __init__(self, data: bytes, styles: Styles, counters: Counters) -> None:
        self.edits: list[tuple[int, int, bytes]] = []
        self._data, self._styles, self._counters = data, styles, counters
        self._open: list[str] = []
        self._paragraphs: list[_Paragraph] = []
        self._behind: list[Properties] = [{}]
        self._runs: list[tuple[int, dict[str, dict[str, str]]]] = []

    def start(self, tag: str, attributes: dict[str, str], at: int) -> None:
        """An element begins at the byte `at`."""
        if tag == "w:p":
            self._paragraphs.append(_Paragraph(self._after(at)))
        elif tag == "w:r":
            self._runs.append((at, {}))
        elif tag == "w:t" and self._paragraphs:
            self._paragraphs[-1].has_text = True
        elif tag == "w:fldSimple":
            code = escape(attributes.get("w:instr", "")).encode("ascii", "xmlcharrefreplace")
            field = b"%s<w:r><w:instrText>%s</w:instrText></w:r>%s" % (
                _FIELD % b"begin",
                code,
                _FIELD % b"separate",
            )
            ends = self._after(at)
            is_empty = self._data[ends - 2 : ends] == b"/>"
            self.edits.append((at, ends, b"" if is_empty else field))
        elif tag in {"w:tbl", "w:tc"}:
            self._behind.append(self._behind[-1])
        elif tag == "w:txbxContent":
            self._behind.append(_UNKNOWN)
        elif "w:pPrChange" not in self._open and "w:rPrChange" not in self._open:
            self._property(tag, attributes)
        self._open.append(tag)

    def end(self, tag: str, at: int) -> None:
        """An element ends; where it is not empty, its end tag begins at the byte `at`."""
        self._open.pop()
        if tag == "w:r":
            self._end_run(at)
        elif tag == "w:pPr" and self._open[-1:] == ["w:p"] and self._closes(tag, at):
            self._paragraphs[-1].start = self._after(at)
        elif tag == "w:p":
            self._end_paragraph(self._paragraphs.pop())
        elif tag == "w:fldSimple":
            if self._closes(tag, at):  # else it was empty, and is gone
                self.edits.append((at, self._after(at), _FIELD % b"end"))
        elif tag in {"w:tbl", "w:tc", "w:txbxContent"}:
            self._behind.pop()

    def edited(self, start: int, end: int) -> bytes:
        """See `edited`."""
        return edited(self._data, self.edits, start, end)

    def _closes(self, tag: str, at: int) -> bool:
        return self._data.startswith(f"</{tag}".encode(), at)

    def _after(self, at: int) -> int:
        return after_tag(self._data, at)

    def _property(self, tag: str, attributes: dict[str, str]) -> None:
        within = self._open[-1] if self._open else ""
        if within == "w:rPr" and self._open[-2:-1] == ["w:r"] and self._runs:
            self._runs[-1][1][tag] = attributes
        elif (
            within == "w:tblPr"
            and tag == "w:tblStyle"
            and self._styles.colors_cells(attributes.get("w:val", ""))
        ):
            self._behind[-1] = _UNKNOWN
        elif within == "w:tcPr" and tag == "w:shd":
            self._behind[-1] = {"w:shd": attributes}
        elif self._paragraphs and within in {"w:pPr", "w:numPr"}:
            paragraph, value = self._paragraphs[-1], attributes.get("w:val", "")
            if tag == "w:shd":
                paragraph.shading = {"w:shd": attributes}
            elif tag in {"w:pStyle", "w:numId", "w:ilvl"}:
                setattr(
                    paragraph,
                    {"w:pStyle": "style", "w:numId": "list", "w:ilvl": "level"}[tag],
                    value,
                )

    def _end_run(self, at: int) -> None:
        start, own = self._runs.pop()
        if not self._paragraphs or b"<w:t" not in self._data[start:at]:
            return
        paragraph = self._paragraphs[-1]
        character = own.get("w:rStyle", {}).get("w:val", "")
        look = self._styles.properties({**paragraph.shading, **own}, character, paragraph.style)
        if is_unseen({**self._behind[-1], **look}):
            self.edits += [
                (start, start, _LINK),
                (after := self._after(at), after, b"</w:hyperlink>"),
            ]

    def _end_paragraph(self, paragraph: _Paragraph) -> None:
        by_style = self._styles.numbering(paragraph.style)
        level = level_of(paragraph.level)
        numbering = Numbering(
            paragraph.list or by_style.list, by_style.level if level is None else level
        )
        label = self._counters.label(numbering, paragraph.style)
        if label and paragraph.has_text and self._styles.is_heading(paragraph.style):
            run = f'<w:r><w:t xml:space="preserve">{escape(label)} </w:t></w:r>'
            self.edits.append(
                (paragraph.start, paragraph.start, run.encode("ascii", "xmlcharrefreplace"))
            )
