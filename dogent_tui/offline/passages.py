"""Splits a file into passages that can be quoted, each with its heading and place, and extracts its
tables.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from dogent_tui.plain import columns_of

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

_LONGEST = 700
"""The length of a passage in characters, a Chinese one counting as two. A longer section is
split.
"""
_PLACE = re.compile(r"<!-- (?P<place>page \d+|sheet .+) -->")
_SPEAKER = re.compile(r"\**(?P<name>[^\W\d][\w .]{0,18}?)\s*\d*\s*[:：]\**\s*")
_TURN = re.compile(rf"\n(?={_SPEAKER.pattern})|(?P<asked>[?？][ *_”\"]*)\n")
_ASKERS = frozenset(["q", "question", "问", "问题"])
_ASKS = re.compile(r"[^-#|>].*[?？][\s*_”\"]*", re.DOTALL)
"""A question. In a text with two such lines each begins a pair with what follows."""
_WIDE = r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]"
_BROKEN = re.compile(rf"(?<={_WIDE})\s*\n\s*(?={_WIDE})")
MARK = "<!-- dogent: extracts -->"
"""Contained in every draft of the finder, which is not a source for the next one."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Blocks of a file under one heading, or a row of a table. `headings` are those above it,
    outermost first.

    `place` is its page, sheet or row, `question` what it answers, `title` the file's title, `table`
    the table it is a row of.
    """

    path: str
    text: str
    headings: tuple[str, ...] = ()
    place: str = ""
    question: str = ""
    title: str = ""
    table: "Table | None" = field(default=None, compare=False)

    @property
    def heading(self) -> str:
        """The nearest heading, empty for none."""
        return self.headings[-1] if self.headings else ""

    @property
    def source(self) -> str:
        """Its file and place."""
        return f"{self.path}, {self.where}" if self.where else self.path

    @property
    def where(self) -> str:
        """Its place in the file: page, sheet or row, question, heading; empty for none."""
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
        """Return rows and columns, by default all, as Markdown."""
        shown = columns or range(len(self.names))
        body = [self.rows[at] for at in rows] if rows else self.rows
        lines = [self.names, ["---"] * len(self.names), *body]
        return "\n".join(f"| {' | '.join(line[at] for at in shown)} |" for line in lines)


@dataclass(slots=True)
class Document:
    """A file split into passages. `headings` are (level, title) in order."""

    path: str
    text: str
    title: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


@lru_cache(maxsize=64)
def parse(path: str, text: str) -> Document:
    """Split the file `path` with the Markdown (or csv, tsv) `text`."""
    document = Document(path, text)
    is_csv = path.lower().endswith((".csv", ".tsv")) and not text.startswith("|")
    parts = _csv_parts(document) if is_csv else _text_parts(document)
    # Blocks in the same place make one passage.
    for run in runs(parts, _LONGEST, lambda last, part: replace(last, text=part.text) == part):
        text = "\n\n".join(part.text for part in run)
        document.passages += [replace(run[0], text=text)] if text.strip() else []
    return document


def runs(
    parts: Iterable[Passage], longest: int, alike: Callable[[Passage, Passage], bool]
) -> Iterator[list[Passage]]:
    """Yield runs of similar blocks up to a total length; a table row stays alone."""
    run = list[Passage]()
    for part in parts:
        is_more = run and not part.table and not run[-1].table and alike(run[-1], part)
        if run and not (is_more and sum(columns_of(one.text) for one in (*run, part)) <= longest):
            yield run
            run = []
        run.append(part)
    yield from filter(None, [run])


def _csv_parts(document: Document) -> Iterator[Passage]:
    delimiter = max(",;\t", key=document.text.partition("\n")[0].count)
    with suppress(csv.Error):  # for example a cell that is not closed
        rows = list(filter(any, csv.reader(document.text.splitlines(), delimiter=delimiter)))
        yield from _table_parts(document, rows, Passage(document.path, ""), 2) if rows else ()


def _text_parts(document: Document) -> Iterator[Passage]:
    """Yield the blocks of a Markdown text, each with its heading, or the question it answers."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode
    from mdit_py_plugins.front_matter import front_matter_plugin

    every = [*filter(None, map(str.strip, document.text.splitlines())), ""]
    asked = list(filter(_ASKS.fullmatch, every))
    names = Counter(map(_speaker, asked))
    # Someone who asks more than once always asks, even without a question mark.
    askers = _ASKERS | {name for name, count in names.items() if name and count > 1}
    is_talk = len(asked) > 1 or bool(_ASKERS & names.keys())
    document.title = "" if every[0].startswith(("#", "<", "-", "|")) else every[0][:100]
    here, above = Passage(document.path, "", title=document.title), dict[int, str]()
    # A change of speaker begins a paragraph, and so does what follows a question.
    text = _TURN.sub(r"\g<asked>\n\n", document.text) if is_talk else document.text
    markdown = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
    for block in SyntaxTreeNode(markdown.parse(text)).children:
        if block.type == "heading":
            level, title = int(block.tag[1:]), _plain(block)
            document.headings.append((level, title))
            document.title = document.title or title
            above = {at: name for at, name in above.items() if at < level} | {level: title}
            here = replace(here, headings=(*above.values(),), title=document.title, question="")
        elif block.type == "table":
            lines = (node for node in block.walk() if node.type == "tr")
            rows = [[_plain(cell) for cell in line.children] for line in lines]
            yield from _table_parts(document, rows, here)
        elif found := _PLACE.match(block.content):
            here = replace(here, place=found["place"])
        elif block.type not in ("front_matter", "hr", "html_block"):
            text = "\n".join(_lines(block))
            is_asked = is_talk and block.type == "paragraph" and _ASKS.fullmatch(text)
            if is_asked or _speaker(text) in askers:
                here = replace(here, question=_SPEAKER.sub("", text, count=1).strip("* "))
            else:
                yield replace(here, text=text)


def _table_parts(
    document: Document, rows: Sequence[Sequence[str]], here: Passage, first: int = 1
) -> Iterator[Passage]:
    """Yield the rows of a table, whose column names are the first of `rows`; `first` is the number
    of the row after them.
    """
    names = tuple(cell.strip() for cell in rows[0])
    full = ([*map(str.strip, row), *[""] * len(names)] for row in rows[1:])
    body = tuple(tuple(row[: len(names)]) for row in full)
    table = Table(here.path, here.place, names, body)
    document.tables.append(table)
    pairs = (zip(names, row, strict=True) for row in body)
    told = [[f"{name}: {cell}".removeprefix(": ") for name, cell in row if cell] for row in pairs]
    texts = ["; ".join(row) for row in told]
    if here.headings and sum(map(columns_of, texts)) <= _LONGEST:  # in a text: read as a whole
        yield replace(here, text="\n".join(f"- {row}" for row in texts))
        return
    for number, text in enumerate(texts, first):
        place = f"{here.place}, row {number}".removeprefix(", ")
        yield replace(here, text=text, place=place, table=table)


def _lines(block: "SyntaxTreeNode") -> Iterator[str]:
    """Yield the text of a block, one list item or paragraph per line, without the line breaks of
    the file.
    """
    mark = ""
    for node in block.walk():
        if node.type == "list_item":
            mark = f"{node.info}{node.markup} " if node.info else "- "
        elif node.type in ("inline", "code_block", "fence"):
            yield mark + _joined(node.content)
            mark = ""


def _speaker(line: str) -> str:
    return str((_SPEAKER.match(line) or {"name": ""})["name"]).casefold()


def _joined(text: str) -> str:
    """Return `text` on one line; Chinese is joined without spaces."""
    return " ".join(_BROKEN.sub("", text).split())


def _plain(block: "SyntaxTreeNode") -> str:
    """Return the text of a heading or a cell without markup."""
    leaves = (node for node in block.walk() if not node.children)
    return "".join(" " if node.type == "softbreak" else node.content for node in leaves)
