"""A text file of the workspace that is opened, edited, and written back unless someone else has
written it in the meantime.
"""

import hashlib
from pathlib import Path

from dogent_tui.errors import DogentError, disk_remedy
from dogent_tui.language import tr
from dogent_tui.storage.files import write_checked
from dogent_tui.storage.paths import Workspace, is_file, is_folder

LARGEST = 4 << 20
"""The largest file to open, in bytes."""

_BOM = "\ufeff"


class TextFile:
    """The file `path`. `text` is its content, with ``\\n`` line endings whatever the file uses."""

    def __init__(self, path: Path, name: str) -> None:
        """Use `open` instead."""
        self.path = path
        self.name = name
        self.text = ""
        self._content = b""
        self._has_bom = self._has_crlf = False

    @classmethod
    def open(cls, workspace: Workspace, typed: str) -> "TextFile":
        """Open the file that a user named. Blocks: call it in a thread. Raises DogentError."""
        path = workspace.absolute(typed)
        name = workspace.relative(path)
        if not workspace.contains(path):
            raise DogentError(
                tr("{name} is outside this workspace.", name=name),
                tr("Open the folder that contains it in dogent-tui."),
            )
        if is_folder(path):
            raise DogentError(
                tr("{name} is a folder.", name=name), tr("Specify a Markdown file in it.")
            )
        _must_be_free(workspace, path)
        file = cls(path.resolve(), name)
        file._content = file._read()
        if len(file._content) > LARGEST:
            raise DogentError(
                tr("{name} is larger than {size} MB.", name=name, size=LARGEST >> 20),
                tr("Split it into several documents."),
            )
        try:
            text = file._content.decode("utf-8")
        except UnicodeDecodeError:
            raise DogentError(
                tr("{name} is not UTF-8 text.", name=name),
                tr("Specify a Markdown file; if it is in another encoding, convert it first."),
            ) from None
        file._has_bom = text.startswith(_BOM)
        text = text.removeprefix(_BOM)
        file._has_crlf = "\r\n" in text and text.count("\n") == text.count("\r\n") == text.count(
            "\r"
        )
        file.text = text.replace("\r\n", "\n") if file._has_crlf else text
        return file

    def save(self, text: str) -> None:
        """Write `text` atomically. Blocks: call it in a thread.

        Raises DogentError if the file has changed since it was opened or last saved, or cannot be
        written.
        """
        self._must_be_there()
        written = text.replace("\n", "\r\n") if self._has_crlf else text
        content = ((_BOM if self._has_bom else "") + written).encode(
            "utf-8", errors="surrogatepass"
        )
        if not _is_saved(self.path, self.name, self._content, content):
            raise DogentError(
                tr(
                    "{name} was changed by someone else in the meantime, and was not overwritten.",
                    name=self.name,
                ),
                tr(
                    "Copy your outline from the Markdown view (Ctrl+T), or save it under another"
                    " name."
                ),
            )
        self._content, self.text = content, text

    @property
    def fingerprint(self) -> str:
        """A fingerprint of this content of the file."""
        return hashlib.sha256(self._content).hexdigest()

    def _must_be_there(self) -> None:
        if not is_file(self.path):
            raise DogentError(
                tr("There is no file {name}.", name=self.name),
                tr("Check the name; it is relative to the workspace."),
            )

    def _read(self) -> bytes:
        self._must_be_there()
        try:
            with self.path.open("rb") as file:
                return file.read(LARGEST + 1)
        except OSError as error:
            raise DogentError(
                tr("{name} cannot be read: {strerror}.", name=self.name, strerror=error.strerror),
                disk_remedy(error),
            ) from None


def save_new(workspace: Workspace, typed: str, text: str) -> str:
    """Write `text` to a new file of the workspace and return its name. Never overwrites. Raises
    DogentError.
    """
    path = workspace.absolute(typed.strip())
    name = workspace.relative(path)
    if not typed.strip() or not workspace.contains(path):
        raise DogentError(
            tr("{name} is outside this workspace.", name=name),
            tr("Specify a file in it, such as outline.md."),
        )
    _must_be_free(workspace, path)
    if not _is_saved(path, name, None, text):
        raise DogentError(tr("{name} already exists.", name=name), tr("Choose another name."))
    return name


def _is_saved(path: Path, name: str, before: bytes | None, after: bytes | str) -> bool:
    """Write `after` if the file still contains `before`. Raises DogentError."""
    try:
        return write_checked(path, before, after)
    except OSError as error:
        raise DogentError(
            tr("{name} was not saved: {strerror}.", name=name, strerror=error.strerror),
            disk_remedy(error),
        ) from None


def _must_be_free(workspace: Workspace, path: Path) -> None:
    """Raise DogentError for a file of `.dogent`, even through a link: changes to those are asked
    about first.
    """
    if path.resolve().is_relative_to(workspace.dot):
        raise DogentError(
            tr("{path} holds rules the agent must follow.", path=workspace.relative(path)),
            tr("Change it in your own editor."),
        )
