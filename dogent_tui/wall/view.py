"""What a program behind the wall sees: the one list of mounts, writable places and variables, for
commands and for our own readers.

Whatever is not listed does not exist there. The system is read-only; the home, `/tmp` and
`/dev/shm` are private to the session.
"""

import os
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

Mount: TypeAlias = tuple[str | bool, ...]
Level: TypeAlias = Literal["full", "bound", "bare"]

PROXY_PORT = 3128
"""The port of a command's proxy inside; squid's usual port."""
RUN = "/run/dogent"
"""Where a shell inside reports its working directory; private to the session."""
TEMPORARY = {"tmp": "/tmp", "var-tmp": "/var/tmp"}
"""Folder of the session → where it is mounted."""

_SYSTEM = ("/usr", "/opt", "/nix", "/gnu", "/snap", "/sys/devices/system", "/sys/fs/cgroup")
_MERGED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Links into `/usr` on most systems, folders on others."""
_ETC_LEVELS = 4

VISIBLE = (*_SYSTEM, *_MERGED, "/etc", "/proc", "/sys", "/dev", "/run")
"""Places outside the workspace and the home that commands see, at least in part, without a
question.
"""

TOOL_PREFIXES = (
    ".nvm/versions", ".volta/tools", ".fnm", ".local/share/fnm", ".local/share/mise/installs",
    ".local/share/pnpm", ".bun/bin", ".deno/bin", ".pyenv", ".local/bin", ".local/lib",
    ".local/share/uv/python", ".local/share/uv/tools", ".local/share/pipx/venvs", ".rye/py",
    "miniconda3", "anaconda3", "miniforge3", ".cargo/bin", ".rustup/toolchains",
    ".rustup/settings.toml", "go/bin", ".go", ".rbenv", ".gem/ruby", ".sdkman/candidates",
    ".asdf/installs", ".asdf/shims", ".asdf/bin", ".ghcup/bin", ".cabal/bin", ".TinyTeX", "texmf",
    ".nix-profile", ".fonts", ".local/share/fonts", ".terminfo",
)  # fmt: skip
"""Places in the home that hold tools. Never a folder that also holds keys, such as `~/.config`."""

SECRETS_IN_HOME = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config", ".local/share",
    ".local/state", ".password-store", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
    ".mozilla", ".thunderbird", ".claude", ".claude.json", ".dogent", ".bash_history",
    ".zsh_history", ".python_history", ".psql_history", ".mysql_history", ".lesshst",
    ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".pgpass", ".my.cnf",
    ".vault-token", ".terraform.d",
)  # fmt: skip
"""What to hide if the home is the workspace or is inside it."""

_VARIABLES = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM",
    "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CI", "EDITOR", "PAGER", "VIRTUAL_ENV",
    "CONDA_PREFIX", "NVM_DIR", "NVM_BIN", "PYENV_ROOT", "VOLTA_HOME", "JAVA_HOME", "GOPATH",
    "GOROOT", "RUSTUP_HOME", "CARGO_HOME", "TEXMFHOME", "SOURCE_DATE_EPOCH",
    "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED",
})  # fmt: skip
"""Environment variables to pass on, besides those that begin with LC_. Never a key."""

FAMILIES = (1, 2, 10, 16)
"""The socket families AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK, which stay within the network
namespace.
"""


class View(msgspec.Struct, frozen=True):
    """What the commands of a session see and may change. Paths are absolute and resolved.

    `private` is the session's folder with ``home``, ``tmp`` and ``shm``. If no layer is possible,
    `level` is ``bound``: the workspace is mounted as it is. Without namespaces it is ``bare``:
    nothing can be mounted over anything else.
    """

    private: Path
    workspace: Path
    home: Path
    level: Level = "full"

    def room(self) -> dict[str, Any]:
        """Return what all commands have in common."""
        room: dict[str, Any] = {"level": self.level, "network": "none", "port": PROXY_PORT}
        room |= {"families": FAMILIES, "base": str(self.private / "root")}
        if self.level == "bare":
            own = [str(self.private / name) for name in ("home", "tmp", "run")]
            return {**room, "readable": [*as_it_is(self.home)], "writable": own}
        private = {"run": RUN, **TEMPORARY}
        mounts: list[Mount] = [*system_mounts(), ("devices", str(self.private / "shm"))]
        if not self._home_is_inside:
            private["home"] = str(self.home)
        mounts += (("bind", str(self.private / name), private[name], False) for name in private)
        mounts += () if self._home_is_inside else tools(self.home)
        return {**room, "common": mounts, "writable": ["/dev/shm", *private.values()]}

    def plan(
        self,
        layer: Path,
        cwd: Path,
        argv: Sequence[str],
        *,
        readable: Sequence[Path] = (),
        outside: Sequence[Mount] = (),
        hidden: Sequence[Path] = (),
        environment: Mapping[str, str] = {},
    ) -> dict[str, Any]:
        """Return what is specific to one command.

        The workspace is covered by the layer in the folder `layer`. `readable` are further places,
        `outside` are writable mounts.
        """
        workspace, places = str(self.workspace), {"HOME": str(self.home)}
        if self.level == "bare":
            places = {"HOME": str(self.private / "home"), "TMPDIR": str(self.private / "tmp")}
            places["PATH"] = _path_of((*as_it_is(self.home), workspace))
        own: list[Mount] = [("bind", str(place), str(place), True) for place in readable]
        own += outside
        if self.level == "bound":
            own.append(("bind", workspace, workspace, False))
        else:
            own.append(("overlay", workspace, workspace, str(layer)))
        secrets = [self.home / name for name in SECRETS_IN_HOME] if self._home_is_inside else []
        return {
            "readable": [*map(str, readable)],
            "own": own,
            "hidden": [("hide", str(place)) for place in (*secrets, *hidden)],
            "writable": [workspace, *(mount[2] for mount in outside)],
            "argv": argv,
            "env": {**passed_on(_VARIABLES), **places, **environment},
            "cwd": str(cwd),
        }

    @property
    def _home_is_inside(self) -> bool:
        return self.home.is_relative_to(self.workspace)


def system_mounts() -> Iterator[Mount]:
    """Yield the system mounts of every program: all read-only, with the files hidden that only root
    can read.
    """
    for place in _SYSTEM:
        if os.path.isdir(place):
            yield ("bind", place, place, True)
    for place in _MERGED:
        if os.path.islink(place):
            yield ("link", place, os.readlink(place))
        elif os.path.isdir(place):
            yield ("bind", place, place, True)
    yield ("bind", "/etc", "/etc", True)
    yield from (("hide", place) for place in _secrets_in_etc())
    prefixes = (sys.prefix, sys.base_prefix)
    named = (*map(os.path.realpath, prefixes), *prefixes)  # PATH may name a link
    for prefix in dict.fromkeys(named):
        if not prefix.startswith(("/usr", "/opt", "/nix")):
            yield ("bind", os.path.realpath(prefix), prefix, True)


def read_only_places(home: Path) -> tuple[Path, ...]:
    """Return the places of the system and of tools that every program sees in full and none can
    write to.
    """
    mounts = (*system_mounts(), *tools(home))
    return tuple(Path(str(each[1])) for each in mounts if each[0] == "bind" and each[2] != "/etc")


def as_it_is(home: Path) -> Iterator[str]:
    """Yield what every program may read if nothing can be hidden: the tree, level by level, without
    the secrets.
    """
    hidden = set(_secrets_in_etc())
    for kind, place, *_ in (*system_mounts(), *tools(home)):
        if kind == "bind":
            yield from _without(str(place), hidden)
    yield "/proc"


def _path_of(readable: Sequence[str]) -> str:
    """Return the readable folders of PATH: a shell takes the first program it finds, even if it may
    not run it.
    """
    real = tuple(f"{os.path.realpath(place)}/" for place in readable)
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    seen = (each for each in folders if f"{os.path.realpath(each)}/".startswith(real))
    return os.pathsep.join(seen)


def _without(place: str, hidden: set[str]) -> Iterator[str]:
    if not any(each.startswith(place.rstrip("/") + "/") for each in hidden):
        yield place
    elif os.access(place, os.R_OK):
        for entry in os.scandir(place):
            if entry.path not in hidden and os.path.exists(entry.path):
                yield from _without(entry.path, hidden)


@cache
def _secrets_in_etc() -> tuple[str, ...]:
    """Return the paths in `/etc` that we may read and others may not."""
    return (*_closed("/etc", _ETC_LEVELS),)


def _closed(folder: str, levels: int) -> Iterator[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            mode = entry.stat(follow_symlinks=False).st_mode
            if entry.is_symlink():
                continue
            if not mode & 0o004 and os.access(entry.path, os.R_OK):
                yield entry.path
            elif levels > 1 and entry.is_dir():
                yield from _closed(entry.path, levels - 1)


def tools(home: Path) -> Iterator[Mount]:
    """Yield the mounts of the user's own tools."""
    for name in TOOL_PREFIXES:
        place = str(home / name)
        if os.path.exists(place):
            yield ("bind", os.path.realpath(place), place, True)


def passed_on(names: Container[str]) -> dict[str, str]:
    """Return the environment variables to pass on: `names`, and those of the language."""
    return {each: os.environ[each] for each in os.environ if each in names or each[:3] == "LC_"}
