"""Goes behind the wall and runs a program there. Imports only `kernel` of our modules: the starter
has to stay small.

A *room* is created ahead of time: namespaces with what all commands of a session have in common,
and a first process, which waits for a plan, adds what is specific to a command, and runs it. Most
of the work is therefore done before a command arrives. Rooms and *plans* are plain data from
`view.py`:

* ``base``: an empty folder of ours, on which the new root is mounted.
* ``common`` of a room, and ``own`` and ``hidden`` of a plan: the mounts, in order; each a list that
  starts with its kind (`_MOUNTS`).
* ``writable``, of both: the folders that may be written to; everything visible may be read and run.
* ``network``: ``none`` (a loopback of its own), ``proxy`` (the application's proxy listens on it,
  at ``port``) or ``host``.
* ``families``: the socket families that may be used.
* ``name``, ``argv``, ``env``, ``cwd`` of a plan: the program.
* ``plan`` of a room: a program to run at once, with the current standard descriptors. ``rereads``:
  it may reopen the files it was given through `/proc/self/fd`.
"""

import os
import signal
import socket
import stat
from collections.abc import Callable
from typing import Any, NoReturn

import kernel  # type: ignore[import-not-found]  # beside this file: the starter runs without the package

SETUP_FAILED = 125
"""The status if the program was never run; `env` and `timeout` use the same."""

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")


def open_room(room: dict[str, Any], link: socket.socket) -> NoReturn:
    """Create a room whose first process receives a plan with three standard descriptors from `link`
    and runs its program.

    `link` receives ``inside PID``, ``listening`` with a socket if there is a proxy, and finally
    ``status N`` or ``failed`` with a reason. This process waits outside and dies with its parent,
    and the room with it.
    """
    try:
        parent = os.getppid()
        own_network = 0 if room["network"] == "host" else kernel.CLONE_NEWNET
        _make_root(room, kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | own_network)
        kernel.die_with_parent()
        if os.getppid() != parent:
            os._exit(SETUP_FAILED)
        if own_network:
            kernel.bring_up_loopback()
        if room["network"] == "proxy":
            with socket.create_server(("127.0.0.1", room["port"])) as listening:
                socket.send_fds(link, [b"listening"], [listening.fileno()])
        inside = os.fork()
        if inside == 0:
            _be_first(room, link)
        link.send(b"inside %d" % inside)
        link.close()
        os.waitpid(inside, 0)
        os._exit(0)
    except BaseException as error:
        fail(link, error)


def _make_root(room: dict[str, Any], namespaces: int) -> None:
    uid, gid, base = os.getuid(), os.getgid(), room["base"]
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | namespaces)
    kernel.map_own_user(uid, gid)
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", base, "tmpfs", _HARMLESS, "mode=755,size=4m")
    os.makedirs(f"{base}/proc")
    _mount_all(base, room["common"])


def _mount_all(root: str, mounts: list[list[Any]]) -> None:
    for kind, *arguments in mounts:
        _MOUNTS[kind](root, *arguments)


def fail(link: socket.socket, error: BaseException) -> NoReturn:
    """Report the step at which setting up the wall failed, and the reason, and exit."""
    steps, trace = [], error.__traceback__
    while trace is not None:
        steps.append(trace.tb_frame.f_code.co_name.strip("_"))
        trace = trace.tb_next
    where = " ".join(step for step in steps[-3:] if step != "call")
    try:
        link.send(f"failed {where}: {error}".encode(errors="replace")[:2000])
    except OSError:
        pass  # no one is listening any more
    os._exit(SETUP_FAILED)


# ── Mounts ────────────────────────────────────────────────────────────────────────────────────────


def _place(root: str, target: str, *, folder: bool) -> int:
    """Return a descriptor of `target` below `root`, created as a mount point if necessary.

    The path may lead through folders that earlier commands have changed. Links are not followed: a
    link, or a file in place of a folder, comes from a command and is removed.
    """
    *above, last = target.strip("/").split("/")
    place = os.open(root, os.O_PATH)
    for name in above:
        place = _made(place, name, stat.S_IFDIR)
    return _made(place, last, stat.S_IFDIR if folder else stat.S_IFREG)


def _made(folder: int, name: str, kind: int) -> int:
    """Return the entry `name` of a folder, created if it is missing or of another kind. Closes the
    folder.
    """
    try:
        if stat.S_IFMT(os.lstat(name, dir_fd=folder).st_mode) != kind:
            os.unlink(name, dir_fd=folder)
    except OSError:
        pass  # it is missing, or a folder, in which case the next step fails
    try:
        if kind == stat.S_IFDIR:
            os.mkdir(name, 0o755, dir_fd=folder)
        else:
            os.mknod(name, 0o600, dir_fd=folder)
    except FileExistsError:
        pass
    made = os.open(name, os.O_PATH | os.O_NOFOLLOW, dir_fd=folder)
    os.close(folder)
    return made


def _bind(root: str, source: str, target: str, read_only: bool) -> None:
    if not os.path.exists(source):
        return
    place, tree = _place(root, target, folder=os.path.isdir(source)), kernel.copy_tree(source)
    if read_only:
        kernel.make_read_only(tree)
    kernel.attach(tree, place)
    os.close(place)


def _overlay(root: str, workspace: str, target: str, layer: str) -> None:
    """Mount the workspace with the layer on top. Paths relative to the layer, and a descriptor for
    the workspace, need no escaping; `volatile` keeps the end of the namespace from syncing the
    whole disk.
    """
    place = _place(root, target, folder=True)
    lower = os.open(workspace, os.O_PATH | os.O_DIRECTORY)
    os.chdir(layer)
    options = f"lowerdir=/proc/self/fd/{lower},upperdir=upper,workdir=work,userxattr,volatile"
    kernel.mount("overlay", f"/proc/self/fd/{place}", "overlay", _HARMLESS, options)
    os.close(lower)
    os.close(place)


def _link(root: str, target: str, text: str) -> None:
    os.symlink(text, root + target)


def _devices(root: str, shared_memory: str) -> None:
    """Provide a few harmless devices, a devpts of its own, and shared memory that is private to the
    session.
    """
    os.makedirs(f"{root}/dev/pts")
    for name in DEVICES:
        _bind(root, f"/dev/{name}", f"/dev/{name}", False)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        _link(root, f"/dev/{name}", f"/proc/self/fd{target}")
    _bind(root, shared_memory, "/dev/shm", False)
    try:
        kernel.mount("devpts", f"{root}/dev/pts", "devpts", 0, "newinstance,ptmxmode=0666")
        _link(root, "/dev/ptmx", "pts/ptmx")
    except OSError:
        pass  # without a devpts, `script` and the like fail with errors of their own


def _scratch(root: str, target: str) -> None:
    """Mount an empty folder that disappears with the namespace."""
    os.close(_place(root, target, folder=True))
    kernel.mount("tmpfs", root + target, "tmpfs", _HARMLESS, "mode=700,size=1g")


def _hide(root: str, target: str) -> None:
    """Hide `target` behind an empty file or folder."""
    place = root + target
    if os.path.isdir(place):
        kernel.mount("tmpfs", place, "tmpfs", kernel.MS_RDONLY, "mode=755,size=4k")
    elif os.path.exists(place):
        kernel.mount("/dev/null", place, flags=kernel.MS_BIND)


_MOUNTS: dict[str, Callable[..., None]] = {
    "bind": _bind,
    "overlay": _overlay,
    "link": _link,
    "devices": _devices,
    "hide": _hide,
    "scratch": _scratch,
}


# ── Inside ────────────────────────────────────────────────────────────────────────────────────────


def _be_first(room: dict[str, Any], link: socket.socket) -> NoReturn:
    """Act as the first process inside: wait for a plan, finish the root, drop all privileges, run
    the program, and kill whatever remains.
    """
    try:
        kernel.die_with_parent()
        base = room["base"]
        kernel.mount("proc", f"{base}/proc", "proc", _HARMLESS | kernel.MS_NOEXEC)
        kernel.make_read_only(os.open(f"{base}/proc", os.O_PATH))
        kernel.limit_rights()
        kernel.restrict_calls(tuple(room["families"]))
        rules = kernel.FileRules()
        rules.allow(base, kernel.READS)
        rules.allow(f"{base}/dev", kernel.READS | kernel.WRITE_FILE | kernel.IOCTL_DEVICE)
        for place in room["writable"]:
            rules.allow(base + place)
        if room.get("rereads"):  # files outside still have no path in here
            rules.allow("/", kernel.READ_FILE)
        plan = room.get("plan") or take_plan(link)
        _mount_all(base, plan["own"])
        kernel.enter_root(base)
        if not room.get("plan"):  # the one from outside could not be opened again by its name
            os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        _mount_all("", plan["hidden"])
        kernel.mount("none", "/", flags=_REMOUNT_READ_ONLY)
        for place in plan["writable"]:
            rules.allow(place)
        allow_outputs(rules)
        kernel.drop_rights()
        rules.restrict()
        os.chdir(plan["cwd"])
    except BaseException as error:
        fail(link, error)
    kernel.close_from(3, on_exec=True)
    link.send(b"status %d" % _run(plan))
    os._exit(0)


def allow_outputs(rules: "kernel.FileRules") -> None:
    """Allow writing to the program's outputs if they are files."""
    for number in (1, 2):
        if stat.S_ISREG(os.fstat(number).st_mode):
            rules.allow(number)


def take_plan(link: socket.socket) -> dict[str, Any]:
    """Wait for a plan: the path of its file, with the program's standard descriptors."""
    path, descriptors, _, _ = socket.recv_fds(link, 4096, 3)
    if not path:
        os._exit(0)  # this room is no longer needed
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    import json  # imported here: half the start time of our own programs

    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        plan: dict[str, Any] = json.load(file)
    return plan


def _run(plan: dict[str, Any]) -> int:
    """Run the program to its end, and return its status once nothing else is alive in here."""
    argv = plan["argv"]
    try:  # in a session of its own: the one outside has no number in here
        program = os.posix_spawn(argv[0], argv, plan["env"], setsid=True, setsigdef=SIGNALS)
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
        return 127
    while (found := os.wait())[0] != program:
        pass
    code = os.waitstatus_to_exitcode(found[1])
    try:
        os.kill(-1, signal.SIGKILL)
        while True:
            os.wait()
    except (ProcessLookupError, ChildProcessError):
        return code if code >= 0 else 128 - code


SIGNALS = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
"""Python ignores some of them, which a program would inherit."""
_HARMLESS = kernel.MS_NOSUID | kernel.MS_NODEV
_REMOUNT_READ_ONLY = 32 | kernel.MS_BIND | kernel.MS_RDONLY | _HARMLESS
"""MS_REMOUNT of the root itself, with its original flags."""
