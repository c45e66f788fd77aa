"""Reads the files of a Git repository, and asks Git about its objects and about what its
configuration files mean, without the repository's settings: nothing they configure is run.
"""

# ruff: noqa: PTH113, PTH118, PTH120, PTH123

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from os.path import dirname, join, lexists, realpath, relpath
from pathlib import Path
from typing import TypeAlias

Settings: TypeAlias = Mapping[str, tuple[str, ...]]
"""Key (section and name in lower case, subsection as written) → its values, in order."""

_LONGEST_S, _LONGEST_PATH = 120, 5000
_TELLING = {
    "HEAD", "index", "info", "logs", "objects", "packed-refs", "refs", "reftable", "shallow",
    "worktrees", "rebase-merge", "rebase-apply", "MERGE_AUTOSTASH",
}  # fmt: skip
"""Names in a repository folder of what history hangs on."""
_WALK = ("rev-list", "--objects", "--stdin")
_OPENLY = (*_WALK, "--no-object-names", "--ignore-missing", "--missing=allow-any")
"""Walks from what is there, and lists what it meets."""
_SETTINGS = """\
[core]
repositoryformatversion = 1
bare = true
commitGraph = false
[extensions]
objectformat = {}
"""
"""A command may have written the commit graph, so it is not trusted."""
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class GitObjects:
    """Answers questions about object folders, using a repository of our own without settings.

    `own` is an empty folder, `objects` are the object folders. `form` is the hash: ``sha1`` or
    ``sha256``; `shallow` lists where history was cut off. A Git in the folder `untrusted` is not
    run, even if it is first on the path.
    """

    def __init__(
        self, own: str, objects: Sequence[str], form: str, shallow: str, untrusted: str
    ) -> None:
        Path(own, "refs").mkdir(parents=True)
        Path(own, "HEAD").write_text("ref: refs/heads/none\n")
        Path(own, "config").write_text(_SETTINGS.format(form))
        Path(own, "shallow").write_text(shallow)
        escaped = (folder.replace("\\", "\\\\").replace('"', '\\"') for folder in objects[1:])
        self._own = own
        self._program = _trusted_git(untrusted)
        self._environment = {
            **_ENVIRONMENT,
            "HOME": own,
            "GIT_DIR": own,
            "GIT_OBJECT_DIRECTORY": objects[0],
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(f'"{each}"' for each in escaped),
        }

    def ask(self, *arguments: str, lines: Iterable[str] = (), index: str = "") -> str | None:
        """Return Git's answer, None if it fails. `lines` are its input; `index` is an index
        file.
        """
        environment = self._environment | ({"GIT_INDEX_FILE": index} if index else {})
        given = "".join(f"{line}\n" for line in lines)
        try:
            return _said([self._program, *arguments], given, environment, self._own).strip()
        except (OSError, subprocess.SubprocessError):
            return None

    def is_whole(self, names: Iterable[str], index: str) -> bool:
        """Return whether everything that commits, and an index file ("" for none), refer to
        exists.
        """
        indexed = ["--indexed-objects"] if index else []
        return self.ask(*_WALK, "--quiet", *indexed, lines=names, index=index) is not None

    def missing(self, names: Collection[str]) -> set[str] | None:
        """Return which of some objects are missing, None if Git cannot tell."""
        said = self.ask("cat-file", "--batch-check", lines=sorted(names)) if names else ""
        if said is None:
            return None
        return {line[:-8] for line in said.splitlines() if line.endswith(" missing")}

    def put_over(
        self, edited: Mapping[str, tuple[str, str]], names: Collection[str], indexes: Iterable[str]
    ) -> list[str]:
        """Return the files that Git overwrote although nothing refers to their previous content.

        `edited` has the old and new content of each file, as object names. `names` and `indexes`
        are what refers to objects. If Git cannot tell, all files are returned.
        """
        missing = self.missing(set().union(*edited.values()))
        if missing is None:
            return [*edited]
        pairs = {path: pair for path, pair in edited.items() if pair[1] not in missing}
        lost = set().union(*pairs.values()) - missing
        near = [(index, "--indexed-objects", "--no-walk") for index in indexes]
        for index, *limits in (*near, ("",)):  # the whole history comes last: it may be long
            if lost:
                lost -= {*(self.ask(*_OPENLY, *limits, lines=names, index=index) or "").split()}
        gone = lost | missing
        return [path for path, (old, new) in pairs.items() if old in gone and new not in lost]


def settings_of(text: str | None, untrusted: str) -> Settings | None:
    """Return the settings of a configuration file, without those of the files it includes; None if
    Git cannot read it. A Git in the folder `untrusted` is not run.
    """
    try:
        return None if text is None else _settings_of(text, untrusted)
    except (OSError, subprocess.SubprocessError):
        return None


@lru_cache(256)
def _settings_of(text: str, untrusted: str) -> Settings:
    command = [_trusted_git(untrusted), "config", "--file", "-", "--list", "-z", "--no-includes"]
    found: dict[str, tuple[str, ...]] = {}
    for setting in _said(command, text, _ENVIRONMENT, "/").split("\0")[:-1]:
        key, _, value = setting.partition("\n")
        found[key] = (*found.get(key, ()), value)
    return found


def _said(command: Sequence[str], given: str, environment: Mapping[str, str], cwd: str) -> str:
    """Return the output of a program. Raises OSError and SubprocessError, also if it fails."""
    said = subprocess.check_output(
        command,
        input=os.fsencode(given),
        env=environment,
        cwd=cwd,
        stderr=subprocess.DEVNULL,
        timeout=_LONGEST_S,
    )
    return os.fsdecode(said)


def _trusted_git(untrusted: str) -> str:
    """Return the path of Git, "" if it is not installed."""
    inside, folders = join(realpath(untrusted), ""), filter(os.path.isabs, os.get_exec_path())
    outside = (each for each in folders if not join(realpath(each), "").startswith(inside))
    found = shutil.which("git", path=os.pathsep.join(outside)) or ""
    return "" if realpath(found).startswith(inside) else found


def repositories(root: str, paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the repository folders of `root` that contain some of `paths`, with these paths
    relative to them.
    """
    found: dict[str, list[str]] = {}
    known: dict[str, bool] = {}
    for path in paths:
        parts = path.split("/")
        for place in (place for place, part in enumerate(parts) if part in _TELLING):
            folder = "/".join(parts[:place])
            if folder not in known:
                held = (join(root, folder, name) for name in ("HEAD", "objects", "refs"))
                known[folder] = all(map(lexists, held))
            if known[folder]:
                found.setdefault(folder, []).append("/".join(parts[place:]))
    return found


def blob_name(path: str, form: str) -> str:
    """Return the name that Git gives to the content of a file. Raises OSError."""
    with open(path, "rb", 0) as file:
        size = os.fstat(file.fileno()).st_size
        begun = hashlib.new(form, b"blob %d\0" % size, usedforsecurity=False)
        return hashlib.file_digest(file, lambda: begun).hexdigest()


def git_folders(folder: str) -> tuple[str, ...]:
    """Return the real paths of where the repository checked out in a folder keeps what is its own,
    and what several checkouts share; empty if there is none.
    """
    named = join(folder, ".git")
    if not lexists(named):
        return ()
    own = realpath(join(folder, _short(named).removeprefix("gitdir:").strip() or ".git"))
    return own, realpath(join(own, _short(join(own, "commondir"))))


def _short(path: str) -> str:
    """Return the text of a short file, "" if there is none."""
    with contextlib.suppress(OSError):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return os.fsdecode(file.read(_LONGEST_PATH)).strip()
    return ""


def index_folder(root: str, path: str) -> str:
    """Return the folder, relative to `root`, of the index that a file belongs to; "" for none."""
    while path and ".git" not in path.split("/"):
        path = dirname(path)
        if found := git_folders(join(root, path)):
            return relpath(found[0], realpath(root))
    return ""


def index_of(path: Path) -> tuple[str, bytes]:
    """Return the hash that an index uses for names, and its content, which holds these. Raises
    OSError.
    """
    data = path.read_bytes() if path.is_file() else b""
    is_long = hashlib.sha256(data[:-32]).digest() == data[-32:]  # it ends with its own
    return "sha256" if is_long else "sha1", data


def references(packed: Iterable[str], loose: Mapping[str, str]) -> dict[str, str]:
    """Return what references point to, without symbolic ones. Raises OSError."""
    found = {}
    for line in text_of(packed).splitlines():
        if _ID.fullmatch(line.partition(" ")[0]):
            found[line.partition(" ")[2]] = line.partition(" ")[0]
    for name, path in loose.items():
        if _ID.fullmatch(text := text_of([path]).strip()):
            found[name] = text
    return found


def log_entries(paths: Iterable[str]) -> list[str]:
    """Return the entries of a reflog without their first word, which changes when other entries are
    removed. Raises OSError.
    """
    return [line.partition(" ")[2].rstrip() for line in text_of(paths).splitlines()]


def named_in(paths: Iterable[str]) -> set[str]:
    """Return the objects named in reflogs and in files with a single name. Raises OSError."""
    words = {word for line in text_of(paths).splitlines() for word in line.split(" ", 2)[:2]}
    return {word for word in words if _ID.fullmatch(word) and word.strip("0")}


def age_s(entry: str) -> float:
    """Return the age of a reflog entry: ``ID NAME <MAIL> TIME ZONE`` and a message."""
    words = entry.partition("\t")[0].split()
    return time.time() - int(words[-2]) if len(words) > 2 and words[-2].isdigit() else 0.0


def text_of(paths: Iterable[str]) -> str:
    """Return the content of files, decoded like file names. Raises OSError."""
    return "".join(os.fsdecode(Path(path).read_bytes()) for path in paths)
