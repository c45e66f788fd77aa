"""Documents as `read_document` returns them: which files it is asked for, and its answers put together into one text."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

READ_DOCUMENT = "mcp__dogent__read_document"
DOCUMENT_TYPES = ("pdf", "docx", "docm", "dotx", "odt", "rtf", "pptx", "epub", "html", "htm", "ipynb", "xlsx", "xlsm", "xltx")
"""What is read with `read_document`; anything else is text, for Read."""
WORKBOOK_TYPES = ("xlsx", "xlsm", "xltx")
PART_CHARS = 20_000
"""Characters of a part. Several parts of several documents have to fit into the CLI's window of 200,000 tokens."""

PLACE = re.compile(r"<!-- (?P<place>page \d+|sheet .+) -->$")
"""A line that says where what follows stands: the pdf reader writes such lines, and `joined` does for sheets."""

_HEAD = re.compile(r"^.* · [\w-]+ · characters \d+ to (?P<end>\d+)(?: of \d+)?(?: · (?P<place>.*))?$")
_MORE = re.compile(r"^There is more: call read_document again with offset (?P<offset>\d+)\.$")
_METADATA = "Metadata: "
_FIRST_PAGE = re.compile(r"pages? (?P<page>\d+)")
"""What stands before the text of an answer (`as_text` in `tools/documents.py` words it)."""


@dataclass(frozen=True, slots=True)
class Part:
    """One answer. `next_offset` is where to read on, None at the end; `sheet` the one it is of, `sheets` all that are shown.

    `page` is the page at which it begins, 0 where the document has none.
    """

    text: str
    next_offset: int | None = None
    page: int = 0
    sheet: str = ""
    sheets: tuple[str, ...] = ()


def is_document(path: str) -> bool:
    """Whether `path` is named like what `read_document` is for."""
    return extension(path) in DOCUMENT_TYPES


def is_workbook(path: str) -> bool:
    """Whether `path` is named like a workbook."""
    return extension(path) in WORKBOOK_TYPES


def extension(path: str) -> str:
    """Return what a file's name ends in, in lower case and without the dot."""
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def parse_part(answer: str) -> Part:
    """Take an answer of `read_document` apart. One that does not begin as we know it counts as text."""
    head, _, text = answer.partition("\n\n")
    lines = head.splitlines()
    found = _HEAD.match(lines[0]) if lines else None
    if found is None:
        return Part(answer)
    more = [int(match["offset"]) for line in lines if (match := _MORE.match(line))]
    page = _FIRST_PAGE.match(found["place"] or "")
    known = next((line.removeprefix(_METADATA) for line in lines if line.startswith(_METADATA)), "{}")
    sheet, sheets = _sheets(known)
    return Part(text, more[0] if more else None, int(page["page"]) if page else 0, sheet, sheets)


def joined(parts: Iterable[Part]) -> str:
    """Return the text of a document from its parts in order, with a line that names the place where a part begins without one."""
    text, sheet = "", ""
    for part in parts:
        begins = f"<!-- page {part.page} -->" if part.page else f"<!-- sheet {part.sheet} -->" if part.sheet else ""
        goes_on = bool(part.sheet) and part.sheet == sheet
        if goes_on and part.text.startswith("|"):
            text = f"{text}\n{part.text}"  # the same table: its columns have their names from the part before
            continue
        marked = not begins or goes_on or PLACE.match(part.text.partition("\n")[0]) is not None
        text = "\n\n".join(piece for piece in (text, "" if marked else begins, part.text) if piece)
        sheet = part.sheet
    return text


def _sheets(metadata: str) -> tuple[str, tuple[str, ...]]:
    try:
        known = json.loads(metadata)
    except (ValueError, RecursionError):
        return "", ()
    if not isinstance(known, dict):
        return "", ()
    listed = known.get("sheets")
    shown = [
        item["name"]
        for item in (listed if isinstance(listed, list) else [])
        if isinstance(item, dict) and isinstance(item.get("name"), str) and item.get("state", "visible") == "visible"
    ]
    return str(known.get("sheet") or ""), tuple(shown)
