"""What the user always allows in a workspace: stored in the user's own folder, by the workspace's
real path, never in it.

Each record is ``{"kind", "place", "program", "granted"}``.
"""

from contextlib import suppress
from datetime import UTC, datetime

import msgspec

from dogent_tui.records import Record
from dogent_tui.storage.home_records import HomeRecords

_SAME = ("kind", "place", "program")


class RememberedGrant(Record):
    """A permanent grant. `granted` is its time, UTC, ISO 8601."""

    kind: str
    place: str = ""
    program: str = ""
    granted: str = ""


class GrantStore(HomeRecords):
    """The remembered grants of one workspace."""

    def load(self) -> tuple[RememberedGrant, ...]:
        """Return what is allowed here. Never raises: if it cannot be read, nothing is allowed and
        `broken` says why.
        """
        grants = []
        for entry in self.entries():
            with suppress(ValueError):
                grants.append(msgspec.convert(entry, RememberedGrant))
        return tuple(grant for grant in grants if grant.kind)

    def add(self, grants: tuple[RememberedGrant, ...]) -> None:
        """Store `grants` without duplicates. Raises OSError, and DogentError if another window
        holds the file.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        dated = [msgspec.structs.replace(g, granted=g.granted or now) for g in grants]
        self.put([msgspec.structs.asdict(grant) for grant in dated], _SAME)

    def revoke(self, grant: RememberedGrant) -> None:
        """Delete a grant. Raises OSError, and DogentError if another window holds the file."""
        self.put([msgspec.structs.asdict(grant)], _SAME, gone=True)
