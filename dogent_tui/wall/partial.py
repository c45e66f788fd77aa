"""Goes behind the wall where namespaces are not available. Imports only the modules in this folder,
like the starter.

Landlock controls which files may be read and written. It does not cover permissions, owners and
times, and not every version covers signals: a system call filter hands these calls to the process
that waits outside. It carries them out if they concern writable places or the command's own
processes. Rooms and plans have ``readable``, a list of paths, instead of mounts.
"""

import errno
import fcntl
import os
import select
import signal
import socket
import struct
from typing import Any, NoReturn

import enter  # type: ignore[import-not-found]  # beside this file: it runs without the package
import kernel  # type: ignore[import-not-found]

_ASKED = {
    "chmod": (90, -1), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "utimensat": (280, 88), "chown": (92, -1), "lchown": (94, -1), "fchown": (93, 55),
    "fchownat": (260, 54), "prlimit": (302, 261), "kill": (62, 129), "tkill": (200, 130),
    "tgkill": (234, 131), "queue": (129, 138), "queue_thread": (297, 240),
}  # fmt: skip
"""Name → number on x86_64 and on arm64; -1 if there is no such call."""
_REFUSED = {
    errno.ENOSYS: ((132, -1), (235, -1), (261, -1), (424, 424), (463, 463), (466, 466), (469, 469)),
    errno.EOPNOTSUPP: ((188, 5), (189, 6), (190, 7), (197, 14), (198, 15), (199, 16)),
    errno.EPERM: ((29, 194), (64, 190), (68, 186), (240, 180)),
}
"""Error → calls that fail with it.

utime, utimes, futimesat, pidfd_send_signal, setxattrat, removexattrat, file_setattr: programs can
do without. Setting and removing extended attributes. shmget, semget, msgget, mq_open: without a
namespace they reach other programs' objects.
"""

_COLUMN = 0 if os.uname().machine == "x86_64" else 1
_NAMES = {numbers[_COLUMN]: name for name, numbers in _ASKED.items() if numbers[_COLUMN] >= 0}
_RECEIVE, _SEND, _IS_VALID = 0xC0502100, 0xC0182101, 0x40082102
"""SECCOMP_IOCTL_NOTIF_… of `linux/seccomp.h`."""
_CONTINUE = 1
_OF_DEVICES = kernel.READ_FILE | kernel.WRITE_FILE | kernel.IOCTL_DEVICE
_HERE, _NO_FOLLOW, _UNCHANGED = -100, 0x100, 0xFFFFFFFF
_LONGEST_PATH = 4096
_FAMILIES = (2, 10, 16)
"""AF_INET, AF_INET6 and AF_NETLINK, if the network was allowed. Not AF_UNIX: its sockets may belong
to any program.
"""


def open_room(room: dict[str, Any], link: socket.socket) -> NoReturn:
    """Supervise a program behind Landlock and the filter; the protocol is that of
    `enter.open_room`.

    All descendants of the program are dead before its end is reported.
    """
    try:
        parent = os.getppid()
        if room["network"] == "proxy":
            words = "single hosts cannot be allowed without a network of its own"
            raise PermissionError(errno.EPERM, words)
        kernel.limit_rights()
        kernel.drop_rights()
        kernel.adopt_orphans()
        starter = os.pidfd_open(parent)
        if os.getppid() != parent:
            os._exit(enter.SETUP_FAILED)
        plan = room.get("plan") or enter.take_plan(link)
        ours, theirs = socket.socketpair()
        program = os.fork()
        if program == 0:
            _restrict(room, plan, theirs)
            _run_program(plan)
        theirs.close()
        _, listeners, _, _ = socket.recv_fds(ours, 1, 1)
        if listeners:
            link.send(b"inside %d" % program)
        status = _supervise(program, starter, listeners, room["writable"] + plan["writable"])
        _end_descendants()
        try:
            os.close(os.open(f"{plan['folder']}/over", os.O_CREAT | os.O_WRONLY, 0o600))
        except OSError:
            pass  # the disk is full: only a later start would need it
        if listeners:
            link.send(b"status %d" % (status if status >= 0 else 128 - status))
        os._exit(0 if listeners else enter.SETUP_FAILED)
    except BaseException as error:
        enter.fail(link, error)
        raise


def _restrict(room: dict[str, Any], plan: dict[str, Any], supervisor: socket.socket) -> None:
    """In the child, permanently give up access to everything that is not listed."""
    os.setsid()
    kernel.die_with_parent()
    os.chdir(plan["cwd"])
    rules = kernel.FileRules()
    readable = dict.fromkeys(room["readable"] + plan["readable"], kernel.READS)
    devices = dict.fromkeys((f"/dev/{name}" for name in enter.DEVICES), _OF_DEVICES)
    listed = dict.fromkeys(room.get("listed", ()), kernel.READ_DIR)
    for place, rights in {**listed, **readable, **devices}.items():
        if os.path.exists(place):
            rules.allow(place, rights)
    for place in room["writable"] + plan["writable"]:
        rules.allow(place)
    enter.allow_outputs(rules)
    rules.restrict()
    answers = {numbers[_COLUMN]: kernel.ASK for numbers in _ASKED.values()}
    for error, group in _REFUSED.items():
        answers.update((numbers[_COLUMN], kernel.REFUSE | error) for numbers in group)
    answers.pop(-1, None)
    listener = kernel.restrict_calls(_FAMILIES if room["network"] == "host" else (), answers)
    socket.send_fds(supervisor, [b"."], [listener])


def _run_program(plan: dict[str, Any]) -> NoReturn:
    kernel.close_from(3)
    for number in enter.SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(plan["argv"][0], plan["argv"], plan["env"])
    except OSError as error:
        os.write(2, f"{plan['argv'][0]}: {error.strerror}\n".encode())
        os._exit(127)


# ── The supervisor ────────────────────────────────────────────────────────────────────────────────


def _supervise(program: int, starter: int, listeners: list[int], writable: list[str]) -> int:
    """Answer requests until the program has ended, and return its status. Kills the program if the
    starter is gone.
    """
    poll = select.poll()
    for descriptor in (os.pidfd_open(program), starter, *listeners):
        poll.register(descriptor, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor in listeners:
                _answer(descriptor, writable)
            elif descriptor == starter:
                poll.unregister(starter)
                os.kill(program, 9)
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            if found[0] == program:
                return os.waitstatus_to_exitcode(found[1])


def _answer(listener: int, writable: list[str]) -> None:
    packet, error, flags = bytearray(80), 0, 0
    try:
        fcntl.ioctl(listener, _RECEIVE, packet)
        asked, pid, number, *arguments = struct.unpack("=QI4xi12x6Q", packet)
        try:
            flags = _do(_NAMES[number], pid, arguments, (listener, asked), writable)
        except OSError as refused:
            error = -(refused.errno or errno.EPERM)
        fcntl.ioctl(listener, _SEND, struct.pack("=QqiI", asked, 0, error, flags))
    except FileNotFoundError:
        pass  # it was killed in the meantime


def _do(
    name: str, pid: int, arguments: list[int], asked: tuple[int, int], writable: list[str]
) -> int:
    """Carry out a call for a process, or return the flag that lets the process do so itself. Raises
    OSError with the call's error.
    """
    first = struct.unpack("=i", struct.pack("=I", arguments[0] & 0xFFFFFFFF))[0]
    if name in ("prlimit", "kill", "tkill", "tgkill", "queue", "queue_thread"):
        if first == 0 or (first != -1 and _descends(abs(first))):
            return _CONTINUE
        raise PermissionError(errno.EPERM, "")
    if name.endswith(("chown", "chownat")):
        owner, group = arguments[2:4] if name == "fchownat" else arguments[1:3]
        for asked_for, own in ((owner, os.getuid()), (group, os.getgid())):
            if asked_for & _UNCHANGED not in (_UNCHANGED, own):
                raise PermissionError(errno.EPERM, "")
        return 0
    if name == "chmod":
        first, arguments = _HERE, [0, *arguments]
    elif name == "fchmod":
        arguments = [0, 0, *arguments[1:]]
    no_follow = name in ("fchmodat2", "utimensat") and bool(arguments[3] & _NO_FOLLOW)
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    try:
        fcntl.ioctl(asked[0], _IS_VALID, struct.pack("=Q", asked[1]))
        place = _opened(pid, memory, first, arguments[1], os.O_NOFOLLOW if no_follow else 0)
        try:
            link = f"/proc/self/fd/{place}"
            real = f"{os.readlink(link)}/"
            if not any(real.startswith(f"{there}/") for there in writable):
                raise PermissionError(errno.EACCES, "")
            if name == "utimensat":
                kernel.set_times(link, os.pread(memory, 32, arguments[2]) if arguments[2] else None)
            else:
                os.chmod(link, arguments[2] & 0o7777)
        finally:
            os.close(place)
    finally:
        os.close(memory)
    return 0


def _opened(pid: int, memory: int, folder: int, address: int, flags: int) -> int:
    """Return a descriptor for the file that a process refers to."""
    path = os.pread(memory, _LONGEST_PATH, address).partition(b"\0")[0] if address else b""
    if path.startswith(b"/proc/self/"):
        path = path.replace(b"/proc/self/", b"/proc/%d/" % pid, 1)
    base = os.open(f"/proc/{pid}/cwd" if folder == _HERE else f"/proc/{pid}/fd/{folder}", os.O_PATH)
    if not path:
        return base
    try:
        return os.open(path, os.O_PATH | flags, dir_fd=base)
    finally:
        os.close(base)


def _descends(pid: int) -> bool:
    """Return whether a process is a descendant of this one."""
    try:
        while pid > 1:
            with open(f"/proc/{pid}/stat", "rb") as file:
                pid = int(file.read().rpartition(b")")[2].split()[1])
            if pid == os.getpid():
                return True
    except (FileNotFoundError, ProcessLookupError):
        pass  # it has ended
    return False


def _end_descendants() -> None:
    """Kill everything the program left running. Orphans become children of this process."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        for name in os.listdir("/proc"):
            if name.isdecimal() and _descends(int(name)):
                try:
                    os.kill(int(name), 9)
                except ProcessLookupError:
                    pass
        os.waitpid(-1, 0)
