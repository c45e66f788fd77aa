"""What lies around the cells of a sheet: comments, links, pictures and charts."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import msgspec

from dogent_tui.documents.model import Block, Source
from dogent_tui.documents.workbook import markdown
from dogent_tui.documents.workbook.package import Package, Relation
from dogent_tui.documents.workbook.rows import Link

_IN_BLOCK = 20
_MOST_COMMENTS = 1000
_LONGEST_URL = 2083
"""Characters that Excel takes; a longer one is cut."""

_SAFE_URL = re.compile(r"(?:https?|ftp|mailto|file):", re.IGNORECASE)

_DRAWN = {"pic": "picture", "chart": "chart", "sp": "shape"}


class Comment(msgspec.Struct, frozen=True):
    """A remark on the cell `cells`; `author` may be empty."""

    cells: str
    author: str
    text: str


def read_comments(package: Package, relations: dict[str, Relation]) -> list[Comment]:
    """Return the comments of a sheet, a thousand at most: those of the newer kind, which are a
    conversation, before the notes.
    """
    comments: list[Comment] = []
    people: dict[str, str] = {}
    if any(relation.kind == "threadedComment" for relation in relations.values()):
        for person in package.elements("xl/persons/person.xml", frozenset({"person"})):
            people[person.attributes.get("id", "")] = person.attributes.get("displayName", "")
    for relation in sorted(
        relations.values(), key=lambda relation: relation.kind != "threadedComment"
    ):
        if relation.kind == "threadedComment":
            for found in package.elements(
                relation.target, frozenset({"threadedComment"})
            ):  # its text is its only child
                author = people.get(found.attributes.get("personId", ""), "")
                comments.append(
                    Comment(found.attributes.get("ref", ""), author, found.text.strip())
                )
        elif relation.kind == "comments":
            threaded = {
                comment.cells for comment in comments
            }  # these have a note as well, for older programs
            others = (
                note for note in _notes(package, relation.target) if note.cells not in threaded
            )
            comments += islice(others, max(0, _MOST_COMMENTS - len(comments)))
    return comments[:_MOST_COMMENTS]


def _notes(package: Package, part: str) -> Iterator[Comment]:
    authors: list[str] = []
    texts: list[str] = []
    for element in package.elements(part, frozenset({"author", "t", "comment"})):
        if element.name == "author":
            authors.append(element.text)
        elif element.name == "t":  # in rPh stands how to read the characters, in Japanese
            texts += [element.text] if element.parent != "rPh" else []
        else:
            number = element.attributes.get("authorId", "")
            author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
            # programs begin a note with the author's name on a line of its own
            text = "".join(texts).strip().removeprefix(f"{author}:" if author else "").strip()
            texts.clear()
            yield Comment(element.attributes.get("ref", ""), author.strip(), text)


def comment_blocks(comments: list[Comment], sheet: str) -> Iterator[Block]:
    """Yield the comments as a list with their cells, twenty a block."""
    lines = []
    for comment in comments:
        author = f" ({markdown.line(comment.author)})" if comment.author else ""
        lines.append((comment.cells, f"- {comment.cells}{author}: {markdown.line(comment.text)}"))
    yield from _listed("Comments:", lines, sheet)


def link_blocks(links: list[Link], relations: dict[str, Relation], sheet: str) -> Iterator[Block]:
    """Yield where the links of the cells lead, twenty a block."""
    lines = []
    for link in links:
        relation = relations.get(link.relation)
        target = relation.target if relation else ""
        if link.place:
            target += f"#{link.place}"
        if target:
            target = markdown.line(target[:_LONGEST_URL])
            bare = _SAFE_URL.match(target) and " " not in target
            shown = f"<{target}>" if bare else target
            lines.append((link.cells, f"- {link.cells}: {shown}"))
    yield from _listed("Links:", lines, sheet)


def _listed(title: str, lines: list[tuple[str, str]], sheet: str) -> Iterator[Block]:
    for start in range(0, len(lines), _IN_BLOCK):
        taken = lines[start : start + _IN_BLOCK]
        text = "\n".join(line for _cells, line in taken)
        source = Source(sheet=sheet, cells=",".join(cells for cells, _line in taken))
        yield Block(text if start else f"{title}\n\n{text}", source, tight=start > 0)


def drawings(package: Package, relations: dict[str, Relation]) -> Counter[str]:
    """Return how many pictures, charts and shapes lie on a sheet, by these words."""
    counts: Counter[str] = Counter()
    for relation in relations.values():
        if relation.kind == "drawing":
            for element in package.elements(relation.target, frozenset(_DRAWN)):
                if element.name != "chart" or element.parent == "graphicData":
                    counts[_DRAWN[element.name]] += 1
    return counts
