"""Where in a document a part of its Markdown comes from, in a few words."""

from collections.abc import Sequence

from dogent_tui.documents.spool import Shown


def places(shown: Sequence[Shown]) -> str:
    """Return `` · pages 3–5``, `` · sheet Visits, A1:D50``, `` · lines 1–80``, or nothing where nothing is known."""
    if not shown:
        return ""
    first, last = shown[0].source, shown[-1].source
    if last.page:
        begin = first.page or last.page
        return f" · page {last.page}" if begin == last.page else f" · pages {begin}–{last.page}"
    if last.sheet or last.cells:
        sheet = f"sheet {last.sheet}, " if last.sheet and last.cells else f"sheet {last.sheet}" if last.sheet else ""
        cells = f"{(first.cells or last.cells).partition(':')[0]}:{last.cells.rpartition(':')[2]}" if last.cells else ""
        return f" · {sheet}{cells}"
    return f" · from line {first.line}" if first.line else ""
