"""Linux system calls that Python does not provide. Imports none of our modules: the starter has to
stay small.

Numbers and structures come from the kernel's headers (`linux/landlock.h`, `linux/seccomp.h`,
`linux/mount.h`, `asm/unistd.h`). Every call raises OSError with the kernel's errno.
"""

import ctypes
import fcntl
import os
import socket
import struct

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MNT_DETACH = 2
_MOUNT_ATTR_RDONLY, _AT_FDCWD, _AT_RECURSIVE, _AT_EMPTY_PATH = 1, -100, 0x8000, 0x1000
_OPEN_TREE_CLONE, _MOVE_MOUNT_BOTH_EMPTY = 1, 0x4 | 0x40

_SET_PDEATHSIG, _SET_DUMPABLE, _CAPBSET_DROP, _SET_CHILD_SUBREAPER = 1, 4, 24, 36
_SET_NO_NEW_PRIVS, _CAP_AMBIENT, _CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
"""Options of prctl(2)."""
_CAPABILITY_VERSION_3 = 0x20080522

_LANDLOCK_VERSION_FLAG, _LANDLOCK_RULE_PATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
_MAKE_DEVICES = 1 << 6 | 1 << 11
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
ALL_RIGHTS = ((1 << 16) - 1) & ~_MAKE_DEVICES
"""Everything except creating devices."""
READS = EXECUTE | READ_FILE | READ_DIR
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
"""Landlock version → all file rights it knows; from version 5 on, all sixteen."""

_X86 = os.uname().machine == "x86_64"
_NUMBERS = {
    "socket": (41, 198), "capset": (126, 91), "pivot_root": (155, 41), "prctl": (157, 167),
    "mount": (165, 40), "umount2": (166, 39), "add_key": (248, 217), "keyctl": (250, 219),
    "unshare": (272, 97), "utimensat": (280, 88), "seccomp": (317, 277),
}  # fmt: skip
"""Name → number on x86_64 and on arm64."""
_CALLS = {
    "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "close_range": 436,
    "pidfd_getfd": 438, "mount_setattr": 442,
    "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446,
    **{name: numbers[0 if _X86 else 1] for name, numbers in _NUMBERS.items()},
}  # fmt: skip
"""Calls added after 2019 have the same number everywhere."""
_AUDIT_ARCH = 0xC000003E if _X86 else 0xC00000B7
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_FILTER_LISTENER = 8
REFUSE, ASK, _ALLOW = 0x00050000, 0x7FC00000, 0x7FFF0000
"""Answers of a filter to a system call: an error (whose number is added), ask the supervisor, or
allow.
"""

_libc = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> int:
    plain = (ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)
    done: int = _libc.syscall(ctypes.c_long(_CALLS[name]), *plain)
    if done < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return done


def _can(name: str, *arguments: object) -> bool:
    try:
        return _call(name, *arguments) >= 0
    except OSError:
        return False


def unshare(flags: int) -> None:
    """Move to new namespaces, given by `flags`. The process must be single-threaded."""
    _call("unshare", flags)


def map_own_user(uid: int, gid: int) -> None:
    """Map the current user into the new user namespace. Read the ids before entering it."""
    texts = {"setgroups": "deny", "uid_map": f"{uid} {uid} 1", "gid_map": f"{gid} {gid} 1"}
    for name, text in texts.items():
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """See mount(2). Paths may contain any bytes."""
    texts = [os.fsencode(text) or None for text in (source, target, kind, options)]
    _call("mount", *texts[:3], flags, texts[3])


def copy_tree(source: str) -> int:
    """Return a descriptor of a detached copy of all mounts at and below a path, as MS_BIND | MS_REC
    would mount it. See open_tree(2).
    """
    flags = _OPEN_TREE_CLONE | os.O_CLOEXEC | _AT_RECURSIVE
    return _call("open_tree", _AT_FDCWD, os.fsencode(source), flags)


def make_read_only(tree: int) -> None:
    """Make the mount of a descriptor and all mounts below it read-only. See mount_setattr(2)."""
    attributes = struct.pack("=QQQQ", _MOUNT_ATTR_RDONLY, 0, 0, 0)
    where = tree, b"", _AT_EMPTY_PATH | _AT_RECURSIVE
    _call("mount_setattr", *where, attributes, len(attributes))


def attach(tree: int, place: int) -> None:
    """Attach a detached copy of mounts to the place another descriptor is open on, and close the
    copy's descriptor. See move_mount(2).
    """
    _call("move_mount", tree, b"", place, b"", _MOVE_MOUNT_BOTH_EMPTY)
    os.close(tree)


def enter_root(folder: str) -> None:
    """Make `folder`, a mount, the new root, and detach the old one."""
    os.chdir(folder)
    _call("pivot_root", b".", b".")
    _call("umount2", b".", MNT_DETACH)
    os.chdir("/")


def bring_up_loopback() -> None:
    """Bring up `lo` of this network namespace (netdevice(7): SIOCSIFFLAGS with IFF_UP |
    IFF_RUNNING).
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH22x", b"lo", 0x1 | 0x40))


def die_with_parent() -> None:
    """Be killed when the parent dies. Changing credentials resets this, so call it afterwards."""
    _call("prctl", _SET_PDEATHSIG, 9, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of all descendants that lose their own parent."""
    _call("prctl", _SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def limit_rights() -> None:
    """Keep programs run from now on from gaining privileges, keep other processes from inspecting
    this one, and drop its keyring.
    """
    all(_can("prctl", _CAPBSET_DROP, capability, 0, 0, 0) for capability in range(64))
    _can("prctl", _CAP_AMBIENT, _CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    _call("prctl", _SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _call("prctl", _SET_DUMPABLE, 0, 0, 0, 0)
    _can("keyctl", 1, None)  # an empty keyring; if this is forbidden, so is reading keys


def drop_rights() -> None:
    """Drop all capabilities."""
    header = struct.pack("=II", _CAPABILITY_VERSION_3, 0)
    _call("capset", header, bytes(24))


def close_from(first: int, *, on_exec: bool = False) -> None:
    """Close all descriptors from `first` on; with `on_exec`, only in programs that are run."""
    _call("close_range", first, 0xFFFFFFFF, 4 if on_exec else 0)


def descriptor_of(pidfd: int, number: int) -> int:
    """Return a copy of a descriptor of another process."""
    return _call("pidfd_getfd", pidfd, number, 0)


def landlock_version() -> int:
    """Return the Landlock version, or 0 if there is none."""
    try:
        return _call("landlock_create_ruleset", None, 0, _LANDLOCK_VERSION_FLAG)
    except OSError:
        return 0


class FileRules:
    """The file access that `restrict` leaves. Where the kernel can, also forbids abstract sockets
    of processes outside, and signals to them.
    """

    def __init__(self) -> None:
        version = landlock_version()
        self._known = _RIGHTS.get(version, (1 << 16) - 1)
        attributes = struct.pack("=QQQ", self._known, 0, 3 if version >= 6 else 0)
        sized = attributes[: 24 if version >= 6 else 8]
        self._ruleset = _call("landlock_create_ruleset", sized, len(sized), 0)

    def allow(self, place: "str | int", rights: int = ALL_RIGHTS) -> None:
        """Allow `rights` on a file, or on a folder and everything below it, given by path or
        descriptor.
        """
        descriptor = os.open(place, os.O_PATH) if isinstance(place, str) else os.dup(place)
        rights &= self._known & (ALL_RIGHTS if os.path.isdir(place) else FILE_RIGHTS)
        rule = struct.pack("=Qi", rights, descriptor)
        _call("landlock_add_rule", self._ruleset, _LANDLOCK_RULE_PATH, rule, 0)
        os.close(descriptor)

    def restrict(self) -> None:
        """Forbid everything else from now on, for this process and all its descendants."""
        _call("landlock_restrict_self", self._ruleset, 0)


def set_times(path: str, times: "bytes | None") -> None:
    """Set the access and modification times of a file: two `struct timespec`, or now."""
    _call("utimensat", _AT_FDCWD, os.fsencode(path), times, 0)


def restrict_calls(families: "tuple[int, ...]", answers: "dict[int, int] | None" = None) -> int:
    """Forbid sockets of other `families` and ways around that rule: io_uring, foreign
    architectures, the kernel's keys.

    `answers` maps further call numbers to their answers. If one of these is ASK, return the
    descriptor on which the supervisor receives its requests, otherwise 0.
    """
    program = _filter_program(families, answers or {})
    buffer = ctypes.create_string_buffer(program)
    fprog = struct.pack("=HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    return _call("seccomp", 1, _FILTER_LISTENER if answers else 0, fprog)


def _filter_program(families: "tuple[int, ...]", answers: "dict[int, int]") -> bytes:
    """Return the filter as classic BPF. The offsets are those of `struct seccomp_data`."""
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06

    def one(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
        return struct.pack("=HBBI", code, then, otherwise, value)

    missing, add_key = REFUSE | _ENOSYS, _CALLS["add_key"]
    lines = [one(load, 4), one(equal, _AUDIT_ARCH, 1, 0), one(answer, missing), one(load, 0)]
    if _X86:  # x32: the same numbers with this bit set
        lines += [one(at_least, 0x40000000, 0, 1), one(answer, missing)]
    never = (_CALLS["io_uring_setup"], add_key, add_key + 1, add_key + 2)
    for number, said in {**dict.fromkeys(never, missing), **answers}.items():
        lines += [one(equal, number, 0, 1), one(answer, said)]
    lines += [one(equal, _CALLS["socket"], 1, 0), one(answer, _ALLOW), one(load, 16)]
    for family in families:
        lines += [one(equal, family, 0, 1), one(answer, _ALLOW)]
    lines.append(one(answer, REFUSE | (_EAFNOSUPPORT if families else _EPERM)))
    return b"".join(lines)
