"""What a file holds, in passages that can be quoted, each with its heading and place; its tables
as tables.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

_LONGEST = 700
"""Characters of a passage, a Chinese one counting as two. A longer section is several."""
_PLACE = re.compile(r"<!-- (?P<place>page \d+|sheet .+) -->")
_SPEAKER = re.compile(r"\**(?P<name>[^\W\d][\w .]{0,18}?)\s*\d*\s*[:：]\**\s*")
_ASKERS = frozenset(["q", "question", "问", "问题"])
_ASKS = re.compile(r"[^-#|>].*[?？][\s*_”\"]*", re.DOTALL)
"""A line that asks. In a text with two such lines each begins a pair with what follows."""
_CJK = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
_EMPHASIS = re.compile(r"[*_`]{1,2}(?=\S)(.+?)(?<=\S)[*_`]{1,2}(?!\w)")
MARK = "<!-- dogent: extracts -->"
"""Is in every draft of the finder, which is no source for the next one."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Some blocks of a file under one heading, or a row of a table. `headings` are those above it,
    outermost first.

    `place` is its page, sheet or row, `question` what it answers, `title` that of the file; `order`
    counts from 0.
    """

    path: str
    text: str
    headings: tuple[str, ...] = ()
    place: str = ""
    question: str = ""
    title: str = ""
    order: int = 0
    is_row: bool = False

    @property
    def heading(self) -> str:
        """The nearest heading, empty for none."""
        return self.headings[-1] if self.headings else ""

    @property
    def where(self) -> str:
        """Where in its file it is: its page, sheet or row, the question, its heading; empty for
        none.
        """
        name = self.question or (self.heading if self.heading != self.title else "")
        return self.place or (f"“{name}”" if name else "")


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the names of its columns, and its rows, each as long as `names`. `place` is its
    sheet or page.
    """

    path: str
    place: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self, rows: Sequence[int] = (), columns: Sequence[int] = ()) -> str:
        """Return some rows and columns as Markdown, all unless told."""
        shown = columns or range(len(self.names))
        body = [self.rows[at] for at in rows] if rows else self.rows
        lines = [self.names, ["---"] * len(self.names), *body]
        return "\n".join(f"| {' | '.join(line[at] for at in shown)} |" for line in lines)


@dataclass(slots=True)
class Document:
    """A file taken apart. `headings` are (level, title) in order."""

    path: str
    text: str
    title: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    @property
    def is_table(self) -> bool:
        """Whether it is nothing but tables."""
        return bool(self.tables) and all(passage.is_row for passage in self.passages)


@lru_cache(maxsize=64)
def parse(path: str, text: str) -> Document:
    """Take the file `path`, which reads as the Markdown (or csv, tsv) `text`, apart."""
    reader = _Reader(Document(path, text))
    if path.lower().endswith((".csv", ".tsv")) and not text.startswith("|"):
        delimiter = max(",;\t", key=text.partition("\n")[0].count)
        with suppress(csv.Error):  # a cell without an end, say
            rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if any(row)]
            reader.add_table(rows, first=2)
    else:
        reader.read(text)
    return reader.document


class _Reader:
    """Goes through the blocks of a text, and gathers them under their heading, or the question
    they answer.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self._above: list[tuple[int, str]] = []
        self._place = self._question = ""
        self._blocks: list[str] = []
        asked = list(filter(_ASKS.fullmatch, map(str.strip, document.text.splitlines())))
        names = Counter(map(_speaker, asked))
        # Who asks more than once asks always, also without a question mark.
        self._askers = _ASKERS | {name for name, count in names.items() if name and count > 1}
        self._is_talk = len(asked) > 1 or bool(_ASKERS & names.keys())

    def read(self, text: str) -> None:
        """Take a Markdown text apart."""
        from markdown_it import MarkdownIt
        from mdit_py_plugins.front_matter import front_matter_plugin

        first = next((line.strip() for line in text.splitlines() if line.strip()), "")
        self.document.title = "" if first.startswith(("#", "<", "-", "|")) else first[:100]
        markdown = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
        for block in _blocks(markdown.parse(text)):
            self._take(block)
        self._finish()

    def _take(self, block: Sequence["Token"]) -> None:
        kind = block[0].type
        if kind in ("heading_open", "table_open", "html_block"):
            self._finish()
        if kind == "heading_open":
            level, title = int(block[0].tag[1:]), _plain(block[1].content)
            self._above = [one for one in self._above if one[0] < level] + [(level, title)]
            self.document.headings.append((level, title))
            self.document.title, self._question = self.document.title or title, ""
        elif kind == "table_open":
            self.add_table(_cells(block))
        elif kind == "html_block":
            found = _PLACE.match(block[0].content)
            self._place = found["place"] if found else self._place
        elif kind == "paragraph_open" and self._is_talk:
            for turn in _turns(block[1].content):
                self._add(turn, is_question=bool(_ASKS.fullmatch(turn)))
        elif kind not in ("front_matter", "hr"):
            self._add("\n".join(_lines(block)))

    def add_table(self, rows: Sequence[Sequence[str]], first: int = 1) -> None:
        """Add a table, its names being the first of `rows`; `first` is the number of the row
        after them.
        """
        if not rows:
            return
        names = tuple(cell.strip() for cell in rows[0])
        full = ([*map(str.strip, row), *[""] * len(names)] for row in rows[1:])
        body = tuple(tuple(row[: len(names)]) for row in full)
        self.document.tables.append(Table(self.document.path, self._place, names, body))
        pairs = (zip(names, row, strict=True) for row in body)
        told = ([f"{name}: {cell}" for name, cell in row if cell] for row in pairs)
        texts = ["; ".join(row).replace("; : ", "; ").removeprefix(": ") for row in told]
        if self._above and sum(map(width, texts)) <= _LONGEST:  # small, in a text: read as a whole
            self._pass("\n".join(f"- {row}" for row in texts))
            return
        for number, text in enumerate(texts, first):
            self._pass(text, f"row {number}")

    def _add(self, text: str, *, is_question: bool = False) -> None:
        if is_question or _speaker(text) in self._askers:
            self._finish()
            self._question = _SPEAKER.sub("", text, count=1).strip("* ")
            return
        if sum(map(width, self._blocks)) + width(text) > _LONGEST:
            self._finish()
        self._blocks += [text] if text.strip() else []

    def _finish(self) -> None:
        if self._blocks:
            self._pass("\n\n".join(self._blocks))
        self._blocks = []

    def _pass(self, text: str, row: str = "") -> None:
        found, about = self.document.passages, self.document
        above = tuple(title for _, title in self._above)
        place = ", ".join(filter(None, (self._place, row)))
        where = (about.path, text, above, place, self._question, about.title, len(found))
        found.append(Passage(*where, bool(row)))


def _blocks(tokens: Sequence["Token"]) -> Iterator[Sequence["Token"]]:
    """Yield the tokens of each block that is within no other."""
    start = 0
    for end, token in enumerate(tokens, 1):
        if token.level == 0 and token.nesting <= 0:
            yield tokens[start:end]
            start = end


def _lines(block: Sequence["Token"]) -> Iterator[str]:
    """Yield what a block says, a list item or a paragraph a line, without the line breaks of the
    file.
    """
    mark = ""
    for token in block:
        if token.type == "list_item_open":
            mark = f"{token.info}{token.markup} " if token.info else "- "
        elif token.type in ("inline", "code_block", "fence"):
            yield mark + _joined(token.content)
            mark = ""


def _cells(block: Sequence["Token"]) -> list[list[str]]:
    """Return the rows of a Markdown table."""
    rows: list[list[str]] = []
    for token in block:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_plain(token.content))
    return rows


def _turns(text: str) -> Iterator[str]:
    """Yield who says what in a paragraph of a talk, a question apart from its answer."""
    lines = list[str]()
    for line in text.splitlines():
        if lines and (_speaker(line) or _ASKS.fullmatch(lines[-1])):
            yield _joined("\n".join(lines))
            lines = []
        lines.append(line)
    yield _joined("\n".join(lines))


def _speaker(line: str) -> str:
    found = _SPEAKER.match(line)
    return found["name"].casefold() if found else ""


def _joined(text: str) -> str:
    said = ""
    for line in map(str.strip, text.splitlines()):
        is_chinese = _CJK.match(said[-1:]) and _CJK.match(line[:1])
        said += line if is_chinese or not said else f" {line}"
    return said


def _plain(text: str) -> str:
    return _EMPHASIS.sub(r"\1", _joined(text).replace("\\|", "|"))


def width(text: str) -> int:
    """Return how many characters `text` has, a Chinese one counting as two."""
    return len(text) + len(_CJK.findall(text))
