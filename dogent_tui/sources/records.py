"""Source records: pages read on the web and sources typed in by the user, stored as readable files
in ``.dogent/sources/``, each under its citation key.

``KEY.md`` contains the facts about the source as front matter, and the text as it was read.
``sources.json`` contains the same facts as CSL JSON, the format of citation processors, so that an
export can cite the sources without further configuration.
"""

import hashlib
import json
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

import msgspec
from msgspec.structs import replace

from dogent_tui.documents.bibliography import SOURCE_ENTRIES
from dogent_tui.plain import one_line
from dogent_tui.records import JsonDict, Record
from dogent_tui.settings.trust import make_own_folder
from dogent_tui.storage.files import atomic_write
from dogent_tui.storage.paths import Workspace

FOLDER, _, ENTRIES = SOURCE_ENTRIES.rpartition("/")
_KEY = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")
_SECRET = re.compile(
    r"(?:^|[_.-])(?:token|api_?key|key|sig|signature|secret|session|session_?id|sid|auth|authorization|pass|passwd|password|pwd"
    r"|code|credential|credentials|jwt)(?:$|[_.-])|token$|secret$|password$",
    re.IGNORECASE,
)
_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_LONGEST_PARAMETER = 80
"""The length in characters of a value in an address; a longer one does not identify a page and may
be a key.
"""
_FRONT = re.compile(r"---\n(.*?)\n---\n\n?(.*)", re.DOTALL)
_LARGEST = 4_000_000


_FACTS = ("url", "title", "author", "published", "accessed", "identity", "document")


class SourceRecord(Record):
    """A source. `published` is as the source writes it, `accessed` when it was read (UTC, ISO
    8601); `text` is Markdown.

    `identity` is a hash of the complete address, of which `url` may be only a part; `read_to` is
    how many characters were read. `document` is its file below the workspace, if any.
    """

    key: str
    url: str = ""
    title: str = ""
    author: str = ""
    published: str = ""
    accessed: str = ""
    text: str = ""
    identity: str = ""
    read_to: int = 0
    document: str = ""

    @property
    def file(self) -> str:
        """Its path below the workspace."""
        return f"{FOLDER}/{self.key}.md"

    def as_markdown(self) -> str:
        """Return the content of the record's file. Each value is a JSON string, which is also valid
        YAML.
        """
        facts = {name: getattr(self, name) for name in _FACTS}
        if self.text:
            facts["read_to"] = str(self.read_to)
            facts["sha256"] = hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()
        lines = [
            f"{name}: {json.dumps(value, ensure_ascii=False)}"
            for name, value in facts.items()
            if value
        ]
        return "\n".join(["---", f"key: {self.key}", *lines, "---", "", self.text, ""])

    def as_entry(self) -> JsonDict:
        """Return it as CSL JSON."""
        file = f"../../{self.document}" if self.document else f"{self.key}.md" if self.text else ""
        entry: JsonDict = {
            "id": self.key,
            "type": "webpage" if self.url else "document",
            "title": self.title or self.url,
            "URL": self.url,
            "file": file,
            "author": [{"literal": self.author}] if self.author else [],
        }
        for name, value in (("issued", self.published), ("accessed", self.accessed)):
            if found := re.match(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", value):
                entry[name] = {"date-parts": [[int(part) for part in found.groups() if part]]}
        return {name: value for name, value in entry.items() if value}


class SourceRecords:
    """The records of a workspace. `allowed` says whether they may be written: not in a folder that
    the user does not trust.
    """

    def __init__(self, workspace: Workspace, allowed: Callable[[], bool] = lambda: True) -> None:
        self.folder = workspace.root / FOLDER
        self.allowed = allowed
        self._workspace = workspace
        self._lock = threading.Lock()

    def all(self) -> list[SourceRecord]:
        """Return the records by key, without unreadable ones. Never raises."""
        return sorted(self._read(), key=lambda record: record.key)

    def _read(self) -> Iterator[SourceRecord]:
        for file in self.folder.glob("*.md") if self.folder.is_dir() else ():
            with suppress(OSError, ValueError):
                content = file.read_text("utf-8") if file.stat().st_size <= _LARGEST else ""
                found = _FRONT.fullmatch(content)
                if found is None or not _KEY.fullmatch(file.stem):
                    continue
                lines = (line.partition(": ") for line in found[1].splitlines())
                facts = {
                    name: json.loads(fact) if fact[:1] == '"' else fact for name, _, fact in lines
                }
                facts |= {"key": file.stem, "text": found[2].removesuffix("\n")}
                record = msgspec.convert(facts, SourceRecord, strict=False)
                if record.url or record.title:
                    yield record

    def note(self, read: SourceRecord, offset: int = 0) -> str:
        """Store what was read at an address, from `offset` characters into its text. Return the
        key, empty if nothing is stored.

        A part that follows the stored text is appended; a page read again replaces it. Raises
        OSError.
        """
        whole = urlunsplit((*urlsplit(read.url)[:4], ""))
        identity = hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()
        read_to = offset + len(read.text)
        read = replace(read, url=public_address(read.url), identity=identity, read_to=read_to)

        def merged(records: list[SourceRecord]) -> SourceRecord:
            known = next((record for record in records if record.identity == identity), None)
            if known is None:
                return replace(read, key="")
            if offset == 0 and not known.text.startswith(read.text):
                return replace(read, key=known.key)
            if offset and offset == known.read_to:
                return replace(known, text=known.text + read.text, read_to=read_to)
            return known

        return self._keep(merged)

    def add(self, typed: SourceRecord) -> str:
        """Store a source typed in by the user. Return its key, empty if nothing may be stored.
        Raises OSError.
        """
        return self._keep(lambda _: replace(typed, key=""))

    def _keep(self, record_of: Callable[[list[SourceRecord]], SourceRecord]) -> str:
        """Write the record that `record_of` makes of the existing ones, unless it is one of
        them.
        """
        if not self.allowed() or not self._is_ours():
            return ""
        with self._lock:
            records = self.all()
            record = record_of(records)
            if record not in records:
                record = replace(record, key=record.key or _new_key(record, self._taken()))
                make_own_folder(self._workspace)
                atomic_write(self.folder / f"{record.key}.md", record.as_markdown())
                self._write_entries([*(one for one in records if one.key != record.key), record])
            return record.key

    def _taken(self) -> set[str]:
        """Return the keys already taken by a file, whether it is a record or not. Some disks ignore
        the case of names.
        """
        with suppress(FileNotFoundError):
            return {file.stem.casefold() for file in self.folder.iterdir()}
        return set()

    def _is_ours(self) -> bool:
        """Return whether the folder is where it seems to be: a link might lead anywhere."""
        return self.folder.resolve() == self._workspace.root.resolve() / FOLDER

    def remove(self, key: str) -> bool:
        """Delete a record. Return whether there was one. Raises OSError."""
        if not self._is_ours():
            return False
        with self._lock:
            records = self.all()
            left = [record for record in records if record.key != key]
            if len(left) == len(records):
                return False
            (self.folder / f"{key}.md").unlink(missing_ok=True)
            self._write_entries(left)
            return True

    def _write_entries(self, records: list[SourceRecord]) -> None:
        entries = [record.as_entry() for record in sorted(records, key=lambda record: record.key)]
        atomic_write(
            self.folder / ENTRIES, json.dumps(entries, ensure_ascii=False, indent=1) + "\n"
        )


def public_address(url: str) -> str:
    """Return `url` without possible secrets: user name and password, tokens in its parameters, its
    path from a random part on, the fragment.
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    kept = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _SECRET.search(name) and len(value) <= _LONGEST_PARAMETER and not _is_random(value)
    ]
    segments = parts.path.split("/")
    cut = next((at for at, one in enumerate(segments) if _is_random(unquote(one))), None)
    if cut is not None:  # the rest was meant for its holder too
        return urlunsplit((parts.scheme, host, "/".join([*segments[:cut], ""]), "", ""))
    return urlunsplit((parts.scheme, host, parts.path, urlencode(kept), ""))


def _is_random(text: str) -> bool:
    """Return whether a text is random: long, and mixing letters, digits and capitals unlike words,
    numbers and dates.

    In 32 random hexadecimal digits the kind changes at every second character (15 ± 3), in 43
    base64 characters nearly so (19 ± 3); in ``TheGreatFloodOf1953`` at every fifth.
    """
    changes = len(_CHANGE.findall(text))
    return len(text) >= 16 and changes >= 6 and 9 * changes >= 2 * len(text)


def _new_key(read: SourceRecord, taken: set[str]) -> str:
    """Return a key with author and year: ``okafor-2025``, or ``example-org-2025`` without an
    author.
    """
    author = re.split(r"[,;&]| and | und | et ", read.author)[0].split()
    who = _plain(author[-1]) if author else ""
    host = (urlsplit(read.url).hostname or "").removeprefix("www.")
    host = host or " ".join(read.title.split()[:2]) or "source"
    year = re.search(r"\d{4}", read.published) or re.search(
        r"\d{4}", read.accessed or datetime.now().isoformat()
    )
    key = f"{who or _plain(host) or 'source'}-{year[0] if year else ''}".strip("-")[:50]
    return next(
        each
        for each in (key, *(f"{key}-{number}" for number in range(2, 10_000)))
        if each not in taken
    )


def _plain(text: str) -> str:
    folded = (
        unicodedata.normalize("NFKD", one_line(text)).encode("ascii", "ignore").decode().lower()
    )
    return re.sub(r"[^a-z0-9]+", "-", folded).strip("-")


def records_in(folder: Path) -> dict[str, Path]:
    """Return the files of the records below `folder`, relative to it, for searching sources."""
    place = folder / FOLDER
    found = sorted(place.glob("*.md")) if place.is_dir() and not place.is_symlink() else []
    return {
        f"{FOLDER}/{file.name}": file for file in found if file.is_file() and not file.is_symlink()
    }
