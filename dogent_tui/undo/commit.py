"""Commits what a command did from its layer to the real workspace, atomically per file.

A journal is written before anything is changed; after a crash, `resume` does the rest. Every step
is repeatable. Previous content goes to the session's copies, so that the commit can be undone.
"""

# Names are strings from `os.fsdecode`: for tens of thousands, Path objects take three times as
# long.
# ruff: noqa: PTH101, PTH102, PTH106, PTH112, PTH118, PTH120

import contextlib
import errno
import fcntl
import json
import os
import stat
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from os.path import dirname, join, lexists
from pathlib import Path
from typing import IO

import msgspec

from dogent_tui.storage.files import json_line, private_folder
from dogent_tui.undo import file_moves
from dogent_tui.undo.changes import (
    Change,
    Difference,
    Entry,
    entry_at,
    entry_of,
    own_attributes,
)
from dogent_tui.undo.file_moves import AnchoredFolder, ChangedMeanwhileError, Ours, synced
from dogent_tui.undo.undo_log import KeptChange, State, UndoLog, item_of, state_of

_FOREIGN = (errno.ENOENT, errno.EEXIST, errno.ENOTDIR, errno.ELOOP, errno.ENOTEMPTY, errno.EISDIR)
"""Errors that mean someone else has changed the place."""


class Committed(msgspec.Struct, frozen=True):
    """The result of a commit.

    `committed` are the paths that are now as the command left them; `conflicts` were changed by
    someone else in the meantime and left alone; `failed` gives the reason why other paths were not
    changed. `number` is the change in the undo log, which the caller must settle soon; 0 if nothing
    was done.
    """

    committed: tuple[str, ...] = ()
    conflicts: tuple[Change, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    number: int = 0


class _Journal(msgspec.Struct, frozen=True):
    """What a commit is about to do. `before` of each change is the entry right before the commit.

    `copies` is the folder of `kept`.
    """

    root: str
    upper: str
    copies: str
    kept: KeptChange
    changes: tuple[Change, ...]


class Committing:
    """Commits the layers of a session one after the other. Thread-safe."""

    def __init__(self, journals: Path, copies: UndoLog) -> None:
        """`journals` is a folder of our own; overwritten and deleted content goes to `copies`."""
        self._journals = journals
        self._copies = copies
        self._ours: Ours = {}
        self._lock = threading.Lock()

    def commit(
        self,
        difference: Difference,
        label: str,
        *,
        overwrite: bool = False,
        sync: bool = True,
        undoes: int = 0,
        begun: Callable[[], None] = lambda: None,
    ) -> Committed:
        """Apply what a command did. Never raises.

        Args:
            difference: What it did. Its layer must not have changed since the difference was read.
            label: The name of the change in the undo history.
            overwrite: Whether to overwrite what someone else has changed.
            sync: Whether the result must survive a power failure.
            undoes: The change that this takes back; both are over with it.
            begun: Called once the journal is written: from then on a crash does not stop it.

        Returns:
            The result for each path, including each path in a moved folder.
        """
        chosen: list[Change] = []
        with self._lock:
            try:
                chosen = [*difference.changes]
                if overwrite:
                    chosen += missing_parents(difference.root, chosen)
                doing = _Doing(difference.root, difference.upper, self._copies, self._ours, sync)
                with contextlib.closing(doing):
                    planned = doing.plan(chosen, difference.began_ns, overwrite)
                    done = Committed((), tuple(doing.foreign.values()))
                    if planned:
                        journal = doing.journal(label, planned, undoes)
                        written = _written(self._journals, journal, sync)
                        begun()
                        done = doing.finish(journal, *written)
                    doing.set_times(difference)
                    return done
            except OSError as error:  # nothing has been done yet
                why = error.strerror or str(error)
                return Committed(failed=tuple((change.path, why) for change in chosen))

    def resume(self) -> tuple[Committed, ...]:
        """Finish the commits of any session that were interrupted by a crash. Call this at
        startup.
        """
        done = []
        with self._lock, contextlib.suppress(FileNotFoundError):
            for path in sorted(self._journals.iterdir()):
                with contextlib.suppress(OSError), path.open("rb") as file:
                    # otherwise its process is alive
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.stat()  # it has not been finished in the meantime
                    try:
                        journal = msgspec.convert(json.loads(file.read()), _Journal)
                    except ValueError:
                        path.unlink()  # its process died while writing it
                        continue
                    copies = UndoLog(Path(journal.copies), journal.kept.run)
                    copies = self._copies if copies.folder == self._copies.folder else copies
                    doing = _Doing(journal.root, journal.upper, copies, self._ours, True)
                    with contextlib.closing(doing):
                        done.append(doing.finish(journal, path, file))
                    copies.settle(done[-1].number)
        return tuple(done)


class _Doing(AnchoredFolder):
    """A commit in progress. Folders whose mode keeps their owner out are open until the end."""

    def __init__(self, root: str, upper: str, copies: UndoLog, ours: Ours, sync: bool) -> None:
        super().__init__(root)
        self._root, self._upper, self._sync = root, upper, sync
        self._copies, self._placing = copies, file_moves.FilePlacer(ours)
        self.foreign: dict[str, Change] = {}
        self._failed: dict[str, str] = {}
        self._opened: dict[str, Entry] = {}
        self._modes: dict[str, tuple[int, int]] = {}

    def close(self) -> None:
        """Close the folders."""
        self._set_modes()
        super().close()

    def entered(self, folder: str, descriptor: int, *, is_last: bool) -> None:
        """Open a folder of ours until the end if its mode keeps us out."""
        place, rights = file_moves.name_of(descriptor), os.R_OK | os.W_OK if is_last else 0
        if not os.access(place, os.X_OK | rights):
            at = os.fstat(descriptor)
            if at.st_uid == os.geteuid():
                os.chmod(place, stat.S_IMODE(at.st_mode) | stat.S_IRWXU)
                self._opened.setdefault(folder, entry_of(at))
                self._modes.setdefault(folder, (stat.S_IMODE(at.st_mode), 0))

    def set_times(self, difference: Difference) -> None:
        """Set the times of what is otherwise unchanged, and was not changed by anyone else."""
        for path, mtime_ns in difference.times:
            with contextlib.suppress(OSError):
                spot = self.spot(path)
                now = entry_at(spot)
                if now and self._is_free(Change(path, now, now), now, difference.began_ns):
                    os.utime(spot, ns=(mtime_ns, mtime_ns), follow_symlinks=False)
                    self._placing.ours[now.device, now.inode] = os.lstat(spot).st_ctime_ns

    def _set_modes(self) -> None:
        """Set the modes of folders, now that nothing more is put into them."""
        for path in sorted(self._modes, reverse=True):
            with contextlib.suppress(OSError):
                spot, (mode, mtime_ns) = self.spot(path), self._modes[path]
                if mtime_ns:
                    os.utime(spot, ns=(mtime_ns, mtime_ns), follow_symlinks=False)
                file_moves.set_mode(spot, mode, os.O_DIRECTORY)
        self._modes.clear()

    # ── Planning ──────────────────────────────────────────────────────────────────────────────

    def plan(self, chosen: list[Change], began_ns: int, overwrite: bool) -> list[Change]:
        """Return the changes to make, with the current entries. Conflicts are left out."""
        made = {each.path for each in chosen if each.after and each.after.kind == "folder"}
        planned = []
        for change in sorted(chosen, key=lambda each: each.path):
            path, after = change.path, change.after
            try:
                now, is_free = entry_at(self.spot(path)), True
            except OSError:  # the parent folder does not exist or is not a folder
                now, is_free = None, after is None or dirname(path) in made
            if not is_free or not (overwrite or self._is_free(change, now, began_ns)):
                self.foreign[path] = change
            elif change.before or not (now and after and now.kind == after.kind == "folder"):
                planned.append(msgspec.structs.replace(change, before=now))
        self.foreign |= {each.path: each for each in planned if each.moved_to in self.foreign}
        free = [each for each in planned if each.path not in self.foreign]
        free = [each for each in free if each.before or each.after]
        around = self._opened.keys() - {each.path for each in free} if free else ()
        return free + [Change(path, self._opened[path], self._opened[path]) for path in around]

    def _is_free(self, change: Change, now: Entry | None, began_ns: int) -> bool:
        """Return whether no one else has changed a place since the command began."""
        before, after = change.before, change.after
        if now is None:
            return before is None or after is None
        if self._placing.ours.get((now.device, now.inode)) == now.ctime_ns:
            return True
        if before is None:
            return after is not None and now.kind == after.kind == "folder"
        if before.kind == "folder":  # its ctime changes with its contents
            return now.kind == "folder" and (after is None or now.mode == before.mode)
        # a file's other names, of which another program may make some, change these two
        same = msgspec.structs.replace(now, ctime_ns=before.ctime_ns, names=before.names) == before
        return same and now.ctime_ns < began_ns

    def journal(self, label: str, planned: list[Change], undoes: int) -> _Journal:
        """Return the journal, and sync the new files to disk. Raises OSError."""
        items = [item_of(join(self._root, each.path), each.before) for each in planned]
        items.sort(key=lambda item: item.path)
        absent = [item for item in items if item.kind == "absent"]
        there = [item for item in items if item.kind not in ("absent", "other")]
        left = [item.path for item in items if item.kind == "other"]
        change = self._copies.reserve(label, [*absent[::-1], *there], left, undoes)
        if self._sync:
            new = [join(self._upper, each.path) for each in planned if each.after]
            with ThreadPoolExecutor(8) as threads:
                parts = (new[start::8] for start in range(8))
                list(threads.map(lambda part: [*map(synced, part)], parts))
        folder = str(self._copies.folder)
        return _Journal(self._root, self._upper, folder, change, tuple(planned))

    # ── Doing it ──────────────────────────────────────────────────────────────────────────────

    def finish(self, journal: _Journal, path: Path, file: IO[bytes]) -> Committed:
        """Carry out the rest of the journal, record it in the undo log, and remove the journal."""
        files = (item for item in journal.kept.items if item.kind == "file")
        copies = {item.path: join(journal.copies, item.copy) for item in files}
        done: list[str] = []
        states: dict[str, State] = {}
        for number, change in enumerate(_in_order(journal.changes)):
            beside, whole = f".dogent-{path.stem}-{number}", join(journal.root, change.path)
            try:
                if change.moved_to in self.foreign or change.moved_to in self._failed:
                    raise ChangedMeanwhileError
                states[whole] = self._step(change, beside, copies.get(whole, ""))
                done.append(change.path)
            except OSError as error:
                if isinstance(error, ChangedMeanwhileError) or error.errno in _FOREIGN:
                    self.foreign[change.path] = change
                else:
                    self._failed[change.path] = error.strerror or str(error)
        self._end(journal)
        items = tuple(item for item in journal.kept.items if item.path in states)
        left = tuple(each for each in journal.kept.left if each in states)
        # on a full disk the next start records what was done
        with contextlib.suppress(OSError), file:
            if items or left:
                noted = msgspec.structs.replace(journal.kept, items=items, left=left)
                left_as = tuple(states[item.path] for item in items)
                self._copies.add(noted, left_as, durable=self._sync)
            path.unlink()
        told = tuple(done), tuple(self.foreign.values()), tuple(self._failed.items())
        return Committed(*told, journal.kept.number if items else 0)

    def _step(self, change: Change, beside: str, kept_as: str) -> State:
        """Make one change, which may already be partly done, and return what it left. Raises
        OSError.
        """
        before, after = change.before, change.after
        was = before if before and before.kind != "folder" else None
        try:
            spot, new = self.spot(change.path), join(self._upper, change.path)
        except (FileNotFoundError, NotADirectoryError):
            if before and not after and (before.kind != "file" or lexists(kept_as)):
                return State("absent")  # done before a crash, and the parent folder is gone too
            raise
        beside = join(dirname(spot), beside)
        if before and before.kind == "folder" and not (after and after.kind == "folder"):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                os.rmdir(spot)
            self._modes.pop(change.path, None)
        if after and after.kind != "folder":
            at = self._placing.put(new, spot, beside, was, kept_as)
            return state_of(entry_of(at) if after.kind == "file" else after)
        if was:
            self._placing.take_away(spot, beside, was, kept_as)
        if after is None:
            return State("absent")
        if not os.path.isdir(spot):
            os.mkdir(spot, 0o700)
        file_moves.set_mode(spot, after.mode | 0o700, os.O_DIRECTORY)
        with contextlib.suppress(FileNotFoundError):  # what is in it is to leave it
            file_moves.set_mode(new, 0o700, os.O_DIRECTORY)
            file_moves.dress(spot, own_attributes(new))
        self._modes[change.path] = after.mode, after.mtime_ns * (before is None)
        return State("folder", mode=after.mode)

    def _end(self, journal: _Journal) -> None:
        """Close what was opened, and sync the names in the folders."""
        self._set_modes()
        folders = {dirname(change.path) for change in journal.changes} if self._sync else ()
        for folder in sorted(folders):
            with contextlib.suppress(OSError):
                synced(self.spot(join(folder, ".")))
        if self._sync:
            synced(join(journal.copies, f"{journal.kept.number:04}"))


def missing_parents(root: str, changes: Iterable[Change]) -> list[Change]:
    """Return the changes that create the parent folders that `changes` need and that are gone."""
    made = {each.path for each in changes if each.after}
    found: dict[str, Change] = {}
    for above in [*made]:
        while (above := dirname(above)) and not lexists(join(root, above)):
            if above not in made:
                found[above] = Change(above, None, Entry("folder", mode=0o755))
    return [*found.values()]


def _in_order(changes: Iterable[Change]) -> list[Change]:
    """Return the changes in order: new folders, new and changed files, deletions, replaced
    folders.
    """

    def stage(change: Change) -> int:
        if change.after is None:
            return 2
        if change.after.kind == "folder":
            return 0
        return 3 if change.before and change.before.kind == "folder" else 1

    found = sorted(changes, key=lambda change: change.path, reverse=True)
    found.sort(key=stage)
    made = sum(not stage(each) for each in found)
    return [*found[:made][::-1], *found[made:]]


def _written(journals: Path, journal: _Journal, sync: bool) -> tuple[Path, IO[bytes]]:
    """Write a journal. While its file is open, no other process takes it for an abandoned one."""
    path = private_folder(journals) / f"{os.urandom(6).hex()}.journal"
    file = path.open("xb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not os.fstat(file.fileno()).st_nlink:  # another start took it for an abandoned one
            return _written(journals, journal, sync)
        file.write(json_line(journal))
        file.flush()
        if sync:
            os.fsync(file.fileno())
            synced(str(journals))
    except OSError:
        with contextlib.suppress(OSError), file:
            path.unlink()
        raise
    return path, file
