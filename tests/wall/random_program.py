"""Changes the folder that it runs in, at random: the same from the same folder and seed.

`python3 random_program.py SEED STEPS [WITHOUT,…]` prints a line for each step: what it did and to
what, or why it could not. Imports nothing of ours: it runs behind the wall, too.
"""

# ruff: noqa: E501, PTH101, PTH102, PTH103, PTH104, PTH105, PTH106, PTH108, PTH109, PTH118, PTH120, PTH123, PTH211, SIM115, T201

import ctypes
import mmap
import os
import random
import shutil
import socket
import stat
import subprocess
import sys

_ODD = (
    b"two\nlines", b"\xff\xfe", b" lead", b"trail ", b"-rf", b"*", b"a'b", b'q"q', b"\\x", b"\x1b[31m",
    "章".encode(), "é".encode(), "e\u0301".encode(), b"README.MD", b"Notes.md", b"x" * 255, b".hidden",
    b"a,b:c", b"lowerdir=", b"%s", b".wh.x", b"dots..", b"~", b"#",
)  # fmt: skip
_CHOOSING = ("file", "folder", "new", "any", "place", "text")
_OLD = 946_684_800
_libc = ctypes.CDLL(None, use_errno=True)


def _tree():
    """Return everything here, sorted, without Git's."""
    found = []
    for folder, folders, files in os.walk(b"."):
        folders[:] = sorted(name for name in folders if name != b".git")
        found += [os.path.join(folder, name) for name in (*folders, *files)]
    return sorted(found)


def _renameat2(one, other, flags):
    if _libc.renameat2(-100, one, -100, other, flags):
        raise OSError(ctypes.get_errno(), "renameat2")


class Steps:
    """What a step may be: each method one kind, which returns what it did."""

    def __init__(self, rng):
        self.rng = rng
        self.seen = _tree()

    # ── Choosing ──

    def _of(self, kind):
        found = [path for path in self.seen if kind(os.lstat(path).st_mode)]
        if not found:
            raise LookupError
        return self.rng.choice(found)

    def file(self):
        return self._of(stat.S_ISREG)

    def folder(self):
        return self.rng.choice([b".", *(p for p in self.seen if stat.S_ISDIR(os.lstat(p).st_mode))])

    def new(self):
        name = self.rng.choice([*_ODD, *(b"n%d" % each for each in range(12))])
        return os.path.join(self.folder(), name)

    def any(self):
        if not self.seen:
            raise LookupError
        return self.rng.choice(self.seen)

    def place(self):
        return self.any() if self.seen and self.rng.random() < 0.3 else self.new()

    def text(self):
        return b"%d\n" % self.rng.randrange(10**6) * self.rng.choice((1, 1, 3, 40_000))

    # ── Writing ──

    def create(self):
        with open(path := self.new(), "xb") as file:
            file.write(self.text())
        return path

    def create_empty(self):
        os.close(
            os.open(
                path := self.new(),
                os.O_CREAT | os.O_EXCL | os.O_WRONLY,
                self.rng.choice((0o600, 0o666, 0o755, 0o777)),
            )
        )
        return path

    def append(self):
        with open(path := self.file(), "ab") as file:
            file.write(self.text())
        return path

    def overwrite(self):
        with open(path := self.file(), "wb") as file:
            file.write(self.text())
        return path

    def empty(self):
        os.truncate(path := self.file(), 0)
        return path

    def cut(self):
        os.truncate(path := self.file(), self.rng.randrange(1, 9))
        return path

    def grow(self):
        os.truncate(path := self.file(), 300_000)
        return path

    def patch(self):
        with open(path := self.file(), "r+b") as file:
            file.seek(self.rng.randrange(8))
            file.write(b"PATCHED")
        return path

    def same(self):
        data = open(path := self.file(), "rb").read()
        with open(path, "wb") as file:
            file.write(data)
        return path

    def map(self):
        with open(path := self.file(), "r+b") as file, mmap.mmap(file.fileno(), 0) as held:
            held[0:1] = b"M"
        return path

    def save(self):
        path = self.file()
        beside = path + b".tmp"
        with open(beside, "xb") as file:
            file.write(self.text())
        os.chmod(beside, stat.S_IMODE(os.lstat(path).st_mode))
        os.replace(beside, path)
        return path

    def save_with_backup(self):
        path = self.file()
        data = open(path, "rb").read()
        os.rename(path, path + b"~")
        with open(path, "xb") as file:
            file.write(data + b"more\n")
        return path

    def clone(self):
        source, path = self.file(), self.new()
        with open(source, "rb") as old, open(path, "xb") as new:
            os.copy_file_range(old.fileno(), new.fileno(), 1 << 20)
        return source, path

    def unnamed(self):
        folder = self.folder()
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o640)
        os.write(descriptor, self.text())
        path = os.path.join(folder, b"unnamed%d" % self.rng.randrange(9))
        os.link(b"/proc/self/fd/%d" % descriptor, path, src_dir_fd=0, follow_symlinks=True)
        os.close(descriptor)
        return path

    def write_unlinked(self):
        with open(path := self.file(), "r+b") as file:
            os.unlink(path)
            file.write(b"nobody sees this")
        return path

    def sparse(self):
        with open(path := self.new(), "xb") as file:
            file.seek(3_000_000)
            file.write(b"end")
        return path

    def many(self):
        os.mkdir(top := self.new())
        for number in range(60):
            with open(os.path.join(top, b"%d" % number), "wb") as file:
                file.write(b"%d" % number)
        return top

    # ── Names ──

    def move_file(self):
        source, target = self.file(), self.place()
        os.rename(source, target)
        return source, target

    def move(self):
        source, target = self.any(), self.place()
        done = subprocess.run(["mv", "-fT", "--", source, target], stderr=subprocess.DEVNULL)
        return source, target, done.returncode

    def exchange(self):
        one, other = self.file(), self.file()
        _renameat2(one, other, 2)
        return one, other

    def case(self):
        path = self.file()
        folder, name = os.path.split(path)
        _renameat2(path, os.path.join(folder, name.swapcase()), 1)
        return path

    def unlink(self):
        os.unlink(path := self.any())
        return path

    def remove(self):
        path = self.any()
        subprocess.run(["rm", "-rf", "--", path], stderr=subprocess.DEVNULL)
        return path

    def rmdir(self):
        os.rmdir(path := self.folder())
        return path

    def mkdir(self):
        os.mkdir(path := self.new(), self.rng.choice((0o777, 0o700, 0o755)))
        return path

    def deep(self):
        os.makedirs(path := os.path.join(self.new(), *[b"d"] * self.rng.randrange(1, 20)))
        with open(os.path.join(path, b"f"), "xb") as file:
            file.write(self.text())
        return path

    def copy_tree(self):
        source, target = self.folder(), self.new()
        if source == b"." or target.startswith(source + b"/"):
            raise LookupError
        done = subprocess.run(["cp", "-aT", "--", source, target], stderr=subprocess.DEVNULL)
        return source, target, done.returncode

    def hard_link(self):
        source, path = self.file(), self.new()
        os.link(source, path)
        return source, path

    def link_inside(self):
        os.symlink(os.path.relpath(self.any(), os.path.dirname(path := self.new())), path)
        return path

    def link_odd(self):
        target = self.rng.choice((b"nowhere", b".", b"..", b"/etc", b"../../x", os.getcwdb()))
        os.symlink(target, path := self.new())
        return path, target

    def relink(self):
        path = self._of(stat.S_ISLNK)
        os.unlink(path)
        os.symlink(b"nowhere/%d" % self.rng.randrange(9), path)
        return path

    def pipe(self):
        os.mkfifo(path := self.new())
        return path

    def serve(self):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path := os.path.join(self.folder(), b"sock"))
        return path

    def other_kind(self):
        path = self.any()
        was = os.lstat(path).st_mode
        shutil.rmtree(path) if stat.S_ISDIR(was) else os.unlink(path)
        kind = self.rng.randrange(3)
        if kind == 0:
            os.mkdir(path)
            with open(os.path.join(path, b"in"), "xb") as file:
                file.write(self.text())
        elif kind == 1:
            os.symlink(b"nowhere", path)
        else:
            with open(path, "xb") as file:
                file.write(self.text())
        return path, kind

    def again(self):
        path = self.file()
        data, mode = open(path, "rb").read(), stat.S_IMODE(os.lstat(path).st_mode)
        os.unlink(path)
        with open(path, "xb") as file:
            file.write(data)
        os.chmod(path, mode)
        return path

    def fill_anew(self):
        path = self.folder()
        if path == b".":
            raise LookupError
        shutil.rmtree(path)
        os.mkdir(path)
        with open(os.path.join(path, b"fresh"), "xb") as file:
            file.write(self.text())
        return path

    # ── About files ──

    def chmod(self):
        path = self.any()
        if stat.S_ISLNK(os.lstat(path).st_mode):
            raise LookupError
        mode = self.rng.choice(
            (0o600, 0o644, 0o755, 0o700, 0o500, 0o444, 0o000, 0o4755, 0o2755, 0o1777)
        )
        os.chmod(path, mode)
        return path, mode

    def times(self):
        os.utime(path := self.file(), (_OLD, _OLD + self.rng.randrange(9)))
        return path

    def attribute(self):
        os.setxattr(path := self.file(), "user.note", b"%d" % self.rng.randrange(9))
        return path

    def overlays_attribute(self):
        os.setxattr(path := self.any(), "user.overlay.opaque", b"y", follow_symlinks=False)
        return path

    def punch(self):
        done = subprocess.run(
            ["fallocate", "-p", "-o", "1", "-l", "4", path := self.file()],
            stderr=subprocess.DEVNULL,
        )
        return path, done.returncode

    def sed(self):
        path = self.file()
        done = subprocess.run(["sed", "-i", "s/1/2/", path], stderr=subprocess.DEVNULL)
        return path, done.returncode

    def tar(self):
        source = self.folder()
        pipe = 'mkdir -p untarred; tar cf - -C "$1" --exclude=untarred . | tar xf - -C untarred'
        done = subprocess.run(["sh", "-c", pipe, "sh", source], stderr=subprocess.DEVNULL)
        return source, done.returncode


_WEIGHTS = {
    "chmod": 2,
    "create": 5,
    "append": 4,
    "overwrite": 3,
    "patch": 3,
    "save": 4,
    "move_file": 4,
    "move": 4,
    "remove": 2,
    "pipe": 0.3,
    "serve": 0.3,
    "sparse": 0.5,
    "many": 0.5,
    "overlays_attribute": 0.5,
    "tar": 0.5,
}


def main():
    seed, steps, without = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(",")
    kinds = [name for name in vars(Steps) if name[0] != "_" and name not in (*_CHOOSING, *without)]
    for number in range(steps):
        rng = random.Random(f"{seed} {number}")
        kind = rng.choices(kinds, [_WEIGHTS.get(name, 1.5) for name in kinds])[0]
        try:
            said = getattr(Steps(rng), kind)()
        except LookupError:
            said = "nothing there"
        except (OSError, shutil.Error, ValueError) as error:
            said = getattr(error, "strerror", None) or type(error).__name__
        print(number, kind, ascii(said), flush=True)


main()
