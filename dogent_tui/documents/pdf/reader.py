"""Reading a pdf: opened and checked, then page after page, each as it is wanted."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dogent_tui.documents.model import Block, DocumentError, Opened, ReadOptions, Report, Source
from dogent_tui.documents.pdf.columns import aligned_tables
from dogent_tui.documents.pdf.labels import label_numbers
from dogent_tui.documents.pdf.model import Box, Line, Table, TextBlock, around
from dogent_tui.documents.pdf.order import from_the_top, regions
from dogent_tui.documents.pdf.pages import wanted_pages
from dogent_tui.documents.pdf.rules import Rules, fenced_tables, page_rules
from dogent_tui.documents.pdf.structure import begins_item, block_markdown, heading_level, heading_markdown, table_markdown
from dogent_tui.documents.pdf.survey import Survey, survey
from dogent_tui.documents.pdf.text import BROKEN, page_blocks
from dogent_tui.language import ngettext, tr

SCANNED = tr("Unsupported PDF: no extractable text (scanned PDF not supported).")
"""What SPEC has the user read where no page holds text."""

_HEAD_BYTES = 1024
"""The signature may stand so far into the file (PDF 1.7, Annex H.3, note 13)."""

_DAMAGED = tr("{name} is damaged: its pages cannot be found.")
_MOST_TITLES = 60
_MOST_NAMED = 12


def open_pdf(path: Path, options: ReadOptions, report: Report) -> Opened:
    """Open the pdf at `path`. Each page begins with a block ``<!-- page N -->``; what is on it follows in the order of reading.

    Raises DocumentError where it is no pdf, is damaged, asks for a password, or where a page that is wanted is not there; while
    the blocks are taken, where none of the pages holds text.
    """
    document = _open(path)
    wanted = wanted_pages(options.pages, len(document))
    metadata = _metadata(document)
    opened = Opened("pdf", metadata, iter(()))
    opened.blocks = _blocks(document, wanted, opened, report)
    return opened


def _open(path: Path) -> Any:
    import os

    os.environ.setdefault("PYMUPDF_SUGGEST_LAYOUT_ANALYZER", "0")  # it advertises on stdout
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    with path.open("rb") as file:
        if b"%PDF-" not in file.read(_HEAD_BYTES):
            raise DocumentError(
                tr("{path} is not a PDF, despite its name.").format(path=path.name),
                tr("Check where it came from."),
                code="damaged",
            )
    try:
        document = pymupdf.open(path, filetype="pdf")
        if document.needs_pass:
            raise DocumentError(
                tr("{path} is protected with a password.").format(path=path.name),
                tr("Save a copy without the password and refer to that."),
                code="encrypted",
            )
        count = len(document)
    except BROKEN as error:
        raise DocumentError(
            _DAMAGED.format(name=path.name), tr("Open it in another program and save it again."), code="damaged"
        ) from error
    if not count:
        raise DocumentError(_DAMAGED.format(name=path.name), tr("Open it in another program and save it again."), code="damaged")
    return document


def _metadata(document: Any) -> dict[str, Any]:
    said = document.metadata or {}
    names = {
        "title": "title",
        "author": "author",
        "subject": "subject",
        "keywords": "keywords",
        "creationDate": "created",
        "modDate": "modified",
    }
    found: dict[str, Any] = {"pages": len(document)}
    for key, name in names.items():
        if value := (said.get(key) or "").replace("\0", "").strip():
            found[name] = _date(value) if name in {"created", "modified"} else value
    try:
        toc = document.get_toc()
    except BROKEN:
        toc = []
    if toc:
        found["outline"] = [
            {"level": level, "title": title.strip(), "page": page} for level, title, page, *_ in toc[:_MOST_TITLES]
        ]
    return found


def _date(text: str) -> str:
    """Return a date of PDF (``D:20240822125427Z``) as ISO 8601, as far as it goes."""
    digits = text.removeprefix("D:")[:14]
    if not digits[:8].isdigit() or len(digits) < 8:
        return text
    day = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"
    return f"{day}T{digits[8:10]}:{digits[10:12]}:{digits[12:14]}" if len(digits) == 14 and digits.isdigit() else day


def _blocks(document: Any, wanted: list[int], opened: Opened, report: Report) -> Iterator[Block]:
    known = survey(document, wanted)
    empty: list[int] = []
    broken: list[int] = []
    left_out = 0
    titles: list[tuple[int, str]] = []
    held: list[Block] = []  # of pages before the first that holds text
    for done, number in enumerate(wanted, 1):
        page_block = Block(f"<!-- page {number} -->", Source(page=number, headings=tuple(title for _, title in titles)))
        try:
            blocks, dropped = _page(document[number - 1], number, known, titles)
        except BROKEN:
            blocks, dropped = [], 0
            broken.append(number)
        left_out += dropped
        if not blocks and number not in broken:
            empty.append(number)
        if len(empty) + len(broken) == done:
            held.append(page_block)
        else:
            yield from [*held, page_block, *blocks]
            held.clear()
        report(done, len(wanted), "pages")
    if held:
        damaged = DocumentError(
            tr("No page of {document} can be read.").format(document=document.name),
            tr("Save it again with another program."),
            code="damaged",
        )
        raise damaged if broken else DocumentError(SCANNED, tr("Run text recognition (OCR) on it first."), code="scanned")
    _tell(opened, empty, broken, left_out)


def _tell(opened: Opened, empty: list[int], broken: list[int], left_out: int) -> None:
    if empty:
        opened.warnings.append(tr("No text on {empty}: blank, or images only.").format(empty=_named(empty)))
    if broken:
        opened.warnings.append(tr("Damaged and left out: {broken}.").format(broken=_named(broken)))
    if left_out:
        opened.metadata["running_lines_left_out"] = left_out


def _named(pages: list[int]) -> str:
    names = ", ".join(map(str, pages[:_MOST_NAMED]))
    more = len(pages) - _MOST_NAMED
    return ngettext("page {names}", "pages {names}", len(pages)).format(names=names) + (
        tr(" and {more} more").format(more=more) if more > 0 else ""
    )


def _page(page: Any, number: int, known: Survey, titles: list[tuple[int, str]]) -> tuple[list[Block], int]:
    """Return the blocks of a page, and how many running lines were left out. `titles` are the headings above, kept up to date."""
    height = page.rect.height
    found = page_blocks(page)
    kept = [TextBlock(lines) for block in found if (lines := tuple(line for line in block.lines if not known.runs(line, height)))]
    dropped = sum(len(block.lines) for block in found) - sum(len(block.lines) for block in kept)
    blocks = []
    items = list(_items(page, kept))
    labels = label_numbers(items, known.body)
    for place, item in enumerate(items):
        for text in _texts(item, known, titles, is_label=place in labels):
            where = Source(page=number, headings=tuple(title for _, title in titles))
            blocks.append(Block(text, where))
    return blocks, dropped


def _texts(item: TextBlock | Table, known: Survey, titles: list[tuple[int, str]], *, is_label: bool) -> Iterator[str]:
    if isinstance(item, Table):
        yield table_markdown(item)
    elif level := heading_level(item, known, is_label=is_label):
        while titles and titles[-1][0] >= level:
            titles.pop()
        titles.append((level, " ".join(item.text.split())))
        yield heading_markdown(item.text, level)
    else:
        yield from _lists_together(block_markdown(item))


def _lists_together(texts: Iterator[str]) -> Iterator[str]:
    """Join the items of a list that follow each other: they are one block."""
    held: list[str] = []
    for text in texts:
        item = text.lstrip()[:1] == "-" or text.lstrip().split(" ", 1)[0].rstrip(".)").isdigit()
        if not item and held:
            yield "\n".join(held)
            held = []
        if item:
            held.append(text)
        else:
            yield text
    if held:
        yield "\n".join(held)


def _items(page: Any, blocks: list[TextBlock]) -> Iterator[TextBlock | Table]:
    rules = page_rules(page) if blocks else Rules()
    fenced = _fenced(page, rules)
    upright = [_outside(block, fenced) for block in blocks if all(line.upright for line in block.lines)]
    aslant = [block for block in blocks if not all(line.upright for line in block.lines)]
    for number, region in enumerate(groups := regions([block for block in upright if block.lines]) or [[]]):
        tables: list[Table] = [table for table in fenced if _home(table, groups) == number]
        used: set[int] = set()
        for table, lines in aligned_tables([line for block in region for line in block.lines], rules):
            tables.append(table)
            used.update(map(id, lines))
        texts = [part for block in region for part in _parts(block, used)]
        yield from _continued(from_the_top([*texts, *tables]))
    yield from aslant


def _continued(items: Sequence[TextBlock | Table]) -> Iterator[TextBlock | Table]:
    """Join the blocks that are lines of one paragraph: some programs place each line by itself."""
    held: TextBlock | None = None
    for item in items:
        if held is not None and isinstance(item, TextBlock) and _goes_on(held, item):
            held = TextBlock((*held.lines, *item.lines))
            continue
        if held is not None:
            yield held
        held = item if isinstance(item, TextBlock) else None
        if held is None:
            yield item
    if held is not None:
        yield held


def _goes_on(above: TextBlock, below: TextBlock) -> bool:
    last, first = above.lines[-1], below.lines[0]
    same = first.size == last.size and first.bold == last.bold and first.mono == last.mono and not begins_item(below)
    near = -0.3 * last.size < first.box.y0 - above.box.y1 < 0.45 * last.size
    width = max(above.box.width, below.box.width)
    bottom = around(line.box for line in above.lines if line.box.beside(last.box))
    full = bottom.width > 0.85 * width  # a paragraph's last line is short
    return same and near and full and abs(above.box.x0 - below.box.x0) < max(4 * last.size, 0.1 * width)


def _fenced(page: Any, rules: Rules) -> list[Table]:
    if len(rules.across) < 2 or not rules.down:
        return []

    return fenced_tables(rules, [(Box(*word[:4]), word[4]) for word in page.get_text("words")])


def _outside(block: TextBlock, tables: list[Table]) -> TextBlock:
    lines = tuple(line for line in block.lines if not any(table.box.holds(line.box.middle, 1) for table in tables))
    return TextBlock(lines)


def _home(table: Table, groups: list[list[TextBlock]]) -> int:
    """Return the group in whose place the `table` is read: the one that is nearest to it."""

    def distance(number: int) -> float:
        return min((abs(block.box.y0 - table.box.y0) + abs(block.box.x0 - table.box.x0) for block in groups[number]), default=1e9)

    return min(range(len(groups)), key=distance)


def _parts(block: TextBlock, used: set[int]) -> Iterator[TextBlock]:
    """Yield what of `block` is not in a table, parted where a table stood between, and where a heading begins or ends."""
    part: list[Line] = []
    for line in block.lines:
        taken = id(line) in used
        if part and (taken or _differs(part[-1], line)):
            yield TextBlock(tuple(part))
            part = []
        if not taken:
            part.append(line)
    if part:
        yield TextBlock(tuple(part))


def _differs(above: Line, line: Line) -> bool:
    """Tell whether two lines of a block are set so differently that one is a heading of the other."""
    larger = abs(above.size - line.size) >= 0.12 * min(above.size, line.size)
    if above.box.beside(line.box):  # a title with a date or a number at the other side of the page
        return larger and line.box.x0 - above.box.x1 > 3 * above.size
    return larger or (above.bold != line.bold and line.box.y0 > above.box.y1 - 1)
