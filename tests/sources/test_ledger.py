"""What the model has seen: kept over sessions and forks, and compared with what the files hold
now.
"""

import os
import stat

import pytest

from dogent_tui.sources.ledger import LARGEST, Ledger, forget, hash_of
from dogent_tui.storage.paths import state_dir


@pytest.fixture
def ledger():
    return Ledger("one")


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "notes 文.md"
    file.write_text("seen\n")
    return file


def test_what_was_seen_outlives_the_session(ledger, file):
    assert not ledger.has(file)
    ledger.note(file)
    file.write_text("other\n")
    for known in (ledger, Ledger("one")):
        assert known.has(file)
        assert known.content(file) == b"seen\n"
    assert not Ledger("two").has(file)
    forget("one")
    assert not Ledger("one").has(file)


def test_a_fork_begins_with_what_was_seen_and_goes_its_own_way(ledger, file, tmp_path):
    ledger.note(file)
    fork = Ledger("fork", "one")
    assert fork.content(file) == b"seen\n"
    file.write_text("later\n")
    fork.note(file)
    assert Ledger("one").content(file) == b"seen\n"
    assert Ledger("fork").content(file) == b"later\n"


def test_each_change_by_somebody_else_is_told_once(ledger, file):
    ledger.note(file)
    os.utime(file, ns=(1, 1))
    assert ledger.changed() == []  # its text is the same
    file.write_text("by the user\n")
    assert ledger.changed() == [file]
    assert ledger.changed() == []
    file.unlink()
    assert ledger.changed() == [file]
    assert ledger.changed() == []


def test_what_the_model_did_by_a_command_is_not_told_and_not_taken_for_read(ledger, file):
    ledger.note(file)
    file.write_text("by a command\n")
    ledger.expect([file])
    assert ledger.changed() == []
    assert ledger.content(file) == b"seen\n"


def test_a_change_while_the_application_was_closed_is_told(ledger, file):
    ledger.note(file)
    file.write_text("meanwhile\n")
    assert Ledger("one").changed() == [file]


def test_what_was_seen_after_the_prompt_that_is_gone_back_to_is_forgotten(ledger, file):
    ledger.begin("run1")
    ledger.note(file)
    ledger.begin("run2")
    file.write_text("by the user\n")
    ledger.note(file)
    for _ in range(2):  # also when it is started again
        rewound = Ledger("one", dropped="run2")
        assert rewound.content(file) == b"seen\n"
        assert rewound.changed() == [file]
    assert not Ledger("one", dropped="run1").has(file)


def test_a_part_is_no_new_base_and_parts_make_a_whole(ledger, file):
    ledger.note(file, "part", 0, 1, 2)
    assert not ledger.has(file)
    file.write_text("later\n")
    ledger.note(file, "part", 1, 2, 2)
    assert not ledger.has(file), "the parts are of different texts"
    assert ledger.content(file) == b"seen\n"
    for known in (ledger, Ledger("one")):
        known.note(file, "part", 0, 1, 2)
        assert known.has(file)
        assert known.content(file) == b"later\n"
    file.write_text("last\n")
    ledger.note(file, "part", 0, 1, 2)
    assert (ledger.content(file), ledger.is_stale(file)) == (b"later\n", False)


def test_an_edit_makes_nothing_known_that_was_not(ledger, file):
    ledger.note(file, "part", 0, 1, 2)
    before = hash_of(file)
    file.write_text("edited\n")
    assert ledger.is_stale(file)
    ledger.note_edit(file, before)
    assert (ledger.has(file), ledger.is_part(file), ledger.is_stale(file)) == (False, True, False)
    assert ledger.content(file) == b"edited\n"
    file.write_text("by the user\n")
    before = hash_of(file)
    file.write_text("by the user, and edited\n")
    ledger.note_edit(file, before)
    assert ledger.content(file) == b"edited\n"
    assert ledger.changed() == [file]
    before = hash_of(file)
    file.write_text("edited again\n")
    ledger.note_edit(file, before)
    assert ledger.changed() == [], "what the user wrote was told"
    assert ledger.is_stale(file)


def test_a_change_that_keeps_size_and_time_is_seen(ledger, file):
    ledger.note(file)
    then = file.stat()
    file.write_text("mine\n")
    os.utime(file, ns=(then.st_atime_ns, then.st_mtime_ns))
    assert ledger.is_stale(file)
    assert ledger.changed() == [file]


def test_a_text_of_which_the_copy_is_gone_is_not_known(ledger, file):
    ledger.note(file)
    for copy in (state_dir() / "seen").glob("*/[0-9a-f]*"):
        copy.unlink()
    assert not ledger.has(file)


def test_what_is_too_large_or_no_file_has_no_copy(ledger, tmp_path):
    large = tmp_path / "large.md"
    with large.open("wb") as file:
        file.truncate(LARGEST + 1)
    ledger.note(large)
    assert not ledger.has(large)
    assert ledger.content(large) is None
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "none", tmp_path / "pipe"):
        ledger.note(path)
        assert not ledger.has(path)


def test_nobody_else_can_read_it_and_a_line_cut_short_is_left_out(ledger, file):
    ledger.note(file)
    [folder] = (state_dir() / "seen").iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()} == {0o600}
    with (folder / "index.jsonl").open("ab") as index:
        index.write(b'{"path": "cut')
    assert Ledger("one").content(file) == b"seen\n"


def blocked():
    """Have nothing be written to the folder of the copies, and return what takes that back."""
    folder = state_dir() / "seen"
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way")
    return folder.unlink


def test_what_the_disk_does_not_take_is_known_meanwhile_and_written_later(ledger, file):
    unblock = blocked()
    ledger.begin("run1")
    ledger.note(file)
    assert isinstance(ledger.refused, OSError)
    assert ledger.content(file) == b"seen\n"
    unblock()
    ledger.try_again()
    assert ledger.refused is None
    assert Ledger("one").content(file) == b"seen\n"
    assert not Ledger("one", dropped="run1").has(file)


def test_a_text_with_a_key_in_it_is_known_and_never_written(file):
    ledger = Ledger("one", holds_key=lambda content: b"sk-12345" in content)
    file.write_text("the key is sk-12345\n")
    ledger.note(file)
    assert ledger.content(file) == b"the key is sk-12345\n"
    assert ledger.refused is None
    assert not Ledger("one").has(file)
    for kept in (state_dir() / "seen").rglob("*"):
        assert kept.is_dir() or b"sk-12345" not in kept.read_bytes()


def test_a_text_whose_key_became_known_later_goes_at_the_end(file):
    keys = []
    ledger = Ledger("one", holds_key=lambda content: any(key in content for key in keys))
    ledger.note(file)
    keys.append(b"seen")
    ledger.leave_no_key()
    assert not Ledger("one").has(file)
