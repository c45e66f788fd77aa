"""Numbers of figures, tables, formulas and sections, references to them, and citations.

The syntax is that of pandoc and its filter pandoc-crossref: ``{#fig:name}`` names a figure,
``@fig:name`` refers to it, and ``[@key, p. 3]`` cites an entry of the `bibliography:` in the front
matter. CommonMark, which we parse, has none of this.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from dogent_tui.documents.bibliography import (
    LARGEST,
    SUFFIXES,
    Bibliography,
    Entry,
    locator_pages,
    unused_entries,
)
from dogent_tui.documents.export import tree
from dogent_tui.documents.export.images import Images, LeftOutError
from dogent_tui.documents.export.left_out import LeftOut
from dogent_tui.documents.export.source import FrontMatter
from dogent_tui.documents.export.tree import Node, attributes, mapped, node, words
from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.terms import term
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import Halt
from dogent_tui.temporary import temporary_folder

KINDS = ("fig", "tbl", "sec", "eq", "lst")
_LABEL_START = rf"(?:{'|'.join(KINDS)})[:-]"
"""The beginning of a name that references may use, as in pandoc-crossref and in Quarto."""
_KEY = (
    r"(?P<hides>(?<!\w)-|)@(?:\{(?P<held>[^{}\s]+)\}"
    rf"|(?P<name>{_LABEL_START}[A-Za-z0-9_](?:[A-Za-z0-9_:.-]*[A-Za-z0-9_])?|\w(?:[\w:.#$%&+?<>~/-]*\w)?))"
)
"""In Chinese, there is no space between a name and what follows."""
_PLACES, _MOST_PLACES = 0x100000, 0xFFFF
"""The first of the placeholder characters for everything except words while looking for citations;
they are for private use, in a plane that no font uses.
"""
_BARE = re.compile(r"(?<![A-Za-z0-9_.@/\\])" + _KEY, re.IGNORECASE)
_INSIDE = re.compile(r"(?<![^\s\U00100000-\U0010ffff])" + _KEY, re.IGNORECASE)
_CITED = re.compile(rf"\[(?P<group>[^\[\]]*@[^\]]*)\]|{_BARE.pattern}", re.IGNORECASE)
_LOCATOR = re.compile(r"[ \n]?\[([^\[\]]+)\]")
_NOT_WORDS = re.compile("([ \n\U00100000-\U0010ffff])")
_LABEL = re.compile(rf"{_LABEL_START}\S+", re.IGNORECASE)
REFERENCE = "reference"
_DEAD = re.compile(r"Citeproc: citation (\S+) not found")


def names_of(lang: str) -> dict[str, str]:
    """Return what each kind is called in a language."""
    return {kind: term(lang, kind) for kind in KINDS}


def _kind(name: str) -> str:
    return re.split("[:-]", name, maxsplit=1)[0].lower()


def is_label(name: str) -> bool:
    """Return whether `name` is one that references may use, such as ``fig:map``."""
    return bool(_LABEL.fullmatch(name))


class Labels:
    """Numbers everything in text order, and writes the references to it."""

    def __init__(self, front: FrontMatter, told: LeftOut) -> None:
        """`told` hears of references to nothing."""
        self._told = told
        self._names = names_of(front.lang)
        self._colon = "：" if front.lang.lower().startswith("zh") else ": "
        self._counts = dict.fromkeys(KINDS, 0)
        self._known: dict[str, tuple[str, str]] = {}

    def caption(self, name: str, inlines: list[Any]) -> list[Any]:
        """Return the caption of the figure, table or listing `name` with its number, if its name
        requires one.
        """
        if not is_label(name):
            return inlines
        number = f"{self._names[_kind(name)]}\N{NO-BREAK SPACE}{self.count(name)}"
        return [*words(number + self._colon if inlines else number), *inlines]

    def count(self, name: str) -> str:
        """Return the next number of the kind of `name`, and assign it to that."""
        kind = _kind(name)
        self._counts[kind] += 1
        self._known[name.lower()] = (name, str(self._counts[kind]))
        return str(self._counts[kind])

    def section(self, name: str, number: str, title: str) -> None:
        """Record the number, or else the title, of the section `name`."""
        self._known[name.lower()] = (name, number or f"“{title}”")

    def resolve(self, span: Any, handlers: Mapping[str, tree.Handler]) -> list[Node]:
        """Return the text, with links, of a reference from `mark_references`; any other span with
        `handlers` applied to its content.
        """
        (_, classes, attributes), inside = span
        if classes != [REFERENCE]:
            return [node("Span", [span[0], mapped(inside, handlers)])]
        key = dict(attributes)["key"]
        name = key.lstrip("-")
        if not (text := self.text(name, is_short=key != name)):
            self._told.add(tr("Reference"), f"@{key.lstrip('-')}", tr("it has no target"))
            return list(inside)
        return [tree.link(words(text), f"#{self._known[name.lower()][0]}")]

    def text(self, name: str, *, is_short: bool = False) -> str:
        """Return the words for what is called `name`, without those for its kind if `is_short`, ""
        if there is none.
        """
        name, number = self._known.get(name.lower(), ("", ""))
        if is_short or not number or number.startswith("“"):
            return number
        kind = self._names.get(_kind(name), self._names["sec"])
        return f"{kind}\N{NO-BREAK SPACE}{number}"


def mark_references(blocks: list[Any], lang: str, *, cited: bool) -> tuple[list[Any], list[str]]:
    """Return `blocks` with references as spans, and citations as citations if `cited`; and
    citations that stay as text.
    """
    marker = _Marker(lang, cited=cited)
    return marker.nodes(blocks), marker.uncited


class _Marker:
    """Finds references and citations in lines of text, represented as lists of inlines."""

    def __init__(self, lang: str, *, cited: bool) -> None:
        self._cited = cited
        self._names = names_of(lang)
        self._places: list[Node] = []
        self.uncited: list[str] = []
        self._done: dict[str, tree.Handler] = {
            "Cite": lambda content: [node("Cite", content)],
            "Link": lambda content: [node("Link", content)],
            "Span": lambda content: [
                node("Span", content if content[0][1] == [REFERENCE] else self.nodes(content))
            ],
        }

    def nodes(self, value: list[Any]) -> list[Any]:
        return list(mapped(value, self._done, self._in_list))

    def _in_list(self, nodes: list[Any]) -> list[Any]:
        texts = [part["c"] for part in nodes if isinstance(part, dict) and part.get("t") == "Str"]
        if not any("@" in text for text in texts) or len(nodes) > _MOST_PLACES:
            return nodes
        spaces, text, self._places = {"Space": " ", "SoftBreak": "\n"}, "", []
        for inline in nodes:
            if inline["t"] == "Str" and not _NOT_WORDS.search(inline["c"]):
                text += inline["c"]
            elif inline["t"] in spaces:
                text += spaces[inline["t"]]
            else:
                text += chr(_PLACES + len(self._places))
                self._places.append(inline)
        return list(self._marked(text))

    def _marked(self, text: str) -> Iterator[Node]:
        """Yield the inlines of a text, with its references and citations."""
        last = 0
        for found in _CITED.finditer(text):
            if found.start() < last:
                continue
            yield from self._inlines(text[last : found.start()])
            last = found.end()
            if (inside := found["group"]) is None:
                made, last = self._bare(found, text)
                yield from made
            elif (group := self._group(inside)) is None:
                yield from self._inlines("[")
                yield from self._marked(inside)
                yield from self._inlines("]")
            else:
                yield from group
        yield from self._inlines(text[last:])

    def _inlines(self, text: str) -> list[Node]:
        out: list[Node] = []
        for part in filter(None, _NOT_WORDS.split(text)):
            if part in " \n":
                out.append({"t": "Space" if part == " " else "SoftBreak"})
            elif (place := ord(part[0]) - _PLACES) >= 0:
                out.append(self._places[place])
            else:
                out += words(part)
        return out

    def _group(self, inside: str) -> list[Node] | None:
        """Return the content of brackets as references or a citation, None if it is neither."""
        entries = inside.split(";")
        keys = [next(_INSIDE.finditer(entry), None) for entry in entries]
        if None in keys:
            return None
        first, *_ = found = list(filter(None, keys))
        has_prefix = not inside.startswith(("@", "-@"))
        labels = [is_label(_name(key)) for key in found]
        if any(labels) and has_prefix and not self._names_kind(entries[0], first):
            return None
        if all(labels):
            return self._references(inside)
        original = self._inlines(f"[{inside}]")
        if not self._cited:
            self.uncited += [tree.plain_text(original)] * (not has_prefix)
            return None
        citations = [
            _citation(
                _name(key),
                "SuppressAuthor" if key["hides"] else "NormalCitation",
                self._inlines(entry[: key.start()].lstrip()),
                self._inlines(entry[key.end() :]),
            )
            for entry, key in zip(entries, found, strict=True)
        ]
        return [node("Cite", [citations, original])]

    def _names_kind(self, entry: str, key: re.Match[str]) -> bool:
        """Return whether the text before a key names its kind, as “Figs.” does."""
        stem = entry[: key.start()].rstrip("s. ").casefold()[:3]
        kind = _kind(_name(key))
        return bool(stem) and self._names.get(kind, "").casefold().startswith(stem)

    def _references(self, text: str) -> list[Node]:
        """Return the content of brackets with its references, of which those in a row that are of
        one kind name it once.
        """
        out: list[Node] = []
        last = 0
        before = "" if text.startswith("@") else _kind(_name(next(_BARE.finditer(text))))
        for key in _BARE.finditer(text):
            name, kind = _name(key), _kind(_name(key))
            hidden = key["hides"] or "-" * (kind == before)
            out += self._inlines(text[last : key.start()].replace(";", ","))
            out.append(_reference(hidden + name, words(key[0])))
            last, before = key.end(), kind
        return [*out, *self._inlines(text[last:])]

    def _bare(self, found: re.Match[str], text: str) -> tuple[list[Node], int]:
        """Return a key outside of brackets, with its place if it is cited, and their end."""
        name, original, end = _name(found), words(found[0]), found.end()
        if is_label(name):
            return [_reference(found["hides"] + name, original)], end
        if found["hides"] or not self._cited:
            return self._inlines(found[0]), end
        place = _LOCATOR.match(text, end)
        after, end = (self._inlines(place[1]), place.end()) if place else ([], end)
        return [node("Cite", [[_citation(name, "AuthorInText", [], after)], original])], end


def _name(key: re.Match[str]) -> str:
    return key["held"] or key["name"]


def _reference(key: str, original: list[Node]) -> Node:
    return node("Span", [attributes("", REFERENCE, key=key), original])


def _citation(name: str, mode: str, before: list[Node], after: list[Node]) -> Node:
    return {
        "citationId": name,
        "citationPrefix": before,
        "citationSuffix": after,
        "citationMode": {"t": mode},
        "citationNoteNum": 0,
        "citationHash": 0,
    }


def cite(
    blocks: list[Any], front: FrontMatter, images: Images, halt: Halt | None
) -> tuple[list[Any], list[str]]:
    """Return `blocks` with their citations written out and a list of references at the end, and
    warnings. Blocks.

    The files are first copied out of the workspace, as pandoc must not see anything else. Raises
    DocumentError.
    """
    warnings: list[str] = []
    with temporary_folder() as folder:
        options = ["--citeproc", "--metadata=link-citations", *tree.language(front.lang)]
        files = [("bibliography", name) for name in front.bibliography]
        files += [("csl", front.csl)] if front.csl else []
        for option, name in files:
            copy = folder / f"{option}-{len(options)}{Path(name).suffix.lower()}"
            try:
                if copy.suffix not in (SUFFIXES if option == "bibliography" else {".csl"}):
                    raise LeftOutError(tr("it has none of the known formats"))
                copy.write_bytes(images.read(name, LARGEST))
            except LeftOutError as reason:
                warnings.append(
                    tr(
                        "The {option} {name} was not used: {reason}.",
                        option=option,
                        name=one_line(name),
                        reason=reason,
                    )
                )
                continue
            options.append(f"--{option}={copy}")
        if not any(option.startswith("--bibliography") for option in options):
            return blocks, warnings
        done = tree.written(blocks, "json", *options, halt=halt, readable=(folder,))
    dead = [found[1] for said in done.warnings if (found := _DEAD.fullmatch(said))]
    others = [one_line(said) for said in done.warnings if not _DEAD.fullmatch(said)]

    def unlinked(link: Any) -> list[Any]:
        return link[1] if link[2][0].removeprefix("#ref-") in dead else [node("Link", link)]

    warnings += (tr("@{key} is cited, but no bibliography has it.", key=key) for key in dead)
    warnings += (said.replace(f"{folder}/", "") for said in others)
    return mapped(tree.blocks_of(done.data), {"Link": unlinked}), warnings


def citation_warnings(
    blocks: list[Any],
    entries: Mapping[str, tuple[Entry, Bibliography]],
    own: Iterable[Entry],
    root: Path,
) -> list[str]:
    """Return problems with the citations in `blocks` that can still be written out: pages that a
    work does not have, and uncited entries of the draft's `own` bibliographies. `entries` are by
    key. A work may be cited by the pages of its pdf in `root`, too. Blocks.
    """
    cited, told = set(), []
    counted = cache(_page_count)
    for cite_node in tree.walk(blocks):
        for citation in cite_node["c"][0] if cite_node.get("t") == "Cite" else ():
            key = citation["citationId"]
            cited.add(key)
            first, last = locator_pages(tree.plain_text(citation["citationSuffix"]))
            if not first or key not in entries:
                continue
            entry, bibliography = entries[key]
            if entry.pages[0] <= first <= last <= entry.pages[1]:
                continue
            file = bibliography.pdf(entry, root)
            in_file = counted(file) if file else 0
            if last > in_file and (entry.pages[1] or in_file):
                work = entry.pages if entry.pages[1] else (1, in_file)
                pages = "–".join(map(str, work))
                told.append(
                    tr(
                        "@{key} is cited for page {page}, but the work has pages {pages}.",
                        key=key,
                        page=last,
                        pages=pages,
                    )
                )
    unused = [entry.key for entry in own if entry.key not in cited]
    return [*told, *([unused_entries(unused)] if unused else [])]


def _page_count(file: Path) -> int:
    """Return the number of pages of a document, 0 if unknown."""
    from dogent_tui.documents.library import DocumentLibrary  # on use

    async def read() -> dict[str, Any]:
        async with DocumentLibrary() as documents:
            return (await documents.read(file, ReadOptions(pages="1"), max_chars=200)).metadata

    with suppress(DocumentError):  # it is not a document, or a scan
        return int(asyncio.run(read()).get("pages") or 0)
    return 0
