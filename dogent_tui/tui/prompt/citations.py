"""The citable entries of a workspace, as the picker requests them on every key."""

import re
import threading
import unicodedata
from pathlib import Path

from dogent_tui.documents.bibliography import (
    Entry,
    is_read,
    named_bibliographies,
    read_bibliography,
)
from dogent_tui.language import phrases

_SIMPLE = re.compile(r"\w(?:[\w:.#$%&+?<>~/-]*\w)?")


class Citations:
    """Searches the bibliographies and source records of a folder. Unread ones are read in a
    separate thread, so that a large one delays no key.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lists: list[list[Entry]] = []
        self._texts: list[str] = []
        self._entries: list[Entry] = []
        self._reader: threading.Thread | None = None

    def search(self, query: str, limit: int) -> tuple[list[Entry], bool]:
        """Return the entries that contain all words of `query` in key, author, year or title, those
        whose key or author starts with it first, and whether more remains to be read. Accesses the
        disk.
        """
        paths = named_bibliographies(self._root)
        is_reading = not all(map(is_read, paths))
        if is_reading and (self._reader is None or not self._reader.is_alive()):
            self._reader = threading.Thread(
                target=lambda: [*map(read_bibliography, paths)], daemon=True
            )
            self._reader.start()
        lists = [read_bibliography(path).entries for path in paths if is_read(path)]
        if [*map(id, lists)] != [*map(id, self._lists)]:
            self._lists = lists
            by_key = {entry.key: entry for entries in reversed(lists) for entry in entries}
            self._entries = [*by_key.values()]
            self._texts = [
                _folded(f"{one.key}\t{one.author}\t{one.year}\t{one.title}")
                for one in self._entries
            ]
        words = _folded(query).split()
        found = [
            (not text.startswith(words[0]), f"\t{words[0]}" not in text, at) if words else (at,)
            for at, text in enumerate(self._texts)
            if all(word in text for word in words)
        ]
        return [self._entries[ranked[-1]] for ranked in sorted(found)[:limit]], is_reading

    def has(self, key: str) -> bool:
        """Whether this is the key of an entry. May read a bibliography."""
        lists = (read_bibliography(path).entries for path in named_bibliographies(self._root))
        return any(entry.key == key for entries in lists for entry in entries)


def written(entry: Entry) -> str:
    """Return the citation of an entry: ``@key``, in braces if the key would end too early."""
    return f"@{entry.key}" if _SIMPLE.fullmatch(entry.key) else f"@{{{entry.key}}}"


def described(entry: Entry) -> str:
    """Return the row for an entry."""
    names = entry.author.split(", ")
    author = f"{names[0]} …" if len(names) > 2 else " & ".join(names)
    return phrases(author, entry.year, entry.title)


def _folded(text: str) -> str:
    """Return a text without case and accents: ``cafe`` finds ``Café``; ``Øre`` has no base letter
    and stays.
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in plain if not unicodedata.combining(each))
