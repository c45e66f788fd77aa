import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from dogent_tui.references import file_index
from dogent_tui.references.file_index import FileHit, FileIndex
from dogent_tui.references.file_walk import walk


@pytest.fixture
def make(tmp_path):
    def make(*names):
        for name in names:
            file = tmp_path / "ws" / name
            if name.endswith("/"):
                file.mkdir(parents=True, exist_ok=True)
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("x")
        index = FileIndex(tmp_path / "ws")
        index.refresh()
        return index

    return make


def found(index, query, **kwargs):
    return [hit.path for hit in index.search(query, **kwargs)]


def test_before_the_first_walk_nothing_is_found(tmp_path):
    index = FileIndex(tmp_path)
    assert (index.ready, len(index)) == (False, 0)
    assert index.search("a") == index.search("") == index.browse() == []


def test_hidden_and_ignored_files_are_left_out_also_without_git(make, tmp_path):
    index = make(
        "a.md",
        "x.log",
        ".env",
        ".git/config",
        ".dogent/history.json",
        "build/out.md",
        "keep/build.md",
    )
    (tmp_path / "ws" / ".gitignore").write_text("*.log\nbuild/\n")
    index.refresh()
    assert {hit.path for hit in index.search("")} == {"a.md", "keep/", "keep/build.md"}
    assert found(index, "build/out.md") == ["build/out.md"]  # named in full


def test_ignore_files_above_count_only_inside_a_repository(make, tmp_path):
    index = make("a.md", "b.txt")
    (tmp_path / ".gitignore").write_text("*.txt\n")
    index.refresh()
    assert set(found(index, "")) == {"a.md", "b.txt"}
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    index.refresh()
    assert found(index, "") == ["a.md"]


def test_folders_are_found_with_a_slash_and_empty_ones_too(make):
    index = make("docs/plan.md", "empty/", "v1.0/")
    assert FileHit("empty/", (0, 1, 2, 3, 4)) in index.search("empty")
    assert found(index, "v1.0") == ["v1.0/"]
    assert found(index, "docs/")[0] == "docs/"


def test_the_characters_matched_are_named_also_beyond_ascii(make):
    index = make("资料/年度报告.md", "other.txt")
    (hit,) = index.search("报告md")
    assert [hit.path[at] for at in hit.positions] == list("报告md")


def test_names_win_over_folders_and_short_paths_over_deep_ones(make):
    index = make("report/a/deep.txt", "x/report.md", "report-of-things/zzz.md")
    paths = found(index, "report")
    assert paths[0] == "report/"
    assert paths.index("x/report.md") < paths.index("report/a/deep.txt")


def test_words_match_in_any_order_and_a_typo_is_forgiven_only_without_a_match(make):
    index = make("docs/annual report.md", "docs/other.md")
    assert found(index, "report docs") == ["docs/annual report.md"]
    assert found(index, "anual reprot")[0] == "docs/annual report.md"
    assert found(index, "zqx") == []


def test_case_matters_only_where_it_is_typed(make):
    index = make("README.md", "readme.txt")
    assert set(found(index, "readme")) == {"README.md", "readme.txt"}
    assert found(index, "README")[0] == "README.md"


@pytest.mark.parametrize(
    "query", ["!a", "^a", "'a", "a$", "\\", "\udc80", "a" * 100_000, "\0", "  "]
)
def test_odd_queries_are_plain_text(make, query):
    assert isinstance(make("a.md", "!a.md").search(query), list)


def test_an_empty_query_gives_recent_then_shallow_files(make, tmp_path):
    names = [f"f{i}.md" for i in range(20)]
    index = make(*names, "deep/er/new.md", "deep/er/old.md")
    for path in (tmp_path / "ws").rglob("*.md"):
        os.utime(path, (1, 1))
    os.utime(tmp_path / "ws" / "deep" / "er" / "new.md", (9, 9))
    index.refresh()
    offered = found(index, "")
    assert offered[0] == "deep/er/new.md"
    assert offered.index("f19.md") < offered.index("deep/") < offered.index("deep/er/old.md")
    assert len(found(index, "", limit=3)) == 3


def test_browsing_shows_one_level_folders_first(make):
    index = make("b.md", "a/x.md", "a/y/z.md", "a-b/q.md", "a0.md")
    assert [hit.path for hit in index.browse()] == ["a-b/", "a/", "a0.md", "b.md"]
    assert (
        [hit.path for hit in index.browse("a/")]
        == [hit.path for hit in index.browse("a")]
        == ["a/y/", "a/x.md"]
    )
    assert index.browse("nowhere") == []
    assert index.browse("../") == []


def test_links_that_go_in_circles_or_nowhere_are_safe(make, tmp_path):
    index = make("a.md", "sub/b.md")
    ws = tmp_path / "ws"
    (ws / "loop").symlink_to(".")
    (ws / "dead").symlink_to("nowhere")
    (ws / "alias.md").symlink_to("a.md")
    (ws / b"\xff.md".decode("utf-8", "surrogateescape")).write_text("x")
    (ws / "two\nlines.md").write_text("x")
    index.refresh()
    assert set(found(index, "")) == {
        "a.md",
        "alias.md",
        "loop/",
        "sub/",
        "sub/b.md",
        "two\nlines.md",
    }


def test_more_than_the_limit_is_told(make, tmp_path):
    make(*(f"f{i}.md" for i in range(10)))
    index = FileIndex(tmp_path / "ws", limit=4)
    index.refresh()
    assert len(index) == 4
    index = FileIndex(tmp_path / "ws", limit=10)
    index.refresh()
    assert len(index) == 10


def test_a_refresh_sees_what_came_and_went(make, tmp_path):
    index = make("a.md", "b.md")
    (tmp_path / "ws" / "a.md").rename(tmp_path / "ws" / "c.md")
    index.refresh()
    assert set(found(index, "")) == {"b.md", "c.md"}


def test_searching_while_another_thread_refreshes(make):
    index = make(*(f"folder{i % 7}/file{i}.md" for i in range(300)))
    done = threading.Event()

    def refresh():
        for _ in range(20):
            index.refresh()
        done.set()

    thread = threading.Thread(target=refresh)
    thread.start()
    while not done.is_set():
        assert len(index.search("file", limit=500)) == 300
        assert len(index.browse()) == 7
    thread.join()


def test_a_stopped_index_keeps_what_it_has(make):
    index = make("a.md")
    index.stop()
    index.refresh()
    assert found(index, "") == ["a.md"]


def test_a_relative_root(make, tmp_path, monkeypatch):
    make("a.md", "b/c.md")
    monkeypatch.chdir(tmp_path)
    for root in (Path("ws"), Path("ws/../ws")):
        index = FileIndex(root)
        index.refresh()
        assert set(found(index, "")) == {"a.md", "b/", "b/c.md"}
    monkeypatch.chdir(tmp_path / "ws")
    index = FileIndex(Path())
    index.refresh()
    assert set(found(index, "")) == {"a.md", "b/", "b/c.md"}


def test_a_root_that_is_not_there_is_empty(tmp_path):
    index = FileIndex(tmp_path / "gone")
    index.refresh()
    assert (index.ready, len(index)) == (True, 0)


def test_the_names_of_the_last_time_are_found_at_once(make, tmp_path):
    make("docs/plan.md", "odd\nname.md", "资料/报告.md")
    kept = tmp_path / "state" / "names"
    first = FileIndex(tmp_path / "ws", kept=kept)
    first.refresh()
    (tmp_path / "ws" / "docs" / "plan.md").unlink()
    again = FileIndex(tmp_path / "ws", kept=kept)
    assert (found(again, "plan"), again.ready) == (["docs/plan.md"], True)
    assert found(again, "") == found(first, "")
    assert found(again, "oddname") == ["odd\nname.md"]
    assert [hit.path for hit in again.browse()] == [hit.path for hit in first.browse()]
    again.refresh()
    assert found(again, "plan") == []
    assert found(FileIndex(tmp_path / "ws", kept=kept), "plan") == []


def test_a_file_of_names_that_is_broken_is_left_out(make, tmp_path):
    make("plan.md")
    kept = tmp_path / "names"
    for broken in (b"", b"\xff\0\0", b"a\0\0b\0\0c"):
        kept.write_bytes(broken)
        index = FileIndex(tmp_path / "ws", kept=kept)
        assert found(index, "plan") == []
        index.refresh()
        assert found(index, "plan") == ["plan.md"]


def test_something_is_found_while_the_first_walk_is_at_it(make, tmp_path, monkeypatch):
    make(*(f"folder{number}/note-{number}.md" for number in range(1_100)))
    index = FileIndex(tmp_path / "ws")
    seen = []

    def watched(*args):
        yield from walk(*args)
        seen.append((index.ready, found(index, "note")[:1]))

    monkeypatch.setattr(file_index, "walk", watched)
    index.refresh()
    assert [ready for ready, _ in seen] == [False]
    assert seen[0][1]
    assert index.ready


@pytest.mark.slow
def test_followed_changes_alone_make_a_refresh_walk(make, tmp_path):
    index = make("a.md")
    index.follow()
    deadline = time.monotonic() + 60
    try:
        while not index.is_followed:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        index.refresh()
        before = index._snapshot
        index.refresh()
        assert index._snapshot is before
        (tmp_path / "ws" / "new.md").write_text("x")
        while found(index, "new") != ["new.md"]:
            assert time.monotonic() < deadline
            index.refresh()
            time.sleep(0.01)
    finally:
        index.stop()
