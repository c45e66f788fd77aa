"""Reads a pdf: opened and checked, then page by page on demand."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unicodedata import normalize

import msgspec
import pymupdf
from msgspec.structs import replace

from dogent_tui.documents.model import (
    Block,
    DocumentError,
    Opened,
    ReadOptions,
    Report,
    Source,
    damaged,
    encrypted,
)
from dogent_tui.documents.pandoc.escapes import hidden_comment
from dogent_tui.documents.pandoc.markdown import MarkdownWriter
from dogent_tui.documents.pdf.flow import continued
from dogent_tui.documents.pdf.furniture import told_lines
from dogent_tui.documents.pdf.layout import layout_items, nodes_of
from dogent_tui.documents.pdf.marks import Annotation, drawn_by, marks_markdown, page_marks
from dogent_tui.documents.pdf.model import Line, Nodes, Page, untagged, without
from dogent_tui.documents.pdf.scans import Scans
from dogent_tui.documents.pdf.survey import Survey, outline, survey
from dogent_tui.documents.pdf.tags import agrees, tagged_nodes, with_pictures
from dogent_tui.documents.pdf.text import page_content
from dogent_tui.documents.pdf.tree import BROKEN, StructureTree
from dogent_tui.language import ngettext, tr

SCANNED = tr("Unsupported PDF: no extractable text (scanned PDF not supported).")
"""The message if no page contains text (SPEC)."""

_HEAD_BYTES = 1024
"""The maximum offset of the signature in the file (PDF 1.7, Annex H.3, note 13)."""

_WORD = re.compile(r"[^\W_]+")
_SYLLABLE = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
"""A part of a word that may be alone at the end of a line."""
_LEFTWARD = re.compile("[\u0590-\u08ff]")
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?")
_MOST_JOINED = 20
"""The number of pages read together, because a table or list may continue across them."""

_MOST_MISSING = 1_000
_MOST_TITLES = 60
_MOST_NAMED = 12


def open_pdf(path: Path, options: ReadOptions, report: Report) -> Opened:
    """Open the pdf at `path`. Each page starts with a block ``<!-- page N -->``, followed by its
    content in reading order.

    Raises:
        DocumentError: The file is no pdf, is damaged, requires a password, or lacks a requested
            page; while the blocks are read, none of the pages contains text.
    """
    document = _open(path)
    wanted = wanted_pages(options.pages, len(document))
    metadata = _metadata(document)
    opened = Opened("pdf", metadata, iter(()))
    opened.blocks = _blocks(document, wanted, opened, Scans(options.images_dir), report)
    return opened


def _open(path: Path) -> Any:
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    with path.open("rb") as file:
        if b"%PDF-" not in file.read(_HEAD_BYTES):
            raise DocumentError(
                tr("{path} is not a PDF, despite its name.").format(path=path.name),
                tr("Check where it came from."),
                code="damaged",
            )
    pageless = damaged(tr("{name} is damaged: its pages cannot be found.").format(name=path.name))
    try:
        document = pymupdf.open(path, filetype="pdf")
        if document.needs_pass:
            raise encrypted(path.name)
        count = len(document)
    except BROKEN as error:
        raise pageless from error
    if not count:
        raise pageless
    return document


def _metadata(document: Any) -> dict[str, Any]:
    said = {key: (text or "").replace("\0", "").strip() for key, text in document.metadata.items()}
    dates = {"created": _date(said["creationDate"]), "modified": _date(said["modDate"])}
    told = {name: said[name] for name in ("title", "author", "subject", "keywords")} | dates
    found: dict[str, Any] = {"pages": len(document)}
    found |= {name: text for name, text in told.items() if text}
    if titles := outline(document)[:_MOST_TITLES]:
        found["outline"] = [
            {"level": level, "title": title, "page": page} for level, title, page in titles
        ]
    return found


def _date(text: str) -> str:
    """Return a PDF date (``D:20240822125427Z``) as ISO 8601, with the precision it has."""
    found = _DATE.match(text)
    if found is None:
        return text
    year, month, day, *time = found.groups()
    return f"{year}-{month}-{day}" + ("T" + ":".join(time) if all(time) else "")


def _blocks(
    document: Any, wanted: list[int], opened: Opened, scans: Scans, report: Report
) -> Iterator[Block]:
    tree = StructureTree(document)
    known = survey(document, tree, wanted)
    reader = _Pages(document, tree, known, wanted)
    empty: list[int] = []
    broken: list[int] = []
    held: list[Block] = []  # of pages before the first one with text
    for done, number in enumerate(wanted, 1):
        page_block = Block(f"<!-- page {number} -->", Source(page=number, headings=reader.headings))
        try:
            blocks = list(reader.blocks(number)) or list(scans.blocks(document[number - 1], number))
        except BROKEN:
            blocks = []
            broken.append(number)
        if not (blocks or reader.is_read(number) or number in broken):
            empty.append(number)
        if len(empty) + len(broken) == done:
            held.append(page_block)
        else:
            yield from [*held, page_block, *blocks]
            held.clear()
        report(done, len(wanted), "pages")
    if held and broken:
        message = tr("{name} is damaged: none of its pages can be read.")
        raise damaged(message.format(name=Path(document.name).name))
    if held:
        remedy = tr("Run text recognition (OCR) on it first.")
        raise DocumentError(SCANNED, remedy, code="scanned")
    known_of_all = {
        "running_titles": told_lines(reader.running),
        "words_of_the_file_not_in_the_text": reader.elsewhere,
        "recognised_pages": scans.recognised,
        "picture_pages": scans.saved,
    }
    opened.metadata |= {name: value for name, value in known_of_all.items() if value}
    told = {
        tr("No text on {pages}: blank, or images only."): empty,
        tr("Damaged and left out: {pages}."): broken,
        tr("Text that cannot be seen on {pages} is marked as hidden."): reader.hiding,
        tr(
            "Tesseract recognised the text on {pages}, which may be wrong in places."
        ): scans.recognised,
        tr("No text on {pages}: saved as pictures."): scans.saved,
    }
    opened.warnings += [
        said.format(pages=_named(numbers)) for said, numbers in told.items() if numbers
    ]


class _Content(msgspec.Struct):
    """A page without running titles and what annotations draw: `nodes` are its elements if its tags
    are usable, otherwise derived from the layout.
    """

    page: Page
    nodes: Nodes
    tagged: bool
    marks: list[Annotation]
    aside: list[Line]


class _Pages:
    """Reads page by page, and collects the facts of the whole document."""

    def __init__(
        self, document: Any, tree: StructureTree, known: Survey, wanted: Iterable[int]
    ) -> None:
        self._document = document
        self._known = known
        self._wanted = frozenset(wanted)
        self._tree = tree
        self._writer = MarkdownWriter(image=str)
        self._ahead: dict[int, _Content] = {}
        self._before: dict[int, list[str]] = {}
        self.running: dict[str, list[int]] = {}
        self.hiding: list[int] = []
        self.elsewhere: dict[str, str] = {}

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings above the current position."""
        return self._writer.headings

    def is_read(self, number: int) -> bool:
        """Whether part of a page belongs to something that started on an earlier one."""
        return number in self._before

    def blocks(self, number: int) -> Iterator[Block]:
        """Yield the blocks of page `number`."""
        content = self._ahead.pop(number, None) or self._content(number)
        page, (nodes, reached) = content.page, self._whole(content, number)
        written = [*page.hidden, *(line.text for line in content.aside)]
        nodes = self._known.ends.applied(nodes)
        made = (
            tagged_nodes(nodes, self._tree, self._known)
            if content.tagged
            else nodes_of(untagged(nodes), self._known)
        )
        for node in made:
            for block in self._writer.write([node]):
                written.append(block.markdown)
                source = replace(block.source, page=number)
                yield replace(block, source=source)
        for later in range(number + 1, reached + 1):
            self._before.setdefault(later, []).extend(written)
        if page.hidden:
            self.hiding.append(number)
        for text in [
            *(hidden_comment(text, "on the page") for text in page.hidden),
            *marks_markdown(content.marks, page),
        ]:
            written.append(text)
            yield Block(text, Source(page=number, headings=self.headings))
        if words := _missing(page.raw, [*written, *self._before.get(number, ())]):
            self.elsewhere[str(number)] = " ".join(words)

    def _content(self, number: int) -> _Content:
        pdf_page = self._document[number - 1]
        page = self._known.pages.pop(number, None) or page_content(pdf_page, self._tree)
        marks = page_marks(pdf_page)
        aside = self._known.furniture.of(page, number)
        tagged = self._known.tagged and agrees(without(page.nodes, aside))
        if page.tagged and not tagged:
            page = page_content(pdf_page, None)
            aside = self._known.furniture.of(page, number)
        for line in aside:
            self.running.setdefault(" ".join(line.text.split()), []).append(number)
        drawn = (line for line in page.lines if drawn_by(line, marks))
        page = replace(page, nodes=without(page.nodes, [*aside, *drawn]))
        if tagged:
            pictures = self._tree.pictures(pdf_page.xref)
            nodes = with_pictures(page.nodes, self._tree.root, self._tree, pictures)
        else:
            nodes = layout_items(pdf_page, page.blocks, self._known)
        return _Content(page, nodes, tagged, marks, aside)

    def _whole(self, content: _Content, number: int) -> tuple[Nodes, int]:
        """Return page `number` with everything that continues on the next ones, and the number of
        the last of these.
        """
        nodes, last = content.nodes, number
        while last + 1 in self._wanted and last - number < _MOST_JOINED:
            try:
                following = self._ahead.get(last + 1) or self._content(last + 1)
            except BROKEN:  # reported when its turn comes
                break
            self._ahead[last + 1] = following
            found = continued(nodes, following.nodes, last + 1, self._known)
            if found is None:
                break
            last += 1
            nodes, following.nodes = found.whole, found.rest
            if found.again:
                self.running.setdefault(found.again, []).append(last)
            if following.nodes:
                break
        return nodes, last


def _missing(raw: Iterable[str], written: Iterable[str]) -> list[str]:
    """Return the words of a page that are missing in what was `written`: the file may contain them
    in pieces, or out of order. A single letter, such as an item mark, is part of any word with it.
    """
    words = _words(written)
    whole, joined = Counter(map(_letters, words)), "".join(words)
    missing = []
    for word, count in Counter(_words(raw)).items():
        is_letter = len(word) == 1 and not _SYLLABLE.match(word)
        is_whole = is_letter or _LEFTWARD.search(word) is not None
        if whole[_letters(word)] < count and (is_whole or joined.count(word) < count):
            missing.append(word)
    return missing[:_MOST_MISSING]


def _words(texts: Iterable[str]) -> list[str]:
    return [
        word
        for text in texts
        for word in _WORD.findall(normalize("NFKC", text.replace("\xad", "")).casefold())
    ]


def _letters(word: str) -> str:
    """Return a word for comparison: files may store the letters of right-to-left words in another
    order.
    """
    return "".join(sorted(word)) if _LEFTWARD.search(word) else word


def _named(pages: list[int]) -> str:
    names = ", ".join(map(str, pages[:_MOST_NAMED]))
    more = len(pages) - _MOST_NAMED
    return ngettext("page {names}", "pages {names}", len(pages)).format(names=names) + (
        tr(" and {more} more").format(more=more) if more > 0 else ""
    )


_PART = re.compile(r"\s*(\d*)\s*(?:([-–])\s*(\d*))?\s*")


def wanted_pages(text: str, count: int) -> list[int]:
    """Return the pages that `text` names, counted from 1, in its order and without duplicates; all
    of the `count` pages if it is empty.

    ``3``, ``3-7``, ``-3`` (the first three), ``12-`` (to the end) and these joined by commas. A
    range that starts inside the document ends with the last page. Raises DocumentError.
    """
    if not text.strip():
        return list(range(1, count + 1))
    found: dict[int, None] = {}
    for part in re.split(r"[,;，；]", text):
        found.update(dict.fromkeys(_range(part, text, count)))
    return list(found)


def _range(part: str, text: str, count: int) -> range:
    match = _PART.fullmatch(part)
    if match is None or not (match[1] or match[3]):
        raise DocumentError(
            tr("“{text}” is not a valid page range.").format(text=text),
            tr("Use the form 3-7,12."),
            code="no_page",
        )
    first = int(match[1][:9] or 1)
    last = int(match[3][:9] or count) if match[2] else first
    if not 1 <= first <= last or first > count:
        pages = ngettext("one page", "{count:,} pages", count).format(count=count)
        raise DocumentError(
            tr("There is no page {part}: the document has {pages}.").format(
                part=part.strip(), pages=pages
            ),
            tr("Choose pages from 1 to {count}.").format(count=count),
            code="no_page",
        )
    return range(first, min(last, count) + 1)
