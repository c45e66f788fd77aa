"""A layer comes into the real workspace: each file at once, none lost, over nobody's work, and
all of it can be undone.
"""

import ctypes
import errno
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from dogent_tui.storage.paths import Workspace
from dogent_tui.undo import file_moves
from dogent_tui.undo import undo_log as copies_module
from dogent_tui.undo.changes import Difference
from dogent_tui.undo.commit import Committed, Committing
from dogent_tui.undo.restoring import carry_out, plan, undo
from dogent_tui.undo.undo_log import UndoLog
from dogent_tui.wall import kernel
from dogent_tui.wall.difference import read_difference
from tests.wall.overlay import quoted, run_on_layer
from tests.wall.pictures import picture

EVERYTHING = (
    "echo x >> a.md; mv ch n; echo new > new; rm l; mkdir d; echo f > d/f; chmod 750 d; ln -s a.md"
    " d/link; rm kind; mkdir kind; echo k > kind/k; rm -r folder; echo flat > folder; chmod 600"
    " mode; chmod 711 open; ln -sfn new other; rm hard1; mv moved there; : > empty; sed -i"
    " s/this/that/ hard2"
)
"""Creates, edits, deletes, moves, another kind, another mode."""


@pytest.fixture
def root(tmp_path) -> Path:
    return furnished(tmp_path / "w")


def furnished(root: Path) -> Path:
    (root / "ch" / "deep").mkdir(parents=True)
    (root / "folder" / "in").mkdir(parents=True)
    (root / "open").mkdir(0o755)
    for name in (
        "a.md",
        "kind",
        "mode",
        "empty",
        "hard1",
        "moved",
        "ch/1.md",
        "ch/deep/2 二.md",
        "folder/in/3",
        "open/4",
    ):
        (root / name).write_text(f"this is {name}\n")
    (root / "ch" / "deep").chmod(0o750)
    (root / "ch" / "1.md").chmod(0o640)
    (root / "l").symlink_to("a.md")
    (root / "other").symlink_to("a.md")
    (root / "hard2").hardlink_to(root / "hard1")
    (root / "hard3").hardlink_to(root / "hard1")
    return root


@pytest.fixture
def copies(root) -> UndoLog:
    copies = UndoLog.of(Workspace(root), "session")
    copies.begin_run("run")
    return copies


@pytest.fixture
def committing(tmp_path, copies) -> Committing:
    return Committing(tmp_path / "journals", copies)


def ran(root: Path, command: str, layers: Path | None = None) -> Difference:
    folder = (layers or root.parent) / f"layer-{len(list((layers or root.parent).iterdir()))}"
    layer = run_on_layer(root, folder, command)
    return read_difference(layer.root, layer.upper, layer.began_ns)


def only(difference: Difference, *paths: str) -> Difference:
    return msgspec.structs.replace(
        difference, changes=tuple(each for each in difference.changes if each.path in paths)
    )


def expected_after(root: Path, command: str) -> dict:
    """Return what the command makes of the folder without a layer."""
    bare = root.parent / "bare"
    subprocess.run(["cp", "-a", str(root), str(bare)], check=True)
    subprocess.run(["bash", "-c", command], cwd=bare, check=False)
    found = picture(bare)
    shutil.rmtree(bare)
    return found


COMMANDS = {
    "everything": EVERYTHING,
    "a tree of new folders": "mkdir -p p/q/r; echo 1 > p/q/r/1; echo 2 > p/2; chmod 500 p/q",
    "a closed folder": "mkdir p; echo 1 > p/1; chmod 000 p",
    "files that cannot be read": "echo 1 > p; chmod 0 p a.md",
    "setuid": "cp a.md s; chmod 4755 s",
    "hard links": "echo 1 > p; ln p q",
    "a pipe": "mkfifo p; mv p q",
    "a folder replaced": "rm -r ch; mkdir ch; echo new > ch/new",
    "a folder swapped with a file": "mv folder x; mv a.md folder; mkdir a.md; mv x a.md/in",
    "two files exchanged": "mv a.md x; mv kind a.md; mv x kind",
    "a folder moved into itself": "mkdir t; mv ch t/; mv t ch",
    "names": "".join(
        f"echo x > ./{quoted(n)}; "
        for n in (b"\xff\xfe", b"two\nlines", b"-rf", "章".encode() * 85, b"\\x", b" ")
    ),
    "modes of folders": "chmod 500 ch; chmod 700 ch/deep; echo x > ch/deep/new",
    "nothing left": "rm -r ./*",
    "unchanged": "touch a.md; mkdir t; rmdir t",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_workspace_is_as_if_the_command_had_run_there_and_undo_brings_all_back(
    root, copies, committing, name
):
    before, expected = picture(root), expected_after(root, COMMANDS[name])
    difference = ran(root, COMMANDS[name])
    done = committing.commit(difference, "Run it")
    assert (done.conflicts, done.failed) == ((), ())
    assert picture(root) == expected
    assert left_over(root) == []
    if done.number:
        undone = undo(UndoLog.of(Workspace(root), "session"))  # after a restart, too
        assert (undone.label, undone.left) == ("Run it", () if name != "a pipe" else undone.left)
    assert picture(root) == before


def test_meanwhile_its_files_are_read_others_see_no_folder_open_and_may_write(
    root, copies, committing
):
    done = committing.commit(ran(root, "mkdir p; echo 1 > p/1; echo 2 > q; chmod 444 p"), "Run it")
    before = (root / "p").stat().st_ctime_ns
    (root / "q").write_text("mine")
    copies.settle(done.number)
    assert (root / "p").stat().st_ctime_ns == before
    undone = undo(copies)
    assert undone.left == (str(root / "q"),)
    assert not (root / "p").exists()
    assert (root / "q").read_text() == "mine"


def left_over(root: Path) -> list[Path]:
    """Return what only belongs there while a commit is under way."""
    journals = root.parent / "journals"
    return [*root.rglob(".dogent-*"), *(journals.iterdir() if journals.exists() else ())]


def test_rewinding_brings_all_back_as_well(root, copies, committing):
    before = picture(root)
    done = committing.commit(ran(root, EVERYTHING), "Run it")
    copies.settle(done.number)
    planned = plan(copies, ["run"])
    assert {place.why for place in planned} == {""}
    undone = carry_out(copies, planned, "Rewind")
    assert undone.left == ()
    assert picture(root) == before


def test_several_commits_are_rewound_together(root, copies, committing):
    before = picture(root)
    for command in (
        EVERYTHING,
        "rm -r n; echo again >> a.md",
        "mv a.md b.md; mkdir n; echo n > n/1.md",
    ):
        copies.settle(committing.commit(ran(root, command), "Run it").number)
    planned = plan(copies, ["run"])
    assert {place.why for place in planned} == {""}
    carry_out(copies, planned, "Rewind")
    assert picture(root) == before


def test_attributes_of_the_layer_stay_there_and_others_come_along(root, committing):
    set_it = "import os; [os.setxattr(each, 'user.who', b'me') for each in ('a.md', 'ch', 't')]"
    make = "mkdir t; echo x > t/x; touch -d 2020-01-02 t"
    committing.commit(ran(root, f"{make}; python3 -c {quoted(set_it)}; echo x >> a.md"), "Run it")
    assert {name: os.listxattr(root / name) for name in ("a.md", "ch", "t", "t/x")} == {
        "a.md": ["user.who"],
        "ch": ["user.who"],
        "t": ["user.who"],
        "t/x": [],
    }
    assert datetime.fromtimestamp((root / "t").stat().st_mtime).year == 2020


def test_a_time_that_was_set_is_set_and_nothing_is_kept_for_it(root, committing):
    done = committing.commit(ran(root, "touch -d 2020-01-02 a.md ch; echo x >> kind"), "Run it")
    assert done.committed == ("kind",)
    times = [datetime.fromtimestamp((root / name).stat().st_mtime).year for name in ("a.md", "ch")]
    assert times == [2020, 2020]


def test_a_time_is_not_set_on_what_someone_else_changed(root, committing):
    difference = ran(root, "touch -d 2020-01-02 a.md")
    (root / "a.md").write_text("by the user\n")
    assert committing.commit(difference, "Run it") == Committed()
    assert datetime.fromtimestamp((root / "a.md").stat().st_mtime).year > 2020


# ── Somebody else ─────────────────────────────────────────────────────────────────────────────────


def written(path: Path) -> None:
    with path.open("a") as file:
        file.write("by hand\n")


def saved(path: Path) -> None:
    """As editors do: another file takes the place."""
    new = path.with_name("saving~")
    new.write_text(path.read_text() + "by hand\n")
    times = path.stat()
    os.utime(new, ns=(times.st_atime_ns, times.st_mtime_ns))
    new.replace(path)


def mode_changed(path: Path) -> None:
    path.chmod(0o600)


OTHERS = {
    "in place": written,
    "by renaming": saved,
    "its mode": mode_changed,
    "deleted": Path.unlink,
}


WHEN = [(how, when) for how in OTHERS for when in ("before it ended", "before it was kept")]


@pytest.mark.parametrize(
    ("how", "when"), [each for each in WHEN if each != ("deleted", "before it ended")]
)
def test_what_somebody_else_changed_is_never_overwritten(root, committing, how, when):
    layer = run_on_layer(
        root, root.parent / "layer", "echo x >> a.md; echo x >> kind; rm mode; echo n > new"
    )
    if when == "before it ended":
        OTHERS[how](root / "a.md")
    difference = read_difference(layer.root, layer.upper, layer.began_ns)
    if when != "before it ended":
        OTHERS[how](root / "a.md")
    theirs = picture(root).get("a.md")
    done = committing.commit(difference, "Run it")
    assert [change.path for change in done.conflicts] == ["a.md"]
    assert set(done.committed) == {"kind", "mode", "new"}
    assert picture(root).get("a.md") == theirs
    again = committing.commit(only(difference, "a.md"), "All the same", overwrite=True)
    assert (again.committed, again.conflicts, again.failed) == (("a.md",), (), ())
    assert (root / "a.md").read_text() == "this is a.md\nx\n"
    undo(committing._copies)
    assert picture(root).get("a.md") == theirs


def test_a_deletion_spares_what_was_changed_and_what_was_added(root, committing):
    difference = ran(root, "rm -r ch folder")
    written(root / "ch" / "1.md")
    (root / "folder" / "added").write_text("mine")
    done = committing.commit(difference, "Run it")
    assert {change.path for change in done.conflicts} == {"ch/1.md", "ch", "folder"}
    assert sorted(path.relative_to(root).as_posix() for path in (root / "ch").rglob("*")) == [
        "ch/1.md"
    ]
    assert (root / "folder" / "added").read_text() == "mine"
    assert not (root / "folder" / "in").exists()


def test_two_who_made_the_same_file(root, committing):
    difference = ran(root, "echo theirs > new; mkdir t; echo x > t/x")
    (root / "new").write_text("mine")
    (root / "t").mkdir()
    done = committing.commit(difference, "Run it")
    assert [change.path for change in done.conflicts] == ["new"]
    assert (root / "new").read_text() == "mine"
    assert (root / "t" / "x").exists()


def test_what_could_not_be_moved_stays_where_it_was(root, committing):
    difference = ran(root, "mv a.md b.md; mv ch n")
    (root / "b.md").write_text("mine")
    (root / "n").write_text("mine, too")
    done = committing.commit(difference, "Run it")
    assert done.committed == ()
    assert (root / "a.md").read_text() == "this is a.md\n"
    assert (root / "ch" / "1.md").exists()
    assert (root / "b.md").read_text() == "mine"


def test_a_folder_that_is_gone_is_made_again_only_where_that_is_wanted(root, committing):
    difference = ran(root, "echo x > ch/deep/new; echo x >> ch/1.md")
    shutil.rmtree(root / "ch")
    done = committing.commit(difference, "Run it")
    assert {change.path for change in done.conflicts} == {"ch/deep/new", "ch/1.md"}
    assert not (root / "ch").exists()
    committing.commit(only(difference, "ch/deep/new"), "Run it", overwrite=True)
    assert (root / "ch" / "deep" / "new").read_text() == "x\n"


def test_what_another_command_committed_meanwhile_is_no_conflict(root, committing):
    """A command in the background saw the folder as it was when it began."""
    background = run_on_layer(
        root, root.parent / "background", "echo b >> a.md; echo b >> hard2; echo b > log"
    )
    committing.commit(ran(root, "echo f >> a.md; echo f >> hard1; echo f > log"), "Run it")
    difference = read_difference(background.root, background.upper, background.began_ns)
    done = committing.commit(difference, "Run it in the background")
    assert (done.conflicts, done.failed) == ((), ())
    assert (root / "log").read_text() == "b\n"
    undo(committing._copies)
    assert (root / "log").read_text() == "f\n"


def test_a_file_that_changes_at_the_last_moment_is_not_lost(root, committing, monkeypatch):
    """Between the last look and the renaming: what came out is looked at, and put back."""
    difference = ran(root, "echo x >> a.md; rm kind")
    real = file_moves.rename_with

    def late(source: str, target: str, flags: int) -> None:
        if target.endswith("/a.md"):
            saved(root / "a.md")
        real(source, target, flags)
        monkeypatch.setattr(file_moves, "rename_with", real)

    monkeypatch.setattr(file_moves, "rename_with", late)
    done = committing.commit(difference, "Run it")
    assert [change.path for change in done.conflicts] == ["a.md"]
    assert (root / "a.md").read_text() == "this is a.md\nby hand\n"
    assert done.committed == ("kind",)
    assert left_over(root) == []


SWAPS = {
    "edit": "echo x >> ch/1.md",
    "create": "echo x > ch/new",
    "delete": "rm ch/1.md",
    "create below": "echo x > ch/deep/new",
    "new folder": "mkdir ch/deep/new",
    "mode": "chmod 700 ch/deep",
    "the folder itself": "chmod 700 ch",
    "link": "ln -s x ch/new",
    "delete all": "rm -r ch",
    "move": "mv ch/1.md there; mv a.md ch/",
}


@pytest.mark.parametrize("name", SWAPS)
def test_no_link_that_was_put_there_meanwhile_is_followed(root, tmp_path, committing, name):
    difference = ran(root, SWAPS[name])
    outside = furnished(tmp_path / "outside") / "ch"
    before = picture(outside)
    shutil.move(root / "ch", tmp_path / "away")
    (root / "ch").symlink_to(outside)
    kept = picture(tmp_path / "away")
    committing.commit(
        only(difference, "ch/1.md", "ch/new", "ch/deep/new", "ch/a.md"), "Run it", overwrite=True
    )
    done = committing.commit(difference, "Run it")
    assert picture(outside) == before
    assert picture(tmp_path / "away") == kept
    assert not {path for path in done.committed if path.startswith("ch/")}
    assert (root / "ch").is_symlink()


# ── Other file systems ────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def memory(tmp_path):
    """A folder in memory, which is another file system, with room for little. It is mounted for
    this process alone, so nothing stays mounted if the test is killed.
    """
    folder = tmp_path / "memory"
    folder.mkdir()
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", str(folder), "tmpfs", options="size=2m")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize("where", ["workspace", "layer", "copies", "workspace and layer"])
def test_other_file_systems(tmp_path, memory, monkeypatch, where):
    root = furnished((memory if "workspace" in where else tmp_path) / "w")
    layers = (memory if "layer" in where else tmp_path) / "layers"
    layers.mkdir()
    if where == "copies":
        monkeypatch.setenv("DOGENT_HOME", str(memory / "home"))
    before, expected = picture(root), expected_after(root, EVERYTHING)
    copies = UndoLog.of(Workspace(root), "session")
    done = Committing(tmp_path / "journals", copies).commit(ran(root, EVERYTHING, layers), "Run it")
    assert (done.conflicts, done.failed) == ((), ())
    assert picture(root) == expected
    assert left_over(root) == []
    assert undo(copies).left == ()
    assert picture(root) == before


def test_a_workspace_that_is_mounted_by_another_name(root, tmp_path):
    """The same file system, and yet nothing can be renamed into it."""
    bound = tmp_path / "bound"
    bound.mkdir()
    subprocess.run(["mount", "--bind", str(root), str(bound)], check=True)
    try:
        before, expected = picture(bound), expected_after(bound, EVERYTHING)
        copies = UndoLog.of(Workspace(bound), "session")
        done = Committing(tmp_path / "journals", copies).commit(ran(bound, EVERYTHING), "Run it")
        assert (done.conflicts, done.failed) == ((), ())
        assert picture(bound) == expected
        undo(copies)
        assert picture(bound) == before
    finally:
        subprocess.run(["umount", "--lazy", str(bound)], check=True)


def without_exchange(monkeypatch) -> None:
    """As on file systems that know no other renaming than the plain one (NFS, 9p, some of FUSE)."""

    def unable(*_: object) -> int:
        ctypes.set_errno(errno.EINVAL)
        return -1

    class Library:
        renameat2 = staticmethod(unable)

    monkeypatch.setattr(file_moves, "_libc", Library())


def test_a_file_system_that_cannot_exchange(root, copies, committing, monkeypatch):
    before, expected = picture(root), expected_after(root, EVERYTHING)
    difference = ran(root, EVERYTHING)
    without_exchange(monkeypatch)
    done = committing.commit(difference, "Run it")
    assert (done.conflicts, done.failed) == ((), ())
    assert picture(root) == expected
    undo(copies)
    assert picture(root) == before


def is_old_or_new(found: dict, before: dict, expected: dict) -> bool:
    return all(
        found.get(path) in (before.get(path), expected.get(path))
        for path in {*found, *before, *expected}
    )


FULL = (
    "".join(f"head -c 300000 /dev/urandom > {n}; echo x >> e{n}; " for n in range(8))
    + "rm a.md; mkdir t; echo t > t/t"
)


@pytest.mark.parametrize("where", ["workspace", "copies", "journals"])
def test_a_full_disk_costs_no_file(tmp_path, memory, monkeypatch, where):
    root = (memory if where == "workspace" else tmp_path) / "w"
    furnished(root)
    for number in range(8):
        (root / f"e{number}").write_bytes(os.urandom(100_000 if where == "workspace" else 300_000))
    if where == "copies":
        monkeypatch.setenv("DOGENT_HOME", str(memory / "home"))
    if where == "journals":
        (memory / "filler").write_bytes(bytes(memory_free(memory)))
    before = picture(root)
    layers = tmp_path / "layers"
    layers.mkdir()
    layer = run_on_layer(root, layers / "one", FULL)
    difference = read_difference(layer.root, layer.upper, layer.began_ns)
    expected = expected_elsewhere(root, layer.upper, tmp_path)
    copies = UndoLog.of(Workspace(root), "session")
    journals = (memory if where == "journals" else tmp_path) / "journals"
    done = Committing(journals, copies).commit(difference, "Run it")
    assert done.failed
    assert all("space" in why for _, why in done.failed)
    found = picture(root)
    assert is_old_or_new(found, before, expected)
    for path, _ in done.failed:
        assert found.get(path) == before.get(path)
    for path in done.committed:
        assert found.get(path) == expected.get(path)
    if where == "journals":
        assert found == before
        return
    assert done.committed
    for change in done.conflicts:
        assert found.get(change.path) == before.get(change.path)
    if where == "copies":  # what is there now is kept, too: that needs room
        subprocess.run(["mount", "-o", "remount,size=20m", str(memory)], check=True)
    undo(copies)
    if where == "workspace":
        assert {path: found for path, found in picture(root).items() if path[0] != "e"} == {
            path: found for path, found in before.items() if path[0] != "e"
        }
    else:
        assert picture(root) == before


def memory_free(folder: Path) -> int:
    state = os.statvfs(folder)
    return state.f_bavail * state.f_frsize


def expected_elsewhere(root: Path, upper: str, tmp_path: Path) -> dict:
    """Return what the workspace would be if there were room: random content cannot be made
    twice.
    """
    merged = tmp_path / "merged"
    shutil.copytree(root, merged, symlinks=True)
    for path in Path(upper).rglob("*"):
        there = merged / path.relative_to(upper)
        if path.is_char_device():
            there.unlink()
        elif path.is_dir():
            there.mkdir(exist_ok=True)
        else:
            there.unlink(missing_ok=True)
            shutil.copy2(path, there, follow_symlinks=False)
    return picture(merged)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_large_file_does_not_go_through_memory(root, tmp_path, committing):
    with (root / "big").open("wb") as file:
        file.truncate(200_000_000)
    difference = ran(root, "truncate -s 200000001 big; truncate -s 200M new; rm mode")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = committing.commit(difference, "Run it")
    assert set(done.committed) == {"big", "new", "mode"}
    committing._copies.settle(done.number)
    assert (root / "big").stat().st_size == 200_000_001
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_large_copies_do_not_cost_the_small_ones(root, copies, committing, monkeypatch):
    monkeypatch.setattr(copies_module, "LARGEST_SESSION", 5000)
    before = (root / "a.md").read_text()
    committing.commit(ran(root, "echo x >> a.md"), "small")
    for number in range(4):
        (root / "big").write_bytes(bytes(3000))
        committing.commit(ran(root, "rm big"), f"large {number}")
    assert sorted(undone.label for _ in range(5) if (undone := undo(copies)).restored) == [
        "large 3",
        "small",
    ]
    assert (root / "a.md").read_text() == before


# ── Killed ────────────────────────────────────────────────────────────────────────────────────────

_MOST_STEPS = 400
_CHANGES = {
    *(
        "os.rename",
        "os.remove",
        "os.mkdir",
        "os.rmdir",
        "os.chmod",
        "os.truncate",
        "os.link",
        "os.symlink",
    ),
    *("os.setxattr", "os.removexattr", "os.utime"),
}


def die_at(step: int, write: Callable[..., object]) -> None:
    """Write, and be killed before the call of this number that changes the disk."""
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        if done == step:
            os.kill(os.getpid(), signal.SIGKILL)

    def audit(event: str, details: tuple) -> None:
        writes = (
            event == "open"
            and isinstance(details[2], int)
            and details[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        )
        if writes or event in _CHANGES:
            count()

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            count()
            return real(*arguments)

        return call

    for name in ("fsync", "write", "sendfile", "mkfifo"):  # Python tells of these calls to nobody
        setattr(os, name, counted(getattr(os, name)))
    file_moves.rename_with = counted(file_moves.rename_with)
    sys.addaudithook(audit)
    write()
    os._exit(0)


WAYS = ["plain", "synced", "another file system", "no exchange", "no exchange, another file system"]
KILLED = (
    "echo x >> a.md; mv ch n; echo new > new; rm kind; mkdir kind; echo k > kind/k; rm -r folder;"
    " echo f > folder; rm l hard1"
)


@pytest.mark.thorough_after(1)
@pytest.mark.slow
@pytest.mark.parametrize(("way", "stride"), [("plain", 4), *((way, 1) for way in WAYS)])
def test_a_kill_at_any_step_loses_nothing(tmp_path, memory, way, stride, monkeypatch):
    if "no exchange" in way:
        without_exchange(monkeypatch)
    context = multiprocessing.get_context("fork")
    original = furnished(tmp_path / "original")
    before, expected = picture(original), expected_after(original, KILLED)
    for step in range(1, _MOST_STEPS, stride):
        root = tmp_path / f"at-{step}"
        subprocess.run(["cp", "-a", str(original), str(root)], check=True)
        layers = (memory if "another" in way else tmp_path) / f"layers-{step}"
        layers.mkdir()
        difference = ran(root, KILLED, layers)
        journals = tmp_path / "journals"
        write = Committing(journals, UndoLog.of(Workspace(root), "session")).commit
        child = context.Process(
            target=die_at,
            args=(step, lambda w=write, d=difference: w(d, "Run it", sync=way == "synced")),
        )
        child.start()
        child.join(60)
        assert child.exitcode in (0, -signal.SIGKILL)
        if "no exchange" not in way:
            torn = {
                path: found
                for path, found in picture(root).items()
                if not Path(path).name.startswith(".dogent-")
            }
            assert is_old_or_new_or_between(torn, before, expected), step
        copies = UndoLog.of(Workspace(root), "another")
        resumed = Committing(journals, copies).resume()
        check_resumed(root, resumed, before, expected, child.exitcode == 0, step)
        for folder in (root, layers):
            shutil.rmtree(folder)
        if child.exitcode == 0:
            assert step > 40, "nothing was counted"
            return
    pytest.fail("it never came to an end")


def is_old_or_new_or_between(found: dict, before: dict, expected: dict) -> bool:
    """Whether each file is old or new. Folders may be closed for a moment."""
    kinds = {path for path in before if path in expected and before[path][0] != expected[path][0]}
    for path in {*found, *before, *expected}:
        held = found.get(path)
        if (
            held not in (before.get(path), expected.get(path))
            and path not in kinds
            and not (held and held[2] is None)
        ):
            return False
    return True


def check_resumed(
    root: Path,
    resumed: tuple[Committed, ...],
    before: dict,
    expected: dict,
    was_done: bool,
    step: int,
) -> None:
    assert left_over(root) == [], step
    if not resumed:
        assert picture(root) == (expected if was_done else before) or picture(root) == expected, (
            step
        )
    for each in resumed:
        assert each.failed == (), step
        assert each.conflicts == (), step
    found = picture(root)
    if resumed:
        assert found == expected, step
    if found != before:
        undone = undo(UndoLog.of(Workspace(root), "session"))
        assert undone is not None, step
        assert undone.left == (), step
        assert picture(root) == before, step


def test_a_commit_under_way_is_not_resumed_by_another_window(
    root, tmp_path, committing, monkeypatch
):
    difference = ran(root, "echo x >> a.md")
    real = file_moves.rename_with
    other: list[tuple[Committed, ...]] = []

    def meanwhile(source: str, target: str, flags: int) -> None:
        other.append(
            Committing(tmp_path / "journals", UndoLog.of(Workspace(root), "another")).resume()
        )
        real(source, target, flags)

    monkeypatch.setattr(file_moves, "rename_with", meanwhile)
    assert committing.commit(difference, "Run it").committed == ("a.md",)
    assert other == [()]


def test_new_files_are_on_the_disk_before_they_take_their_places(root, committing, monkeypatch):
    """A power cut after the renaming would leave an empty file, were the data not on the disk
    yet.
    """
    difference = ran(root, "echo x >> a.md; echo n > new")
    steps: list[str] = []
    fsync, rename = os.fsync, file_moves.rename_with
    monkeypatch.setattr(
        os,
        "fsync",
        lambda fd: steps.append(str(Path(f"/proc/self/fd/{fd}").readlink())) or fsync(fd),
    )
    monkeypatch.setattr(
        file_moves, "rename_with", lambda *names: steps.append("rename") or rename(*names)
    )
    committing.commit(difference, "Run it")
    first = steps.index("rename")
    assert {Path(path).name for path in steps[:2]} == {"a.md", "new"}
    assert any(path.endswith(".journal") for path in steps[2:first])
    assert str(root) in steps[first:]
    steps.clear()
    committing.commit(ran(root, "echo y >> a.md"), "Run it", sync=False)
    assert steps == ["rename"]
