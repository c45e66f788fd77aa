"""Opens the documents that pandoc reads directly: docx, odt, rtf, epub, pptx, ipynb."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.documents.kinds import kind_of
from dogent_tui.documents.model import Block, DocumentError, Opened, ReadOptions, Report, unreadable
from dogent_tui.documents.pandoc.archive import BROKEN, check_archive, damaged_archive
from dogent_tui.documents.pandoc.docx import prepared_docx
from dogent_tui.documents.pandoc.images import Images
from dogent_tui.documents.pandoc.markdown import MarkdownWriter
from dogent_tui.documents.pandoc.odt import prepared_odt, settle_tree
from dogent_tui.documents.pandoc.prepared import Prepared
from dogent_tui.documents.pandoc.program import run_pandoc
from dogent_tui.documents.pandoc.properties import package_properties, tree_properties
from dogent_tui.documents.pandoc.rtf import prepared_rtf, with_lists, with_whole_characters
from dogent_tui.documents.pandoc.tree import (
    NO_ATTRIBUTES,
    Node,
    Tree,
    decoded_tree,
    join_items,
    too_deep,
    with_whole_quotations,
)
from dogent_tui.documents.pandoc.word_boxes import PLACE, put_back
from dogent_tui.documents.pandoc.word_parts import slides_without_drawings
from dogent_tui.language import ngettext, tr

_RAW_HTML = Path(__file__).with_name("raw_html.lua")

_ARCHIVES = ("docx", "odt", "epub", "pptx")
KINDS = (*_ARCHIVES, "rtf", "ipynb")
_PREPARERS: Mapping[str, Callable[[Path, ReadOptions], Prepared]] = {
    "docx": prepared_docx, "odt": prepared_odt, "rtf": prepared_rtf,
    "pptx": slides_without_drawings,
}  # fmt: skip
_SHOWN_AS_TEXT = ("title", "subtitle", "author", "date", "abstract")
"""What pandoc removes from the first paragraphs of a docx because of their styles; it is put
back.
"""


def open_document(path: Path, options: ReadOptions, report: Report) -> Opened:
    """Open the document at `path`. See `Reader`.

    Metadata: `format`, `title`, `author`, `created`, `modified`, … as far as the document has them;
    `words`, `images`, `footnotes`, `tables` as written. For docx `changes` (how tracked changes are
    treated), `insertions`, `deletions`, `comments`, `comment_texts`, `headers` and `footers`; with
    `changes="all"` they are marked in the text as `Inlines` describes.
    """
    kind = kind_of(path)
    if kind not in KINDS:
        raise DocumentError(
            tr("{path} is not a kind of document that can be read.", path=path.name),
            code="unsupported",
        )
    conversion = _Conversion(path, kind, options, report)
    try:
        return conversion.opened()
    except BaseException as error:
        conversion.close()
        if isinstance(error, BROKEN):
            raise damaged_archive(path.name) from error
        if isinstance(error, OSError):
            raise unreadable(path, error) from error
        raise


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
        self._warnings: list[str] = []

    def opened(self) -> Opened:
        """Convert the first part, so that errors in the document are reported at once, and return
        an iterator over the rest.
        """
        if self._kind in _ARCHIVES:
            check_archive(self._path)
            self._metadata |= package_properties(self._path)
        prepare = _PREPARERS.get(self._kind)
        prepared = prepare(self._path, self._options) if prepare else Prepared([self._path])
        self._metadata |= prepared.metadata
        parts = prepared.count
        if missing := prepared.inserted.count(""):
            self._warnings.append(
                ngettext(
                    "1 chart, diagram or inserted document cannot be read and is not shown.",
                    "{count} charts, diagrams or inserted documents cannot be read and are not"
                    " shown.",
                    missing,
                    count=missing,
                )
            )
        self._report(0, parts, "parts")
        trees = self._trees(prepared)
        first = next(trees)
        self._metadata = {**tree_properties(first.meta), **self._metadata}
        blocks = self._blocks(chain([first], trees), parts)
        return Opened(self._kind, self._metadata, blocks, self._warnings)

    def close(self) -> None:
        """Delete what was unpacked."""
        self._images.close()

    def _trees(self, prepared: Prepared) -> Iterator[Tree]:
        arguments = [
            f"--from={self._kind}",
            "--to=json",
            f"--track-changes={self._options.changes}",
            *self._images.arguments(),
        ]
        if self._kind == "ipynb":
            arguments += ["--ipynb-output=best", f"--lua-filter={_RAW_HTML}"]
        for part in prepared.parts:
            with part.open("rb") if isinstance(part, Path) else nullcontext(part) as content:
                output = run_pandoc(
                    arguments,
                    content,
                    name=self._path.name,
                    readable=[_RAW_HTML],
                    writable=self._images.folders,
                )
            self._warn(map(_sentence, output.warnings))
            data = output.data
            if self._kind == "rtf":
                data = with_whole_characters(data.decode()).encode()
            tree = decoded_tree(data, self._path.name)
            if self._kind in {"docx", "odt"}:
                join_items(tree.blocks)
            if self._kind == "docx":
                tree.blocks[:] = with_whole_quotations(tree.blocks)
            if PLACE.encode() in output.data:
                tree.blocks[:] = put_back(tree.blocks, prepared.inserted)
            if self._kind == "rtf":
                tree.blocks[:] = with_lists(tree.blocks, prepared.rows)
            read = settle_tree(tree.blocks) if self._kind == "odt" else 0
            if (missing := prepared.formulas - read) > 0:
                self._warn(
                    [
                        tr(
                            "Formulas left out because they could not be read: {missing}.",
                            missing=missing,
                        )
                    ]
                )
            yield tree

    def _warn(self, sentences: Iterable[str]) -> None:
        self._warnings += [one for one in sentences if one not in self._warnings]

    def _blocks(self, trees: Iterable[Tree], parts: int) -> Iterator[Block]:
        try:
            for done, tree in enumerate(trees, 1):
                head = _head(tree.meta) if self._kind == "docx" else []
                yield from self._writer.write([*head, *tree.blocks])
                self._metadata.update(msgspec.structs.asdict(self._writer.counts))
                self._warnings += self._images.take_warnings()
                self._report(done, parts, "parts")
            if self._writer.has_hidden:
                self._warn([tr("Text that cannot be seen in the document is marked as hidden.")])
        except RecursionError:
            raise too_deep(self._path.name) from None
        except BROKEN as error:
            raise damaged_archive(self._path.name) from error
        finally:
            self.close()


def _head(meta: dict[str, Any]) -> list[Node]:
    """Return what pandoc took for the title page as blocks: the title is a heading above all
    others.
    """
    blocks: list[Node] = []
    for name in _SHOWN_AS_TEXT:
        value = meta.get(name) or {"t": "MetaList", "c": []}
        for one in value["c"] if value["t"] == "MetaList" else [value]:
            if one["t"] == "MetaBlocks":
                blocks += one["c"]
            elif one["t"] == "MetaInlines" and name == "title":
                blocks.append({"t": "Header", "c": [1, NO_ATTRIBUTES, one["c"]]})
            elif one["t"] == "MetaInlines":
                blocks.append({"t": "Para", "c": one["c"]})
    return blocks


def _sentence(warning: str) -> str:
    """Return a warning of pandoc's as a sentence."""
    warning = warning[:300].rstrip(".")
    return f"{warning[:1].upper()}{warning[1:]}." if warning else ""
