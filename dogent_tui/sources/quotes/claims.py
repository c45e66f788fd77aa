"""The claims of a draft: quotations, numbers and citations, each with its position and the sources
named for it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import itemgetter
from typing import Literal, NamedTuple

from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from dogent_tui.documents.bibliography import pages_in
from dogent_tui.documents.export.references import is_label
from dogent_tui.records import Record
from dogent_tui.sources.quotes.numbers import NUMBER, SENTENCE_END
from dogent_tui.sources.quotes.sources import CitationTarget, Names
from dogent_tui.sources.quotes.tokens import HAN, read_text

Kind = Literal["quote", "number", "citation"]

_NOTE = re.compile(r"\s*\[\^[^\]\s]+\]:[ \t]*")
_LEAD = re.compile(
    r"(?:\s*(?:[-*+]|\d{1,9}[.)])\s+)*(?:\[[ xX]\]\s+|\s*#{1,6}\s+(?:\d+(?:\.\d+)*\.?(?=\s)\s*)?)?"
)
"""The beginning of a list item or heading, including its numbering."""
_PREFIX = re.compile(r"^[ \t]{0,3}(?:>[ \t]?)+", re.MULTILINE)
_DASH = re.compile(r"[ \t>]*(?:—|–|---?|―)\s*(?=\S)")
_CODE = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_FORMULA = re.compile(
    r"(?<![\\$])(?:\$\$(?:[^$\n]|\n(?!\s*\n))+\$\$|\$(?=\S)(?:[^$\n]|\n(?!\s*\n))*[^\s\\$]\$(?!\d))"
)
"""pandoc's rule for single dollar signs, which also stand for an amount of money."""
_ATTRIBUTES = re.compile(r"\{(?=[#.]|[\w-]+=)[^{}\n]*\}")
_HIDDEN = re.compile(r"<!--.*?-->|<(?:https?:|mailto:)[^>\s]*>|https?://[^\s)>\]]+", re.DOTALL)
_LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*<?((?:[^()<>\n]|\([^()\n]*\))*?)>?(?:\s+[\"'(][^\n]*?[\"')])?\s*\)"
)
_TARGET = re.compile(r"\]\([^)\n]*\)")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_PANDOC = re.compile(r"\[[^\[\]@]*(?<![\w])-?@[^\[\]]+\]")
_KEY = re.compile(r"(?<![\w])-?@(?:\{([^{}]+)\}|([\w:.#$%&+?<>~/-]*[\w/]))")
_REFERENCE = re.compile(r"\[\^([^\]\s]+)\](?!:)")
_PARENTHESES = re.compile(r"\(([^()\n]{1,200}(?:\n[^()\n]{1,200})?)\)|（([^（）\n]{1,200})）")
_BARE = re.compile(r"(?<![\w@(\[])@[\w./~-]*\w")
_NO_NUMBER = re.compile(r"\[\d[\d,;–-]*\]|@\S+")
_LABEL = re.compile(
    r"(?:(?<![^\W_])(?:tables?|tab|figures?|fig|sections?|sec|chapters?|appendix|equations?|eq|pages?|pp?"
    r"|tabellen?|abbildung(?:en)?|abb|abschnitte?s?|kapitels?|anhang|gleichung(?:en)?|seiten?|s"
    r"|tableaux?|chapitres?|annexe)\.?|[图圖表式页頁节節第])\s?$",
    re.IGNORECASE,
)
_AROUND_BLOCK = " \t>\r\n\u00a0\u202f\u2009"
_NOT_AFTER_WORD = f"(?<![^\\W_{HAN}])"
_LONGEST = 5_000
"""The length in characters of a quotation between marks; a mark not closed by then opens none."""
_FAR = 500
"""How many characters on each side of a number count in a sentence without an end, such as a list
of a thousand lines.
"""


_MASK = "\x01"


def _between(opening: str, closing: str) -> str:
    """Return the pattern for text between marks, which may contain the same marks."""
    inside = f"[^{opening}{closing}]"
    return f"{opening}((?:{inside}|{opening}{inside}*[{closing}]){{1,{_LONGEST}}})[{closing}]"


_QUOTE = re.compile(
    "|".join(
        (
            *map(_between, "“„«「『", ("”", "“”", "»", "」", "』")),
            f"“([^“]{{1,{_LONGEST}}})“",
            f'„([^„“”"]{{1,{_LONGEST}}})"',
            rf"{_NOT_AFTER_WORD}»(?!\s)([^»«]{{1,{_LONGEST}}})«",
            rf"{_NOT_AFTER_WORD}”(?!\s)([^”]{{1,{_LONGEST}}})”",
            rf"{_NOT_AFTER_WORD}[\"＂](?!\s)((?:[^\"＂]|(?<=\s)\"(?=\w)){{1,{_LONGEST}}})[\"＂]",
        )
    )
)
_OPENING = re.compile('[“”„«»「『"＂]')
_HAN = re.compile(f"[{HAN}]")
_WORD = re.compile(rf"[^\W_{HAN}]+(?:['’.,][^\W_{HAN}]+)*")


class Span(NamedTuple):
    """A range of characters of the draft."""

    start: int
    end: int


class Claim(Record):
    """Something to check. `named` is what the draft names for it; for a citation, everything it
    names, with the path None for a missing key or note.

    `context` is the sentence, row or cell with its headers around a number; `text` is without block
    quote prefixes.
    """

    kind: Kind
    span: Span
    text: str
    named: tuple[CitationTarget, ...] = ()
    context: str = ""
    at: int = 0
    """The position of the number in `context`."""
    is_pointer: bool = False
    """Whether it refers to a table, figure or section, which may be the draft's own."""


class _Paragraph(NamedTuple):
    span: Span
    kind: Literal["text", "block", "row"]
    head: str = ""
    """For a row: the first row of its table, which is text itself."""


class Draft:
    """A draft split into claims."""

    def __init__(self, text: str, names: Names) -> None:
        """Parse the text as it is on disk."""
        self.text = text
        self._names = names
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self._notes: dict[str, str] = {}
        self._paragraphs = [*self._split()]
        self._masked = reduce(_without, (_CODE, _FORMULA, _ATTRIBUTES, _HIDDEN), text)

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of a character, counted from 1."""
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def claims(self) -> list[Claim]:
        """Return all claims in order."""
        found: list[Claim] = []
        for index, paragraph in enumerate(self._paragraphs):
            if paragraph.kind == "block":
                above = self._paragraphs[max(0, index - 1) : index]
                behind = self._paragraphs[index + 1 : index + 2]
                found += self._block_quote(paragraph.span, [*above, *behind])
            else:
                found += self._prose(paragraph)
        return sorted(found, key=lambda claim: claim.span)

    def _split(self) -> Iterator[_Paragraph]:
        """Yield the text blocks: paragraphs, headings, items, rows and block quotes. Notes are kept
        for the claims that refer to them.
        """
        parser = MarkdownIt("commonmark").enable("table")
        parser.use(front_matter_plugin).use(footnote_plugin)
        parser.core.ruler.enableOnly(["normalize", "block"])
        bounds, done, head = [*self._lines, len(self.text)], 0, ""
        # The parser would take a carriage return within a line for a line break.
        for token in parser.parse(re.sub(r"\r(?!\n)", " ", self.text)):
            if token.map is None or token.map[0] < done:
                continue
            start, end = bounds[token.map[0]], bounds[token.map[1]]
            if token.type == "table_open":
                head = self.text[start:end].partition("\n")[0]
            elif token.type in {"inline", "html_block"}:
                lead = _LEAD.match(self.text, start, end)
                yield _Paragraph(Span(lead.end() if lead else start, end), "text")
            elif token.type in {"blockquote_open", "tr_open", "footnote_reference_open"}:
                done = token.map[1]
                if token.type == "blockquote_open":
                    yield _Paragraph(Span(start, end), "block")
                elif token.type == "tr_open":
                    is_head = self.text.startswith(head, start)
                    yield _Paragraph(Span(start, end), "text" if is_head else "row", head)
                else:
                    self._notes[token.meta["label"]] = _NOTE.sub("", self.text[start:end], count=1)

    # ── Quotations
    # ────────────────────────────────────────────────────────────────────────────────

    def _block_quote(self, span: Span, around: Iterable[_Paragraph]) -> Iterator[Claim]:
        start, end = self._trimmed(*span)
        last = self.text.rfind("\n", start, end) + 1
        if last > start and (dash := _DASH.match(self.text, last, end)):
            said = Span(dash.end(), end)
            citations = self._citations(said)
            spelled = self.text[said.start : said.end]
            named = tuple(self._names.named_in(spelled, loose=True))
            if named and not citations:
                citations = [Claim("citation", said, spelled, named)]
            _, end = self._trimmed(start, last)
        else:
            citations = self._citations(Span(start, end))[-1:]
            if citations and self.text[citations[0].span.end : end].strip(' ."”“»'):
                citations = []
            end = self._trimmed(start, citations[0].span.start).end if citations else end
        yield from citations
        if re.match(r"\[![A-Za-z]+\]", self.text[start:end]):
            return
        for paragraph in around:
            citations = citations or self._beside(paragraph, is_above=paragraph.span < span)
        if _is_long(self.text[start:end]):
            text = _PREFIX.sub("", self.text[start:end])
            yield Claim("quote", Span(start, end), text, citations[0].named if citations else ())

    def _trimmed(self, start: int, end: int, around: str | None = _AROUND_BLOCK) -> Span:
        """Return the range without surrounding white space and block quote prefixes."""
        text = self.text[start:end]
        start = end - len(text.lstrip(around))
        return Span(start, start + len(text.strip(around)))

    def _beside(self, paragraph: _Paragraph, *, is_above: bool) -> list[Claim]:
        """Return the citation for a block quote in the paragraph that announces it with a colon, or
        in the first sentence after it, unless it belongs to something in that sentence.
        """
        found = self._citations(paragraph.span) if paragraph.kind == "text" else []
        if is_above:
            text = self.text[slice(*paragraph.span)].rstrip()
            return found[-1:] if text.endswith((":", "：")) else []
        for first in found[:1]:
            before = self._masked[paragraph.span.start : first.span.start]
            others = (_OPENING, NUMBER, SENTENCE_END)
            return [] if any(other.search(before) for other in others) else [first]
        return []

    def _prose(self, paragraph: _Paragraph) -> Iterator[Claim]:
        text = _without(self._masked[slice(*paragraph.span)], _TARGET)
        start = paragraph.span.start
        quotes = [
            self._trimmed(start + found.start(group), start + found.end(group), None)
            for found in _QUOTE.finditer(text)
            if (group := found.lastindex)
        ]
        ends = [0, *(quote.end for quote in quotes)]
        citations = [
            claim
            for claim in self._citations(paragraph.span)
            if claim.span.end > ends[bisect_right(quotes, claim.span.start, key=itemgetter(0))]
        ]
        yield from citations
        quotes = [quote for quote in quotes if _is_long(self.text[slice(*quote)])]
        for quote in quotes:
            yield Claim("quote", quote, self.text[slice(*quote)], _nearest(quote, citations))
        yield from self._numbers(paragraph, quotes, citations)

    # ── Citations
    # ────────────────────────────────────────────────────────────────────────────────

    def _citations(self, span: Span) -> list[Claim]:
        text = _without(self._masked[slice(*span)], _IMAGE)
        found = []
        for pattern, names in (
            (_LINK, self._target),
            (_PANDOC, self._keys),
            (_REFERENCE, self._reference),
            (_PARENTHESES, self._files),
            (_BARE, self._files),
        ):
            for match in pattern.finditer(text):
                named = names(match)
                where = Span(span.start + match.start(), span.start + match.end())
                if named is not None:
                    found.append(Claim("citation", where, self.text[slice(*where)], named))
            text = _without(text, pattern)
        return sorted(found, key=lambda claim: claim.span)

    def _target(self, link: re.Match[str]) -> tuple[CitationTarget, ...] | None:
        """Return what a link target names, None if it is not a file."""
        target = link[2].strip()
        if (
            not target
            or re.match(rf"[A-Za-z][\w+.-]+:|[#@{_MASK}]|//", target)
            or target[-1] == "/"
        ):
            return None
        bare = target.partition("#")[0].partition("?")[0]
        return (CitationTarget(self._names.path(bare), *pages_in(target[len(bare) :])),)

    def _keys(self, citation: re.Match[str]) -> tuple[CitationTarget, ...] | None:
        """Return what the keys of a citation name, None if they only refer within the draft."""
        named = []
        for part in citation[0].strip("[]()").split(";"):
            for key in _KEY.finditer(part):
                spelled, behind = key[1] or key[2], part[key.end() :]
                by_key = self._names.by_key(spelled, behind)
                files = self._names.named_in(f"{spelled}{behind}")
                missing = [] if is_label(spelled) else [CitationTarget(None)]
                named += [by_key] if by_key else [*files] or missing
        return tuple(named) or None

    def _reference(self, reference: re.Match[str]) -> tuple[CitationTarget, ...] | None:
        """Return what the referenced note names."""
        note = self._notes.get(reference[1])
        if note is None:
            return (CitationTarget(None),)
        for keys in _PANDOC.finditer(note):
            return self._keys(keys)
        for link in _LINK.finditer(note):
            if path := self._names.path(link[2].partition("#")[0]):
                return (CitationTarget(path, *pages_in(note[link.end() :])),)
        return tuple(self._names.named_in(" ".join(note.split()), loose=True))

    def _files(self, citation: re.Match[str]) -> tuple[CitationTarget, ...] | None:
        """Return what a citation without brackets names, None if it is neither a file nor a key."""
        if named := tuple(self._names.named_in(citation[0].strip("()（）"))):
            return named
        keys = self._keys(citation)
        return keys if keys and all(key.path is not None for key in keys) else None

    # ── Numbers
    # ────────────────────────────────────────────────────────────────────────────────

    def _numbers(
        self, paragraph: _Paragraph, quotes: list[Span], citations: list[Claim]
    ) -> Iterator[Claim]:
        start, end = paragraph.span
        letters = [*self._masked[start:end]]
        for taken in (*quotes, *(claim.span for claim in citations)):
            begin, behind = taken.start - start, taken.end - start
            letters[begin:behind] = _MASK * (behind - begin)
        masked = reduce(_without, (_LINK, _IMAGE, _REFERENCE, _NO_NUMBER), "".join(letters))
        text, at_raw = read_text(masked)
        ends = (one.end() for one in SENTENCE_END.finditer(self.text[start:end]))
        bounds = [0, *(bisect_left(at_raw, one) for one in ends), len(text)]
        cells, heads = self.text[start:end].split("|"), paragraph.head.split("|")
        for found in NUMBER.finditer(text):
            span = Span(start + at_raw[found.start()], start + at_raw[found.end() - 1] + 1)
            if paragraph.kind == "row":
                column = text.count("|", 0, found.start())
                first = cells[1] if not cells[0].strip() and len(cells) > 1 else cells[0]
                lead = f"{first} {heads[column] if column < len(heads) else ''} "
                context, at = lead + found[0], len(lead)
            else:
                index = bisect_right(bounds, found.start()) - 1
                begin = max(bounds[index], found.start() - _FAR)
                behind = min(bounds[index + 1], found.end() + _FAR)
                context = text[begin:behind].replace(_MASK, " ")
                at = found.start() - begin
            is_pointer = _LABEL.search(text, 0, found.start()) is not None
            yield Claim(
                "number", span, found[0], _nearest(span, citations), context, at, is_pointer
            )


def _without(text: str, pattern: re.Pattern[str]) -> str:
    """Return a text with all matches of a pattern blanked out; positions stay the same."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", _MASK, found[0]), text)


def _is_long(text: str) -> bool:
    """Return whether a quotation has at least four words, or eight characters in Chinese."""
    words, han = _WORD.findall(text), len(_HAN.findall(text))
    return 2 * len(words) + han >= 8 or (han > len(words) and han + sum(map(len, words)) >= 8)


def _nearest(span: Span, citations: list[Claim]) -> tuple[CitationTarget, ...]:
    """Return what is named for a claim: by the first citation around or after it, otherwise by the
    last one before it.
    """
    at = bisect_left(citations, span.end, key=lambda claim: claim.span.end)
    return citations[min(at, len(citations) - 1)].named if citations else ()
