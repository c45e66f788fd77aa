"""A link in place of a file of ours leads to a file that is not: nothing is written through it,
and nothing is copied out of what it leads to.
"""

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from dogent_tui.errors import DogentError
from dogent_tui.settings.own_files import make_change
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import plan_settings
from dogent_tui.sources import ledger
from dogent_tui.storage.drafts import Drafts
from dogent_tui.storage.history import History, HistoryEntry
from dogent_tui.storage.paths import Workspace, dogent_home, state_dir
from dogent_tui.storage.session_log import metadata_file
from dogent_tui.storage.sessions import latest_session, open_log
from dogent_tui.storage.usage import UsageEntry, note_usage
from dogent_tui.undo.undo_log import UndoLog

_SECRET = '{"key": "sk-of-someone-else"}\n'

Write = Callable[[Workspace], None]


def _draft(workspace: Workspace) -> None:
    drafts = Drafts(workspace)
    try:
        assert "sk-" not in drafts.load()
        drafts.save("typed")
        drafts.save("typed more")
    finally:
        drafts.close()


def _log(workspace: Workspace) -> None:
    log = open_log(workspace, "s")
    log.append('{"said": 1}')
    log.close()


def _page(workspace: Workspace) -> None:
    log = open_log(workspace, "s")
    log.continue_as("t")
    log.close()


def _seen(workspace: Workspace) -> None:
    (workspace.root / "a.md").write_text("A")
    ledger.Ledger("s").note(workspace.root / "a.md")


def _undo(workspace: Workspace) -> None:
    (workspace.root / "a.md").write_text("A")
    UndoLog.of(workspace, "s").keep("r", [workspace.root / "a.md"])


def _usage(workspace: Workspace) -> None:
    note_usage(UsageEntry(time.time(), "r", "s", "p"))


def _trust(workspace: Workspace) -> None:
    workspace.dot.mkdir()
    (workspace.dot / "dogent.md").write_text("x")
    FolderTrust(workspace).answer(trust=True)


def _settings(workspace: Workspace) -> None:
    make_change(workspace, plan_settings(workspace, {"primary_language": "English"}))


def _history(workspace: Workspace) -> None:
    History(workspace.history_file).append(HistoryEntry("2026-01-01", "completed", "p"))


_FILES: dict[Write, Callable[[Workspace], Path]] = {
    _draft: lambda workspace: state_dir() / "drafts" / workspace.key / "0.txt",
    _log: lambda workspace: latest_session(workspace).path,
    _page: lambda workspace: metadata_file(latest_session(workspace).path),
    _seen: lambda _: next((state_dir() / "seen").glob("*/index.jsonl")),
    _undo: lambda workspace: state_dir() / "copies" / workspace.key / "s" / "changes.jsonl",
    _usage: lambda _: state_dir() / "usage" / f"{datetime.now():%Y-%m}.jsonl",
    _trust: lambda _: dogent_home() / "trust.json",
    _settings: lambda workspace: workspace.settings_file,
    _history: lambda workspace: workspace.history_file,
}


@pytest.mark.parametrize("write", _FILES, ids=lambda write: write.__name__[1:])
def test_nothing_is_written_through_a_link(workspace, tmp_path, write):
    if write in (_log, _page, _seen):  # their names are known once they are there
        (_log if write is _page else write)(workspace)
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text(_SECRET)
    place = _FILES[write](workspace)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(elsewhere)
    try:
        write(workspace)
    except (OSError, DogentError) as refused:
        assert str(refused)
    assert elsewhere.read_text() == _SECRET
    if write is _settings:  # what they hold beside the change is kept
        assert place.is_symlink()


@pytest.mark.parametrize("write", [_settings, _history], ids=["settings", "history"])
def test_nothing_is_written_where_the_folder_itself_is_a_link(workspace, tmp_path, write):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    workspace.dot.symlink_to(elsewhere)
    with pytest.raises(DogentError, match="link"):
        write(workspace)
    assert not list(elsewhere.iterdir())
