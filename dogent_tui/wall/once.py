"""Runs one program of our own behind the wall, with the standard descriptors that we have.

The first argument is what `own.py` says, the others are the program with its own. It imports nothing of ours but what lies
beside it. It ends as the program does, by the same signal too, and everything inside ends with it, whatever ends it. ``level``
is ``full``, or ``bare`` where there are no namespaces: then Landlock alone says which files may be read and written, and no
socket can be made.
"""

import marshal
import os
import resource
import signal
import sys
from typing import Any, NoReturn

sys.path.insert(0, __file__.rpartition("/")[0])

import enter  # type: ignore[import-not-found]  # beside this file: it runs without the package
import kernel  # type: ignore[import-not-found]

_LARGEST_FILE = 4 << 30
_SIGNALLED = 128
"""A status above this stands for a signal, as in shells."""


class _Link:
    """Takes what is told of a room, and ends accordingly."""

    def send(self, packet: bytes) -> None:
        """Hear one message: in the process outside that the program runs inside, in the first one inside how it ended."""
        word, _, rest = packet.partition(b" ")
        if word == b"inside":
            _end_as(int(rest))
        if word == b"status":
            os._exit(int(rest))
        os.write(2, b"wall: " + rest + b"\n")


def main() -> None:
    """Run the program."""
    room: dict[str, Any] = marshal.loads(bytes.fromhex(sys.argv[1]))  # noqa: S302 — ours, and quicker to have than JSON
    plan = room["plan"]
    plan["env"] = {name: value for name, value in os.environ.items() if name in room["passed"] or name.startswith("LC_")}
    plan["env"].update(room["set"])
    plan["argv"] = sys.argv[2:]
    plan["umask"] = os.umask(0o077)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells the program as well, and it decides
    for limit, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, _LARGEST_FILE)):
        hard = resource.getrlimit(limit)[1]
        resource.setrlimit(limit, (most, most) if hard == resource.RLIM_INFINITY or most <= hard else (hard, hard))
    if room["level"] == "full":
        enter.open_room(room, _Link())
    _run_bare(room, plan)


def _run_bare(room: dict[str, Any], plan: dict[str, Any]) -> NoReturn:
    """Run it where there are no namespaces, with a folder of its own for what it leaves."""
    parent = os.getppid()
    kernel.die_with_parent()
    if os.getppid() != parent:
        os._exit(enter.SETUP_FAILED)
    import tempfile  # on use

    own = tempfile.mkdtemp(prefix="dogent-own-")
    program = os.fork()
    if program == 0:
        kernel.die_with_parent()
        plan["env"].update(dict.fromkeys(("HOME", "TMPDIR"), own))
        kernel.limit_rights()
        rules = kernel.FileRules()
        devices = dict.fromkeys((f"/dev/{name}" for name in enter.DEVICES), kernel.READ_FILE | kernel.WRITE_FILE)
        listed = {room["listed"]: kernel.READ_DIR}
        for place, rights in {**listed, **dict.fromkeys(room["readable"], kernel.READS), **devices}.items():
            if os.path.exists(place):
                descriptor = os.open(place, os.O_PATH)
                rules.allow(descriptor, rights if os.path.isdir(place) else rights & kernel.FILE_RIGHTS)
                os.close(descriptor)
        for place in (own, *plan["writable"]):
            rules.allow_writing(place)
        kernel.restrict_calls(())
        kernel.drop_rights()
        os.chdir(plan["cwd"])
        rules.restrict()
        os.umask(plan["umask"])
        kernel.close_from(3, on_exec=True)
        for number in enter.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.execve(plan["argv"][0], plan["argv"], plan["env"])
    _end_as(program, own)


def _end_as(process: int, folder: str = "") -> NoReturn:
    """Wait for a process, and end the way that its program did."""
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if folder:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
    number = -code if code < 0 else code - _SIGNALLED
    if number in signal.valid_signals():
        signal.signal(number, signal.SIG_DFL) if number not in (signal.SIGKILL, signal.SIGSTOP) else None
        os.kill(os.getpid(), number)
    os._exit(code)


if __name__ == "__main__":
    main()
