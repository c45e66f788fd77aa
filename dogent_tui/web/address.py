"""Which hosts may be contacted: public ones, and private ones that someone named exactly.

An address is judged where the connection is made (`dogent_tui.web.guarded_connector`), so names,
redirects or changing answers of a name server cannot bypass it.
"""

import ipaddress
import re
from collections.abc import Iterable
from typing import Literal

from dogent_tui.records import Record

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

Place = Literal["public", "private", "local", "never"]
"""Where an address leads: anywhere public, to local networks, to this machine or its cloud's
metadata, or to no one.
"""

_V4: tuple[tuple[str, Place], ...] = (
    # https://www.iana.org/assignments/iana-ipv4-special-registry
    ("0.0.0.0/8", "never"),  # "this network": Linux connects to this machine
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "private"),  # carriers; includes a metadata service too (100.100.100.200)
    ("127.0.0.0/8", "private"),
    ("168.63.129.16/32", "local"),  # a metadata service at a public address
    ("169.254.0.0/16", "local"),  # metadata services of clouds
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "never"),
    ("192.0.2.0/24", "never"),
    ("192.88.99.0/24", "never"),
    ("192.168.0.0/16", "private"),
    ("198.18.0.0/15", "never"),
    ("198.51.100.0/24", "never"),
    ("203.0.113.0/24", "never"),
    ("224.0.0.0/3", "never"),  # multicast, reserved, broadcast
)
_V6: tuple[tuple[str, Place], ...] = (
    # https://www.iana.org/assignments/iana-ipv6-special-registry; addresses outside 2000::/3 are
    # not assigned
    ("::1/128", "private"),
    ("fc00::/7", "private"),
    ("fe80::/10", "local"),
    ("2001::/23", "never"),  # Teredo, benchmarks, ORCHID
    ("2001:db8::/32", "never"),
    ("2002::/16", "never"),  # 6to4 contains an arbitrary IPv4 address
    ("3fff::/20", "never"),
    ("2000::/3", "public"),
)
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""NAT64 (RFC 6052): with these, networks without IPv4 reach the IPv4 address in the last 32
bits.
"""
_NETWORKS = tuple((ipaddress.ip_network(network), place) for network, place in (*_V4, *_V6))

_LOCAL_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback", "localhost6")


def place_of(address: str | Address) -> Place:
    """Return where `address` leads. Raises ValueError if it is not an address."""
    parsed = _parsed(address)
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    elif isinstance(parsed, ipaddress.IPv6Address) and parsed in _TRANSLATED:
        return (
            "public"
            if place_of(ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)) == "public"
            else "never"
        )
    for network, place in _NETWORKS:
        if parsed.version == network.version and parsed in network:
            return place
    return "public" if parsed.version == 4 else "never"


def literal(host: str) -> Address | None:
    """Return `host` as an address if it is one in the usual notation; None for a name."""
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


def looks_like_number(host: str) -> bool:
    """Return whether `host` ends in a number, which makes it an IPv4 address in one of many
    notations (WHATWG URL).
    """
    return re.fullmatch(r"[0-9]+|0[xX][0-9a-fA-F]*", host.rpartition(".")[2]) is not None


def is_local_name(host: str) -> bool:
    """Return whether `host` is a name of this machine, whatever a name server says (RFC 6761)."""
    return host in _LOCAL_NAMES or host.endswith(".localhost")


class Allowed(Record):
    """Private hosts and addresses that someone named: exactly these, and if a port was named, only
    that one.

    A name covers the addresses it resolves to in local networks and on this machine. Metadata
    services have to be named by address, and unassigned addresses can never be reached.
    """

    entries: frozenset[tuple[str, int | None]] = frozenset()

    @classmethod
    def of(cls, entries: Iterable[str]) -> "Allowed":
        """Parse entries such as ``wiki.corp``, ``10.1.2.3:8080`` or ``[fd00::1]``. Entries that are
        not exact hosts are ignored.
        """
        return cls(
            frozenset(found for entry in entries if (found := host_and_port(entry)) is not None)
        )

    def __or__(self, other: "Allowed") -> "Allowed":
        return Allowed(self.entries | other.entries)

    def permits(self, host: str, port: int, address: str | Address) -> bool:
        """Return whether a request to `host` may be sent to `address`."""
        place = place_of(address)
        if place == "public":
            return True
        if place == "never":
            return False
        return self._has(_plain(_parsed(address)), port) or (
            place == "private" and literal(host) is None and self._has(host, port)
        )

    def _has(self, host: str, port: int) -> bool:
        return (host, port) in self.entries or (host, None) in self.entries


_ENTRY = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\[\]:/@*\s]+)(?::(?P<port>[0-9]{1,5}))?")


def host_and_port(entry: str) -> tuple[str, int | None] | None:
    """Parse an entry of an allow list; None if it is not an exact host: a pattern, a network, a
    URL.
    """
    entry = entry.strip().lower()
    address = literal(entry)
    if address is not None:
        return _plain(address), None
    match = _ENTRY.fullmatch(entry)
    if match is None:
        return None
    host, port = match["host"], int(match["port"]) if match["port"] else None
    address = literal(host)
    if address is not None:
        return _plain(address), port
    host = _ascii(host.rstrip("."))
    return (host, port) if host and not looks_like_number(host) else None


def _parsed(address: str | Address) -> Address:
    return ipaddress.ip_address(address.partition("%")[0]) if isinstance(address, str) else address


def _plain(address: Address) -> str:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)


def _ascii(host: str) -> str:
    if host.isascii():
        return host
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return ""
