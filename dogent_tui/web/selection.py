"""Which of a page's own elements make up its article: those with the text that the extractor found,
and what belongs to them.

The extractor returns rewritten text, without formulas, merged cells, captions and notes. So its
answer only tells which elements to take.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import dropwhile, islice, pairwise, takewhile

from dogent_tui.documents.elements import is_within
from dogent_tui.documents.html.hidden_text import HIDDEN
from dogent_tui.documents.html.nodes import (
    BLOCKS,
    TITLES,
    Element,
    is_formula,
    squeezed_text,
)
from dogent_tui.documents.html.notes import NOTES
from dogent_tui.web.article_lines import squeezed
from dogent_tui.web.phrases import LEADS

_GRAM = 8
_ALIKE = 0.6
"""The share of a paragraph's runs of `_GRAM` letters that the extractor must have found, unless it
found all of it.
"""
_SHORT = 24
"""The number of letters up to which a text may also occur elsewhere: it must be a complete piece of
what was found, in order.
"""
_AHEAD = 12
"""How many pieces ahead of the previously found one a short text may be."""
_LINES = 4
_MOST_LEADS, _LEAD_CHARS, _LEAD_LINKED = 2, (165, 900), 0.4
_LEAD_WITHIN = 320
"""An article with fewer letters gets no introduction: it may be the wrong one."""
_NOT_LEAD = (
    "nav", "aside", "footer", "figure", "form", "ul", "ol", "table", "button", "a",
)  # fmt: skip
_MOSTLY, _SOME = 0.5, 0.15
_LEAST_LETTERS = 100
_LEVELS = 6
_LINKED = 0.5
_MOSTLY_LINKS = 0.6
_WHOLES = frozenset({"table", "blockquote", "figure", "pre"})
_LISTS = frozenset({"ul", "ol", "dl"})
"""Elements taken as a whole if most of their content was found."""


def article_of(body: Element, pieces: Sequence[str], described: str = "") -> bool:
    """Reduce `body` to the article. `pieces` are the texts that an extractor found, in order;
    `described` is the page's own description.

    Return whether anything is left.
    """
    units = [node for node in body.iter() if _is_unit(node)]
    kept = set(_matched(units, pieces))
    if not kept:
        return False
    kept |= set(_belonging(units, kept))
    kept |= set(_posts(body, units, kept))
    if len(squeezed(" ".join(pieces))) > _LEAD_WITHIN:
        kept |= set(islice(_leads(units, kept, squeezed(described)), _MOST_LEADS))
    for title, below in [*pairwise(units)][::-1]:
        if title.tag in TITLES[1:] and below in kept and _is_near(title, below):
            kept.add(title)
    _prune(body, kept)
    _settle_pictures(body)
    return True


def _leads(units: list[Element], kept: set[Element], described: str) -> Iterator[Element]:
    """Yield the introductions between the title and what was found: extractors take them for part
    of the page's header.
    """
    below = dropwhile(lambda unit: unit.tag != "h1", units)
    for unit in takewhile(lambda unit: unit not in kept or unit.tag in TITLES, islice(below, 400)):
        said, letters = squeezed_text(unit), squeezed(squeezed_text(unit))
        linked = sum(len(squeezed_text(link)) for link in unit.iter("a"))
        if (
            _LEAD_CHARS[0] <= len(said) <= _LEAD_CHARS[1]
            and linked <= _LEAD_LINKED * len(said)
            and not is_within(unit, *_NOT_LEAD)
            and (
                (described and (letters[:60] in described or described[:60] in letters))
                or _is_called_lead(unit)
            )
        ):
            yield unit


def _is_called_lead(unit: Element) -> bool:
    for node in islice((unit, *unit.iterancestors()), 3):
        if node.tag in {"article", "main", "body"}:
            return False
        if node.tag == "header" or LEADS.search(node.get("class") or ""):
            return True
    return False


def _posts(body: Element, units: list[Element], kept: set[Element]) -> Iterator[Element]:
    """Yield the units of all posts of a discussion, of which extractors find the first."""
    posts = {node for node in body.iter() if node.get("itemprop") == "text"}
    inside = [unit for unit in units if posts.intersection(unit.iterancestors())]
    if len(posts) > 1 and kept.intersection(inside):
        yield from inside


def _is_near(title: Element, below: Element) -> bool:
    """Return whether `below` is in the element around a heading, or in the one around that."""
    around = {*islice(title.iterancestors(), 2)}
    return any(one in around for one in below.iterancestors())


def _is_unit(node: Element) -> bool:
    """Return whether `node` is a block without inner blocks, and not one of the notes."""
    if (
        node.tag not in BLOCKS
        or next((one for one in node.iterancestors() if one.get("id") == NOTES), None) is not None
    ):
        return False
    return node.tag == "pre" or not any(inner.tag in BLOCKS for inner in node.iterdescendants())


def _words(node: Element) -> str:
    """Return the text of `node` without formulas and note marks, which extractors drop."""
    if is_formula(node) or node.tag == "math" or node.get("role") == "doc-noteref":
        return ""
    return (node.text or "") + "".join(_words(child) + (child.tail or "") for child in node)


def _matched(units: list[Element], pieces: Sequence[str]) -> Iterator[Element]:
    """Yield the units whose text was found: as a piece or, if no unit equals that piece, by most of
    its letters.
    """
    texts = [squeezed(_words(unit)) for unit in units]
    known = set(texts)
    parts = [part for piece in pieces if (part := squeezed(piece))]
    left = Counter(parts)
    rest = "\n".join(part for part in parts if part not in known)
    lines = rest.replace("\n", "")
    grams = {lines[place : place + _GRAM] for place in range(len(lines) - _GRAM + 1)}
    titles = {said for unit, said in zip(units, texts, strict=True) if unit.tag in TITLES}
    at = 0
    for unit, said in zip(units, texts, strict=True):
        if not said or (said in titles and unit.tag not in TITLES):
            continue
        if len(said) <= _SHORT:
            near = range(at, min(at + _AHEAD, len(parts)))
            place = next(
                (number for number in near if _begins(parts[number : number + _LINES], said)), -1
            )
            if place >= 0:
                at = place + 1
                yield unit
        elif left[said]:
            left[said] -= 1
            at = max(at, parts.index(said) + 1)
            yield unit
        elif said not in left and (said in rest or _share(said, grams) >= _ALIKE):
            yield unit


def _begins(parts: Sequence[str], said: str) -> bool:
    """Return whether `said` is the first of `parts`, or the first few joined, which are lines of
    one unit.
    """
    return said.startswith(parts[0]) and "".join(parts).startswith(said)


def _share(said: str, grams: set[str]) -> float:
    """Return the share of `said` that is in `grams`."""
    own = [said[place : place + _GRAM] for place in range(0, len(said) - _GRAM + 1, 3)]
    return sum(gram in grams for gram in own) / len(own)


def _belonging(units: list[Element], kept: set[Element]) -> Iterator[Element]:
    """Yield the units that were not found but belong to found ones: the rest of a list or table,
    and figures, formulas, code.
    """
    letters = {unit: len(squeezed(_words(unit))) for unit in units}
    told: Counter[Element] = Counter()
    whole: Counter[Element] = Counter()
    for unit in units:
        for around in (unit, *unit.iterancestors()):
            whole[around] += letters[unit]
            told[around] += letters[unit] if unit in kept else 0
    found = [number for number, unit in enumerate(units) if unit in kept]
    first, last = found[0], found[-1]
    for number, unit in enumerate(units):
        if unit in kept:
            continue
        group = _group_of(unit)
        if (
            group is not None
            and group.tag in _LISTS
            and told[group]
            and told[group] >= (_SOME if first < number < last else _MOSTLY) * whole[group]
        ):
            yield unit
        elif group is not None and group.tag in _WHOLES - {"figure"} and told[group]:
            yield unit  # part of a table does not count
        elif _is_dropped(unit, group):
            inner = unit if group is None else group
            levels = list(inner.iterancestors())[: _LEVELS if first < number < last else 1]
            around = next(
                (one for one in levels if told[one] - told[inner] >= _LEAST_LETTERS), None
            )
            if around is not None and told[around] >= _MOSTLY * (whole[around] - whole[inner]):
                yield unit
        elif first < number < last and _is_between(unit if group is None else group, kept):
            yield unit


def _is_between(block: Element, kept: set[Element]) -> bool:
    """Return whether a paragraph or list without links is between found elements, or headings."""
    around = block.getprevious(), block.getnext()
    return (
        block.tag in _LISTS | {"p"}
        and block.find(".//a") is None
        and all(
            one is not None and (one.tag in TITLES or not kept.isdisjoint(one.iter()))
            for one in around
        )
    )


def _group_of(unit: Element) -> Element | None:
    """Return the group of `unit`: an element that may contain lists, or the outermost list."""
    found = None
    for node in (unit, *unit.iterancestors()):
        if node.tag in _WHOLES:
            return node
        if node.tag in _LISTS:
            found = node
    return found


def _is_dropped(unit: Element, group: Element | None) -> bool:
    """Return whether extractors always drop this kind of element, so that its absence means
    nothing.
    """
    if any(HIDDEN in inner.attrib for inner in unit.iter()) and not squeezed_text(unit):
        return True
    if group is None:
        return any(inner.tag == "math" or is_formula(inner) for inner in unit.iter())
    if group.tag == "figure":
        shown = (
            next(unit.iter("img", "pre", "math"), None) is not None
            or next(unit.iterancestors("table", "blockquote"), None) is not None
        )
        return shown or (
            unit.tag == "figcaption"
            and next(group.iter("img", "table", "pre", "blockquote", "math"), None) is not None
        )
    said = len(squeezed_text(group))
    return (
        group.tag not in {"ul", "ol"}
        and sum(len(squeezed_text(link)) for link in group.iter("a")) <= _LINKED * said
    )


def _prune(body: Element, kept: set[Element]) -> None:
    """Remove from `body` everything without any of the units `kept`, except notes."""
    alive = {body}
    for unit in kept:
        alive.add(unit)
        alive.update(unit.iterancestors())
    notes = next((node for node in body if node.get("id") == NOTES), None)
    for node in [one for one in body.iter() if one in alive and one not in kept]:
        for child in [one for one in node if one not in alive and one is not notes]:
            child.drop_tree()


def _settle_pictures(body: Element) -> None:
    """Attach captions to pictures, and remove pictures without one: logos, portraits of authors,
    icons, and decoration.
    """
    for figure in list(body.iter("figure")):
        captions, image = list(figure.iter("figcaption")), next(figure.iter("img"), None)
        said = " ".join(filter(None, map(squeezed_text, captions)))
        if image is not None and said:
            image.set("title", said)
            if squeezed(image.get("alt") or "") in squeezed(said):
                image.set("alt", "")
        # of a missing picture
        if captions and (image is not None or len(squeezed_text(figure)) == len(said)):
            for caption in captions:
                caption.drop_tree()
    for image in list(body.iter("img")):
        if not image.get("title") or (image.get("src") or "").startswith("data:"):
            image.drop_tree()
    for link in list(body.iter("a")):
        if (
            not squeezed_text(link)
            and next(link.iter("img"), None) is None
            and link.get("role") != "doc-noteref"
        ):
            link.drop_tree()


def says_only_links(body: Element, pieces: Sequence[str]) -> bool:
    """Return whether most of `pieces` are just the texts of the page's links."""
    links = {squeezed(squeezed_text(link)) for link in body.iter("a")}
    return sum(squeezed(piece) in links for piece in pieces) > _MOSTLY_LINKS * len(pieces)
