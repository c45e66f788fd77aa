"""The verdicts: each claim of a draft compared with the sources, and how a quotation differs from
the passage that is near.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import msgspec

from dogent_tui.records import JsonDict, Record
from dogent_tui.sources.quotes.alignment import NearMatch, Quotation
from dogent_tui.sources.quotes.claims import Claim, Draft, Kind
from dogent_tui.sources.quotes.figures import Figure, Figures, agrees
from dogent_tui.sources.quotes.index import GAP, Passage, SourceIndex
from dogent_tui.sources.quotes.numbers import language_of, units_in
from dogent_tui.sources.quotes.sources import CitationTarget, Names
from dogent_tui.sources.quotes.tokens import negates, readable

Verdict = Literal["verbatim", "altered", "found_elsewhere", "not_found", "unreadable_source"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
SCHEMA = 1
_MOST_OTHERS = 20


class CheckedSource(msgspec.Struct, dict=True):
    """A file that can be quoted, unless its index says why not."""

    path: str
    index: SourceIndex

    @cached_property
    def figures(self) -> Figures:
        """Its numbers."""
        return Figures(self.index)


Piece = tuple[Literal["equal", "delete", "insert"], str]
_NAME = re.compile(r"(?<!^)\b[A-ZÄÖÜ][^\W\d_]+|^[A-Z][a-z]+(?=\s*$)")
Flag = Literal["negation", "number", "name", "unit", "order", "page"]


def differences(quotation: Quotation, index: SourceIndex, near: NearMatch) -> list[Piece]:
    """Compare the quotation with the passage: `equal` and `insert` make up the quotation, `equal`
    and `delete` the passage.
    """
    pieces: list[Piece] = []
    starts, text = quotation.plain_words.starts, quotation.text
    bounds = [0, *starts[1:], len(text)] if starts else [0, len(text)]
    for kind, i1, i2, j1, j2 in near.ops:
        ours = text[bounds[j1] : bounds[j2]] if j2 > j1 else ""
        if kind == "equal":
            pieces.append(("equal", ours))
            continue
        if i2 > i1:
            pieces.append(("delete", _passage_text(index, i1, i2, near.passage.end)))
        if ours:
            pieces.append(("insert", ours))
    return pieces


def _passage_text(index: SourceIndex, begin: int, end: int, last: int) -> str:
    """Return words of the source as written, up to the next word unless the passage ends."""
    start, stop = index.starts[begin], index.ends[end - 1]
    if end < last and index.coded[end] != GAP and index.starts[end] > stop:
        stop = index.starts[end]
    if stop <= start:
        return " ".join(index.words(begin, end)) + " "
    return readable(index.text[start:stop])


def flags(
    pieces: Sequence[Piece], quotation: Quotation, index: SourceIndex, near: NearMatch
) -> list[Flag]:
    """Return why the differences matter."""
    changed = [step for step in near.ops if step[0] != "equal"]
    left = [word for _, i1, i2, *_ in changed for word in index.words(i1, i2)]
    put = [word for *_, j1, j2 in changed for word in quotation.plain_words.words[j1:j2]]
    odd = {*left} ^ {*put}
    why: dict[Flag, bool] = {
        "negation": any(map(negates, odd)),
        "number": any(re.search(r"\d", word) for word in odd),
        "name": any(_NAME.search(text) for kind, text in pieces if kind != "equal"),
        "unit": {*units_in(" ".join(left))} != {*units_in(" ".join(put))},
        "order": bool(left) and sorted(left) == sorted(put),
    }
    return [flag for flag, is_so in why.items() if is_so]


class SourceState(Record, omit_defaults=True):
    """A source in the report."""

    path: str
    state: Literal["read", "unreadable"]
    pages: int = 0
    reason: str = ""


class Other(Record):
    """Another place."""

    source: str
    place: JsonDict


class Judgement(Record):
    """The verdict on a claim, and where the source has what it claims."""

    verdict: Verdict
    flags: list[Flag] = []
    source: str | None = None
    place: JsonDict = {}
    others: list[Other] = []
    diff: list[Piece] = []


class Finding(Judgement, kw_only=True):
    """A claim with its verdict. Lines and columns count from 1 in the draft on disk; the end is
    exclusive.
    """

    kind: Kind
    text: str
    line: int
    column: int
    end_line: int
    end_column: int
    named: str | None = None
    named_page: int = 0


class CheckReport(Record, omit_defaults=True):
    """What was checked. `unused` are keys of the draft's own bibliographies that it does not
    cite.
    """

    schema: int
    draft: str
    sources: list[SourceState]
    findings: list[Finding]
    summary: dict[Verdict, int]
    unused: list[str] = []

    @property
    def is_clean(self) -> bool:
        """Whether every claim agrees with its source."""
        return all(finding.verdict == "verbatim" for finding in self.findings)


class _Spot(NamedTuple):
    """A place where a claim is right, and its pages."""

    source: str
    place: JsonDict
    pages: set[int]


class _Near(NamedTuple):
    """The nearest match for a claim in a source: the same after all, or altered."""

    share: float
    same: _Spot | None
    altered: Judgement


def check(
    draft: str, text: str, sources: Sequence[CheckedSource], keys: Mapping[str, CitationTarget]
) -> CheckReport:
    """Return the report on a draft's text. `draft` is its name; `keys` are those of the
    bibliographies.
    """
    names = Names((source.path for source in sources), keys)
    findings = _Checker(text, sources, names).findings()
    counted = Counter(finding.verdict for finding in findings)
    summary = {verdict: counted[verdict] for verdict in VERDICTS}
    states = [
        SourceState(
            source.path, "unreadable" if index.reason else "read", index.pages, index.reason
        )
        for source in sources
        if (index := source.index).reason != "unsupported"
    ]
    return CheckReport(SCHEMA, draft, states, findings, summary)


class _Checker:
    def __init__(self, text: str, sources: Sequence[CheckedSource], names: Names) -> None:
        self._draft = Draft(text, names)
        self._language = language_of(text)
        self._by_path = {source.path: source for source in sources}

    def findings(self) -> list[Finding]:
        judges = {"quote": self._quote, "number": self._number, "citation": self._citation}
        judged = ((claim, judges[claim.kind](claim)) for claim in self._draft.claims())
        return [
            self._finding(claim, found)
            for claim, found in judged
            if found.verdict == "verbatim" or not claim.is_pointer
        ]

    def _finding(self, claim: Claim, judged: Judgement) -> Finding:
        line, column = self._draft.place(claim.span.start)
        end_line, end_column = self._draft.place(claim.span.end)
        named = claim.named[0] if claim.named else CitationTarget(None)
        return Finding(
            **msgspec.structs.asdict(judged),
            kind=claim.kind,
            text=claim.text,
            line=line,
            column=column,
            end_line=end_line,
            end_column=end_column,
            named=named.path if named.path in self._by_path else None,
            named_page=named.first,
        )

    def _quote(self, claim: Claim) -> Judgement:
        quotation = Quotation(claim.text)

        def exact(source: CheckedSource) -> list[_Spot]:
            return [_spot(source, passage) for passage in quotation.exact(source.index)]

        def near(source: CheckedSource) -> _Near | None:
            found = quotation.near(source.index)
            if found is None:
                return None
            if found.is_same:
                return _Near(1.0, _spot(source, found.passage), Judgement("verbatim"))
            pieces = differences(quotation, source.index, found)
            equal = next((i1 for kind, i1, *_ in found.ops if kind == "equal"), found.passage.start)
            place = source.index.place(source.index.starts[equal])
            why = flags(pieces, quotation, source.index, found)
            judged = Judgement("altered", why, source.path, place, [], pieces)
            return _Near(found.share, None, judged)

        return self._held(claim, exact, near)

    def _number(self, claim: Claim) -> Judgement:
        def figure_in(language: str) -> Figure:
            return Figure.of(
                claim.context, claim.at, claim.text, language_of(claim.context, language)
            )

        figure = figure_in(self._language)

        def exact(source: CheckedSource) -> list[_Spot]:
            return [_spot(source, at) for at in source.figures.same_words(figure)]

        def near(source: CheckedSource) -> _Near | None:
            found = source.figures.places(figure)
            if not found:
                return None
            # A context of few words may be written as the draft is, or as the source is.
            read = figure, figure_in(source.figures.language or self._language)
            same = next((place for place in found if any(agrees(one, place) for one in read)), None)
            ours, theirs = figure.number, found[0].number
            why: Flag = "unit" if ours.value == theirs.value else "number"
            diff: list[Piece] = [("delete", theirs.spelled), ("insert", ours.spelled)]
            where = source.index.place(found[0].character)
            judged = Judgement("altered", [why], source.path, where, [], diff)
            return _Near(0.0, _spot(source, same.character) if same else None, judged)

        return self._held(claim, exact, near)

    def _held(
        self,
        claim: Claim,
        exact: Callable[[CheckedSource], list[_Spot]],
        near: Callable[[CheckedSource], _Near | None],
    ) -> Judgement:
        """Compare the claim with the sources: first those it names, exact and then near, then all
        others.
        """
        named = [(one, self._by_path[one.path]) for one in claim.named if one.path in self._by_path]
        readable = [(one, source) for one, source in named if not source.index.reason]
        if named and not readable:
            return Judgement("unreadable_source", [], named[0][1].path)
        elsewhere: list[_Spot] = []
        nears: list[_Near] = []
        for one, source in readable:
            spots = exact(source)
            if not spots and (found := near(source)):
                spots = [found.same] if found.same else []
                nears += [] if found.same else [found]
            right = [spot for spot in spots if not spot.pages or any(map(one.has, spot.pages))]
            if right:
                return _found("verbatim", [*right, *(spot for spot in spots if spot not in right)])
            elsewhere += spots
        if elsewhere:
            return _found("found_elsewhere", elsewhere, "page")
        if nears:
            return max(nears, key=lambda found: found.share).altered
        seen = [source for _, source in named]
        others = [one for one in self._by_path.values() if not one.index.reason and one not in seen]
        verdict: Verdict = "found_elsewhere" if claim.named else "verbatim"
        spots = [spot for source in others for spot in exact(source)]
        if not spots:
            nears = [found for source in others if (found := near(source))]
            spots = [found.same for found in nears if found.same]
        if spots:
            return _found(verdict, spots)
        if not nears or (claim.named and (claim.kind == "number" or not readable)):
            return Judgement("not_found")
        return max(nears, key=lambda found: found.share).altered

    def _citation(self, claim: Claim) -> Judgement:
        for one in claim.named:
            source = self._by_path.get(one.path) if one.path else None
            if one.path != "" and source is None:
                return Judgement("not_found")
            if source is not None and source.index.reason:
                return Judgement("unreadable_source", [], source.path)
            if one.is_beyond(source.index.pages if source is not None else 0):
                return Judgement("not_found", ["page"])
        first = next((one for one in claim.named if one.path), CitationTarget(None))
        return Judgement("verbatim", [], first.path, {"page": first.first} if first.first else {})


def _spot(source: CheckedSource, found: Passage | int) -> _Spot:
    """Return the place of a passage, or of a character."""
    index = source.index
    place = index.place(found if isinstance(found, int) else index.starts[found.start])
    page = {place["page"]} if "page" in place else set()
    return _Spot(source.path, place, page if isinstance(found, int) else index.pages_of(found))


def _found(verdict: Verdict, spots: list[_Spot], *why: Flag) -> Judgement:
    others = [Other(spot.source, spot.place) for spot in spots[1 : _MOST_OTHERS + 1]]
    return Judgement(verdict, [*why], spots[0].source, spots[0].place, others)
