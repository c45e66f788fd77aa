"""Which files a draft can quote, and which one it means by a name or a key of a bibliography."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote

from dogent_tui.permissions.text import names

_SUFFIXES = names(
    "md markdown txt text pdf docx odt rtf epub html htm xhtml xlsx xlsm ods csv tsv pptx ipynb"
    " json xml tex rst org adoc doc xls ppt png jpg jpeg gif tif tiff webp svg"
)
_FILE = re.compile(r"[^\s()（）\[\];,；，“”\"<>|]+\.[A-Za-z0-9]{1,8}(?![\w/])")
_PAGES = re.compile(
    r"(?:(?<![^\W\d_])(?:pp?\.?|SS?\.|pages?|Seiten?)|第|#page=)\s*(?P<first>\d+)(?:\s*[-–—]\s*(?P<last>\d+))?|(?P<one>\d+)\s*页",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"^[ \t]*@(\w+)\s*[{(]\s*([^\s,{}]+)\s*,", re.MULTILINE)
_FIELD = re.compile(r"\bfile\s*=\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|\"([^\"]*)\")", re.IGNORECASE)


class Named(NamedTuple):
    """What a citation names: the path of a source, None where there is no such; and the pages,
    first and last, 0 for none.
    """

    path: str | None
    first: int = 0
    last: int = 0


class Names:
    """Resolves what a draft calls its sources."""

    def __init__(self, paths: Iterable[str], keys: Mapping[str, str | None] | None = None) -> None:
        """Know `paths` below the folder of the sources, and `keys` of bibliographies with the
        path of each, None without one.
        """
        self.paths = list(paths)
        self.keys = dict(keys or {})
        self._known: dict[str, set[str]] = {}
        for path in self.paths:
            pure = PurePosixPath(path)
            for name in (path, pure.name, str(pure.with_suffix("")), pure.stem):
                self._known.setdefault(_folded(name), set()).add(path)
        self._spaced = [path for path in self.paths if re.search(r"[\s(),;\[\]]", path)]

    def path(self, name: str, *, exact: bool = False) -> str | None:
        """Return the source that is called `name`, None where that is none or several. `exact`:
        not without its suffix.
        """
        name = name.replace("\\", "/").strip().removeprefix("./")
        for spelled in dict.fromkeys((name, unquote(name))):
            if spelled in self.paths:
                return spelled
            found = self._known.get(_folded(spelled), set())
            with_suffix = {
                path
                for path in found
                if _folded(PurePosixPath(path).name) == _folded(PurePosixPath(spelled).name)
            }
            for several in (with_suffix,) if exact else (with_suffix, found):
                if len(several) == 1:
                    return next(iter(several))
        return None

    def named_in(self, text: str, *, loose: bool = False) -> Iterator[Named]:
        """Yield what the text of a citation names. `loose`: a name without its suffix is one
        too, as in a note.
        """
        for part in re.split(r"[;；]", text):
            pages = _pages(part)
            spaced = next(
                (path for path in self._spaced if path in part or PurePosixPath(path).name in part),
                None,
            )
            if spaced is not None:
                yield Named(spaced, *pages)
                continue
            files = [
                found
                for found in _FILE.finditer(part)
                if "://" not in found[0] and not found[0].startswith("www.")
            ]
            names = [found[0].lstrip("@") for found in files]
            names = [
                name
                for name in names
                if name.rpartition(".")[2].lower() in _SUFFIXES or self.path(name, exact=True)
            ]
            yield from (Named(self.path(name, exact=True), *pages) for name in names)
            bare = re.split(r"[,，#]", part)[0].strip(" @\t\n—–-*_.")
            if not names and bare and (loose or pages[0]) and (path := self.path(bare)):
                yield Named(path, *pages)

    def by_key(self, key: str, locator: str) -> Named | None:
        """Return what a key of a bibliography names, None where there is no such key."""
        key = key.rstrip(".:")
        if key not in self.keys:
            return None
        return Named(self.keys[key] or "", *_pages(locator))


def _pages(text: str) -> tuple[int, int]:
    found = _PAGES.search(_FILE.sub(lambda name: " " if "#page=" not in name[0] else name[0], text))
    if found is None:
        return 0, 0
    first = int(found["first"] or found["one"])
    last = int(found["last"] or first)
    return first, max(last, first)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def bibliography(text: str) -> dict[str, str]:
    """Return the keys of a BibTeX file, each with the name of its file, "" where it has none."""
    found = [*_ENTRY.finditer(text)]
    ends = [entry.start() for entry in found[1:]] + [len(text)]
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
