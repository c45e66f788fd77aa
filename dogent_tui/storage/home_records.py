"""Records about workspaces in the user's own folder: one file per subject, keyed by the workspace's
real path, readable by the user only.

The format is ``{"workspaces": {ROOT: [{…}, …]}}``. Data unknown to this version is kept.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dogent_tui.records import Json, JsonDict, at
from dogent_tui.storage.files import (
    BrokenFile,
    atomic_write,
    json_text,
    locked,
    private_folder,
    read_json,
)


class HomeRecords:
    """The records of one workspace in the file `path`, which several windows may write
    concurrently.
    """

    def __init__(self, path: Path, root: Path) -> None:
        self.path = path
        self._root = str(root)
        self.broken: BrokenFile | None = None

    def entries(self) -> list[JsonDict]:
        """Return the current records. Never raises: if they cannot be read, the result is empty and
        `broken` says why.
        """
        return [
            entry
            for entry in at(self._read(), list, "workspaces", self._root)
            if isinstance(entry, dict)
        ]

    def put(self, records: Sequence[Json], keys: Sequence[str], *, gone: bool = False) -> None:
        """Add `records`, replacing those with equal `keys`; if `gone`, only remove these. Raises
        OSError, and DogentError if another window holds the file.
        """

        def is_replaced(entry: Any) -> bool:
            return isinstance(entry, dict) and any(
                all(entry.get(key, "") == record[key] for key in keys) for record in records
            )

        private_folder(self.path.parent)
        with locked(self.path):
            data = self._read()
            if self.broken and self.broken.kept_as is None:
                # otherwise its content would be lost
                raise PermissionError(f"{self.path}: {self.broken.reason}")
            kept = [
                entry
                for entry in at(data, list, "workspaces", self._root)
                if not is_replaced(entry)
            ]
            mine = {self._root: [*kept, *([] if gone else records)]}
            data["workspaces"] = at(data, dict, "workspaces") | mine
            atomic_write(self.path, json_text(data), mode=0o600)
            self.path.chmod(0o600)  # also if it was created by hand

    def _read(self) -> JsonDict:
        data, broken = read_json(self.path)
        self.broken = broken or self.broken
        return data
