"""The verdicts: each claim of a draft held against the sources."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import msgspec

from dogent_tui.sources.quotes.claims import Claim, Draft, Kind
from dogent_tui.sources.quotes.differences import Flag, Piece, differences, flags
from dogent_tui.sources.quotes.figures import Figure, Figures, Place, agrees
from dogent_tui.sources.quotes.index import Passage, SourceIndex
from dogent_tui.sources.quotes.matching import Near, Quotation
from dogent_tui.sources.quotes.numbers import language_of
from dogent_tui.sources.quotes.sources import Named, Names

Verdict = Literal["verbatim", "altered", "found_elsewhere", "not_found", "unreadable_source"]
VERDICTS: tuple[Verdict, ...] = (
    "verbatim",
    "altered",
    "found_elsewhere",
    "not_found",
    "unreadable_source",
)
SCHEMA = 1
_MOST_OTHERS = 20


class CheckedSource(msgspec.Struct, dict=True):
    """A file that can be quoted. `reason` is the code of why it cannot be read, empty where it
    can; it has no index then.
    """

    path: str
    index: SourceIndex | None = None
    reason: str = ""
    is_listed: bool = True

    @cached_property
    def figures(self) -> Figures:
        """Its numbers."""
        assert self.index is not None
        return Figures(self.index)


class SourceState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the report says of a source."""

    path: str
    state: Literal["read", "unreadable"]
    pages: int = 0
    reason: str = ""


class Other(msgspec.Struct, frozen=True):
    """A further place."""

    source: str
    place: dict[str, Any]


class Finding(msgspec.Struct, frozen=True):
    """A claim with its verdict. Lines and columns count from 1 in the draft as it is on disk;
    the end is behind the text.
    """

    kind: Kind
    text: str
    line: int
    column: int
    end_line: int
    end_column: int
    verdict: Verdict
    flags: list[Flag] = []
    named: str | None = None
    named_page: int = 0
    source: str | None = None
    place: dict[str, Any] = {}
    others: list[Other] = []
    diff: list[Piece] = []


class CheckReport(msgspec.Struct, frozen=True, omit_defaults=True):
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
        """Whether everything is as its source has it."""
        return all(finding.verdict == "verbatim" for finding in self.findings)


class _Judged(msgspec.Struct):
    verdict: Verdict
    flags: list[Flag] = []
    source: str | None = None
    place: dict[str, Any] = {}
    others: list[Other] = []
    diff: list[Piece] = []


def check(
    draft: str, text: str, sources: Sequence[CheckedSource], keys: Mapping[str, Named]
) -> CheckReport:
    """Return what there is to say about a draft's text. `draft` is its name; `keys` are those of
    the bibliographies.
    """
    names = Names((source.path for source in sources), keys)
    checker = _Checker(text, sources, names)
    findings = checker.findings()
    counted = Counter(finding.verdict for finding in findings)
    states = [
        (
            SourceState(source.path, "unreadable", 0, source.reason)
            if source.index is None
            else SourceState(source.path, "read", source.index.pages)
        )
        for source in sources
        if source.is_listed
    ]
    return CheckReport(
        SCHEMA, draft, states, findings, {verdict: counted[verdict] for verdict in VERDICTS}
    )


class _Checker:
    def __init__(self, text: str, sources: Sequence[CheckedSource], names: Names) -> None:
        self._draft = Draft(text, names)
        self._language = language_of(text)
        self._by_path = {source.path: source for source in sources}
        self._read = [source for source in sources if source.index is not None]

    def findings(self) -> list[Finding]:
        judges = {"quote": self._quote, "number": self._number, "citation": self._citation}
        return [self._finding(claim, judges[claim.kind](claim)) for claim in self._draft.claims()]

    def _finding(self, claim: Claim, judged: _Judged) -> Finding:
        line, column = self._draft.place(claim.span.start)
        end_line, end_column = self._draft.place(claim.span.end)
        named = next((named for named in claim.named), None)
        path = named.path if named is not None and named.path in self._by_path else None
        text = claim.text
        where = judged.place if judged.source is not None else {}
        return Finding(
            claim.kind, text, line, column, end_line, end_column, judged.verdict, judged.flags,
            path, named.first if named else 0,
            judged.source, where, judged.others[:_MOST_OTHERS], judged.diff,
        )  # fmt: skip

    # ── Quotations
    # ────────────────────────────────────────────────────────────────────────────────

    def _quote(self, claim: Claim) -> _Judged:
        quotation = Quotation(claim.text)
        named = [(one, self._by_path[one.path]) for one in claim.named if one.path in self._by_path]
        if unreadable := _unreadable(claim, named):
            return unreadable
        if judged := self._in_named(quotation, named):
            return judged
        sources = [source for _, source in named]
        others = [source for source in self._read if source not in sources]
        if found := [
            (source, passage) for source in others for passage in quotation.exact(_index(source))
        ]:
            return self._found("found_elsewhere" if claim.named else "verbatim", found)
        nears = [(near, source) for source in sources if (near := quotation.near(_index(source)))]
        if not nears:
            nears = [
                (near, source) for source in others if (near := quotation.near(_index(source)))
            ]
            if found := [(source, near.passage) for near, source in nears if near.is_same]:
                return self._found("found_elsewhere" if claim.named else "verbatim", found)
            if claim.named and not named:  # what it names is missing
                nears = []
        if not nears:
            return _Judged("not_found")
        return self._altered(quotation, *max(nears, key=lambda found: found[0].share))

    def _in_named(
        self, quotation: Quotation, named: list[tuple[Named, CheckedSource]]
    ) -> _Judged | None:
        """Return the verdict where the quotation is in a source that is named, be it on another
        page.
        """
        elsewhere: list[tuple[CheckedSource, Passage]] = []
        for one, source in named:
            index = _index(source)
            found = quotation.exact(index)
            if not found and (near := quotation.near(index)) and near.is_same:
                found = [near.passage]
            right = [passage for passage in found if _is_on(index, passage, one)]
            ordered = [
                (source, passage)
                for passage in (*right, *(other for other in found if other not in right))
            ]
            if right:
                return self._found("verbatim", ordered)
            elsewhere += ordered
        return self._found("found_elsewhere", elsewhere, "page") if elsewhere else None

    def _found(
        self, verdict: Verdict, places: list[tuple[CheckedSource, Passage]], *why: Flag
    ) -> _Judged:
        (first, passage), *more = places
        others = [
            Other(source.path, _place(_index(source), other))
            for source, other in more[:_MOST_OTHERS]
        ]
        return _Judged(verdict, [*why], first.path, _place(_index(first), passage), others)

    def _altered(self, quotation: Quotation, near: Near, source: CheckedSource) -> _Judged:
        index = _index(source)
        pieces = differences(quotation, index, near)
        equal = next((i1 for kind, i1, *_ in near.ops if kind == "equal"), near.passage.start)
        place = _place(index, Passage(equal, max(near.passage.end, equal + 1)))
        return _Judged(
            "altered", flags(pieces, quotation, index, near), source.path, place, [], pieces
        )

    # ── Numbers
    # ────────────────────────────────────────────────────────────────────────────────

    def _number(self, claim: Claim) -> _Judged:
        named = [(one, self._by_path[one.path]) for one in claim.named if one.path in self._by_path]
        if unreadable := _unreadable(claim, named):
            return unreadable
        figure = Figure.of(
            claim.context, claim.at, claim.text, language_of(claim.context, self._language)
        )
        judged: _Judged | None = None
        for one, source in named:
            judged = self._number_in(figure, source, one)
            if judged.verdict == "verbatim":
                page = judged.place.get("page", 0)
                is_right = not one.first or not page or one.has(page)
                return (
                    judged
                    if is_right
                    else msgspec.structs.replace(judged, verdict="found_elsewhere", flags=["page"])
                )
        if judged is not None and judged.verdict == "altered":
            return judged
        sources = [source for _, source in named]
        best = judged
        for source in self._read:
            if source not in sources:
                other = self._number_in(figure, source)
                if other.verdict == "verbatim":
                    return msgspec.structs.replace(
                        other, verdict="found_elsewhere" if claim.named else "verbatim"
                    )
                if not claim.named and other.verdict == "altered" and best is None:
                    best = other
        return best or _Judged("not_found")

    def _number_in(
        self, figure: Figure, source: CheckedSource, named: Named | None = None
    ) -> _Judged:
        index = _index(source)
        if same := [place_at(index, at) for at in source.figures.same_words(figure)]:
            meant = (place for place in same if named and named.has(place.get("page", 0)))
            return _Judged("verbatim", [], source.path, next(meant, same[0]))
        places = source.figures.places(figure)
        found = [place for place in places if place.is_found]
        right = next((place for place in found if agrees(figure, place)), None)
        if right is not None:
            return _Judged("verbatim", [], source.path, place_at(index, right.character))
        if not found:
            return _Judged("not_found")
        return _altered_number(figure, found[0], source)

    # ── Citations
    # ────────────────────────────────────────────────────────────────────────────────

    def _citation(self, claim: Claim) -> _Judged:
        for one in claim.named:
            source = self._by_path.get(one.path) if one.path else None
            if one.path != "" and source is None:
                return _Judged("not_found")
            if source is not None and source.index is None:
                return _Judged("unreadable_source", [], source.path)
            if one.is_beyond(source.index.pages if source is not None and source.index else 0):
                return _Judged("not_found", ["page"])
        path = next((one.path for one in claim.named if one.path), None)
        page = next((one.first for one in claim.named if one.path), 0)
        return _Judged("verbatim", [], path, {"page": page} if page else {})


def _unreadable(claim: Claim, named: list[tuple[Named, CheckedSource]]) -> _Judged | None:
    """Return the verdict where nothing that is named can be read; what can be is left in
    `named`.
    """
    unreadable = [source for _, source in named if source.index is None]
    named[:] = [(one, source) for one, source in named if source.index is not None]
    return (
        _Judged("unreadable_source", [], unreadable[0].path)
        if claim.named and unreadable and not named
        else None
    )


def _is_on(index: SourceIndex, passage: Passage, named: Named) -> bool:
    pages = index.pages_of(passage) if named.first else set()
    return not pages or any(map(named.has, pages))


def _index(source: CheckedSource) -> SourceIndex:
    assert source.index is not None
    return source.index


def _place(index: SourceIndex, passage: Passage) -> dict[str, Any]:
    return place_at(index, index.starts[passage.start])


def place_at(index: SourceIndex, character: int) -> dict[str, Any]:
    """Return where a character of the source is, without what does not apply."""
    found: dict[str, Any] = {
        name: value
        for name, value in msgspec.to_builtins(index.source_of(character)).items()
        if value
    }
    return found


def _altered_number(figure: Figure, place: Place, source: CheckedSource) -> _Judged:
    ours, theirs = figure.number, place.number
    same = bool(ours.values & theirs.values)
    diff: list[Piece] = [("delete", theirs.spelled), ("insert", ours.spelled)]
    where = place_at(_index(source), place.character)
    return _Judged("altered", ["unit" if same else "number"], source.path, where, [], diff)
