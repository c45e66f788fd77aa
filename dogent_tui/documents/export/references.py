"""Numbers of figures, tables, formulas and sections, what refers to them, and citations.

The syntax is that of pandoc and its filter pandoc-crossref: ``{#fig:name}`` names a figure,
``@fig:name`` refers to it, and ``[@key, p. 3]`` cites an entry of the `bibliography:` in the front
matter. CommonMark, which we read, has none of this.
"""

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from dogent_tui.documents.bibliography import (
    LARGEST,
    SUFFIXES,
    Entry,
    locator_pages,
    unused_entries,
)
from dogent_tui.documents.export import tree
from dogent_tui.documents.export.images import Images, LeftOutError
from dogent_tui.documents.export.source import FrontMatter
from dogent_tui.documents.export.tree import Node, attributes, mapped, node, words
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import Halt

_NAMES = {
    "en": ("Figure", "Table", "Section", "Equation"),
    "de": ("Abbildung", "Tabelle", "Abschnitt", "Gleichung"),
    "es": ("Figura", "Tabla", "Sección", "Ecuación"),
    "fr": ("Figure", "Tableau", "Section", "Équation"),
    "it": ("Figura", "Tabella", "Sezione", "Equazione"),
    "pt": ("Figura", "Tabela", "Seção", "Equação"),
    "ja": ("図", "表", "節", "式"),
    "ko": ("그림", "표", "절", "식"),
    "zh": ("图", "表", "节", "式"),
}
KINDS = ("fig", "tbl", "sec", "eq")
_KEY = (
    rf"(-?)@(?:\{{([^{{}}\s]+)\}}|((?:{'|'.join(KINDS)}):(?:[A-Za-z0-9_][A-Za-z0-9_:.-]*[A-Za-z0-9_]|[A-Za-z0-9_])"
    r"|\w[\w:.#$%&+?<>~/-]*\w|\w))"
)
"""In Chinese, no space is between a name and what follows."""
_BARE = re.compile(r"(?<![A-Za-z0-9_.@/\\])" + _KEY, re.IGNORECASE)
_INSIDE = re.compile(_KEY, re.IGNORECASE)
_BRACKET = re.compile(r"(\[(?=-?@)|\])")
_LABEL = re.compile(rf"({'|'.join(KINDS)}):\S+", re.IGNORECASE)
REFERENCE = "reference"
_DEAD = re.compile(r"Citeproc: citation (\S+) not found")


def is_label(name: str) -> bool:
    """Whether `name` is one that references may mean, such as ``fig:map``."""
    return bool(_LABEL.fullmatch(name))


class Labels:
    """Counts what is numbered, in the order of the text, and writes what refers to it."""

    def __init__(self, front: FrontMatter) -> None:
        language = front.lang.partition("-")[0].lower()
        self._names = dict(zip(KINDS, _NAMES.get(language, _NAMES["en"]), strict=True))
        self._colon = "：" if language == "zh" else ": "
        self._counts = dict.fromkeys(KINDS, 0)
        self._known: dict[str, tuple[str, str]] = {}
        self.missing: list[str] = []

    def caption(self, kind: str, name: str, inlines: list[Any]) -> list[Any]:
        """Return the caption of the figure or table `name` with its number, if it has a name
        that is to be numbered.
        """
        if not is_label(name):
            return inlines
        number = self.count(kind, name)
        return [
            *words(
                f"{self._names[kind]}\N{NO-BREAK SPACE}{number}{self._colon if inlines else ''}"
            ),
            *inlines,
        ]

    def count(self, kind: str, name: str) -> str:
        """Return the next number of a kind, which is that of `name` from now on."""
        self._counts[kind] += 1
        self._known[name.lower()] = (name, str(self._counts[kind]))
        return str(self._counts[kind])

    def section(self, name: str, number: str, title: str) -> None:
        """Note that the section `name` has this number, or else this title."""
        self._known[name.lower()] = (name, number or f"“{title}”")

    def resolve(self, span: Any, handlers: Mapping[str, tree.Handler]) -> list[Node]:
        """Return what a reference of `mark_references` says, with links; any other span with
        `handlers` done to what is in it.
        """
        (_, classes, attributes), inside = span
        if classes != [REFERENCE]:
            return [node("Span", [span[0], mapped(inside, handlers)])]
        keys, written = dict(attributes)["keys"].split(), []
        if any(key.lstrip("-").lower() not in self._known for key in keys):
            self.missing += [key for key in keys if key.lstrip("-").lower() not in self._known]
            return list(inside)
        before = ""
        for place, key in enumerate(keys):
            name, number = self._known[key.lstrip("-").lower()]
            kind = name.partition(":")[0].lower()
            named = kind != before and not key.startswith("-") and not number.startswith("“")
            text = f"{self._names[kind]}\N{NO-BREAK SPACE}{number}" if named else number
            written += words(", ") if place else []
            written.append(tree.link(words(text), f"#{name}"))
            before = kind
        return written


def mark_references(blocks: list[Any], *, cited: bool) -> tuple[list[Any], list[str]]:
    """Return `blocks` with references as spans, and citations as citations where `cited`; and
    citations that stay as text.
    """
    marker = _Marker(cited=cited)
    return marker.nodes(blocks), marker.uncited


class _Marker:
    def __init__(self, *, cited: bool) -> None:
        self._cited = cited
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
        with_keys = any(
            isinstance(part, dict) and part.get("t") == "Str" and "@" in part["c"] for part in nodes
        )
        return list(self._inlines(nodes)) if with_keys else nodes

    def _inlines(self, nodes: list[Any]) -> Iterator[Node]:
        pieces = [piece for inline in nodes for piece in _split(inline)]
        place = 0
        while place < len(pieces):
            if pieces[place] == node("Str", "["):
                end = next(
                    (at for at in range(place, len(pieces)) if pieces[at] == node("Str", "]")), 0
                )
                group = self._group(pieces[place + 1 : end]) if end else None
                if group:
                    yield group
                    place = end + 1
                    continue
            yield from self._bare(pieces[place])
            place += 1

    def _group(self, inside: list[Node]) -> Node | None:
        """Return what stands in brackets as one reference or citation, None where it is neither."""
        entries: list[list[Node]] = [[]]
        for inline in inside:
            parts = re.split("(;)", inline["c"]) if inline["t"] == "Str" else [None]
            for part in parts:
                if part == ";":
                    entries.append([])
                elif part is None or part:
                    entries[-1].append(inline if part is None else node("Str", part))
        found = [
            (at, key)
            for entry in entries
            for at, inline in enumerate(entry)
            if (key := _key(inline))
        ]
        if len(found) < len(entries):
            return None
        names = [key[2] or key[3] for _, key in found]
        original = [*words("["), *inside, *words("]")]
        if all(is_label(name) for name in names):
            return _reference(
                [key[1] + name for (_, key), name in zip(found, names, strict=True)], original
            )
        if not self._cited:
            self.uncited.append(tree.plain_text(original))
            return None
        citations = []
        for entry in entries:
            at, key = next((at, key) for at, inline in enumerate(entry) if (key := _key(inline)))
            rest = entry[at]["c"][key.end() :]
            mode = "SuppressAuthor" if key[1] else "NormalCitation"
            citations.append(
                _citation(
                    key[2] or key[3], mode, _trimmed(entry[:at]), [*words(rest), *entry[at + 1 :]]
                )
            )
        return node("Cite", [citations, original])

    def _bare(self, inline: Node) -> Iterator[Node]:
        if inline["t"] != "Str" or "@" not in inline["c"]:
            yield inline
            return
        last, text = 0, inline["c"]
        for found in _BARE.finditer(text):
            name = found[2] or found[3]
            original = words(found[0])
            if is_label(name):
                made = _reference([found[1] + name], original)
            elif self._cited and not found[1]:
                made = node("Cite", [[_citation(name, "AuthorInText", [], [])], original])
            else:
                continue
            yield from words(text[last : found.start()])
            yield made
            last = found.end()
        yield from words(text[last:])


def _key(inline: Node) -> re.Match[str] | None:
    return _INSIDE.match(inline["c"]) if inline["t"] == "Str" else None


def _split(inline: Node) -> list[Node]:
    return (
        [part for text in _BRACKET.split(inline["c"]) for part in words(text)]
        if inline["t"] == "Str"
        else [inline]
    )


def _trimmed(nodes: list[Node]) -> list[Node]:
    return nodes[1:] if nodes and nodes[0]["t"] in {"Space", "SoftBreak"} else nodes


def _reference(keys: list[str], original: list[Node]) -> Node:
    return node("Span", [attributes("", REFERENCE, keys=" ".join(keys)), original])


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
    """Return `blocks` with their citations written out and a list of what is cited at the end, and
    warnings. Blocks.

    The files are copied out of the workspace first, as pandoc is to see no other. Raises
    DocumentError.
    """
    warnings: list[str] = []
    with tempfile.TemporaryDirectory(prefix="dogent-") as folder:
        arguments: list[str] = []
        for option, names in (
            ("bibliography", front.bibliography),
            ("csl", (front.csl,) if front.csl else ()),
        ):
            for number, name in enumerate(names):
                suffix = Path(name).suffix.lower()
                if suffix not in (SUFFIXES if option == "bibliography" else {".csl"}):
                    warnings.append(_unused(option, name, tr("it has none of the known formats")))
                    continue
                try:
                    content = images.read(name, LARGEST)
                except LeftOutError as reason:
                    warnings.append(_unused(option, name, str(reason)))
                    continue
                copy = Path(folder, f"{option}-{number}{suffix}")
                copy.write_bytes(content)
                arguments.append(f"--{option}={copy}")
        if not any(argument.startswith("--bibliography") for argument in arguments):
            return blocks, warnings
        meta: Node = {"link-citations": {"t": "MetaBool", "c": True}}
        if front.lang:
            meta["lang"] = {"t": "MetaString", "c": front.lang}
        options = ("--citeproc", *arguments)
        done = tree.written(blocks, "json", *options, meta=meta, halt=halt, readable=(folder,))
    dead = [found[1] for said in done.warnings if (found := _DEAD.fullmatch(said))]
    others = [one_line(said) for said in done.warnings if not _DEAD.fullmatch(said)]
    unlinked: Mapping[str, tree.Handler] = {
        "Link": lambda link: (
            link[1] if link[2][0].removeprefix("#ref-") in dead else [node("Link", link)]
        )
    }
    return mapped(tree.blocks_of(done.data), unlinked), [
        *warnings,
        *(tr("@{key} is cited, but no bibliography has it.").format(key=key) for key in dead),
        *(said.replace(f"{folder}/", "") for said in others),
    ]


def citation_warnings(
    blocks: list[Any], entries: Iterable[Entry], own: Iterable[Entry], counted: Mapping[str, int]
) -> list[str]:
    """Return what is wrong with the citations in `blocks`, though they can be written out: pages
    that a work has not, and entries of the draft's `own` bibliographies that it does not cite.
    `counted` are the pages of works' documents, by their keys.
    """
    known = {entry.key: entry for entry in entries}
    cited, told = set(), []
    for cite_node in tree.walk(blocks):
        for citation in cite_node["c"][0] if cite_node.get("t") == "Cite" else ():
            key = citation["citationId"]
            cited.add(key)
            first, last = locator_pages(tree.plain_text(citation["citationSuffix"]))
            in_file = counted.get(key, 0)  # pages
            if first and key in known and not known[key].has_pages(first, last, in_file):
                work = known[key].pages if known[key].pages[1] else (1, in_file)
                pages = "–".join(map(str, work))
                text = tr("@{key} is cited for page {page}, but the work has pages {pages}.")
                told.append(text.format(key=key, page=last, pages=pages))
    unused = [entry.key for entry in own if entry.key not in cited]
    return [*told, *([unused_entries(unused)] if unused else [])]


def _unused(option: str, name: str, reason: str) -> str:
    return tr("The {option} {name} was not used: {reason}.").format(
        option=option, name=one_line(name), reason=reason
    )
