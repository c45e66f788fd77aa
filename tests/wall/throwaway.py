"""A root to throw away: what may go wrong goes wrong here, and costs the machine nothing.

Read-only binds of the system, the checkout and the interpreter, and tmpfs for everything else;
never an overlay, since the wall that is tested inside needs the depth. It has its own processes,
its own System V memory, and a network of one loopback interface. What runs in it is an ordinary
user, or the root of a namespace that is an ordinary user outside of it.

    run_inside("tests.wall.module:function", argument) -> what the function returned, by way of JSON

Nothing of `dogent_tui` is imported: the wall that is tested does not hold up the root that it is
tested in.
"""

import ctypes
import fcntl
import importlib
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

import psutil

Inside: TypeAlias = Literal["user", "namespace root"]

CHECKOUT = Path(__file__).resolve().parents[2]
NOBODY = 65534
HOME = Path("/home/writer")
OTHER = Path("/mnt/other")
"""A second file system, for what has to move between two."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_SIZE = "size=1g,nr_inodes=600k"
_MOST_PROCESSES = 1500

_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = (
    0x20000,
    0x4000000,
    0x8000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
_NOSUID, _NODEV, _BIND, _REC, _PRIVATE = 2, 4, 0x1000, 0x4000, 0x40000
_DETACH = 2
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_MOUNT_SETATTR, _AT_RECURSIVE, _ATTR_RDONLY, _ATTR_NOSUID = 442, 0x8000, 1, 2
_PDEATHSIG, _DUMPABLE = 1, 4
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1

_libc = ctypes.CDLL(None, use_errno=True)


class InsideError(Exception):
    """What ran in the throw-away root failed; its traceback is the text."""


def _children(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def run_inside(
    function: str, argument: Any = None, *, inside: Inside = "user", limit_s: float = 900.0
) -> Any:
    """Run a function of ours in a new throw-away root.

    Args:
        function: `package.module:name`; it takes one value and returns one, both of what JSON
            holds.
        argument: The value.
        inside: Who it runs as.
        limit_s: After so many seconds all of it is killed.

    Raises:
        InsideError: It raised, or died.
        TimeoutError: It took too long.
    """
    with (
        tempfile.TemporaryDirectory(prefix="throwaway-") as place,
        open(os.memfd_create("answer"), "r+") as answer,  # noqa: PTH123 — not a path
        open(os.memfd_create("errors"), "r+") as errors,  # noqa: PTH123
    ):
        request = {
            "function": function,
            "argument": argument,
            "inside": inside,
            "place": place,
            "answer": answer.fileno(),
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.wall.throwaway", "outside"],
            cwd=CHECKOUT,
            env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
            stdin=subprocess.PIPE,
            stdout=errors,
            stderr=errors,
            pass_fds=[answer.fileno()],
            start_new_session=True,
            text=True,
        )
        try:
            process.communicate(json.dumps(request), timeout=limit_s)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(
                f"{function} took more than {limit_s} s in the throw-away root.\n{_text_of(errors)}"
            ) from error
        finally:
            inside_it = _children(process.pid)
            process.kill()
            process.wait()
            psutil.wait_procs(inside_it)  # they are killed with it, but a moment later
        if not (text := _text_of(answer)):
            raise InsideError(
                f"{function} ended with status {process.returncode} and no"
                f" answer.\n{_text_of(errors)}"
            )
    reply = json.loads(text)
    if "raised" in reply:
        raise InsideError(reply["raised"])
    return reply["returned"]


def _text_of(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def _call(name: str, *arguments: Any) -> None:
    made = [each.encode() if isinstance(each, str) else each for each in arguments]
    if getattr(_libc, name)(*made) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}{arguments}: {os.strerror(number)}")


def _mount(
    source: str, target: Path, kind: str | None = None, flags: int = 0, data: str | None = None
) -> None:
    _call("mount", source, str(target), kind, ctypes.c_ulong(flags), data)


def _bind(source: Path, root: Path, *, read_only: bool = True) -> None:
    """Bind a folder or a file at its own path below the new root."""
    target = root / source.relative_to("/")
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    _mount(str(source), target, flags=_BIND | _REC)
    if read_only:
        attributes = struct.pack("QQQQ", _ATTR_RDONLY | _ATTR_NOSUID, 0, 0, 0)
        _call(
            "syscall",
            _MOUNT_SETATTR,
            -100,
            str(target),
            _AT_RECURSIVE,
            attributes,
            ctypes.c_size_t(len(attributes)),
        )


def _places() -> list[Path]:
    """Return what is bound besides the system, the outer folders first, none that is in another."""
    wanted = [
        CHECKOUT,
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path(sys.executable).resolve().parent.parent,
    ]
    kept: list[Path] = []
    for place in sorted({each.resolve() for each in wanted}, key=lambda each: len(each.parts)):
        if not any(place.is_relative_to(outer) for outer in [*kept, *map(Path, _SYSTEM)]):
            kept.append(place)
    return kept


def _build(root: Path, owner: int) -> None:
    _mount("none", Path("/"), flags=_REC | _PRIVATE)
    _mount("throwaway", root, "tmpfs", _NOSUID | _NODEV, f"{_SIZE},mode=755")
    for name in _SYSTEM:
        system = Path(name)
        if system.is_symlink():
            (root / name[1:]).symlink_to(system.readlink())
        elif system.is_dir():
            _bind(system, root)
    for place in _places():
        _bind(place, root)
    for name in ("tmp", "var/tmp", "run", "mnt/other", "dev/shm", "dev/pts", "proc", "old"):
        (root / name).mkdir(parents=True, exist_ok=True)  # the checkout may be in one
    for name in ("mnt/other", "dev/shm"):
        _mount("throwaway", root / name, "tmpfs", _NOSUID | _NODEV, _SIZE)
    for name in ("tmp", "var/tmp", "mnt/other", "dev/shm"):
        (root / name).chmod(0o1777)
    home = root / HOME.relative_to("/")
    home.mkdir(parents=True)
    os.chown(home, owner, owner)
    for name in _DEVICES:
        _bind(Path("/dev", name), root, read_only=False)
    links = {
        "fd": "/proc/self/fd",
        "stdin": "/proc/self/fd/0",
        "stdout": "/proc/self/fd/1",
        "stderr": "/proc/self/fd/2",
    }
    for name, target in {**links, "ptmx": "pts/ptmx"}.items():
        (root / "dev" / name).symlink_to(target)
    _mount("devpts", root / "dev/pts", "devpts", _NOSUID, "newinstance,ptmxmode=0666,mode=620")


def _enter(root: Path) -> None:
    os.chdir(root)
    _call("syscall", _PIVOT_ROOT[os.uname().machine], str(root), str(root / "old"))
    os.chdir("/")
    _call("umount2", "/old", _DETACH)
    Path("/old").rmdir()


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plug:
        flags = struct.unpack(
            "16sh", fcntl.ioctl(plug, _SIOCGIFFLAGS, struct.pack("16sh", b"lo", 0))
        )[1]
        fcntl.ioctl(plug, _SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags | _IFF_UP))


def _map_user(here: int, outside: int) -> None:
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{here} {outside} 1"),
        ("gid_map", f"{here} {outside} 1"),
    ):
        # a text file would lose the error when it is closed
        opened = os.open(f"/proc/self/{name}", os.O_WRONLY)
        os.write(opened, text.encode())
        os.close(opened)


def _outside(request: dict[str, Any]) -> int:
    """Build the root in new namespaces and run the rest there, below a first process that takes
    all others with it.
    """
    _call("prctl", _PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    user = os.getuid()
    namespaces = _NEWNS | _NEWPID | _NEWIPC | _NEWNET | _NEWUTS
    _call("unshare", namespaces | (_NEWUSER if user else 0))
    if user:
        _map_user(user, user)
    root = Path(request["place"])
    _build(root, user or NOBODY)
    _loopback_up()
    first = os.fork()
    if not first:
        try:
            os._exit(_first(request, root, drop=not user))
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(70)
    return os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])


def _first(request: dict[str, Any], root: Path, *, drop: bool) -> int:
    """Be the first process: its end kills every other."""
    _call("prctl", _PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    _mount("proc", root / "proc", "proc", _NOSUID | _NODEV)
    _enter(root)
    worker = os.fork()
    if not worker:
        _work(request, drop=drop)
    while True:
        ended, status = os.wait()
        if ended == worker:
            return os.waitstatus_to_exitcode(status) & 0xFF


def _work(request: dict[str, Any], *, drop: bool) -> None:
    """Become the user and start again: a process that changed its user may not write its own
    `/proc/self/uid_map`.
    """
    if drop:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    resource.setrlimit(resource.RLIMIT_NPROC, (_MOST_PROCESSES, _MOST_PROCESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(CHECKOUT)
    given = os.memfd_create("request")
    os.write(given, json.dumps(request).encode())
    os.lseek(given, 0, os.SEEK_SET)
    os.dup2(given, 0)
    os.set_inheritable(request["answer"], True)
    environment = {
        "HOME": str(HOME),
        "PATH": ":".join(
            [
                f"{sys.prefix}/bin",
                *_programs_of_packages(),
                "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            ]
        ),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "PYTHONPATH": str(CHECKOUT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "DOGENT_LANGUAGE": "en",
    }
    os.execve(sys.executable, [sys.executable, "-m", "tests.wall.throwaway", "inside"], environment)


def _programs_of_packages() -> list[str]:
    """Return the folder of the pandoc that comes as a Python package, where it is here."""
    return [
        str(each) for each in Path(sys.prefix).glob("lib/python3*/site-packages/pypandoc/files")
    ]


def _inside(request: dict[str, Any]) -> None:
    if request["inside"] == "namespace root":
        user = os.getuid()
        # mounts of its own: those of before are locked
        _call("unshare", _NEWUSER | _NEWNS | _NEWIPC)
        _map_user(0, user)
    os.set_inheritable(request["answer"], False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        module, name = request["function"].split(":")
        reply = {"returned": getattr(importlib.import_module(module), name)(request["argument"])}
    except BaseException:
        reply = {"raised": traceback.format_exc()}
    with open(request["answer"], "w") as answer:  # noqa: PTH123 — a descriptor
        json.dump(reply, answer)


class NotThrowAwayError(Exception):
    """This is no place for a command that may do harm."""


def require_throwaway() -> None:
    """Raise NotThrowAwayError unless this is a throw-away root: found out by what is here, not
    by a sign that one could set.
    """
    if os.getuid() == 0:
        raise NotThrowAwayError("Only an ordinary user runs this: root is no one to try a wall as.")
    reached = [name for _number, name in socket.if_nameindex() if name != "lo"]
    if reached:
        raise NotThrowAwayError(
            f"There is a network here ({', '.join(reached)}): nothing is run outside a throw-away"
            " root."
        )
    kind, bound = _root_mount()
    if kind != "tmpfs" and bound == "/":
        raise NotThrowAwayError(
            f"/ is the machine's own ({kind}): nothing is run outside a throw-away root."
        )


def _root_mount() -> tuple[str, str]:
    """Return the kind of file system of `/`, and the folder of that file system which it shows."""
    found = ("unknown", "/")
    for line in Path("/proc/self/mountinfo").read_text(errors="replace").splitlines():
        here, _, there = line.partition(" - ")
        fields = here.split()
        if fields[4] == "/":
            found = (there.split()[0], fields[3])
    return found


def main() -> int:
    """Do one of the two halves."""
    request = json.load(sys.stdin)
    if sys.argv[1] == "outside":
        return _outside(request)
    _inside(request)
    os._exit(0)  # also where a thread hangs that was tried


if __name__ == "__main__":
    sys.exit(main())
