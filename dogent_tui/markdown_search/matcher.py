"""Case-insensitive matching of file names and contents."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeAlias

from dogent_tui.language import tr
from dogent_tui.markdown_search.model import MarkdownSearchError

_SHOWN = 200
"""The number of characters shown of a line."""
_BEFORE = 60
"""The number of them before the match."""

Place: TypeAlias = tuple[int, str]
"""The number of a line, from 1, and what is shown of it."""


class Matcher(Protocol):
    """Finds a query in the contents of a file. Invalid UTF-8 counts as U+FFFD."""

    def count(self, data: bytes) -> int:
        """Return the number of matches."""

    def lines(self, data: bytes, most: int) -> list[Place]:
        """Return the first matching lines."""


def matcher(query: str, *, regex: bool) -> Matcher:
    """Return a matcher for `query`. Raises MarkdownSearchError if it is empty or an invalid regular
    expression.
    """
    if not query:
        raise MarkdownSearchError(
            tr("There is nothing to search for."), tr("Put the text in query.")
        )
    return _Pattern(query) if regex else _Words(query)


def name_filter(pattern: str, *, regex: bool = False) -> Callable[[str], bool]:
    """Return a function that tells whether the relative path of a file matches `pattern`, ignoring
    case. An empty pattern matches all.

    It matches a part of the name, or of the path if it contains a ``/``; with ``*`` or ``?`` all of
    it. Raises MarkdownSearchError for an invalid regular expression.
    """
    wanted = _plain(pattern.strip())
    if not wanted:
        return lambda _: True
    if regex:
        expression = _compiled(pattern.strip())
        return lambda path: expression.search(unicodedata.normalize("NFC", path)) is not None
    is_path = "/" in wanted
    wanted = wanted.removeprefix("./")
    if "*" in wanted or "?" in wanted:
        fits = _glob(wanted)
        return lambda path: fits.fullmatch(_plain(path if is_path else _name(path))) is not None
    return lambda path: wanted in _plain(path if is_path else _name(path))


def _glob(pattern: str) -> re.Pattern[str]:
    """Return a glob as a regular expression: ``**/`` is any number of folders, ``*`` stays within a
    name.
    """
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", re.sub(r"\*{3,}", "**", pattern))
    return re.compile("".join(meanings.get(part) or re.escape(part) for part in parts), re.DOTALL)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


class _Words:
    """A literal text, in any Unicode normalization form. StringZilla folds case as Unicode defines
    it, at gigabytes a second.
    """

    def __init__(self, query: str) -> None:
        from stringzilla import find, utf8_uncased_matches, utf8_uncased_search

        self._find, self._search, self._matches = find, utf8_uncased_search, utf8_uncased_matches
        written = {unicodedata.normalize(form, query) for form in ("NFC", "NFD")} | {query}
        self._forms = sorted((_mark(form, written - {form}), form.encode()) for form in written)

    def count(self, data: bytes) -> int:
        data, first = self._first(data, 0)
        return (
            sum(len([*self._matches(data, form)]) for form in self._forms_in(data))
            if first >= 0
            else 0
        )

    def lines(self, data: bytes, most: int) -> list[Place]:
        def spans() -> Iterator[int]:
            at, length = first, len(text)
            while at >= 0:
                yield at
                end = text.find(b"\n", at)
                at = self._first(text, end)[1] if 0 <= end < length else -1

        text, first = self._first(data, 0)
        return _lines(text, spans(), most)

    def _first(self, data: bytes, start: int) -> tuple[bytes, int]:
        """Return the first position of the query from `start` on, negative if there is none, and
        `data` as UTF-8.
        """
        try:
            found = [
                self._search(data, form, start, len(data), not start)
                for form in self._forms_in(data)
            ]
        except ValueError:
            data = data.decode("utf-8", "replace").encode()
            found = [self._search(data, form, start) for form in self._forms_in(data)]
        return data, min((at for at in found if at >= 0), default=-1)

    def _forms_in(self, data: bytes) -> list[bytes]:
        """Return the forms that may occur in `data`: searching for one with separate accents costs
        more than all the rest.
        """
        return [form for mark, form in self._forms if not mark or self._find(data, mark) >= 0]


def _mark(form: str, others: set[str]) -> bytes:
    """Return a combining accent in `form` that is in none of the `others`, empty if there is none.
    Accents have no case.
    """
    own = (sign for sign in form if unicodedata.combining(sign) and sign.casefold() == sign)
    return next((sign.encode() for sign in own if all(sign not in other for other in others)), b"")


class _Pattern:
    """A Python regular expression. It may take forever: the caller must limit the time."""

    def __init__(self, query: str) -> None:
        self._expression = _compiled(query)

    def count(self, data: bytes) -> int:
        return sum(1 for _ in self._matches(data.decode("utf-8", "replace")))

    def lines(self, data: bytes, most: int) -> list[Place]:
        text = data.decode("utf-8", "replace")
        return _lines(text.encode(), _in_bytes(text, self._matches(text)), most)

    def _matches(self, text: str) -> Iterator[int]:
        return (
            match.start()
            for match in self._expression.finditer(text)
            if match.end() > match.start()
        )


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        raise MarkdownSearchError(
            tr(
                "“{pattern}” is not a valid regular expression: {error}.",
                pattern=pattern,
                error=error,
            ),
            tr("Fix it, or leave regex out."),
        ) from None


def _in_bytes(text: str, places: Iterable[int]) -> Iterator[int]:
    """Convert ascending positions in `text` to positions in its UTF-8 encoding."""
    at = done = 0
    for place in places:
        done += len(text[at:place].encode())
        at = place
        yield done


def _lines(data: bytes, places: Iterable[int], most: int) -> list[Place]:
    """Return the first lines that contain one of the ascending `places`."""
    found: list[Place] = []
    number, counted, end = 1, 0, -1
    for place in places:
        if place <= end:
            continue
        if len(found) == most:
            break
        number, counted = number + data.count(b"\n", counted, place), place
        end = data.find(b"\n", place)
        end = len(data) if end < 0 else end
        found.append((number, _snippet(data, place, end)))
    return found


def _snippet(data: bytes, place: int, end: int) -> str:
    """Return what is shown of the line that ends at `end`: all of it, or the part around
    `place`.
    """
    begin = data.rfind(b"\n", 0, place) + 1
    # no character takes more than four bytes
    from_, to = max(begin, place - 4 * _SHOWN), min(end, place + 4 * _SHOWN)
    before = data[from_:place].decode("utf-8", "ignore")
    text = before + data[place:to].decode("utf-8", "ignore")
    first = 0 if from_ == begin and len(text) <= _SHOWN else max(0, len(before) - _BEFORE)
    shown = text[first : first + _SHOWN]
    before = "…" if first or from_ > begin else ""
    after = "…" if to < end or first + _SHOWN < len(text) else ""
    return f"{before}{shown.strip()}{after}"
