"""Where in a document a part of its Markdown comes from, and how far reading it is, in a few
words.
"""

from collections.abc import Sequence

from dogent_tui.documents.spool import Shown
from dogent_tui.language import tr


def places(shown: Sequence[Shown]) -> str:
    """Return `` · pages 3–5``, `` · sheet Visits, A1:D50``, `` · lines 1–80``, or nothing where
    nothing is known.
    """
    if not shown:
        return ""
    first, last = shown[0].source, shown[-1].source
    if last.page:
        begin = first.page or last.page
        pages = tr("page {page}") if begin == last.page else tr("pages {begin}–{page}")
        return " · " + pages.format(begin=begin, page=last.page)
    if last.sheet or last.cells:
        sheet = tr("sheet {sheet}").format(sheet=last.sheet) if last.sheet else ""
        cells = (
            f"{(first.cells or last.cells).partition(':')[0]}:{last.cells.rpartition(':')[2]}"
            if last.cells
            else ""
        )
        return " · " + ", ".join(filter(None, (sheet, cells)))
    return " · " + tr("from line {line}").format(line=first.line) if first.line else ""


_UNITS = {"pages": tr("pages"), "rows": tr("rows"), "parts": tr("parts"), "bytes": tr("bytes")}
"""What readers count while they read."""


def how_far(done: int, total: int, what: str) -> str:
    """Return `` 3 of 18 pages``, `` 1,200 rows`` where nobody knows of how many, or nothing
    where it has just begun.
    """
    unit = _UNITS.get(what, what)
    if total:
        return tr(" {done:,} of {total:,} {what}").format(done=done, total=total, what=unit)
    return f" {done:,} {unit}" if done else ""
