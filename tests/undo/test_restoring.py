"""Reverting several changes: byte for byte, and nothing of what someone else wrote is lost."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dogent_tui.storage.paths import Workspace
from dogent_tui.undo import undo_log as module
from dogent_tui.undo.restoring import carry_out, changed_places, plan, undo
from dogent_tui.undo.undo_log import UndoLog

WINDOWS = b"\xef\xbb\xbfone\r\ntwo\rthree \xff\n\r\n"


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "w"
    (root / "ch").mkdir(parents=True)
    (root / "a.md").write_bytes(WINDOWS)
    (root / "a.md").chmod(0o640)
    (root / "ch" / "中 文.md").write_text("二")
    (root / "ch" / "link").symlink_to("中 文.md")
    return Workspace(root)


@pytest.fixture
def copies(workspace):
    return UndoLog.of(workspace, "session")


class Agent:
    """Changes files as the agent does: copied before, noted after."""

    def __init__(self, copies: UndoLog, root) -> None:
        self.copies, self.root = copies, root

    def write(self, name: str, data: bytes | str) -> None:
        path = self.root / name
        kept = self.copies.keep(f"Write {name}", [path])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        self.copies.settle(kept.number)

    def delete(self, name: str) -> None:
        path = self.root / name
        kept = self.copies.keep(f"Delete {name}", [path])
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.copies.settle(kept.number)


@pytest.fixture
def agent(copies, workspace):
    return Agent(copies, workspace.root)


def names(workspace, places):
    return {workspace.relative(Path(place.path)): place for place in places}


def everything(root):
    """Return everything below `root`: bytes and permissions of files, where links lead, folders."""
    found = {}
    for path in root.rglob("*"):
        what = str(path.readlink()) if path.is_symlink() else "folder"
        if path.is_file() and not path.is_symlink():
            what = (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
        found[str(path.relative_to(root))] = what
    return found


def test_several_changes_are_gone_back_over_byte_for_byte(workspace, copies, agent):
    before = everything(workspace.root)
    copies.begin_run("one")
    agent.write("a.md", "one")
    agent.write("new/deep/made.md", "made")
    agent.delete("ch")
    between = everything(workspace.root)
    copies.begin_run("two")
    agent.write("a.md", "two")
    (workspace.root / "a.md").chmod(0o600)
    copies.settle()
    agent.delete("new/deep/made.md")
    agent.write("second.md", "x")

    places = names(workspace, plan(copies, {"two"}))
    assert {name: (place.removes, place.why) for name, place in places.items()} == {
        "a.md": (False, "touched"),  # its permissions are not those that the change left
        "new/deep/made.md": (False, ""),
        "second.md": (True, ""),
    }
    done = carry_out(copies, list(places.values()), "Rewind")
    assert (len(done.restored), len(done.removed), done.left) == (2, 1, ())
    assert everything(workspace.root) == between

    done = carry_out(copies, plan(copies, {"one", "two"}), "Rewind")
    assert done.left == ()
    assert everything(workspace.root) == before
    assert plan(copies, {"one", "two"}) == []


NAMES = st.sampled_from(["a.md", "b.md", "ch/中 文.md", "new/c.md", "new/deep/d.md"])
often = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def steps_of(*what):
    step = st.tuples(st.sampled_from(what), NAMES, st.binary(max_size=6))
    return st.lists(step, max_size=14)


@often
@given(steps_of("run", "write", "write", "delete"), st.booleans())
def test_whatever_was_done_each_run_can_be_gone_back_over(tmp_path_factory, home, steps, restarts):
    root = tmp_path_factory.mktemp("w")
    (root / "a.md").write_bytes(WINDOWS)
    copies = UndoLog.of(Workspace(root), "session")
    begun: list[tuple[str, dict[str, object]]] = []
    for number, (what, name, data) in enumerate([("run", "", b""), *steps]):
        if what == "run":
            begun.append((f"r{number}", everything(root)))
            copies.begin_run(f"r{number}")
        elif what == "write":
            Agent(copies, root).write(name, data)
        elif (root / name).exists():
            Agent(copies, root).delete(name)
    if restarts:
        copies = UndoLog.of(Workspace(root), "session")
    runs = [run for run, _ in begun]
    for at in reversed(range(len(begun))):
        places = plan(copies, runs[at:])
        assert {place.why for place in places} <= {""}
        assert carry_out(copies, places, "Rewind").left == ()
        assert everything(root) == begun[at][1]


@often
@given(steps_of("write", "write", "delete", "other"), st.booleans())
def test_undo_leaves_and_names_what_someone_else_changed_since(
    tmp_path_factory, home, steps, restarts
):
    root = tmp_path_factory.mktemp("w")
    copies = UndoLog.of(Workspace(root), "session")
    theirs: dict[str, bytes] = {}
    told: set[str] = set()
    ours: set[str] = set()
    for what, name, data in steps:
        if what == "other" and (root / name).exists():
            theirs[name] = b"theirs " + data
            (root / name).write_bytes(theirs[name])
            told |= {name} & ours
        elif what == "write":
            ours.add(name)
            Agent(copies, root).write(name, data)
        elif what == "delete" and (root / name).exists():
            Agent(copies, root).delete(name)
    if restarts:
        copies = UndoLog.of(Workspace(root), "session")
    left: set[str] = set()
    kept: set[Path] = set()
    while (undone := undo(copies)) is not None:
        left.update(os.path.relpath(path, root) for path in undone.left)
        kept.update(map(Path, undone.aside))
    found = {path: what for path, what in everything(root).items() if what != "folder"}
    assert {path: content for path, (content, _) in found.items()} == theirs
    assert left == told
    assert all(path.is_file() for path in kept)


def test_a_rewind_is_itself_a_change_that_can_be_undone(workspace, copies, agent):
    copies.begin_run("one")
    agent.write("a.md", "one")
    agent.write("new.md", "made")
    after = everything(workspace.root)
    carry_out(copies, plan(copies, {"one"}), "Rewind to “x”")
    assert (workspace.root / "a.md").read_bytes() == WINDOWS
    assert undo(copies).label == "Rewind to “x”"
    assert everything(workspace.root) == after


def test_what_somebody_else_changed_since_is_said_and_kept_aside_when_it_is_gone_over(
    workspace, copies, agent
):
    copies.begin_run("one")
    agent.write("a.md", "one")
    agent.write("b.md", "made")
    (workspace.root / "a.md").write_text("mine")
    (workspace.root / "b.md").unlink()
    (workspace.root / "b.md").write_text("mine too")
    places = plan(copies, {"one"})
    assert {place.why for place in places} == {"touched"}
    assert carry_out(copies, places, "Rewind").left == ()
    kept = {path.read_text(errors="replace") for path in copies.folder.rglob("*") if path.is_file()}
    assert {"mine", "mine too"} <= kept


def test_what_somebody_changed_between_two_changes_is_said_too(workspace, copies, agent):
    copies.begin_run("one")
    agent.write("a.md", "one")
    (workspace.root / "a.md").write_text("mine")
    copies.begin_run("two")
    agent.write("a.md", "mine, and two")
    assert [place.why for place in plan(copies, {"one"})] == ["touched"]
    assert [place.why for place in plan(copies, {"two"})] == [""]


def test_what_a_crash_left_unsettled_counts_as_changed_by_somebody_else(workspace, copies, agent):
    copies.begin_run("one")
    copies.keep("Write a.md", [workspace.root / "a.md"])
    (workspace.root / "a.md").write_text("one")
    again = UndoLog.of(workspace, "session")
    again.settle()
    assert [place.why for place in plan(again, {"one"})] == ["touched"]


def test_a_later_start_knows_the_same(workspace, copies, agent):
    copies.begin_run("one")
    agent.write("a.md", "one")
    agent.write("new.md", "made")
    again = UndoLog.of(workspace, "session")
    assert plan(again, {"one"}) == plan(copies, {"one"})
    assert [place.why for place in plan(again, {"one"})] == ["", ""]
    assert changed_places(again) == {
        "one": {str(workspace.root / "a.md"), str(workspace.root / "new.md")}
    }


def test_what_was_undone_is_not_gone_back_over(workspace, copies, agent):
    copies.begin_run("one")
    agent.write("a.md", "one")
    undo(copies)
    assert plan(copies, {"one"}) == []


def test_what_there_is_no_copy_of_is_said_and_left(workspace, copies, agent, monkeypatch):
    copies.begin_run("one")
    monkeypatch.setattr(module, "LARGEST_FILE", 3)
    agent.write("a.md", "one")
    monkeypatch.undo()
    (place,) = plan(copies, {"one"})
    assert (place.why, place.possible) == ("no_copy", False)
    assert carry_out(copies, [place], "Rewind").left == (place.path,)
    assert (workspace.root / "a.md").read_text() == "one"


def test_a_copy_that_had_to_go_is_not_stood_in_for_by_a_later_one(
    workspace, copies, agent, monkeypatch
):
    copies.begin_run("one")
    agent.write("a.md", "one")
    copies.begin_run("two")
    monkeypatch.setattr(module, "LARGEST_SESSION", 5)
    agent.write("a.md", "two")
    assert [place.why for place in plan(copies, {"one"})] == ["no_copy"]
    assert [place.why for place in plan(copies, {"two"})] == [""]
    assert undo(copies).restored == (str(workspace.root / "a.md"),)
    assert undo(copies).left == (str(workspace.root / "a.md"),)


def test_a_fork_can_go_back_to_before_it_and_leaves_the_first_as_it_is(workspace, copies, agent):
    copies.begin_run("one")
    agent.write("a.md", "one")
    fork = UndoLog.of(workspace, "fork", fork_of="session")
    fork.begin_run("two")
    Agent(fork, workspace.root).write("a.md", "two")
    changes = (copies.folder / "changes.jsonl").read_bytes()
    assert carry_out(fork, plan(fork, {"one", "two"}), "Rewind").left == ()
    assert (workspace.root / "a.md").read_bytes() == WINDOWS
    assert (copies.folder / "changes.jsonl").read_bytes() == changes
    assert UndoLog.of(workspace, "new", fork_of="never was").changes() == []


def test_a_file_that_changes_while_the_preview_is_read_is_left(workspace, copies, agent):
    copies.begin_run("one")
    agent.write("a.md", "one")
    places = plan(copies, {"one"})
    (workspace.root / "a.md").write_text("mine")
    assert carry_out(copies, places, "Rewind").left == (str(workspace.root / "a.md"),)
    assert (workspace.root / "a.md").read_text() == "mine"


def test_a_backup_that_gives_files_other_names_meanwhile_stops_nothing(workspace, copies, agent):
    copies.begin_run("one")
    agent.write("a.md", "one")
    places = plan(copies, {"one"})
    (workspace.root.parent / "backup").hardlink_to(workspace.root / "a.md")
    assert carry_out(copies, places, "Rewind").left == ()


def test_a_rewind_reads_no_file_that_it_has_just_compared(workspace, copies, agent, monkeypatch):
    copies.begin_run("one")
    agent.write("a.md", "one")
    places = plan(copies, {"one"})
    read = []
    real = module._digest
    monkeypatch.setattr(module, "_digest", lambda path: read.append(path) or real(path))
    carry_out(copies, places, "Rewind")
    assert read.count(str(workspace.root / "a.md")) == 1  # what it is afterwards


def test_a_folder_that_leads_elsewhere_now_is_left(workspace, copies, agent, tmp_path):
    copies.begin_run("one")
    agent.write("ch/中 文.md", "changed")
    elsewhere = tmp_path / "elsewhere"
    (workspace.root / "ch").rename(elsewhere)
    (workspace.root / "ch").symlink_to(elsewhere)
    assert [place.why for place in plan(copies, {"one"})] == ["leads_elsewhere"]
    carry_out(copies, plan(copies, {"one"}), "Rewind")
    assert (elsewhere / "中 文.md").read_text() == "changed"


def test_a_folder_that_was_made_stays_where_it_holds_something_else(workspace, copies, agent):
    copies.begin_run("one")
    agent.write("new/made.md", "made")
    (workspace.root / "new" / "mine.md").write_text("mine")
    places = plan(copies, {"one"})
    assert list(names(workspace, places)) == ["new/made.md"]
    carry_out(copies, places, "Rewind")
    assert [path.name for path in (workspace.root / "new").iterdir()] == ["mine.md"]


def test_a_file_where_a_folder_is_now_is_left(workspace, copies, agent):
    copies.begin_run("one")
    agent.delete("a.md")
    (workspace.root / "a.md").mkdir()
    assert [place.why for place in plan(copies, {"one"})] == ["folder_there"]


def test_the_oldest_copies_stay_while_they_are_gone_back_to(workspace, copies, agent, monkeypatch):
    copies.begin_run("one")
    agent.write("a.md", "1" * 40)
    places = plan(copies, {"one"})
    monkeypatch.setattr(module, "LARGEST_SESSION", 45)
    assert carry_out(copies, places, "Rewind").left == ()
    assert (workspace.root / "a.md").read_bytes() == WINDOWS


WITHOUT = """
import os, sys
from pathlib import Path
for name in ("O_PATH", "listxattr", "getxattr", "setxattr", "removexattr", "sendfile"):
    delattr(os, name)
from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.restoring import undo
from dogent_tui.undo.undo_log import UndoLog
root = Path(sys.argv[1])
copies = UndoLog.of(Workspace(root), "session")
kept = copies.keep("Write", [root / "a.md", root / "new" / "b.md"])
(root / "a.md").write_text("other")
(root / "new").mkdir()
(root / "new" / "b.md").write_text("more")
copies.settle(kept.number)
undo(copies)
"""


def test_a_system_without_the_calls_of_linux_undoes_too(workspace):
    before = everything(workspace.root)
    subprocess.run([sys.executable, "-c", WITHOUT, workspace.root], check=True)
    assert everything(workspace.root) == before
