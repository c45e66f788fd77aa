"""The permitted links of a finished document: to the web, to a mailbox, into itself, and to a page
of a pdf in the same folder.
"""

import re
from urllib.parse import quote, unquote

from dogent_tui.language import tr

_KEPT = frozenset({"http", "https", "mailto", "tel"})
_PAGE = re.compile(r"(?![/\\])([^:?#\\]+\.pdf)#page=([1-9]\d{0,5})", re.IGNORECASE)
BESIDE = "https://beside.invalid/"
"""Precedes the path of such a pdf until ours is finished: engines require absolute addresses."""
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")


def refusal(address: str) -> str:
    """Return why a document may not link to `address`, as the end of a sentence; empty if it
    may.
    """
    if address.startswith("#") or page_of(address):
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


def page_of(address: str) -> tuple[str, int] | None:
    """Return the relative path and the page of ``report.pdf#page=3``, None for any other
    address.
    """
    found = _PAGE.fullmatch(unquote(address.removeprefix(BESIDE)))
    return (found[1], int(found[2])) if found else None


def whole(address: str) -> str:
    """Return an address for engines that only support absolute ones."""
    found = None if address.startswith("#") else page_of(address)
    return f"{BESIDE}{quote(found[0], safe='')}#page={found[1]}" if found else address


class Targets:
    """The link targets in a document, each with a unique name."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._known_as: dict[str, str] = {}
        self._last: dict[str, int] = {}

    def add(self, title: str, named: str) -> str:
        """Return the name of a place, such as the heading `title`: as it is `named` by its author
        or by pandoc, made valid for an attribute, and numbered if it already exists.
        """
        wanted = name = re.sub(r"[\s\"'<>&#]", "-", named or "section")[:200]
        while name in self._names:
            self._last[wanted] = self._last.get(wanted, 0) + 1
            name = f"{wanted}-{self._last[wanted]}"
        self._names.add(name)
        for known in (name, title):
            self._known_as.setdefault(_folded(known), name)
        return name

    def find(self, address: str) -> str | None:
        """Return the name meant by ``#…``: exact, or ignoring case and differences between
        slugs.
        """
        wanted = unquote(address[1:])
        return wanted if wanted in self._names else self._known_as.get(_folded(wanted))


def _folded(name: str) -> str:
    return re.sub(r"[\W_]", "", name.casefold())
