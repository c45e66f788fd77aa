"""Network access for a command that may reach some hosts: our HTTP proxy, on a socket in the
command's own network.

The socket was created behind the wall and is served here, so that the command reaches only what the
user allowed. Programs find it through the usual variables, ssh through its configuration.
"""

import contextlib
import ipaddress
import os
import shlex
import socket
import threading
from collections.abc import Collection, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from dogent_tui.wall.view import PROXY_PORT

_HEAD = 65_536
_PIECE = 65_536
_PATIENCE_S = 30.0
_SSH = (
    'bash -c \'exec 3<>/dev/tcp/127.0.0.1/{port}; printf "CONNECT %s:%s HTTP/1.1\\r\\n\\r\\n" "$0"'
    ' "$1" >&3; while IFS= read -r l <&3 && [ "$l" != $\'"\'"\'\\r\'"\'"\' ]; do :; done; cat <&3 &'
    " exec cat >&3' %h %p"
)


def proxy_variables() -> dict[str, str]:
    """Return the variables through which programs find the proxy."""
    address = f"http://127.0.0.1:{PROXY_PORT}"
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
    here = "localhost,127.0.0.1,::1"
    agent = {name: os.environ[name] for name in ("SSH_AUTH_SOCK",) if name in os.environ}
    ssh = f"ssh -o ProxyCommand={shlex.quote(_SSH.format(port=PROXY_PORT))}"
    through = {
        "NO_PROXY": here,
        "no_proxy": here,
        "NODE_USE_ENV_PROXY": "1",
        "GIT_SSH_COMMAND": ssh,
    }
    return {**dict.fromkeys(names, address), **through, **agent}


def ssh_places(home: Path) -> tuple[Path, ...]:
    """Return what ssh needs to authenticate with an allowed host: the agent's socket, never a key,
    and the known hosts.
    """
    places = (Path(os.environ.get("SSH_AUTH_SOCK", "/nowhere")), home / ".ssh/known_hosts")
    return tuple(place for place in places if place.exists())


class Proxy:
    """Serves one command until it is closed. `refused` are the hosts it requested and was
    denied.
    """

    def __init__(
        self,
        listening: socket.socket,
        hosts: Collection[str],
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """Allow connections to `hosts`; if empty, to all public addresses."""
        self.refused: set[str] = set()
        self._listening = listening
        self._hosts = frozenset(host.lower().rstrip(".") for host in hosts)
        self._beyond = environ.get("HTTPS_PROXY") or environ.get("https_proxy") or ""
        threading.Thread(target=self._accept, name="proxy", daemon=True).start()

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(self, *_: object) -> None:
        """Accept no new connections. Open ones end with the command."""
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(
                target=self._serve, args=(client,), name="proxied", daemon=True
            ).start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError, ValueError):
            client.settimeout(_PATIENCE_S)
            head, rest = _read_head(client)
            method, target, version = head.split(b"\r\n", 1)[0].decode("ascii").split(" ", 2)
            connects = method == "CONNECT"
            parts = urlsplit(f"//{target}" if connects else target)
            host, port = (parts.hostname or "").lower(), parts.port or (443 if connects else 80)
            if not self._allows(host, port):
                self.refused.add(host)
                client.sendall(
                    b"HTTP/1.1 403 Forbidden by the wall of dogent-tui\r\nContent-Length:"
                    b" 0\r\nConnection: close\r\n\r\n"
                )
                return
            with self._connected(host, port) as server:
                if connects:
                    client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                else:  # one request per connection: the next may be for another host
                    path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
                    fields = [
                        line
                        for line in head.split(b"\r\n")[1:]
                        if not line.lower().startswith((b"proxy-", b"connection:"))
                    ]
                    first = f"{method} {path} {version}".encode("ascii")
                    server.sendall(b"\r\n".join([first, *fields, b"Connection: close", b"", b""]))
                server.sendall(rest)
                _exchange(client, server)

    def _allows(self, host: str, port: int) -> bool:
        if self._hosts:
            return host in self._hosts
        found = {entry[4][0] for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
        return all(
            ipaddress.ip_address(str(address).partition("%")[0]).is_global for address in found
        )

    def _connected(self, host: str, port: int) -> socket.socket:
        """Return a connection to a host, through the proxy of the user's own environment if there
        is one.
        """
        beyond = urlsplit(self._beyond)
        if not beyond.hostname or host in {"localhost", "127.0.0.1", "::1"}:
            return socket.create_connection((host, port), _PATIENCE_S)
        server = socket.create_connection((beyond.hostname, beyond.port or 80), _PATIENCE_S)
        server.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        head, _ = _read_head(server)
        if b" 200" not in head.split(b"\r\n", 1)[0]:
            raise OSError(head[:200])
        return server


def _read_head(connection: socket.socket) -> tuple[bytes, bytes]:
    """Return the head of a message, and what followed it. Raises OSError, ValueError if it does not
    end.
    """
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(_PIECE)
        if not piece or len(data) > _HEAD:
            raise ValueError("no head")
        data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def _exchange(client: socket.socket, server: socket.socket) -> None:
    """Forward data in both directions until both sides are done."""
    client.settimeout(None)
    server.settimeout(None)
    other = threading.Thread(target=_pass_on, args=(server, client), daemon=True)
    other.start()
    _pass_on(client, server)
    other.join()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(_PIECE):
            target.sendall(piece)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
