"""The zip package that a workbook is (ECMA-376 part 2): its parts as streams of XML events, in
bounded memory.
"""

import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

import msgspec
from lxml import etree

from dogent_tui.documents.model import DocumentError, damaged, encrypted, hostile
from dogent_tui.documents.pandoc.archive import LIMITS
from dogent_tui.language import tr

CHUNK = 1 << 16
"""Bytes that are taken from a part at a time."""

MOST_TEXT = 32_767
"""Characters that a cell may hold (Excel's specifications and limits); no text of a workbook is
longer.
"""

_MOST_FOUND = 200_000
"""Elements that are kept of one part that is no sheet."""

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


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

    def nodes(self, part: str, wanted: Iterable[str]) -> Iterator[Any]:
        """Yield the elements of `part` with these names as lxml has them, each when it ends and
        until the next is asked for; none if there is no such part.
        """
        if self.has(part):
            with self.open(part) as stream:
                feed = Feed(stream, self.name, wanted)
                while (found := feed.more()) is not None:
                    yield from found

    def elements(self, part: str, wanted: frozenset[str]) -> Iterator[Element]:
        """Yield the elements of `part` whose names are `wanted`, each when it ends; none if
        there is no such part.
        """
        for count, node in enumerate(self.nodes(part, wanted)):
            if count > _MOST_FOUND:
                raise DocumentError(
                    tr("{name} lists more entries in {part} than a real workbook would.").format(
                        name=self.name, part=part
                    ),
                    code="hostile",
                )
            attributes = {_local(name): value for name, value in node.items()}
            text = "".join(node.itertext())[:MOST_TEXT]
            yield Element(_local(node.tag), parent_name(node), attributes, text)

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
        if isinstance(error, etree.XMLSyntaxError) and error.code in LIMITS:
            raise crafted(self._name) from error
        if isinstance(error, (*expected, OverflowError, etree.XMLSyntaxError)):
            raise no_workbook(self._name) from error


def no_workbook(name: str) -> DocumentError:
    """Return the error that the workbook `name` cannot be understood."""
    return damaged(tr("{name} is damaged or not an Excel workbook.").format(name=name))


def crafted(name: str) -> DocumentError:
    """Return the error that the workbook `name` was made to cost its reader memory or time."""
    return hostile(tr("{name} contains XML that no spreadsheet program writes.").format(name=name))


class Feed:
    """Reads a part's XML, a chunk at a time: `more` until it returns None.

    A DOCTYPE, with which entities could unfold to gigabytes, and what exceeds libxml2's limits
    (depth, length of a text or tag) raise DocumentError `hostile`. `strip` takes out of the XML
    what need not be parsed.
    """

    def __init__(
        self,
        stream: IO[bytes],
        name: str,
        wanted: Iterable[str],
        strip: Callable[[bytes], bytes] = bytes,
    ) -> None:
        self._stream, self._name, self._strip = stream, name, strip
        self._found: list[Any] | None = []
        self._parser = etree.XMLPullParser(
            ("end",),
            tag=[f"{{*}}{each}" for each in wanted],
            resolve_entities=False,
            remove_comments=True,
            remove_pis=True,
        )

    def more(self) -> list[Any] | None:
        """Parse the next chunk; return the wanted elements that end in it, None once all of the
        part is parsed. Each call lets go of what the one before returned.
        """
        if self._found is None:
            return None
        for element in self._found:
            element.clear()
            while (before := element.getprevious()) is not None:
                element.getparent().remove(before)
        with problems(self._name):
            if data := self._stream.read(CHUNK):
                if b"<!" in data:  # in a comment or CDATA, what looks like a cell may be none
                    self._strip = bytes
                self._parser.feed(self._strip(data))
            else:
                self._parser.close()
            found = [element for _, element in self._parser.read_events()]
        if found and found[0].getroottree().docinfo.internalDTD is not None:
            raise crafted(self._name)
        self._found = found if data else None
        return found


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def parent_name(node: Any) -> str:
    """Return the name of the element that `node` is in, without its prefix."""
    parent = node.getparent()
    return "" if parent is None else _local(parent.tag)


def shown_text(node: Any) -> str:
    """Return the text in `node` without how to read the characters in Japanese, which stands in
    rPh, and with ``_x000D_`` and its like as what they stand for (ECMA-376 part 1, 18.4.8 and
    22.9.2.19).
    """
    texts = (each.text or "" for path in ("{*}t", "{*}r/{*}t") for each in node.iterfind(path))
    return unescaped("".join(texts)[:MOST_TEXT])


def unescaped(text: str) -> str:
    """Return `text` with ``_x000D_`` and its like as the characters that they stand for."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


_MOST_MEMORY = 200_000_000
"""Bytes of shared texts that are held. The largest workbook that Excel saves with a million
different texts needs half of it.
"""


class SharedStrings:
    """The texts by their number. Cells mostly number them in the order in which they come, so the
    first rows need only the first.

    Raises DocumentError `too_large` when they take too much memory, and what `Package` raises.
    """

    def __init__(self, package: Package, part: str) -> None:
        self._texts: list[str] = []
        self._memory = 0
        self._name = package.name
        self._rest = (shown_text(node) for node in package.nodes(part, ["si"]))

    def __getitem__(self, number: int) -> str:
        """Return the text `number`, "" if there are not so many."""
        while number >= len(self._texts) and (text := next(self._rest, None)) is not None:
            self._texts.append(text)
            self._memory += text.__sizeof__() + 8
            if self._memory > _MOST_MEMORY:
                raise DocumentError(
                    tr("The text in {name} exceeds {size} MB.").format(
                        name=self._name, size=_MOST_MEMORY // 1000000
                    ),
                    tr("Save the sheet you need as its own workbook, or as csv."),
                    code="too_large",
                )
        return self._texts[number] if 0 <= number < len(self._texts) else ""

    def close(self) -> None:
        """Read no further."""
        self._rest.close()
