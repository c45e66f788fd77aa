"""Checks every document that is a zip archive: what it would unpack to, where, and whether its XML
is malicious.

The limits are measured: a 79 KB docx with 20 MB of XML cost pandoc 44 s and 1.8 GB. Only the
directory of the archive and the beginnings of its XML parts are read, so that a workbook of any
size is checked in milliseconds; `parse_part` reads a complete part.
"""

import errno
import io
import mmap
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from lxml import etree

from dogent_tui.documents.model import DocumentError, damaged, encrypted, hostile, unreadable
from dogent_tui.language import tr
from dogent_tui.records import Record

MAX_TOTAL = 256 << 20
MAX_MEMBER = 100 << 20
MAX_RATIO = 200
"""The compression ratio: deflate stays below 50 for real text and XML; the format's limit is
1032.
"""
RATIO_FROM = 1 << 20
MAX_MEMBERS = 10_000
MAX_DEPTH = 256
"""The nesting depth of elements. Nested tables in Word, which Word limits to about 60, stay below
it.
"""

BROKEN = (zipfile.BadZipFile, NotImplementedError, EOFError, struct.error, zlib.error)
"""What `zipfile` raises for a damaged member or directory, even after the check."""

LIMITS = {
    etree.ErrorTypes.ERR_INTERNAL_ERROR,
    etree.ErrorTypes.ERR_NAME_TOO_LONG,
    getattr(etree.ErrorTypes, "ERR_RESOURCE_LIMIT", 117),
}
"""libxml2's message when its limits are exceeded."""

_STRICT = re.compile(rb"purl\.oclc\.org/ooxml/(\w+)/(\w+)")
"""A namespace of Office's strict format (ECMA-376 part 1)."""
_PARSER = etree.XMLParser(
    resolve_entities=False, huge_tree=True, remove_comments=True, remove_pis=True
)
"""For checked parts: texts and attributes may be of any length."""

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage"
"""Encryption of OOXML is [MS-OFFCRYPTO] 2.3.4."""
_STREAMS = (_ENCRYPTED, "WordDocument", "PowerPoint Document", "Workbook", "Book\0")
_MAX_DIRECTORY = MAX_MEMBERS * 1024
_PROLOG_BYTES = 65_536
_XML_NAMES = (".xml", ".rels", ".vml", ".opf", ".ncx", ".xhtml", ".html", ".htm", ".rdf")


def check_archive(path: Path, *, streamed: str = "") -> None:
    """Refuse the zip-based document at `path` if it is not one, is encrypted, or would be dangerous
    to unpack.

    Parts whose names begin with `streamed` may be of any size: the caller reads them in bounded
    memory, as far as needed.

    Raises DocumentError (`not_found`, `encrypted`, `unsupported`, `damaged`, `hostile`,
    `too_large`).
    """
    name = path.name
    try:
        with path.open("rb") as file:
            _check_container(file, name)
            with zipfile.ZipFile(file) as archive:
                _check_members(archive.infolist(), name, streamed)
                _check_parts(archive, name)
    except OSError as error:
        if error.errno == errno.EINVAL:  # its directory points before its beginning
            raise damaged_archive(name) from error
        raise unreadable(path, error) from error
    except (*BROKEN, ValueError) as error:
        raise damaged_archive(name) from error


def parse_part(part: bytes, name: str) -> Any:
    """Parse an XML part with lxml and return its root, refusing deep nesting. `name` is the
    document's.

    Raises DocumentError (`hostile`, `damaged`).
    """
    too_deep = tr(
        "{name} is nested more than {max_depth} levels deep, which no real document is.",
        name=name,
        max_depth=MAX_DEPTH,
    )
    try:
        root = etree.fromstring(part, _PARSER)
    except (etree.XMLSyntaxError, LookupError, ValueError) as error:
        if getattr(error, "code", None) in LIMITS:
            raise hostile(too_deep) from error
        said = tr("{name} is damaged: its XML cannot be parsed.", name=name)
        raise damaged(said) from error
    doctype = root.getroottree().docinfo.internalDTD
    if doctype is not None and any(True for _ in doctype.iterentities()):
        raise _entities(name)
    if root.xpath("/*" * (MAX_DEPTH + 1)):
        raise hostile(too_deep)
    return root


def root_of(part: bytes) -> Any:
    """Return the root of an optional XML part; an empty one if it is missing or damaged."""
    try:
        return etree.fromstring(part, _PARSER)
    except (etree.XMLSyntaxError, LookupError, ValueError):
        return etree.Element("none")


def part_of(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a part of an archive, with the usual names for strict ones; empty if missing."""
    try:
        return _STRICT.sub(rb"schemas.openxmlformats.org/\1/2006/\2", archive.read(name))
    except KeyError:
        return b""


def serialized(root: Any) -> bytes:
    """Return an XML part of a document."""
    part: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, standalone=True)
    return part


class Relation(Record):
    """A relation of a part: `kind` is the last word of the type's URI, `target` a part's name or a
    URL.
    """

    kind: str
    target: str


def relations_of(part: str, root: Callable[[str], Any]) -> dict[str, Relation]:
    """Return the relations of a part of an Office document by id, those of the whole one for "".
    `root` returns the root of a part.
    """
    folder, name = posixpath.split(part)
    relations = {}
    for node in root(posixpath.join(folder, "_rels", f"{name}.rels")).iter("{*}Relationship"):
        target = node.get("Target", "")
        if node.get("TargetMode") != "External":
            inside = posixpath.join("/", folder, target.replace("\\", "/"))
            target = posixpath.normpath(inside).lstrip("/")
        kind = node.get("Type", "").rpartition("/")[2]
        relations[node.get("Id", "")] = Relation(kind, target)
    return relations


def repacked(path: Path, parts: Mapping[str, bytes], *, emptied: str) -> bytes:
    """Return the checked archive at `path` with `parts` replacing its own, and with parts whose
    names contain `emptied` emptied.
    """
    made = io.BytesIO()
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(made, "w") as out:
        for name in archive.namelist():
            if emptied and emptied in name:
                out.writestr(name, b"")
            else:
                out.writestr(name, parts[name] if name in parts else archive.read(name))
    return made.getvalue()


def is_old_workbook(path: Path) -> bool:
    """Return whether a file is an unencrypted xls: an OLE container with a workbook."""
    with path.open("rb") as file:
        streams = _ole_streams(file)
    return bool(streams & {"Workbook", "Book\0"}) and _ENCRYPTED not in streams


def _check_container(file: IO[bytes], name: str) -> None:
    if file.read(len(OLE)) == OLE:
        raise _old_or_encrypted(file, name)
    size = file.seek(0, 2)
    file.seek(max(0, size - 65_557))  # the end record and the longest comment
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + 22:
        raise zipfile.BadZipFile
    (directory_bytes,) = struct.unpack_from("<L", tail, at + 12)
    if directory_bytes > _MAX_DIRECTORY:  # or zip64, which no document of this size needs
        raise _too_many(name)


def _ole_streams(file: IO[bytes]) -> set[str]:
    """Return which streams that indicate its kind an OLE container has; their names are UTF-16
    ([MS-CFB] 2.6.1).
    """
    file.seek(0)
    if file.read(len(OLE)) != OLE:
        return set()
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return {name for name in _STREAMS if content.find(name.encode("utf-16-le")) >= 0}


def _old_or_encrypted(file: IO[bytes], name: str) -> DocumentError:
    streams = _ole_streams(file)
    if _ENCRYPTED in streams:
        return encrypted(name)
    for stream, kind in (("WordDocument", "doc"), ("PowerPoint Document", "ppt")):
        if stream in streams:
            return DocumentError(
                tr(
                    "{name} is in the old binary format .{kind}, which is not supported.",
                    name=name,
                    kind=kind,
                ),
                tr("Save it as .{new} with the program that created it.", new=f"{kind}x"),
                code="unsupported",
            )
    return DocumentError(
        tr("{name} is in an old binary format, or encrypted; neither can be read.", name=name),
        tr("Save it again, without a password, with the program that created it."),
        code="unsupported",
    )


def _check_members(members: list[zipfile.ZipInfo], name: str, streamed: str) -> None:
    if len(members) > MAX_MEMBERS:
        raise _too_many(name)
    total = 0
    for member in members:
        if member.flag_bits & 1:
            raise encrypted(name)
        inside = member.filename.replace("\\", "/")
        if inside.startswith("/") or ".." in inside.split("/") or re.match("[A-Za-z]:", inside):
            raise hostile(
                tr(
                    "{name} contains a file that would be unpacked outside it: {inside}.",
                    name=name,
                    inside=inside[:80],
                )
            )
        whole = not streamed or not inside.startswith(streamed)
        size, packed = member.file_size, max(1, member.compress_size)
        if whole and size > MAX_MEMBER:
            said = tr("a single part of it is {size} MB", size=size >> 20)
            raise unpacks_to_too_much(name, said)
        if size > RATIO_FROM and size > MAX_RATIO * packed:
            said = tr("{inside} grows {size}-fold", inside=inside[:80], size=size // packed)
            raise unpacks_to_too_much(name, said)
        total += size * whole
    if total > MAX_TOTAL:
        raise unpacks_to_too_much(name, tr("it unpacks to {size} MB", size=total >> 20))


def _check_parts(archive: zipfile.ZipFile, name: str) -> None:
    names = archive.namelist()
    # ISO 29500-2, 8.4: none in the parts of Office documents
    doctype_allowed = "[Content_Types].xml" not in names
    for inside in names:
        if inside.lower().endswith(_XML_NAMES):
            with archive.open(inside) as part:
                _check_prolog(part.read(_PROLOG_BYTES), name, doctype_allowed=doctype_allowed)
    if "META-INF/manifest.xml" in names and "mimetype" in names:
        with archive.open("META-INF/manifest.xml") as part:
            if b"encryption-data" in part.read(RATIO_FROM):  # OpenDocument 1.3, part 2, 4.8.1
                raise encrypted(name)


_WIDE = {
    b"\xff\xfe": "utf-16-le", b"<\0": "utf-16-le", b"\xfe\xff": "utf-16-be", b"\0<": "utf-16-be",
}  # fmt: skip
"""The beginning of XML in encodings other than single bytes (XML 1.0, appendix F), as far as
parsers support them.
"""
_BEFORE_ROOT = re.compile(r"\ufeff?(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)


def _check_prolog(head: bytes, name: str, *, doctype_allowed: bool) -> None:
    if not head.strip():
        return
    text = head.decode(_WIDE.get(head[:2], "utf-8"), "replace")
    before = _BEFORE_ROOT.match(text)
    rest = text[before.end() if before else 0 :]
    if rest[:9].upper() == "<!DOCTYPE":
        subset = rest.split(">", 1)[0]
        if not doctype_allowed or "[" in subset:
            raise _entities(name)
    elif not re.match(r"<[^\W\d]", rest):
        raise damaged(
            tr("{name} is damaged: one of its XML parts does not start like XML.", name=name)
        )


def damaged_archive(name: str) -> DocumentError:
    """Return the error for the document `name`, for which `BROKEN` was raised."""
    return damaged(
        tr(
            "{name} is damaged: it is not a complete zip archive, as this format requires.",
            name=name,
        )
    )


def _entities(name: str) -> DocumentError:
    return hostile(
        tr("{name} declares XML entities, which documents of this format must not.", name=name)
    )


def _too_many(name: str) -> DocumentError:
    return hostile(
        tr("{name} has more than {max_members:,} parts.", name=name, max_members=MAX_MEMBERS)
    )


def unpacks_to_too_much(name: str, how: str) -> DocumentError:
    """Return the error for a decompression bomb; `how` describes it."""
    return hostile(
        tr("{name} unpacks to far more than a document should: {how}.", name=name, how=how)
    )
