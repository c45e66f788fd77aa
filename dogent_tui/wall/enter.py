"""Goes behind the wall and runs a program there. Imports nothing of ours but `kernel`: the starter has to stay small.

What all commands of a session have in common is made once, by a process that only holds it, the *holder*; a command enters
its namespaces and adds what is its own. A *plan* is plain data, made by `view.py`:

* ``base``: an empty folder of ours, on which the new root is mounted.
* ``common``, ``own``: what the program sees, in order; each a list that starts with its kind, as in `_MOUNTS`.
* ``writable``: the places below which it may write; everything that can be seen may be read and run.
* ``argv``, ``env``, ``cwd``: the program.
* ``network``: ``none`` (a loopback of its own), ``proxy`` (the application's proxy listens on it) or ``host``.
* ``families``: the socket families that it may use.
"""

import os
import signal
import socket
from collections.abc import Callable
from typing import Any, NoReturn

import kernel  # type: ignore[import-not-found]  # beside this file: the starter runs without the package

PROXY_PORT = 3128
"""Where the proxy listens inside; the usual port of squid."""
SETUP_FAILED = 125
"""The status where the program was never run; what `env` and `timeout` use for the same."""

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")


def hold(base: str, common: list[list[Any]], ready: socket.socket) -> NoReturn:
    """Make what the commands of a session have in common, say so to `ready`, and keep it until the parent dies."""
    try:
        _make_root(base, common)
        kernel.die_with_parent()
        ready.send(b"ready")
    except BaseException as error:
        _fail(ready, error)
    while True:
        signal.pause()


def enter(plan: dict[str, Any], report: socket.socket, holder: int = -1) -> NoReturn:
    """Go behind the wall of `plan` and run its program; the standard descriptors are the program's already.

    `holder` is a pidfd. `report` hears the process id of the first process inside, then ``status N``, or ``failed`` with a
    reason; with a proxy, its listening socket before. This process waits outside and dies with its parent, and everything inside
    dies with it.
    """
    try:
        _enter(plan, report, holder)
    except BaseException as error:
        _fail(report, error)


def _make_root(base: str, mounts: list[list[Any]]) -> None:
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    kernel.map_own_user(uid, gid)
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", base, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755,size=4m")
    os.makedirs(f"{base}/proc")
    _mount_all(base, mounts)


def _mount_all(root: str, mounts: list[list[Any]]) -> None:
    for kind, *arguments in mounts:
        _MOUNTS[kind](root, *arguments)


def _enter(plan: dict[str, Any], report: socket.socket, holder: int) -> NoReturn:
    parent = os.getppid()
    if holder < 0:
        _make_root(plan["base"], plan["common"])
    else:
        kernel.join(holder, kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    own_network = 0 if plan["network"] == "host" else kernel.CLONE_NEWNET
    kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | own_network)
    kernel.die_with_parent()
    if os.getppid() != parent:
        os._exit(SETUP_FAILED)
    if own_network:
        kernel.bring_up_loopback()
    if plan["network"] == "proxy":
        with socket.create_server(("127.0.0.1", PROXY_PORT)) as listening:
            socket.send_fds(report, [b"listening"], [listening.fileno()])
    _mount_all(plan["base"], plan["own"])
    inside = os.fork()
    if inside == 0:
        try:
            _be_first(plan)
        except BaseException as error:
            _fail(report, error)
    report.send(b"inside %d" % inside)
    _, status = os.waitpid(inside, 0)
    report.send(b"status %d" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _fail(report: socket.socket, error: BaseException) -> NoReturn:
    report.send(f"failed {type(error).__name__}: {error}".encode(errors="replace")[:2000])
    os._exit(SETUP_FAILED)


# ── Mounts ────────────────────────────────────────────────────────────────────────────────────────


def _place(root: str, target: str, *, folder: bool) -> str:
    """Return where `target` is while the new root is being made, with something to mount on."""
    place = root + target
    os.makedirs(place if folder else os.path.dirname(place), exist_ok=True)
    if not folder and not os.path.lexists(place):
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o600))
    return place


def _bind(root: str, source: str, target: str, read_only: bool) -> None:
    if not os.path.exists(source):
        return
    place = _place(root, target, folder=os.path.isdir(source))
    kernel.mount(source, place, flags=kernel.MS_BIND | kernel.MS_REC)
    if read_only:
        kernel.make_read_only(place)


def _overlay(root: str, workspace: str, layer: str) -> None:
    """Mount the workspace with the layer over it. Names relative to the layer, and a descriptor for the workspace, need no
    escaping; `volatile` keeps the end of the namespace from syncing the whole disk.
    """
    place = _place(root, workspace, folder=True)
    lower = os.open(workspace, os.O_PATH | os.O_DIRECTORY)
    os.chdir(layer)
    options = f"lowerdir=/proc/self/fd/{lower},upperdir=upper,workdir=work,userxattr,volatile"
    kernel.mount("overlay", place, "overlay", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    os.close(lower)


def _link(root: str, target: str, text: str) -> None:
    os.symlink(text, root + target)


def _devices(root: str, shared_memory: str) -> None:
    """A few harmless devices, terminals of its own, and shared memory that is private to the session."""
    os.makedirs(f"{root}/dev/pts")
    for name in _DEVICES:
        _bind(root, f"/dev/{name}", f"/dev/{name}", False)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        _link(root, f"/dev/{name}", f"/proc/self/fd{target}")
    _bind(root, shared_memory, "/dev/shm", False)
    try:
        kernel.mount("devpts", f"{root}/dev/pts", "devpts", 0, "newinstance,ptmxmode=0666")
        _link(root, "/dev/ptmx", "pts/ptmx")
    except OSError:
        pass  # without terminals of its own, `script` and the like fail with an error of theirs


def _hide(root: str, target: str) -> None:
    """Cover what lies at `target` by nothing."""
    place = root + target
    if os.path.isdir(place):
        kernel.mount("tmpfs", place, "tmpfs", kernel.MS_RDONLY, "mode=755,size=4k")
    elif os.path.exists(place):
        kernel.mount("/dev/null", place, flags=kernel.MS_BIND)


_MOUNTS: dict[str, Callable[..., None]] = {"bind": _bind, "overlay": _overlay, "link": _link, "devices": _devices, "hide": _hide}


# ── Inside ────────────────────────────────────────────────────────────────────────────────────────


def _be_first(plan: dict[str, Any]) -> NoReturn:
    """Be the first process inside: finish the root, give up every right, run the program, and reap whatever is left."""
    kernel.die_with_parent()
    root = plan["base"]
    kernel.mount("proc", f"{root}/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    kernel.make_read_only(f"{root}/proc")
    kernel.enter_root(root)
    kernel.mount("none", "/", flags=_REMOUNT_READ_ONLY)
    kernel.drop_rights()
    kernel.restrict_files(_rules(plan["writable"]))
    kernel.restrict_calls(tuple(plan["families"]))
    os.chdir(plan["cwd"])
    kernel.close_from(3)
    try:
        program = os.posix_spawn(plan["argv"][0], plan["argv"], plan["env"], setsigdef=_SIGNALS)
    except OSError as error:
        os.write(2, f"{plan['argv'][0]}: {error.strerror}\n".encode())
        os._exit(127)
    while True:
        ended, status = os.wait()
        if ended == program:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


_SIGNALS = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
"""Python ignores some of them, and a program would inherit that."""
_REMOUNT_READ_ONLY = 32 | kernel.MS_BIND | kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
"""MS_REMOUNT of the root itself, with the flags that it was made with."""


def _rules(writable: list[str]) -> list[tuple[int, int]]:
    """Return what Landlock lets through: all may be read, `writable` may be written, and the files that are our output."""
    rules = [(os.open("/", os.O_PATH), kernel.READS)]
    rules.append((os.open("/dev", os.O_PATH), kernel.READS | kernel.WRITE_FILE | kernel.IOCTL_DEVICE))
    for place in writable:
        folder = os.path.isdir(place)
        rights = kernel.all_rights() if folder else kernel.FILE_RIGHTS
        rules.append((os.open(place, os.O_PATH), rights))
    outputs = [number for number in (1, 2) if os.path.isfile(f"/proc/self/fd/{number}")]
    return rules + [(number, kernel.FILE_RIGHTS) for number in outputs]
