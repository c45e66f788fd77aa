"""What the test of the throw-away root asks from within."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.wall import throwaway

_NESTED = """
set -eu
mkdir -p /tmp/n/ws /tmp/n/u /tmp/n/w; echo before > /tmp/n/ws/kept.md
unshare --user --mount --pid --ipc --net --fork --map-current-user --keep-caps bash -euc '
  mount --make-rprivate /
  mount -t overlay none -o userxattr,volatile,lowerdir=/tmp/n/ws,upperdir=/tmp/n/u,workdir=/tmp/n/w /tmp/n/ws
  mount -t proc proc /proc
  cd /tmp/n/ws; echo after > new.md; rm kept.md; ls; ls -d /proc/[0-9]* | wc -l'
cat /tmp/n/ws/kept.md; ls /tmp/n/ws /tmp/n/u
"""  # noqa: E501


def what_is_here(_argument: Any) -> dict[str, Any]:
    """Return what a process of the throw-away root is and can."""
    return {
        "uid": os.getuid(),
        "groups": os.getgroups(),
        "networks": [name for _number, name in socket.if_nameindex()],
        "root": sorted(os.listdir("/")),  # noqa: PTH208
        "writable": [
            place
            for place in ("/usr", "/etc", sys.prefix, str(throwaway.CHECKOUT))
            if _can_write(Path(place))
        ],
        "processes": sum(name.isdigit() for name in os.listdir("/proc")),  # noqa: PTH208
        "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd")),  # noqa: PTH208
        "refused": _refusal(),
        "capabilities": Path("/proc/self/status").read_text().split("CapEff:")[1].split()[0],
    }


def _can_write(place: Path) -> bool:
    try:
        (place / "written-by-a-test").touch()
    except OSError:
        return False
    return True


def _refusal() -> str:
    try:
        throwaway.require_throwaway()
    except throwaway.NotThrowAwayError as error:
        return str(error)
    return ""


def loopback(_argument: Any) -> str:
    """Return what a server of ours on the loopback interface was sent."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        client.sendall(b"here")
        return server.accept()[0].recv(10).decode()


def nested_layer(_argument: Any) -> list[str]:
    """Return what a layer on tmpfs, in namespaces of its own within the throw-away root, shows."""
    done = subprocess.run(["bash", "-c", _NESTED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def echo(argument: Any) -> Any:
    """Return what was given."""
    return argument


def fail(_argument: Any) -> None:
    """Raise."""
    raise ValueError("as it should")


def leave_a_process(seconds: Any) -> int:
    """Start what would outlive all, out of every group and session of ours."""
    deaf = f"trap '' TERM HUP; while :; do sleep {seconds}; done"
    subprocess.Popen(["setsid", "bash", "-c", deaf])
    return os.getpid()


def hang(seconds: Any) -> None:
    """Never end."""
    subprocess.run(["sleep", seconds])
