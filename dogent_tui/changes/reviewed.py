"""A review and its file: opened, and written where nobody else wrote it meanwhile."""

from pathlib import Path
from types import EllipsisType

from dogent_tui.changes.model import LARGEST, DocumentChange, propose, too_large
from dogent_tui.changes.rebase import rebased
from dogent_tui.changes.text import Lines, decoded
from dogent_tui.errors import DogentError, disk_remedy
from dogent_tui.language import tr
from dogent_tui.storage.files import content_of, write_checked
from dogent_tui.storage.paths import Workspace, is_file, is_there
from dogent_tui.storage.places import pinned
from dogent_tui.undo.undo_log import UndoLog


class Reviewed:
    """The document at `path`, and the change of it under review. Everything here blocks: call it
    in a thread.
    """

    def __init__(
        self,
        path: Path,
        change: DocumentChange,
        *,
        by_approval: bool = False,
        on_disk: bytes | EllipsisType | None = ...,
    ) -> None:
        """`by_approval`: that it lies where it does was approved, since proposals do not lead there
        by themselves.

        `on_disk` is what the file held as the review began, where the change is one of what an
        editor holds and has not saved.
        """
        self.path = path
        self.change = change
        self._is_unsaved = not isinstance(on_disk, EllipsisType)
        self._on_disk = change.content if isinstance(on_disk, EllipsisType) else on_disk
        self.by_approval = by_approval

    @classmethod
    def open(
        cls,
        workspace: Workspace,
        typed: str,
        text: str,
        summary: str = "",
        *,
        base: bytes | EllipsisType | None = ...,
        approved: Path | None = None,
        unsaved: str | None = None,
    ) -> "Reviewed":
        """Propose `text` for the file that `typed` names. `base` is what it held then (None:
        nothing), by default what it holds.

        `unsaved` is what an editor holds of it and has not saved: that is what is changed, and
        written with what is accepted. Outside of the workspace, and in `.dogent`, only the real
        path `approved` is reviewed: what the user was asked about. Raises DogentError for a place
        or a text that cannot be.
        """
        path, name = workspace.absolute(typed).resolve(), workspace.relative(typed)
        if not typed.strip():
            raise DogentError(
                tr("The file name is missing."), tr("Specify a file in this workspace.")
            )
        refusal = _refusal(workspace, path, name)
        if approved is not None and path != approved:
            raise DogentError(
                tr("{name} no longer points to where it did when it was approved.", name=name),
                tr("Propose the change again."),
            )
        if refusal is not None and approved is None:
            raise refusal
        if is_there(path) and not is_file(path):
            raise DogentError(
                tr("{name} is not a file.", name=name), tr("Specify a Markdown file.")
            )
        if unsaved is not None:
            change = propose(name, unsaved.encode(), text, summary)
            return cls(path, change, by_approval=refusal is not None, on_disk=_read(path, name))
        content = _read(path, name) if isinstance(base, EllipsisType) else base
        return cls(path, propose(name, content, text, summary), by_approval=refusal is not None)

    def refresh(self) -> bool:
        """Take over what the file holds now. True where somebody changed it: the review is
        another one. Raises DogentError.
        """
        content = _read(self.path, self.change.name)
        if content == self._on_disk:
            return False
        if self._is_unsaved:
            raise DogentError(
                tr(
                    "{name} changed on disk while your editor holds unsaved text.",
                    name=self.change.name,
                ),
                tr("Nothing was written. Save or reload it in the editor, then ask again."),
            )
        self.change, self._on_disk = rebased(self.change, content), content
        return True

    def apply(self, copies: UndoLog | None = None) -> bool:
        """Write what is accepted, whole or not at all; `copies` can bring back what was there.

        False where the file is not any more what was reviewed: nothing was written, and the review
        is over what it holds now. Raises DogentError.
        """
        if self.path.resolve() != self.path:
            raise DogentError(
                tr("{name} now points elsewhere.", name=self.change.name),
                tr("Nothing was written. Reject the change, or check that file."),
            )
        if self.refresh():
            return False
        change = self.change
        after = change.result.content
        if after == (change.content or b""):
            return True
        kept = 0
        if copies is not None:
            places = [self.path]
            kept = copies.keep(
                tr("Review of {change}", change=change.name),
                *(([], places) if change.is_new else (places, [])),
            ).number
        try:
            with pinned(self.path) as place:
                is_written = write_checked(place, self._on_disk, after)
        except OSError as error:
            raise DogentError(
                tr(
                    "{change} was not written: {strerror}.",
                    change=change.name,
                    strerror=error.strerror,
                ),
                disk_remedy(error),
            ) from None
        if not is_written:
            self.refresh()
        elif copies is not None and kept:
            copies.settle(kept)
        return is_written


def held(path: Path, name: str) -> Lines | None:
    """Return the text that the file holds, None where there is none. Raises DogentError where it
    cannot be reviewed.
    """
    if is_there(path) and not is_file(path):
        raise DogentError(tr("{name} is not a file.", name=name), tr("Specify a text file."))
    content = _read(path, name)
    return None if content is None else decoded(content, name)


def _refusal(workspace: Workspace, path: Path, name: str) -> DogentError | None:
    """Return why a proposal does not lead to `path` unless that was approved, None where it
    does.
    """
    if not workspace.contains(path):
        return DogentError(
            tr("{name} is outside this workspace.", name=name),
            tr("Specify a file inside it."),
        )
    if path.is_relative_to(workspace.dot):
        return DogentError(
            tr("{name} holds rules the agent must follow.", name=name),
            tr("Such files can't be changed this way."),
        )
    return None


def _read(path: Path, name: str) -> bytes | None:
    try:
        if is_there(path) and path.stat().st_size > LARGEST:
            raise too_large(name)
        return content_of(path)
    except OSError as error:
        raise DogentError(
            tr("{name} cannot be read: {strerror}.", name=name, strerror=error.strerror),
            disk_remedy(error),
        ) from None
