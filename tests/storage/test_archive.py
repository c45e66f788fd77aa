"""Putting history and lessons aside."""

from dogent_tui.storage.archive import archive
from dogent_tui.storage.history import History, HistoryEntry


def test_both_begin_anew_and_nothing_is_lost(workspace):
    workspace.dot.mkdir()
    history = History(workspace.history_file)
    history.append(HistoryEntry("2026-11-22T10:00:00.000+00:00", "completed", "Write it"))
    workspace.lessons_file.write_text("# Lessons\n")
    kept = archive(workspace, "now")
    assert [path.name for path in kept] == ["history-now.json", "lessons-now.md"]
    assert [entry.prompt for entry in History(kept[0]).entries()] == ["Write it"]
    assert kept[1].read_text() == "# Lessons\n"
    assert history.entries() == []
    assert not workspace.lessons_file.exists()
    assert archive(workspace, "now") == []

    history.append(HistoryEntry("2026-11-22T11:00:00.000+00:00", "completed", "Again"))
    assert [path.name for path in archive(workspace, "now")] == ["history-now-2.json"]
