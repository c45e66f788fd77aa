"""What a draft claims: quotations, numbers and citations, each with its place, and the sources
that it names for them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec

from dogent_tui.sources.quotes.numbers import NUMBER, SENTENCE_END
from dogent_tui.sources.quotes.sources import Named, Names
from dogent_tui.sources.quotes.tokens import HAN

Kind = Literal["quote", "number", "citation"]

_FENCE = re.compile(r" {0,3}(?:>\s?)*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})")
_NOTE = re.compile(r" {0,3}\[\^([^\]\s]+)\]:[ \t]*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r" {0,3}#{1,6}\s+(?:\d+(?:\.\d+)*\.?(?=\s)\s*)?")
_PREFIX = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_DASH = re.compile(r"[ \t>]*(?:—|–|---?|―)\s*")
_ATTRIBUTION = re.compile(_DASH.pattern + r"\S")
_CODE = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_HIDDEN = re.compile(r"<!--.*?-->|<(?:https?:|mailto:)[^>\s]*>|https?://[^\s)>\]]+", re.DOTALL)
_LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*<?((?:[^()<>\n]|\([^()\n]*\))*?)>?(?:\s+[\"'(][^\n]*?[\"')])?\s*\)"
)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_PANDOC = re.compile(r"\[[^\[\]@]*(?<![\w])-?@[^\[\]]+\]")
_KEY = re.compile(r"(?<![\w])-?@(?:\{([^{}]+)\}|([\w:.#$%&+?<>~/-]*[\w/]))")
_REFERENCE = re.compile(r"\[\^([^\]\s]+)\](?!:)")
_PARENTHESES = re.compile(r"\(([^()\n]{1,200}(?:\n[^()\n]{1,200})?)\)|（([^（）\n]{1,200})）")
_BARE = re.compile(r"(?<![\w@(\[])@[\w./~-]*\w")
_CLOSING = {
    "“": "”",
    "”": "”",
    "„": "“”",
    "«": "»",
    "»": "«",
    "「": "」",
    "『": "』",
    '"': '"',
    "＂": "＂",
}
_OPENING = re.compile("[" + "".join(_CLOSING) + "]")
_HAN = re.compile(f"[{HAN}]")
_WORD = re.compile(rf"[^\W_{HAN}]+(?:['’.,][^\W_{HAN}]+)*")


_LONGEST = 5_000
"""Characters of a quotation between marks; a mark that is not closed by then opens none."""


class Span(NamedTuple):
    """Characters of the draft."""

    start: int
    end: int


class Claim(msgspec.Struct, frozen=True):
    """What is to be checked. `named` is what the draft names for it; of a citation, all that it
    names.

    `context` is the sentence, row or cell with its heads around a number; `text` is without the
    prefixes of a block quote.
    """

    kind: Kind
    span: Span
    text: str
    named: tuple[Named, ...] = ()
    is_missing: bool = False
    """Of a citation: a key or note that there is not."""
    context: str = ""
    at: int = 0
    """Where in `context` the number begins."""


class _Paragraph(NamedTuple):
    span: Span
    kind: Literal["text", "block", "row"]
    head: str = ""
    """Of a row: the first row of its table."""


class Draft:
    """A draft that is taken apart."""

    def __init__(self, text: str, names: Names) -> None:
        """Take the text as it is on disk."""
        self.text = text
        self._names = names
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self._notes: dict[str, str] = {}
        self._masked = text
        self._paragraphs = [*self._split()]
        self._mask(_CODE)
        self._mask(_HIDDEN)

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of a character, from 1."""
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def claims(self) -> list[Claim]:
        """Return everything that is to be checked, in order."""
        found: list[Claim] = []
        for index, paragraph in enumerate(self._paragraphs):
            behind = self._paragraphs[index + 1] if index + 1 < len(self._paragraphs) else None
            found += (
                self._block_quote(paragraph, behind)
                if paragraph.kind == "block"
                else self._prose(paragraph)
            )
        return sorted(found, key=lambda claim: claim.span)

    # ── Paragraphs
    # ────────────────────────────────────────────────────────────────────────────────

    def _mask(self, pattern: re.Pattern[str]) -> None:
        self._masked = pattern.sub(lambda found: re.sub(r"[^\n]", "\x01", found[0]), self._masked)

    def _split(self) -> Iterator[_Paragraph]:
        spans = [Span(begin, end) for begin, end in pairwise([*self._lines, len(self.text)])]
        if front := re.match(
            r"\ufeff?---[ \t]*\r?\n.*?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)", self.text, re.DOTALL
        ):
            spans = [span for span in spans if span.start >= front.end()]
        run: list[Span] = []
        fence = ""
        for span in spans:
            line = self.text[span.start : span.end]
            opening = _FENCE.match(line)
            if fence or opening:
                yield from self._paragraphs_of(run)
                run = []
                if opening and (not fence or opening[1].startswith(fence)):
                    fence = "" if fence else opening[1]
            elif not line.strip():
                yield from self._paragraphs_of(run)
                run = []
            else:
                run.append(span)
        yield from self._paragraphs_of(run)

    def _paragraphs_of(self, lines: list[Span]) -> Iterator[_Paragraph]:
        """Take lines without an empty one between them apart: headings, items, rows, block
        quotes, definitions of notes.
        """
        run: list[Span] = []
        kind = ""
        head = ""
        for span in lines:
            line = self.text[span.start : span.end]
            now = _kind_of(line, kind)
            if now != kind or now in {"row", "heading", "item", "note"}:
                yield from self._paragraph(run, kind, head)
                run = []
            if now == "row" and kind != "row":
                head = line
            run.append(span)
            kind = now
            if now in {"heading", "item", "note"}:
                kind = f"{now}, continued"
        yield from self._paragraph(run, kind, head)

    def _paragraph(self, run: list[Span], kind: str, head: str) -> Iterator[_Paragraph]:
        if not run:
            return
        start, end = run[0].start, run[-1].end
        line = self.text[start:end]
        kind = kind.partition(",")[0]
        if kind == "note":
            found = _NOTE.match(line)
            if found:
                self._notes[found[1]] = line[found.end() :]
        elif kind == "block":
            yield _Paragraph(Span(start, end), "block")
        elif kind == "row":
            if not re.fullmatch(r"[\s|:-]+", line):
                yield _Paragraph(Span(start, end), "row", head)
        elif kind != "code":
            skipped = (
                (_HEADING if kind == "heading" else _ITEM).match(line)
                if kind in {"heading", "item"}
                else None
            )
            yield _Paragraph(Span(start + (skipped.end() if skipped else 0), end), "text")

    # ── Quotations
    # ────────────────────────────────────────────────────────────────────────────────

    def _block_quote(self, paragraph: _Paragraph, behind: _Paragraph | None) -> Iterator[Claim]:
        found = re.compile(r"[^\n]+\n?").finditer(self.text, *paragraph.span)
        lines = [Span(*line.span()) for line in found]
        bare = [self.text[line.start : line.end] for line in lines]
        while lines and not bare[-1].strip(" \t>\r\n"):
            lines, bare = lines[:-1], bare[:-1]
        citations: list[Claim] = []
        if len(lines) > 1 and _ATTRIBUTION.match(bare[-1]):
            last = lines.pop()
            bare.pop()
            dash = _DASH.match(self.text, last.start, last.end)
            begin = dash.end() if dash else last.start
            citations = self._citations(Span(begin, last.end))
            if not citations:
                spelled = self.text[begin : last.end].strip()
                if named := tuple(self._names.named_in(spelled, loose=True)):
                    citations = [
                        Claim("citation", Span(begin, begin + len(spelled)), spelled, named)
                    ]
        while lines and not bare[-1].strip(" \t>\r\n"):
            lines, bare = lines[:-1], bare[:-1]
        yield from citations
        if not lines or re.match(r"[ \t>]*\[![A-Za-z]+\]", bare[0]):
            return
        prefix = re.match(r"[ \t>]*", bare[0])
        start = lines[0].start + (prefix.end() if prefix else 0)
        end = lines[-1].start + len(bare[-1].rstrip())
        inside = self._citations(Span(start, end))
        if not citations and inside and self.text[inside[-1].span.end : end].strip(' ."”“»') == "":
            citations = [inside[-1]]
            yield inside[-1]
            end = start + len(self.text[start : inside[-1].span.start].rstrip())
        if not citations and behind is not None and behind.kind == "text":
            citations = self._leading_citation(behind)
        if _is_long(self.text[start:end]):
            yield Claim(
                "quote", Span(start, end), self._without_prefixes(start, end), _named(citations[:1])
            )

    def _leading_citation(self, paragraph: _Paragraph) -> list[Claim]:
        """Return the citation of a paragraph behind a block quote, unless it is for something in
        that paragraph itself.
        """
        citations = self._citations(paragraph.span)
        if not citations:
            return []
        before = self._masked[paragraph.span.start : citations[0].span.start]
        return citations[:1] if not (_OPENING.search(before) or NUMBER.search(before)) else []

    def _without_prefixes(self, start: int, end: int) -> str:
        first, *more = self.text[start:end].split("\n")
        return "\n".join([first, *(_PREFIX.sub("", line, count=1) for line in more)])

    def _prose(self, paragraph: _Paragraph) -> Iterator[Claim]:
        quotes = [*self._quotes(paragraph.span)]
        citations = [
            claim
            for claim in self._citations(paragraph.span)
            if not any(_within(claim.span, quote) for quote in quotes)
        ]
        yield from citations
        for quote in quotes:
            if _is_long(self.text[quote.start : quote.end]):
                named = _named(_nearest(quote, citations))
                yield Claim("quote", quote, self.text[quote.start : quote.end], named)
        long = [quote for quote in quotes if _is_long(self.text[quote.start : quote.end])]
        yield from self._numbers(paragraph, long, citations)

    def _quotes(self, span: Span) -> Iterator[Span]:
        text = re.sub(
            r"\]\([^)\n]*\)",
            lambda found: "\x01" * len(found[0]),
            self._masked[span.start : span.end],
        )
        at = 0
        while opening := _OPENING.search(text, at):
            at = opening.end()
            if opening[0] in '"”“»' and not _opens(text, opening.start()):
                continue
            end = _closing(text, opening.start())
            if end is None:
                continue
            begin, stop = at, end
            while begin < stop and text[begin].isspace():
                begin += 1
            while stop > begin and text[stop - 1].isspace():
                stop -= 1
            yield Span(span.start + begin, span.start + stop)
            at = end + 1

    # ── Citations
    # ────────────────────────────────────────────────────────────────────────────────

    def _citations(self, span: Span) -> list[Claim]:
        text = self._masked[span.start : span.end]
        text = _IMAGE.sub(lambda found: "\x01" * len(found[0]), text)
        found: list[Claim] = []
        taken: list[Span] = []

        def take(
            match: re.Match[str], named: tuple[Named, ...] | None, missing: bool = False
        ) -> None:
            if any(match.start() < other.end and match.end() > other.start for other in taken):
                return
            taken.append(Span(*match.span()))
            if named is not None:
                where = Span(span.start + match.start(), span.start + match.end())
                found.append(
                    Claim("citation", where, self.text[where.start : where.end], named, missing)
                )

        for match in _LINK.finditer(text):
            take(match, self._target(match[2].strip()))
        for match in _PANDOC.finditer(text):
            take(match, *self._keys(match[0]))
        for match in _REFERENCE.finditer(text):
            note = self._notes.get(match[1])
            take(match, self._note(note or ""), note is None)
        for match in (*_PARENTHESES.finditer(text), *_BARE.finditer(text)):
            named = tuple(self._names.named_in(match[0].strip("()（）")))
            key, missing = (
                self._keys(match[0]) if not named and _KEY.search(match[0]) else ((), False)
            )
            if named or (key and not missing):
                take(match, named or key)
        return sorted(found, key=lambda claim: claim.span)

    def _target(self, target: str) -> tuple[Named, ...] | None:
        """Return what the target of a link names, None where that is no file."""
        if not target or re.match(r"[A-Za-z][\w+.-]+:|#|//|@", target) or target.endswith("/"):
            return None
        bare = target.partition("#")[0].partition("?")[0]
        pages = next(iter(self._names.named_in(f"x.md, {target[len(bare) :]}")), Named(None))
        return (pages._replace(path=self._names.path(bare)),)

    def _keys(self, text: str) -> tuple[tuple[Named, ...], bool]:
        """Return what the keys in a citation name, and whether one is missing."""
        named: list[Named] = []
        missing = False
        for part in text.strip("[]()").split(";"):
            for key in _KEY.finditer(part):
                spelled = key[1] or key[2]
                by_key = self._names.by_key(spelled, part[key.end() :])
                files = (
                    [*self._names.named_in(f"{spelled}{part[key.end() :]}")]
                    if by_key is None
                    else [by_key]
                )
                named += files
                missing = missing or not files
        return tuple(named), missing

    def _note(self, note: str) -> tuple[Named, ...]:
        for match in _PANDOC.finditer(note):
            return self._keys(match[0])[0]
        for match in _LINK.finditer(note):
            if path := self._names.path(match[2].partition("#")[0]):
                pages = self._names.named_in(f"x.md, {note[match.end() :]}")
                return (next(iter(pages), Named(None))._replace(path=path),)
        return tuple(self._names.named_in(" ".join(note.split()), loose=True))

    # ── Numbers
    # ────────────────────────────────────────────────────────────────────────────────

    def _numbers(
        self, paragraph: _Paragraph, quotes: list[Span], citations: list[Claim]
    ) -> Iterator[Claim]:
        text = self._masked[paragraph.span.start : paragraph.span.end]
        start = paragraph.span.start
        taken = [*quotes, *(claim.span for claim in citations)]
        for pattern in (_LINK, _IMAGE, _REFERENCE, re.compile(r"\[\d[\d,;–-]*\]|@\S+")):
            taken += [
                Span(start + found.start(), start + found.end()) for found in pattern.finditer(text)
            ]
        for found in NUMBER.finditer(text):
            span = Span(start + found.start(), start + found.end())
            if any(span.start < other.end and span.end > other.start for other in taken):
                continue
            context, at = self._context(paragraph, span, taken)
            named = _named(_nearest(span, citations))
            yield Claim(
                "number", span, self.text[span.start : span.end], named, context=context, at=at
            )

    def _context(self, paragraph: _Paragraph, span: Span, taken: list[Span]) -> tuple[str, int]:
        """Return the sentence of a number, or of a cell its row's first cell and its column's
        head, and where it is in that.
        """
        begin, end = paragraph.span
        if paragraph.kind == "row":
            column = self.text.count("|", begin, span.start)
            cells, heads = self.text[begin:end].split("|"), paragraph.head.split("|")
            first = cells[1] if not cells[0].strip() and len(cells) > 1 else cells[0]
            lead = f"{first} {heads[column] if column < len(heads) else ''} "
            return lead + self.text[span.start : span.end], len(lead)
        text = self.text[begin:end]
        bounds = [0, *(found.end() for found in SENTENCE_END.finditer(text)), len(text)]
        index = bisect_right(bounds, span.start - begin) - 1
        begin, end = begin + bounds[index], begin + bounds[index + 1]
        context = list(self.text[begin:end])
        for other in taken:
            for at in range(max(begin, other.start), min(end, other.end)):
                context[at - begin] = " "
        return "".join(context), span.start - begin


def _kind_of(line: str, before: str) -> str:
    """Return what a line is. `before` is what the line above it is, of the same run of lines."""
    base = before.partition(",")[0]
    if _NOTE.match(line):
        return "note"
    if line.lstrip(" ").startswith(">") or base == "block":
        return "block"
    if line.lstrip().startswith("|"):
        return "row"
    if re.match(r" {0,3}#{1,6}\s", line):
        return "heading"
    if _ITEM.match(line):
        return "item"
    if not before and re.match(r"(?: {4}|\t)", line):
        return "code"
    return before if base in {"item", "note", "code", "text"} else "text"


def _is_long(text: str) -> bool:
    """Tell whether a quotation has four words, or eight characters where it is Chinese."""
    words, han = _WORD.findall(text), len(_HAN.findall(text))
    return 2 * len(words) + han >= 8 or (han > len(words) and han + sum(map(len, words)) >= 8)


def _opens(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if text[at] == "“":
        return bool(after)
    return (
        (not before or not before.isalnum() or bool(_HAN.match(before)))
        and not after.isspace()
        and bool(after)
    )


def _closing(text: str, at: int) -> int | None:
    """Return where the quotation that opens at `at` closes; quotations within it may be of the
    same marks.
    """
    opening, depth = text[at], 0
    closing = _CLOSING[opening]
    for place in range(at + 1, min(len(text), at + _LONGEST)):
        mark = text[place]
        if mark in closing:
            if opening == '"' and (
                text[place - 1].isspace() and text[place + 1 : place + 2].isalnum()
            ):
                continue
            if depth == 0:
                return place
            depth -= 1
        elif mark == opening and opening != "»":
            depth += 1
    if opening == "“":
        end = text.find("“", at + 1, at + _LONGEST)
        return end if end > 0 else None
    return None


def _within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _nearest(span: Span, citations: list[Claim]) -> list[Claim]:
    """Return the citation that belongs to a claim: the first one behind it, else the last one
    before it; one around it first.
    """
    around = [
        claim
        for claim in citations
        if claim.span.start <= span.start and span.end <= claim.span.end
    ]
    behind = [claim for claim in citations if claim.span.start >= span.end]
    return (around or behind or citations[-1:])[:1]


def _named(citations: list[Claim]) -> tuple[Named, ...]:
    """Return what citations name; what is missing counts as a name of nothing."""
    return tuple(
        named
        for claim in citations
        for named in claim.named or ((Named(None),) if claim.is_missing else ())
    )
