"""What the user always allows in a workspace: kept in the user's own folder, by the workspace's
real path, never in it.

Each record is ``{"kind", "place", "program", "granted"}``.
"""

from datetime import UTC, datetime
from typing import Any

import msgspec

from dogent_tui.storage.home_records import HomeRecords


class RememberedGrant(msgspec.Struct, frozen=True):
    """One thing that is always allowed. `granted` is when, UTC, ISO 8601."""

    kind: str
    place: str
    program: str = ""
    granted: str = ""


class GrantStore(HomeRecords):
    """The remembered grants of one workspace."""

    def load(self) -> tuple[RememberedGrant, ...]:
        """Return what is allowed here. Never raises: what cannot be read allows nothing;
        `broken` then says why.
        """
        return tuple(grant for entry in self.entries() if (grant := _grant(entry)) is not None)

    def add(self, grants: tuple[RememberedGrant, ...]) -> None:
        """Remember `grants`, each once. Raises OSError, DogentError where another window holds
        the file.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        new = [
            {"kind": g.kind, "place": g.place, "program": g.program, "granted": g.granted or now}
            for g in grants
        ]
        self.change(
            lambda entries: [*(e for e in entries if not any(_same(e, one) for one in new)), *new]
        )

    def revoke(self, grant: RememberedGrant) -> None:
        """Forget one grant. Raises OSError, DogentError where another window holds the file."""
        gone = {"kind": grant.kind, "place": grant.place, "program": grant.program}
        self.change(lambda entries: [entry for entry in entries if not _same(entry, gone)])


def _grant(entry: Any) -> RememberedGrant | None:
    if not isinstance(entry, dict):
        return None
    texts = [entry.get(key, "") for key in ("kind", "place", "program", "granted")]
    return (
        RememberedGrant(*texts)
        if texts[0] and all(isinstance(text, str) for text in texts)
        else None
    )


def _same(entry: Any, other: dict[str, str]) -> bool:
    return isinstance(entry, dict) and all(
        entry.get(key, "") == other[key] for key in ("kind", "place", "program")
    )
