"""Which links a finished document may have: to the web, to a mailbox, and into itself."""

import re
from urllib.parse import unquote

from dogent_tui.language import tr

_KEPT = frozenset({"http", "https", "mailto", "tel"})
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")


def refusal(address: str) -> str:
    """Return why a document may not link to `address`, as the end of a sentence; empty where it
    may.
    """
    if address.startswith("#"):
        return ""
    scheme = _SCHEME.match(address)
    if scheme is None:
        return (
            tr("that file doesn't travel with the document; the text is kept")
            if address.strip()
            else tr("it has no target")
        )
    return (
        ""
        if scheme[1].lower() in _KEPT
        else tr("documents can't link to addresses of this kind; the text is kept")
    )


def slug(title: str) -> str:
    """Return the identifier of a heading as GitHub makes it: letters of every script, digits,
    hyphens, underscores.
    """
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


class Targets:
    """The places in a document that links may lead to, each by a name that no other has."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._known_as: dict[str, str] = {}
        self._last: dict[str, int] = {}

    def add(self, title: str, named: str = "") -> str:
        """Return the name of the heading `title`: as it is `named`, else its slug; numbered
        where there was one already.
        """
        wanted = name = _fit(named) or slug(title) or "section"
        while name in self._names:
            self._last[wanted] = self._last.get(wanted, 0) + 1
            name = f"{wanted}-{self._last[wanted]}"
        self._add(name)
        return name

    def add_named(self, name: str) -> str:
        """Return the name of a place that the author named, made fit for an attribute."""
        name = _fit(name)
        self._add(name)
        return name

    def find(self, address: str) -> str | None:
        """Return the name that ``#…`` means: exactly, else but for case and the way in which a
        slug is made.
        """
        wanted = unquote(address[1:])
        return wanted if wanted in self._names else self._known_as.get(_folded(wanted))

    def _add(self, name: str) -> None:
        self._names.add(name)
        self._known_as.setdefault(_folded(name), name)


def _fit(name: str) -> str:
    return re.sub(r"[\s\"'<>&#]", "-", name)[:200]


def _folded(name: str) -> str:
    return re.sub(r"[\W_]", "", name.casefold())
