import os
import stat
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from dogent_tui.errors import DogentError
from dogent_tui.storage import files
from dogent_tui.storage.files import atomic_write, locked, read_json


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_takes_the_mode_given_or_the_umask_s(tmp_path):
    atomic_write(tmp_path / "new" / "secret", "x", mode=0o600)
    assert mode(tmp_path / "new" / "secret") == 0o600
    old = os.umask(0o027)
    try:
        atomic_write(tmp_path / "plain", b"x")
    finally:
        os.umask(old)
    assert mode(tmp_path / "plain") == 0o640


def test_an_existing_file_keeps_its_mode(tmp_path):
    file = tmp_path / "script.sh"
    file.write_text("old")
    file.chmod(0o750)
    atomic_write(file, "neu ü 中文", mode=0o600)
    assert file.read_text(encoding="utf-8") == "neu ü 中文"
    assert mode(file) == 0o750


def test_a_link_is_replaced_and_what_it_points_to_is_left_alone(tmp_path):
    (tmp_path / "target").write_text("precious")
    (tmp_path / "link").symlink_to("target")
    atomic_write(tmp_path / "link", "new")
    assert (tmp_path / "target").read_text() == "precious"
    assert (tmp_path / "link").read_text() == "new"


def test_a_power_cut_before_the_rename_leaves_the_old_text(tmp_path, monkeypatch):
    file = tmp_path / "a.md"
    file.write_text("old")

    def cut(*_):
        raise OSError("power")

    monkeypatch.setattr(os, "replace", cut)
    with pytest.raises(OSError, match="power"):
        atomic_write(file, "new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_what_a_killed_process_left_is_cleared_away_and_nothing_else(tmp_path):
    left, under_way = tmp_path / ".dogent-0123456789ab.tmp", tmp_path / ".dogent-ba9876543210.tmp"
    own = tmp_path / ".dogent-notes.tmp"
    for file in (left, under_way, own):
        file.write_text("half a te", encoding="utf-8")
    long_ago = time.time() - 86_400
    for file in (left, own):
        os.utime(file, (long_ago, long_ago))
    atomic_write(tmp_path / "notes.md", "Tea.\n")
    assert {file.name for file in tmp_path.iterdir()} == {"notes.md", under_way.name, own.name}


def test_lone_surrogates_come_back_from_json(tmp_path):
    atomic_write(tmp_path / "a.json", '{"name": "x\udc80"}')
    value, broken = read_json(tmp_path / "a.json")
    assert (value, broken) == ({"name": "x\udc80"}, None)


@pytest.mark.parametrize(
    "content", [b'{"a": 1', b"", b"\xff\xfe{}", b"[1]", b"[" * 100_000, b"1" * 10_000]
)
def test_a_file_that_cannot_be_parsed_is_kept_aside(tmp_path, content):
    file = tmp_path / "claude.json"
    file.write_bytes(content)
    value, broken = read_json(file)
    assert value == {}
    assert not file.exists()
    assert broken.kept_as.name.startswith("claude.json.broken-")
    assert broken.kept_as.read_bytes() == content
    assert broken.kept_as.name in broken.remedy


def test_two_broken_files_in_one_second_are_both_kept(tmp_path):
    file = tmp_path / "a.json"
    kept = set()
    for text in ("{1", "{2", "{3"):
        file.write_text(text)
        kept.add(read_json(file)[1].kept_as)
    assert {path.read_text() for path in kept} == {"{1", "{2", "{3"}


def test_what_another_window_mends_meanwhile_is_not_set_aside(tmp_path, monkeypatch):
    file = tmp_path / "a.json"
    file.write_text("{broken")

    @contextmanager
    def mended_first(path, timeout_s):  # the other window had the lock before us
        atomic_write(path, '{"mended": true}')
        with locked(path, timeout_s):
            yield

    monkeypatch.setattr(files, "locked", mended_first)
    assert read_json(file) == ({"mended": True}, None)
    assert list(tmp_path.glob("a.json*")) == [file]


def test_who_holds_a_lock_can_take_it_again_and_nobody_else_can(tmp_path):
    file = tmp_path / "a.json"

    def other_thread():
        with pytest.raises(DogentError), locked(file, 0.0):
            pass

    with locked(file):
        with locked(file, 0.0):
            pass
        with ThreadPoolExecutor() as pool:
            pool.submit(other_thread).result()


def test_missing_is_no_fault_and_a_folder_or_pipe_is_left_in_place(tmp_path):
    assert read_json(tmp_path / "none.json") == ({}, None)
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    for name in ("folder.json", "pipe.json"):
        value, broken = read_json(tmp_path / name)
        assert value == {}
        assert broken.kept_as is None
        assert (tmp_path / name).exists()


def test_a_byte_order_mark_is_fine(tmp_path):
    for encoding in ("utf-8-sig", "utf-16"):
        (tmp_path / "web.json").write_text('{"a": "ä"}', encoding=encoding)
        assert read_json(tmp_path / "web.json") == ({"a": "ä"}, None)


def test_a_lock_holds_across_processes_and_leaves_nothing_in_the_workspace(tmp_path):
    file = tmp_path / "ws" / "history.json"
    file.parent.mkdir()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent("""
                import sys
                from pathlib import Path
                from dogent_tui.storage.files import locked
                with locked(Path(sys.argv[1])):
                    print("held", flush=True)
                    sys.stdin.read()
            """),
            str(file),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout.readline() == b"held\n"
        with (
            pytest.raises(
                DogentError, match=r"Another dogent-tui window has been writing history\.json"
            ),
            locked(file, timeout_s=0.05),
        ):
            pass
        holder.kill()  # the kernel lets go for it
    with locked(file, timeout_s=60):
        pass
    assert list(file.parent.iterdir()) == []
