"""System calls of Linux that Python has no words for. Imports nothing of ours: the starter has to stay small.

Numbers and structures come from the kernel's own headers (`linux/landlock.h`, `linux/seccomp.h`, `linux/mount.h`,
`asm/unistd.h`). Every call raises OSError with the errno of the kernel.
"""

import ctypes
import fcntl
import os
import socket
import struct

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_MOVE, MS_REC, MS_PRIVATE = 0x1000, 0x2000, 0x4000, 0x40000
MNT_DETACH = 2
_MOUNT_ATTR_RDONLY, _AT_FDCWD, _AT_RECURSIVE, _AT_EMPTY_PATH = 1, -100, 0x8000, 0x1000

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 1, 4, 24, 38, 47
_PR_SET_CHILD_SUBREAPER = 36
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_CAPABILITY_VERSION_3 = 0x20080522

_LANDLOCK_VERSION_FLAG, _LANDLOCK_RULE_PATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
_MAKE_DEVICES = 1 << 6 | 1 << 11
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
ALL_RIGHTS = ((1 << 16) - 1) & ~_MAKE_DEVICES
"""Everything but making devices."""
READS = EXECUTE | READ_FILE | READ_DIR
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
"""Version of Landlock → every right over files that it knows; from 5 on all sixteen."""

_X86 = os.uname().machine == "x86_64"
_NUMBERS = {"pivot_root": (155, 41), "seccomp": (317, 277), "keyctl": (250, 219), "socket": (41, 198)}
"""Name → number on x86_64, and on arm64. Calls that came after 2019 have one number everywhere."""
_MOUNT_SETATTR, _LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 442, 444, 445, 446
_CLOSE_RANGE, _PIDFD_GETFD, _IO_URING_SETUP, _ADD_KEY = 436, 438, 425, (248, 217)
_AUDIT_ARCH = 0xC000003E if _X86 else 0xC00000B7
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_FILTER_LISTENER = 8
REFUSE, ASK, _ALLOW = 0x00050000, 0x7FC00000, 0x7FFF0000
"""What a filter answers to a system call: an error, whose number is added; what the supervisor says; yes."""
_OPENAT2, _NO_LINKS, _BENEATH = 437, 4, 8

_libc = ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    done: int = _libc.syscall(ctypes.c_long(number), *(_plain(argument) for argument in arguments))
    return _checked(done)


def _plain(argument: object) -> object:
    return ctypes.c_long(argument) if isinstance(argument, int) else argument


def _checked(done: int) -> int:
    if done < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return done


def _number(name: str) -> int:
    return _NUMBERS[name][0 if _X86 else 1]


def unshare(flags: int) -> None:
    """Leave the namespaces of `flags` for new ones. The process must have a single thread."""
    _checked(_libc.unshare(ctypes.c_int(flags)))


def join(process: int, flags: int) -> None:
    """Enter those namespaces of the process behind a pidfd that `flags` name."""
    _checked(_libc.setns(ctypes.c_int(process), ctypes.c_int(flags)))


def map_own_user(uid: int, gid: int) -> None:
    """Be the same user in the new user namespace. The numbers have to be read before it is entered."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """See mount(2). Paths are bytes for the kernel, whatever they hold."""
    texts = [os.fsencode(text) or None for text in (source, target, kind)]
    _checked(_libc.mount(*texts, ctypes.c_ulong(flags), os.fsencode(options) or None))


def make_read_only(target: str) -> None:
    """Make a mount and all below it read-only."""
    attributes = struct.pack("=QQQQ", _MOUNT_ATTR_RDONLY, 0, 0, 0)
    _call(_MOUNT_SETATTR, _AT_FDCWD, os.fsencode(target), _AT_RECURSIVE, attributes, len(attributes))


def enter_root(folder: str) -> None:
    """Make `folder`, a mount, the root of everything, and let go of the old one."""
    os.chdir(folder)
    _call(_number("pivot_root"), b".", b".")
    _checked(_libc.umount2(b".", ctypes.c_int(MNT_DETACH)))
    os.chdir("/")


def bring_up_loopback() -> None:
    """Bring up `lo` of this network namespace (netdevice(7): SIOCSIFFLAGS with IFF_UP | IFF_RUNNING)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH22x", b"lo", 0x1 | 0x40))


def die_with_parent(signal: int = 9) -> None:
    """Get `signal` when the parent dies. Changed credentials undo this, so it comes after them."""
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, signal, 0, 0, 0))


def adopt_orphans() -> None:
    """Be the parent of every process below this one whose own has died."""
    _checked(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))


def limit_rights() -> None:
    """Let no program that is run from now on gain rights, let no other process look into this one, and let go of its keys."""
    for capability in range(64):
        if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break
    _libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _checked(_libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0))
    try:
        _call(_number("keyctl"), 1, None)  # KEYCTL_JOIN_SESSION_KEYRING: an empty one
    except OSError:
        pass  # a kernel without keys, or a container that forbids the call: none can be read either


def drop_rights() -> None:
    """Give up every capability."""
    header = struct.pack("=II", _CAPABILITY_VERSION_3, 0)
    _checked(_libc.capset(header, bytes(24)))


def close_from(first: int, *, on_exec: bool = False) -> None:
    """Close every descriptor from `first` on; with `on_exec` for the programs that are run."""
    _call(_CLOSE_RANGE, first, 0xFFFFFFFF, 4 if on_exec else 0)


def descriptor_of(pidfd: int, number: int) -> int:
    """Return a copy of another process's descriptor."""
    return _call(_PIDFD_GETFD, pidfd, number, 0)


def landlock_version() -> int:
    """Return the version of Landlock, 0 where there is none."""
    try:
        return _call(_LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION_FLAG)
    except OSError:
        return 0


class FileRules:
    """What may be done to which files, for `restrict`. Also forbids abstract sockets of, and signals to, processes outside,
    where the kernel can.
    """

    def __init__(self) -> None:
        version = landlock_version()
        self._known = _RIGHTS.get(version, (1 << 16) - 1)
        attributes = struct.pack("=QQQ", self._known, 0, 3 if version >= 6 else 0)
        sized = attributes[: 24 if version >= 6 else 8]
        self._ruleset = _call(_LANDLOCK_CREATE, sized, len(sized), 0)

    def allow(self, place: "str | int", rights: int = ALL_RIGHTS) -> None:
        """Allow `rights` over a file, or over a folder and all below, by its path or its descriptor."""
        descriptor = os.open(place, os.O_PATH) if isinstance(place, str) else os.dup(place)
        rights &= self._known & (ALL_RIGHTS if os.path.isdir(place) else FILE_RIGHTS)
        _call(_LANDLOCK_ADD, self._ruleset, _LANDLOCK_RULE_PATH, struct.pack("=Qi", rights, descriptor), 0)
        os.close(descriptor)

    def restrict(self) -> None:
        """Forbid everything else from now on, to this process and all that descend from it."""
        _call(_LANDLOCK_RESTRICT, self._ruleset, 0)


def open_beneath(folder: int, path: str, flags: int, mode: int = 0) -> int:
    """Open what lies at `path` below the folder of a descriptor; no link is followed, neither on the way nor at the end."""
    how = struct.pack("=QQQ", flags | os.O_CLOEXEC, mode, _NO_LINKS | _BENEATH)
    return _call(_OPENAT2, folder, os.fsencode(path), how, len(how))


def set_times(path: str, times: "bytes | None") -> None:
    """Set when a file was last read and changed: two `struct timespec`, or now."""
    _checked(_libc.utimensat(_AT_FDCWD, os.fsencode(path), times, 0))


def restrict_calls(families: "tuple[int, ...]", answers: "dict[int, int] | None" = None) -> int:
    """Forbid sockets of other `families`, and what goes past that rule: io_uring, foreign architectures, the kernel's keys.

    `answers` says for numbers of further calls what they get. Where that is ASK for one, the descriptor at which the supervisor
    hears of it is returned, else 0.
    """
    program = _filter_program(families, answers or {})
    buffer = ctypes.create_string_buffer(program)
    fprog = struct.pack("=HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    return _call(_number("seccomp"), 1, _FILTER_LISTENER if answers else 0, fprog)


def _filter_program(families: "tuple[int, ...]", answers: "dict[int, int]") -> bytes:
    """Return the filter as the kernel's classic BPF. Offsets are those of `struct seccomp_data`."""
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06

    def one(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
        return struct.pack("=HBBI", code, then, otherwise, value)

    add_key = _ADD_KEY[0 if _X86 else 1]
    lines = [one(load, 4), one(equal, _AUDIT_ARCH, 1, 0), one(answer, REFUSE | _ENOSYS), one(load, 0)]
    if _X86:  # x32: the same numbers with this bit
        lines += [one(at_least, 0x40000000, 0, 1), one(answer, REFUSE | _ENOSYS)]
    never = dict.fromkeys((_IO_URING_SETUP, add_key, add_key + 1, add_key + 2), REFUSE | _ENOSYS)
    for number, said in {**never, **answers}.items():
        lines += [one(equal, number, 0, 1), one(answer, said)]
    lines += [one(equal, _number("socket"), 1, 0), one(answer, _ALLOW), one(load, 16)]
    for family in families:
        lines += [one(equal, family, 0, 1), one(answer, _ALLOW)]
    lines.append(one(answer, REFUSE | (_EAFNOSUPPORT if families else _EPERM)))
    return b"".join(lines)
