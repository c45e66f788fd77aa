"""What is accepted is written at once or not at all, over nothing that was not reviewed, and can
be undone after a restart.
"""

import os

import pytest
from hypothesis import given

from dogent_tui.changes.reviewed import Reviewed
from dogent_tui.errors import DogentError
from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.restoring import undo
from dogent_tui.undo.undo_log import UndoLog
from tests.changes.strategies import versions


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    (tmp_path / "work").mkdir()
    return Workspace(tmp_path / "work")


def open_review(workspace: Workspace, new: str, name: str = "tea.md") -> Reviewed:
    return Reviewed.open(workspace, name, new, "A summary")


def test_what_is_accepted_is_written_and_undone(workspace):
    path = workspace.root / "tea.md"
    path.write_bytes(b"\xef\xbb\xbfone\r\n\r\ntwo\r\n\r\nthree")
    path.chmod(0o640)
    review = open_review(workspace, "ONE\n\ntwo\n\nTHREE\n")
    assert review.apply(UndoLog.of(workspace, "s")), "nothing is accepted: nothing to do"
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\n\r\ntwo\r\n\r\nthree"
    review.change.decide(2, "accepted")
    assert review.apply(UndoLog.of(workspace, "s"))
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\n\r\ntwo\r\n\r\nTHREE"
    assert path.stat().st_mode & 0o777 == 0o640
    undone = undo(UndoLog.of(workspace, "s"))
    assert undone is not None
    assert undone.label == "Review of tea.md"
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\n\r\ntwo\r\n\r\nthree"


def test_accept_then_undo_is_the_identity(tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp("undo"))

    @given(versions(2))
    def check(texts):
        base, new = ("\r\n".join(lines) for lines in texts)
        path = workspace.root / "tea.md"
        path.write_bytes(base.encode())
        review = open_review(workspace, new)
        review.change.decide_all("accepted")
        assert review.apply(UndoLog.of(workspace, "s"))
        if path.read_bytes() != base.encode():
            undo(UndoLog.of(workspace, "s"))
        assert path.read_bytes() == base.encode()

    check()


def test_a_new_file_is_made_and_taken_away_again(workspace):
    review = open_review(workspace, "# Tea\n", "drafts/tea.md")
    assert review.apply()
    assert not review.path.exists(), "nothing was accepted: there is no file"
    review.change.decide_all("accepted")
    assert review.apply(UndoLog.of(workspace, "s"))
    assert review.path.read_text() == "# Tea\n"
    undo(UndoLog.of(workspace, "s"))
    assert not review.path.exists()


def test_a_file_that_changed_meanwhile_is_reviewed_anew(workspace):
    path = workspace.root / "tea.md"
    path.write_text("one\n\ntwo\n\nthree\n")
    review = open_review(workspace, "ONE\n\ntwo\n\nTHREE\n")
    review.change.decide_all("accepted")
    path.write_text("one\n\ntwo\n\n3\n")
    assert not review.apply()
    assert path.read_text() == "one\n\ntwo\n\n3\n"
    assert [hunk.is_conflict for hunk in review.change.hunks] == [False, True]
    assert review.apply()
    assert path.read_text() == "ONE\n\ntwo\n\n3\n"


def test_a_link_is_followed_within_the_workspace_only(workspace, tmp_path):
    (workspace.root / "tea.md").write_text("one\n")
    (workspace.root / "link.md").symlink_to("tea.md")
    (tmp_path / "outside.md").write_text("mine\n")
    (workspace.root / "out.md").symlink_to(tmp_path / "outside.md")
    review = open_review(workspace, "two\n", "link.md")
    review.change.decide_all("accepted")
    assert review.apply()
    assert (workspace.root / "link.md").is_symlink()
    assert (workspace.root / "tea.md").read_text() == "two\n"
    for name in ("out.md", "../outside.md", ".dogent/dogent.md", "", "."):
        with pytest.raises(DogentError):
            open_review(workspace, "two\n", name)


def test_what_cannot_be_read_or_written_is_said(workspace):
    (workspace.root / "folder.md").mkdir()
    with pytest.raises(DogentError, match="not a file"):
        open_review(workspace, "x", "folder.md")
    os.mkfifo(workspace.root / "pipe.md")
    with pytest.raises(DogentError, match="not a file"):
        open_review(workspace, "x", "pipe.md")
    (workspace.root / "tea.md").write_text("one\n")
    review = open_review(workspace, "two\n")
    review.change.decide_all("accepted")
    (workspace.root / "tea.md").unlink()
    (workspace.root / "tea.md").mkdir()
    with pytest.raises(DogentError, match="cannot be read"):
        review.apply()
