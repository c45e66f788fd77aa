"""The zip package that a workbook is (ECMA-376 part 2): its parts as streams of XML events, in
bounded memory.
"""

import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Protocol
from xml.parsers import expat

import msgspec

from dogent_tui.documents.model import DocumentError, encrypted
from dogent_tui.language import tr

CHUNK = 1 << 16
"""Bytes that are taken from a part at a time."""

MOST_TEXT = 32_767
"""Characters that a cell may hold (Excel's specifications and limits); no text of a workbook is
longer.
"""

_DEEPEST = 200
"""Elements within each other. Excel writes about twenty."""

_LONGEST_TOKEN = 1 << 22
"""Bytes of a single tag with its attributes; the parser has to hold it as a whole."""

_MOST_FOUND = 200_000
"""Elements that are kept of one part that is no sheet."""

_BLANK_CELL = re.compile(rb'<c r="[A-Z]{1,3}[0-9]{1,7}"(?: [a-z]+="[0-9a-z]*")*\s*(?:/>|></c>)')
_BLANK_ROW = re.compile(
    rb'<row r="[0-9]{1,7}"(?: [A-Za-z0-9:]+="[^"<>&]{0,40}")*\s*(?:/>|>\s*</row>)'
)
"""As the known programs write them; others are told by the parser."""


class Relation(msgspec.Struct, frozen=True):
    """Where a part points to: `kind` is the last word of the type's URI, `target` a part's name
    or, if `external`, a URL.
    """

    kind: str
    target: str
    external: bool


class Element(msgspec.Struct, frozen=True):
    """An element of a part, by names without their prefixes, with the text in it and in its
    children.
    """

    name: str
    parent: str
    attributes: dict[str, str]
    text: str


class Package:
    """An open workbook file. Names of parts are without a leading slash and found whatever their
    case.

    Raises DocumentError `damaged`, or `encrypted` where a part has a password, here and from each
    method.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        with problems(self.name):
            self.archive = zipfile.ZipFile(path)
        self._parts = {
            info.filename.lstrip("/").replace("\\", "/").lower(): info
            for info in self.archive.infolist()
        }

    def close(self) -> None:
        """Let go of the file."""
        self.archive.close()

    def has(self, part: str) -> bool:
        """Tell whether there is a `part`."""
        return part.lower() in self._parts

    def size(self, part: str) -> int:
        """Return the unpacked size of `part`, in bytes; 0 if there is none."""
        info = self._parts.get(part.lower())
        return info.file_size if info else 0

    def open(self, part: str) -> IO[bytes]:
        """Return the bytes of `part`, to be read inside `problems`."""
        with problems(self.name):
            return self.archive.open(self._parts[part.lower()])

    def elements(self, part: str, wanted: frozenset[str]) -> Iterator[Element]:
        """Yield the elements of `part` whose names are `wanted`, each when it ends; none if
        there is no such part.
        """
        if not self.has(part):
            return
        found: list[Element] = []
        collector = _Collector(wanted, found.append)
        count = 0
        with self.open(part) as stream:
            feed = Feed(stream, collector.start, collector.end, collector.characters, self.name)
            while feed.more():
                count += len(found)
                yield from found
                found.clear()
                if count > _MOST_FOUND:
                    raise DocumentError(
                        tr(
                            "{name} lists more entries in {part} than a real workbook would."
                        ).format(name=self.name, part=part),
                        code="hostile",
                    )

    def relations(self, part: str) -> dict[str, Relation]:
        """Return what `part` points to, by id; empty if it points to nothing. The part "" is the
        package itself.
        """
        folder, name = posixpath.split(part)
        relations = {}
        for element in self.elements(
            posixpath.join(folder, "_rels", f"{name}.rels"), frozenset({"Relationship"})
        ):
            attributes = element.attributes
            target, external = (
                attributes.get("Target", ""),
                attributes.get("TargetMode") == "External",
            )
            if not external:
                target = posixpath.normpath(
                    posixpath.join("/", folder, target.replace("\\", "/"))
                ).lstrip("/")
            relations[attributes.get("Id", "")] = Relation(
                attributes.get("Type", "").rpartition("/")[2], target, external
            )
        return relations


class problems:  # noqa: N801 - reads as a statement
    """What the libraries below raise over a damaged file, as DocumentError; for a `with`
    statement.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        """Start watching."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Raise what `error` means to the reader of the document."""
        if isinstance(error, RuntimeError) and "password" in str(error):
            raise encrypted(self._name) from error
        # zipfile raises NotImplementedError and OverflowError as well over sizes and methods that
        # cannot be
        expected = (
            zipfile.BadZipFile,
            zlib.error,
            expat.ExpatError,
            EOFError,
            LookupError,
            ValueError,
            NotImplementedError,
        )
        if isinstance(error, (*expected, OverflowError)):
            raise damaged(self._name) from error


def damaged(name: str) -> DocumentError:
    """Return the error that the workbook `name` cannot be understood."""
    return DocumentError(
        tr("{name} is damaged or not an Excel workbook.").format(name=name),
        tr("Open it in a spreadsheet program and save it again."),
        code="damaged",
    )


class Chunks(Protocol):
    """What a part is read from."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes or so, nothing at the end."""


class Feed:
    """Hands a part's XML to handlers, a chunk at a time: `more` until it returns False. Names come
    without prefixes.

    A DOCTYPE, with which entities could unfold to gigabytes, and too deep nesting raise
    DocumentError `hostile`. Sheets have millions of elements: the handlers of one see to the depth
    themselves, and do not get the cells and rows without content.
    """

    def __init__(
        self,
        stream: Chunks,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None],
        characters: Callable[[str], None],
        name: str,
        *,
        is_sheet: bool = False,
    ) -> None:
        self._stream, self._name, self._fed = stream, name, 0
        self._start, self._end = start, end
        self._depth = 0
        self._depth_is_ours = not is_sheet
        self._stripping = is_sheet
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.buffer_size = CHUNK
        self.parser.StartElementHandler = self._started
        self.parser.EndElementHandler = self._ended
        self.parser.CharacterDataHandler = characters
        self.parser.StartDoctypeDeclHandler = self._doctype

    def more(self) -> bool:
        """Parse the next chunk; return False once all of the part is parsed."""
        with problems(self._name):
            data = self._stream.read(CHUNK)
            at_end = not data
            if self._stripping:
                data = self._stripped(data)
            self._fed += len(data)
            self.parser.Parse(data, at_end)
            if self._fed - self.parser.CurrentByteIndex > _LONGEST_TOKEN:
                raise self._hostile()
            return not at_end

    def _stripped(self, data: bytes) -> bytes:
        """Return `data` without cells and rows that have no content, of which many sheets have
        millions, down to the last row.
        """
        if b"<!" in data:  # in a comment or CDATA, what looks like a cell may be none
            self._stripping = False
            return data
        return _BLANK_ROW.sub(b"", _BLANK_CELL.sub(b"", data))

    def _started(self, tag: str, attributes: dict[str, str]) -> None:
        if (
            not self._depth_is_ours
        ):  # this is the root: a sheet that has no prefixes is read without looking for them
            self._depth_is_ours = True
            if ":" not in tag:
                self.parser.StartElementHandler, self.parser.EndElementHandler = (
                    self._start,
                    self._end,
                )
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._hostile()
        self._start(tag.rpartition(":")[2] if ":" in tag else tag, attributes)

    def _ended(self, tag: str) -> None:
        self._depth -= 1
        self._end(tag.rpartition(":")[2] if ":" in tag else tag)

    def _doctype(self, *_: Any) -> None:
        raise self._hostile()

    def _hostile(self) -> DocumentError:
        return DocumentError(
            tr("{name} contains XML that no spreadsheet program writes; it was not read.").format(
                name=self._name
            ),
            code="hostile",
        )


class _Collector:
    """Handlers that make an `Element` of each wanted element."""

    def __init__(self, wanted: frozenset[str], found: Callable[[Element], None]) -> None:
        self._wanted, self._found = wanted, found
        self._path: list[str] = [""]
        self._open: list[tuple[dict[str, str], list[str]]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._path.append(tag)
        if tag in self._wanted:
            self._open.append((without_prefixes(attributes), []))

    def characters(self, text: str) -> None:
        for _attributes, texts in self._open:
            if len(texts) < MOST_TEXT:  # a text comes in pieces of up to 64 KB, usually one
                texts.append(text[:MOST_TEXT])

    def end(self, tag: str) -> None:
        self._path.pop()
        if tag in self._wanted:
            attributes, texts = self._open.pop()
            self._found(Element(tag, self._path[-1], attributes, "".join(texts)[:MOST_TEXT]))


def without_prefixes(attributes: dict[str, str]) -> dict[str, str]:
    """Return `attributes` with names as written without their prefixes: r:id is id."""
    return {name.rpartition(":")[2]: value for name, value in attributes.items()}
