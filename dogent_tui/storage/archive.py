"""Archives the complete history and lessons of a workspace with a date, so that both start
fresh.
"""

import os
from pathlib import Path

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.storage.files import atomic_write, content_of, locked
from dogent_tui.storage.history import History
from dogent_tui.storage.paths import Workspace


def archive(workspace: Workspace, stamp: str) -> list[Path]:
    """Move the history and the lessons to `.dogent/archives`, named with `stamp`; return the new
    files.

    The archive is written before anything is emptied. Raises OSError, and DogentError if another
    window holds a file.
    """
    put = (_put_aside(workspace, file, stamp) for file in _files(workspace))
    return [aside for aside in put if aside is not None]


def anything_to_archive(workspace: Workspace) -> bool:
    """Return whether there is a history or a lesson. Reads the disk."""
    return any(_content(workspace, file) for file in _files(workspace))


def asides(workspace: Workspace, stamp: str) -> dict[Path, Path]:
    """Return where `archive` would move each file's content."""
    return {file: _aside(file, stamp) for file in _files(workspace)}


def _files(workspace: Workspace) -> tuple[Path, Path]:
    return workspace.history_file, workspace.lessons_file


def _content(workspace: Workspace, file: Path) -> bytes | None:
    """Return the content to archive, None or empty if there is none."""
    if file == workspace.history_file and not History(file).entries():
        return None
    return content_of(file)


def _put_aside(workspace: Workspace, file: Path, stamp: str) -> Path | None:
    if not workspace.contains(file) or not workspace.contains(workspace.dot / "archives"):
        raise DogentError(
            tr(
                "{file} is a link that points outside the folder, so it is not archived.", file=file
            ),
            tr("Replace the link with a file."),
        )
    with locked(file):
        content = _content(workspace, file)
        if not content:
            return None
        aside = _aside(file, stamp)
        atomic_write(aside, content)
        file.unlink()
    return aside


def _aside(file: Path, stamp: str) -> Path:
    folder = file.parent / "archives"
    aside = folder / f"{file.stem}-{stamp}{file.suffix}"
    number = 2
    while os.path.lexists(aside):
        aside = folder / f"{file.stem}-{stamp}-{number}{file.suffix}"
        number += 1
    return aside
