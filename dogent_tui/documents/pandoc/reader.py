"""Opens the documents that pandoc reads as they are: docx, odt, rtf, epub, pptx, ipynb."""

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.documents.kinds import kind_of
from dogent_tui.documents.model import Block, DocumentError, Opened, ReadOptions, Report, unreadable
from dogent_tui.documents.pandoc.archive import BROKEN, check_archive, damaged_archive
from dogent_tui.documents.pandoc.docx import DocxSource
from dogent_tui.documents.pandoc.images import Images
from dogent_tui.documents.pandoc.markdown import MarkdownWriter
from dogent_tui.documents.pandoc.odt_and_rtf import Formulas, prepared_rtf
from dogent_tui.documents.pandoc.odt_text import lists_of_headings_opened
from dogent_tui.documents.pandoc.program import Output, run_pandoc
from dogent_tui.documents.pandoc.properties import package_properties, tree_properties
from dogent_tui.documents.pandoc.tree import Node, Tree, decoded_tree, too_deep
from dogent_tui.language import tr

LIMIT_S = 5.8
"""How long a document may take until it is open, and each further part of a long one. Pandoc
takes 3 s over 400 pages.
"""
_LEAST_S = 3.0

_ARCHIVES = ("docx", "odt", "epub", "pptx")
KINDS = (*_ARCHIVES, "rtf", "ipynb")
_SHOWN_AS_TEXT = ("title", "subtitle", "author", "date", "abstract")
"""What pandoc takes out of the first paragraphs of a docx, by their styles; it belongs where it
stood.
"""


def open_document(path: Path, options: ReadOptions, report: Report) -> Opened:
    """Open the document at `path`. See `Reader`.

    Metadata: `format`, `title`, `author`, `created`, `modified`, … as far as the document has them;
    `words`, `images`, `footnotes`, `tables` as they are written. For docx `changes` (how tracked
    changes are treated), `insertions`, `deletions`, `comments`, `comment_texts`, `headers` and
    `footers`; with `changes="all"` they are marked in the text as `Inlines` describes.
    """
    try:
        conversion = _Conversion(path, _kind(path), options, report)
        try:
            return conversion.opened()
        except BaseException:
            conversion.close()
            raise
    except BROKEN as error:
        raise damaged_archive(path.name) from error
    except OSError as error:
        raise unreadable(path, error) from error


def _kind(path: Path) -> str:
    kind = kind_of(path)
    if kind not in KINDS:
        raise DocumentError(
            tr("{path} is not a kind of document that can be read.").format(path=path.name),
            code="unsupported",
        )
    return kind


class _Conversion:
    def __init__(self, path: Path, kind: str, options: ReadOptions, report: Report) -> None:
        self._path = path
        self._kind = kind
        self._options = options
        self._report = report
        self._images = Images(options.images_dir)
        self._writer = MarkdownWriter(
            image=self._images.name, marks=kind == "docx" and options.changes == "all"
        )
        self._metadata: dict[str, Any] = {"format": kind}
        self._begun = time.monotonic()
        self._warnings: list[str] = []
        self._formulas: Formulas | None = None

    def opened(self) -> Opened:
        """Convert the first part, so that what is wrong with the document is told at once, and
        return the rest as it comes.
        """
        sources, parts = self._sources()
        self._report(0, parts, "parts")
        trees = self._trees(sources)
        first = next(trees)
        self._metadata = {**tree_properties(first.meta), **self._metadata}
        if self._formulas is not None and (missing := self._formulas.settle(first.blocks)):
            self._warnings.append(missing)
        return Opened(self._kind, self._metadata, self._blocks(first, trees, parts), self._warnings)

    def close(self) -> None:
        """Drop what was unpacked."""
        self._images.close()

    def _sources(self) -> tuple[Iterator[bytes | Path], int]:
        if self._kind in _ARCHIVES:
            check_archive(self._path)
            self._metadata |= package_properties(self._path)
        if self._kind == "odt":
            self._formulas = Formulas(self._path)
            return (
                iter([self._formulas.document(with_media=self._options.images_dir is not None)]),
                1,
            )
        if self._kind == "rtf":
            return iter([prepared_rtf(self._path)]), 1
        if self._kind != "docx":
            return iter([self._path]), 1
        source = DocxSource(self._path, with_media=self._options.images_dir is not None)
        self._metadata |= {**source.revisions.counted(), **source.texts}
        if source.revisions.insertions or source.revisions.deletions:
            self._metadata["changes"] = self._options.changes
        if source.parts > 1:
            self._warnings.append(
                tr(
                    "This long document was converted in {parts} parts, so numbered lists that span"
                    " chapters may restart."
                ).format(parts=source.parts)
            )
        return source.documents(), source.parts

    def _trees(self, sources: Iterator[bytes | Path]) -> Iterator[Tree]:
        for source in sources:
            output = self._converted(source)
            self._warnings += [
                warning
                for warning in map(_sentence, output.warnings)
                if warning not in self._warnings
            ]
            tree = decoded_tree(output.data, self._path.name)
            yield (
                Tree(lists_of_headings_opened(tree.blocks), tree.meta)
                if self._kind == "odt"
                else tree
            )
            self._begun = time.monotonic()

    def _converted(self, source: bytes | Path) -> Output:
        limit_s = max(_LEAST_S, LIMIT_S - (time.monotonic() - self._begun))
        arguments = [
            f"--from={self._kind}",
            "--to=json",
            f"--track-changes={self._options.changes}",
        ]
        if self._kind == "ipynb":
            arguments.append("--ipynb-output=best")
        arguments += self._images.arguments()
        run = partial(
            run_pandoc, name=self._path.name, limit_s=limit_s, writable=self._images.folders()
        )
        if isinstance(source, Path):
            with source.open("rb") as file:
                return run(arguments, file)
        return run(arguments, source)

    def _blocks(self, first: Tree, rest: Iterator[Tree], parts: int) -> Iterator[Block]:
        tree: Tree | None = first
        done = 0
        try:
            while tree is not None:
                head = _head(tree.meta) if self._kind == "docx" else []
                yield from self._writer.write([*head, *tree.blocks])
                done += 1
                self._metadata.update(msgspec.structs.asdict(self._writer.counts))
                self._warnings += self._images.take_warnings()
                self._report(done, parts, "parts")
                tree = next(rest, None)
            if self._writer.has_hidden:
                self._warnings.append(
                    tr("Text that cannot be seen in the document is marked as hidden.")
                )
        except RecursionError:
            raise too_deep(self._path.name) from None
        except BROKEN as error:
            raise damaged_archive(self._path.name) from error
        finally:
            self.close()


def _head(meta: dict[str, Any]) -> list[Node]:
    """Return what pandoc took for the title page as blocks: a title is a heading above all
    others.
    """
    blocks: list[Node] = []
    for name in _SHOWN_AS_TEXT:
        for value in _values(meta.get(name)):
            if value["t"] == "MetaBlocks":
                blocks += value["c"]
            elif value["t"] == "MetaInlines" and name == "title":
                blocks.append({"t": "Header", "c": [1, ["", [], []], value["c"]]})
            elif value["t"] == "MetaInlines":
                blocks.append({"t": "Para", "c": value["c"]})
    return blocks


def _values(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value["c"]) if value["t"] == "MetaList" else [value]


def _sentence(warning: str) -> str:
    """Return a warning of pandoc's as a sentence."""
    warning = warning[:300].rstrip(".")
    return f"{warning[:1].upper()}{warning[1:]}." if warning else ""
