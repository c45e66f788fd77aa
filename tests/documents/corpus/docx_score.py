"""How much of a docx arrives in our Markdown, against pandoc's golden trees: `python -m
tests.documents.corpus.docx_score`.

* **Text**: words are runs of letters and digits. F1 is of the two *multisets* of words (order does
  not count), footnotes included, of a file; the macro-F1 is the mean over files.
* **Facts**: our Markdown is read back with pandoc's gfm reader, its HTML tables with the html
  reader, and the same facts are taken from that tree as from the golden one: `heading` (level,
  text), `headtxt` (text), `li` (depth, kind of list, first words), `emph`/`strong` (a word),
  `strikeout`, `code`, `codeblock`, `quote` (first 60 characters), `link` (target), `image`, `note`
  (first 40 characters), `table`, `cell` (text), `tshape` (rows, columns), `span` (rows, columns).
  The score is the part of the golden facts, with their counts, that is found; per kind and over
  all.

The golden facts lie beside the trees (`*.facts.json`); that `tree_facts` takes the same from the
trees is itself a test.
"""

import json
import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.pandoc.program import run_pandoc
from dogent_tui.documents.pandoc.reader import open_document
from dogent_tui.documents.pandoc.tree import Node, children

Fact = tuple[str, str]
"""Its kind, and its value as JSON."""

_WORD = re.compile(r"[^\W_]+")


class Score(msgspec.Struct):
    """How one file fared; facts by kind: found, of how many."""

    name: str
    f1: float
    facts: dict[str, tuple[int, int]]
    missed: list[Fact]


def shared_documents() -> Path:
    """Return where the corpus is, which need not be there."""
    return Path(os.environ.get("DOGENT_SHARED", Path(__file__).parents[4] / "shared")) / "documents"


def markdown_of(path: Path, options: ReadOptions | None = None) -> str:
    """Return the whole document as it is read."""
    opened = open_document(path, options or ReadOptions(), lambda *_: None)
    return "".join(
        ("\n" if block.tight else "\n\n") + block.markdown for block in opened.blocks
    ).strip("\n")


def words_of(text: str) -> list[str]:
    return _WORD.findall(text)


def f1(golden: Counter[str], found: Counter[str]) -> float:
    """Return the harmonic mean of precision and recall of two multisets; of two empty ones 1."""
    if not golden and not found:
        return 1.0
    common = (golden & found).total()
    return 2 * common / (golden.total() + found.total())


def tree_facts(blocks: list[Node]) -> tuple[Counter[str], Counter[Fact]]:
    """Return the words and the facts of one of pandoc's trees."""
    taken = _Facts()
    taken.blocks(blocks, 0)
    words = Counter(words_of(" ".join(taken.texts)))
    return words, taken.facts


class _Facts:
    """Walks over a tree, and takes its words and facts."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.facts: Counter[Fact] = Counter()

    def fact(self, kind: str, value: Any) -> None:
        if value:
            self.facts[kind, json.dumps(value, ensure_ascii=False)] += 1

    def blocks(self, blocks: list[Node], depth: int) -> None:
        for node in blocks:
            self.block(node, depth)

    def block(self, node: Node, depth: int) -> None:
        kind, contents = node["t"], node.get("c")
        if kind == "Table":
            self.table(contents, depth)
        elif kind in ("BulletList", "OrderedList"):
            self.items(kind, contents if kind == "BulletList" else contents[1], depth)
        elif kind == "CodeBlock":
            self.texts.append(contents[1])
            self.fact("codeblock", _squeezed(contents[1])[:60])
        elif kind == "RawBlock":
            if contents[0] == "html":
                self.blocks(_tree(contents[1].encode(), "html"), depth)
        else:
            self.prose(kind, contents, depth)

    def prose(self, kind: str, contents: Any, depth: int) -> None:
        if kind == "Header":
            text = _squeezed(_text(contents[2]))
            self.fact("heading", [contents[0], text] if text else None)
            self.fact("headtxt", text)
            self.words(contents[2])
        elif kind == "BlockQuote":
            self.fact("quote", _squeezed(_text(contents))[:60])
            self.blocks(contents, depth)
        elif kind == "DefinitionList":
            for term, definitions in contents:
                self.words(term)
                for definition in definitions:
                    self.blocks(definition, depth)
        elif kind in ("Figure", "Div"):
            self.blocks([*contents[1][1], *contents[2]] if kind == "Figure" else contents[1], depth)
        elif kind == "LineBlock":
            for line in contents:
                self.words(line)
        elif contents:
            self.words(contents)

    def items(self, kind: str, items: list[list[Node]], depth: int) -> None:
        for item in items:
            own = [node for node in item if node["t"] in ("Para", "Plain")]
            self.fact("li", [depth, kind[0], _squeezed(_text(own[:1])).strip("☐☒ ")[:60]])
            self.blocks(item, depth + 1)

    def table(self, contents: Any, depth: int) -> None:
        _, (_, caption), _, (_, head), bodies, (_, foot) = contents
        rows = [
            cells
            for _, cells in [
                *head,
                *(row for body in bodies for row in [*body[2], *body[3]]),
                *foot,
            ]
        ]
        rows = [
            cells
            for cells in rows
            if cells and (cells is not rows[0] or any(cell[4] for cell in cells))
        ]
        self.blocks(caption, depth)
        self.fact("table", "t")
        self.fact(
            "tshape",
            [len(rows), max((sum(cell[3] for cell in cells) for cells in rows), default=0)],
        )
        for cells in rows:
            for _, _, down, across, blocks in cells:
                self.fact("cell", _squeezed(_text(blocks)))
                self.fact("span", [down, across] if (down, across) != (1, 1) else None)
                self.blocks(blocks, depth)

    def words(self, nodes: list[Node]) -> None:
        self.texts.append(_text(nodes))
        self.inlines(nodes, ())

    def inlines(self, nodes: Any, styles: tuple[str, ...]) -> None:
        for node in children(nodes):
            kind, contents = node["t"], node.get("c")
            if kind == "Note":
                self.fact("note", " ".join(words_of(_text(contents)))[:40])
                self.blocks(contents, 0)
            elif kind == "Link":
                self.fact("link", contents[2][0] if not contents[2][0].startswith("#") else None)
                self.inlines(contents[1], styles)
            elif kind == "Image":
                self.fact("image", "img")
            elif kind == "Code":
                self.fact("code", contents[1])
            elif kind == "Strikeout":
                self.fact("strikeout", _squeezed(_text(contents)))
                self.inlines(contents, styles)
            elif kind in ("Emph", "Strong"):
                if kind not in styles:
                    for word in words_of(_text(contents)):
                        self.fact(kind.lower(), word)
                self.inlines(contents, (*styles, kind))
            else:
                self.inlines(node, styles)


def _text(nodes: Any) -> str:
    """Return the text of inlines or blocks, without notes, with a space where a block ends."""
    out = []
    for node in children(nodes):
        kind, contents = node["t"], node.get("c")
        if kind == "Str":
            out.append(contents)
        elif kind in ("Space", "SoftBreak", "LineBreak"):
            out.append(" ")
        elif kind in ("Code", "Math", "CodeBlock"):
            out.append(contents[1])
        elif kind not in ("Note", "RawInline", "RawBlock"):
            out.append(_text(node) + ("" if kind in _INLINE else " "))
    return "".join(out)


_INLINE = {
    "Emph",
    "Strong",
    "Strikeout",
    "Superscript",
    "Subscript",
    "Underline",
    "SmallCaps",
    "Quoted",
    "Cite",
    "Link",
    "Span",
    "Image",
}


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _tree(data: bytes, form: str) -> list[Node]:
    output = run_pandoc(["--from", form, "--to", "json"], data, name="markdown")
    blocks: list[Node] = json.loads(output.data)["blocks"]
    return blocks


def score(path: Path, golden: list[Node], options: ReadOptions | None = None) -> Score:
    """Read the docx at `path` and compare it with the golden blocks."""
    words, facts = tree_facts(golden)
    try:
        markdown = markdown_of(path, options)
    except DocumentError:
        markdown = ""
    our_words, our_facts = tree_facts(_tree(markdown.encode(), "gfm-yaml_metadata_block"))
    by_kind: dict[str, tuple[int, int]] = {}
    for (kind, value), count in facts.items():
        found, of = by_kind.get(kind, (0, 0))
        by_kind[kind] = (found + min(count, our_facts[kind, value]), of + count)
    missed = [fact for fact in facts if our_facts[fact] < facts[fact]]
    return Score(path.stem, f1(words, our_words), by_kind, missed)


def golden_files(documents: Path) -> list[tuple[Path, Path, ReadOptions]]:
    """Return each docx of the corpus that has a golden tree, with that and how it is to be read."""
    manifest = json.loads((documents / "manifest.json").read_text(encoding="utf-8"))
    found = []
    for entry in manifest["entries"]:
        expected = entry["expected"]
        if entry["kind"] == "docx" and expected["type"] == "pandoc-golden":
            found.append((documents / entry["path"], documents / expected["ast"], ReadOptions()))
            if "native_reject" in expected:
                found.append(
                    (
                        documents / entry["path"],
                        documents / expected["native_reject"],
                        ReadOptions(changes="reject"),
                    )
                )
    return found


def golden_blocks(path: Path) -> list[Node]:
    if path.suffix == ".json":
        blocks: list[Node] = json.loads(path.read_bytes())["blocks"]
        return blocks
    return _tree(path.read_bytes(), "native")


def all_scores(documents: Path) -> list[Score]:
    """Score the whole corpus: about 40 files, 3 s."""
    return [
        score(path, golden_blocks(golden), options)
        for path, golden, options in golden_files(documents)
    ]


def totals(scores: list[Score]) -> dict[str, tuple[int, int]]:
    """Return found and expected facts by kind over all files."""
    sums: dict[str, tuple[int, int]] = {}
    for one in scores:
        for kind, (found, of) in one.facts.items():
            before = sums.get(kind, (0, 0))
            sums[kind] = (before[0] + found, before[1] + of)
    return sums


def main() -> None:
    scores = all_scores(shared_documents())
    write = sys.stdout.write
    for one in scores:
        if one.f1 < 1 or one.missed:
            write(f"{one.name}: F1 {one.f1:.4f}, missed {one.missed}\n")
    sums = totals(scores)
    for kind, (found, of) in sorted(sums.items()):
        write(f"{kind:10} {found:4} of {of:4}  {found / of:.3f}\n")
    found, of = (sum(numbers) for numbers in zip(*sums.values(), strict=True))
    write(
        f"facts {found}/{of} = {found / of:.4f}; text macro-F1"
        f" {sum(one.f1 for one in scores) / len(scores):.4f}\n"
    )


if __name__ == "__main__":
    main()
