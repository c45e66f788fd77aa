"""A draft: extracts in the order of their sources, under headings, each with its source as a
citation if a bibliography contains it, otherwise as a footnote.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from msgspec.structs import replace

from dogent_tui.offline.passages import Heading, Index, Passage, good
from dogent_tui.offline.words import Language, phrase, terms
from dogent_tui.plain import words_of
from dogent_tui.records import Record

Found: TypeAlias = Sequence[Passage]
Parts: TypeAlias = Sequence[tuple[str, Found]]

_LEAST, _LEAST_NAMED, _MOST_UNDER, _SMALL = 0.55, 0.25, 4, 20
"""The coverage of a topic from which on sources are relevant, for all files of the folder and for
those the user named; the number of passages under a heading that the user named; the number of rows
of a table shown completely.
"""
_FACT = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?)\s*(%|[^\W\d_]+)")
_NOTE = re.compile(r"^\[\^(\d+)\]:", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


class Draft(Record):
    """A draft, or part of one: its Markdown, its passages, and remarks about gaps and differing
    figures.
    """

    text: str
    quoted: Sequence[Passage]
    remarks: Sequence[str]


def on_topic(found: Sequence[Passage], topic: str, *, named: bool) -> list[Passage]:
    """Return the passages about `topic`, in order; empty if they contain too little about it.

    `named`: the user named the sources, so less is required.
    """
    hits = good(Index(found).rank(topic), 0.0)
    is_enough = any(hit.coverage >= (_LEAST_NAMED if named else _LEAST) for hit in hits)
    chosen = {hit.passage for hit in hits if is_enough}
    return [passage for passage in found if passage in chosen]


def sections_of(found: Found, rest: Found, headings: Sequence[str], most: int) -> Parts:
    """Return the passages of `found` under `headings`, in this order, including headings without
    passages.

    If fewer than two headings are named, those of the sources follow, with passages of `rest`
    totalling `most` words.
    """
    made: list[tuple[str, list[Passage]]] = []
    index, used = Index(found), set[Passage]()
    for heading in headings:
        hits = [hit for hit in good(index.rank(heading), _LEAST) if hit.passage not in used]
        chosen = {hit.passage for hit in hits[:_MOST_UNDER]}
        made.append((heading, [passage for passage in found if passage in chosen]))
        used |= chosen
    groups: dict[str, list[Passage]] = {}
    for passage in within(rest, most, but=used) if len(headings) < 2 else ():
        groups.setdefault(passage.heading or passage.title or passage.path, []).append(passage)
    return [*made, *groups.items()]


def within(found: Sequence[Passage], most: int, but: Collection[Passage] = ()) -> list[Passage]:
    """Return the first passages of each section, then more, up to `most` words in total, in
    order.
    """
    seen, turns = Counter[tuple[str, ...]](), list[tuple[int, int]]()
    for at, one in enumerate(found):
        seen[key := (one.path, one.heading, one.question)] += 1
        turns.append((seen[key], at))
    chosen, held = list[int](), 0
    for _, at in sorted(turns):
        words = len(words_of(found[at].text))
        if found[at] not in but and (not chosen or held + words <= most * 1.15):
            chosen, held = [*chosen, at], held + words
    return [found[at] for at in sorted(chosen)]


def compose(sections: Parts, language: Language, keys: Mapping[str, str], into: str = "") -> Draft:
    """Write `sections`, with footnotes numbered after those of the document `into`.

    A file with a key in `keys` is cited by it. A small table of which rows are quoted is shown
    completely.
    """
    first = max(map(int, _NOTE.findall(into)), default=0) + 1
    lines, notes, quoted = list[str](), list[str](), list[Passage]()
    for heading, found in sections:
        lines += [f"## {heading}", ""] + ([] if found else [phrase(language, "gap"), ""])
        for passage in dict.fromkeys(map(_whole, found)):
            where, cited = passage.where, f"[^{first + len(notes)}]"
            if key := keys.get(passage.path):
                page = f", p. {where.removeprefix('page ')}" if where.startswith("page ") else ""
                cited = f" [@{key}{page}]"
            else:
                notes.append(f"{cited}: {passage.source}")
            quoted.append(passage)
            lines += [f"*{passage.question}*", ""] if passage.question else []
            lines += [f"{passage.text}{cited}", ""]
    differ = differing(quoted, language)
    lines += [f"> {line}\n" for line in differ]
    gaps = [heading for heading, found in sections if not found]
    lacking = [phrase(language, "gaps", names=", ".join(gaps))] if gaps else []
    return Draft("\n".join([*lines, *notes]), quoted, lacking + differ)


def _whole(passage: Passage) -> Passage:
    table = passage.table
    if table is None or len(table.rows) > _SMALL:
        return passage
    whole = replace(passage, place=table.place)
    return replace(whole, text=f"{table.markdown()}\n\n*{whole.source}*")


def added(text: str, part: Draft) -> str:
    """Return the document `text` with `part` at its end, before its footnotes."""
    first = re.compile(r"^(?=\[\^\d+\]:)", re.MULTILINE)
    (head, *notes), (said, *new) = (first.split(one, maxsplit=1) for one in (text, part.text))
    foot = "\n".join(map(str.strip, (*notes, *new)))
    return f"{head.rstrip()}\n\n{said.rstrip()}\n\n{foot}".rstrip() + "\n"


def with_contents(text: str, headings: Sequence[Heading], title: str) -> str:
    """Return the Markdown `text` with links to its `headings` under the heading `title`, below its
    own title.

    Existing links are replaced.
    """
    text = re.sub(rf"^## {title}\n\n(?: *- \[.*\n)+\n?", "", text, flags=re.MULTILINE)
    rows = (f"{'  ' * (each.level - 2)}- [{each.title}](#{each.anchor})\n" for each in headings)
    links = "".join([f"\n\n## {title}\n\n", *rows, "\n"])
    first = re.compile(r"(?:---\n.*?\n---\n)?\s*(?:# [^\n]*\n+)?", re.DOTALL)
    return first.sub(lambda above: above[0].rstrip() + links, text, count=1).lstrip()


def differing(quoted: Sequence[Passage], language: Language) -> list[str]:
    """Return a line about figures that differ between sources, empty if there are none.

    They have the same unit and are in sentences that share most of their words.
    """
    facts = [
        (passage.path, set(filter(str.isalpha, terms(sentence))), figure.replace(",", ""), unit)
        for passage in quoted
        for sentence in _SENTENCE.split("" if passage.table else passage.text)
        for figure, unit in _FACT.findall(sentence)
        if terms(unit) or unit == "%"
    ]
    told = dict.fromkeys(
        f"{figure} {unit} ({path}), {other} {its} ({place})"
        for (path, held, figure, unit), (place, also, other, its) in combinations(facts, 2)
        if path != place and figure != other and terms(unit) == terms(its)
        if len(held & also) >= max(3, 0.5 * min(len(held), len(also)))
    )
    figures = "; ".join([*told][:5])
    return [phrase(language, "differ", figures=figures)] if figures else []
