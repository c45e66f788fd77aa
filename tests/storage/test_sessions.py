import os
import stat
import time

from dogent_tui.storage.paths import Workspace, state_dir
from dogent_tui.storage.session_log import read_lines
from dogent_tui.storage.sessions import latest_session, list_sessions, open_log


def test_a_workspace_without_conversations(workspace):
    assert latest_session(workspace) is None
    assert list_sessions(workspace) == []


def test_lines_come_back_as_written_and_stay_private(workspace):
    log = open_log(workspace, "abc-1")
    log.append('{"type": "a", "text": "中文 \x1b"}')
    log.append('{"type": "b",\n "x": 1}\n')
    log.append('{"name": "\udc80"}')
    log.close()
    log.close()
    assert list(read_lines(log.path)) == [
        '{"type": "a", "text": "中文 \x1b"}',
        '{"type": "b",  "x": 1}',
        '{"name": "\\udc80"}',
    ]
    folder = log.path.parent
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert folder == state_dir() / "sessions" / workspace.key


def test_the_latest_is_the_one_last_spoken_in(workspace, tmp_path):
    logs = [open_log(workspace, f"s{number}") for number in range(3)]
    for number, log in enumerate(logs[:2]):
        log.append("{}")
        log.entitle(f"title {number}")
    os.utime(logs[0].path, (10, 10))
    os.utime(logs[1].path, (5, 5))
    record = latest_session(workspace)
    assert (record.session_id, record.title, record.path) == ("s0", "title 0", logs[0].path)
    assert record.started
    assert record.updated == "1970-01-01T00:00:10.000+00:00"
    assert [r.session_id for r in list_sessions(workspace)] == ["s0", "s1"]
    assert latest_session(Workspace(tmp_path)) is None


def test_a_resumed_conversation_continues_in_its_log(workspace):
    log = open_log(workspace, "s")
    log.append("1")
    log.entitle("T")
    log.close()
    again = open_log(workspace, "s")
    again.append("2")
    assert list(read_lines(again.path)) == ["1", "2"]
    assert again.path == log.path
    assert [(r.session_id, r.title) for r in list_sessions(workspace)] == [("s", "T")]


def test_the_agent_may_go_on_under_another_id(workspace):
    log = open_log(workspace, "old")
    log.append("1")
    log.continue_as("new")
    record = latest_session(workspace)
    assert (record.session_id, record.before, record.first_id) == ("new", ("old",), "old")
    assert open_log(workspace, "new").path == log.path


def test_a_last_line_that_was_cut_is_left_out_and_does_not_run_into_the_next(workspace):
    log = open_log(workspace, "s")
    log.append("whole")
    log.close()
    with log.path.open("ab") as file:
        file.write(b'{"cut": "' + b"x" * 200_000)
    assert list(read_lines(log.path)) == ["whole"]
    again = open_log(workspace, "s")
    again.append("next")
    assert list(read_lines(again.path)) == ["whole", "next"]


def test_a_damaged_page_or_a_strange_file_hides_no_other_conversation(workspace):
    good = open_log(workspace, "good")
    good.append("1")
    bad = open_log(workspace, "bad")
    bad.append("1")
    bad.path.with_suffix(".json").write_text("{")
    (bad.path.parent / "stray.jsonl").write_text("x\n")
    (bad.path.parent / "stray.json").write_text('{"session_id": 5}')
    assert [record.session_id for record in list_sessions(workspace)] == ["good"]


def test_without_its_page_the_log_says_what_it_is_whatever_came_first(workspace):
    events = [
        '{"type": "run_started", "prompt": {"text": "Tea?"}}',
        '{"type": "session_started", "session_id": "x", "cwd": "/w"}',
    ]
    for number, lines in enumerate((events, events[::-1])):
        log = open_log(workspace, f"{number}")
        for line in lines:
            log.append(line)
        log.path.with_suffix(".json").write_text("")
    assert [(record.session_id, record.title) for record in list_sessions(workspace)] == [
        ("x", "Tea?")
    ] * 2


def test_an_id_cannot_name_another_place(workspace):
    log = open_log(workspace, "../../x/\n" + "y" * 300)
    log.append("1")
    assert log.path.parent == state_dir() / "sessions" / workspace.key
    assert latest_session(workspace).session_id.startswith("../../x/")


def test_what_a_clock_that_was_ahead_has_dated_is_not_the_latest_for_ever(workspace):
    ahead = open_log(workspace, "ahead")
    ahead.append("{}")
    ahead.close()
    os.utime(ahead.path, (time.time() + 86_400, time.time() + 86_400))
    later = open_log(workspace, "later")
    later.append("{}")
    later.close()
    assert [record.session_id for record in list_sessions(workspace)] == ["later", "ahead"]
    assert latest_session(workspace).session_id == "later"
