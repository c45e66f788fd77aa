"""A review and its file: opened, and written where nobody else wrote it meanwhile."""

from pathlib import Path
from types import EllipsisType

from dogent_tui.changes.merging import rebased
from dogent_tui.changes.model import LARGEST, DocumentChange, propose
from dogent_tui.errors import DogentError
from dogent_tui.workspace.copies import Copies
from dogent_tui.workspace.files import content_of, write_checked
from dogent_tui.workspace.paths import Workspace


class Reviewed:
    """The document at `path`, and the change of it under review. Everything here blocks: call it in a thread."""

    def __init__(self, path: Path, change: DocumentChange) -> None:
        self.path = path
        self.change = change

    @classmethod
    def open(
        cls, workspace: Workspace, typed: str, text: str, summary: str = "", *, base: str | EllipsisType | None = ...
    ) -> "Reviewed":
        """Propose `text` for the file that `typed` names. `base` is what it held then (None: nothing), by default what it holds.

        Raises DogentError for a place or a text that cannot be.
        """
        path, name = workspace.absolute(typed).resolve(), workspace.relative(typed)
        if not typed.strip() or not workspace.contains(path):
            raise DogentError(f"{name} lies outside of this workspace.", "Name a file in it.")
        if path.is_relative_to(workspace.dot):
            raise DogentError(f"{name} holds what the agent has to obey.", "Such files are changed by other ways.")
        if path.exists() and not path.is_file():
            raise DogentError(f"{name} is not a file.", "Name a Markdown file.")
        content = _read(path, name) if isinstance(base, EllipsisType) else None if base is None else base.encode("utf-8")
        return cls(path, propose(name, content, text, summary))

    def refresh(self) -> bool:
        """Take over what the file holds now. True where somebody changed it: the review is another one. Raises DogentError."""
        content = _read(self.path, self.change.name)
        if content == self.change.content:
            return False
        self.change = rebased(self.change, content)
        return True

    def apply(self, copies: Copies | None = None) -> bool:
        """Write what is accepted, whole or not at all; `copies` can bring back what was there.

        False where the file is not any more what was reviewed: nothing was written, and the review is over what it holds now.
        Raises DogentError.
        """
        if self.refresh():
            return False
        change = self.change
        after = change.result.content
        if after == (change.content or b""):
            return True
        kept = 0
        if copies is not None:
            places = [self.path]
            kept = copies.keep(f"Review of {change.name}", *(([], places) if change.is_new else (places, []))).number
        try:
            is_written = write_checked(self.path, change.content, after)
        except OSError as error:
            raise DogentError(f"{change.name} was not written: {error.strerror}.", "Check the folder's permissions.") from None
        if not is_written:
            self.refresh()
        elif copies is not None and kept:
            copies.settle(kept)
        return is_written


def _read(path: Path, name: str) -> bytes | None:
    try:
        if path.exists() and path.stat().st_size > LARGEST:
            raise DogentError(f"{name} is too large to be reviewed: {LARGEST >> 20} MB at the most.", "Change a part of it.")
        return content_of(path)
    except OSError as error:
        raise DogentError(f"{name} cannot be read: {error.strerror}.", "Check its permissions.") from None
