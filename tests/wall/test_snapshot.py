"""What a command did to the workspace itself is found out, and taken back."""

import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.changes import Difference
from dogent_tui.undo.commit import Committing
from dogent_tui.undo.undo_log import UndoLog
from dogent_tui.wall import snapshot as snapshot_module
from dogent_tui.wall.snapshot import Snapshot, TakenBack, end_left_over, open_snapshot

_LONG = "n" * 255


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "chapters/old").mkdir(parents=True)
    (folder / "notes.md").write_text("notes\n")
    (folder / "run.sh").write_text("echo\n")
    (folder / _LONG).write_text("long\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "chapters/one.md").write_text("one\n" * 1000)
    (folder / "chapters/old/two.md").write_text("two\n")
    (folder / "link").symlink_to("notes.md")
    os.utime(folder / "notes.md", (1_000_000_000, 1_000_000_000))
    return folder


@pytest.fixture
def index(workspace: Path, tmp_path: Path) -> Iterator[Snapshot]:
    kept = Snapshot(workspace, tmp_path / "copies")
    kept.begin("job", tmp_path)
    yield kept
    kept.close()


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    folder = tmp_path / "layer"
    folder.mkdir()
    return folder


def _tree(folder: Path) -> dict[str, tuple[object, ...]]:
    """Everything below a folder: kind and permissions, content, and when files changed."""
    found: dict[str, tuple[object, ...]] = {}
    for place in sorted(folder.rglob("*")):
        status = place.lstat()
        held: object = str(place.readlink()) if place.is_symlink() else None
        if stat.S_ISREG(status.st_mode):
            held = (place.read_bytes(), status.st_mtime_ns)
        found[str(place.relative_to(folder))] = (oct(status.st_mode), held)
    return found


def _what(taken: TakenBack) -> dict[str, str]:
    """What a command did, in one word for each path."""
    return {change.path: change.what for change in taken.changes}


def _run(command: str, workspace: Path) -> None:
    subprocess.run(["bash", "-ec", command], cwd=workspace, check=True)


_COMMANDS: list[tuple[str, dict[str, str] | None]] = [
    ("true", {}),
    ("touch notes.md; chmod +w notes.md; cp -p notes.md x; mv x notes.md", {}),
    ("echo more > notes.md", {"notes.md": "edit"}),
    ("printf 'NOTES\\n' | dd of=notes.md conv=notrunc status=none", {"notes.md": "edit"}),
    (": > notes.md; head -c 6 /dev/zero > run.sh", {"notes.md": "empty", "run.sh": "empty"}),
    ("echo more >> nn*", {_LONG: "edit"}),
    ("rm nn*", {_LONG: "delete"}),
    (
        "echo new > new.md; mkdir -p a/b; echo c > a/b/c",
        {"new.md": "create", "a": "create", "a/b": "create", "a/b/c": "create"},
    ),
    ("rm notes.md link", {"notes.md": "delete", "link": "delete"}),
    ("mv notes.md other.md", {"notes.md": "move", "other.md": "create"}),
    ("mv notes.md other.md; echo x >> other.md", {"notes.md": "delete", "other.md": "create"}),
    (
        "mv chapters parts",
        {
            **dict.fromkeys(
                ("chapters", "chapters/old", "chapters/old/two.md", "chapters/one.md"), "move"
            ),
            **dict.fromkeys(("parts", "parts/old", "parts/old/two.md", "parts/one.md"), "create"),
        },
    ),
    ("chmod 644 run.sh; chmod 700 chapters", {"run.sh": "mode", "chapters": "mode"}),
    (
        "rm notes.md; mkdir notes.md; echo x > notes.md/x",
        {"notes.md": "replace", "notes.md/x": "create"},
    ),
    ("ln -sfn /etc link", {"link": "edit"}),
    (
        "rm -r chapters/old; ln -s / chapters/old",
        {"chapters/old": "replace", "chapters/old/two.md": "delete"},
    ),
    ("mkfifo pipe; ln notes.md again.md", {"pipe": "create", "again.md": "create"}),
    ("mv chapters/old/two.md x; rm -r chapters; mkdir chapters; mv x chapters/x", None),
    ("mv chapters parts; echo edited > parts/one.md; rm -r parts/old; echo new > parts/new", None),
    ("rm -rf ./* .[!.]*", None),
    ("mv notes.md x; mv run.sh notes.md; mv x run.sh", None),
    ("printf x > \"$(printf 'a\\nb \\xff')\"; rm chapters/one.md", None),
]


@pytest.mark.parametrize(("command", "what"), _COMMANDS)
def test_what_a_command_did_is_named_and_taken_back(
    command: str, what: dict[str, str] | None, index: Snapshot, workspace: Path, layer: Path
) -> None:
    before = _tree(workspace)
    _run(command, workspace)

    taken = index.collect(layer)

    if what is not None:
        assert _what(taken) == what
    assert taken.left == ()
    touched = {"notes.md"} if what == {} else set()
    assert {path: now for path, now in _tree(workspace).items() if path not in touched} == {
        path: old for path, old in before.items() if path not in touched
    }
    assert index.collect(layer / "again").restored == ()


@pytest.mark.parametrize("command", [command for command, _ in _COMMANDS])
def test_what_is_taken_back_is_a_layer_that_does_the_same_again(
    command: str, index: Snapshot, workspace: Path, layer: Path, tmp_path: Path
) -> None:
    _run(command, workspace)
    after = _tree(workspace)
    taken = index.collect(layer)

    difference = Difference(str(workspace), str(layer), time.time_ns(), taken.changes)
    copies = UndoLog.of(Workspace(workspace), "session")
    done = Committing(tmp_path / "journals", copies).commit(difference, "a command", sync=False)

    assert (done.conflicts, done.failed) == ((), ())
    assert {path: held for path, held in _tree(workspace).items() if path != "notes.md"} == {
        path: held for path, held in after.items() if path != "notes.md"
    }


def test_what_somebody_changed_afterwards_is_theirs(
    index: Snapshot, workspace: Path, layer: Path
) -> None:
    _run("echo command > notes.md; rm run.sh", workspace)
    until = (workspace / "notes.md").stat().st_ctime_ns
    while (workspace / "notes.md").stat().st_ctime_ns <= until:
        (workspace / "notes.md").write_text("the user's\n")

    taken = index.collect(layer, until)

    assert taken.restored == ("run.sh",)
    assert (workspace / "notes.md").read_text() == "the user's\n"


def test_a_folder_that_became_a_link_is_not_followed(
    index: Snapshot, workspace: Path, layer: Path, tmp_path: Path
) -> None:
    """As by another command, in the very moment."""
    (tmp_path / "outside").mkdir()
    _run("rm chapters/one.md", workspace)
    with index._looking():
        found = index._changes(1 << 62)
    shutil.move(workspace / "chapters", workspace / "elsewhere")
    (workspace / "chapters").symlink_to(tmp_path / "outside")
    index._changes = lambda until: found  # type: ignore[method-assign]

    taken = index.collect(layer)

    assert taken.left == ("chapters/one.md",)
    assert not list((tmp_path / "outside").iterdir())


def test_files_of_all_sizes_are_covered_up_to_the_bound(
    workspace: Path, layer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_module, "LARGEST_FILE", 3_000_000)
    (workspace / "empty").touch()
    (workspace / "middle").write_bytes(os.urandom(2_000_000))
    with (workspace / "huge").open("wb") as file:
        file.truncate(10_000_000)
    os.mkfifo(workspace / "pipe")
    index = Snapshot(workspace, tmp_path / "copies")
    index.begin("job", tmp_path)
    before = {path: held for path, held in _tree(workspace).items() if path not in ("huge", "pipe")}

    _run("rm empty middle; echo x > huge; rm pipe", workspace)
    taken = index.collect(layer)
    assert set(taken.left) == {"huge", "pipe"}
    assert _what(taken) == dict.fromkeys(("empty", "middle"), "delete")
    (workspace / "huge").unlink()
    assert _tree(workspace) == before
    index.close()


def test_what_is_not_covered_is_moved_back_all_the_same(
    workspace: Path, layer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_module, "LARGEST_STORE", 0)
    index = Snapshot(workspace, tmp_path / "copies")
    index.begin("job", tmp_path)
    before = _tree(workspace)
    _run("mv chapters parts; mv parts/old .; chmod 600 run.sh", workspace)

    taken = index.collect(layer)
    assert taken.left == ()
    found = _what(taken)
    assert {
        "chapters/one.md": "move",
        "chapters/old": "move",
        "run.sh": "mode",
    }.items() <= found.items()
    assert _tree(workspace) == before
    index.close()


def test_the_only_one_that_there_is_of_a_file_is_not_lost(
    workspace: Path, layer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_module, "LARGEST_STORE", 0)
    index = Snapshot(workspace, tmp_path / "copies")
    index.begin("job", tmp_path)
    _run("mv chapters parts; echo more >> parts/one.md", workspace)

    assert index.collect(layer).left == ("chapters/one.md",)

    assert (workspace / "chapters/one.md").read_text() == "one\n" * 1000 + "more\n"
    index.close()


def test_nor_on_another_disk(tmp_path: Path, layer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a second name of it cannot be had."""
    monkeypatch.setattr(snapshot_module, "LARGEST_FILE", 10)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        workspace = Path(folder)
        (workspace / "large").write_text("large, and the only one\n")
        (workspace / "small").write_text("small\n")
        index = Snapshot(workspace, tmp_path / "copies")
        index.begin("job", tmp_path)
        _run("mv large elsewhere; mv small other", workspace)

        assert set(index.collect(layer).left) == {"large", "elsewhere"}

        assert {place.name: place.read_text() for place in workspace.iterdir()} == {
            "elsewhere": "large, and the only one\n",
            "small": "small\n",
        }
        index.close()


def test_while_another_command_runs_its_changes_are_not_taken_for_the_users(
    index: Snapshot, workspace: Path, layer: Path, tmp_path: Path
) -> None:
    _run("rm notes.md", workspace)
    index.begin("second", tmp_path)
    index.end("second")

    assert _what(index.collect(layer)) == {"notes.md": "delete"}


def test_what_the_user_changes_between_two_commands_is_theirs(
    index: Snapshot, workspace: Path, layer: Path, tmp_path: Path
) -> None:
    index.end("job")
    (workspace / "notes.md").unlink()
    (workspace / "chapters/one.md").write_text("the user's\n")

    index.begin("next", tmp_path)
    _run("rm chapters/one.md", workspace)

    assert _what(index.collect(layer)) == {"chapters/one.md": "delete"}
    assert (workspace / "chapters/one.md").read_text() == "the user's\n"


def test_the_copy_stands_from_one_start_to_the_next(
    index: Snapshot, workspace: Path, layer: Path, tmp_path: Path
) -> None:
    before = _tree(workspace)
    index.end("job")
    index.close()
    copy = tmp_path / "copies/tree/chapters/one.md"
    copied = copy.stat().st_ctime_ns
    again = Snapshot(workspace, tmp_path / "copies")
    again.begin("job", tmp_path)
    assert copy.stat().st_ctime_ns == copied
    _run("rm -rf ./*", workspace)

    again.collect(layer)

    assert _tree(workspace) == before
    again.close()
    (workspace / "notes.md").unlink()  # by the user, between two starts
    again = Snapshot(workspace, tmp_path / "copies")
    again.begin("job", tmp_path)
    assert again.collect(layer).restored == ()
    again.close()
    index.__init__(workspace, tmp_path / "copies")  # type: ignore[misc]  # the fixture closes it


def test_a_second_process_keeps_a_copy_of_its_own(
    index: Snapshot, workspace: Path, tmp_path: Path
) -> None:
    first = open_snapshot(workspace, tmp_path / "all")
    second = open_snapshot(workspace, tmp_path / "all")

    assert first.folder != second.folder
    second.close()
    first.close()


def test_each_workspace_has_a_copy_of_its_own(workspace: Path, tmp_path: Path) -> None:
    """One in which a command was cut off is never brought back into another."""
    first = open_snapshot(workspace, tmp_path / "all")
    first.begin("job", tmp_path)
    first.close()
    second = open_snapshot(tmp_path / "workspace/chapters", tmp_path / "all")

    assert second.resume() is None
    second.close()


def test_a_copy_that_was_cut_short_is_made_again(
    index: Snapshot, workspace: Path, layer: Path, tmp_path: Path
) -> None:
    """As by a loss of power."""
    before = _tree(workspace)
    index.end("job")
    index.close()
    os.truncate(tmp_path / "copies/tree/chapters/one.md", 100)
    index.__init__(workspace, tmp_path / "copies")  # type: ignore[misc]
    index.begin("job", tmp_path)
    _run("rm -r chapters", workspace)

    index.collect(layer)

    assert _tree(workspace) == before


def _cut_off(workspace: Path, folder: Path, private: Path, command: str) -> None:
    """Run a command in a process that is killed after it has written ``done``."""
    child = os.fork()
    if child == 0:
        try:
            index = Snapshot(workspace, folder)
            index.begin("job", private)
            environment = {**os.environ, "TMPDIR": f"{private}/tmp"}
            subprocess.Popen(
                ["bash", "-c", f"{command}; echo > {private}/done; exec sleep 600"],
                cwd=workspace,
                env=environment,
            )
            time.sleep(600)
        finally:
            os._exit(1)
    while not (private / "done").exists():
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_after_a_kill_the_next_start_takes_back_what_was_cut_off(
    workspace: Path, tmp_path: Path
) -> None:
    before = _tree(workspace)
    private = tmp_path / "private"
    (private / "jobs/job").mkdir(parents=True)
    _cut_off(
        workspace,
        tmp_path / "copies",
        private,
        "rm -r chapters; echo edited > notes.md; echo new > new.md",
    )

    index = Snapshot(workspace, tmp_path / "copies")
    taken = index.resume()

    assert taken is not None
    assert taken.left == ()
    assert _tree(workspace) == before
    (aside,) = (tmp_path / "copies/aside").glob("*/upper")
    assert (aside / "notes.md").read_text() == "edited\n"
    assert not any(
        f"{private}/tmp".encode() in _environment(process)
        for process in Path("/proc").glob("[0-9]*")
    )
    assert index.resume() is None
    index.close()


def test_what_left_over_processes_start_while_they_are_ended_ends_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {**os.environ, "TMPDIR": f"{tmp_path}/tmp"}
    seen, late = (subprocess.Popen(["sleep", "600"], env=environment) for _ in range(2))
    for process in (seen, late):  # the kernel shows its environment once the start is complete
        while not _environment(Path(f"/proc/{process.pid}")):
            time.sleep(0.01)
    listed = [[str(seen.pid)], [str(late.pid)]]
    monkeypatch.setattr(os, "listdir", lambda _: listed.pop(0) if listed else [])

    end_left_over(str(tmp_path))

    assert [process.wait() for process in (seen, late)] == [-signal.SIGKILL] * 2


def _environment(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""


def test_what_the_user_did_after_the_kill_is_not_taken_back(
    workspace: Path, tmp_path: Path
) -> None:
    private = tmp_path / "private"
    (private / "jobs/job").mkdir(parents=True)
    _cut_off(workspace, tmp_path / "copies", private, ": > notes.md; : > run.sh")
    (private / "jobs/job/over").touch()
    now = (private / "jobs/job/over").stat().st_ctime_ns
    while (workspace / "notes.md").stat().st_ctime_ns <= now:
        (workspace / "notes.md").write_text("")

    index = Snapshot(workspace, tmp_path / "copies")
    taken = index.resume()

    assert taken is not None
    assert taken.restored == ("run.sh",)
    assert (workspace / "notes.md").read_text() == ""
    index.close()
