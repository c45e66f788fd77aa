"""Private hosts: fetching from one requires that the user named it in a prompt and then approved
it, or allowed it in their settings.

The policy asks `leads_inside` about a call, the gate tells `approve` what the user allowed, and the
tool asks `approved` what the address guard may let through. The guard judges each connection
anyway: what is looked up here only decides whether there is a question.
"""

import re
import socket
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from dogent_tui.web.model import WebError

if TYPE_CHECKING:
    from yarl import URL

_HALF = 20_000
"""The number of characters at the beginning and the end of a prompt: text pasted in between is not
the user's own words.
"""
_MOST_SAID = 500
"""The number of texts known not to be the agent's own."""
_MOST_NAMED = 1000
_MOST_APPROVED = 200

_IN_ADDRESS = re.compile(r"https?://([^\s/?#<>\"'`,;()，。；、（）「」【】]+)", re.IGNORECASE)
_BY_ITSELF = re.compile(
    r"(?<![\w.@/-])(\[[0-9a-f:.]+\]|localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d))(?::\d{1,5})?",
    re.IGNORECASE | re.ASCII,
)
"""A host without ``http://``: with a dot, with a port, or this machine. Any other word is just a
word.
"""


class NamedHosts:
    """The hosts of one session. Thread-safe. `allow` are exact hosts from the settings.

    `look_up`: names are resolved by the name server, but not with a proxy, which does so itself.
    """

    def __init__(self, allow: Collection[str] = (), *, look_up: bool = True) -> None:
        self._allow = tuple(allow)
        self._look_up = look_up
        self._named: dict[str, None] = {}
        self._approved: dict[str, tuple[str, ...]] = {}
        self._said: list[str] = []

    def heard(self, text: str) -> None:
        """Add the hosts that the user names in a prompt."""
        self.found(text)
        ends = text if len(text) <= 2 * _HALF else f"{text[:_HALF]}\n{text[-_HALF:]}"
        named = {**self._named, **dict.fromkeys(_hosts_in(ends))}
        self._named = dict(list(named.items())[-_MOST_NAMED:])

    def found(self, text: str) -> None:
        """Add the results of a search: their addresses contain nothing added by the agent."""
        self._said = [*self._said[-_MOST_SAID:], text[: 2 * _HALF]]

    def said(self) -> str:
        """Return what the user wrote and searches found."""
        return "\n".join(self._said)

    def named(self, address: str) -> bool:
        """Return whether the user named the host of `address`."""
        url = _parsed(address)
        return url is not None and _plain_host(url) in self._named

    def leads_inside(self, address: str, granted: Collection[str] = ()) -> bool | None:
        """Return whether `address` leads to a private network and needs approval; None if its name
        alone does not tell.

        May wait for a name server for hosts that the user named or has permanently `granted`:
        whether there is a question depends on it.
        """
        from dogent_tui.web.address import Allowed, is_local_name, literal

        url = _parsed(address)
        if url is None:
            return None
        host, port = _plain_host(url), url.port or 0
        allowed = Allowed.of(self._allow)
        if literal(host) is not None:
            return not allowed.permits(host, port, host)
        # the settings allow this name to lead to any private address
        if allowed.permits(host, port, "10.0.0.1"):
            return False
        if is_local_name(host):
            return True
        addresses = (
            _looked_up(host, port)
            if self._look_up and (host in granted or host in self._named)
            else ()
        )
        return (
            not all(allowed.permits(host, port, found) for found in addresses)
            if addresses
            else None
        )

    def approve(self, address: str) -> None:
        """Record that the user approved a call that fetches `address`, once or for longer."""
        url = _parsed(address)
        if url is not None:
            self._approved = dict(
                [*self._approved.items(), (address, _entries(url))][-_MOST_APPROVED:]
            )

    def withdraw(self, address: str) -> None:
        """Record that a call that fetches `address` runs without such an approval."""
        self._approved = {
            other: entries for other, entries in self._approved.items() if other != address
        }

    def approved(self, address: str) -> tuple[str, ...]:
        """Return the approval for `address`, for `Fetcher.fetch`."""
        return self._approved.get(address, ())


def _parsed(address: str) -> "URL | None":
    from dogent_tui.web.url import parse_url

    try:
        return parse_url(address)
    except WebError:
        return None  # the fetch reports what is wrong with it


def _plain_host(url: "URL") -> str:
    return (url.raw_host or "").lower()


def _entries(url: "URL") -> tuple[str, ...]:
    """Return the host with the port of the address, and also with that of https if the address is
    plain http.
    """
    host = f"[{_plain_host(url)}]" if ":" in _plain_host(url) else _plain_host(url)
    return tuple(
        f"{host}:{port}" for port in dict.fromkeys((url.port, 443 if url.port == 80 else url.port))
    )


def _hosts_in(text: str) -> Iterator[str]:
    from dogent_tui.web.address import host_and_port

    written = (*_IN_ADDRESS.findall(text), *(match[0] for match in _BY_ITSELF.finditer(text)))
    for authority in list(dict.fromkeys(written))[:_MOST_NAMED]:
        found = host_and_port(authority.rpartition("@")[2].rstrip(".:!?"))
        if found is not None:
            yield found[0]


def _looked_up(host: str, port: int) -> tuple[str, ...]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))
