"""Splits a file into passages that can be quoted, each with its heading and place, and extracts its
tables; and finds passages by their words.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from dogent_tui.plain import columns_of
from dogent_tui.records import Record

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode
import difflib
import math
from collections import defaultdict
from collections.abc import Mapping
from typing import TypeAlias

from dogent_tui.offline.words import Language, language_of, related, terms, words

_LONGEST = 700
"""The length of a passage in characters, a Chinese one counting as two. A longer section is
split.
"""
_PLACE = re.compile(r"<!-- (?P<place>page \d+|sheet .+) -->")
_ATTRIBUTES = re.compile(r"\s*\{(?=[#.]|\w+=)(?:[^{}]*?#(?P<id>[^\s{}]+))?[^{}]*\}$")
_SPEAKER = re.compile(r"\**(?P<name>[^\W\d][\w .]{0,18}?)\s*\d*\s*[:：]\**\s*")
_TURN = re.compile(rf"\n(?={_SPEAKER.pattern})|(?P<asked>[?？][ *_”\"]*)\n")
_ASKERS = frozenset(["q", "question", "问", "问题"])
_ASKS = re.compile(r"[^-#|>].*[?？][\s*_”\"]*", re.DOTALL)
"""A question. In a text with two such lines each begins a pair with what follows."""
_WIDE = r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]"
_BROKEN = re.compile(rf"(?<={_WIDE})\s*\n\s*(?={_WIDE})")
MARK = "<!-- dogent: extracts -->"
"""Contained in every draft of the finder, which is not a source for the next one."""


class Passage(Record):
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
    table: "Table | None" = None

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


class Table(Record, eq=False):
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


class Heading(NamedTuple):
    """A heading: its level, its text, and the anchor that links to it."""

    level: int
    title: str
    anchor: str


class Document(msgspec.Struct):
    """A file split into passages, with its `headings` in order."""

    path: str
    text: str
    title: str = ""
    headings: list[Heading] = []
    passages: list[Passage] = []
    tables: list[Table] = []


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
    from mdit_py_plugins.anchors.index import slugify
    from mdit_py_plugins.front_matter import front_matter_plugin

    every = [*filter(None, map(str.strip, document.text.splitlines())), ""]
    asked = list(filter(_ASKS.fullmatch, every))
    is_talk = len(asked) > 1 or not _ASKERS.isdisjoint(map(_speaker, asked))
    document.title = "" if every[0].startswith(("#", "<", "-", "|")) else every[0][:100]
    here, above = Passage(document.path, "", title=document.title), dict[int, str]()
    # A change of speaker begins a paragraph, and so does what follows a question.
    text = _TURN.sub(r"\g<asked>\n\n", document.text) if is_talk else document.text
    markdown = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
    for block in SyntaxTreeNode(markdown.parse(text)).children:
        if block.type == "heading":
            written, level = _plain(block), int(block.tag[1:])
            title, named = _ATTRIBUTES.sub("", written), _ATTRIBUTES.search(written)
            anchor = (named and named["id"]) or slugify(title)
            document.headings.append(Heading(level, title, anchor))
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
            if is_asked or _speaker(text) in _ASKERS:
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


_SATURATION, _LENGTH = 1.2, 0.65
_RELATED, _ACROSS, _MISSPELT, _SIGN = 0.45, 0.2, 0.8, 0.3
"""The weights of a synonym, one in the other language, a similar spelling, and a single Chinese
character, which finds a word within another.
"""
_AROUND = 0.6
"""The weight of the words in its path, the file's title and the headings above its own."""
_ROW, _NAMED, _README, _ELSEWHERE = 0.6, 2.0, 0.6, 0.8
"""The weights of a table row, a passage whose heading contains everything, one of a README, which
is about the other files, and a word missing from a passage in the other language.
"""
_SURE, _WINDOW = 0.9, 900
"""The coverage up to which a passage is quoted with its neighbors, and the maximum length of that
quote in characters, a Chinese one counting as two.
"""
_ABSENT = 1.5
"""The additional weight against all passages of a name that none contains."""
_NAME_LIKE = re.compile(r"(?<=[\w,;] )[A-Z][\w-]+|\b\d{4}\b")
Asked: TypeAlias = Sequence[tuple[float, float, Mapping[str, float]]]
"""For each term of a question: its weight, its rarity, and its variants."""
_HAN = re.compile(r"[\u3400-\u9fff]")


class Hit(Record):
    """A match. `coverage`: the share of the question's words it contains, weighted by rarity, 0 to
    1; `at`: the position of the passage in its index.
    """

    passage: Passage
    score: float
    coverage: float
    at: int


def good(hits: Sequence[Hit], least: float) -> list[Hit]:
    """Return the hits with sufficient coverage that are not far behind the best."""
    return [hit for hit in hits if hit.coverage >= least and hit.score >= 0.35 * hits[0].score]


class Index:
    """A searchable set of passages, those of a file being consecutive."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._passages = list(passages)
        self._bags = [_bag(passage) for passage in self._passages]
        self._lengths = [sum(bag.values()) for bag in self._bags]
        self._average = sum(self._lengths) / max(1, len(self._lengths)) or 1.0
        holders = Counter(term for bag in self._bags for term in bag)
        self._rarity = {term: self._rare(holders) for term, holders in holders.items()}
        near = runs(self._passages, _WINDOW, lambda last, one: last.path == one.path)
        self._windows = [run for run in near for _ in run]

    def search(self, question: str) -> list[Hit]:
        """Return what to quote, best first: passages with words of `question` and their neighbors,
        without duplicates.
        """
        hits, shown = list[Hit](), set[Passage]()
        for hit in self.rank(question):
            if hit.passage not in shown:
                around = self._windows[hit.at] if hit.coverage < _SURE else [hit.passage]
                shown |= set(around)
                hits.append(replace(hit, passage=_in_context(hit.passage, around)))
        return hits

    def rank(self, question: str) -> list[Hit]:
        """Return the passages with words of `question`, best first."""
        weighed, once = dict(_weighed(question)).items(), self._rare(1)
        asked = [
            (weight, self._rarity.get(term, once), self._ways(term)) for term, weight in weighed
        ]
        # If a name or number occurs nowhere here, the answer probably does not either.
        names = (terms(name) for name in _NAME_LIKE.findall(question))
        absent = sum(self._rarity.keys().isdisjoint(self._ways(one[0])) for one in names if one)
        beyond = _ABSENT * absent * once
        language = language_of(question)
        hits = (self._score(at, asked, language, beyond) for at in range(len(self._bags)))
        found = (hit for hit in hits if hit.score)
        return sorted(found, key=lambda hit: (-hit.score, hit.passage.path, hit.at))

    def _score(self, at: int, asked: Asked, language: Language, beyond: float) -> Hit:
        passage, bag = self._passages[at], self._bags[at]
        norm = _SATURATION * (1 - _LENGTH + _LENGTH * self._lengths[at] / self._average)
        heading = set(terms(passage.heading if passage.heading != passage.title else ""))
        score, covered, whole = 0.0, 0.0, beyond
        for weight, rarity, ways in asked:
            rare = weight * rarity
            held = [(value, way) for way, value in ways.items() if way in bag]
            worth = (value * self._rarity[way] / (1 + norm / bag[way]) for value, way in held)
            score += weight * max(worth, default=0.0)
            covered += rare * min(1.0, 0.2 + max(held)[0]) if held else 0.0
            whole += rare if held or language_of(passage.text) == language else rare * _ELSEWHERE
        share = covered / (whole or 1.0)
        is_named = all(ways.keys() & heading for weight, _, ways in asked if weight == 1)
        is_readme = passage.path.rpartition("/")[2].lower().startswith("readme.")
        score *= _ROW ** bool(passage.table) * _NAMED**is_named * _README**is_readme
        return Hit(passage, score * (0.5 + share), share, at)

    def _ways(self, term: str) -> Mapping[str, float]:
        """Return the variants to look for of `term`, with their weights."""
        alike = related().get(term, ())
        ways = {one: _RELATED if one.isascii() == term.isascii() else _ACROSS for one in alike}
        if term not in self._rarity and term.isalpha() and len(term) > 4:
            close = [] if ways else difflib.get_close_matches(term, self._rarity, 1, 0.84)
            ways |= dict.fromkeys(close, _MISSPELT)
        return ways | {term: 1.0}

    def _rare(self, holders: int) -> float:
        return math.log(1 + (len(self._bags) - holders + 0.5) / (holders + 0.5))


def _in_context(core: Passage, parts: Sequence[Passage]) -> Passage:
    """Return `core` with the text of all `parts`, each under its heading and its question."""
    if len(parts) == 1:
        return core
    texts, heading = list[str](), core.title
    for part in parts:
        texts += [f"**{part.heading}**"] if part.heading not in ("", heading) else []
        texts += [f"*{part.question}*"] if part.question else []
        texts.append(part.text)
        heading = part.heading
    return replace(core, text="\n\n".join(texts), question="")


def _bag(passage: Passage) -> dict[str, float]:
    """Return the weight of each term in a passage."""
    bag: dict[str, float] = defaultdict(float)
    own = f"{passage.text} {passage.question} {passage.heading}"
    around = " ".join((passage.path, passage.place, passage.title, *passage.headings[:-1]))
    for factor, text in ((1.0, own), (_AROUND, around)):
        for term, weight in _weighed(text):
            bag[term] += factor * weight
    return dict(bag)


def _weighed(text: str) -> Iterator[tuple[str, float]]:
    """Yield the terms of a text, and its Chinese characters, with their weights."""
    yield from ((term, 1.0) for term in terms(text))
    yield from ((f"#{sign}", _SIGN) for sign in _HAN.findall(text) if sign not in words()["stop"])
