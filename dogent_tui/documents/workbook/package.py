"""The zip package of a workbook (ECMA-376 part 2), and its large parts as streams of XML, in
bounded memory.
"""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

from lxml import etree

from dogent_tui.documents.model import DocumentError, damaged, encrypted, hostile
from dogent_tui.documents.pandoc.archive import LIMITS, Relation, parse_part, relations_of
from dogent_tui.documents.workbook.reading import MOST_TEXT
from dogent_tui.language import tr

_CHUNK = 1 << 16
"""The number of bytes to read from a part at a time."""

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


class Package:
    """An open workbook file. Names of parts have no leading slash and are case-insensitive.

    Raises DocumentError `damaged`, or `encrypted` if a part has a password, here and from each
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

    def has(self, part: str) -> bool:
        """Return whether there is a `part`."""
        return part.lower() in self._parts

    def size(self, part: str) -> int:
        """Return the uncompressed size of `part`, in bytes."""
        return self._parts[part.lower()].file_size

    def open(self, part: str) -> IO[bytes]:
        """Return the bytes of `part`, to be read inside `problems`."""
        with problems(self.name):
            return self.archive.open(self._parts[part.lower()])

    def root(self, part: str) -> Any:
        """Return the root of the tree of `part`; an empty one if there is none."""
        if not self.has(part):
            return etree.Element("none")
        with self.open(part) as stream, problems(self.name):
            return parse_part(stream.read(), self.name)

    def relations(self, part: str) -> dict[str, Relation]:
        """Return the relations of `part` by id."""
        return relations_of(part, self.root)


@contextmanager
def problems(name: str) -> Iterator[None]:
    """Turn what the libraries raise for a damaged file into DocumentError."""
    try:
        yield
    except etree.XMLSyntaxError as error:
        raise (crafted if error.code in LIMITS else no_workbook)(name) from error
    # zipfile raises some of these for impossible sizes and methods
    except (
        *(zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, LookupError, ValueError),
        *(NotImplementedError, OverflowError),
    ) as error:
        raise no_workbook(name) from error
    except RuntimeError as error:
        raise (encrypted if "password" in str(error) else no_workbook)(name) from error


def no_workbook(name: str) -> DocumentError:
    """Return the error for a workbook `name` that cannot be parsed."""
    return damaged(tr("{name} is damaged or not an Excel workbook.", name=name))


def crafted(name: str) -> DocumentError:
    """Return the error for a workbook `name` crafted to cost memory or time."""
    return hostile(tr("{name} contains XML that no spreadsheet program writes.", name=name))


def fed(
    stream: IO[bytes], name: str, wanted: Iterable[str], strip: Callable[[bytes], bytes] = bytes
) -> Iterator[list[Any]]:
    """Parse a part's XML in chunks: yield the wanted elements that end in each, valid until the
    next iteration.

    A DOCTYPE, whose entities could expand to gigabytes, and anything beyond libxml2's limits
    (depth, length of a text or tag) raise DocumentError `hostile`. `strip` removes XML that need
    not be parsed.
    """
    parser = etree.XMLPullParser(
        ("end",),
        tag=[f"{{*}}{each}" for each in wanted],
        resolve_entities=False,
        remove_comments=True,
        remove_pis=True,
    )
    data = b"<"
    while data:
        with problems(name):
            if data := stream.read(_CHUNK):
                if b"<!" in data:  # in a comment or CDATA, what looks like a cell may not be one
                    strip = bytes
                parser.feed(strip(data))
            else:
                parser.close()
            found = [element for _, element in parser.read_events()]
        if found and found[0].getroottree().docinfo.internalDTD is not None:
            raise crafted(name)
        yield found
        for element in found:
            element.clear()
            while (before := element.getprevious()) is not None:
                element.getparent().remove(before)


def shown_text(node: Any) -> str:
    """Return the text in `node` without phonetic guides (rPh) and with ``_x000D_`` and the like
    decoded (ECMA-376 part 1, 18.4.8 and 22.9.2.19).
    """
    texts = (each.text or "" for path in ("{*}t", "{*}r/{*}t") for each in node.iterfind(path))
    return unescaped("".join(texts)[:MOST_TEXT])


def unescaped(text: str) -> str:
    """Return `text` with ``_x000D_`` and the like decoded."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


class SharedStrings:
    """The shared strings by index. Cells mostly use them in ascending order, so the first rows need
    only the first ones. Raises like `Package`.
    """

    def __init__(self, package: Package, part: str) -> None:
        self._known: list[str] = []
        self._rest = _texts(package, part)

    def __getitem__(self, number: int) -> str:
        """Return the string `number`, "" if there are fewer."""
        self._known += islice(self._rest, max(0, number + 1 - len(self._known)))
        return self._known[number] if 0 <= number < len(self._known) else ""


def _texts(package: Package, part: str) -> Iterator[str]:
    if package.has(part):
        with package.open(part) as stream:
            for found in fed(stream, package.name, ["si"]):
                yield from map(shown_text, found)
