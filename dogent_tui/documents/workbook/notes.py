"""What is around the cells of a sheet: comments, links, pictures and charts."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from dogent_tui.documents.model import Block, Source
from dogent_tui.documents.pandoc.archive import Relation
from dogent_tui.documents.workbook import markdown
from dogent_tui.documents.workbook.package import Package, shown_text

_IN_BLOCK = 20

_SAFE_URL = re.compile(r"(?:https?|ftp|mailto|file):\S*", re.IGNORECASE)

_DRAWN = {"pic": "picture", "chart": "chart", "sp": "shape"}

Comment = tuple[str, str, str]
"""The cell, the author, who may be unknown, and the text."""


def read_comments(package: Package, relations: dict[str, Relation]) -> list[Comment]:
    """Return the comments of a sheet: threaded comments before notes."""
    threads = list(_threads(package, relations))
    # these also have a note, for older programs
    threaded = {cells for cells, _, _ in threads}
    notes = (note for note in _notes(package, relations) if note[0] not in threaded)
    return [*threads, *notes]


def _threads(package: Package, relations: dict[str, Relation]) -> Iterator[Comment]:
    people = {
        person.get("id", ""): person.get("displayName", "")
        for person in package.root("xl/persons/person.xml").iter("{*}person")
    }
    for part in _targets(relations, "threadedComment"):
        for comment in package.root(part).iter("{*}threadedComment"):
            author = people.get(comment.get("personId", ""), "")
            yield comment.get("ref", ""), author, "".join(comment.itertext()).strip()


def _notes(package: Package, relations: dict[str, Relation]) -> Iterator[Comment]:
    for part in _targets(relations, "comments"):
        root = package.root(part)
        authors = {
            str(number): author.text or "" for number, author in enumerate(root.iter("{*}author"))
        }
        for comment in root.iter("{*}comment"):
            author = authors.get(comment.get("authorId", ""), "")
            text = "".join(map(shown_text, comment.iterfind("{*}text")))
            # programs begin a note with the author's name on a line of its own
            text = text.strip().removeprefix(f"{author}:" if author else "").strip()
            yield comment.get("ref", ""), author.strip(), text


def drawings(package: Package, relations: dict[str, Relation]) -> Counter[str]:
    """Return the numbers of pictures, charts and shapes on a sheet, by these words."""
    return Counter(
        _DRAWN[name]
        for part in _targets(relations, "drawing")
        for node in package.root(part).iter("{*}pic", "{*}chart", "{*}sp")
        if (name := node.tag.rpartition("}")[2]) != "chart"
        or node.getparent().tag.endswith("}graphicData")
    )


def _targets(relations: dict[str, Relation], kind: str) -> list[str]:
    return [relation.target for relation in relations.values() if relation.kind == kind]


def comment_blocks(comments: list[Comment], sheet: str) -> Iterator[Block]:
    """Yield the comments as a list with their cells, twenty per block."""
    lines = (
        (cells, (f" ({markdown.line(author)})" if author else "") + f": {markdown.line(text)}")
        for cells, author, text in comments
    )
    yield from _listed("Comments:", lines, sheet)


def link_blocks(links: list[tuple[str, str]], sheet: str) -> Iterator[Block]:
    """Yield the targets of the cells' links, twenty per block."""
    lines = []
    for cells, target in links:
        shown = markdown.line(target)
        if shown:
            lines.append((cells, f": <{shown}>" if _SAFE_URL.fullmatch(shown) else f": {shown}"))
    yield from _listed("Links:", lines, sheet)


def _listed(title: str, lines: Iterable[tuple[str, str]], sheet: str) -> Iterator[Block]:
    """Yield lines, each with cells and a text about them."""
    rest, is_first = iter(lines), True
    while taken := list(islice(rest, _IN_BLOCK)):
        text = "\n".join(f"- {cells}{line}" for cells, line in taken)
        source = Source(sheet=sheet, cells=",".join(cells for cells, _ in taken))
        yield Block(f"{title}\n\n{text}" if is_first else text, source, tight=not is_first)
        is_first = False
