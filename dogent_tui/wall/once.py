"""Runs one program behind the wall with the current standard descriptors: a program of our own, or
a test of whether the wall works.

The first argument comes from `own.py`; the others are the program and its arguments. Of our
modules, imports only those in this folder, and `temporary`. It ends the way the program does,
including by signal, and everything inside ends with it.
"""

import marshal
import os
import resource
import signal
import sys
from typing import Any, NoReturn

sys.path.insert(0, os.path.dirname(__file__))
sys.path.append(os.path.dirname(sys.path[0]))

import enter  # type: ignore[import-not-found]  # beside this file: it runs without the package

_LARGEST_FILE = 4 << 30
_SIGNALLED = 128
"""A status above this means a signal, as in shells."""


class _Link:
    """Receives the messages about a room, and exits accordingly. Without namespaces, `folder` holds
    what the program leaves.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def send(self, packet: bytes) -> None:
        """Handle one message. With namespaces, the first process inside reports how the program
        ended and is waited for outside.
        """
        word, _, rest = packet.partition(b" ")
        if word == b"failed":
            os.write(2, b"wall: " + rest + b"\n")
        elif word == b"status" and not self._folder:
            os._exit(int(rest))
        elif word == b"status":
            import temporary  # type: ignore[import-not-found]

            temporary.remove_tree(self._folder)
            _end(int(rest))
        elif not self._folder:
            _end(os.waitstatus_to_exitcode(os.waitpid(int(rest), 0)[1]))


def main() -> None:
    """Run the program."""
    room: dict[str, Any] = marshal.loads(bytes.fromhex(sys.argv[1]))  # noqa: S302 — ours, and quicker to have than JSON
    plan = room["plan"]
    passed = (name for name in os.environ if name in room["passed"] or name[:3] == "LC_")
    plan["env"] = {**{name: os.environ[name] for name in passed}, **room["set"]}
    plan["argv"] = sys.argv[2:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # left to the program
    for limit, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, _LARGEST_FILE)):
        hard = resource.getrlimit(limit)[1]
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (allowed, allowed))
    if room["level"] != "bare":
        enter.open_room(room, _Link(""))
    import partial  # type: ignore[import-not-found]  # on use, too
    import temporary

    plan["folder"] = own = str(temporary.held_folder("/tmp")[0])
    plan["writable"].append(own)
    plan["env"].update(HOME=own, TMPDIR=own)
    partial.open_room(room, _Link(own))


def _end(code: int) -> NoReturn:
    """Exit the way a program did."""
    number = -code if code < 0 else code - _SIGNALLED
    if number in enter.SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    if number in signal.valid_signals():
        os.kill(os.getpid(), number)
    os._exit(code)


if __name__ == "__main__":
    main()
