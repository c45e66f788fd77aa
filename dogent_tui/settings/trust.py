"""Whether what came with a folder may be used: a workspace is someone else's text until its owner
trusts it (SPEC 1).

The records are in the user's own folder, by the workspace's real path, never in the workspace. Each
is ``{"part", "answer", "since"}``: `part` is a folder of `PARTS`, `answer` is `made` if this
application created it, otherwise the user's answer.
"""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from dogent_tui.errors import DogentError
from dogent_tui.storage.home_records import HomeRecords
from dogent_tui.storage.paths import Workspace, dogent_home

STORE = "trust.json"
"""The file in the user's `.dogent`. The permission policy lets no tool call write it."""

PARTS = (".dogent", ".claude")
"""What a workspace can bring along that would speak to the agent, or extend what it may do."""

_MOST_EMPTY = 20
"""The number of empty folders to look into."""

Answer = Literal["made", "trusted", "declined"]
TrustState = Literal["own", "trusted", "declined", "unasked"]
"""`own`: nothing came with the folder that this home did not create, or nothing that would be
used.
"""


class FolderTrust:
    """What is known about one workspace. `given` is trust for this start only, from the command
    line.
    """

    def __init__(self, workspace: Workspace, *, given: bool = False) -> None:
        """Check which parts exist now: what comes later was not there to be trusted.

        Reads one file and, if something came that was not asked about yet, also what that is.
        """
        self._workspace = workspace
        self._given = given
        self.store = HomeRecords(dogent_home() / STORE, workspace.root)
        self.came: tuple[str, ...] = ()
        """The parts that came with the folder and contain something that would be used."""
        self.state: TrustState = "own"
        present = _parts_in(workspace.root)
        if present:
            known = self._known()
            self.came = tuple(part for part in present if known.get(part) != "made")
            self.state = self._state(known)

    @property
    def trusted(self) -> bool:
        """Whether the contents of the folder may be used."""
        return self.state in ("own", "trusted")

    @property
    def must_ask(self) -> bool:
        """Whether the user must be asked before the first run."""
        return self.state == "unasked"

    def answer(self, *, trust: bool) -> None:
        """Store the user's answer about everything that came. It applies from now on, even if it
        cannot be stored.

        Raises OSError, DogentError if it cannot be stored; the user is then asked again next time.
        """
        self.state = "trusted" if trust else "declined"
        _record(self.store, self.came, self.state)

    def _known(self) -> dict[str, str]:
        entries = self.store.entries()
        return {str(entry.get("part")): str(entry.get("answer")) for entry in entries}

    def _state(self, known: dict[str, str]) -> TrustState:
        if not all(part in known for part in self.came):
            self.came = tuple(part for part in self.came if part in _parts_of_use(self._workspace))
        if not self.came:
            return "own"
        answers = {known.get(part) for part in self.came}
        if self._given or answers == {"trusted"}:
            return "trusted"
        return "declined" if answers <= {"trusted", "declined"} else "unasked"


def make_own_folder(workspace: Workspace) -> None:
    """Create `.dogent` if it does not exist, and record that it was created here. Its contents are
    not asked about.

    If that cannot be recorded, the user is asked once about a folder that we created: just one
    question too many. Raises OSError if the folder cannot be created. A workspace that is gone is
    not created again: it may have been moved.
    """
    try:
        workspace.dot.mkdir()
    except FileExistsError:
        return
    try:
        _record(HomeRecords(dogent_home() / STORE, workspace.root), (workspace.dot.name,), "made")
    except (OSError, DogentError):
        return


def _parts_in(root: Path) -> tuple[str, ...]:
    if str(root) == os.path.realpath(Path.home()):
        return ()  # the user's own `.dogent` and `.claude`
    ours = os.path.realpath(dogent_home())
    return tuple(
        part
        for part in PARTS
        if os.path.realpath(root / part) != ours and _holds_something(root / part)
    )


def _holds_something(path: Path) -> bool:
    """Return whether there is more than empty folders. A link counts, wherever it leads."""
    if not os.path.lexists(path):
        return False
    if path.is_symlink() or not path.is_dir():
        return True
    for looked_at, (folder, folders, files) in enumerate(os.walk(path)):
        links = any(Path(folder, name).is_symlink() for name in folders)
        if files or links or looked_at > _MOST_EMPTY or not os.access(folder, os.R_OK | os.X_OK):
            return True
    return False


def _parts_of_use(workspace: Workspace) -> set[str]:
    """Return the parts that contain something that would be used: there is nothing to ask about the
    others.
    """
    from dogent_tui.settings.trust_inventory import trust_inventory  # only if something came

    return {one.place.partition("/")[0] for one in trust_inventory(workspace) if one.used}


def _record(store: HomeRecords, parts: tuple[str, ...], answer: Answer) -> None:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    new = [{"part": part, "answer": answer, "since": since} for part in parts]
    store.put(new, ("part",))
