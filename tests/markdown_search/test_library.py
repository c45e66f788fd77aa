"""The Markdown files of a workspace: what is found, what is left out, and that nothing else is
read.
"""

import asyncio
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dogent_tui.markdown_search import content_search, file_names
from dogent_tui.markdown_search.library import MarkdownLibrary
from dogent_tui.markdown_search.markdown_file import read_markdown
from dogent_tui.markdown_search.model import (
    MOST_FILES,
    MOST_LINES,
    MOST_NODES,
    MarkdownSearchError,
    Scope,
    SearchContent,
)
from dogent_tui.storage.paths import Workspace
from tests.children import children_running


def put(root, *names, text="needle\n"):
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "w"
    folder.mkdir()
    return folder


@pytest.fixture
async def library(root, tmp_path):
    made = MarkdownLibrary(
        Workspace(root), ("archive", "notes/private"), (root / "own", tmp_path / "state")
    )
    yield made
    await made.close()


async def test_what_is_ignored_is_left_out_of_every_answer(root, library):
    put(root, "a.md", "notes/B.MD", "notes/sub/c.markdown", "text.txt", "private/d.md")
    put(
        root,
        ".git/x.md",
        "node_modules/x.md",
        "notes/node_modules/x.md",
        "archive/x.md",
        "sub/archive/x.md",
    )
    put(root, "notes/private/x.md", "own/x.md", "build/x.md", "notes/secret.md")
    kept = ["a.md", "notes/B.MD", "notes/sub/c.markdown", "private/d.md"]
    (root / "link.md").symlink_to(root / "a.md")
    for ignore in ("", "build/\nsecret*\n"):
        if ignore:
            (root / ".gitignore").write_text(ignore, encoding="utf-8")
        extra = [] if ignore else ["build/x.md", "notes/secret.md"]
        expected = sorted(kept + extra)
        found = await library.find()
        assert [file.path for file in found.files] == expected
        assert found.count == len(expected)
        searched = await library.search("NEEDLE")
        assert [line.path for line in searched.lines] == expected
        assert (searched.files_matched, searched.files_searched) == (len(expected), len(expected))
    tree = await library.tree()
    assert [node.name for node in tree.children] == [
        "notes",
        "private",
        "sub",
        "a.md",
        "link.md",
        "text.txt",
    ]
    notes = tree.children[0]
    assert [(node.name, node.type, node.extension) for node in notes.children] == [
        ("sub", "folder", ""),
        ("B.MD", "file", ".MD"),
    ]


async def test_what_is_found_is_described(root, library):
    put(root, "notes/a.md", text="x" * 5)
    os.utime(root / "notes/a.md", (0, 0))
    (file,) = (await library.find("A")).files
    assert (file.path, file.name, file.size, file.modified) == (
        "notes/a.md",
        "a.md",
        5,
        "1970-01-01T00:00:00+00:00",
    )


async def test_floods_are_capped_and_counted(root, library):
    for number in range(MOST_FILES + 10):
        put(root, f"part{number % 7}/n{number:04}.md", text="needle needle\n" * 20)
    found = await library.find()
    assert (len(found.files), found.count) == (MOST_FILES, MOST_FILES + 10)
    searched = await library.search("needle")  # in forked processes
    assert (len(searched.lines), searched.files_matched) == (MOST_LINES, MOST_FILES + 10)
    assert searched.matches == 40 * (MOST_FILES + 10)
    assert [line.line for line in searched.lines[:11]] == [*range(1, 11), 1]
    tree = await library.tree()
    shown = 7 + sum(len(folder.children) for folder in tree.children)
    assert shown == MOST_NODES
    assert shown + sum(folder.more for folder in tree.children) == tree.files + tree.folders


async def test_forked_or_not_it_is_the_same(root):
    for number in range(40):
        put(root, f"{number % 5}/{number}.md", text=f"word {number}\n")
    request = SearchContent(Scope(str(root)), "word 1")
    assert content_search.search_content(request, forks_from=1) == content_search.search_content(
        request
    )


@pytest.mark.slow
async def test_a_catastrophic_expression_ends_and_the_next_search_works(root, library, monkeypatch):
    put(root, "a.md", text="a" * 40 + "!\n")
    with monkeypatch.context() as patch:
        patch.setattr("dogent_tui.markdown_search.library.LIMIT_S", 1.0)
        with pytest.raises(MarkdownSearchError, match=r"takes too long.*\n?.*nested repeats"):
            await library.search("(a+)+$", regex=True)
    assert (await library.search("a!")).matches == 1


async def test_a_search_that_is_cancelled_ends_with_its_processes(root, library):
    put(root, "a.md", text="a" * 40 + "!\n")
    search = asyncio.create_task(library.search("(a+)+$", regex=True))
    async with asyncio.timeout(60):
        while not searching_processes():
            await asyncio.sleep(0.02)
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search
        while searching_processes():
            await asyncio.sleep(0.02)


def searching_processes():
    return children_running("markdown_search.worker")


async def test_a_process_that_ended_is_replaced(root, library):
    put(root, "a.md")
    assert (await library.search("needle")).matches == 1
    (process,) = searching_processes()[:1]
    process.kill()
    process.wait(60)
    assert (await library.search("needle")).matches == 1


async def test_wide_and_strange_files_are_searched_and_pipes_are_not_waited_for(root, library):
    (root / "wide.md").write_bytes("needle 读者\n".encode("utf-16"))
    (root / "old.md").write_bytes(b"\xff\xfa needle\n")
    (root / "han.md").write_bytes("needle 读者人数很多，我们很高兴。\n".encode("gb18030"))
    os.mkfifo(root / "pipe.md")
    (root / os.fsdecode(b"n\xff.md")).write_text("needle", encoding="utf-8")
    found = await library.search("needle 读者")
    assert [line.path for line in found.lines] == ["han.md", "wide.md"]
    assert [line.text[:9] for line in found.lines] == ["needle 读者"] * 2
    assert (await library.search("needle")).files_matched == 4


async def test_reading_takes_markdown_files_of_the_workspace_alone(root, library, tmp_path):
    put(root, "notes/a.md", "own/key.md", "plain.txt", text="\ufeff读者\r\n")
    put(tmp_path, "outside.md")
    (root / "good.md").symlink_to(root / "notes" / "a.md")
    (root / "bad.md").symlink_to(tmp_path / "outside.md")
    (root / "text.md").symlink_to(root / "plain.txt")
    (root / "away").symlink_to(tmp_path)
    (root / "folder.md").mkdir()
    (root / "old.md").write_bytes("我们的读者人数很多，我们很高兴。".encode("gb18030"))
    file = await library.read("good.md")
    assert (file.path, file.name, file.content, file.size) == ("notes/a.md", "a.md", "读者\r\n", 11)
    assert (await library.read(f"file://{root}/notes/../notes/a.md")).path == "notes/a.md"
    assert "读者" in (await library.read("old.md")).content
    for path, words in {
        "../outside.md": "outside the workspace",
        str(tmp_path / "outside.md"): "outside the workspace",
        "bad.md": "outside the workspace",
        "away/outside.md": "outside the workspace",
        "own/key.md": "outside the workspace",
        f"{root}x/a.md": "outside the workspace",
        "text.md": "not a Markdown file",
        "plain.txt": "not a Markdown file",
        "": "not a Markdown file",
        "folder.md": "Is a directory",
        "missing.md": "There is no file",
        "a\0.md": ".",
        "x" * 5000 + ".md": "cannot be read",
    }.items():
        with pytest.raises(MarkdownSearchError, match=words):
            await library.read(path)


def test_a_link_that_is_put_in_meanwhile_is_not_followed(root, tmp_path, monkeypatch):
    from dogent_tui.markdown_search import markdown_file

    put(root, "notes/a.md")
    put(tmp_path, "away/a.md", text="secret")
    real = markdown_file.open_real

    def swapped(*arguments):
        (root / "notes" / "a.md").unlink()
        (root / "notes").rmdir()
        (root / "notes").symlink_to(tmp_path / "away")
        return real(*arguments)

    monkeypatch.setattr(markdown_file, "open_real", swapped)
    with pytest.raises(MarkdownSearchError, match="cannot be read"):
        read_markdown(Workspace(root), "notes/a.md")


PARTS = st.sampled_from(
    ["..", ".", "", "notes", "a.md", "away", "up", "~", "/", "secret.md", "b.md"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PARTS, max_size=6))
def test_no_path_leads_out(tmp_path, parts):
    root = tmp_path / "w"
    if not root.exists():
        put(root, "notes/a.md", "a.md", text="inside")
        put(tmp_path, "away/a.md", "secret.md", "b.md", text="outside")
        (root / "away").symlink_to(tmp_path / "away")
        (root / "up").symlink_to("..")
        (root / "notes" / "secret.md").symlink_to("../../secret.md")
    try:
        file = read_markdown(Workspace(root), "/".join(parts))
    except MarkdownSearchError:
        return
    assert file.content == "inside"


def test_files_are_listed_alike_with_and_without_an_ignore_file(root):
    put(root, "a.md", "b/c.md", "b/d.txt")
    before = sorted(file_names.markdown_files(Scope(str(root))))
    put(root, "ignored.md")
    (root / ".gitignore").write_text("ignored.md\n", encoding="utf-8")
    assert sorted(file_names.markdown_files(Scope(str(root)))) == before
