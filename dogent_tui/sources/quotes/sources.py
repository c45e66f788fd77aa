"""Which files a draft can quote, and which one a name or a bibliography key refers to."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote

from dogent_tui.documents.bibliography import locator_pages, pages_in
from dogent_tui.permissions.text import names

_SUFFIXES = names(
    "md markdown txt text pdf docx odt rtf epub html htm xhtml xlsx xlsm ods csv tsv pptx ipynb"
    " json xml tex rst org adoc doc xls ppt png jpg jpeg gif tif tiff webp svg"
)
_WEB = re.compile(r"www\.|.*://")
_FILE = re.compile(r"[^\s()（）\[\];,；，“”\"<>|*]+\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])")


class CitationTarget(NamedTuple):
    """What a citation names: the path of a source, None if there is none; and the first and last
    page, 0 for none. `work` are the pages of the whole work in its own numbering.

    `path` is "" for a work without a document in the bibliography.
    """

    path: str | None
    first: int = 0
    last: int = 0
    work: tuple[int, int] = (0, 0)

    def has(self, page: int) -> bool:
        """Return whether a page of the document, counted from 1, is among those named; without
        named pages all are.
        """
        printed = page + max(0, self.work[0] - 1)
        return not self.first or any(self.first <= each <= self.last for each in (page, printed))

    def is_beyond(self, pages: int) -> bool:
        """Return whether the work, or its document with this many `pages`, lacks the named
        pages.
        """
        in_work = self.work[0] <= self.first and self.last <= self.work[1]
        known = bool(self.work[1] or pages)
        return self.first > 0 and known and not in_work and self.last > pages


class Names:
    """Resolves how a draft refers to its sources."""

    def __init__(
        self, paths: Iterable[str], keys: Mapping[str, CitationTarget] | None = None
    ) -> None:
        """Take the `paths` below the folder of the sources, and what the bibliographies' `keys`
        name.
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
        """Return the source named `name`, None if there is none or several. `exact`: the suffix is
        required.
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

    def named_in(self, text: str, *, loose: bool = False) -> Iterator[CitationTarget]:
        """Yield what the text of a citation names. `loose`: names without a suffix count too, as in
        a note.
        """
        for part in re.split(r"[;；]", text):
            pages = _pages(part)
            spaced = next(
                (path for path in self._spaced if path in part or PurePosixPath(path).name in part),
                None,
            )
            if spaced is not None:
                yield CitationTarget(spaced, *pages)
                continue
            spelled = (found[0].lstrip("@") for found in _FILE.finditer(part))
            names = [
                name
                for name in spelled
                if not _WEB.match(name)
                and (name.rpartition(".")[2].lower() in _SUFFIXES or self.path(name, exact=True))
            ]
            yield from (CitationTarget(self.path(name, exact=True), *pages) for name in names)
            bare = re.split(r"[,，#]", part)[0].strip(" @\t\n—–-*_.")
            if not names and bare and (loose or pages[0]) and (path := self.path(bare)):
                yield CitationTarget(path, *pages)

    def by_key(self, key: str, locator: str) -> CitationTarget | None:
        """Return what a bibliography key names, None if there is no such key."""
        found = self.keys.get(key.rstrip(".:"))
        if found is None:
            return None
        first, last = locator_pages(locator)
        return found._replace(first=first, last=last)


def _pages(text: str) -> tuple[int, int]:
    return pages_in(_FILE.sub(lambda name: " " if "#page=" not in name[0] else name[0], text))


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
