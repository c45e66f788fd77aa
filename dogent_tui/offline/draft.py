"""Drafts in Markdown whose every sentence is a quotation followed by its file, and changes to such drafts."""

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dogent_tui.offline.intent import Intent
from dogent_tui.offline.language import Language, language_of
from dogent_tui.offline.material import MATERIAL_NAMES
from dogent_tui.offline.phrases import MARKERS, PHRASES
from dogent_tui.offline.relevance import Ranked, pick, rank, terms
from dogent_tui.offline.sentences import CJK, Sentence, sentences_of, title_of

_PLACED = re.compile(r"(?P<path>.+?\.\w+|your prompt|你的输入)(?:, (?:page \d+|sheet .+)|，(?:第 \d+ 页|工作表 .+))?")
"""What stands in the parentheses after a quotation: its file, and the place in it, where one is known."""

DRAFTS = "drafts/"
"""The folder for drafts whose request names no file."""
_LETTERS = re.compile(r"[^\w]+")
_KEY_POINTS_FROM = 9
"""A draft of at least so many sentences opens with its best ones."""
_KEY_POINTS = 3
_FEWEST = 5
"""Where fewer sentences than this hold the words of the request, others from the same sections join them."""
_LONGEST_LINE = 2000
"""Characters: a longer line was not written here."""
_ANSWERS = 0.3
"""Share of a question's terms, weighted by rarity, that a sentence must hold to count as an answer."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft: its title, and its text, Markdown."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A changed draft: its text, how many sentences stayed, how many came or went, and the heading of those that came."""

    text: str
    kept: int
    changed: int
    heading: str = ""


def compose(documents: Mapping[str, str], intent: Intent) -> Draft | None:
    """Write a draft from `documents`, texts by path. None where they hold no sentence to quote."""
    everything = _sentences(documents)
    ranked = rank(everything, intent.words)
    picked = pick(_each_source_first(_on_topic(ranked) or ranked), intent.count)
    if not picked:
        return None
    title = draft_title(intent, documents)
    lines = [f"# {title}", "", PHRASES[intent.language].marker, ""]
    rest, otherwise = picked, PHRASES[intent.language].key_points
    if len(picked) >= _KEY_POINTS_FROM:
        best = sorted(picked, key=lambda item: -item.score)[:_KEY_POINTS]
        lines += _section(PHRASES[intent.language].key_points, best, intent.language)
        rest, otherwise = [item for item in picked if item not in best], PHRASES[intent.language].more
    order = {sentence: number for number, sentence in enumerate(everything)}
    for heading, group in _groups(rest, documents, otherwise):
        lines += _section(heading, sorted(group, key=lambda item: order[item.sentence]), intent.language)
    return Draft(title, "\n".join(lines).rstrip() + "\n")


def on_topic(documents: Mapping[str, str], intent: Intent) -> bool:
    """Whether any sentence holds a word of the request. Files in another language than the request's cannot tell."""
    everything = _sentences(documents)
    foreign = all(language_of(text[:2_000]) != intent.language for text in documents.values())
    return foreign or not intent.words or any(item.on_topic for item in rank(everything, intent.words))


def answer(documents: Mapping[str, str], intent: Intent) -> list[Sentence]:
    """Return the sentences that answer a question best, five at the most."""
    ranked = rank(_sentences(documents), intent.words)
    least = max(_ANSWERS, max((item.overlap for item in ranked), default=0.0) / 2)
    return [item.sentence for item in pick((item for item in ranked if item.overlap >= least), 5)]


def central(documents: Mapping[str, str], intent: Intent) -> list[Sentence]:
    """Return the sentences that a short summary quotes, in the order of the files: the most central ones on its topic."""
    everything = _sentences(documents)
    ranked = rank(everything, intent.words)
    picked = pick(_each_source_first(_on_topic(ranked) or ranked), intent.count)
    order = {sentence: number for number, sentence in enumerate(everything)}
    return sorted((item.sentence for item in picked), key=order.__getitem__)


def shorten(text: str) -> Change:
    """Take about half of the quoted sentences out of a draft: those that are least central to it. All else stays as it is."""
    lines = text.splitlines()
    quotes = {number: quoted for number, line in enumerate(lines) if (quoted := quotation(line)) is not None}
    keep = max(1, -(-len(quotes) // 2))
    ranked = rank([Sentence(quoted[0], quoted[1], "", number) for number, quoted in quotes.items()], terms(title_of(text)))
    kept = {item.sentence.position for item in ranked[:keep]}
    left = [line for number, line in enumerate(lines) if number not in quotes or number in kept]
    return Change("\n".join(_without_empty_sections(lines, left)).rstrip() + "\n", len(kept), len(quotes) - len(kept))


def extend(text: str, documents: Mapping[str, str], intent: Intent, request: Sequence[str]) -> Change | None:
    """Add a section to a draft: on the topic of `intent`, or with what the terms of the first `request` find next.

    Returns None where the documents hold nothing that fits and is not in the draft already.
    """
    present = [quoted[0] for line in text.splitlines() if (quoted := quotation(line)) is not None]
    on_topic = intent.kind == "section"
    ranked = rank(_sentences(documents), intent.words if on_topic else request)
    fitting = [item for item in ranked if item.on_topic] if on_topic else ranked
    picked = pick(fitting, min(intent.count, 8), besides=present)
    if not picked:
        return None
    heading = _capitalized(intent.topic) if on_topic and intent.topic else PHRASES[intent.language].more
    section = "\n".join(_section(heading, picked, intent.language)).rstrip()
    return Change(f"{text.rstrip()}\n\n{section}\n", len(present), len(picked), heading)


def quote_line(sentence: Sentence, language: Language) -> str:
    """Return the line that quotes `sentence`: with its file, and the page or the sheet where that is known."""
    place = sentence.place
    if language == "zh":
        place = re.sub(r"^page (\d+)$", r"第 \1 页", place.replace("sheet ", "工作表 ", 1))
    comma = "，" if language == "zh" else ", "
    return f"- {sentence.text} ({sentence.path}{comma + place if place else ''})"


def quotation(line: str) -> tuple[str, str] | None:
    """Return the (sentence, path) of a draft's line ``- Sentence. (path, page 3)``, None where the line is none."""
    if not line.startswith("- ") or not line.endswith(")") or len(line) > _LONGEST_LINE:
        return None
    start = line.rfind(" (")
    while start > 1 and line.count("(", start) != line.count(")", start):
        start = line.rfind(" (", 0, start)
    found = _PLACED.fullmatch(line[start + 2 : -1])
    return (line[2:start], found["path"]) if start > 2 and found else None


def is_draft(text: str) -> bool:
    """Whether `text` was drafted by this engine, so that quoting it again would lead in a circle.

    It may have been exported and read again since, with other line breaks and quotation marks.
    """
    plain = _LETTERS.sub("", text[:20_000])
    return any(_LETTERS.sub("", marker)[:40] in plain for marker in MARKERS)


def draft_title(intent: Intent, documents: Mapping[str, str]) -> str:
    """Return a title: the topic asked for, else what it is and for whom, else that of the only document, else “Summary”."""
    if intent.form == "comparison":
        names = intent.topic or PHRASES[intent.language].listing.join(stem(path) for path in documents)
        return PHRASES[intent.language].comparison_title.format(names=names)
    if intent.topic:
        return _capitalized(intent.topic)
    if intent.addressed:
        return intent.name
    if len(documents) == 1:
        ((path, text),) = documents.items()
        return title_of(text) or (PHRASES[intent.language].summary_title if path in MATERIAL_NAMES.values() else stem(path))
    return intent.name or PHRASES[intent.language].summary_title


def output_path(intent: Intent, title: str, taken: Collection[str]) -> str:
    """Return where to write: the file asked for, or one among `DRAFTS` named after the title; numbered while it is `taken`."""
    wanted = intent.output or f"{DRAFTS}{_slug(title)}.md"
    folder, name = posixpath.split(posixpath.normpath(wanted.replace("\\", "/")))
    stem, extension = posixpath.splitext(name)
    occupied = {path.lower() for path in taken}
    path, number = posixpath.join(folder, name), 2
    while path.lower() in occupied:
        path, number = posixpath.join(folder, f"{stem}-{number}{extension}"), number + 1
    return path


def _sentences(documents: Mapping[str, str]) -> list[Sentence]:
    return [sentence for path, text in documents.items() for sentence in sentences_of(path, text)]


def _on_topic(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return the sentences on the topic of the request; where they are few, with their neighbors in the same sections."""
    hits = [item for item in ranked if item.on_topic]
    if not hits or len(hits) >= _FEWEST:
        return hits
    places = {(item.sentence.path, item.sentence.section) for item in hits}
    near = [item for item in ranked if not item.on_topic and (item.sentence.path, item.sentence.section) in places]
    return hits + near


def _each_source_first(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Put the best sentence of each source in front, so that a draft hears every file that has something to say."""
    first: dict[str, Ranked] = {}
    rest = []
    for item in ranked:
        if item.sentence.path in first:
            rest.append(item)
        else:
            first[item.sentence.path] = item
    return [*first.values(), *rest]


def _groups(picked: Iterable[Ranked], documents: Mapping[str, str], otherwise: str) -> list[tuple[str, list[Ranked]]]:
    """Group sentences under headings: by file where there are several, in their order, by section where there is one."""
    items = list(picked)
    several = len({item.sentence.path for item in items}) > 1
    groups: dict[str, list[Ranked]] = {}
    for item in items:
        groups.setdefault(item.sentence.path if several else item.sentence.section, []).append(item)
    if several:
        return [(title_of(text) or stem(path), groups[path]) for path, text in documents.items() if path in groups]
    return [(section or otherwise, group) for section, group in groups.items()]


def _section(heading: str, items: Iterable[Ranked], language: Language) -> list[str]:
    return [f"## {heading}", "", *(quote_line(item.sentence, language) for item in items), ""]


def _without_empty_sections(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Drop the sections whose quotations all went and that hold nothing else."""
    emptied = _headings(before) - _headings(after)
    sections: list[list[str]] = [[]]
    for line in after:
        if line.startswith("#"):
            sections.append([])
        sections[-1].append(line)
    gone = [bool(section) and section[0] in emptied and not any(line.strip() for line in section[1:]) for section in sections]
    return [line for section, is_gone in zip(sections, gone, strict=True) if not is_gone for line in section]


def _headings(lines: Iterable[str]) -> set[str]:
    """Return the headings of level 2 under which there is a quotation."""
    found, heading = set(), ""
    for line in lines:
        if line.startswith("#"):
            heading = line
        elif heading.startswith("## ") and quotation(line) is not None:
            found.add(heading)
    return found


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def stem(path: str) -> str:
    """Return the name of a file without its extension."""
    return posixpath.splitext(posixpath.basename(path))[0]


def _slug(title: str) -> str:
    """Return a file name for a title, of letters that every file system takes."""
    words = re.findall(rf"[{CJK}]+|[^\W_{CJK}]+", re.sub(r"(?<=\w)['’](?=\w)", "", title.lower()))
    name = "-".join(words[:8])
    return name[:48].strip("-") or "draft"
