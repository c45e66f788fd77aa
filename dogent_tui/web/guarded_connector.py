"""Connections that lead only where they may: each address is judged after the name server answered,
and again where the socket is created.

Each request has a connection of its own, so that an approval for one host is not used for another.
"""

import socket
from collections.abc import Callable

from aiohttp import TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import AddrInfoType
from yarl import URL

from dogent_tui.language import tr
from dogent_tui.web.address import Allowed, is_local_name, literal, place_of
from dogent_tui.web.model import WebError

MakeResolver = Callable[[], AbstractResolver]


class RefusedError(OSError):
    """A connection that the guard refused. After an OSError, aiohttp tries the next address, and
    gives up after the last.
    """


class Guard:
    """Judges the connections of one request to `url`.

    `refusal` is why one was refused, None if none was. `private` are the addresses that only an
    approval made reachable.
    """

    def __init__(self, url: URL, allowed: Allowed) -> None:
        self.refusal: WebError | None = None
        self.private: set[tuple[str, int, str]] = set()
        self._host, self._port = url.raw_host or "", url.port or 0
        self._allowed = allowed

    def check_name(self) -> None:
        """Refuse, before any lookup, a host whose name is enough to tell. Raises WebError
        (`private_address`).
        """
        if literal(self._host) is not None:
            addresses = (self._host,)
        elif is_local_name(self._host):
            addresses = ("127.0.0.1",)
        else:
            return
        if not self._permits(addresses):
            raise self._refuse(addresses)

    def check(self, addresses: tuple[str, ...]) -> None:
        """Refuse the host if any of its addresses is not allowed. Raises RefusedError."""
        if not self._permits(addresses):
            raise RefusedError(str(self._refuse(addresses)))

    def open_socket(self, info: AddrInfoType) -> socket.socket:
        """Return a socket for an address about to be connected to. Raises RefusedError."""
        family, kind, protocol, _, address = info
        self.check((str(address[0]),))
        return socket.socket(family, kind, protocol)

    def _permits(self, addresses: tuple[str, ...]) -> bool:
        if not all(self._allowed.permits(self._host, self._port, address) for address in addresses):
            return False
        self.private.update(
            (self._host, self._port, address)
            for address in addresses
            if place_of(address) != "public"
        )
        return True

    def _refuse(self, addresses: tuple[str, ...]) -> WebError:
        where = "" if addresses == (self._host,) else f" ({', '.join(addresses)})"
        self.refusal = WebError(
            tr(
                "{host}{where} is not a public address: it points to this computer or its network.",
                host=self._host,
                where=where,
            ),
            tr(
                "Pages there can be fetched when the user names and allows them, or when the"
                " settings list the host."
            ),
            code="private_address",
            host=self._host,
            addresses=addresses,
        )
        return self.refusal


class _GuardedResolver(AbstractResolver):
    """Asks a name server, and shows the guard each answer before it is used."""

    def __init__(self, inner: AbstractResolver, guard: Guard) -> None:
        self._inner = inner
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        self._guard.check(tuple(dict.fromkeys(result["host"] for result in found)))
        return found

    async def close(self) -> None:
        await self._inner.close()


def guarded_connector(guard: Guard, make_resolver: MakeResolver) -> TCPConnector:
    """Return a connector for one request whose every connection is judged."""
    return TCPConnector(
        resolver=_GuardedResolver(make_resolver(), guard),
        socket_factory=guard.open_socket,
        use_dns_cache=False,
        force_close=True,
    )


def open_connector() -> TCPConnector:
    """Return a connector for one request through a deliberately configured proxy, wherever it
    is.
    """
    return TCPConnector(use_dns_cache=False, force_close=True)
