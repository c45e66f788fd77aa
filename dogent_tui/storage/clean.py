"""What /clean deletes of a workspace: its history, its lessons, the agent's own notes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.storage.files import locked
from dogent_tui.storage.paths import Workspace

Forgettable: TypeAlias = Literal["history", "lessons", "memory"]

FORGETTABLE: tuple[Forgettable, ...] = get_args(Forgettable)


def forget(workspace: Workspace, what: Sequence[Forgettable]) -> None:
    """Delete each of `what`. Raises OSError, and DogentError if another window uses a file or a
    link leads outside.
    """
    for name in what:
        file = place(workspace, name)
        if file.is_symlink() or not workspace.contains(file):
            raise DogentError(
                tr("{file} is a link that points elsewhere, so it is left alone.", file=file),
                tr("Remove the link yourself."),
            )
        with locked(file):
            file.unlink(missing_ok=True)


def is_there(workspace: Workspace, name: Forgettable) -> bool:
    """Return whether there is anything to delete. Reads the disk; a link counts, so that it is
    reported.
    """
    file = place(workspace, name)
    return file.exists() or file.is_symlink()


def place(workspace: Workspace, name: Forgettable) -> Path:
    """Return its file."""
    return {
        "history": workspace.history_file,
        "lessons": workspace.lessons_file,
        "memory": workspace.memory_file,
    }[name]
