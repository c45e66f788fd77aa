"""What the user's own folder keeps about workspaces: one file a subject, by the workspace's real
path, readable by the user only.

Such a file holds ``{"workspaces": {ROOT: [{…}, …]}}``. What this version does not know is kept.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dogent_tui.storage.files import (
    BrokenFile,
    atomic_write,
    json_text,
    locked,
    private_folder,
    read_json,
)


class HomeRecords:
    """The records of one workspace in the file `path`. Several windows may write it at the same
    time.
    """

    def __init__(self, path: Path, root: Path) -> None:
        self.path = path
        self._root = str(root)
        self.broken: BrokenFile | None = None

    def entries(self) -> list[Any]:
        """Return the records as they stand. Never raises: what cannot be read is empty; `broken`
        then says why.
        """
        return _entries(self._read(), self._root)

    def change(self, change: Callable[[list[Any]], list[Any]]) -> None:
        """Replace the records by what `change` makes of them. Raises OSError, DogentError where
        another window holds the file.
        """
        private_folder(self.path.parent)
        with locked(self.path):
            data = self._read()
            if self.broken and self.broken.kept_as is None:
                raise PermissionError(
                    f"{self.path}: {self.broken.reason}"
                )  # else what it holds would be lost
            workspaces = data.get("workspaces")
            data["workspaces"] = {**(workspaces if isinstance(workspaces, dict) else {})}
            data["workspaces"][self._root] = change(_entries(data, self._root))
            atomic_write(self.path, json_text(data), mode=0o600)
            self.path.chmod(0o600)  # also where it was made by hand

    def _read(self) -> dict[str, Any]:
        nothing: dict[str, Any] = {}
        data, broken = read_json(self.path, nothing)
        self.broken = broken or self.broken
        return data


def _entries(data: dict[str, Any], root: str) -> list[Any]:
    workspaces = data.get("workspaces")
    entries = workspaces.get(root) if isinstance(workspaces, dict) else None
    return entries if isinstance(entries, list) else []
