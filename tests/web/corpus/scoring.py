"""The scores of two public benchmarks of article extraction, on the pages of them that are in the
shared corpus.

`saeb` is scrapinghub/article-extraction-benchmark: shingles of four words, counted, precision and
recall averaged over the pages, and F1 of these averages. `traf` is the evaluation of
adbar/trafilatura: pieces of text that an extraction should have and should not have, counted over
all pages.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

SHINGLE = 4
_WORD = re.compile(r"\w+")


class Page(NamedTuple):
    """A page of the corpus, with what an extraction of it should give: a text, or pieces that it
    has and has not.
    """

    name: str
    html: bytes
    url: str
    text: str | None
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


class Score(NamedTuple):
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def pages(documents: Path) -> Iterator[Page]:
    """Yield the pages of the corpus in the folder `documents`."""
    for entry in json.loads((documents / "manifest.json").read_text())["entries"]:
        if entry["kind"] != "html":
            continue
        html = gzip.decompress((documents / entry["path"]).read_bytes())
        expected, url = entry["expected"], entry["notes"].split()[0] if entry["notes"] else ""
        if expected["type"] == "article-text":
            yield Page(
                entry["id"], html, url, (documents / expected["text"]).read_text(encoding="utf-8")
            )
        else:
            yield Page(
                entry["id"], html, url, None, tuple(expected["with_"]), tuple(expected["without"])
            )


def plain_text(markdown: str) -> str:
    """Return what a reader sees of `markdown`: the benchmarks know no markup, and targets of
    links are none of their words.
    """
    from markdown_it import MarkdownIt

    parts: list[str] = []
    for token in (
        MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).parse(markdown)
    ):
        if token.type == "inline":
            parts.extend(
                "\n" if child.type in {"softbreak", "hardbreak"} else child.content
                for child in token.children or ()
            )
        elif token.type in {"fence", "code_block"}:
            parts.append(token.content)
        if token.block and token.type.endswith(("_close", "inline", "fence", "code_block")):
            parts.append("\n")
    return "".join(parts)


def shingle_score(expected: str, found: str) -> Score:
    """Return the score of one page."""
    wanted, got = Counter(_shingles(expected)), Counter(_shingles(found))
    right = (wanted & got).total()
    missing, excess = wanted.total() - right, got.total() - right
    if not missing and not excess:
        return Score(1.0, 1.0)
    return Score(
        right / (right + excess) if right + excess else 0.0,
        right / (right + missing) if right + missing else 0.0,
    )


def shingles_of(results: Iterable[tuple[str, str]]) -> Score:
    """Return the score over pages, given for each what was expected and what was found."""
    scores = [shingle_score(expected, found) for expected, found in results]
    return Score(
        sum(s.precision for s in scores) / len(scores), sum(s.recall for s in scores) / len(scores)
    )


def pieces_of(results: Iterable[tuple[Page, str]]) -> Score:
    """Return the score over pages, given each and what was found in it."""
    right = wrong = missing = 0
    for page, text in results:
        found = _spaced(text)
        has = sum(_spaced(piece) in found for piece in page.wanted)
        right, missing = right + has, missing + len(page.wanted) - has
        wrong += sum(_spaced(piece) in found for piece in page.unwanted)
    return Score(
        right / (right + wrong) if right + wrong else 0.0,
        right / (right + missing) if right + missing else 0.0,
    )


def score(found: Iterable[tuple[Page, str]]) -> dict[str, Score]:
    """Return the score of each benchmark, given pages and the plain text that was found in each."""
    results = list(found)
    whole = [(page.text, text) for page, text in results if page.text is not None]
    parts = [(page, text) for page, text in results if page.text is None]
    return {
        name: of(chosen)
        for name, of, chosen in (("saeb", shingles_of, whole), ("traf", pieces_of, parts))
        if chosen
    }


def _shingles(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text)
    for start in range(max(1, len(words) - SHINGLE + 1)):
        yield tuple(words[start : start + SHINGLE])


def _spaced(text: str) -> str:
    return " ".join(text.split())
