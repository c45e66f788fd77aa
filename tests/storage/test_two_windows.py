"""Two windows on one workspace: what each writes is there afterwards, and one conversation has
one writer.
"""

import json
import multiprocessing

import pytest

from dogent_tui.errors import DogentError
from dogent_tui.storage.paths import Workspace, state_dir
from dogent_tui.storage.session_log import (
    LogTail,
    SessionHold,
    SessionLog,
    copy_log,
    is_held,
    read_lines,
)
from dogent_tui.storage.sessions import (
    all_sessions,
    delete_session,
    find_session,
    list_sessions,
    open_log,
    rename_session,
)
from tests.storage.hammering import hammer

pytestmark = pytest.mark.slow


def test_two_windows_that_write_as_fast_as_they_can_lose_nothing_of_each_other(workspace):
    hammer(workspace, rounds=60)


def hold_until_told(log, taken, told) -> None:
    taken.put(SessionHold().take(log))
    hold = SessionHold()
    taken.put(hold.take(log))
    told.get()


def test_one_window_writes_a_conversation_until_it_lets_go_or_dies(workspace):
    log = open_log(workspace, "s")
    log.append("{}")
    context = multiprocessing.get_context("fork")
    taken, told = context.Queue(), context.Queue()
    hold = SessionHold()
    assert hold.take(log.path)
    assert hold.take(log.path)
    other = context.Process(target=hold_until_told, args=(log.path, taken, told))
    other.start()
    assert taken.get(timeout=60) is False
    assert taken.get(timeout=60) is False
    other.kill()
    other.join()
    (record,) = list_sessions(workspace)
    for write in (lambda: open_log(workspace, "s", SessionHold()), lambda: delete_session(record)):
        with pytest.raises(DogentError, match="is open in"):
            write()
    rename_session(record, "Another title")
    hold.release()
    hold.release()
    assert SessionHold().take(log.path)
    assert [record.title for record in list_sessions(workspace)] == ["Another title"]


def test_whether_a_window_has_a_conversation_can_be_seen_without_taking_it(workspace):
    log = open_log(workspace, "s")
    assert not is_held(log.path)
    assert not log.path.with_suffix(".lock").exists()
    hold = SessionHold()
    assert hold.take(log.path)
    assert is_held(log.path)
    assert is_held(log.path)
    hold.release()
    assert not is_held(log.path)
    assert hold.take(log.path)


def test_what_another_window_adds_is_read_once_whole_and_in_order(tmp_path):
    log = SessionLog(tmp_path / "a.jsonl")
    tail = LogTail(log.path)
    lines = [json.dumps([number, "茶" * (number * 7 % 60)]) for number in range(40)]
    read = []
    for number, line in enumerate(lines):
        log.append(line)
        if number % 5 == 0:
            read += tail.lines()
    assert [*read, *tail.lines()] == lines
    assert [*tail.lines()] == []
    with log.path.open("ab") as file:
        file.write('{"half": "茶'.encode()[:-1])
        file.flush()
        assert [*tail.lines()] == []  # not before the line is whole
        file.write('茶"}\n'.encode()[2:])
    assert [*tail.lines()] == ['{"half": "茶"}']
    log.close()
    log.path.unlink()
    with pytest.raises(FileNotFoundError):
        next(tail.lines())


def test_a_log_is_continued_after_its_last_whole_line(tmp_path):
    log = SessionLog(tmp_path / "a.jsonl")
    lines = [json.dumps([number, "x" * (number * 7 % 150)]) for number in range(60)]
    for line in lines[:40]:
        log.append(line)
    log.close()
    again = SessionLog(tmp_path / "a.jsonl")
    for line in lines[40:]:
        again.append(line)
    again.close()
    assert list(read_lines(log.path)) == lines
    with log.path.open("ab") as file:
        file.write(b'["cut')
    assert list(read_lines(log.path)) == lines
    SessionLog(log.path).append("next")
    assert list(read_lines(log.path)) == [*lines, "next"]
    copy_log(log.path, tmp_path / "b.jsonl")
    assert list(read_lines(tmp_path / "b.jsonl")) == [*lines, "next"]


def test_a_conversation_is_found_by_its_id_or_the_beginning_of_it(workspace, tmp_path_factory):
    elsewhere = Workspace(tmp_path_factory.mktemp("elsewhere"))
    for where, session_id in (
        (workspace, "1111-aaaa"),
        (elsewhere, "1111-bbbb"),
        (elsewhere, "2222-cccc"),
    ):
        open_log(where, session_id).append("{}")
    assert {record.session_id for record in all_sessions()} == {
        "1111-aaaa",
        "1111-bbbb",
        "2222-cccc",
    }
    assert find_session("2222").workspace == str(elsewhere.root)
    assert find_session("1111-aaaa").session_id == "1111-aaaa"
    assert find_session("222") is None
    assert find_session("nothing") is None
    with pytest.raises(DogentError, match="2 conversations"):
        find_session("1111")


def test_a_deleted_conversation_leaves_nothing(workspace):
    log = open_log(workspace, "s")
    log.append("secret words")
    log.close()
    (record,) = list_sessions(workspace)
    rename_session(record, "secret words")
    copies = state_dir() / "copies" / workspace.key / "s"
    copies.mkdir(parents=True)
    (copies / "1").write_text("secret words")
    delete_session(record)
    assert list_sessions(workspace) == []
    assert not [
        file
        for file in state_dir().rglob("*")
        if file.is_file() and "secret words" in file.read_text()
    ]
