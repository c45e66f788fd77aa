"""Bibliographies: one reader for the check, the picker, the tools and the exports.

Pandoc converts BibTeX, BibLaTeX (as written by Zotero's Better BibTeX) and RIS to CSL JSON, once
per content; CSL JSON and CSL YAML are used directly. Pandoc drops the `file` field, so only that is
parsed here, and the keys of a file that pandoc cannot read.
"""

import hashlib
import json
import os
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.program import run_pandoc
from dogent_tui.language import and_more, ngettext, tr
from dogent_tui.plain import one_line
from dogent_tui.records import Record
from dogent_tui.settings.values import load_settings
from dogent_tui.storage.files import atomic_write, private_folder
from dogent_tui.storage.paths import Workspace, cache_dir, is_file, is_there

SOURCE_ENTRIES = ".dogent/sources/sources.json"
"""Where the source records of a workspace are, as CSL JSON (`sources/records.py`)."""
_READERS = {".bib": "biblatex", ".bibtex": "bibtex", ".ris": "ris"}
SUFFIXES = frozenset({*_READERS, ".json", ".yaml", ".yml"})
LARGEST = 32 << 20
"""The maximum size of a bibliography in bytes."""
_FORMAT = b"1"
_ENTRY = re.compile(r"^[ \t]*@(\w+)\s*[{(]\s*([^\s,{}]+)\s*,", re.MULTILINE)
_FIELD = re.compile(r"\bfile\s*=\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|\"([^\"]*)\")", re.IGNORECASE)
_RANGE = re.compile(r"\s*(\d+)(?:\s*[-–—]+\s*(\d+))?\s*")
_WHOLE = frozenset({"book", "report", "thesis"})
"""Types for which a single number in `page` is the number of pages."""
_PAGES = re.compile(
    r"(?:(?<![^\W\d_])(?:pp?\.?|SS?\.|pages?|Seiten?)|第|#page=)\s*(?P<first>\d+)(?:\s*[-–—]\s*(?P<last>\d+))?|(?P<one>\d+)\s*页",
    re.IGNORECASE,
)
_BARE_PAGES = re.compile(r"\s*[,，]\s*(\d+)(?:\s*[-–—]\s*(\d+))?\s*(?:[,，;；\]]|$)")
_CITED = re.compile(r"@\{?([\w:.#$%&+?<>~/-]*\w)")
_MOST_NAMED = 5


class Entry(Record, array_like=True):
    """An entry. `pages` are the first and last page in the work's own numbering, 0 if unknown;
    `file` is its document according to the bibliography, "" for none.
    """

    key: str
    author: str = ""
    year: str = ""
    title: str = ""
    pages: tuple[int, int] = (0, 0)
    file: str = ""


class Bibliography(NamedTuple):
    """The entries of the file `path`."""

    path: Path
    entries: list[Entry]

    def document(self, entry: Entry) -> Path | None:
        """Return where the document of an entry should be."""
        return Path(os.path.normpath(self.path.parent / entry.file)) if entry.file else None

    def pdf(self, entry: Entry, root: Path) -> Path | None:
        """Return the pdf of an entry, if the workspace has it. Blocks."""
        said = self.document(entry)
        if said and said.suffix.lower() == ".pdf" and is_file(said) and _is_within(said, root):
            return Path(os.path.realpath(said))
        return None


_read: dict[Path, tuple[tuple[int, int], Bibliography]] = {}
_reading = threading.Lock()


def read_bibliography(path: Path) -> Bibliography:
    """Return the entries of a bibliography, empty if it cannot be read. Blocks: several seconds the
    first time for a large one. The result is cached by content.
    """
    try:
        state = _state(path)
        with _reading:
            if path not in _read or _read[path][0] != state:
                content = path.read_bytes() if state[1] <= LARGEST else b""
                entries = _kept_entries(path, content) if content else []
                _read[path] = state, Bibliography(path, entries)
            return _read[path][1]
    except OSError:
        return Bibliography(path, [])


def is_read(path: Path) -> bool:
    """Return whether `read_bibliography` has its current content cached."""
    with suppress(OSError):
        return path in _read and _read[path][0] == _state(path)
    return True


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _kept_entries(path: Path, content: bytes) -> list[Entry]:
    suffix = path.suffix.lower()
    wanted = hashlib.sha256(_FORMAT + suffix.encode() + content).digest()
    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
    place = cache_dir() / "bibliographies" / name
    with suppress(OSError, msgspec.DecodeError):
        kept, entries = msgspec.msgpack.decode(place.read_bytes(), type=tuple[bytes, list[Entry]])
        if kept == wanted:
            return entries
    try:
        entries = [*parse(content, suffix)]
    except DocumentError:  # not cached: pandoc may be available next time
        return [Entry(key, file=file) for key, file in _files_of(content).items()]
    with suppress(OSError):
        private_folder(place.parent)
        packed = msgspec.msgpack.encode((wanted, entries))
        atomic_write(place, packed, mode=0o600, durable=False)
    return entries


def parse(content: bytes, suffix: str) -> Iterator[Entry]:
    """Yield the entries of a bibliography. Blocks. Raises DocumentError if pandoc cannot read
    it.
    """
    files: dict[str, str] = {}
    if reader := _READERS.get(suffix):
        arguments = ("-f", reader, "-t", "csljson")
        files = _files_of(content) if suffix != ".ris" else {}
        content = run_pandoc(arguments, content, name="bibliography").data
    for each in _items(content, suffix):
        if isinstance(each, dict) and each.get("id"):
            yield _entry(each, files.get(str(each["id"]), ""))


def _items(content: bytes, suffix: str) -> list[Any]:
    try:
        if suffix in {".yaml", ".yml"}:
            import yaml  # on use

            found = next(yaml.load_all(content, Loader=yaml.BaseLoader), None)
        else:
            found = json.loads(content)
    except Exception as error:  # YAML's errors are not ValueErrors
        raise DocumentError(tr("This is not a bibliography."), code="damaged") from error
    found = found.get("references", found.get("items")) if isinstance(found, dict) else found
    return found if isinstance(found, list) else []


def _entry(csl: dict[str, Any], file: str) -> Entry:
    people = csl.get("author") or csl.get("editor")
    names = [
        str(person.get("family") or person.get("literal") or person.get("given") or "")
        for person in (people if isinstance(people, list) else [])
        if isinstance(person, dict)
    ]
    year = re.search(r"\d{4}", json.dumps(csl.get("issued", "")))
    title = re.sub(r"<[^<>]+>|\*", "", str(csl.get("title", "")))
    return Entry(
        key=str(csl["id"]),
        author=", ".join(names),
        year=year[0] if year else "",
        title=" ".join(title.split()),
        pages=_pages_of(csl),
        file=file or str(csl.get("file", "")),
    )


def _pages_of(csl: dict[str, Any]) -> tuple[int, int]:
    """Return the first and last page of a work: ``101-20`` ends at page 120."""
    found = _RANGE.fullmatch(str(csl.get("page", "")))
    whole = _RANGE.fullmatch(str(csl.get("number-of-pages", "")))
    if found and csl.get("type") in _WHOLE and not found[2]:
        whole, found = found, None
    if found is None:
        return (1, int(whole[1])) if whole else (0, 0)
    first, last = found[1], found[2] or found[1]
    last = first[: max(len(first) - len(last), 0)] + last
    return int(first), max(int(first), int(last))


def _files_of(content: bytes) -> dict[str, str]:
    """Return the keys of a BibTeX file, each with the name of its document, "" if it has none."""
    text = content.decode("utf-8", "replace")
    found = [*_ENTRY.finditer(text)]
    ends = [*(entry.start() for entry in found), len(text)][1:]
    keys = {}
    for entry, end in zip(found, ends, strict=True):
        if entry[1].lower() not in {"comment", "string", "preamble"}:
            field = _FIELD.search(text, entry.end(), end)
            keys[entry[2]] = _file_of((field[1] or field[2] or "").strip()) if field else ""
    return keys


def _file_of(field: str) -> str:
    """Return the path in a `file` field, which some programs write as ``title:path:type``."""
    parts = field.split(";")[0].split(":")
    return parts[1] if len(parts) == 3 else field.split(";")[0]


def named_bibliographies(
    root: Path, names: Iterable[str] = (), folder: Path | None = None
) -> list[Path]:
    """Return the bibliographies of a draft in `folder` whose front matter has these `names`: those,
    or the one in the settings of the workspace, or every ``.bib`` in its `root`; and the source
    records. None is outside the workspace.
    """
    found = [(folder or root) / name for name in names]
    if not found:
        name = load_settings(Workspace(root))[0].bibliography
        found = [root / name] if name else sorted(root.glob("*.bib"))
    found.append(root / SOURCE_ENTRIES)
    paths = dict.fromkeys(Path(os.path.normpath(each)) for each in found)
    known = (path for path in paths if path.suffix.lower() in SUFFIXES and is_file(path))
    return [path for path in known if _is_within(path, root)]


def _is_within(path: Path, root: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def key_of(document: Path, root: Path) -> str:
    """Return the key of a document in a bibliography of the folder, "" if there is none. A moved
    file is recognized by its name. Blocks.
    """
    by_name = ""
    for bibliography in map(read_bibliography, named_bibliographies(root)):
        for entry in bibliography.entries:
            said = bibliography.document(entry)
            if said is None or said.name != document.name:
                continue
            if os.path.realpath(said) == os.path.realpath(document):
                return entry.key
            by_name = by_name or ("" if is_there(said) else entry.key)
    return by_name


def pages_in(text: str) -> tuple[int, int]:
    """Return the first and last page named in a text, 0 for none: ``p. 3``, ``第3页``."""
    found = _PAGES.search(text)
    if found is None:
        return 0, 0
    first = int(found["first"] or found["one"])
    return first, max(int(found["last"] or first), first)


def locator_pages(text: str) -> tuple[int, int]:
    """Return the pages named after a key, where a bare number is a page too."""
    pages = pages_in(text)
    if not pages[0] and (bare := _BARE_PAGES.match(text)):
        pages = int(bare[1]), max(int(bare[2] or bare[1]), int(bare[1]))
    return pages


def cited_keys(text: str) -> set[str]:
    """Return possible citation keys in a Markdown text."""
    return set(_CITED.findall(text))


def unused_entries(keys: Sequence[str]) -> str:
    """Return the sentence that these entries are not cited."""
    return ngettext(
        "{count} entry of the bibliography is not cited: {some}.",
        "{count} entries of the bibliography are not cited: {some}.",
        len(keys),
        count=len(keys),
        some=one_line(and_more(keys, _MOST_NAMED)),
    )
