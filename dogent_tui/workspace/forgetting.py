"""What /clean forgets of a workspace: its history, its lessons, the agent's own notes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.workspace.files import locked
from dogent_tui.workspace.history import History
from dogent_tui.workspace.paths import Workspace

Forgettable: TypeAlias = Literal["history", "lessons", "memory"]

FORGETTABLE: tuple[Forgettable, ...] = get_args(Forgettable)


def forget(workspace: Workspace, what: Sequence[Forgettable]) -> None:
    """Empty each of `what`. Raises OSError, DogentError where another window holds a file or one leads out by a link."""
    for name in what:
        if name == "history":
            History(workspace.history_file).clear()
        else:
            _remove(workspace, workspace.lessons_file if name == "lessons" else workspace.memory_file)


def _remove(workspace: Workspace, file: Path) -> None:
    if file.is_symlink() or not workspace.contains(file):
        raise DogentError(
            tr("{file} leads elsewhere by a link, and is not touched.").format(file=file), tr("Remove the link yourself.")
        )
    with locked(file):
        file.unlink(missing_ok=True)
