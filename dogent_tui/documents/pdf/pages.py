"""Which pages are wanted: ``3-7,12``."""

import re

from dogent_tui.documents.model import DocumentError
from dogent_tui.language import ngettext, tr

_PART = re.compile(r"\s*(\d*)\s*(?:([-–])\s*(\d*))?\s*")


def wanted_pages(text: str, count: int) -> list[int]:
    """Return the pages that `text` names, counted from 1, in its order and each once; all of the
    `count` pages where it is empty.

    ``3``, ``3-7``, ``-3`` (the first three), ``12-`` (to the end) and these joined by commas. A
    range that begins inside ends with the last page. Raises DocumentError.
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
