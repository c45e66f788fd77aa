"""Copies of what is about to change: kept whole, brought back as it was, and nothing lost on the
way.
"""

import os
import shutil
import stat

import pytest

from dogent_tui.storage.paths import Workspace
from dogent_tui.undo import undo_log as module
from dogent_tui.undo.restoring import undo
from dogent_tui.undo.undo_log import UndoLog


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "w"
    (root / "ch" / "deep").mkdir(parents=True)
    (root / "a.md").write_text("a")
    (root / "ch" / "1.md").write_text("one")
    (root / "ch" / "deep" / "中 文.md").write_text("二")
    (root / "ch" / "link").symlink_to("1.md")
    return Workspace(root)


@pytest.fixture
def copies(workspace):
    return UndoLog.of(workspace, "session")


def test_a_deleted_file_comes_back_with_its_mode(workspace, copies):
    path = workspace.root / "a.md"
    path.chmod(0o640)
    assert copies.keep("Run rm a.md", [path]).paths == (str(path),)
    path.unlink()
    undone = undo(copies)
    assert (undone.label, undone.restored, undone.left) == ("Run rm a.md", (str(path),), ())
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("a", 0o640)
    assert undo(copies) is None


def test_a_folder_comes_back_whole(workspace, copies):
    folder = workspace.root / "ch"
    copies.keep("Run rm -r ch", [folder])
    shutil.rmtree(folder)
    assert undo(copies).left == ()
    assert (folder / "deep" / "中 文.md").read_text() == "二"
    assert (folder / "link").is_symlink()
    assert (folder / "link").read_text() == "one"


def test_changes_are_undone_last_first_and_those_that_changed_nothing_are_passed_over(
    workspace, copies
):
    path = workspace.root / "a.md"
    copies.keep("one", [path])
    path.write_text("b")
    copies.keep("two", [path])
    path.write_text("c")
    copies.keep("it failed", [path])
    assert undo(copies).label == "two"
    assert path.read_text() == "b"
    assert undo(copies).label == "one"
    assert path.read_text() == "a"


def test_what_was_made_goes_and_what_lies_there_now_is_kept_aside(workspace, copies):
    made, path = workspace.root / "new.md", workspace.root / "a.md"
    copies.keep("Write new.md", [path, made])
    made.write_text("new")
    path.write_text("changed since")
    undone = undo(copies)
    assert (undone.restored, undone.removed) == ((str(path),), (str(made),))
    assert not made.exists()
    aside = {file.read_text() for file in copies.folder.glob("0002/*")}
    assert aside == {"new", "changed since"}


def test_a_later_start_can_still_undo(workspace, copies):
    path = workspace.root / "a.md"
    copies.keep("one", [path])
    path.unlink()
    copies.keep("two", [workspace.root / "ch" / "1.md"])
    (workspace.root / "ch" / "1.md").write_text("x")
    assert undo(copies).label == "two"
    with (copies.folder / "changes.jsonl").open("a") as file:
        file.write('{"number": 3, "la')  # a crash in the middle of a line
    later = UndoLog.of(workspace, "session")
    assert undo(later).label == "one"
    assert path.read_text() == "a"
    assert undo(UndoLog.of(workspace, "session")) is None
    assert undo(UndoLog.of(workspace, "another")) is None


def test_a_name_that_is_not_utf_8_comes_back_too(workspace, copies):
    path = workspace.root / os.fsdecode(b"caf\xe9.md")
    path.write_text("x")
    copies.keep("one", [path])
    path.unlink()
    assert undo(copies).restored == (str(path),)


def test_only_the_user_can_read_the_copies(workspace, copies):
    copies.keep("one", [workspace.root / "a.md"])
    assert stat.S_IMODE(copies.folder.stat().st_mode) == 0o700
    assert not copies.folder.is_relative_to(workspace.root)


def test_what_is_too_large_or_too_much_is_named(workspace, copies, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_FILE", 2)
    monkeypatch.setattr(module, "_MOST_FILES", 2)
    big, folder = workspace.root / "ch" / "1.md", workspace.root / "ch"
    kept = copies.keep("one", [workspace.root / "a.md", big, folder, workspace.root / "missing"])
    assert (kept.paths, kept.left) == ((str(workspace.root / "a.md"),), (str(big), str(folder)))


def test_the_oldest_copies_make_room(workspace, copies, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_SESSION", 10)
    path = workspace.root / "a.md"
    for text in ("1" * 6, "2" * 6, "3"):
        path.write_text(text)
        copies.keep(text, [path])
    path.write_text("4")
    assert [undo(copies).label for _ in range(2)] == ["3", "2" * 6]
    assert undo(copies).left == (str(path),)


def test_a_folder_that_leads_elsewhere_now_is_not_followed(workspace, copies, tmp_path):
    path, elsewhere = workspace.root / "ch" / "1.md", tmp_path / "elsewhere"
    copies.keep("one", [path])
    elsewhere.mkdir()
    (workspace.root / "ch").rename(workspace.root / "gone")
    (workspace.root / "ch").symlink_to(elsewhere)
    assert undo(copies).left == (str(path),)
    assert list(elsewhere.iterdir()) == []


def test_a_place_that_cannot_be_written_costs_the_copies_and_nothing_more(workspace, copies):
    copies.folder.parent.parent.mkdir(parents=True)
    copies.folder.parent.touch()
    assert copies.keep("one", [workspace.root / "a.md"]).left == (str(workspace.root / "a.md"),)
