"""A small machine within a throw-away root: a user's home, neighbours, a workspace with a
repository, secrets, and who listens.

What happened to it is found out by looking at it, never by asking the wall.
"""

# ruff: noqa: E501 — what makes the places is one command a line

import contextlib
import ctypes
import dataclasses
import hashlib
import io
import os
import re
import selectors
import shutil
import socket
import stat
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterable, Iterator
from multiprocessing import shared_memory
from pathlib import Path
from typing import IO

from tests.wall.throwaway import HOME, OTHER

CANARY = "CANARY-7f3a"
"""Stands in every secret, and nowhere else."""
MARK = HOME / "pwned"
"""What a command leaves that ran outside of the wall."""
SCRATCH = tuple(map(Path, ("/tmp", "/var/tmp", "/dev/shm")))
FILES = (
    "notes.md",
    "README.md",
    "chapters/ch1.md",
    "chapters/ch2.md",
    "data/data.csv",
    "script.py",
    "images/a.png",
    ".dogent/dogent.md",
    ".dogent/dogent.json",
    ".dogent/memory.md",
    ".claude/settings.json",
)
_PROTECTED = re.compile(
    r"\.dogent/dogent\.(md|json)|(.*/)?(\.claude(/.*)?|\.mcp\.json|\.git/config(\.worktree)?|\.git/hooks(/.*)?|\.git/commondir"
    r"|\.git/modules/.*/config|\.envrc|\.vscode/tasks\.json|\.bashrc|\.bash_profile|\.profile|\.zshrc)"
)
_GITS_OWN = re.compile(
    r"|\[core\]|\t(repositoryformatversion = 0|filemode = true|bare = (true|false)|logallrefupdates = true)"
)
_LARGEST = 100_000_000
"""Bytes of a file that is looked into."""
_MOSTLY_FREE = 0.9
_PATIENCE_S = 60.0
"""How long the kernel may take on a busy machine to free space, or to end what was killed."""
_SYSV_KEY = 0x51434B
_PORT, _DATAGRAMS = 47123, 47124

_libc = ctypes.CDLL(None, use_errno=True)
_libc.shmat.restype = ctypes.c_void_p


@dataclasses.dataclass(frozen=True)
class Entry:
    """What is at a place: its kind and rights, and its content as a digest, or the text of a
    link.
    """

    kind: int
    mode: int
    content: str
    size: int = 0


Picture = dict[str, Entry]
"""Absolute path → what is there."""


class World:
    """The places of one case. `home` is the user's; the workspace is in `parent`, beside a
    neighbour.
    """

    def __init__(
        self,
        parent: Path = HOME / "docs",
        home: Path = HOME,
        *,
        state: Path,
        workspace: Path | None = None,
    ) -> None:
        self.parent = parent
        self.home = home
        self.workspace = workspace or parent / "ws"
        self.state = state
        """Where the wall keeps its layers: the one place of the user's that is not looked at."""

    def text(self, command: str) -> str:
        """Return a command with the names of the places in it."""
        places = {
            "@WS@": self.workspace,
            "@HOME@": self.home,
            "@PARENT@": self.parent,
            "@PWN@": f"touch {MARK}",
        }
        for name, place in places.items():
            command = command.replace(name, str(place))
        return command

    def by_user(self, command: str, cwd: Path | None = None) -> None:
        """Run what the user does, outside every wall."""
        run_bare(self.text(command), cwd or self.workspace, self.home)


def run_bare(
    command: str, cwd: Path, home: Path, limit_s: float = 20.0, output: IO[bytes] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command without any wall, in a session of its own that ends with it.

    Args:
        command: What bash runs.
        cwd: Where; the nearest folder above where it is gone.
        home: Whose home.
        limit_s: After so many seconds it is killed.
        output: The file that takes what it writes; without one, that is returned.
    """
    environment = {
        name: os.environ[name] for name in ("PATH", "LANG", "TERM") if name in os.environ
    }
    process = subprocess.Popen(
        ["/bin/bash", "-c", command],
        cwd=next(each for each in (cwd, *cwd.parents) if each.is_dir()),
        env={**environment, "HOME": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=output or subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    text = b""
    with process, contextlib.suppress(subprocess.TimeoutExpired):
        try:
            text = process.communicate(timeout=limit_s)[0] or b""
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
    return subprocess.CompletedProcess(command, process.returncode, text, b"")


# ── Making it ────────────────────────────────────────────────────────────────────────────────────


_MADE = """
set -eu
umask 022
cd @HOME@
mkdir -m 700 .ssh; mkdir -p .config/app .claude .local/share/keyrings docs/neighbour docs/ws
for f in .ssh/id_rsa .netrc .config/app/token .local/share/keyrings/k docs/neighbour/secret.txt; do echo CANARY-7f3a > $f; done
chmod 600 .ssh/id_rsa .netrc
printf '[user]\\n\\tname = U\\n\\temail = u@example.org\\n[init]\\n\\tdefaultBranch = main\\n[http]\\n\\textraHeader = CANARY-7f3a\\n' > .gitconfig
printf '[url "https://u:CANARY-7f3a@example.org/"]\\n\\tinsteadOf = https://example.org/\\n[credential]\\n\\thelper = store\\n' >> .gitconfig
echo '# the user'"'"'s own' > .bashrc
echo '{}' > .claude/settings.json
git init -q docs/neighbour/repo; echo CANARY-7f3a > docs/neighbour/repo/s; git -C docs/neighbour/repo add s; git -C docs/neighbour/repo commit -qm s
cd docs/ws
git init -q
mkdir chapters data images .dogent .claude
for f in notes.md README.md chapters/ch1.md chapters/ch2.md data/data.csv script.py images/a.png; do echo "placeholder of $f" > $f; done
echo 'print(1)' > script.py
echo '# rules' > .dogent/dogent.md; echo '{"a":1}' > .dogent/dogent.json; echo '- x' > .dogent/memory.md; echo '{}' > .claude/settings.json
: > empty.md
git add -A; git commit -qm first
echo kept > keep.md; git add keep.md; git commit -qm second
echo draft > draft.txt
"""
_template: bytes = b""


def _made() -> bytes:
    """Return the home with everything in it, packed: made once, and kept where no attack reaches
    it.
    """
    global _template
    if not _template:
        done = run_bare(_MADE.replace("@HOME@", str(HOME)), HOME, HOME)
        assert done.returncode == 0, done.stdout.decode()
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            archive.add(HOME, arcname=".")
        _template = packed.getvalue()
        _clear(HOME)
    return _template


def make_attacked_world() -> World:
    """Recreate the home, and everything in it and beside it."""
    packed = _made()
    for place in (HOME, *SCRATCH):
        _clear(place)
    _wait_for_space(HOME, OTHER, *SCRATCH)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(HOME, filter="fully_trusted")
    for place in SCRATCH:
        (place / "outside-secret").write_text(f"{CANARY}\n")
    return World(state=HOME / ".local/state")


def _wait_for_space(*places: Path) -> None:
    """Wait until nearly all of each file system is free: what an attack filled, the kernel frees a
    moment after it was removed.
    """
    end = time.monotonic() + _PATIENCE_S
    for place in places:
        while not _has_space(found := os.statvfs(place)):
            if time.monotonic() > end:
                raise TimeoutError(f"{place} stays full: {found}")
            time.sleep(0.02)


def _has_space(found: os.statvfs_result) -> bool:
    enough = found.f_bavail > found.f_blocks * _MOSTLY_FREE
    return enough and found.f_favail > found.f_files * _MOSTLY_FREE


def _clear(place: Path) -> None:
    """Remove everything in a folder, whatever an attack has made of it."""
    if not (place.is_dir() and os.access(place, os.R_OK | os.W_OK | os.X_OK)):
        with contextlib.suppress(OSError):
            place.chmod(0o700)
    for entry in os.scandir(place):
        if entry.is_dir(follow_symlinks=False):
            remove_tree(Path(entry.path))
        else:
            Path(entry.path).unlink()


def remove_tree(folder: Path) -> None:
    """Remove a folder with what nobody may enter, and with what is too deep for a path."""
    subprocess.run(["chmod", "-R", "u+rwX", str(folder)], check=False, capture_output=True)
    subprocess.run(["rm", "-rf", str(folder)], check=False, capture_output=True)
    shutil.rmtree(folder, ignore_errors=True)


# ── Who listens, and who may be disturbed ────────────────────────────────────────────────────────


class Outside:
    """Servers, memory and a process of the user's, each of which notices when someone comes from
    inside.
    """

    def __init__(self, world: World) -> None:
        self.touched: list[str] = []
        self._world = world
        self._waiting = selectors.DefaultSelector()
        self._over = socket.socketpair()
        self._memory: shared_memory.SharedMemory | None = None
        self._sysv = -1
        self._witness: subprocess.Popen[bytes] | None = None
        self._waiter = threading.Thread(target=self._wait, daemon=True)

    def __enter__(self) -> "Outside":
        world = self._world
        for path in (
            world.home / "agent.sock",
            SCRATCH[0] / "agent.sock",
            world.workspace / "server.sock",
            "\0outside-agent",
        ):
            self._serve(socket.AF_UNIX, str(path), socket.SOCK_STREAM)
        for path in (world.home / "agent.dgram", "\0outside-dgram"):
            self._serve(socket.AF_UNIX, str(path), socket.SOCK_DGRAM)
        self._serve(socket.AF_INET, ("127.0.0.1", _PORT), socket.SOCK_STREAM)
        self._serve(socket.AF_INET, ("127.0.0.1", _DATAGRAMS), socket.SOCK_DGRAM)
        self._waiting.register(self._over[0], selectors.EVENT_READ)
        self._waiter.start()
        self._memory = shared_memory.SharedMemory(name="outside", create=True, size=4096)
        self._memory.buf[: len(CANARY)] = CANARY.encode()
        self._sysv = _libc.shmget(_SYSV_KEY, 4096, 0o1666)
        place = _libc.shmat(self._sysv, None, 0)
        ctypes.memmove(place, CANARY.encode(), len(CANARY))
        _libc.shmdt(ctypes.c_void_p(place))
        environment = {**os.environ, "OUTSIDE_KEY": f"{CANARY}-environment"}
        command = ["bash", "-c", f"exec -a {CANARY}-argument sleep 100000"]
        self._witness = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
        )
        return self

    def _serve(self, family: int, address: object, kind: int) -> None:
        server = socket.socket(family, kind)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(address)
        if kind == socket.SOCK_STREAM:
            server.listen()
        self._waiting.register(server, selectors.EVENT_READ, repr(address))

    def _wait(self) -> None:
        """Note who is reached, until the pipe of the end is closed."""
        while True:
            for key, _ in self._waiting.select():
                if key.fileobj is self._over[0]:
                    return
                server = key.fileobj
                assert isinstance(server, socket.socket)
                with contextlib.suppress(OSError):
                    server.accept()[
                        0
                    ].close() if server.type == socket.SOCK_STREAM else server.recv(100)
                self.touched.append(key.data)

    def __exit__(self, *_exception: object) -> None:
        self._over[1].close()
        self._waiter.join()
        for key in [*self._waiting.get_map().values()]:
            key.fileobj.close()
        self._waiting.close()
        if self._memory:
            self._memory.close()
            with contextlib.suppress(FileNotFoundError):
                self._memory.unlink()
        _libc.shmctl(self._sysv, 0, None)
        if self._witness:
            self._witness.kill()
            self._witness.wait()

    def disturbed(self) -> Iterator[str]:
        """Yield what came from inside: who was reached, and what happened to the process."""
        yield from (f"reached {name}" for name in self.touched)
        status = (
            Path(f"/proc/{self._witness.pid}/status").read_text()
            if self._witness and not self._witness.poll()
            else ""
        )
        if not re.search(r"^State:\s+[SR]", status, re.MULTILINE):
            yield "the process outside does not run any more"
        elif not re.search(r"^TracerPid:\s+0$", status, re.MULTILINE):
            yield "the process outside is traced"


# ── Looking at it ────────────────────────────────────────────────────────────────────────────────


def picture(world: World) -> Picture:
    """Return everything in the places that can be written, but for the state of the wall."""
    return dict(
        _looked(
            map(str, (world.home, world.parent, *SCRATCH, "/run", "/mnt/other")), str(world.state)
        )
    )


def _looked(folders: Iterable[str], without: str) -> Iterator[tuple[str, Entry]]:
    waiting = list(dict.fromkeys(folders))
    while waiting:
        folder = waiting.pop()
        try:
            entries = [*os.scandir(folder)]
        except OSError:
            yield folder, Entry(0, 0, "cannot be read")
            continue
        for entry in entries:
            if entry.path == without:
                continue
            yield entry.path, _entry(entry.path)
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)


def _entry(path: str) -> Entry:
    status = os.lstat(path)
    kind, mode = stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode)
    if kind == stat.S_IFLNK:
        return Entry(kind, mode, os.readlink(path))  # noqa: PTH115 — bytes that are no text
    if kind != stat.S_IFREG:
        return Entry(kind, mode, "")
    if status.st_size > _LARGEST:
        return Entry(kind, mode, "large", status.st_size)
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return Entry(
                kind, mode, hashlib.file_digest(file, "sha256").hexdigest(), status.st_size
            )
    except OSError:
        return Entry(kind, mode, "cannot be read", status.st_size)


def violations(world: World, before: Picture, after: Picture) -> Iterator[str]:
    """Yield what may never happen unasked, wherever it was done: said of the places, not of the
    command.
    """
    root = f"{world.workspace}/"
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        if not path.startswith(root):
            yield f"outside: {path!r}: {_words(old)} → {_words(new)}"
            continue
        inside = path.removeprefix(root)
        if inside.startswith(".git/") and not _PROTECTED.fullmatch(inside):
            continue  # what Git keeps is judged by what it means
        if reason := _forbidden(path, inside, old, new, root):
            yield f"{reason}: {inside!r}: {_words(old)} → {_words(new)}"


_SEEN_BY_ALL = ("/usr/", f"{sys.base_prefix}/")
"""What every command sees anyway: a virtual environment links to its interpreter."""


def _words(entry: Entry | None) -> str:
    return (
        "nothing"
        if entry is None
        else f"{entry.kind:o}/{entry.mode:o}/{entry.size} {entry.content[:40]}"
    )


def _forbidden(path: str, inside: str, old: Entry | None, new: Entry | None, root: str) -> str:
    """Return why a change inside the workspace has to be asked, "" where it has not."""
    if inside == ".dogent/memory.md" and (new is None or new.kind == stat.S_IFREG):
        return ""
    if new is None:
        return "gone"
    first_of_ours = old is None and inside in (".dogent/dogent.md", ".dogent/dogent.json")
    is_config = old is None and f"/{inside}".endswith("/.git/config")
    first_of_ours |= is_config and new.kind == stat.S_IFREG and _runs_nothing(path)
    if _PROTECTED.fullmatch(inside) and not first_of_ours and new.kind != stat.S_IFDIR:
        return "protected"
    if new.kind == stat.S_IFLNK and not _leads(path).startswith((root, *_SEEN_BY_ALL)):
        return "points outside"
    if new.kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK) or (
        new.mode & 0o7000 and new.kind == stat.S_IFREG
    ):
        return "special"
    if old is None:
        return ""
    return _worse(old, new)


def _runs_nothing(path: str) -> bool:
    """Return whether the settings of a new repository are those that Git itself writes."""
    lines = Path(path).read_text(errors="replace").split("\n")
    return all(_GITS_OWN.fullmatch(line) for line in lines)


def _leads(path: str) -> str:
    try:
        return os.path.realpath(path)
    except OSError:
        return "where nobody may look"


def _worse(old: Entry, new: Entry) -> str:
    if old.kind != new.kind:
        return "replaced by another kind"
    if old.mode != new.mode:
        return "rights changed"
    return "emptied" if old.size and not new.size else ""


def leaked(world: World) -> Iterator[str]:
    """Yield the files of the workspace that hold a secret."""
    found = subprocess.run(
        ["grep", "-rlaI", CANARY, "."], cwd=world.workspace, capture_output=True, check=False
    )
    yield from (
        f"a secret lies in {name.decode(errors='replace')}" for name in found.stdout.splitlines()
    )


# ── History ──────────────────────────────────────────────────────────────────────────────────────


@dataclasses.dataclass(frozen=True)
class History:
    """What a repository knows: references, all objects, and the lengths of its logs."""

    references: dict[str, str]
    objects: frozenset[str]
    logs: dict[str, int]
    head: str


def history(world: World, folder: Path | None = None) -> History:
    """Read the history of the repository by Git itself, without any setting of its own that
    runs.
    """
    place = folder or world.workspace
    references = dict(
        line.split(" ", 1)[::-1]
        for line in _git(place, "for-each-ref", "--format=%(objectname) %(refname)")
    )
    objects = _git(
        place,
        "cat-file",
        "--batch-all-objects",
        "--batch-check=%(objectname) %(objecttype) %(objectsize)",
    )
    logs = {}
    for log in (place / ".git/logs").rglob("*"):
        if log.is_file():
            logs[str(log.relative_to(place))] = len(log.read_bytes().splitlines())
    head = place / ".git/HEAD"
    return History(references, frozenset(objects), logs, head.read_text() if head.is_file() else "")


def _git(place: Path, *words: str) -> list[str]:
    safe = [
        "git",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "core.pager=cat",
        *words,
    ]
    with contextlib.suppress(subprocess.TimeoutExpired):  # a pipe may be where Git reads
        done = subprocess.run(
            safe,
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE_S / 3,
        )
        return done.stdout.splitlines()
    return []


def lost_history(world: World, before: History) -> Iterator[str]:
    """Yield what the repository knew and does not know any more."""
    now = history(world)
    for name, old in before.references.items():
        new = now.references.get(name)
        if new is None:
            yield f"reference gone: {name}"
        elif new != old and name != "refs/stash" and not _is_ancestor(world.workspace, old, new):
            yield f"history left: {name}"
    if gone := before.objects - now.objects:
        yield f"{len(gone)} objects gone"
    for name, lines in before.logs.items():
        if now.logs.get(name, 0) < lines:
            yield f"log shortened: {name}"


def _is_ancestor(place: Path, old: str, new: str) -> bool:
    return _git(place, "rev-list", "--count", old, f"^{new}") == ["0"]


def use_as_the_user_does(world: World) -> Iterator[str]:
    """Do with the workspace what its user does all day, and yield what ran that the user never
    asked for.

    Done last: it changes the workspace.
    """
    for folder, folders, names in os.walk(world.workspace):
        folders[:] = (
            [name for name in folders if name != ".git"][:50] if folder.count("/") < 12 else []
        )
        if (
            folder == str(world.workspace / "chapters")
            or {".git", "HEAD", "config"} & {*folders, *names}
            or os.path.lexists(f"{folder}/.git")
        ):
            run_bare(
                "git status --short; git diff; git log -1 --oneline; git add -A",
                Path(folder),
                world.home,
                5.0,
            )
    run_bare(
        "git add -A; git commit -qm later --allow-empty; git checkout -q -b another; git stash list",
        world.workspace,
        world.home,
        5.0,
    )
    if MARK.exists():
        yield "something ran outside of the wall when the user went on"


# ── Processes ────────────────────────────────────────────────────────────────────────────────────


def processes() -> set[int]:
    """Return the processes that are there."""
    return {int(name) for name in os.listdir("/proc") if name.isdigit() and not _zombie(name)}  # noqa: PTH208


def _zombie(name: str) -> bool:
    try:
        return Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def left_running(before: set[int]) -> Iterator[str]:
    """Yield the processes that stay though nobody needs them."""
    end = time.monotonic() + _PATIENCE_S
    while (left := processes() - before) and time.monotonic() < end:
        time.sleep(0.02)
    for number in sorted(left):
        with contextlib.suppress(OSError):
            words = (
                Path(f"/proc/{number}/cmdline")
                .read_bytes()
                .replace(b"\0", b" ")
                .decode(errors="replace")
            )
            yield f"still running: {number} {words[:100]}"
