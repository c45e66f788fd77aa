"""What the person always allows in a workspace: kept in the user's own folder, by the workspace's real path, never in it.

The file holds ``{"workspaces": {ROOT: [{"kind", "place", "program", "granted"}]}}`` and is readable by the user only. What this
version does not know is kept.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.workspace.files import BrokenFile, atomic_write, json_text, locked, private_folder, read_json


class RememberedGrant(msgspec.Struct, frozen=True):
    """One thing that is always allowed. `granted` is when, UTC, ISO 8601."""

    kind: str
    place: str
    program: str = ""
    granted: str = ""


class GrantStore:
    """The remembered grants of one workspace in the file `path`. Several windows may write it at the same time."""

    def __init__(self, path: Path, root: Path) -> None:
        self.path = path
        self._root = str(root)
        self.broken: BrokenFile | None = None

    def load(self) -> tuple[RememberedGrant, ...]:
        """Return what is allowed here. Never raises: what cannot be read allows nothing; `broken` then says why."""
        return tuple(grant for entry in _entries(self._read(), self._root) if (grant := _grant(entry)) is not None)

    def add(self, grants: tuple[RememberedGrant, ...]) -> None:
        """Remember `grants`, each once. Raises OSError, DogentError where another window holds the file."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        new = [{"kind": g.kind, "place": g.place, "program": g.program, "granted": g.granted or now} for g in grants]
        self._change(lambda entries: [*(e for e in entries if not any(_same(e, one) for one in new)), *new])

    def revoke(self, grant: RememberedGrant) -> None:
        """Forget one grant. Raises OSError, DogentError where another window holds the file."""
        gone = {"kind": grant.kind, "place": grant.place, "program": grant.program}
        self._change(lambda entries: [entry for entry in entries if not _same(entry, gone)])

    def _read(self) -> dict[str, Any]:
        nothing: dict[str, Any] = {}
        data, broken = read_json(self.path, nothing)
        self.broken = broken or self.broken
        return data

    def _change(self, change: Callable[[list[Any]], list[Any]]) -> None:
        private_folder(self.path.parent)
        with locked(self.path):
            data = self._read()
            workspaces = data.get("workspaces")
            data["workspaces"] = {**(workspaces if isinstance(workspaces, dict) else {})}
            data["workspaces"][self._root] = change(_entries(data, self._root))
            atomic_write(self.path, json_text(data), mode=0o600)
            self.path.chmod(0o600)  # also where it was made by hand


def _entries(data: dict[str, Any], root: str) -> list[Any]:
    workspaces = data.get("workspaces")
    entries = workspaces.get(root) if isinstance(workspaces, dict) else None
    return entries if isinstance(entries, list) else []


def _grant(entry: Any) -> RememberedGrant | None:
    if not isinstance(entry, dict):
        return None
    texts = [entry.get(key, "") for key in ("kind", "place", "program", "granted")]
    return RememberedGrant(*texts) if texts[0] and all(isinstance(text, str) for text in texts) else None


def _same(entry: Any, other: dict[str, str]) -> bool:
    return isinstance(entry, dict) and all(entry.get(key, "") == other[key] for key in ("kind", "place", "program"))
