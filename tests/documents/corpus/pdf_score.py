"""How much of the headings, cells and words of known pdf files is found: `python -m
tests.documents.corpus.pdf_score FOLDER`.

*Heading recall*: the share of the golden headings (lines with ``#``; letters and digits only,
without case) that are headings of ours. *Cell recall*: the share of the golden tables' cells (their
text without Markdown's marks and with single spaces; empty cells do not count; a multiset over the
document) that are cells of ours. *Word recall*: the share of the golden words (letters and digits,
CJK by the character; a multiset) that are anywhere in ours. False headings and cells are those that
the golden text has not. Means are over the documents that have any. *Heading precision*: the share
of our headings that are golden ones, over all documents whose golden text has headings: that of the
others marks none, though they have some.
"""

import json
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.pdf.reader import open_pdf

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_MARKS = re.compile(
    r"\\([\\`*_{}\[\]()#+\-.!|<>~$])|[*`~^]|!?\[([^\]]*)\]\([^)]*\)|\{#[^}]*\}|<[^>]+>"
)
_WORD = re.compile(r"[぀-ヿ一-鿿가-힣]|\w+")


@dataclass
class Score:
    """What was found in one document; None where it has nothing of the kind."""

    name: str
    headings: float | None = None
    true_headings: int = 0
    false_headings: int = 0
    cells: float | None = None
    false_cells: int = 0
    words: float | None = None
    pages: int = 0
    cpu_s: float = 0.0
    missed: list[str] = field(default_factory=list)


def plain(markdown: str) -> str:
    """Return the text without Markdown's marks, with single spaces."""
    return " ".join(_MARKS.sub(lambda m: m[1] or m[2] or "", markdown).split())


def headings(markdown: str) -> Counter[str]:
    """Return the headings, as they are compared."""
    lines = _FENCED.sub("", _FRONT_MATTER.sub("", markdown)).splitlines()
    found = (
        re.sub(r"[\W_]", "", plain(line.lstrip("# "))).casefold()
        for line in lines
        if re.match(r"#{1,6} ", line)
    )
    return Counter(filter(None, found))


def cells(markdown: str) -> Counter[str]:
    """Return the cells of all pipe tables, as they are compared."""
    found: Counter[str] = Counter()
    for line in _FENCED.sub("", markdown).splitlines():
        row = line.strip()
        if not row.startswith("|") or not row.endswith("|") or re.fullmatch(r"[|\s:-]+", row):
            continue
        found.update(
            text for cell in re.split(r"(?<!\\)\|", row[1:-1]) if (text := plain(cell).casefold())
        )
    return found


def words(markdown: str) -> Counter[str]:
    """Return the words."""
    return Counter(_WORD.findall(plain(_FRONT_MATTER.sub("", markdown)).casefold()))


def _recall(gold: Counter[str], ours: Counter[str]) -> float | None:
    return (gold & ours).total() / gold.total() if gold else None


def read(path: Path) -> str:
    """Return what the reader makes of a pdf."""
    return "\n\n".join(
        block.markdown for block in open_pdf(path, ReadOptions(), lambda *_: None).blocks
    )


def score(path: Path, gold: str) -> Score:
    """Compare what is read of `path` with the golden Markdown."""
    began = time.process_time()
    ours = read(path)
    spent = time.process_time() - began
    found = Score(path.name, pages=ours.count("<!-- page "), cpu_s=spent)
    gold_headings, our_headings = headings(gold), headings(ours)
    gold_cells, our_cells = cells(gold), cells(ours)
    found.headings, found.false_headings = (
        _recall(gold_headings, our_headings),
        (our_headings - gold_headings).total(),
    )
    found.true_headings = (gold_headings & our_headings).total()
    found.cells, found.false_cells = (
        _recall(gold_cells, our_cells),
        (our_cells - gold_cells).total(),
    )
    found.words = _recall(words(gold), words(ours))
    found.missed = [
        *map("# {}".format, gold_headings - our_headings),
        *map("| {}".format, gold_cells - our_cells),
    ]
    return found


def scores(folder: Path, split: str = "dev") -> list[Score]:
    """Return the scores of the documents of `folder` (with ``manifest.json``) that have golden
    Markdown.
    """
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["entries"]
    chosen = [
        e for e in entries if e["kind"] == "pdf" and e["split"] == split and "md" in e["expected"]
    ]
    return [
        score(folder / e["path"], (folder / e["expected"]["md"]).read_text(encoding="utf-8"))
        for e in chosen
    ]


def heading_precision(found: list[Score]) -> float:
    """Return the share of our headings that are golden ones, where the golden text has headings."""
    marked = [one for one in found if one.headings is not None]
    true, false = (
        sum(one.true_headings for one in marked),
        sum(one.false_headings for one in marked),
    )
    return true / max(1, true + false)


def mean(values: list[float | None]) -> float:
    """Return the mean of those that are there."""
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else 0.0


def main() -> None:
    """Print a line for each document, and the means."""
    found = scores(Path(sys.argv[1]), *sys.argv[2:3])
    for one in found:
        print(
            f"{one.name[:44]:44} headings {_shown(one.headings)} (+{one.false_headings})  cells"
            f" {_shown(one.cells)} (+{one.false_cells})  words {_shown(one.words)} "
            f" {1000 * one.cpu_s / max(1, one.pages):.0f} ms/page"
        )
        print("      ", one.missed[:14])
    pages = sum(one.pages for one in found)
    print(
        f"heading recall {mean([one.headings for one in found]):.3f}, precision"
        f" {heading_precision(found):.3f}, cell recall {mean([one.cells for one in found]):.3f},"
        f" word recall {mean([one.words for one in found]):.3f},"
        f" {1000 * sum(one.cpu_s for one in found) / pages:.0f} ms a page"
    )


def _shown(value: float | None) -> str:
    return "   — " if value is None else f"{value:.3f}"


if __name__ == "__main__":
    main()
