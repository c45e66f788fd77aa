"""Outlines: from the headings of the sources, and drafts along one."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from dogent_tui.offline.answering import CHANGES
from dogent_tui.offline.documents import is_document
from dogent_tui.offline.draft import Draft, draft_title, quote_line, stem
from dogent_tui.offline.intent import Intent
from dogent_tui.offline.phrases import PHRASES
from dogent_tui.offline.relevance import Ranked, pick, rank, terms
from dogent_tui.offline.sentences import Sentence, sentences_of, title_of

_HEADING = re.compile(r"^(?P<level>#{1,6})\s+(?P<title>.*?)\s*#*$")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+(?:\.\d+)*[.)、]?)\s+(?P<title>\S.*)$")
_MOST_SECTIONS = 24
"""Headings proposed at the most: more than that nobody reads before there is a text."""
_NEAR = 0.25
"""Share of a heading's terms, weighted by rarity, from which a sentence belongs under it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of an outline; `notes` are the words under it."""

    level: int
    title: str
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """A title, empty where there is none, and the headings under it, in order."""

    title: str
    sections: tuple[Section, ...]

    def as_markdown(self) -> str:
        """Return the outline as headings."""
        lines = [f"# {self.title}", *(f"{'#' * section.level} {section.title}" for section in self.sections)]
        return "\n\n".join(lines) + "\n"


def outline_from(documents: Mapping[str, str], intent: Intent) -> Outline:
    """Return an outline of the headings of those `documents` that hold something on the topic."""
    several = len(documents) > 1
    sections: list[Section] = []
    for path, text in documents.items():
        found = sentences_of(path, text)
        if intent.words and not any(item.on_topic for item in rank(found, intent.words)):
            continue
        title = _title(path, text) or (stem(path) if several else "")
        named = dict.fromkeys(sentence.section or title for sentence in found)
        if title and (several or title in named):
            sections.append(Section(2, title))
        sections += [Section(3 if several and title else 2, name) for name in named if name not in ("", title)]
    unique = tuple({section.title: section for section in reversed(sections)}.values())[::-1]
    if not unique and intent.form == "outline":  # it is all that was asked for: better what there is than nothing
        if intent.words:
            return outline_from(documents, replace(intent, words=()))
        unique = tuple(Section(2, stem(path)) for path in documents)
    return Outline(draft_title(intent, documents), unique[:_MOST_SECTIONS])


def parse_outline(text: str) -> Outline:
    """Read an outline as a person may send it: Markdown headings, or where there are none, a list."""
    lines = CHANGES.split(text.strip(), maxsplit=1)[0].splitlines()
    found = [(_HEADING.match(line), line) for line in lines]
    if not any(heading for heading, _ in found):
        return Outline("", tuple(Section(2, item["title"].strip()) for line in lines if (item := _ITEM.match(line))))
    title, sections = "", list[Section]()
    for heading, line in found:
        if heading is None:
            if sections and line.strip():
                last = sections[-1]
                sections[-1] = Section(last.level, last.title, f"{last.notes} {line.strip()}".strip())
        elif len(heading["level"]) == 1 and not title and not sections:
            title = heading["title"]
        else:
            sections.append(Section(max(2, len(heading["level"])), heading["title"]))
    return Outline(title, tuple(sections))


def compose_along(outline: Outline, documents: Mapping[str, str], intent: Intent) -> Draft | None:
    """Write a draft with exactly the headings of `outline`, each with the sentences that fit it. None without any sentence."""
    everything = [sentence for path, text in documents.items() for sentence in sentences_of(path, text)]
    if not everything:
        return None
    titles = {path: _title(path, text) or (stem(path) if len(documents) > 1 else "") for path, text in documents.items()}
    phrases = PHRASES[intent.language]
    title = outline.title or draft_title(intent, documents)
    lines = [f"# {title}", "", phrases.marker, ""]
    used: list[str] = []
    share = max(1, -(-intent.count // max(1, len(outline.sections))))
    for number, section in enumerate(outline.sections):
        holds_others = number + 1 < len(outline.sections) and outline.sections[number + 1].level > section.level
        picked = pick(_fitting(section, everything, titles), share, besides=used)
        used += [item.sentence.text for item in picked]
        lines += [f"{'#' * section.level} {section.title}", ""]
        lines += [quote_line(item.sentence, intent.language) for item in picked]
        lines += [] if picked or holds_others else [phrases.nothing_here]
        lines += [""] if picked or not holds_others else []
    return Draft(title, "\n".join(lines).rstrip() + "\n")


def _title(path: str, text: str) -> str:
    """Return the first heading; for a document without any, such as a workbook, its name."""
    return title_of(text) or (stem(path) if is_document(path) else "")


def _fitting(section: Section, sentences: Iterable[Sentence], titles: Mapping[str, str]) -> list[Ranked]:
    """Return the sentences that stand under this heading in their file; where it is a new one, those that are about it."""
    items = list(sentences)
    known = [sentence for sentence in items if section.title == (sentence.section or titles[sentence.path])]
    if not known:  # the person may have gone on with a heading of the file: “What we found (2025)”
        words = set(terms(section.title))
        known = [item for item in items if (own := set(terms(item.section or titles[item.path]))) and own <= words]
    if known and not section.notes:
        return rank(known, terms(section.title))
    ranked = rank(items, terms(f"{section.title} {section.notes}"))
    near = [item for item in ranked if item.overlap >= _NEAR]
    return near or rank(known, terms(section.title))
