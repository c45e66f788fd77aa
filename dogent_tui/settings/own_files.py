"""Changes by the application itself to files of a workspace: planned first, so that the user sees
what they would do.
"""

from pathlib import Path

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.records import Record
from dogent_tui.settings.trust import make_own_folder
from dogent_tui.storage.files import content_of, write_checked
from dogent_tui.storage.paths import Workspace


class OwnChange(Record):
    """The current content of `path`, None if it does not exist, and the new content."""

    path: Path
    before: bytes | None
    after: str


def plan_change(path: Path, after: str) -> OwnChange:
    """Return the change that writes the text `after` to `path`. Raises OSError if the file exists
    and cannot be read.
    """
    return OwnChange(path, content_of(path), after)


def make_change(workspace: Workspace, change: OwnChange) -> bool:
    """Carry out `change`. Return False if the file has changed since it was planned: plan it again.

    Raises OSError, and DogentError if another window holds the file, or a link of `.dogent` leads
    out of the workspace: its target was read for the change, and may contain keys.
    """
    if change.path.is_relative_to(workspace.dot) and not workspace.contains(change.path):
        raise DogentError(
            tr(
                "{file} is a link that points outside the folder, so it is not written.",
                file=change.path,
            ),
            tr("Replace the link with a file."),
        )
    make_own_folder(workspace)
    return write_checked(change.path, change.before, change.after)
