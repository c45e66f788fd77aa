"""A review and its file: opened, and written if nobody else has written it in the meantime."""

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
    """The document at `path`, and the change under review. Every method blocks: call it in a
    thread.
    """

    def __init__(
        self,
        path: Path,
        change: DocumentChange,
        *,
        by_approval: bool = False,
        on_disk: bytes | EllipsisType | None = ...,
    ) -> None:
        """Create a review.

        Args:
            by_approval: Whether the location of the file was approved; proposals are otherwise not
                allowed there.
            on_disk: The content of the file when the review began, if the change is based on
                unsaved text of an editor.
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
        """Propose `text` for the file that `typed` names.

        Args:
            base: The content of the file at that time (None: it did not exist); by default the
                current content.
            unsaved: The unsaved text in an editor, which is then the base, and is written with what
                is accepted.
            approved: The only real path outside the workspace or in `.dogent` that may be reviewed,
                because the user was asked about it.

        Raises:
            DogentError: The location or the text is not allowed.
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
        """Update to the current content of the file. Returns whether someone changed it, which
        changes the review. Raises DogentError.
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
        """Write what is accepted, atomically; `copies` can restore the previous content.

        False if the file is no longer what was reviewed: nothing was written, and the review is now
        against the current content. Raises DogentError.
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
            kept = copies.keep(tr("Review of {change}", change=change.name), [self.path]).number
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
    """Return the text of the file, None if there is none. Raises DogentError if it cannot be
    reviewed.
    """
    if is_there(path) and not is_file(path):
        raise DogentError(tr("{name} is not a file.", name=name), tr("Specify a text file."))
    content = _read(path, name)
    return None if content is None else decoded(content, name)


def _refusal(workspace: Workspace, path: Path, name: str) -> DogentError | None:
    """Return why a proposal for `path` needs approval, None if it does not."""
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
