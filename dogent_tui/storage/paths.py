"""Paths: the user's own files, the platform's folders for state, caches and logs, and the
workspace.
"""

import os
import re
from pathlib import Path

import msgspec

APP_NAME = "dogent-tui"
_PACKAGE = Path(__file__).resolve().parents[1]


def shipped(name: str) -> Path:
    """Return a file of `styles/`: inside the wheel once installed, at the root of a checkout."""
    installed = _PACKAGE / "styles"
    return (installed if installed.is_dir() else _PACKAGE.parent / "styles") / name


def dogent_home() -> Path:
    """Return the folder of the user's profiles and templates: ``DOGENT_HOME``, or ``~/.dogent``.
    It may not exist yet.
    """
    named = os.environ.get("DOGENT_HOME", "").strip()
    return Path(expand_home(named or "~/.dogent")).absolute()


def state_dir() -> Path:
    """Return the folder for drafts, session logs, grants and locks. It may not exist yet."""
    return _platform_dir("state")


def log_dir() -> Path:
    """Return the folder for logs and crash reports. It may not exist yet."""
    return _platform_dir("log")


def cache_dir() -> Path:
    """Return the folder for data that can be recreated, such as converted documents. It may not
    exist yet.
    """
    return _platform_dir("cache")


def _platform_dir(kind: str) -> Path:
    # With DOGENT_HOME everything is in one folder: a portable installation, or a test, leaves
    # nothing elsewhere.
    if os.environ.get("DOGENT_HOME", "").strip():
        return dogent_home() / kind
    from platformdirs import PlatformDirs

    folders = PlatformDirs(APP_NAME, appauthor=False)
    return {
        "state": folders.user_state_path,
        "log": folders.user_log_path,
        "cache": folders.user_cache_path,
    }[kind]


class Workspace(msgspec.Struct, frozen=True):
    """A folder that a user works in. `root` is its real path, whichever path was used to open
    it.
    """

    root: Path

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "root", Path(os.path.realpath(expand_home(self.root))))

    @property
    def dot(self) -> Path:
        """The folder with the workspace's own files."""
        return self.root / ".dogent"

    @property
    def settings_file(self) -> Path:
        """JSON: which profiles, images folder, template and language this workspace uses."""
        return self.dot / "dogent.json"

    @property
    def constraints_file(self) -> Path:
        """Markdown: the writing constraints of the workspace."""
        return self.dot / "dogent.md"

    @property
    def lessons_file(self) -> Path:
        """Markdown: what went wrong here before, and how to do it right."""
        return self.dot / "lessons.md"

    @property
    def memory_file(self) -> Path:
        """Markdown: the scratch notes of the agent."""
        return self.dot / "memory.md"

    @property
    def history_file(self) -> Path:
        """JSON array: what was asked here, and the result."""
        return self.dot / "history.json"

    @property
    def key(self) -> str:
        """The name for files about this workspace that are stored elsewhere. The same folder always
        has the same key.
        """
        import hashlib  # imported here, as it loads OpenSSL

        return hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]

    def absolute(self, path: str | os.PathLike[str]) -> Path:
        """Resolve `path`: ``~`` is the home folder, and relative paths start at the root.

        Symbolic links are kept, unless ``..`` follows one: only the real path has the right parent.
        """
        full = self.root / expand_home(path)
        return _real(full) if ".." in full.parts else full

    def relative(self, path: str | os.PathLike[str]) -> str:
        """Return `path` for display and transmission: relative to the root, with ``/``, if it is
        inside; otherwise absolute.
        """
        full = self.absolute(path)
        if not full.is_relative_to(self.root):
            real = _real(full)  # only here: it asks the disk once per folder
            if not real.is_relative_to(self.root):
                return full.as_posix()
            full = real
        return full.relative_to(self.root).as_posix()

    def contains(self, path: str | os.PathLike[str]) -> bool:
        """Return whether `path` really is inside: with all links resolved, compared folder by
        folder. It need not exist.
        """
        return _real(self.absolute(path)).is_relative_to(self.root)


def expand_home(path: str | os.PathLike[str]) -> str:
    """Return `path` with a leading ``~`` or ``~/`` replaced by the home folder. ``~name`` is an
    ordinary name.
    """
    text = os.fspath(path)
    return f"{_home()}{text[1:]}" if text == "~" or text.startswith("~/") else text


def display_path(path: str | os.PathLike[str]) -> str:
    """Return `path` for display: the home folder shortened to ``~``."""
    text, home = os.fspath(path), _home()
    return (
        f"~{text[len(home) :]}" if home and (text == home or text.startswith(f"{home}/")) else text
    )


def is_there(path: str | os.PathLike[str]) -> bool:
    """Return whether `path` exists. Unlike `Path.exists`, does not raise for impossible names, such
    as one of 300 bytes.
    """
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether `path` is a file; see `is_there`."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether `path` is a folder; see `is_there`."""
    return os.path.isdir(path)  # noqa: PTH112


def _real(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except ValueError:  # a zero byte: no file can have that name
        return Path(os.path.normpath(path))


def _home() -> str:
    return str(Path.home()).rstrip("/")


def file_name(identity: str) -> str:
    """Return an id as the name of a file or folder."""
    return re.sub(r"[^A-Za-z0-9-]", "-", identity)[:64]


def export_target(source: str, kind: str) -> str:
    """Return the path of the file of `kind` (``pdf``) next to the Markdown file `source`, in the
    same spelling.
    """
    folder, slash, name = source.rpartition("/")
    return f"{folder}{slash}{name.rpartition('.')[0] or name}.{kind}"
